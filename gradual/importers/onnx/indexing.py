"""Operators that name elements by indices, and those that find indices."""

from __future__ import annotations

from gradual.importers.onnx.applying import Use, as_scalar, constant_of, imports, positive
from gradual.importers.onnx.building import Value
from gradual.importers.onnx.model import Unsupported
from gradual.importers.onnx.shapes import extent
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


def from_front(use: Use, indices: Value, size: Value) -> Value:
    """Indices counted from the front: ONNX counts negative ones from the end."""
    if _is_from_front(indices):
        return indices
    number = size if size.dtype is indices.dtype else use.call("cast", size, dtype=indices.dtype)
    negative = use.call("less", indices, use.like(0, indices))
    return use.call("where", negative, use.call("add", indices, number), indices)


def _is_from_front(indices: Value) -> bool:
    """Whether no index is negative, as far as can be seen."""
    known = constant_of(indices)
    if known is not None:
        return min(known.flat(), default=0) >= 0
    contents = indices.tensor.contents or (None,)
    return all(part is not None and part.value is not None and part.value >= 0 for part in contents)


@imports("Gather")
def gather(use: Use) -> Value:
    """The slices along an axis that indices name."""
    axis = positive(use.attribute("axis", 0), use[0].rank)
    indices = from_front(use, use[1], extent(use, use[0], axis))
    return use.call("take", use[0], indices, axis=axis, mode="fast")


@imports("GatherElements")
def gather_elements(use: Use) -> Value:
    """For each index the element at its own place, moved along an axis."""
    data, axis = use[0], positive(use.attribute("axis", 0), use[0].rank)
    others = [at for at in range(data.rank) if at != axis]
    if use[1].rank == data.rank and any(use[1].tensor.shape[at] is not data.tensor.shape[at] for at in others):
        data = use.call("slice_like", data, use[1], axes=others)  # what the indices do not reach is left out
    return use.call("gather", data, from_front(use, use[1], extent(use, data, axis)), axis=axis)


@imports("GatherND")
def gather_nd(use: Use) -> Value:
    """The slices that rows of indices name."""
    batch = use.attribute("batch_dims", 0)
    columns, depth = _columns(use, use[0], use[1], batch)
    return use.call("gather_nd", use[0], columns, batch_dims=batch or None, index_rank=depth)


def _columns(use: Use, data: Value, indices: Value, batch: int = 0) -> tuple[Value, int]:
    """The indices with their last axis first, counted from the front, and how many axes they name."""
    depth = indices.extent(indices.rank - 1) if indices.rank else None
    if depth is None:
        raise Unsupported("indices whose number of axes is not known here")
    if not _is_from_front(indices):
        sizes = use.call("shape_of", data, dtype=DType.INT64)
        named = use.call("strided_slice", sizes, begin=[batch], end=[batch + depth])
        indices = from_front(use, indices, named)
    axes = [indices.rank - 1, *range(indices.rank - 1)]
    return (indices if indices.rank == 1 else use.call("transpose", indices, axes=axes)), depth


@imports("ScatterElements", "Scatter")
def scatter_elements(use: Use) -> Value:
    """The data with each update at its own place, moved along an axis."""
    axis = positive(use.attribute("axis", 0), use[0].rank)
    reduction = REDUCTIONS[use.only("reduction", *REDUCTIONS)]
    indices = from_front(use, use[1], extent(use, use[0], axis))
    return use.call("scatter_elements", use[0], indices, use[2], axis=axis, reduction=reduction)


@imports("ScatterND")
def scatter_nd(use: Use) -> Value:
    """The data with each update at the place that a row of indices names."""
    columns, _ = _columns(use, use[0], use[1])
    return use.call("scatter_nd", use[0], columns, use[2], mode=REDUCTIONS[use.only("reduction", *REDUCTIONS)])


@imports("Slice")
def cut(use: Use) -> Value:
    """The elements between places of some axes."""
    x, builder = use[0], use.builder
    if use.opset < 10:
        axes = use.attribute("axes")
        starts, ends = builder.integers(use.required("starts")), builder.integers(use.required("ends"))
        steps = None
    else:
        starts, ends, steps, given = use[1], use[2], use.optional(4), use.optional(3)
        axes = None if given is None else given.numbers("axes")
    count = starts.extent(0) if starts.rank == 1 else None
    if count is None:
        raise Unsupported("a number of axes that is not known here")
    chosen = list(range(count)) if axes is None else [positive(axis, x.rank) for axis in axes]
    written = None if chosen == list(range(count)) else chosen
    parts = [starts, ends, builder.integers([1] * count, starts.dtype) if steps is None else steps]
    if all(isinstance(part.constant, Tensor) for part in parts):
        begin, end, strides = (part.numbers("places") for part in parts)
        return use.call(
            "strided_slice", x, begin=begin, end=end, strides=None if set(strides) == {1} else strides, axes=written
        )
    return use.call("dyn.strided_slice", x, *parts, axes=written)


@imports("OneHot")
def one_hot(use: Use) -> Value:
    """A vector for each index."""
    indices, depth, values = use[0], use[1], use[2]
    if indices.dtype.is_float:
        indices = use.call("cast", indices, dtype=DType.INT64)
    off, on = (use.call("take", values, use.builder.number(at, DType.INT64), axis=0, mode="fast") for at in (0, 1))
    axis = positive(use.attribute("axis", -1), indices.rank + 1)
    number = as_scalar(use, depth)
    if not number.dtype.is_integer:
        number = use.call("cast", number, dtype=DType.INT64)
    chosen = from_front(use, indices, number)
    if isinstance(number.constant, Tensor):
        return use.call("one_hot", chosen, on, off, depth=int(number.constant.item()), axis=axis, dtype=values.dtype)
    return use.call("dyn.one_hot", chosen, on, off, number, axis=axis, dtype=values.dtype)


@imports("TopK")
def top(use: Use) -> list[Value]:
    """The greatest or least elements along an axis, and where they stood."""
    count = as_scalar(use, use[1]) if use.opset >= 10 else use.builder.number(use.required("k"), DType.INT64)
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
    axes = [positive(use.attribute("axis", -1), use[0].rank)]  # none is all to the operator here
    return [use.call("dyn.strided_slice", part, start, end, step, axes=axes) for part in found]


@imports("NonZero")
def nonzero(use: Use) -> Value:
    """The places of what is not zero, a column each; of a vector filled with one number these are all places."""
    filled = use[0].made_by("dyn.full")
    if filled and use[0].rank == 1 and filled[0].known("a filling").item():
        zero, one = (use.builder.number(number, DType.INT64) for number in (0, 1))
        return use.call("expand_dims", use.call("arange", zero, extent(use, use[0], 0), one, dtype=DType.INT64), axis=0)
    return use.call("cast", use.call("transpose", use.call("argwhere", use[0]), axes=[1, 0]), dtype=DType.INT64)


@imports("Compress")
def compress(use: Use) -> Value:
    """The slices along an axis for which a condition holds; it may be shorter than the axis."""
    axis, x = use.attribute("axis"), use[0]
    if axis is None:
        x, axis = use.call("reshape", x, newshape=[-1]), 0
    return use.call("take", x, use.call("nonzero", use[1]), axis=positive(axis, x.rank), mode="fast")


@imports("Unique")
def unique(use: Use) -> list[Value]:
    """Each element once, where it first stood, which one each element is, and how often it is there."""
    if use.attribute("axis") is not None and use[0].rank != 1:
        raise Unsupported("different slices along an axis")
    x = use[0] if use[0].rank == 1 else use.call("reshape", use[0], newshape=[-1])
    found = use.call("unique", x, sorted=bool(use.attribute("sorted", 1)), return_counts=use.wants(3))
    fields = use.counted(found, 5 if use.wants(3) else 4)
    chosen = [fields[0], fields[1], fields[2], fields[-1]]
    return [
        chosen[0],
        *(use.call("cast", one, dtype=DType.INT64) if use.wants(at + 1) else one for at, one in enumerate(chosen[1:])),
    ]


@imports("ReverseSequence")
def reverse_sequence(use: Use) -> Value:
    """The first elements along an axis in reverse, as many as a length for each batch says."""
    axes = {"seq_axis": use.attribute("time_axis", 0), "batch_axis": use.attribute("batch_axis", 1)}
    return use.call("reverse_sequence", use[0], use[1], **axes)


@imports("NonMaxSuppression")
def non_max_suppression(use: Use) -> Value:
    """The boxes of each class that overlap no better one."""
    use.only("center_point_box", 0)
    most = use.optional(2)
    limit = use.builder.number(0, DType.INT64) if most is None else as_scalar(use, most)
    thresholds = [
        use.like(0.0 if index == 3 else float("-inf"), use[1])
        if (given := use.optional(index)) is None
        else as_scalar(use, given)
        for index in (3, 4)
    ]
    found = use.call("vision.all_class_non_max_suppression", use[0], use[1], limit, *thresholds)
    rows, count = use.counted(found, 2)
    begin, strides = use.builder.integers([0]), use.builder.integers([1])
    return use.call("dyn.strided_slice", rows, begin, count, strides, axes=[0])
