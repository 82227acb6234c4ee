"""One generator of applications for each operator: the row that every law over the catalogue draws from.

A family's rows stand in `tests/generators/ops/FILE.py`, under the name of the operator's file, as
`ROWS: dict[str, SearchStrategy[Application]]`; an operator without a row there has one that is derived from its
declaration (`derived.py`).  A row gives well-formed applications (its judgement never raises), most of whose needs
hold, with sizes drawn from SIZES, so that 0 and 1 come often.  Attributes are as a program writes them: numbers,
strings, lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gradual.ops.catalogue import CATALOGUE, FAMILIES
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import Operator
from gradual.tensors.scalar import wrapped
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType

SIZES = (1, 0, 2, 3, 5, 7)
INTEGERS = tuple(dtype for dtype in DType if dtype.is_integer)
FLOATS = tuple(dtype for dtype in DType if dtype.is_float)
NUMBERS = INTEGERS + FLOATS
EVERY = tuple(DType)
_SIGNED = tuple(dtype for dtype in INTEGERS if dtype.is_signed)


@dataclass(frozen=True)
class Application:
    """An operator's arguments and its attributes as written.

    `literal` names attributes whose written integers are not sizes but codes, so that no unknown can replace them.
    """

    arguments: tuple[Value, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    literal: tuple[str, ...] = ()


Row = SearchStrategy[Application]


@cache
def rows() -> Mapping[str, Row]:
    """The rows of all families by operator; one that has none is made from the operator's declaration."""
    derived = import_module("tests.generators.derived").derived  # which draws from what stands here
    found = {one.name: derived(one) for one in CATALOGUE.values()}
    for family in FAMILIES:
        name = f"tests.generators.ops.{family.rpartition('.')[2]}"
        if find_spec(name) is not None:
            found.update(import_module(name).ROWS)
    return found


sizes = st.sampled_from(SIZES)


def shapes(least: int = 0, most: int = 3, elements: int = 120) -> SearchStrategy[tuple[int, ...]]:
    """Shapes with few elements, each of these ranks as often: what an operator does shows in those of rank 2 and 3."""
    each = st.integers(least, most).flatmap(lambda rank: st.lists(sizes, min_size=rank, max_size=rank))
    return each.map(tuple).filter(lambda shape: math.prod(shape) <= elements)


def dtypes(among: Sequence[DType] = EVERY) -> SearchStrategy[DType]:
    """An element type."""
    return st.sampled_from(among)


def tensors(shape: tuple[int, ...], dtype: DType, special: bool = False) -> SearchStrategy[Tensor]:
    """A tensor of small elements, negative ones among them.

    `special` mixes in infinities, NaN, zeros of both signs and bounds of integers.
    """
    return st.integers(0, 999).map(lambda seed: specialised(random_tensor(shape, dtype, seed), seed, special))


def specialised(plain: Tensor, seed: int, special: bool) -> Tensor:
    """The tensor with signed integers of an odd seed moved below 0, and every third element a special one."""
    if plain.dtype in _SIGNED and seed % 2:
        plain = Tensor([part - 5 for part in plain.flat()], plain.dtype, plain.shape)
    if not special or plain.dtype is DType.BOOL:
        return plain
    if plain.dtype.is_float:
        odd: list[Any] = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -0.5, 2.5]
    else:
        bits, signed = plain.dtype.bits, plain.dtype.is_signed
        odd = [-(1 << (bits - 1)), (1 << (bits - 1)) - 1, -1, -3] if signed else [(1 << bits) - 1, 0, 1]
    flat = [odd[(seed + i) % len(odd)] if (seed + i) % 3 == 0 else part for i, part in enumerate(plain.flat())]
    return Tensor(flat, plain.dtype, plain.shape)


def mostly_faultless(draw: st.DrawFn, one: Operator, second: Tensor) -> Tensor:
    """A second operand of integers, nine times in ten without what its declaration says that the operator faults at."""
    if not second.dtype.is_integer or draw(st.integers(0, 9)) == 0:
        return second
    held = abs if one.faults is Faults.NEGATIVE_OPERAND else lambda part: part or 1
    return Tensor(list(map(held, second.flat())), second.dtype, second.shape)


def ints(low: int, high: int, dtype: DType = DType.INT64) -> SearchStrategy[Tensor]:
    """A rank-0 integer."""
    return st.integers(low, high).map(lambda value: Tensor(value, dtype))


@st.composite
def compatible(draw: st.DrawFn, count: int, most: int = 3) -> tuple[tuple[int, ...], ...]:
    """Shapes that broadcast together: one shape with leading axes dropped and axes set to 1."""
    whole = draw(shapes(0, most))
    found = []
    for _ in range(count):
        kept = whole[draw(st.integers(0, len(whole))) :] if draw(st.booleans()) else whole
        found.append(tuple(1 if draw(st.integers(0, 3)) == 0 else extent for extent in kept))
    return tuple(found)


def promoted(static: Row, names: Sequence[str], places: Sequence[int] | None = None) -> Row:
    """The row of a dynamic twin: the static one's, with attributes moved to integer arguments."""

    @st.composite
    def moved(draw: st.DrawFn) -> Application:
        one = draw(static)
        arguments = list(one.arguments)
        for index, name in enumerate(names):
            place = len(arguments) if places is None else places[index]
            arguments.insert(place, draw(as_argument(one.attributes[name])))
        left = {name: value for name, value in one.attributes.items() if name not in names}
        return Application(tuple(arguments), left)

    return moved()


def as_argument(raw: Any) -> SearchStrategy[Tensor]:
    """Integers of an attribute as an argument, of a type that has them."""
    shape = (len(raw),) if isinstance(raw, list | tuple) else ()
    flat = raw if shape else [raw]
    among = [dtype for dtype in INTEGERS if all(wrapped(dtype, part) == part for part in flat)]
    return dtypes(among).map(lambda dtype: Tensor(flat, dtype, shape))


def built(make: Callable[..., Row]) -> Callable[..., Row]:
    """A composite row."""
    return st.composite(make)
