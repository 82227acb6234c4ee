"""Operators that select elements by indices, and those that compute indices.

A negative index counts from the end, and one out of bounds is a fault, here as in ONNX.   [op.index.bounds]
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.applying import positive
from gradual.importers.common.composed.arithmetic import Term, extent, numbered
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_scalar, imports
from gradual.limits import LIMITS
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


@imports("Gather")
def gather(use: Use) -> Value:
    """The slices along an axis that indices select."""
    axis = positive(use.attribute("axis", 0), use[0].rank)
    return use.call("take", use[0], use[1], axis=axis, mode="fast")


@imports("GatherElements")
def gather_elements(use: Use) -> Value:
    """For each index, the element at the position of the index, with the index itself as coordinate along an axis."""
    data, axis = use[0], positive(use.attribute("axis", 0), use[0].rank)
    others = [at for at in range(data.rank) if at != axis]
    if use[1].rank == data.rank and any(use[1].tensor.shape[at] is not data.tensor.shape[at] for at in others):
        data = use.call("slice_like", data, use[1], axes=others)  # remove elements beyond the extents of the indices
    return use.call("gather", data, use[1], axis=axis)


@imports("GatherND")
def gather_nd(use: Use) -> Value:
    """The slices that rows of indices select."""
    batch = use.attribute("batch_dims", 0)
    columns, depth = _columns(use, use[1])
    return use.call("gather_nd", use[0], columns, batch_dims=batch or None, index_rank=depth)


def _columns(use: Use, indices: Value) -> tuple[Value, int]:
    """The indices with their last axis first, and how many axes they index."""
    depth = indices.extent(indices.rank - 1) if indices.rank else None
    if depth is None:
        raise Unsupported("indices whose number of axes is not known here")
    axes = [indices.rank - 1, *range(indices.rank - 1)]
    return (indices if indices.rank == 1 else use.call("transpose", indices, axes=axes)), depth


@imports("ScatterElements", "Scatter")
def scatter_elements(use: Use) -> Value:
    """The data with each update at its own position, with its index as coordinate along an axis."""
    axis = positive(use.attribute("axis", 0), use[0].rank)
    reduction = REDUCTIONS[use.only("reduction", *REDUCTIONS)]
    return use.call("scatter_elements", use[0], use[1], use[2], axis=axis, reduction=reduction)


@imports("ScatterND")
def scatter_nd(use: Use) -> Value:
    """The data with each update at the position that a row of indices gives."""
    columns, _ = _columns(use, use[1])
    return use.call("scatter_nd", use[0], columns, use[2], mode=REDUCTIONS[use.only("reduction", *REDUCTIONS)])


@imports("TensorScatter")
def write_at(use: Use) -> Value:
    """The tensor with updates written along an axis, starting at a position that is given for each sample."""
    x, update, given = use[0], use[1], use.optional(2)
    axis = positive(use.attribute("axis", -2), x.rank)
    if axis == 0:
        raise Unsupported("updates along the axis of samples")
    for at in range(x.rank):
        update = update if at == axis else use.exactly(update, at, use.written_size(use.extent(x, at)))
    steps = numbered(use, use.extent(update, axis))
    if axis < x.rank - 1:
        steps = Term(use, use.call("expand_dims", steps.value, axis=1, num_newaxis=x.rank - 1 - axis))
    if given is not None:
        start = use.call("cast", use.exactly(given, 0, use.written_size(use.extent(x, 0))), dtype=DType.INT64)
        some = use.call("all", use.call("greater_equal", start, use.like(0, start)))
        start = use.demanded(start, some, "a write index is negative")
        steps = Term(use, use.call("expand_dims", start, axis=1, num_newaxis=x.rank - 1)) + steps
    fits = use.call("less_equal", use.extent(update, axis), use.extent(x, axis))
    update = use.demanded(update, fits, "the updates are longer than the tensor")
    if use.only("mode", "linear", "circular") == "circular":
        steps = steps % extent(use, x, axis)
    places = use.call("broadcast_to_like", steps.value, update)
    return use.call("scatter_elements", x, places, update, axis=axis, reduction="update")


@imports("Slice")
def cut(use: Use) -> Value:
    """The elements between two positions along some axes."""
    x, parts, axes = use[0], *_bounds(use)
    chosen = [positive(axis, x.rank) for axis in axes]
    written = None if chosen == list(range(len(chosen))) else chosen
    steps = parts[2].elements
    if steps is not None and all(isinstance(part.constant, Tensor) for part in parts):
        begin, end, strides = (part.numbers("places") for part in parts)
        first = [_start(use, axis, *place) for axis, *place in zip(chosen, begin, strides, strict=True)]
        return use.call(
            "strided_slice", x, begin=first, end=end, strides=None if set(strides) == {1} else strides, axes=written
        )
    if steps is None or min(steps.flat(), default=1) < 0:
        parts[0] = _starts(use, chosen, parts[0], parts[2])
    return use.call("dyn.strided_slice", x, *parts, axes=written)


def _bounds(use: Use) -> tuple[list[Value], list[int]]:
    """Starts, ends and steps, which are vectors of one length, and the axes."""
    if use.opset < 10:
        starts, ends = (use.builder.integers(use.required(name)) for name in ("starts", "ends"))
        given, axes = None, use.attribute("axes")
    else:
        starts, ends, given = use[1], use[2], use.optional(4)
        axes = None if use.optional(3) is None else use[3].numbers("axes")
    vectors = [part for part in (starts, ends, given) if part is not None]
    if any(part.rank != 1 for part in vectors):
        raise Unsupported("a number where a vector has to be")
    lengths = [part.extent(0) for part in vectors] + ([] if axes is None else [len(axes)])
    counts = {length for length in lengths if length is not None}
    if not counts:
        raise Unsupported("a number of axes that is not known here")
    if len(counts) > 1:
        raise Unsupported(f"vectors of {' and '.join(map(str, sorted(counts)))} places")
    (count,) = counts
    parts = [use.exactly(part, 0, count) for part in vectors]
    steps = parts[2] if given is not None else use.builder.integers([1] * count, starts.dtype)
    return [*parts[:2], steps], list(range(count)) if axes is None else list(axes)


def _start(use: Use, axis: int, start: int, step: int) -> int | Value:
    """The start of a slice; with a negative step, a start before the axis means 0 in ONNX, and no element in NumPy."""
    size = use[0].extent(axis)
    if step > 0 or start >= -1:
        return start
    if size is not None:
        return max(start, -size)
    if start < -LIMITS.size:
        return 0
    first = use.call("negative", use.extent(use[0], axis))
    return use.call("maximum", use.builder.number(start, DType.INT64), first)


def _starts(use: Use, axes: Sequence[int], starts: Value, steps: Value) -> Value:
    """As `_start`, for starts that are computed when the model runs, and steps of any sign."""
    sizes = use.call("shape_of", use[0], dtype=starts.dtype)
    first = use.call("negative", use.call("take", sizes, use.builder.integers(axes), axis=0, mode="fast"))
    back = use.call("less", steps, use.like(0, steps))
    return use.call("where", back, use.call("maximum", starts, first), starts)


@imports("OneHot")
def one_hot(use: Use) -> Value:
    """A one-hot vector for each index; negative indices count from the end, an index out of bounds gives no 1."""
    indices, values = use[0], use[2]
    if indices.rank == 0:
        raise Unsupported("a number where a tensor of indices has to be")
    if indices.dtype.is_float:
        indices = use.call("cast", indices, dtype=DType.INT64)
    off, on = use.counted(use.call("split", use.exactly(values, 0, 2), indices_or_sections=2), 2)
    off, on = (use.call("reshape", part, newshape=[]) for part in (off, on))
    axis = positive(use.attribute("axis", -1), indices.rank + 1)
    depth = as_scalar(use, use[1])
    if not depth.dtype.is_integer:
        depth = use.call("cast", depth, dtype=DType.INT64)
    number = depth if depth.dtype is indices.dtype else use.call("cast", depth, dtype=indices.dtype)
    negative = use.call("less", indices, use.like(0, indices))
    chosen = use.call("where", negative, use.call("add", indices, number), indices)
    if isinstance(depth.constant, Tensor):
        return use.call("one_hot", chosen, on, off, depth=int(depth.constant.item()), axis=axis, dtype=values.dtype)
    return use.call("dyn.one_hot", chosen, on, off, depth, axis=axis, dtype=values.dtype)


@imports("TopK")
def top(use: Use) -> list[Value]:
    """The k greatest or least elements along an axis, and their indices; k may be 0."""
    if use.opset < 10 and use.required("k") < 1:
        raise Unsupported(f"k={use.required('k')}")
    count = _count(use) if use.opset >= 10 else use.builder.number(use.required("k"), DType.INT64)
    count = use.demanded(count, use.call("greater_equal", count, use.like(0, count)), "k is negative")
    settings = {
        "axis": use.attribute("axis", -1),
        "ret_type": "both",
        "is_ascend": True if not use.attribute("largest", 1) else None,
        "dtype": DType.INT64,
    }
    if isinstance(count.constant, Tensor) and count.constant.item() > 0:
        return use.counted(use.call("topk", use[0], k=int(count.constant.item()), **settings), 2)
    found = use.counted(use.call("dyn.topk", use[0], count, **settings), 2)
    end = use.call("reshape", count, newshape=[1])
    start, step = (use.builder.integers([number], end.dtype) for number in (0, 1))
    # for k = 0 `topk` returns all elements, so the results are cut to k
    axes = [positive(use.attribute("axis", -1), use[0].rank)]
    return [use.call("dyn.strided_slice", part, start, end, step, axes=axes) for part in found]


def _count(use: Use) -> Value:
    """The number k as a scalar; the input is a vector of one element."""
    if use[1].rank != 1:
        raise Unsupported("a k that is no vector of one element")
    return as_scalar(use, use[1])


@imports("NonZero")
def nonzero(use: Use) -> Value:
    """The positions of nonzero elements, a column each; for a vector filled with a nonzero number, `arange`."""
    filled = use[0].made_by("dyn.full")
    if filled and use[0].rank == 1 and filled[0].known("a filling").item():
        zero, one = (use.builder.number(number, DType.INT64) for number in (0, 1))
        return use.call("expand_dims", use.call("arange", zero, use.extent(use[0], 0), one, dtype=DType.INT64), axis=0)
    return use.call("cast", use.call("transpose", use.call("argwhere", use[0]), axes=[1, 0]), dtype=DType.INT64)


@imports("Compress")
def compress(use: Use) -> Value:
    """The slices along an axis for which a condition holds; the condition may be shorter than the axis."""
    axis, x = use.attribute("axis"), use[0]
    if axis is None:
        x, axis = use.call("reshape", x, newshape=[-1]), 0
    return use.call("take", x, use.call("nonzero", use[1]), axis=positive(axis, x.rank), mode="fast")


@imports("Unique")
def unique(use: Use) -> list[Value]:
    """The distinct elements, the index of the first occurrence of each, the inverse indices, and the counts."""
    axis = use.attribute("axis")
    if axis is not None and (place := positive(axis, use[0].rank)) < use[0].rank and use[0].rank != 1:
        return _unique_slices(use, place)
    x = use[0] if use[0].rank == 1 else use.call("reshape", use[0], newshape=[-1])
    found = use.call("unique", x, sorted=bool(use.attribute("sorted", 1)), return_counts=use.wants(3))
    fields = use.counted(found, 5 if use.wants(3) else 4)
    chosen = [fields[0], fields[1], fields[2], fields[-1]]
    return [
        chosen[0],
        *(use.call("cast", one, dtype=DType.INT64) if use.wants(at + 1) else one for at, one in enumerate(chosen[1:])),
    ]


def _unique_slices(use: Use, axis: int) -> list[Value]:
    """As `unique`, for slices along an axis; all pairs are compared, lexicographically."""
    x = use[0]
    order = [axis, *(at for at in range(x.rank) if at != axis)]
    rows = use.call("transpose", x, axes=order) if axis else x
    while rows.rank > 2:
        rows = use.call("reshape", rows, newshape=[0, -3, -2])
    one, other = (Term(use, use.call("expand_dims", rows, axis=at)) for at in (1, 0))
    differ = Term(use, use.call("not_equal", one.value, other.value))
    at = use.call("expand_dims", use.call("argmax", differ.value, axis=[2]), axis=2)
    ahead = use.call("squeeze", use.call("gather", (one < other).value, at, axis=2), axis=[2])
    equal = ~Term(use, use.call("any", differ.value, axis=[2]))
    places = numbered(use, use.extent(rows, 0))
    first = Term(use, use.call("argmax", equal.to(DType.INT32).value, axis=[1])).to(DType.INT64)
    is_first = first.equals(places)
    before = Term(use, use.call("transpose", ahead)) if use.attribute("sorted", 1) else _earlier(use, places)
    counted_before = (before & Term(use, use.call("expand_dims", is_first.value, axis=0))).to(DType.INT64)
    rank = use.call("sum", counted_before.value, axis=[1])
    kept = use.call("cast", use.call("nonzero", is_first.value), dtype=DType.INT64)
    kept = use.call("take", kept, use.call("argsort", use.call("take", rank, kept, axis=0), dtype="int64"), axis=0)
    inverse = Term(use, use.call("take", rank, first.value, axis=0))
    each = use.call("expand_dims", numbered(use, use.extent(kept, 0)).value, axis=1)
    counts = use.call("sum", inverse.applied("equal", Term(use, each)).to(DType.INT64).value, axis=[1])
    return [use.call("take", x, kept, axis=axis, mode="fast"), kept, inverse.value, counts]


def _earlier(use: Use, places: Term) -> Term:
    """A matrix: for each position, which positions are before it."""
    return Term(use, use.call("expand_dims", places.value, axis=0)) < Term(
        use, use.call("expand_dims", places.value, axis=1)
    )


@imports("ReverseSequence")
def reverse_sequence(use: Use) -> Value:
    """Reverse, for each sample, the first elements along an axis, as many as the given length."""
    x, lengths, axis = use[0], use[1], positive(use.attribute("time_axis", 0), use[0].rank)
    some = use.call("greater_equal", lengths, use.like(0, lengths))
    most = use.call("less_equal", lengths, use.call("cast", use.extent(x, axis), dtype=lengths.dtype))
    within = use.call("all", use.call("logical_and", some, most))
    lengths = use.demanded(lengths, within, "a length is negative or longer than the axis")
    return use.call("reverse_sequence", x, lengths, seq_axis=axis, batch_axis=use.attribute("batch_axis", 1))


_OVERLAPS = (("greater_equal", 0.0), ("less_equal", 1.0))
"""The bounds of the overlap threshold, which is a fraction."""


@imports("NonMaxSuppression")
def non_max_suppression(use: Use) -> Value:
    """The selected boxes of each class: those that overlap no selected box of higher score by more than a threshold."""
    boxes = _corners(use, use[0]) if use.only("center_point_box", 0, 1) else use[0]
    most = use.optional(2)
    limit = use.builder.number(0, DType.INT64) if most is None else as_scalar(use, most)
    thresholds = [
        use.like(0.0 if index == 3 else float("-inf"), use[1])
        if (given := use.optional(index)) is None
        else as_scalar(use, given)
        for index in (3, 4)
    ]
    overlap = thresholds[0]
    some, most = (use.call(test, overlap, use.like(bound, overlap)) for test, bound in _OVERLAPS)
    thresholds[0] = use.demanded(overlap, use.call("logical_and", some, most), "iou_threshold is not between 0 and 1")
    found = use.call("vision.all_class_non_max_suppression", boxes, use[1], limit, *thresholds)
    rows, count = use.counted(found, 2)
    begin, strides = use.builder.integers([0]), use.builder.integers([1])
    return use.call("dyn.strided_slice", rows, begin, count, strides, axes=[0])


def _corners(use: Use, boxes: Value) -> Value:
    """Convert boxes from centre, width and height to two corners, y before x.

    A negative width or height counts as 0, as in ONNX.
    """
    x, y, *sides = use.counted(use.call("split", boxes, indices_or_sections=4, axis=2), 4)
    sides = [use.call("maximum", side, use.like(0.0, boxes)) for side in sides]
    across, down = (use.call("multiply", use.like(0.5, boxes), side) for side in sides)
    ends = [use.call(sign, *pair) for sign in ("subtract", "add") for pair in ((y, down), (x, across))]
    return use.call("concatenate", use.builder.tuple(ends), axis=2)
