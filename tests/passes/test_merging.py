"""`merge-ops` and `split-ops`: each form is what it was, they undo each other, and a program in A0 is the one in A1."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from gradual.compilation import Compilation
from gradual.compiler import apply, check
from gradual.core.def_use import every
from gradual.core.print import printed
from gradual.core.terms import Apply
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.two_forms import PREFIX, Merged, forms, merged
from tests.material import models, needs_models

TEXT = """
def @f(%x: Tensor[(?, 4), float32], %s: Tensor[(2,), int64], %k: int64) {
  let %a = dyn.reshape(%x, %s);
  let %b = reshape(%x, newshape=[-1]);
  let %c = if (less(%k, 3i64)) { dyn.topk(%b, %k, ret_type="values") } else { topk(%b, k=3, ret_type="values") };
  let %d = fn (%y: Tensor[(?, 4), float32]) { dyn.tile(strided_slice(%y, begin=[0], end=[2]), [1, 2]) };
  (%a, %b, %c, %d(%x))
}
"""


def applied(found: Compilation) -> Iterator[Apply]:
    """Every application of an operator."""
    for function in found.core.functions.values():
        yield from (step for step in every(function.body) if isinstance(step, Apply))


def test_every_twin_of_the_catalogue_has_its_forms() -> None:
    twins = {operator.name for operator in CATALOGUE.values() if operator.name.startswith(PREFIX)}
    assert {both.dynamic.name for both in forms().values()} == {
        name for name in twins if name.removeprefix(PREFIX) in CATALOGUE
    }
    for both in forms().values():
        assert both.promoted
        assert both.of(both.static.arguments) is both.static
        assert both.of(both.dynamic.arguments) is both.dynamic


def test_a_merged_operator_travels_between_processes() -> None:
    assert pickle.loads(pickle.dumps(merged("reshape"))) is merged("reshape")


def test_both_forms_get_one_operator_and_nothing_else_changes() -> None:
    found = check(TEXT)
    together = apply(found, "merge-ops")
    names = {step.operator.name for step in applied(together)}
    assert not any(name.startswith(PREFIX) for name in names)
    assert sum(isinstance(step.operator, Merged) for step in applied(together)) == 6
    assert printed(apply(together, "split-ops").core) == printed(found.core)
    assert printed(apply(together, "merge-ops").core) == printed(together.core)
    assert apply(found, "split-ops").core is found.core


def test_a_program_in_one_form_is_read_as_the_other() -> None:
    found = check(TEXT)
    together = apply(found, "merge-ops").text
    assert PREFIX not in together
    read = check(together)
    assert read.ok, [d.message for d in read.diagnostics]
    assert read.text == found.text
    assert read.types == found.types
    assert apply(read, "merge-ops").text == together


@needs_models
@pytest.mark.slow
@pytest.mark.parametrize("name", ["onnx_gpt2_past_ts", "lstm", "resnet18_any_image"])
def test_a_model_is_the_same_program_in_both_forms(name: str) -> None:
    found = check(models()[name].read_text())
    together = apply(found, "merge-ops")
    assert printed(apply(together, "split-ops").core) == printed(found.core)
    assert check(together.text).text == found.text
