"""Sizes that depend on data are within the bounds that were declared, and there is one to be had.  [T8]"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, Variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, Judgement
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.type import Hole, TupleType
from tests.generators.operators import Application, rows
from tests.ops.test_catalogue import Abstraction, applied, assert_inhabits, holds, judged

DEPENDENT = sorted({one.name for one in CATALOGUE.values() if one.data_dependent})
GRID = (0, 1, 2, 3)
_VALUATIONS = 256

every_dependent = pytest.mark.parametrize("name", DEPENDENT)
some = settings(max_examples=40, deadline=None, derandomize=True)


def alike(value: Value, part: int) -> Value:
    """The value with all elements equal; indices and lengths are left as they are."""
    if isinstance(value, tuple):
        return tuple(alike(field, part) for field in value)
    return Tensor([(value.dtype.name == "BOOL" and bool(part)) or part] * len(value.elements), value.dtype, value.shape)


def distinct(value: Value) -> Value:
    """The value with elements that differ as far as its type allows."""
    if isinstance(value, tuple):
        return tuple(map(distinct, value))
    count = len(value.elements)
    return Tensor(
        [k % 2 == 0 if value.dtype.name == "BOOL" else k % 100 for k in range(count)], value.dtype, value.shape
    )


def filled(data: st.DataObject, application: Application) -> Application:
    """The application to data of a kind that bounds are wrong about: all equal, all different, or as drawn."""
    how = data.draw(st.sampled_from(("as drawn", "zeros", "ones", "distinct")))
    if how == "as drawn":
        return application
    change = distinct if how == "distinct" else lambda value: alike(value, how == "ones")
    return Application(tuple(map(change, application.arguments)), application.attributes, application.literal)


def holes(kind: Any) -> Iterator[Hole]:
    """Every unknown size of a judged type."""
    for part in kind.fields if isinstance(kind, TupleType) else (kind,):
        yield from (dim for dim in part.shape if isinstance(dim, Hole))


@every_dependent
@some
@given(data=st.data())
def test_the_size_that_the_data_have_is_within_the_bounds(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = filled(data, data.draw(rows()[name]))
    try:
        judgement = judged(one, application)
    except IllFormed:
        assume(False)
    assume(holds(judgement, {}))
    value = applied(one, application)
    if value is not None:
        assert_inhabits(value, judgement.result)


@every_dependent
@some
@given(data=st.data())
def test_wherever_the_needs_hold_there_is_a_size_within_the_bounds(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    abstraction = Abstraction(data)
    arguments = tuple(map(abstraction.type, application.arguments))
    attributes = {
        k: v if k in application.literal else abstraction.attribute(v)
        for k, v in bound(one, application.attributes).items()
    }
    try:
        judgement = one.judge(*arguments, **attributes)
    except IllFormed:
        assume(False)
    for env in valuations(judgement, list(abstraction.sizes)):
        if holds(judgement, env):
            for hole in holes(judgement.result):
                assert _end(hole.low, env, 0) <= _end(hole.high, env, 10**9), (str(hole), env)
                assert _end(hole.high, env, 0) >= 0, (str(hole), env)


def valuations(judgement: Judgement, unknowns: list[Variable]) -> Iterator[dict[Variable, int]]:
    """Sizes for the unknowns."""
    every = product(GRID, repeat=len(unknowns))
    yield from (dict(zip(unknowns, numbers, strict=True)) for numbers in islice(every, _VALUATIONS))


def _end(end: Dim | None, env: dict[Variable, int], otherwise: int) -> int:
    return otherwise if end is None else end.evaluate(env)


def test_the_operators_whose_sizes_depend_on_data_are_these() -> None:
    assert {"argwhere", "nonzero", "boolean_mask", "unique"} <= set(DEPENDENT)
