"""Operators extend along the axes of which it is said: a longer operand's result begins with what it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from gradual.dims.term.constraint import TRUE
from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, Operator
from gradual.ops.declaration.padding import Growth, Padding, everywhere
from gradual.ops.elementwise.binary import BINARY
from gradual.ops.elementwise.unary import UNARY
from gradual.tensors.fault import TensorFault
from gradual.tensors.index import picked
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Value
from gradual.types.type import TensorType, TupleType
from tests.generators.operators import Application, rows
from tests.ops.oracle import plain

NU = variable("nu", Kind.RIGID)
(NAME,) = NU.variables()
PADDED = {name: one.padding for name, one in CATALOGUE.items() if name == one.name and one.padding is not None}
SIZED = {name for name, padding in PADDED.items() if padding.sized}
Where = int | None | tuple["Where", ...]
"""Along which axis a value is extended."""


def type_of(value: Any, where: Any) -> Any:
    """A value's type, of size nu where it is extended."""
    if isinstance(value, tuple):
        return TupleType(tuple(type_of(*pair) for pair in zip(value, where, strict=True)))
    sizes = tuple(NU if axis == where else constant(size) for axis, size in enumerate(value.shape))
    contents = None
    if where is None and value.dtype.is_integer and value.rank <= 1:
        contents = tuple(map(constant, value.flat()))
    return TensorType(sizes, value.dtype, contents)


def extended(value: Any, where: Any, by: int, seed: int) -> Any:
    """A value with so many cells more at the end of an axis."""
    if isinstance(value, tuple):
        return tuple(extended(*pair, by, seed) for pair in zip(value, where, strict=True))
    if where is None:
        return value
    shape = tuple(size + by if axis == where else size for axis, size in enumerate(value.shape))
    made = list(random_tensor(shape, value.dtype, seed).flat())
    for place, old in zip(places(shape, value.shape), value.flat(), strict=True):
        made[place] = old
    return Tensor(made, value.dtype, shape)


def places(shape: Sequence[int], part: Sequence[int]) -> list[int]:
    """Where the elements of the first part of a tensor stand in it."""
    found = []
    for index in product(*map(range, part)):
        at = 0
        for i, size in zip(index, shape, strict=True):
            at = at * size + i
        found.append(at)
    return found


def carriers(arguments: tuple[Value, ...]) -> Iterator[tuple[Where, ...]]:
    """All ways to extend some operands, each along one axis of one common size."""
    sizes = {size for value in leaves(arguments) for size in value.shape}
    for size in sorted(sizes):
        yield from product(*(ways(value, size) for value in arguments))


def ways(value: Any, size: int) -> Sequence[Where]:
    if isinstance(value, tuple):
        every = [ways(part, size) for part in value]
        return [None if all(w is None for w in found) else found for found in product(*every)][:64]
    return [None, *(axis for axis in range(value.rank) if value.shape[axis] == size)]


def allowed(where: Any, axes: frozenset[int]) -> bool:
    """Whether a value is extended only along some axes."""
    if isinstance(where, tuple):
        return all(allowed(part, axes) for part in where)
    return where is None or where in axes


def leaves(value: Any) -> Iterator[Tensor]:
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def begins(longer: Any, short: Any) -> bool:
    """Whether a result begins with another, bit for bit."""
    if isinstance(short, tuple):
        return all(begins(*pair) for pair in zip(longer, short, strict=True))
    if longer.rank != short.rank or any(a < b for a, b in zip(longer.shape, short.shape, strict=True)):
        return False
    cut = picked(longer.elements, places(longer.shape, short.shape))
    return [repr(part) for part in cut] == [repr(part) for part in short.elements]


def well_formed(one: Operator, types: list[Any], attributes: dict[str, Any]) -> bool:
    """Whether the application stands at every size, with at most one axis of each result growing."""
    try:
        judgement = one.judge(*types, **attributes)
    except IllFormed:
        return False
    if any(need.goal is not TRUE for need in judgement.needs):
        return False
    results = judgement.result.fields if isinstance(judgement.result, TupleType) else (judgement.result,)
    return all(
        isinstance(result, TensorType)
        and sum(isinstance(size, Dim) and NAME in size.variables() for size in result.shape) <= 1
        for result in results
    )


def breaches(one: Operator, drawn: Application, by: int, seed: int, padding: Padding) -> tuple[int, list[Any]]:
    """How many ways to extend an application there are, and those at which its result does not begin as it was."""
    attributes, values = bound(one, drawn.attributes), plained(one, drawn.attributes)
    tried, wrong = 0, []
    for where in carriers(drawn.arguments):
        places = [nowhere(v) if w is None else w for v, w in zip(drawn.arguments, where, strict=True)]
        types = [type_of(*pair) for pair in zip(drawn.arguments, places, strict=True)]
        if all(w is None for w in where) or not well_formed(one, types, attributes):
            continue
        free = tuple(
            padding.axes(Growth(types, attributes, frozenset((NAME,)), partial(result, one, types, attributes)))
        )
        if not all(map(allowed, places, free)):
            continue
        longer = [extended(*pair, by, seed) for pair in zip(drawn.arguments, places, strict=True)]
        short, found = (outcome(one, given, values) for given in (drawn.arguments, longer))
        if found is None and not padding.safe(types):
            continue
        tried += 1
        if (short is None) is not (found is None) or (short is not None and not begins(found, short)):
            wrong.append((where, attributes))
    return tried, wrong


def result(one: Operator, types: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """The type that an operator gives."""
    return one.judge(*types, **attributes).result


def outcome(one: Operator, given: Sequence[Any], values: dict[str, Any]) -> Any:
    """What an operator makes of its arguments; None for a fault."""
    try:
        return one.meaning(*given, **values)
    except TensorFault:
        return None


def nowhere(value: Any) -> Any:
    return tuple(map(nowhere, value)) if isinstance(value, tuple) else None


LAW: dict[str, Any] = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


ROUNDS = 8
ROWS = {one.name for one in (*BINARY, *UNARY)}


def enough(name: str, padding: Padding) -> int:
    """How many ways to extend have to be tried.

    An axis too many shows in one of ten, of an operator that indexes from the back along it in one of fifty.  That
    each element is made of those at its own place is said once for all rows, and by each other operator for itself.
    """
    return 15 if name in ROWS else 200 if padding.axes is everywhere else 60


def hold_to(name: str, padding: Padding, seeded: bool = False) -> int:
    """Hold an operator to what is declared of it; gives how many ways to extend were tried."""
    one, wanted, tried, broken = CATALOGUE[name], enough(name, padding), 0, list[Any]()

    @settings(max_examples=40, phases=[Phase.generate], **LAW)
    @given(rows()[name], st.integers(1, 3), st.integers(0, 99))
    def law(drawn: Application, by: int, number: int) -> None:
        nonlocal tried
        count, wrong = breaches(one, drawn, by, number, padding) if tried < wanted and not broken else (0, [])
        tried += count
        broken.extend((drawn, *places) for places in wrong)

    for number in range(ROUNDS):
        if tried < wanted and not broken:
            (seed(number)(law) if seeded else law)()
    assert not broken, broken[0]
    return tried


@pytest.mark.parametrize("name", sorted(set(PADDED) - SIZED | {"reshape"}))
def test_a_longer_operand_gives_a_result_that_begins_as_it_was(name: str) -> None:
    assert hold_to(name, PADDED[name]), "no application could be extended"


@pytest.mark.parametrize("name", sorted(SIZED - {"reshape"}))
def test_a_larger_size_gives_a_result_that_begins_as_it_was(name: str) -> None:
    one = CATALOGUE[name]

    @settings(max_examples=12, **LAW)
    @given(rows()[name], st.integers(1, 3), st.data())
    def law(drawn: Application, by: int, data: st.DataObject) -> None:
        shape = [int(size) for size in drawn.attributes["shape"]]
        axis = data.draw(st.integers(0, len(shape) - 1)) if shape else None
        if axis is None or shape[axis] in [size for value in leaves(drawn.arguments) for size in value.shape]:
            return
        more = [size + by if place == axis else size for place, size in enumerate(shape)]
        short, longer = (
            one.meaning(*drawn.arguments, **plained(one, drawn.attributes | {"shape": sizes}))
            for sizes in (shape, more)
        )
        assert begins(longer, short)

    law()


OVERSTATED = (
    "sum", "mean", "variance", "nn.softmax", "nn.layer_norm", "concatenate", "sort", "argsort", "reverse",
    "tile", "repeat", "reshape", "nn.batch_flatten", "cumsum", "nn.pad", "shape_of",
    "take", "gather", "gather_nd", "adv_index", "scatter_elements", "scatter_nd", "strided_slice", "reverse_sequence",
)  # fmt: skip
"""Operators whose sizes would let any axis grow; of the others a need already speaks against it."""


@pytest.mark.parametrize("name", OVERSTATED)
def test_the_law_notices_an_axis_too_many(name: str) -> None:
    """What is declared of no operator here: that it extends everywhere though it does not."""
    with pytest.raises(AssertionError):
        hold_to(name, Padding(everywhere), seeded=True)


def plained(one: Operator, attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in bound(one, attributes).items()}
