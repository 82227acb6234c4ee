"""Which operators can fault, against their code; and where the elements show that they do not."""

from __future__ import annotations

import pytest

import gradual
from gradual.core.def_use import every
from gradual.core.terms import Apply
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.facts import Faults
from gradual.tensors.fault import invalid_value
from tests.passes.reaching import may_fault


def test_the_operators_that_can_fault_are_those_whose_code_leads_to_a_fault() -> None:
    found = {name for name, operator in CATALOGUE.items() if may_fault(operator.meaning)}
    assert found == {name for name, operator in CATALOGUE.items() if operator.faults is not Faults.NEVER}


def test_a_fault_is_found_behind_a_closure() -> None:
    def inner(value: int) -> int:
        raise invalid_value(str(value))

    assert may_fault(lambda value: inner(value))
    assert not may_fault(lambda value: value)


SAFE = {
    "take of a known place": ("%x: Tensor[(n, 3), float32]", 'take(shape_of(%x, dtype="int64"), 1)'),
    "a size of an array": ("%x: Tensor[(n, 3), float32]", 'shape_of(%x, dtype="int64")'),
    "a constant size": ("%x: Tensor[(4, 3), float32]", "shape_of(%x)"),
    "division by a constant": ("%i: Tensor[(n,), int32]", "floor_divide(%i, 2)"),
    "division of floats": ("%i: Tensor[(n,), float32]", "divide(%i, %i)"),
    "half a size": ("%x: Tensor[(n, 3), float32]", 'floor_divide(take(shape_of(%x, dtype="int64"), 0), 2i64)'),
    "clamped indices": ("%i: Tensor[(4, n), int32]", "take(%i, %i, axis=-2)"),
    "clamped indices of all elements": ("%i: Tensor[(2, 3), int32]", "take(%i, %i)"),
}

FAILING = {
    "a size may not fit": ("%x: Tensor[(n, 3), float32]", "shape_of(%x)"),
    "a product of sizes may not fit": ("%x: Tensor[(n, m), float32]", 'ndarray_size(%x, dtype="int64")'),
    "division by data": ("%i: Tensor[(n,), int32]", "floor_divide(%i, %i)"),
    "division by 0": ("%i: Tensor[(n,), int32]", "floor_divide(%i, 0)"),
    "an index into what may be empty": ("%i: Tensor[(n, 3), int32]", "take(%i, [0], axis=0)"),
    "an index into what is empty": ("%i: Tensor[(3, 0), int32]", 'take(%i, 0, mode="wrap")'),
    "a power of data": ("%i: Tensor[(n,), int32]", "power(%i, %i)"),
    "an index out of bounds": ("%i: Tensor[(n,), int32]", 'take(%i, %i, mode="fast")'),
    "a product of elements": ("%n: int64", "%n * %n"),
}


@pytest.mark.parametrize(("param", "term"), SAFE.values(), ids=SAFE)
def test_what_cannot_fail_is_dropped(param: str, term: str) -> None:
    assert applications(param, term) == []


@pytest.mark.parametrize(("param", "term"), FAILING.values(), ids=FAILING)
def test_what_may_fail_stays(param: str, term: str) -> None:
    assert applications(param, term) != []


def applications(param: str, term: str) -> list[str]:
    """The operators left of a term that nobody reads."""
    found = gradual.check(f"def @main({param}) {{ let %y = {term}; 1f }}")
    assert found.ok, found.diagnostics
    body = gradual.apply(found, "drop-dead").core.functions["@main"].body
    return [step.operator.name for step in every(body) if isinstance(step, Apply)]
