"""An answer that is remembered is the one that would be given again."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradual
from gradual.checker.program.rule_cache import Answers, question
from gradual.core.print import printed
from gradual.core.terms import Apply
from gradual.ops.catalogue import CATALOGUE

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.relay"))
BRANCH = """def @f(%x: Tensor[*, float32], %c: bool) {
  if (%c) { let %y = %x as Tensor[(?, 3), float32]; let %z = transpose(%x, axes=[1, 0]); 0 } else { 1 };
  transpose(%x, axes=[1, 0])
}"""
"""The rank is known in a branch, and not after it."""


def told(text: str) -> tuple[str, list[str]]:
    compilation = gradual.check(text)
    return printed(compilation.core), [f"{each.code} {each.message}" for each in compilation.diagnostics]


TEXTS = {path.stem: path.read_text("utf-8") for path in EXAMPLES} | {"branch": BRANCH}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_forgetful_checker_says_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = told(text)
    monkeypatch.setattr(Answers, "get", lambda self, question: None)
    assert told(text) == expected


def test_equal_layers_have_one_type() -> None:
    compilation = gradual.check("def @f(%x: Tensor[(n, 3), float32]) { nn.relu(nn.relu(%x)) }")
    first, second = (step.type for step in compilation.core.functions["@f"].body.steps if isinstance(step, Apply))
    assert first is second


@pytest.mark.parametrize(("one", "other"), [(1, True), (0.0, -0.0), (1, 1.0), ((1, 2), (1, True))])
def test_attributes_that_are_written_differently_are_different_questions(one: object, other: object) -> None:
    relu = CATALOGUE["nn.relu"]
    assert question(relu, (), {"a": one}) != question(relu, (), {"a": other})
    assert question(relu, (), {"a": one}) == question(relu, (), {"a": one})
