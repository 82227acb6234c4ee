"""Applications of an operator made from its declaration alone, for one that has no generator of its own.

The judgement is asked which ranks, element types and attributes it takes.  Sizes are one number everywhere, or those of
one shape of which operands have the first or the last axes, so that most of what the operands owe each other holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gradual.dims.term.dim import constant
from gradual.ops.declaration.attributes import Choice, Form, Plain, Row, Several, bound, form_of
from gradual.ops.declaration.operator import IllFormed, Judgement, Operator
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import EVERY, SIZES, Application, mostly_faultless, tensors

RANKS = range(4)
VALUES: Mapping[str, Sequence[Any]] = {
    "int": (0, 1, -1, 2),
    "float": (0.5, 1.0, -2.0),
    "bool": (True, False),
    "DType": ("float32", "int64"),
    "Dim": (1, 2, 3),
    "None": (None,),
}
"""What is tried for an attribute, by its form; a string has no values of which a declaration tells."""

TRIES = 6
Kind = tuple[tuple[int, ...], tuple[DType, ...], dict[str, Any]]
"""The ranks and element types of the operands, and attributes."""


def judged(one: Operator, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[DType], written: Any) -> Judgement | None:
    """What the judgement says of an application; None where it refuses."""
    types = [TensorType(tuple(map(constant, shape)), dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    try:
        return one.judge(*types, **bound(one, written))
    except IllFormed:
        return None


def values(form: Form) -> list[Any]:
    """What is tried for an attribute."""
    match form:
        case Plain(name):
            return list(VALUES.get(name, ()))
        case Several(each):
            return [[value] * count for value in values(each) for count in (1, 2)]
        case Row(parts):
            return [list(row) for row in zip(*map(values, parts), strict=False)]
        case Choice(among):
            return [value for part in among for value in values(part)]


def attributes(one: Operator) -> Iterator[dict[str, Any]]:
    """The attributes that are required, then one more at a time."""
    needed = [spec for spec in one.attributes if spec.required]
    for chosen in product(*(values(form_of(spec.annotation)) for spec in needed)):
        least = dict(zip((spec.name for spec in needed), chosen, strict=True))
        yield least
        for spec in one.attributes:
            if not spec.required:
                yield from (least | {spec.name: value} for value in values(form_of(spec.annotation)))


def among(one: Operator, types: Sequence[DType]) -> Iterator[tuple[DType, ...]]:
    """Element types of the operands, the same for those that are alike."""
    places = range(len(one.arguments))
    free = [place for place in places if place not in one.alike[1:]]
    for chosen in product(types, repeat=len(free)):
        of = dict(zip(free, chosen, strict=True))
        yield tuple(of[one.alike[0] if place in one.alike else place] for place in places)


@cache
def kinds(one: Operator) -> tuple[Kind, ...]:
    """The ranks, element types and attributes that the judgement takes where all sizes are equal."""
    types = EVERY if len(one.arguments) - len(one.alike[1:]) < 2 else (DType.FLOAT32, DType.INT64, DType.BOOL)
    found = [
        (ranks, dtypes, written)
        for dtypes in among(one, types)
        for ranks in product(RANKS, repeat=len(one.arguments))
        for written in attributes(one)
        if judged(one, [(2,) * rank for rank in ranks], dtypes, written) is not None
    ]
    assert found, f"{one.name} needs a generator in tests/generators/ops: its declaration does not tell what it takes"
    return tuple(found)


def shapes(draw: st.DrawFn, ranks: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Shapes of these ranks whose sizes agree."""
    most = max(ranks, default=0)
    sizes = st.sampled_from(SIZES[:5])
    whole = draw(st.one_of(st.lists(sizes, min_size=most, max_size=most), sizes.map(lambda size: [size] * most)))
    if draw(st.booleans()):
        return [tuple(whole[:rank]) for rank in ranks]
    return [tuple(whole[most - rank :]) for rank in ranks]


def operand(draw: st.DrawFn, one: Operator, place: int, shape: tuple[int, ...], dtype: DType) -> Tensor:
    """Small elements; special ones too where there is one operand."""
    made = draw(tensors(shape, dtype, special=len(one.arguments) == 1))
    return mostly_faultless(draw, one, made) if place == 1 else made


@st.composite
def _derived(draw: st.DrawFn, one: Operator) -> Application:
    ranks, dtypes, written = draw(st.sampled_from(kinds(one)))
    sized = [(2,) * rank for rank in ranks]
    for _ in range(TRIES):
        tried = shapes(draw, ranks)
        judgement = judged(one, tried, dtypes, written)
        if judgement is not None:
            sized = tried
            if all(need.goal.evaluate({}) for need in judgement.needs):
                break
    pairs = zip(sized, dtypes, strict=True)
    return Application(tuple(operand(draw, one, place, *pair) for place, pair in enumerate(pairs)), written)


def derived(one: Operator) -> SearchStrategy[Application]:
    """Applications of an operator of tensors."""
    return _derived(one)
