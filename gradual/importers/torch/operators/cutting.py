"""Parts of tensors: slices, windows, diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

LAST = 2**31 - 1
"""An end beyond every axis."""


@imports(
    "aten.split_with_sizes.default",
    "aten.split_with_sizes_copy.default",
    "aten.unsafe_split_with_sizes.default",
    "aten.split.sizes",
)
def split_with_sizes(use: Use) -> Sequence[Value]:
    """Split into parts of given sizes."""
    x = use["self"]
    return use.parts(
        x, use.axis("dim", x.rank, 0), use.sizes("split_sizes" if "split_sizes" in use.node.arguments else "split_size")
    )


@imports("aten.split.Tensor", "aten.unsafe_split.Tensor", "aten.chunk.default", "aten.unsafe_chunk.default")
def split(use: Use) -> Sequence[Value]:
    """Split into parts of one size, the last of which may be smaller; the export recorded the number of parts."""
    x = use["self"]
    axis = use.axis("dim", x.rank, 0)
    count, whole = use.count, x.extent(axis)
    if "split" in use.node.operator:
        size = use.size("split_size")
    elif whole is not None:
        size = -(-whole // use.integer("chunks"))
    else:
        chunks = use.builder.number(use.integer("chunks"), DType.INT64)
        above = use.call("add", use.extent(x, axis), use.builder.number(use.integer("chunks") - 1, DType.INT64))
        size = use.written_size(use.call("floor_divide", above, chunks))
    if whole is not None and isinstance(size, int):
        return use.parts(x, axis, [min(size, whole - size * at) for at in range(count)])
    scalar = size if isinstance(size, Value) else use.builder.number(size, DType.INT64)
    before = use.call("multiply", scalar, use.builder.number(count - 1, DType.INT64))
    last = use.call("subtract", use.extent(x, axis), before)
    return use.parts(x, axis, [*[size] * (count - 1), use.written_size(last)])


@imports("aten.tensor_split.sections", "aten.hsplit.int", "aten.vsplit.int", "aten.dsplit.int")
def split_evenly(use: Use) -> Sequence[Value]:
    """Split into a number of parts; the first ones are longer by 1 if needed; an unknown size must divide evenly."""
    x, name = use["self"], use.node.operator.split(".")[1]
    axis = {"hsplit": min(1, x.rank - 1), "vsplit": 0, "dsplit": 2}.get(name)
    axis = use.axis("dim", x.rank, 0) if axis is None else axis
    count, whole = use.count, x.extent(axis)
    if whole is None:
        return use.counted(use.call("split", x, indices_or_sections=count, axis=axis), count)
    small, more = divmod(whole, count)
    return use.parts(x, axis, [small + (at < more) for at in range(count)])


@imports("aten.tensor_split.indices", "aten.hsplit.array", "aten.vsplit.array", "aten.dsplit.array")
def split_at(use: Use) -> Sequence[Value]:
    """Split at given indices, which are clamped to the axis."""
    x, name = use["self"], use.node.operator.split(".")[1]
    axis = {"hsplit": min(1, x.rank - 1), "vsplit": 0, "dsplit": 2}.get(name)
    axis = use.axis("dim", x.rank, 0) if axis is None else axis
    places = [0, *use.sizes("indices"), LAST]
    axes = [axis] if axis else None
    return [use.call("strided_slice", x, begin=[low], end=[high], axes=axes) for low, high in pairwise(places)]


@imports("aten.unbind.int", "aten.unbind_copy.int")
def unbind(use: Use) -> Sequence[Value]:
    """All slices along an axis, which is removed."""
    x = use["self"]
    axis = use.axis("dim", x.rank, 0)
    whole = use.exactly(x, axis, use.count)
    places = [use.builder.number(at, DType.INT64) for at in range(use.count)]
    return [use.call("take", whole, place, axis=axis, mode="fast") for place in places]


@imports("aten.slice.Tensor")
def cut(use: Use) -> Value:
    """The elements from a start to an end, exclusive, along an axis.

    Start and end are clamped to the axis; negative ones count from its end.
    """
    x = use["self"]
    axis, step = use.axis("dim", x.rank, 0), use.integer("step", 1)
    start = 0 if use.given("start") is None else use.size("start")
    end = LAST if use.given("end") is None else use.size("end")
    if start == 0 and step == 1 and isinstance(end, int) and end >= LAST:
        return x
    settings = {"begin": [start], "end": [end], "strides": None if step == 1 else [step]}
    return use.call("strided_slice", x, axes=[axis] if axis else None, **settings)


@imports("aten.select.int")
def select(use: Use) -> Value:
    """The slice at one index of an axis, which is removed."""
    x = use["self"]
    return use.call("take", x, use.scalar("index", DType.INT64), axis=use.axis("dim", x.rank), mode="fast")


@imports("aten.narrow.default", "aten.narrow_copy.default")
def narrow(use: Use) -> Value:
    """A given number of elements along an axis that begin at a start; all have to be within the axis."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    start, length = use.scalar("start", DType.INT64), use.size("length")
    scalar = length if isinstance(length, Value) else use.builder.number(length, DType.INT64)
    end = use.call("add", start, scalar)
    found = use.call("strided_slice", x, begin=[use.written_size(start)], end=[use.written_size(end)], axes=[axis])
    return use.exactly(found, axis, length)


# --------------------------------------------------------------------------------------------------------- windows
@imports("aten.unfold.default", "aten.unfold_copy.default")
def windows(use: Use) -> Value:
    """The windows along an axis, whose elements become a new last axis."""
    x = use["self"]
    if not x.rank:
        return use.call("reshape", x, newshape=[1])
    axis, last = use.axis("dimension", x.rank), x.rank - 1
    order = [*(at for at in range(x.rank) if at != axis), axis]
    moved = x if axis == last else use.call("transpose", x, axes=order)
    found = use.call(
        "sliding_window", moved, axis=last, window_shape=[use.integer("size")], strides=[use.integer("step")]
    )
    back = [*range(axis), last, *range(axis, last), x.rank]
    return found if axis == last else use.call("transpose", found, axes=back)


@imports("aten.im2col.default")
def columns(use: Use) -> Value:
    """The windows of an image, each as a column."""
    x = use["self"]
    kernel, dilation, padding, stride = (
        use.integers(name) * (2 if len(use.integers(name)) == 1 else 1)
        for name in ("kernel_size", "dilation", "padding", "stride")
    )
    outer = x.rank - 2
    if any(padding):
        width = [[0, 0]] * outer + [[one, one] for one in padding]
        x = use.call("nn.pad", x, use.like(0, x), pad_width=width)
    reach = [(size - 1) * by + 1 for size, by in zip(kernel, dilation, strict=True)]
    found = use.call("sliding_window", x, axis=outer, window_shape=reach, strides=stride)
    if dilation != [1, 1]:
        axes = [outer + 2, outer + 3]
        found = use.call("strided_slice", found, begin=[0, 0], end=[LAST, LAST], strides=dilation, axes=axes)
    found = use.call("transpose", found, axes=[*range(outer), outer + 2, outer + 3, outer, outer + 1])
    for _ in range(2):
        found = use.call("reshape", found, newshape=[*[0] * (outer - 1), -3, -2])
    return use.call("reshape", found, newshape=[*[0] * outer, -3])


@imports("aten.col2im.default")
def image_of_columns(use: Use) -> Value:
    """The image in which each column is added at its window, computed by a transposed convolution with unit kernels."""
    x, sizes = use["self"], use.integers("output_size")
    kernel, dilation, padding, stride = (
        use.integers(name) * (2 if len(use.integers(name)) == 1 else 1)
        for name in ("kernel_size", "dilation", "padding", "stride")
    )
    is_single = x.rank == 2
    x = use.call("expand_dims", x, axis=0) if is_single else x
    cells, rows = kernel[0] * kernel[1], x.extent(1)
    if rows is None or rows % cells:
        raise Unsupported("channels whose number is not known here")
    geometry = list(zip(sizes, kernel, dilation, padding, stride, strict=True))
    counts = [(size + 2 * pad - by * (width - 1) - 1) // step + 1 for size, width, by, pad, step in geometry]
    spare = [
        size - ((count - 1) * step + by * (width - 1) + 1 - 2 * pad)
        for count, (size, width, by, pad, step) in zip(counts, geometry, strict=True)
    ]
    units = [float(cell == at) for cell in range(cells) for at in range(cells)] * (rows // cells)
    kernels = use.builder.constant(Tensor(units, DType.FLOAT32, (rows, 1, *kernel)), "units")
    found = use.call(
        "nn.conv2d_transpose",
        use.call("reshape", x, newshape=[0, 0, *counts]),
        use.as_type(kernels, x.dtype),
        channels=rows // cells,
        kernel_size=kernel,
        strides=stride,
        padding=padding * 2,
        output_padding=spare,
        dilation=dilation,
        groups=rows // cells,
    )
    return use.call("squeeze", found, axis=[0]) if is_single else found


# ------------------------------------------------------------------------------------------------------- diagonals
@imports("aten.diagonal.default", "aten.diagonal_copy.default")
def diagonal(use: Use) -> Value:
    """A diagonal of the matrices in two axes, as a new last axis."""
    x = use["self"]
    axes = (use.axis("dim1", x.rank, 0), use.axis("dim2", x.rank, 1))
    return diagonal_of(use, x, use.integer("offset", 0), axes)


def diagonal_of(use: Use, x: Value, offset: int, axes: tuple[int, int]) -> Value:
    """The elements (i, i + offset) of two axes, as a new last axis."""
    rest = [axis for axis in range(x.rank) if axis not in axes]
    order = [*axes, *rest]
    moved = x if order == list(range(x.rank)) else use.call("transpose", x, axes=order)
    below, above = max(-offset, 0), max(offset, 0)
    height, width = (_less(use, use.extent(moved, axis), by) for axis, by in ((0, below), (1, above)))
    end = use.call("maximum", use.call("minimum", height, width), use.builder.number(0, DType.INT64))
    parts = [use.builder.number(0, DType.INT64), end, use.builder.number(1, DType.INT64)]
    steps = use.call("arange", *parts, dtype=DType.INT64)
    places = [use.call("add", steps, use.builder.number(by, DType.INT64)) if by else steps for by in (below, above)]
    found = use.call("adv_index", use.builder.tuple([moved, *places]))
    return found if found.rank == 1 else use.call("transpose", found, axes=[*range(1, found.rank), 0])


def _less(use: Use, size: Value, by: int) -> Value:
    return use.call("subtract", size, use.builder.number(by, DType.INT64)) if by else size


@imports("aten.trace.default")
def trace(use: Use) -> Value:
    """The sum of the diagonal."""
    return use.call("sum", use.as_type(diagonal_of(use, use["self"], 0, (0, 1)), use.dtype()))


@imports("aten.diag.default", "aten.diag_embed.default")
def embedded_diagonal(use: Use) -> Value:
    """Matrices with given vectors as diagonals and zeros elsewhere; `diag` of a matrix returns its diagonal instead."""
    x, is_diag = use["self"], use.node.operator == "aten.diag.default"
    offset = use.integer("diagonal" if is_diag else "offset", 0)
    if is_diag and x.rank == 2:
        return diagonal_of(use, x, offset, (0, 1))
    rank = x.rank + 1
    axes = (rank - 2, rank - 1) if is_diag else (use.axis("dim1", rank, -2), use.axis("dim2", rank, -1))
    if offset:
        x = use.call("nn.pad", x, use.like(0, x), pad_width=[[0, 0]] * (x.rank - 1) + [[0, abs(offset)]])
    parts = [use.builder.number(0, DType.INT64), use.extent(x, x.rank - 1), use.builder.number(1, DType.INT64)]
    steps = use.call("arange", *parts, dtype=DType.INT64)
    rows = use.call("expand_dims", steps, axis=1)
    shifted = use.call("add", rows, use.builder.number(offset, DType.INT64)) if offset else rows
    mask = use.call("equal", shifted, steps)
    spread = use.call("expand_dims", x, axis=x.rank if offset > 0 else x.rank - 1)
    found = use.call("where", mask, spread, use.like(0, x))
    if axes == (rank - 2, rank - 1):
        return found
    order = [axis for axis in range(rank) if axis not in axes]
    places = {axes[0]: rank - 2, axes[1]: rank - 1} | dict(zip(order, range(rank - 2), strict=True))
    return use.call("transpose", found, axes=[places[axis] for axis in range(rank)])
