"""Each function by its own policy, with an account of what that costs."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import gradual
from gradual.core.check import Check
from gradual.core.def_use import every
from gradual.core.print import printed
from gradual.passes.framework.pass_ import Unusable
from gradual.run.value import Blame
from gradual.tensors.tensor import random_tensor
from gradual.types.dtype import DType
from tests.material import RELAY_MODELS, needs_models

EXAMPLES = Path(__file__).parents[2] / "examples"


def policy(text: str) -> str:
    return f"""def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(3, 4), float32], codegen="{text}") {{
  nn.dense(nn.relu(%x), %w)
}}"""


def told(text: str) -> list[str]:
    return [note.says for note in gradual.apply(gradual.check(text), "codegen").notes]


def test_a_function_keeps_what_its_definition_says_of_itself() -> None:
    found = gradual.check('def @f(%x: float32, codegen="generic", Primitive=1, share=0.5, hash=[1, 2]) { %x }')
    function = found.core.functions["@f"]
    assert function.attributes == {"codegen": "generic", "Primitive": 1, "share": 0.5}
    assert pickle.loads(pickle.dumps(function)).attributes == function.attributes


def test_what_a_definition_says_is_written_again_until_it_is_done() -> None:
    text = 'def @f(%x: Tensor[(n,), float32], codegen="bucket:n=1,8", Primitive=1, share=0.5, t=True) { nn.relu(%x) }'
    found = gradual.check(text)
    assert gradual.check(found.text).core.functions["@f"].attributes == found.core.functions["@f"].attributes
    after = gradual.check(gradual.apply(found, "codegen").text)
    assert {key for one in after.core.functions.values() for key in one.attributes} == {"Primitive", "share", "t"}


def test_buckets_are_accounted_for() -> None:
    assert told(policy("bucket:dim(%x, 0)=1,8,64 pad=0"))[1:] == [
        "code: 3 steps became 4 copies of 12 steps in all, and 26 steps that choose",
        "checks in a call: 1 before; 1 in `@main_x_0_1`, 1 in `@main_x_0_8`, 1 in `@main_x_0_64`, 1 in `@main_any`",
    ]


def test_a_specialized_function_makes_no_check_of_its_sizes() -> None:
    assert told(policy("specialize:%x=(2,4)")) == [
        "code: 3 steps became 2 steps, no copy",
        "checks in a call: 1 before, 0 now",
    ]


def test_the_checks_of_the_callers_are_counted() -> None:
    text = (
        policy("specialize:%x=(2,4) calls=check").replace("@main", "@f")
        + """
def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(3, 4), float32]) { (@f(%x, %w), @f(%x, %w)) }"""
    )
    assert "checks in the callers: 1 more" in told(text)  # the second call knows what the first was checked for


def test_policies_of_one_function_stand_in_order() -> None:
    after = gradual.apply(gradual.check(policy("hoist-checks; specialize:%x=(?,4); drop-proved-checks")), "codegen")
    assert after.residual == 0
    assert "@main" in after.types and len(after.types) == 1


@pytest.mark.parametrize(
    "text, says",
    [
        ("fastest", "is no policy; the policies are specialize, bucket, generic"),
        ("generic:1", "is no policy"),
        ("bucket", "takes one size"),
        ("bucket:n=1,2", "there is nothing called `n`"),
        ("bucket:dim(%x,0)", "is given no value"),
        ("specialize:@g:n=1", "there is no function"),
        ("specialize:%x=(2,5); generic; bucket:k=1", "there is nothing called `k`"),
    ],
)
def test_what_is_no_policy_is_told_with_its_function(text: str, says: str) -> None:
    with pytest.raises(Unusable, match=says) as refused:
        gradual.apply(gradual.check(policy(text)), "codegen")
    assert refused.value.span is not None and "of `@main`" in refused.value.message


def test_a_function_that_was_served_does_not_ask_again() -> None:
    once = gradual.apply(gradual.check(policy("bucket:dim(%x,0)=1,8")), "codegen")
    again = gradual.apply(once, "codegen")
    assert printed(again.core) == printed(once.core)
    assert len(again.notes) == len(once.notes)


def test_a_function_without_a_policy_stays_as_it_is() -> None:
    before = gradual.check("def @main(%x: Tensor[(?,), float32]) { nn.relu(%x) }")
    assert gradual.apply(before, "codegen").core is before.core


def test_the_example_of_one_check_at_the_call() -> None:
    """R3 of RFC 3042: assume (10, 10), and make one check when the function is called."""
    path = EXAMPLES / "r3_codegen.relay"
    after = gradual.apply(gradual.check(path.read_text("utf-8"), path.name), "codegen")
    steps = {name: [s for s in every(f.body) if isinstance(s, Check)] for name, f in after.core.functions.items()}
    assert {name: [check.condition for check in checks] for name, checks in steps.items()} == {
        "@f": [],
        "@main": ["dim(%x, 0) == 10 and dim(%x, 1) == 10"],
    }
    assert after.types["@f"] == "fn (Tensor[(10, 10), float32]) -> Tensor[(10, 10), float32]"
    assert "checks in a call: 1 before, 0 now" in [note.says for note in after.notes]
    fits, wrong = (random_tensor((10, n), DType.FLOAT32, 1) for n in (10, 9))
    assert after.run("@main", fits) == gradual.check(path.read_text("utf-8")).run("@main", fits)
    with pytest.raises(Blame, match="residual check"):
        after.run("@main", wrong)


ROW = re.compile(r"\| (\w+) \| `([^`]+)` \|" + r" (\d+) \|" * 5)
TABLE = ROW.findall((Path(__file__).parents[2] / "docs" / "explanation" / "codegen.md").read_text("utf-8"))


@needs_models
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_costs_that_are_told_are_those(row: tuple[str, ...]) -> None:
    name, words, *numbers = row
    before = gradual.check((RELAY_MODELS / f"{name}.relay").read_text("utf-8"))
    after = gradual.apply(before, words)
    steps = [sum(1 for f in found.core.functions.values() for _ in every(f.body)) for found in (before, after)]
    made = [sum(isinstance(s, Check) for s in every(f.body)) for f in after.core.functions.values()]
    assert [*steps, len(after.types) - len(before.types), before.residual, max(made)] == list(map(int, numbers))


def test_the_table_is_read() -> None:
    assert len(TABLE) == 6
