"""What an operator accepts of an operand that is not known: found by looking only where it looks, or by trying all."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.checker.inference.operator_answers import Question, answers
from gradual.checker.inference.operator_search import RANKS, Choice, Needed, Open, Places
from gradual.checker.inference.terms import Element, InferenceType, Product, Shape, Tensor, Unknown
from gradual.limits import LIMITS
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import rows

OPERATORS = sorted({one.name for one in CATALOGUE.values() if one.arguments})


def skeleton(value: Value) -> InferenceType:
    """What is known of a value's type."""
    if isinstance(value, tuple):
        return Product(tuple(map(skeleton, value)))
    return Tensor(Element(value.dtype), Shape(tuple(value.shape)))


def leaves(operands: list[InferenceType]) -> list[Any]:
    return [leaf for one in operands for leaf in (one.fields if isinstance(one, Product) else (one,))]


def admitted(choices: list[Choice]) -> set[tuple[DType, int]]:
    """The element types and ranks of choices, where any may stand for all."""
    found: set[tuple[DType, int]] = set()
    for dtype, sizes in choices:
        found.update(product(DType if dtype is None else (dtype,), RANKS if sizes is None else (len(sizes),)))
    return found


@pytest.mark.parametrize("name", OPERATORS)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(data=st.data())
def test_looking_where_the_operator_looks_finds_what_trying_all_finds(name: str, data: st.DataObject) -> None:
    application = data.draw(rows()[name])
    operands = [skeleton(value) for value in application.arguments]
    plain = [place for place, one in enumerate(operands) if isinstance(one, Tensor)]
    if not plain:
        return
    hidden = data.draw(st.sampled_from(plain))
    operands[hidden] = unknown = Unknown()
    attributes = bound(CATALOGUE[name], application.attributes)
    structure = tuple(len(one.fields) if isinstance(one, Product) else None for one in operands)
    known = leaves(operands)
    at = known.index(unknown)
    asked = Question(CATALOGUE[name], tuple(attributes.items()), structure, Places.of(known), LIMITS.contents)
    found = answers(asked)
    assert found is not None
    every = []
    for dtype, rank in product(DType, RANKS):
        choice = [(dtype, (None,) * rank) if one is unknown else (one.element.dtype, one.shape.at) for one in known]
        every += [choice[at] for _ in asked.judged(choice)]
    assert admitted([choice[at] for choice, _ in found]) == admitted(every)


def test_whatever_is_looked_at_of_an_open_operand_is_asked_for() -> None:
    nothing, shaped, typed = Open(3, None, None), Open(3, None, ()), Open(3, DType.INT8, None)
    looks: list[Any] = [hash, lambda one: one == TensorType((), DType.INT8), lambda one: one.contents]
    for open, looked, shape in ((nothing, looks, True), (shaped, looks, False), (typed, looks, True)):
        for look in looked:
            with pytest.raises(Needed) as stop:
                look(open)
            assert (stop.value.leaf, stop.value.shape) == (3, shape)
    assert shaped.rank == 0 and typed.dtype is DType.INT8
