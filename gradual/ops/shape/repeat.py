"""Repeating and reversing: broadcast_to, tile, repeat, reverse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradual.dims.term.constraint import any_of, equal
from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.element_ranges import of_first
from gradual.ops.declaration.facts import by_type
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_but, along, everywhere, rank_of
from gradual.ops.declaration.shapes import ONE, Shape, axis_of, judged, not_negative, size, tensor
from gradual.tensors.index import numel, offsets, picked, spread, strides
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]


# ---------------------------------------------------------------------------------------------------- broadcast_to
def _spread_needs(given: Shape, target: Shape, operands: tuple[int, ...] = (0,)) -> list[Need]:
    """Needs that every extent is the one wanted, or 1.   [op.broadcast_to.agree]"""
    if len(given) > len(target):
        raise IllFormed("op.rank", f"a tensor of rank {len(given)} does not broadcast to rank {len(target)}", 0)
    missing, says = len(target) - len(given), "the shape does not broadcast to the target shape"
    needs = []
    for axis, extent in enumerate(given):
        if extent is not ONE:
            goal = any_of(equal(extent, target[missing + axis]), equal(extent, ONE))
            places = tuple((operand, axis if operand == 0 else missing + axis) for operand in operands)
            needs.append(Need(goal, "op.broadcast_to.agree", says, places))
    return needs


def _broadcast_to(data: Tensor, *, shape: Ints, dtype: DType | None) -> Tensor:
    return tensor_of(shape, data.dtype, spread(data.elements, data.shape, shape))


def _broadcast_to_contents(data: TensorType[Dim], *, shape: Shape, dtype: DType | None) -> Contents:
    length = 1 if not shape else shape[0].value
    if data.contents is None or len(shape) > 1 or length is None or not 0 <= length <= LIMITS.contents:
        return None
    return data.contents * length if len(data.contents) == 1 else data.contents


@operator(
    "broadcast_to",
    meaning=_broadcast_to,
    ranges=of_first,
    family="repeating",
    contents=_broadcast_to_contents,
    padding=Padding(everywhere, sized=True),
    identity=by_type,
    onnx="Expand",
    writes_shape=True,
)
def broadcast_to(data: TensorType[Dim], *, shape: tuple[Dim, ...], dtype: DType | None = None) -> Judgement:
    """The tensor repeated to a shape.   t[..a] -> t[..shape]

        out[i, j, ..] = data[i', j', ..],  i' = 0 along an axis of size 1, else i; axes that the data lacks are left out

    Aligned at the right, each size of the data is that of `shape` or 1 [op.broadcast_to.agree]; no size of `shape` is
    negative [op.broadcast_to.size].  `dtype` only repeats the type of the data; another one is an error of
    `op.attribute`.
    """
    given = tensor(data, 0)
    if dtype is not None and dtype is not given.dtype:
        raise IllFormed("op.attribute", f"dtype has to be the data's, {given.dtype}, not {dtype}")
    needs = (*not_negative(shape, "op.broadcast_to.size"), *_spread_needs(given.shape, shape))
    return judged(shape, given.dtype, needs)


dyn_broadcast_to = dynamic_twin(broadcast_to, ("shape",))


def _broadcast_to_like(data: Tensor, broadcast_type: Tensor) -> Tensor:
    return _broadcast_to(data, shape=broadcast_type.shape, dtype=None)


@operator(
    "broadcast_to_like",
    meaning=_broadcast_to_like,
    ranges=of_first,
    family="repeating",
    identity=by_type,
    writes_shape=True,
)
def broadcast_to_like(data: TensorType[Dim], broadcast_type: TensorType[Dim]) -> Judgement:
    """The tensor repeated to another's shape.   t[..a], u[..b] -> t[..b]

        out = broadcast_to(data, shape=shape_of(broadcast_type))

    Aligned at the right, each size of the data is that of the other tensor or 1 [op.broadcast_to.agree].
    """
    given, wanted = tensor(data, 0), tensor(broadcast_type, 1)
    return judged(wanted.shape, given.dtype, _spread_needs(given.shape, wanted.shape, (0, 1)))


# ------------------------------------------------------------------------------------------------- tile and repeat
def _tile(data: Tensor, *, reps: Ints) -> Tensor:
    """Repeat the tensor along each axis."""
    rank = max(data.rank, len(reps))
    shape = (1,) * (rank - data.rank) + data.shape
    times = (1,) * (rank - len(reps)) + reps
    block, elements = 1, data.elements
    for axis in range(rank - 1, -1, -1):
        block *= shape[axis]
        elements = _tiled(elements, block, times[axis])
        block *= times[axis]
    return tensor_of(tuple(extent * count for extent, count in zip(shape, times, strict=True)), data.dtype, elements)


def _tiled(elements: Any, block: int, times: int) -> Any:
    """Repeat each block of elements `times` times in a row."""
    if times == 1 or not block:
        return elements
    found = elements[:0]
    for start in range(0, len(elements), block):
        found += elements[start : start + block] * times
    return found


def _tile_contents(data: TensorType[Dim], *, reps: Shape) -> Contents:
    if data.contents is None or max(data.rank, len(reps)) > 1:
        return None
    times = reps[0].value if reps else 1
    return None if times is None or not 0 <= times <= LIMITS.contents else data.contents * times


def _tile_extends(growth: Growth) -> Iterator[Axes]:
    """The axes that are not repeated."""
    reps = growth.attributes["reps"]
    first = rank_of(growth.types[0]) - len(reps)
    yield all_but(growth.types[0], *(first + i for i, count in enumerate(reps) if count.value != 1 and first + i >= 0))


@operator(
    "tile",
    meaning=_tile,
    ranges=of_first,
    family="repeating",
    contents=_tile_contents,
    padding=Padding(_tile_extends),
    identity=by_type,
    onnx="Tile",
    writes_shape=True,
)
def tile(data: TensorType[Dim], *, reps: tuple[Dim, ...]) -> Judgement:
    """The tensor repeated as a whole `reps` times along each axis, right-aligned.   t[..a] -> t[..a * reps]

        out[i, j, ..] = data[i % n, j % m, ..],  n, m, .. the sizes of the data

    Where one of data and `reps` has fewer axes, it has 1 in front.  No count is negative [op.tile.count].
    """
    given = tensor(data, 0)
    rank = max(given.rank, len(reps))
    shape = (ONE,) * (rank - given.rank) + given.shape
    times = (ONE,) * (rank - len(reps)) + reps
    needs = not_negative(reps, "op.tile.count", "a count is negative")
    return judged((extent * count for extent, count in zip(shape, times, strict=True)), given.dtype, needs)


dyn_tile = dynamic_twin(tile, ("reps",))


def _repeat(data: Tensor, *, repeats: int, axis: int | None) -> Tensor:
    """Repeat each slice along the axis `repeats` times in a row."""
    shape, place = ((data.size,), 0) if axis is None else (data.shape, axis % data.rank)
    block = numel(shape[place + 1 :])
    found = _tiled(data.elements, block, repeats)
    return tensor_of((*shape[:place], shape[place] * repeats, *shape[place + 1 :]), data.dtype, found)


def _repeat_contents(data: TensorType[Dim], *, repeats: Dim, axis: int | None) -> Contents:
    times = repeats.value
    if data.contents is None or times is None or not 0 <= times <= LIMITS.contents:
        return None
    return tuple(part for part in data.contents for _ in range(times))


@operator(
    "repeat",
    meaning=_repeat,
    ranges=of_first,
    family="repeating",
    contents=_repeat_contents,
    padding=Padding(along("axis")),
    identity=by_type,
    writes_shape=True,
)
def repeat(data: TensorType[Dim], *, repeats: Dim, axis: int | None = None) -> Judgement:
    """Each slice along an axis `repeats` times in a row.   t[.., n, ..] -> t[.., n * repeats, ..]

        out[.., i, ..] = data[.., i // repeats, ..]

    Without an axis the data is first made a vector, in row-major order.  `repeats` is not negative [op.repeat.count].
    """
    given = tensor(data, 0)
    needs = not_negative((repeats,), "op.repeat.count", "a count is negative")
    if axis is None:
        return judged((size(given.shape) * repeats,), given.dtype, needs)
    place = axis_of(axis, given.rank)
    shape = (*given.shape[:place], given.shape[place] * repeats, *given.shape[place + 1 :])
    return judged(shape, given.dtype, needs)


# --------------------------------------------------------------------------------------------------------- reverse
def _reverse(data: Tensor, *, axis: int) -> Tensor:
    place = axis % data.rank
    steps = list(strides(data.shape))
    start = (data.shape[place] - 1) * steps[place]
    steps[place] = -steps[place]
    return tensor_of(data.shape, data.dtype, picked(data.elements, offsets(data.shape, steps, start)))


def _reverse_contents(data: TensorType[Dim], *, axis: int) -> Contents:
    return None if data.contents is None else data.contents[::-1]


@operator(
    "reverse",
    meaning=_reverse,
    ranges=of_first,
    family="repeating",
    contents=_reverse_contents,
    padding=Padding(along("axis")),
    writes_shape=True,
)
def reverse(data: TensorType[Dim], *, axis: int) -> Judgement:
    """The elements along an axis in opposite order.   t[..a] -> t[..a]

    out[.., i, ..] = data[.., n - 1 - i, ..],  n the size of the axis
    """
    given = tensor(data, 0)
    axis_of(axis, given.rank)
    return judged(given.shape, given.dtype)
