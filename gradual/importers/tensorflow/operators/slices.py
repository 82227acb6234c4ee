"""Slices as Python writes them: `x[1:, tf.newaxis, ..., -1]`, which is one operator with five masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.importers.common.composed.arithmetic import counted
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import UnrankedType

END = 2**31 - 1
"""An end beyond every axis; also the start of a slice with a negative step."""

Place = int | Value


@record
class Part:
    """The part of a slice for one axis.

    Attributes:
        start: None if it is left out; likewise `stop`.
        is_index: whether the part is an index, which removes the axis.
    """

    axis: int
    start: Place | None
    stop: Place | None
    step: int
    is_index: bool = False


@imports("StridedSlice")
def strided_slice(use: Use) -> Value:
    """A slice: indices and ranges for axes, an ellipsis, and new axes."""
    parts, new = _read(use)
    x = _ranges(use, use[0], [one for one in parts if not one.is_index and not _is_whole(one)])
    if isinstance(x.type, UnrankedType) and x is not use[0]:
        use.bodies.derived(x, use[0], 0)
    indices = [one for one in parts if one.is_index]
    for one in reversed(indices):
        assert one.start is not None, "an index has no mask"
        place = use.builder.number(one.start, DType.INT64) if isinstance(one.start, int) else one.start
        x = use.call("take", x, place, axis=one.axis, mode="fast")
    return use.expanded(x, new)


@imports("Slice")
def block(use: Use) -> Value:
    """A number of elements from a start on, along each axis; -1 means all elements that follow."""
    starts, counts = use.sizes(use[1]), use.sizes(use[2])
    x = use.ranked(0, len(starts))
    parts = [
        Part(
            axis, start, None if count == -1 else use.written_size((counted(use, start) + counted(use, count)).value), 1
        )
        for axis, (start, count) in enumerate(zip(starts, counts, strict=True))
    ]
    x = _ranges(use, x, [one for one in parts if not _is_whole(one)])
    for axis, count in enumerate(counts):
        x = x if count == -1 else use.exactly(x, axis, count)
    return x


def _read(use: Use) -> tuple[list[Part], list[int]]:
    """The parts for the axes, and the places of the new axes in the result."""
    kinds = [_kind(use, at) for at in range(_length(use))]
    others = _others(use, kinds)
    parts, new, axis, place = list[Part](), list[int](), 0, 0
    for at, kind in enumerate(kinds):
        if kind == "ellipsis":
            axis, place = axis + others, place + others
        elif kind == "new":
            new, place = [*new, place], place + 1
        else:
            parts.append(_part(use, at, axis, kind == "index"))
            axis, place = axis + 1, place + (kind == "range")
    return parts, new


def _others(use: Use, kinds: Sequence[str]) -> int:
    """How many axes an ellipsis represents; 0 if nothing depends on this number, so that the rank need not be known."""
    named = sum(kind in ("range", "index") for kind in kinds)
    if kinds.count("ellipsis") > 1:
        raise Unsupported("two ellipses")
    if isinstance(use[0].type, UnrankedType) and "ellipsis" not in kinds[:-1]:
        return 0
    if named > use[0].rank:
        raise Unsupported(f"{named} indices for a tensor of rank {use[0].rank}")
    return use[0].rank - named


def _length(use: Use) -> int:
    """The number of parts."""
    counts = [use[index].extent(0) for index in (1, 2, 3)]
    found = next((one for one in counts if one is not None), None)
    if found is None:
        raise Unsupported("a slice with an unknown number of parts")
    return found


def _kind(use: Use, at: int) -> str:
    """The kind of a part, by the first mask that has its bit, in the order in which TensorFlow tests the masks."""
    for name, kind in (("ellipsis_mask", "ellipsis"), ("new_axis_mask", "new"), ("shrink_axis_mask", "index")):
        if use.number(name, 0) >> at & 1:
            return kind
    return "range"


def _part(use: Use, at: int, axis: int, is_index: bool) -> Part:
    """A part for an axis."""
    step = use.builder.element(use[3], at)
    if not isinstance(step, int):
        raise Unsupported("a step computed when the model runs")
    start = None if _has(use, "begin_mask", at) and not is_index else use.builder.element(use[1], at)
    stop = None if is_index or _has(use, "end_mask", at) else use.builder.element(use[2], at)
    return Part(axis, start, stop, step, is_index)


def _has(use: Use, mask: str, at: int) -> bool:
    return bool(use.number(mask, 0) >> at & 1)


def _is_whole(part: Part) -> bool:
    return part.start in (None, 0) and part.stop is None and part.step == 1


def _ranges(use: Use, x: Value, parts: Sequence[Part]) -> Value:
    """The tensor cut along some axes."""
    if not parts:
        return x
    begin, end = ([*_places(use, parts, is_start)] for is_start in (True, False))
    steps, axes = [one.step for one in parts], [one.axis for one in parts]
    written = None if axes == list(range(len(axes))) else axes
    return use.call(
        "strided_slice", x, begin=begin, end=end, strides=None if set(steps) == {1} else steps, axes=written
    )


def _places(use: Use, parts: Sequence[Part], is_start: bool) -> Iterator[Place]:
    """The starts or the ends; one that is left out is the end of the axis on that side."""
    for one in parts:
        given = one.start if is_start else one.stop
        if given is not None:
            yield given if isinstance(given, int) else use.written_size(given)
        elif is_start:
            yield 0 if one.step > 0 else END
        else:
            yield END if one.step > 0 else -END - 1
