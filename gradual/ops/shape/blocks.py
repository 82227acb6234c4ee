"""Blocks: moving elements between space and channels or batch, dilation, and a first-in-first-out buffer."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.dims.term.constraint import at_most, divides
from gradual.dims.term.dim import Dim, maximum, product
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, batch_of
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, axis_of, judged, same_dtype, tensor
from gradual.ops.declaration.windows import arranged, at_least, ordered, places, restored, surrounded
from gradual.tensors.index import before, numel, offsets, permuted, strides
from gradual.tensors.scalar import converted, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]
Dims = tuple[Dim, ...]


# ------------------------------------------------------------------------------------------------ depth and space
def _depth_to_space(data: Tensor, *, block_size: int, layout: str, mode: str) -> Tensor:
    batch, channels, height, width = ordered(data.shape, layout, "NCHW")
    cells, share = permuted(data.elements, data.shape, places(layout, "NCHW", "layout")), channels // block_size**2
    if mode == "DCR":
        shape, axes = (batch, block_size, block_size, share, height, width), (0, 3, 4, 1, 5, 2)
    else:
        shape, axes = (batch, share, block_size, block_size, height, width), (0, 1, 4, 2, 5, 3)
    result = (batch, share, height * block_size, width * block_size)
    return restored(permuted(cells, shape, axes), result, layout, data.dtype)


@operator(
    "nn.depth_to_space",
    meaning=_depth_to_space,
    family="blocks",
    padding=Padding(batch_of("layout")),
    onnx="DepthToSpace",
)
def depth_to_space(
    data: TensorType[Dim], *, block_size: Dim = ONE, layout: str = "NCHW", mode: str = "DCR"
) -> Judgement:
    """Channels laid out as square blocks.   t[n, c, h, w] -> t[n, c // (b * b), h * b, w * b], b the block size

        out[n, k, y, x] = data[n, (y % b * b + x % b) * m + k, y // b, x // b]  with mode "DCR", m = c // (b * b)
        out[n, k, y, x] = data[n, k * b * b + y % b * b + x % b, y // b, x // b]  with mode "CDR" or "CRD"

    b is `block_size`.  The channels c are a multiple of b * b [op.nn.depth_to_space.blocks], and b is at least 1
    [op.window.positive].
    """
    axes = places(layout, "NCHW", "layout")
    given = tensor(data, 0, rank=4)
    if mode not in ("DCR", "CDR", "CRD"):
        raise IllFormed("op.attribute", f'mode has to be one of DCR, CDR, CRD, not "{mode}"')
    batch, channels, height, width = (given.shape[axis] for axis in axes)
    area, says = block_size * block_size, "the channels are not a multiple of block_size * block_size"
    whole = Need(divides(area, channels), "op.nn.depth_to_space.blocks", says, ((0, axes[1]),))
    shape = (batch, channels // area, height * block_size, width * block_size)
    needs = (*at_least(ONE, (block_size,), "block_size"), whole)
    return judged(arranged(shape, layout, "NCHW"), given.dtype, needs)


def _space_to_depth(data: Tensor, *, block_size: int, layout: str, mode: str) -> Tensor:
    batch, channels, height, width = ordered(data.shape, layout, "NCHW")
    cells = permuted(data.elements, data.shape, places(layout, "NCHW", "layout"))
    rows, columns = height // block_size, width // block_size
    found = permuted(cells, (batch, channels, rows, block_size, columns, block_size), (0, 3, 5, 1, 2, 4))
    return restored(found, (batch, channels * block_size**2, rows, columns), layout, data.dtype)


@operator(
    "nn.space_to_depth",
    meaning=_space_to_depth,
    family="blocks",
    padding=Padding(batch_of("layout")),
    onnx="SpaceToDepth",
)
def space_to_depth(
    data: TensorType[Dim], *, block_size: Dim = ONE, layout: str = "NCHW", mode: str = "DCR"
) -> Judgement:
    """Square blocks laid out as channels.   t[n, c, h, w] -> t[n, c * b * b, h // b, w // b], b the block size

        out[n, (i * b + j) * c + k, y, x] = data[n, k, y * b + i, x * b + j]  for i and j below b = block_size

    Height and width are multiples of b [op.nn.space_to_depth.blocks], and b is at least 1 [op.window.positive].  The
    mode is "DCR" or empty.
    """
    axes = places(layout, "NCHW", "layout")
    given = tensor(data, 0, rank=4)
    if mode not in ("DCR", ""):
        raise IllFormed("op.attribute", f'mode has to be DCR, not "{mode}"')
    batch, channels, *space = (given.shape[axis] for axis in axes)
    says = "height or width is not a multiple of block_size"
    whole = (
        Need(divides(block_size, extent), "op.nn.space_to_depth.blocks", says, ((0, axis),))
        for axis, extent in zip(axes[2:], space, strict=True)
    )
    shape = (batch, channels * block_size * block_size, *(extent // block_size for extent in space))
    needs = (*at_least(ONE, (block_size,), "block_size"), *whole)
    return judged(arranged(shape, layout, "NCHW"), given.dtype, needs)


# ------------------------------------------------------------------------------------------------- batch and space
def _moved(data: Tensor, widths: Sequence[tuple[int, int]], value: float) -> tuple[Sequence[object], Ints]:
    """Pad the axes after the first or, with negative widths, cut them; return elements and shape."""
    rest = [(0, 0)] * (data.rank - 1 - len(widths))
    (fill,) = converted(DType.FLOAT64, data.dtype, (value,))
    volume = surrounded(data.elements, data.shape, [(0, 0), *widths, *rest], fill, 1)
    return kept(data.dtype, volume.cells), volume.shape


def _space_to_batch(
    data: Tensor, *, block_shape: Ints, paddings: tuple[tuple[int, int], ...], pad_value: float
) -> Tensor:
    cells, (batch, *extents) = _moved(data, paddings, pad_value)
    count = len(block_shape)
    counts = [extent // block for extent, block in zip(extents, block_shape, strict=False)]
    split = [part for pair in zip(counts, block_shape, strict=True) for part in pair]
    inner = [*range(1, 2 * count + 1, 2), *range(2 * count + 1, len(extents) + count + 1)]
    axes = [*range(2, 2 * count + 1, 2), 0, *inner]
    found = permuted(cells, (batch, *split, *extents[count:]), axes)
    return tensor_of((batch * numel(block_shape), *counts, *extents[count:]), data.dtype, found)


def _spatial(data: TensorType[Dim], blocks: Dims, widths: Sequence[object], name: str) -> TensorType[Dim]:
    """The argument, which has a batch axis and one for each block size; raises IllFormed if widths are not as many."""
    given = tensor(data, 0, least=1 + len(blocks))
    if len(widths) != len(blocks):
        raise IllFormed("op.attribute", f"{name} has to have {len(blocks)} pairs, not {len(widths)}")
    return given


@operator("nn.space_to_batch_nd", meaning=_space_to_batch, family="blocks")
def space_to_batch_nd(
    data: TensorType[Dim],
    *,
    block_shape: tuple[Dim, ...],
    paddings: tuple[tuple[Dim, Dim], ...],
    pad_value: float = 0.0,
) -> Judgement:
    """Blocks laid out as a batch.   t[n, ..s, ..r] -> t[n * product(block_shape), ..(s + before + after) // block, ..r]

        out[j * n + i, ..q, ..r] = data[i, ..(q * block + k - before), ..r]

    k counts the places in a block, and j is the number of k in row-major order of `block_shape`; elements outside of
    the data are `pad_value`, converted as by `cast`.  Each axis after the first, plus its two `paddings`, is a
    multiple of its block size [op.nn.space_to_batch_nd.blocks].  Paddings are at least 0, and block sizes at least 1
    [op.window.positive].
    """
    given = _spatial(data, block_shape, paddings, "paddings")
    count, says = len(block_shape), "a padded axis is not a multiple of its block size"
    wide = [
        extent + before + after for extent, (before, after) in zip(given.shape[1 : count + 1], paddings, strict=True)
    ]
    needs = (
        *at_least(ONE, block_shape, "block_shape"),
        *at_least(ZERO, (side for pair in paddings for side in pair), "paddings"),
        *(
            Need(divides(block, extent), "op.nn.space_to_batch_nd.blocks", says, ((0, axis),))
            for axis, (block, extent) in enumerate(zip(block_shape, wide, strict=True), 1)
        ),
    )
    counts = (extent // block for extent, block in zip(wide, block_shape, strict=True))
    return judged((given.shape[0] * product(block_shape), *counts, *given.shape[count + 1 :]), given.dtype, needs)


def _batch_to_space(data: Tensor, *, block_shape: Ints, crops: tuple[tuple[int, int], ...]) -> Tensor:
    batch, *extents = data.shape
    count = len(block_shape)
    batch //= numel(block_shape)
    paired = [axis for place in range(count) for axis in (count + 1 + place, place)]
    axes = [count, *paired, *range(2 * count + 1, len(extents) + count + 1)]
    found = permuted(data.elements, (*block_shape, batch, *extents), axes)
    grown = [extent * block for extent, block in zip(extents, block_shape, strict=False)]
    whole = tensor_of((batch, *grown, *extents[count:]), data.dtype, found)
    cells, shape = _moved(whole, [(-before, -after) for before, after in crops], 0.0)
    return tensor_of(shape, data.dtype, cells)


@operator("nn.batch_to_space_nd", meaning=_batch_to_space, family="blocks")
def batch_to_space_nd(
    data: TensorType[Dim], *, block_shape: tuple[Dim, ...], crops: tuple[tuple[Dim, Dim], ...]
) -> Judgement:
    """A batch laid out as blocks.   t[n, ..s, ..r] -> t[n // product(block_shape), ..s * block - before - after, ..r]

        out[i, ..p, ..r] = data[j * m + i, ..((p + before) // block), ..r],  m = n // product(block_shape)

    j is the number of (p + before) % block in row-major order of `block_shape`.  The batch n is a multiple of the
    product of the block sizes [op.nn.batch_to_space_nd.blocks], which are at least 1; crops are at least 0
    [op.window.positive], and the two `crops` of an axis are together no longer than it, s * block
    [op.nn.batch_to_space_nd.crops].
    """
    given = _spatial(data, block_shape, crops, "crops")
    count, whole = len(block_shape), product(block_shape)
    pairs = zip(given.shape[1 : count + 1], block_shape, crops, strict=True)
    space = [extent * block - before - after for extent, block, (before, after) in pairs]
    split, cut = "the batch is not a multiple of the product of block_shape", "the crops are larger than the axis"
    needs = (
        *at_least(ONE, block_shape, "block_shape"),
        *at_least(ZERO, (side for pair in crops for side in pair), "crops"),
        Need(divides(whole, given.shape[0]), "op.nn.batch_to_space_nd.blocks", split, ((0, 0),)),
        *(
            Need(at_most(ZERO, extent), "op.nn.batch_to_space_nd.crops", cut, ((0, axis),))
            for axis, extent in enumerate(space, 1)
        ),
    )
    return judged((given.shape[0] // whole, *space, *given.shape[count + 1 :]), given.dtype, needs)


# --------------------------------------------------------------------------------------------- dilate, fifo_buffer
def _dilate(x: Tensor, *, strides: Ints, dilation_value: float) -> Tensor:
    shape = tuple(max((extent - 1) * step + 1, 0) for extent, step in zip(x.shape, strides, strict=True))
    found = kept(x.dtype, converted(DType.FLOAT64, x.dtype, (dilation_value,))) * numel(shape)
    for at, element in zip(offsets(x.shape, _apart(shape, strides)), x.elements, strict=True):
        found[at] = element
    return tensor_of(shape, x.dtype, found)


def _apart(shape: Ints, steps: Ints) -> list[int]:
    """The distance in elements between `steps` indices along each axis of the shape."""
    return [width * step for width, step in zip(strides(shape), steps, strict=True)]


@operator("nn.dilate", meaning=_dilate, family="blocks")
def dilate(x: TensorType[Dim], *, strides: tuple[Dim, ...] = (ONE, ONE), dilation_value: float = 0.0) -> Judgement:
    """Elements moved apart, with a value between them.   t[..a] -> t[..max((a - 1) * stride + 1, 0)]

        out[i * strides[0], j * strides[1], ..] = x[i, j, ..],  and dilation_value, converted as by `cast`, elsewhere

    There is a stride for each axis, 1 or more [op.window.positive].  An empty axis stays empty.
    """
    given = tensor(x, 0)
    if len(strides) != given.rank:
        raise IllFormed("op.attribute", f"strides has to have {given.rank} elements, not {len(strides)}")
    shape = [maximum((extent - 1) * step + 1, ZERO) for extent, step in zip(given.shape, strides, strict=True)]
    return judged(shape, given.dtype, at_least(ONE, strides, "strides"))


def _fifo_buffer(data: Tensor, buffer: Tensor, *, axis: int) -> Tensor:
    place = axis % buffer.rank
    new, old = (numel(each.shape[place:]) for each in (data, buffer))
    found = buffer.elements[:0]
    for outer in before(buffer.shape, place):
        found += buffer.elements[outer * old + new : (outer + 1) * old]
        found += data.elements[outer * new : (outer + 1) * new]
    return tensor_of(buffer.shape, buffer.dtype, found)


@operator("nn.fifo_buffer", meaning=_fifo_buffer, family="blocks", alike=(0, 1))
def fifo_buffer(data: TensorType[Dim], buffer: TensorType[Dim], *, axis: int) -> Judgement:
    """The buffer with the data pushed in at the end of an axis.   t[..a, m, ..b], t[..a, n, ..b] -> t[..a, n, ..b]

        out[..a, i, ..b] = buffer[..a, i + m, ..b] if i < n - m else data[..a, i - (n - m), ..b]

    The data is no longer than the buffer along the axis, m <= n [op.nn.fifo_buffer.fits]; along each other axis data
    and buffer have the same size [op.nn.fifo_buffer.agree].
    """
    new, old = tensor(data, 0, least=1), tensor(buffer, 1)
    tensor(old, 1, rank=new.rank)
    place, says = axis_of(axis, new.rank), "the sizes of data and buffer differ"
    needs = [
        agreement(new.shape[each], old.shape[each], "op.nn.fifo_buffer.agree", says, (0, each), (1, each))
        for each in range(new.rank)
        if each != place
    ]
    room, full = at_most(new.shape[place], old.shape[place]), "there is more data than the buffer holds"
    needs.append(Need(room, "op.nn.fifo_buffer.fits", full, ((0, place), (1, place))))
    return judged(old.shape, same_dtype(new, old), needs)
