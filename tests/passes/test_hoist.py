"""Checks move up over what cannot fail, and over nothing else; those that are proved go."""

from __future__ import annotations

import pytest

import gradual
from gradual import Compilation
from gradual.core.check import Check
from gradual.core.def_use import every
from gradual.core.print import printed
from gradual.core.terms import Apply, Assertion, Invoke
from gradual.run.value import Stop
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType


def floats(*shape: int) -> Tensor:
    return random_tensor(shape, DType.FLOAT32, 1)


def hoisted(text: str) -> Compilation:
    return gradual.apply(gradual.check(text), "hoist-checks")


def order(found: Compilation, name: str = "@main") -> list[str]:
    """The checks, applications, calls and assertions in order, in a word each."""
    words = []
    for step in every(found.core.functions[name].body):
        match step:
            case Check(id):
                words.append(id)
            case Apply(operator=operator):
                words.append(operator.name)
            case Invoke(function=function):
                words.append(function)
            case Assertion():
                words.append("assert")
    return words


def ends(found: Compilation, *values: Tensor) -> tuple[str, str, object]:
    with pytest.raises(Stop) as stop:
        found.run("@main", *values)
    return stop.value.code, stop.value.diagnostic.rule, stop.value.span


def test_a_check_of_parameters_is_made_first() -> None:
    after = hoisted("""def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 3), float32]) {
  nn.dense(nn.relu(exp(%x)), %w)
}""")
    assert order(after) == ["c1", "exp", "nn.relu", "nn.dense"]
    assert [note.says for note in after.notes] == ["check c1 `dim(%x, 1) == 3` is made earlier"]


def test_checks_keep_their_order() -> None:
    text = """def @main(%x: Tensor[(?, ?), float32], %y: Tensor[(?,), float32]) {
  let %a = unique(%y);
  let %b: Tensor[(2,), float32] = %a.0;
  let %c: Tensor[(3, ?), float32] = %x;
  (%b, %c)
}"""
    before, after = gradual.check(text), hoisted(text)
    assert order(before) == order(after) == ["unique", "c1", "c2"]
    wrong = floats(2, 2), floats(5)
    assert ends(before, *wrong) == ends(after, *wrong)


FAULTING = {
    "take": 'let %a = take(%x, %i, axis=0, mode="fast");',
    "divide": "let %a = divide(%i, %i);",
    "@g": "let %a = @g(%x);",
    "assert": "assert(all(%x > 0f));",
}


@pytest.mark.parametrize("name, line", FAULTING.items())
def test_a_check_does_not_move_over_what_may_fail(name: str, line: str) -> None:
    text = f"""def @g(%x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {{ %x }}
def @main(%x: Tensor[(?, 3), float32], %i: Tensor[(2,), int64]) {{
  {line}
  let %b = nn.relu(%x);
  let %c: Tensor[(4, 3), float32] = %b;
  %c
}}"""
    before, after = gradual.check(text), hoisted(text)
    words = order(after)
    assert words.index(name) < words.index("c1") < words.index("nn.relu")
    if name in ("take", "divide"):
        wrong = floats(2, 3), Tensor([7, 0], "int64")
        assert ends(before, *wrong) == ends(after, *wrong)


def test_a_check_does_not_leave_its_branch() -> None:
    text = """def @main(%x: Tensor[(?, 3), float32], %b: bool) {
  let %y = nn.relu(%x);
  if (%b) { let %a = exp(%y); let %z: Tensor[(4, 3), float32] = %a; %z } else { %y }
}"""
    after = hoisted(text)
    assert order(after) == ["nn.relu", "c1", "exp"]
    assert after.run("@main", floats(2, 3), Tensor(False, "bool")) == gradual.check(text).run(
        "@main", floats(2, 3), Tensor(False, "bool")
    )


def test_a_check_does_not_leave_its_function() -> None:
    text = """def @main(%x: Tensor[(?, 3), float32], %b: bool) {
  let %f = fn (%y: Tensor[(?, 3), float32]) { let %a = exp(%y); let %z: Tensor[(4, 3), float32] = %a; %z };
  if (%b) { %f(%x) } else { %f(%f(%x)) }
}"""
    after = hoisted(text)
    assert "c1" in order(after) and order(after).index("c1") < order(after).index("exp")
    assert printed(gradual.apply(after, "hoist-checks").core) == printed(after.core)


def test_a_size_that_is_made_late_is_checked_when_it_is_there() -> None:
    after = hoisted("""def @main(%x: Tensor[(?,), float32]) {
  let %u = unique(%x);
  let %a = exp(%x);
  let %b: Tensor[(2,), float32] = %u.0;
  (%a, %b)
}""")
    assert order(after) == ["unique", "c1", "exp"]


# ---------------------------------------------------------------------------------------------------------------- fewer
REPEATED = """def @main(%x: Tensor[(?, 3), float32]) {
  let %y: Tensor[(?, 3), float32] = %x;
  let %a: Tensor[(4, 3), float32] = %y;
  let %b: Tensor[(4, 3), float32] = %x;
  (%a, %b)
}"""


def test_a_check_that_follows_goes() -> None:
    before = gradual.check(REPEATED)
    after = gradual.apply(before, "drop-proved-checks")
    assert (before.residual, after.residual) == (2, 1)
    assert [note.says for note in after.notes] == ["check c2 `dim(%x, 0) == 4` always holds"]
    assert ends(before, floats(3, 3)) == ends(after, floats(3, 3))


def test_what_stands_where_nobody_comes_goes_at_once() -> None:
    """A check that always fails stands before; what follows it is not refuted there by what it told."""
    text = """def @main(%x: Tensor[(0,), float32], %y: Tensor[(m, ?), float32]) {
  let %a = %x as Tensor[(?,), float32];
  let %b = if (m == 6) { %a } else { let %c: Tensor[(1,), float32] = %a; %c };
  let %d = reshape(%a, newshape=[-1, dim(%a, 0)]);
  let %e = stack((%a, %b), axis=0);
  let %f: Tensor[(1, 4), float32] = %y;
  %e
}"""
    before = gradual.check(text)
    after = gradual.apply(before, "drop-proved-checks")
    assert (before.residual, after.residual) == (5, 2)
    assert gradual.apply(after, "drop-proved-checks").residual == 2


def test_a_check_that_says_something_stays() -> None:
    text = "def @main(%x: Tensor[*, float32]) { let %y: Tensor[(4, 3), float32] = %x; %y }"
    before = gradual.check(text)
    after = gradual.apply(before, "hoist-checks", "drop-proved-checks")
    assert after.residual == before.residual > 1
    assert after.core is before.core


def test_what_a_failing_check_tells_is_still_there() -> None:
    """The first check is proved and goes; the report of the second one speaks of the size that it was about."""
    text = """def @main(%x: Tensor[(?,), float32], %z: Tensor[(?,), float32]) {
  let %u: Tensor[(3,), float32] = %x;
  let %y: Tensor[(?,), float32] = %x;
  let %w: Tensor[(3,), float32] = %y;
  reshape(%z, newshape=[dim(%y, 0), 4])
}"""
    before = gradual.check(text)
    after = gradual.apply(before, "drop-proved-checks", "drop-dead", "hoist-checks")
    assert (before.residual, after.residual) == (3, 2)
    wrong = floats(3), floats(11)
    assert ends(before, *wrong) == ends(after, *wrong)


TWICE = """
def @twice(%f: fn (Tensor[(n,), float32]) -> Tensor[(n,), float32], %x: Tensor[(n,), float32]) {
  %f(%f(%x))
}
def @main(%x: Tensor[(m,), float32], %y: Tensor[(?,), float32]) {
  @twice(fn (%z: Tensor[(m,), float32]) -> Tensor[(m,), float32] { add(%z, %y) }, %x)
}"""


def test_of_two_copies_of_a_check_the_first_stays() -> None:
    before = gradual.check(TWICE)
    after = gradual.apply(before, "inline", "drop-proved-checks")
    assert order(after) == ["c1", "add", "c2", "add"]
    assert ends(after, floats(3), floats(2)) == ends(before, floats(3), floats(2))
    assert after.run("@main", floats(3), floats(1)) == before.run("@main", floats(3), floats(1))


@pytest.mark.parametrize("passes", [("specialize", "@f:n=3"), ("bucket", "@f:n=3,4")])
def test_a_check_that_a_copy_proves_stays_in_the_function(passes: tuple[str, ...]) -> None:
    text = """def @f(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32]) where n <= 9 {
  let %z: Tensor[(?{u. u >= 3},), float32] = %y;
  if (n == 3) { let %v: Tensor[(3,), float32] = %y; (%v, sum(%x)) } else { (%z, sum(%x)) }
}
def @main(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) { @f(%x, %y).1 }"""
    before = gradual.check(text)
    assert before.ok, before.diagnostics
    after = gradual.apply(before, *passes, "drop-proved-checks")
    for n, m in ((3, 2), (3, 3), (4, 2), (5, 5), (4, 7)):
        given = floats(n), floats(m)
        try:
            assert after.run("@main", *given) == before.run("@main", *given)
        except Stop:
            assert ends(after, *given) == ends(before, *given)
