"""A `//` that was meant as a division: what is offered was tried, whatever the operands and wherever they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.diagnostic import Diagnostic

HEAD = "def @f(%x: Tensor[(hq, 4), float32], %y: Tensor[(hk,), int32], %n: int64) "


def mended(text: str, found: Diagnostic) -> str:
    """The text with the only change that is offered."""
    (help,) = found.help
    (edit,) = help.edits
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("repeat(%x, repeats=hq // hk, axis=0)", "repeat(%x, repeats=dim[hq // hk], axis=0)"),
        ("repeat(%x, repeats=%n // 2, axis=0)", "repeat(%x, repeats=dim[%n // 2], axis=0)"),
        ("repeat(%x, axis=0, repeats=1 + hq // 2)", "repeat(%x, axis=0, repeats=dim[1 + hq // 2])"),
        ("repeat(%x, axis=0, repeats=(hq + hk) // 2)", "repeat(%x, axis=0, repeats=dim[(hq + hk) // 2])"),
        ("repeat(%x, axis=0, repeats=dim(%y, 0) // 2)", "repeat(%x, axis=0, repeats=dim[dim(%y, 0) // 2])"),
        ("repeat(%x,\n  repeats=hq // 2,\n  axis=0)", "repeat(%x,\n  repeats=dim[hq // 2],\n  axis=0)"),
        ("let %k = hq // 2; (%x, %k)", "let %k = dim[hq // 2]; (%x, %k)"),
        ("(%x, hq // 2)", "(%x, dim[hq // 2])"),
        ("add(%y, %y // 2)", "add(%y, floor_divide(%y, 2))"),
        ("let %k = %y * %y // %y + %y; (%x, %k)", "let %k = floor_divide(%y * %y, %y) + %y; (%x, %k)"),
        ("(%x, negative(%y) // 2)", "(%x, floor_divide(negative(%y), 2))"),
        ("if (%n // 2 == 0i64) { %x } else { %x }", "if (dim[%n // 2] == 0i64) { %x } else { %x }"),
        ("if (hq // 2 >= 3) { %x } else { %x }", "if (floor_divide(hq, 2) >= 3) { %x } else { %x }"),
    ],
)
def test_the_division_that_mends_it_is_offered(broken: str, whole: str) -> None:
    for after in ("", "\ndef @g() { 1 }", "\ndef @g() { %nowhere }\n"):
        text = f"{HEAD}{{ {broken} }}{after}"
        error = next(one for one in gradual.check(text).diagnostics if one.code == "E0101")
        assert mended(text, error) == f"{HEAD}{{ {whole} }}{after}"
        assert error.related[0].label == "a comment starts here"


@pytest.mark.parametrize("body", ["%x // 2 rows", "let %k = %x // halves\n; %k", "%x // (n, 4);"])
def test_a_comment_is_a_comment(body: str) -> None:
    found = gradual.check(f"{HEAD}{{ {body}\n }}").diagnostics
    assert [one for one in found if one.code != "E0101" or one.help] == []


SIZES = st.sampled_from(["hq", "hk", "2", "(hq + 1)", "hq * hk", "%n", "dim(%x, 0)", "max(hq, 1)", "hk + hq"])
PLACES = [
    "repeat(%x, repeats={}, axis=0)",
    "({}, %x)",
    "let %k = {}; (%x, %k)",
    "arange(0i64, {}, 1i64)",
    "tile(%x, reps={})",
]


@given(st.sampled_from(PLACES), SIZES, SIZES)
def test_sizes_are_divided_wherever_they_stand(place: str, left: str, right: str) -> None:
    text = f"{HEAD}{{ {place.format(f'{left} // {right}')} }}"
    error = next(one for one in gradual.check(text).diagnostics if one.code == "E0101")
    again = gradual.check(mended(text, error))
    assert {one.code for one in again.diagnostics if one.severity == "error"} <= {"E0301", "E0302"}
    assert f"dim[{left} // {right}]" in mended(text, error)


def test_what_no_division_mends_is_told_and_nothing_is_offered() -> None:
    (error,) = gradual.check(f"{HEAD}{{ nn.relu(%x // %nowhere) }}").diagnostics
    assert error.help == () and any("dim[n // m]" in note for note in error.notes)
