"""Checks that come from one unknown are told together."""

from __future__ import annotations

import gradual
from gradual.diagnostic import Diagnostic
from gradual.report.lost import lost

OPEN = """def @f(%x: Tensor[(?, ?), float32], %a: Tensor[(?, n), float32], %b: Tensor[(m, k), float32]) {
  (nn.dense(%x, %a), nn.dense(%x, %b), reshape(%x, newshape=[3, 4]), %x as Tensor[(?, 4), float32])
}"""


def notes(text: str) -> list[Diagnostic]:
    compilation = gradual.check(text)
    assert compilation.ok, compilation.diagnostics
    return list(lost(compilation.checks))


def marked(text: str) -> list[tuple[int, list[str], list[str]]]:
    return [(one.span.start, one.data["checks"], one.data["alone"]) for one in notes(text)]


def test_the_checks_about_a_size_are_told_with_those_that_are_about_nothing_else() -> None:
    assert marked(OPEN) == [(OPEN.index("?, ?") + 3, ["c1", "c2", "c3", "c4"], ["c4"])]


def test_two_checks_are_not_many() -> None:
    text = "def @f(%x: Tensor[(?, 3), float32]) { (%x as Tensor[(2, 3), float32], %x as Tensor[(4, 3), float32]) }"
    assert marked(text.replace("(4, 3)", "(n, 3)").replace("(%x:", "(%n: Tensor[(n,), float32], %x:")) == []


def test_an_unknown_that_is_computed_is_marked_where_it_is_made() -> None:
    text = """def @f(%x: Tensor[(9, 9), float32], %s: float32, %y: Tensor[(n,), float32], %z: Tensor[(m,), float32]) {
      let %k = cast(%s, dtype="int64");
      let %a = zeros(stack((%k,), axis=0), dtype="float32");
      (%a as Tensor[(n,), float32], %a as Tensor[(m,), float32])
    }"""
    (found,) = notes(text)
    assert text[found.span.start : found.span.end] == 'cast(%s, dtype="int64")'
    assert found.message == "3 residual checks are about `%k`"
    assert found.notes == ("they are c1, c2 and c3", "a number known here would decide c1")


def test_the_choices_of_callers_are_not_unknown() -> None:
    text = """def @f(%x: Tensor[(n,), float32], %y: Tensor[?, float32]) {
      (%x as Tensor[(3,), float32], %x as Tensor[(4,), float32], %x as Tensor[(5,), float32])
    }"""
    assert not any("%x" in one.message for one in lost(gradual.check(text).checks))
