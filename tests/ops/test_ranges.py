"""Ranges and lookups of every operator that declares them, against what its meaning computes and where it faults."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, Variable, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.element_ranges import Operands, Range, Ranges, known_range
from gradual.ops.declaration.operator import Operator
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import integer_range
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from tests.generators.operators import Application, rows
from tests.ops.test_catalogue import OPERATORS, applied, as_ints, exact_contents, exact_type, holds, judged

RANGED = [name for name in OPERATORS if CATALOGUE[name].ranges is not None]
LOOKING = [name for name in OPERATORS if CATALOGUE[name].lookups is not None]
some = settings(max_examples=40, deadline=None, derandomize=True)
drawn = given(data=st.data())


class Unknowns:
    """Numbers replaced by unknowns, with the numbers they stand for."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.values: dict[Variable, int] = {}

    def dim(self, number: int) -> Dim:
        if self.data.draw(st.booleans()):
            return constant(number)
        dim = variable(f"u{len(self.values)}")
        (unknown,) = dim.variables()
        self.values[unknown] = number
        return dim

    def range(self, value: Value) -> Ranges:
        """A range that holds of the value: its ends, or bounds beyond them; None for what has none."""
        if isinstance(value, tuple):
            return tuple(map(self.range, value))
        if not value.dtype.is_integer or not self.data.draw(st.integers(0, 7)):
            return None
        ends = (min(value.flat()), max(value.flat())) if value.size else (3, 1)
        if self.data.draw(st.booleans()):
            least = self.dim(ends[0])
            return Range(least, least if ends[0] == ends[1] else self.dim(ends[1]), True, self._wraps(value.dtype))
        return Range(self.dim(ends[0] - 1), self.dim(ends[1] + 2), False, self._wraps(value.dtype))

    def _wraps(self, dtype: DType) -> bool:
        return dtype.counts and not self.data.draw(st.integers(0, 3))

    def natural(self, dim: Dim) -> bool:
        """Whether a dim is not negative; sometimes that is not known."""
        return dim.evaluate(self.values) >= 0 and self.data.draw(st.booleans())


def assert_within(value: Value, found: Ranges, numbers: dict[Variable, int]) -> None:
    """The value's elements are between the ends, and have them where they are attained."""
    if isinstance(found, tuple):
        assert isinstance(value, tuple) and len(value) == len(found)
        for part, known in zip(value, found, strict=True):
            assert_within(part, known, numbers)
        return
    if found is None or isinstance(value, tuple) or not value.dtype.is_integer or not value.size:
        return
    least, greatest = found.least.evaluate(numbers), found.greatest.evaluate(numbers)
    low, high = integer_range(value.dtype)
    if found.wraps and not (low <= least and greatest <= high):
        return
    assert least <= min(value.flat()) and max(value.flat()) <= greatest, (value, least, greatest)
    if found.attained:
        assert (min(value.flat()), max(value.flat())) == (least, greatest)


@pytest.mark.parametrize("name", RANGED)
@some
@drawn
def test_every_element_that_the_meaning_computes_is_in_the_range(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    assume(holds(judged(one, application), {}))
    value = applied(one, application)
    assume(value is not None)
    unknowns = Unknowns(data)
    ranges = [unknowns.range(part) for part in application.arguments]
    assert one.ranges is not None
    types = [exact_type(part) for part in application.arguments]
    assert_within(
        value,
        one.ranges(Operands(ranges, types, bound(one, application.attributes), unknowns.natural)),
        unknowns.values,
    )


@some
@drawn
@pytest.mark.parametrize("dtype", [DType.INT32, DType.INT64])
def test_known_elements_have_their_own_range(dtype: DType, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(-9, 9), max_size=6))
    value = Tensor(numbers, dtype, (len(numbers),) if data.draw(st.booleans()) else (1, len(numbers)))
    assert_within(value, known_range(exact_type(value)), {})


# ---------------------------------------------------------------------------------------------------------- lookups
def moved(value: Value, indices: Sequence[int], data: st.DataObject) -> Value:
    """The value with some of its indices made wrong, or right from the back."""
    if isinstance(value, tuple):
        place, *inner = indices
        return tuple(moved(part, inner, data) if at == place else part for at, part in enumerate(value))
    shift = data.draw(st.sampled_from((0, 0, 1, 3, 8, -1, -3, -8)))
    low, high = integer_range(value.dtype)
    if not value.size or not all(low <= part + shift <= high for part in value.flat()):
        return value
    which = data.draw(st.integers(0, value.size))
    return Tensor(
        [part + shift if at >= which else part for at, part in enumerate(value.flat())], value.dtype, value.shape
    )


def faulting(one: Operator, application: Application) -> bool:
    """Whether the meaning faults."""
    attributes = {name: as_ints(value) for name, value in bound(one, application.attributes).items()}
    try:
        one.meaning(*application.arguments, **attributes)
    except TensorFault:
        return True
    return False


def part_of(value: Any, indices: Sequence[int]) -> Any:
    return part_of(value[indices[0]], indices[1:]) if indices else value


def known(ends: Range | None) -> Range | None:
    return ends


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("name", LOOKING)
@settings(some, max_examples=150)
@drawn
def test_a_lookup_faults_exactly_where_a_bound_fails(name: str, one_by_one: bool, data: st.DataObject) -> None:
    """Of indices with exact ranges a bound fails only if the operator faults; if all hold, it does not."""
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    assert one.lookups is not None
    attributes = bound(one, application.attributes)
    arguments: Any = application.arguments
    if not one.lookups(*map(exact_type, arguments), **attributes):
        return  # indices that are clamped are not looked up
    for lookup in one.lookups(*map(exact_type, arguments), **attributes):
        arguments = tuple(
            moved(part, lookup.indices[1:], data) if at == lookup.indices[0] else part
            for at, part in enumerate(arguments)
        )
    application = Application(arguments, application.attributes, application.literal)
    if not holds(judged(one, application), {}):
        return
    faults, complete = faulting(one, application), True
    for lookup in one.lookups(*map(exact_type, arguments), **attributes):
        value = part_of(arguments, lookup.indices)
        contents = exact_contents(value) if one_by_one else None
        ends = Range(*map(constant, (min(value.flat()), max(value.flat())))) if value.size else None
        complete = complete and (lookup.alone or contents is not None)
        for found in lookup.bounds(contents, partial(known, ends)):
            goal = found.owed(lambda empty: True).value
            assert goal is not None
            assert goal or faults or not found.exact, (found.index, application)
            complete = complete and goal
    assert not (complete and faults) or name in REPEATS


REPEATS = ("invert_permutation",)
"""Operators that fault at an index that is repeated."""


def test_the_operators_that_models_index_with_declare_lookups() -> None:
    assert {"take", "gather", "gather_nd", "adv_index", "scatter_elements", "scatter_nd"} <= set(LOOKING)
