"""Operators that write slices at indices, and those that reduce the slices of segments.

Indices are rows of a tensor in TensorFlow, and columns in the language.   [op.scatter_nd.depth]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gradual.importers.common.composed.arithmetic import Term, greater, sqrt, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import IMPORTERS, Use, imports
from gradual.importers.tensorflow.operators.indexing import as_columns, from_front
from gradual.importers.tensorflow.selecting.creating import filled
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType

# ------------------------------------------------------------------------------------------------------------ writing
MODES = {"Update": None, "Add": "add", "Max": "max", "Min": "min"}
"""How TensorFlow's name ends -> the mode of `scatter_nd`."""


def _written(mode: str | None, use: Use) -> Value:
    return use.call("scatter_nd", use[0], as_columns(use, use[1]), use[2], mode=mode)


IMPORTERS.update({f"TensorScatter{name}": partial(_written, mode) for name, mode in MODES.items()})


@imports("TensorScatterSub")
def subtracted(use: Use) -> Value:
    """The tensor with slices subtracted at indices."""
    return use.call("scatter_nd", use[0], as_columns(use, use[1]), use.call("negative", use[2]), mode="add")


@imports("ScatterNd")
def scatter(use: Use) -> Value:
    """Zeros in a given shape, with slices added at indices."""
    indices, updates = use[0], use[1]
    zeros = filled(use, use.like(0, updates), use[2])
    mode = "add" if updates.dtype is not DType.BOOL else None
    return use.call("scatter_nd", zeros, as_columns(use, indices), updates, mode=mode)


@imports("InplaceUpdate", "InplaceAdd", "InplaceSub")
def written_rows(use: Use) -> Value:
    """The tensor with slices along the first axis replaced, or added to."""
    updates = use.call("negative", use[2]) if use.node.operator == "InplaceSub" else use[2]
    mode = None if use.node.operator == "InplaceUpdate" else "add"
    return use.call("scatter_nd", use[0], use.call("expand_dims", use[1], axis=0), updates, mode=mode)


@imports("DynamicStitch", "ParallelDynamicStitch")
def stitched(use: Use) -> Value:
    """Slices of several tensors at the indices that each has; a later one replaces an earlier one."""
    count = use.number("N")
    places = [from_front(use, one) for one in use.tensors(0, count)]
    slices = use.tensors(count, 2 * count)
    if len(slices) != count:
        raise Unsupported(f"{count} indices for {len(slices)} tensors")
    for at, place in enumerate(places):
        for axis in range(place.rank):
            slices[at], places[at] = use.agreeing(slices[at], axis, places[at], axis)
    rank = places[0].rank
    flat = [_joined(use, one, one.rank) for one in places]
    rows = [_joined(use, one, at.rank) for one, at in zip(slices, places, strict=True)]
    if any(one.rank != slices[0].rank - rank + at.rank for one, at in zip(slices, places, strict=True)):
        raise Unsupported("slices of several ranks")
    all_places = use.call("concatenate", use.builder.tuple(flat), axis=0) if count > 1 else flat[0]
    all_rows = use.call("concatenate", use.builder.tuple(rows), axis=0) if count > 1 else rows[0]
    zeros = use.call("full", use.like(0, all_rows), shape=[_count(use, all_places), *_others(use, all_rows, 1)])
    return use.call("scatter_nd", zeros, use.call("expand_dims", all_places, axis=0), all_rows)


def _joined(use: Use, x: Value, count: int) -> Value:
    """The tensor with its first axes merged into one; with a new first axis if `count` is 0."""
    if count == 0:
        return use.call("expand_dims", x, axis=0)
    for _ in range(count - 1):
        x = use.call("reshape", x, newshape=[-3, -2] if x.rank > 2 else [-3])
    return x


def _count(use: Use, places: Value) -> int | Value:
    """One more than the greatest index; 0 if there are no indices."""
    known = places.elements
    if known is not None:
        return int(max(known.flat(), default=-1)) + 1
    least = use.builder.integers([-1])
    all_ = use.call("concatenate", use.builder.tuple([use.as_type(places, DType.INT64), least]), axis=0)
    return use.written_size((greater(Term(use, use.call("max", all_)), -1) + 1).value)


def _others(use: Use, x: Value, start: int) -> list[int | Value]:
    """The sizes of the axes from `start` on."""
    return [use.written_size(use.extent(x, axis)) for axis in range(start, x.rank)]


# ----------------------------------------------------------------------------------------------------------- segments
LAST = 2**31 - 1
"""An end beyond every axis."""

REDUCTIONS = {"Sum": "add", "Prod": "mul", "Max": "max", "Min": "min"}
"""How TensorFlow's name ends -> the mode of `scatter_nd`."""


def _start(kind: str, dtype: DType) -> float:
    """The result of a segment without slices; for a maximum the least finite number, for a minimum the greatest."""
    if kind in ("Sum", "Prod"):
        return int(kind == "Prod")
    greatest = {DType.FLOAT16: 65504.0, DType.BFLOAT16: 3.3895313892515355e38, DType.FLOAT32: 3.4028234663852886e38}
    most = greatest.get(dtype, 1.7976931348623157e308)
    least, most = (-most, most) if dtype.is_float else integer_range(dtype)
    return least if kind == "Max" else most


def _reduced(use: Use, rows: Value, places: Value, count: int | Value, kind: str) -> Value:
    """The reduction of the slices of each segment."""
    empty = use.call("full", use.like(_start(kind, rows.dtype), rows), shape=[count, *_others(use, rows, 1)])
    mode = REDUCTIONS[kind]
    return use.call("scatter_nd", empty, use.call("expand_dims", places, axis=0), rows, mode=mode)


def _unsorted(kind: str, use: Use) -> Value:
    """Segments in any order; slices with negative numbers form an additional first segment, which is then removed."""
    places, rows = (_joined(use, one, use[1].rank) for one in (use[1], use[0]))
    at = greater(Term(use, use.as_type(places, DType.INT64)), -1) + 1
    count = Term(use, use.as_type(use.ranked(2, 0), DType.INT64)) + 1
    found = _reduced(use, rows, at.value, use.written_size(count.value), kind)
    return use.call("strided_slice", found, begin=[1], end=[LAST])


IMPORTERS.update({f"UnsortedSegment{kind}": partial(_unsorted, kind) for kind in REDUCTIONS})


def _sorted(kind: str, use: Use) -> Value:
    """Segments numbered in ascending order, up to the last number; an empty one gives 0, or 1 for a product."""
    places = from_front(use, use.ranked(1, 1))
    return _in_order(use, use[0], places, kind, _count(use, places))


def _in_order(use: Use, rows: Value, places: Value, kind: str, count: int | Value) -> Value:
    if kind in ("Sum", "Prod"):
        return _reduced(use, rows, places, count, kind)
    found = Term(use, _reduced(use, rows, places, count, kind if kind in REDUCTIONS else "Sum"))
    ones = use.call("full_like", use.as_type(places, rows.dtype), use.like(1, rows))
    each = _reduced(use, ones, places, count, "Sum")
    sizes = Term(use, use.call("expand_dims", each, axis=1, num_newaxis=rows.rank - 1) if rows.rank > 1 else each)
    if kind in REDUCTIONS:
        return where(sizes > 0, found, 0).value
    divisor = greater(sizes, 1)
    return (found / (sqrt(divisor) if kind == "SqrtN" else divisor)).value


IMPORTERS.update({f"Segment{kind}": partial(_sorted, kind) for kind in (*REDUCTIONS, "Mean")})
IMPORTERS.update({f"Segment{kind}V2": partial(_unsorted, kind) for kind in REDUCTIONS})


def _chosen(kind: str, use: Use) -> Value:
    """Reductions of segments of the slices that indices choose."""
    places = from_front(use, use.ranked(2, 1))
    rows = use.call("take", use[0], from_front(use, use.ranked(1, 1)), axis=0, mode="fast")
    count: int | Value = _count(use, places) if len(use.inputs) < 4 else use.written_size(use[3])
    return _in_order(use, rows, places, kind, count)


IMPORTERS.update(
    {
        f"SparseSegment{kind}{more}": partial(_chosen, kind)
        for kind in ("Sum", "Mean", "SqrtN")
        for more in ("", "WithNumSegments")
    }
)


@imports("DynamicPartition")
def partition(use: Use) -> Sequence[Value]:
    """For each partition number, the slices that have it, in their order."""
    x, numbers, count = use[0], use[1], use.number("num_partitions")
    for axis in range(numbers.rank):
        x, numbers = use.agreeing(x, axis, numbers, axis)
    rows, numbers = (_joined(use, one, numbers.rank) for one in (x, numbers))
    found = []
    for at in range(count):
        chosen = use.call("nonzero", use.call("equal", numbers, use.like(at, numbers)))
        found.append(use.call("take", rows, chosen, axis=0, mode="fast"))
    return found
