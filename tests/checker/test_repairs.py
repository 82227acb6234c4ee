"""What is proposed for a mistake is what a person of the field would write, and it works when it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gradual import check
from gradual.checker.fixes.suggested import edited, findings
from gradual.checker.repairs.foreign_rows import ROWS
from gradual.diagnostic import Diagnostic, Help, Severity
from gradual.ops.catalogue import CATALOGUE

STEPS = 8


def _pairs() -> Iterator[tuple[str, str, str]]:
    """Of each family the programs as they were written, and as they are after all helps."""
    family = broken = ""
    for line in (Path(__file__).parent / "repairs.txt").read_text().splitlines():
        mark, text = line[:2], line[2:]
        if mark == "# ":
            family = text
        elif mark == "- ":
            broken = text
        elif mark == "+ ":
            yield family, broken, text


PAIRS = list(_pairs())


def _first(text: str) -> Help | None:
    return next((help for one in check(text).diagnostics for help in one.help if help.edits), None)


@pytest.mark.parametrize(("broken", "mended"), [pair[1:] for pair in PAIRS], ids=[f"{f}: {b}" for f, b, _ in PAIRS])
def test_helps_lead_to_the_program_that_was_meant(broken: str, mended: str) -> None:
    text = broken
    for _ in range(STEPS):
        help = _first(text)
        if help is None:
            break
        text = edited(text, help.edits)
    assert text == mended
    assert not check(text).ok or broken != mended


def test_a_foreign_name_is_marked_exactly_where_an_operator_has_it() -> None:
    """A row of another name would say what to write in place of an operator that there is."""
    ours = {name.rpartition(".")[2].lower() for name in CATALOGUE if not name.startswith("dyn.")}
    names = {name for name in ROWS if not name.startswith("=")}
    assert names & ours == set(), "mark the name with `=`, or remove it where the operator makes the row needless"
    assert {name[1:] for name in ROWS if name.startswith("=")} - ours == set()


def test_each_family_has_three_programs() -> None:
    families = [family for family, _, _ in PAIRS]
    assert {family: families.count(family) for family in families if families.count(family) < 3} == {}


def _places(text: str, found: Sequence[Diagnostic]) -> set[tuple[str, str]]:
    """The errors, each with what it is about: the same mistake may stand again further on."""
    return {(one.code, text[one.span.start : one.span.end]) for one in found if one.severity is Severity.ERROR}


@pytest.mark.parametrize("broken", [broken for _, broken, _ in PAIRS])
def test_a_help_takes_its_error_away(broken: str) -> None:
    before = check(broken).diagnostics
    for found in before:
        for help in found.help:
            if found.severity is Severity.ERROR and help.edits:
                mended = edited(broken, help.edits)
                after = check(mended).diagnostics
                stand = findings(before) <= findings(after) and _places(broken, before) <= _places(mended, after)
                assert not stand, help.text


@pytest.mark.parametrize(
    "text",
    [
        "def @f(%x: Tensor[(n, 3), float32]) { reshape(%x, newshape=(n, 4)) }",
        "def @f(%x: Tensor[(n, c, 4, 4), float32], %w: Tensor[(c, 2, 3, 3), float32]) { nn.conv2d(%x, %w, groups=2) }",
        "def @f(%x: Tensor[(n,), float32], %y: Tensor[(n + 1,), float32]) { %x + %y }",
    ],
)
def test_no_help_asks_for_empty_or_single_tensors(text: str) -> None:
    helps = [help.text for one in check(text).diagnostics for help in one.help]
    assert not [said for said in helps if said.endswith(("== 0`", "== 1`", "<= 1`"))]


OPEN = [
    (
        "def @f(%x: Tensor[(b, t, d), float32], %m: Tensor[(?, ?), float32]) -> Tensor[(b, t, d), float32] { %x + %m }",
        "write `%m: Tensor[(t, d), float32]`: removes c1 to c4",
    ),
    (
        "def @f(%x: Tensor[(?, ?), float32], %w: Tensor[(m, 8), float32], %b: Tensor[(n, 8), float32]) {"
        " nn.dense(%x, %w) + nn.dense(%b, %w) }",
        "write `%x: Tensor[(n, 8), float32]`: removes c1 and c2",
    ),
    (
        "def @f(%x: Tensor[(n, 3, ?, ?), float32], %w: Tensor[(10, 192), float32]) {"
        " nn.dense(nn.batch_flatten(nn.max_pool2d(%x, pool_size=[4, 4], strides=[4, 4])), %w) }",
        "write `%x: Tensor[(n, 3, 32, 32), float32]`: removes c1 to c3",
    ),
    (
        "def @f(%q: Tensor[(b, h, t, d), float32], %k: Tensor[(b, h, s, d), float32], %m: Tensor[(?, ?, ?, ?), float32]"
        ') { einsum((%q, %k), equation="bhtd,bhsd->bhts") + %m }',
        "write `%m: Tensor[(b, h, t, s), float32]`: removes c1 to c4",
    ),
    (
        "def @f(%x: Tensor[(n, 3, ?, ?), float32], %w: Tensor[(8, 3, 7, 7), float32]) { nn.conv2d(%x, %w) }",
        "writing ?{u. u >= 7} for this `?` proves it",
    ),
]


@pytest.mark.parametrize(("text", "said"), OPEN)
def test_the_shape_of_a_parameter_is_written_at_once(text: str, said: str) -> None:
    program = check(text)
    helps = [help for _, help in program.helps() if help is not None]
    assert said in {help.text for help in helps}
    for help in helps:
        after = check(edited(text, help.edits))
        assert after.ok
        assert len(after.checks) < len(program.checks)


@pytest.mark.parametrize(
    "body",
    [
        "let %k = F.relu(%x); %k.transpose(0, 1)",
        "torch.split(%x, 2, dim=1)",
        "F.max_pool2d(%x, 2)",
    ],
)
def test_a_namesake_with_another_meaning_is_not_written_unasked(body: str) -> None:
    text = f"def @f(%x: Tensor[(2, 2, 8, 8), float32]) {{ {body} }}"
    for found in check(text).diagnostics:
        assert not [help for help in found.help if help.safe and "nn.relu" not in help.text], found
