"""An answer that is remembered is the one that would be given again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.checker.declarations import types
from gradual.checker.functions import operator, results
from gradual.checker.program import rule_cache
from gradual.checker.program.rule_cache import Answers, question
from gradual.core.print import printed
from gradual.core.terms import Apply
from gradual.ops.catalogue import CATALOGUE
from tests.generators.programs import generated
from tests.properties.compiling import compiled
from tests.thorough import examples

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.relay"))
BRANCH = """def @f(%x: Tensor[*, float32], %c: bool) {
  if (%c) { let %y = %x as Tensor[(?, 3), float32]; let %z = transpose(%x, axes=[1, 0]); 0 } else { 1 };
  transpose(%x, axes=[1, 0])
}"""
"""The rank is known in a branch, and not after it."""
SUM = """def @f(%x: Tensor[(?, 3), float32], %y: Tensor[(?, 3), float32], %c: bool) {
  if (%c) { let %a = concatenate((%x, %y), axis=0); 0 } else { 1 };
  let %z = %x as Tensor[(4, 3), float32];
  concatenate((%x, %y), axis=0)
}"""
"""A sum of sizes is known to be a size in a branch; after it, one of them is known to be 4."""
CHOICE = """def @f(%x: Tensor[(n, 3), float32]) {
  let %a = strided_slice(%x, begin=[0], end=[4], strides=[1], axes=[0]);
  assert n >= 4;
  strided_slice(%x, begin=[0], end=[4], strides=[1], axes=[0])
}"""
"""The size `min(n, 4)` is 4 from the assertion on."""
ZEROS = """def @f(%x: Tensor[(n,), float32]) {
  let %a = clip(%x, a_min=0.0, a_max=1.0);
  clip(%x, a_min=-0.0, a_max=1.0)
}"""
"""Attributes that are equal as numbers, and different."""


def told(text: str) -> tuple[str, list[str], int]:
    compilation = gradual.check(text)
    said = [f"{each.code} {each.message}" for each in compilation.diagnostics]
    return printed(compilation.core), said, compilation.proved


def forgetting(patch: pytest.MonkeyPatch) -> None:
    """Let nothing be found in the tables of judgements and of tensor types."""
    patch.setattr(Answers, "get", lambda self, question: None)
    patch.setattr(types, "_numbers", lambda shape: None)


def says_the_same(text: str, patch: pytest.MonkeyPatch) -> bool:
    remembering = told(text)
    forgetting(patch)
    return told(text) == remembering


WITNESSES = {"branch": BRANCH, "sum": SUM, "choice": CHOICE, "zeros": ZEROS}
TEXTS = {path.stem: path.read_text("utf-8") for path in EXAMPLES} | WITNESSES


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_forgetful_checker_says_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert says_the_same(text, monkeypatch)


@given(st.integers(0, 100_000))
@examples(20)
def test_a_forgetful_checker_says_the_same_of_generated_programs(seed: int) -> None:
    text = str(generated(seed, compiled))
    with pytest.MonkeyPatch.context() as patch:
        assert says_the_same(text, patch)


WRONG: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "whether sizes are known to be sizes is not asked": (
        SUM,
        lambda patch: patch.setattr(operator, "settled", lambda state, answer: answer.settled),
    ),
    "a choice is remembered": (CHOICE, lambda patch: patch.setattr(results, "_chooses", lambda part: False)),
    "attributes are compared as numbers": (
        ZEROS,
        lambda patch: patch.setattr(rule_cache, "_exact", lambda value: value),
    ),
}
"""Mistake in what is remembered -> a text that reveals it."""


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_table_is_noticed(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, plant = WRONG[mistake]
    expected = told(text)
    plant(monkeypatch)
    assert told(text) != expected


def test_equal_layers_have_one_type() -> None:
    compilation = gradual.check("def @f(%x: Tensor[(n, 3), float32]) { nn.relu(nn.relu(%x)) }")
    first, second = (step.type for step in compilation.core.functions["@f"].body.steps if isinstance(step, Apply))
    assert first is second


@pytest.mark.parametrize(("one", "other"), [(1, True), (0.0, -0.0), (1, 1.0), ((1, 2), (1, True))])
def test_attributes_that_are_written_differently_are_different_questions(one: object, other: object) -> None:
    relu = CATALOGUE["nn.relu"]
    assert question(relu, (), {"a": one}) != question(relu, (), {"a": other})
    assert question(relu, (), {"a": one}) == question(relu, (), {"a": one})
