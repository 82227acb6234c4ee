"""Slicing by begin, end and stride, as NumPy slices: ends are clamped, and a slice that runs backwards is empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradual.dims.term.constraint import at_least, differs, less
from gradual.dims.term.dim import Dim, constant, ite, maximum, minimum
from gradual.limits import LIMITS
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.element_ranges import among_first
from gradual.ops.declaration.facts import is_number
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_but
from gradual.ops.declaration.shapes import ONE, ZERO, Shape, axes_of, judged, tensor
from gradual.record import record
from gradual.tensors.index import offsets, picked
from gradual.tensors.index import strides as steps_of
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType

Ints = tuple[int, ...]
TO_THE_END = (1 << 31) - 1
"""An end of at least this means "to the end": Relay's front ends write it so, and no axis is that long."""
assert LIMITS.size < TO_THE_END


@record
class Slice:
    """Indices along one axis: `count` of them from `start` on, `step` apart."""

    start: Dim
    count: Dim
    step: Dim


def sliced(extent: Dim, begin: Dim | None, end: Dim | None, step: Dim) -> Slice:
    """The indices from `begin` up to but not including `end`; negative bounds count from the back.

    [op.strided_slice.clamp]
    """
    if step.value is not None:
        forward = step.value > 0
        return _forward(extent, begin, end, step) if forward else _backward(extent, begin, end, -step)
    ahead = _forward(extent, begin, end, maximum(step, ONE))
    back = _backward(extent, begin, end, maximum(-step, ONE))
    up = at_least(step, ONE)
    return Slice(ite(up, ahead.start, back.start), ite(up, ahead.count, back.count), step)


def _forward(extent: Dim, begin: Dim | None, end: Dim | None, step: Dim) -> Slice:
    start = ZERO if begin is None else _from_front(begin, begin, maximum(begin + extent, ZERO))
    if end is None or end is extent or (end.value or 0) >= TO_THE_END:
        if begin is not None and (begin.value or 0) < 0:
            return Slice(start, (minimum(-begin, extent) + step - 1) // step, step)
        return Slice(start, _count(extent - start, step, extent), step)
    stop = _from_front(end, minimum(end, extent), end + extent)
    if start is ZERO and (end.value or 0) > 0:
        return Slice(start, (stop + step - 1) // step, step)
    return Slice(start, _count(stop - start, step), step)


def _backward(extent: Dim, begin: Dim | None, end: Dim | None, step: Dim) -> Slice:
    start = extent - 1 if begin is None else _from_front(begin, minimum(begin, extent - 1), begin + extent)
    if end is None or (end.value or 0) <= -TO_THE_END:
        stop = constant(-1)
    else:
        stop = _from_front(end, end, maximum(end + extent, constant(-1)))
    return Slice(start, _count(start - stop, step, extent), -step)


def _from_front(place: Dim, ahead: Dim, behind: Dim) -> Dim:
    """`ahead` if an index counts from the front, `behind` if it is negative and counts from the back."""
    return ite(less(place, ZERO), behind, ahead)


def _count(room: Dim, step: Dim, extent: Dim = ZERO) -> Dim:
    """How many indices, a step apart, lie in a range of `room` indices, which may be negative."""
    wide = room + step - 1
    spare = (wide - extent).value
    return (wide if spare is not None and spare >= 0 else maximum(wide, ZERO)) // step


def _sized(extent: Dim, begin: Dim | None, wanted: Dim | None) -> Slice:
    """`wanted` indices from `begin` on, or as many as there are; all that follow if `wanted` is negative."""
    plain = _forward(extent, begin, None, ONE)
    if wanted is None:
        return plain
    return Slice(plain.start, ite(less(wanted, ZERO), plain.count, minimum(wanted, plain.count)), ONE)


def slices_of(
    shape: Shape, begin: Shape, end: Shape, strides: Shape, slice_mode: str, axes: Sequence[int] | None
) -> dict[int, Slice]:
    """Axis -> its slice, for the axes that are sliced: the first ones, or `axes`."""
    if slice_mode not in ("end", "size"):
        raise IllFormed("op.attribute", f'slice_mode has to be "end" or "size", not "{slice_mode}"')
    count = max(len(begin), len(end))
    places = tuple(range(count)) if axes is None else axes_of(axes, len(shape))
    if count > len(shape) or (axes is not None and len(places) != count):
        raise IllFormed(
            "op.attribute", f"{count} slices are given for {len(shape) if axes is None else len(places)} axes"
        )
    found = {}
    for i, axis in enumerate(places):
        first, last = _at(begin, i), _at(end, i)
        step = _at(strides, i) or ONE
        by_size = slice_mode == "size"
        found[axis] = _sized(shape[axis], first, last) if by_size else sliced(shape[axis], first, last, step)
    return found


def _at(values: Shape, place: int) -> Dim | None:
    return values[place] if place < len(values) else None


def _step_needs(strides: Shape) -> list[Need]:
    """The needs that no stride is 0; raises IllFormed if one is.   [op.strided_slice.stride]"""
    if any(step.value == 0 for step in strides):
        raise IllFormed("op.attribute", "a stride is 0")
    return [
        Need(differs(step, ZERO), "op.strided_slice.stride", "a stride is 0", ((0, None),))
        for step in strides
        if step.value is None
    ]


def dims(values: Sequence[int]) -> Shape:
    """Integers as dims."""
    return tuple(map(constant, values))


def places(shape: Ints, slices: Mapping[int, Slice]) -> tuple[Ints, list[int]]:
    """The extents of constant slices, and the offsets of the elements in them in row-major order."""
    found, steps, start = list(shape), list(steps_of(shape)), 0
    for axis, along in slices.items():
        found[axis] = along.count.evaluate({})
        start += along.start.evaluate({}) * steps[axis]
        steps[axis] *= along.step.evaluate({})
    return tuple(found), offsets(found, steps, start)


def _strided_slice(
    data: Tensor, *, begin: Ints, end: Ints, strides: Ints, slice_mode: str, axes: Ints | None
) -> Tensor:
    """Take the elements at the sliced indices of every axis."""
    slices = slices_of(dims(data.shape), dims(begin), dims(end), dims(strides), slice_mode, axes)
    shape, where = places(data.shape, slices)
    return tensor_of(shape, data.dtype, picked(data.elements, where))


def places_along(along: Slice) -> range | None:
    """The indices of a slice, if they are known and not too many."""
    start, count, step = along.start.value, along.count.value, along.step.value
    if start is None or count is None or step is None or count > LIMITS.contents:
        return None
    return range(start, start + count * step, step)


def _strided_slice_contents(
    data: TensorType[Dim], *, begin: Shape, end: Shape, strides: Shape, slice_mode: str, axes: Ints | None
) -> Contents:
    """The elements at the sliced indices, if these are known."""
    if data.contents is None or data.rank > 1:
        return None
    for along in slices_of(data.shape, begin, end, strides, slice_mode, axes).values():
        where = places_along(along)
        return None if where is None else tuple(data.contents[place] for place in where)
    return data.contents


def _slice_extends(growth: Growth) -> Iterator[Axes]:
    """Every axis that is not cut by a slice."""
    given = growth.types[0]
    slices = slices_of(given.shape, **growth.attributes)
    cut = [
        axis
        for axis, along in slices.items()
        if along.start.value != 0 or along.step.value != 1 or along.count is not given.shape[axis]
    ]
    yield all_but(given, *cut)


def _takes_all(given: TensorType[Dim], attributes: Mapping[str, Any]) -> bool:
    """Whether a slice that keeps all sizes keeps all elements: the stride is 1, and with "size" the begin is 0."""
    strides, whole = attributes["strides"], attributes["slice_mode"] == "end"
    return all(is_number(stride, 1) for stride in strides) and (
        whole or all(is_number(begin, 0) for begin in attributes["begin"])
    )


@operator(
    "strided_slice",
    meaning=_strided_slice,
    ranges=among_first,
    family="slicing",
    contents=_strided_slice_contents,
    padding=Padding(_slice_extends),
    identity=_takes_all,
    onnx="Slice",
)
def strided_slice(
    data: TensorType[Dim],
    *,
    begin: tuple[Dim, ...],
    end: tuple[Dim, ...],
    strides: tuple[Dim, ...] = (),
    slice_mode: str = "end",
    axes: tuple[int, ...] | None = None,
) -> Judgement:
    """The elements from `begin` up to `end`, excluded, of the first axes or `axes`.   t[..a, ..b] -> t[..a', ..b]

        out[i, ..] = data[first + i * stride, ..],  i < max(ceil((last - first) / stride), 0),  along each axis
        first = begin, last = end, each plus n if it is negative, and then limited to 0 to n; -1 to n - 1 if stride < 0

    So with a positive stride and bounds from the front, an axis of size n keeps `max(min(end, n) - begin + stride - 1,
    0) // stride` elements [op.strided_slice.clamp].  A stride that is not given is 1, and none is 0
    [op.strided_slice.stride].  Where `end` is shorter than `begin`, all elements that follow are taken.  Where `begin`
    is shorter, it is the first element, or with a negative stride the last.  With `slice_mode="size"`, `end` is the
    number of elements from `begin` on, of those there are; a negative one means all that follow; strides do not
    matter.
    """
    given = tensor(data, 0)
    slices = slices_of(given.shape, begin, end, strides, slice_mode, axes)
    shape = (slices[axis].count if axis in slices else extent for axis, extent in enumerate(given.shape))
    return judged(shape, given.dtype, _step_needs(strides))


dyn_strided_slice = dynamic_twin(strided_slice, ("begin", "end", "strides"))
