"""`Col2Im`, which adds up the columns of windows to an image, and deformable convolutions."""

from __future__ import annotations

from math import prod

from gradual.importers.common.composed.arithmetic import Term, counted, extent, numbered
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports
from gradual.importers.onnx.operators.networks import of_each
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

Size = int | Value


@imports("Col2Im")
def image_of_columns(use: Use) -> Value:
    """Each column added at the position of its window in an image: a transposed convolution with unit kernels."""
    x, kernel = use[0], use[2].numbers("the shape of blocks")
    count, cells, rows = len(kernel), prod(kernel), x.extent(1)
    if not 1 <= count <= 3 or min(kernel) < 1:
        raise Unsupported(f"blocks of shape {kernel}")
    if rows is None or rows % cells:
        raise Unsupported("channels whose number is not known here")
    vector = use.exactly(use[1], 0, count)
    sizes = [use.builder.element(vector, at) for at in range(count)]
    strides, dilation = (of_each(use, name, kernel, 1) for name in ("strides", "dilations"))
    pads = of_each(use, "pads", [*kernel, *kernel], 0)
    counts: list[Size] = []
    spare: list[Size] = []
    for at, size in enumerate(sizes):
        reach = (kernel[at] - 1) * dilation[at] + 1
        beyond = counted(use, size) + (pads[at] + pads[count + at] - reach)
        counts.append(use.written_size((beyond // strides[at] + 1).value))
        spare.append(use.written_size((beyond % strides[at]).value))
    units = [float(cell == at) for cell in range(cells) for at in range(cells)] * (rows // cells)
    kernels = use.builder.constant(Tensor(units, DType.FLOAT32, (rows, 1, *kernel)), "units")
    return use.call(
        f"nn.conv{count}d_transpose",
        use.call("reshape", x, newshape=[0, 0, *counts]),
        Term(use, kernels).to(x.dtype).value,
        channels=rows // cells,
        kernel_size=kernel,
        strides=strides,
        padding=pads,
        output_padding=spare,
        dilation=dilation,
        groups=rows // cells,
    )


@imports("DeformConv")
def deformed_convolution(use: Use) -> Value:
    """A convolution in which each element of a window is sampled at an offset, and weighted by a mask."""
    x, weight, count = use[0], use[1], use.attribute("offset_group", 1)
    kernel, groups = _kernel(use, weight), use.attribute("group", 1)
    channels = x.extent(1)
    if channels is None or channels % count or x.rank != 4:
        raise Unsupported(f"a tensor of rank {x.rank} whose channels do not plainly fall into {count} groups")
    cells = prod(kernel)
    offset = _of_result(use, use[2], kernel)
    offset = use.call("reshape", offset, newshape=[0, -4, count * cells, 2, -2])
    offset = use.call("reshape", offset, newshape=[0, -4, count, cells, -2])
    mask = use.optional(4)
    if mask is not None:
        mask = use.call("reshape", _of_result(use, mask, kernel), newshape=[0, -4, count, cells, -2])
    found = []
    for at, part in enumerate(use.parts(x, 1, [channels // count] * count)):
        moves, weights = (None if one is None else _slice(use, one, at, 1) for one in (offset, mask))
        assert moves is not None
        found.append(_read(use, part, moves, weights, kernel))
    read = found[0] if count == 1 else use.call("concatenate", use.builder.tuple(found), axis=1)
    columns = use.call("reshape", read, newshape=[0, -3, -2])
    rows = use.call("reshape", weight, newshape=[0, -1, 1, 1])
    result = use.call("nn.conv2d", columns, rows, groups=groups if groups > 1 else None)
    bias = use.optional(3)
    return result if bias is None else use.call("nn.bias_add", result, bias)


def _kernel(use: Use, weight: Value) -> list[int]:
    sizes = [weight.extent(axis) for axis in range(2, weight.rank)]
    written = use.attribute("kernel_shape")
    known = [size for size in (sizes if written is None else written) if size is not None]
    if len(known) != 2:
        raise Unsupported("a kernel of other than two sizes that are known here")
    return known


def _of_result(use: Use, x: Value, kernel: list[int]) -> Value:
    """Offsets or mask, with a check that the last axes have the sizes of the result."""
    pads, strides = of_each(use, "pads", [*kernel, *kernel], 0), of_each(use, "strides", kernel, 1)
    dilation = of_each(use, "dilations", kernel, 1)
    for at, size in enumerate(kernel):
        beyond = extent(use, use[0], at + 2) + (pads[at] + pads[at + 2] - (size - 1) * dilation[at] - 1)
        x = use.exactly(x, at + 2, use.written_size((beyond // strides[at] + 1).value))
    return use.exactly(x, 0, use.written_size(use.extent(use[0], 0)))


def _slice(use: Use, x: Value, at: int, axis: int) -> Value:
    return use.call("take", x, use.builder.number(at, DType.INT64), axis=axis, mode="fast")


def _read(use: Use, x: Value, moves: Value, weights: Value | None, kernel: list[int]) -> Value:
    """The sampled elements of each window: (batch, channels, elements of the window, height, width of the result)."""
    columns, rows = (_places(use, x, _slice(use, moves, at, 2), kernel, at).value for at in (1, 0))
    grid = use.call("stack", use.builder.tuple([columns, rows]), axis=1)
    grid = use.call("reshape", grid, newshape=[0, 0, -3, 0])
    found = use.call("image.grid_sample", x, grid, padding_mode="zeros", align_corners=False)
    found = use.call("reshape", found, newshape=[0, 0, -4, prod(kernel), -1, 0])
    return found if weights is None else use.call("multiply", found, use.call("expand_dims", weights, axis=1))


def _places(use: Use, x: Value, moves: Value, kernel: list[int], at: int) -> Term:
    """The coordinates along an axis where elements of windows are sampled, scaled to [-1, 1] for `grid_sample`."""
    steps, pads = of_each(use, "strides", kernel, 1), of_each(use, "pads", [*kernel, *kernel], 0)
    dilation, cells = of_each(use, "dilations", kernel, 1), prod(kernel)
    ahead = [dilation[at] * (cell // kernel[1] if at == 0 else cell % kernel[1]) - pads[at] for cell in range(cells)]
    inside = Term(use, use.builder.constant(Tensor(ahead, DType.INT64, (cells, 1, 1))))
    begin = numbered(use, use.extent(moves, at + 2)) * steps[at]
    begin = begin if at else Term(use, use.call("expand_dims", begin.value, axis=1))
    place = Term(use, moves) + (begin + inside).to(x.dtype)
    return (place * 2.0 + 1.0) / extent(use, x, at + 2).to(x.dtype) - 1.0
