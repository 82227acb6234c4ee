"""Which operands have one element type, so that a literal among them takes it: what is declared is what is so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradual
from gradual.dims.term.dim import constant
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, OpenRank, Operator
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType
from tests.generators.operators import Application, rows

OPERATORS = sorted({one.name for one in CATALOGUE.values() if one.name in rows()})


def type_of(value: Any, reads: bool) -> OpenedType:
    """The type of an argument, numbers as integers; the contents too of one that is read."""
    if isinstance(value, tuple):
        return TupleType(tuple(type_of(part, reads) for part in value))
    assert isinstance(value, Tensor), value
    dtype = value.dtype if value.dtype is DType.BOOL else DType.INT64
    known = reads and value.rank <= 1 and value.dtype.is_integer
    contents = tuple(constant(part) for part in value.flat()) if known else None
    return TensorType(tuple(map(constant, value.shape)), dtype, contents)


def refused(operator: Operator, types: Sequence[OpenedType], attributes: dict[str, Any]) -> str | None:
    """The rule by which an application is refused, if it is."""
    try:
        operator.judge(*types, **attributes)
    except OpenRank:
        return None
    except IllFormed as error:
        return error.rule
    return None


def slots(types: Sequence[OpenedType]) -> Iterator[tuple[int, int | None, TensorType[Any]]]:
    """The operands that a literal could stand for, with the fields of tuples: integers of rank 0 or 1."""
    for place, type in enumerate(types):
        fields = enumerate(type.fields) if isinstance(type, TupleType) else [(None, type)]
        for field, part in fields:
            if isinstance(part, TensorType) and part.rank <= 1 and part.dtype.counts:
                yield place, field, part


def other(types: Sequence[OpenedType], place: int, field: int | None) -> list[OpenedType]:
    """The types with an int32 at a place."""
    found = list(types)
    whole = found[place]
    if field is None:
        assert isinstance(whole, TensorType)
        found[place] = replace(whole, dtype=DType.INT32)
    else:
        assert isinstance(whole, TupleType)
        parts = list(whole.fields)
        parts[field] = replace(parts[field], dtype=DType.INT32)  # type: ignore[type-var]  # it is a tensor
        found[place] = TupleType(tuple(parts))
    return found


@pytest.mark.parametrize("name", OPERATORS)
@settings(max_examples=25)
@given(data=st.data())
def test_operands_have_one_element_type_exactly_where_it_is_declared(name: str, data: st.DataObject) -> None:
    operator = CATALOGUE[name]
    drawn: Application = data.draw(rows()[name])
    types = [type_of(value, k in operator.reads) for k, value in enumerate(drawn.arguments)]
    try:
        attributes = {**bound(operator.form([""] * len(types)), drawn.attributes)}
    except IllFormed:
        return
    if len(types) != len(operator.arguments) or refused(operator, types, attributes) is not None:
        return
    found = list(slots(types))
    for (one, first, _), (two, second, _) in permutations(found, 2):
        differ = refused(operator, other(types, two, second), attributes) == "op.dtype"
        both = refused(operator, other(other(types, two, second), one, first), attributes) == "op.dtype"
        declared = {one, two} <= set(operator.alike)
        if differ and not both and len(found) == 2:  # only together are they of another type
            assert declared, (name, one, two)
        if declared and not (name.endswith("one_hot") and drawn.attributes.get("dtype")):  # then both are cast
            assert differ, (name, one, two)


HEAD = "def @f(%x: Tensor[(t, 4), float32], %i: Tensor[(t,), int64], %n: int64, %c: bool, %u: uint8) "


@pytest.mark.parametrize(
    ("body", "type"),
    [
        ("arange(0, t, 1)", "Tensor[(t,), int64]"),
        ("arange(0, %n, 2)", "Tensor[(?,), int64]"),
        ("where(%c, t, 0)", "int64"),
        ("where(%c, 0, %n)", "int64"),
        ("where(%c, %u, 255)", "uint8"),
        ("stack((t, 4))", "Tensor[(2,), int64]"),
        ("stack((-1, t, 4))", "Tensor[(3,), int64]"),
        ("concatenate((expand_dims(t, axis=0), [4, 5]))", "Tensor[(3,), int64]"),
        ("concatenate((%i, [4]))", "Tensor[(t + 1,), int64]"),
        ("dyn.zeros(stack((4, t)))", "Tensor[(4, t), float32]"),
        ("add(%i, [1])", "Tensor[(t,), int64]"),
        ("2 + 1i64", "int64"),
        ("searchsorted(%i, 3)", "int32"),
        ("one_hot(%i, t, 0, depth=3)", "Tensor[(t, 3), int64]"),
        ("max(t, 1, 2)", "int64"),
    ],
)
def test_literals_beside_sizes_are_sizes(body: str, type: str) -> None:
    found = gradual.check(f"{HEAD}{{ {body} }}")
    assert found.ok, found.render()
    assert found.types["@f"].endswith(f"-> {type}")
    omitted = gradual.check(f"{HEAD}{{ let %g = fn () {{ {body} }}; %g() }}")
    assert omitted.types["@f"] == found.types["@f"]


@pytest.mark.parametrize(
    "body", ["arange(0i32, t, 1)", "where(%c, %u, 256)", "where(%c, %u, -1)", "arange(0, 2.5, 1)", "stack((t, 4i32))"]
)
def test_a_suffix_and_what_does_not_fit_stay_what_they_are(body: str) -> None:
    assert [one.code for one in gradual.check(f"{HEAD}{{ {body} }}").diagnostics] == ["E0306"]


@pytest.mark.parametrize(
    "body", ["arange(0, %a, 1)", "where(True, %a, 0)", "stack((%a, 1))", "concatenate((stack((%a,)), [1]))", "%a + 1"]
)
def test_an_omitted_type_is_found_beside_literals(body: str) -> None:
    found = gradual.check(f"def @f(%n: int64) {{ let %g = fn (%a) {{ {body} }}; %g(%n) }}")
    assert found.ok, found.render()
    assert "int64" in found.types["@f"].partition("->")[2]
