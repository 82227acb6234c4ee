"""Products and convolutions, fused with operations before or after them, and products with weights of few bits."""

from __future__ import annotations

from functools import partial

from gradual.importers.common.applying import positive
from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type, imports, of_shape, vector
from gradual.importers.onnx.microsoft.activations import activated
from gradual.importers.onnx.operators.quantization import by_block, scaled
from gradual.types.dtype import DType

microsoft = partial(imports, domain="com.microsoft")


@microsoft("FusedMatMul", "TransposeMatMul")
def fused_matrix_product(use: Use) -> Value:
    """A batched matrix product times alpha; attributes transpose the operands."""
    found = product(use, _flipped(use, use[0], "A"), _flipped(use, use[1], "B"))
    alpha = use.attribute("alpha", 1.0)
    return found if alpha == 1 else use.call("multiply", use.like(alpha, found), found)


def _flipped(use: Use, x: Value, letter: str) -> Value:
    """An operand, transposed as attributes say: its first axis moved after the other batch axes, then its matrices."""
    axes = list(range(x.rank))
    if x.rank > 1 and use.attribute(f"transBatch{letter}", 0):
        axes = [*axes[1:-1], axes[0], axes[-1]]
    if x.rank > 1 and use.attribute(f"trans{letter}", 0):
        axes = [*axes[:-2], axes[-1], axes[-2]]
    return x if axes == list(range(x.rank)) else use.call("transpose", x, axes=axes)


@microsoft("FusedGemm")
def fused_general_product(use: Use) -> Value:
    """`Gemm`, then an activation."""
    return activated(use, use.composed("Gemm", *use.inputs, **use.node.attributes))


@microsoft("FusedConv")
def fused_convolution(use: Use) -> Value:
    """`Conv` plus a tensor of the same shape, then an activation."""
    found, added = use.composed("Conv", *use.inputs[:3], **use.node.attributes), use.optional(3)
    return activated(use, found if added is None else use.call("add", found, of_shape(use, added, found)))


@microsoft("NhwcConv")
def convolution_of_channels_last(use: Use) -> Value:
    """`Conv` of an image and a weight whose channels come last."""
    x, weight = (
        use.call("transpose", one, axes=[0, one.rank - 1, *range(1, one.rank - 1)]) for one in (use[0], use[1])
    )
    found = use.composed("Conv", x, weight, use.optional(2), **use.node.attributes)
    return use.call("transpose", found, axes=[0, *range(2, found.rank), 1])


# -------------------------------------------------------------------------------------------------- weights of few bits
@microsoft("MatMulNBits")
def product_of_few_bits(use: Use) -> Value:
    """The product with a weight quantized in blocks of its rows; a byte may hold several integers."""
    if use.attribute("weight_prepacked", 0):
        raise Unsupported("a weight that is laid out for an accelerator")
    x, bias, groups = use[0], use.optional(5), use.optional(4)
    if groups is not None:
        raise Unsupported("g_idx, the groups of the rows")
    found = use.call("nn.dense", x, as_type(use, _weight(use), x.dtype))
    return found if bias is None else use.call("add", found, vector(use, bias, found))


def _weight(use: Use) -> Value:
    """The dequantized weight, with a row for each feature of the result."""
    packed, scales, zeros = use[1], use[2], use.optional(3)
    rows, features, block = (use.required(name) for name in ("N", "K", "block_size"))
    bits = use.attribute("bits", 4)
    if packed.dtype is not DType.UINT8 or bits not in (2, 4, 8) or block < 1 or block * bits % 8:
        raise Unsupported(f"blocks of {block} codes of {bits} bits in {packed.dtype}")
    count = -(-features // block)
    for axis, size in enumerate((rows, count, block * bits // 8)):
        packed = use.exactly(packed, axis, size)
    codes = _unpacked(use, packed, bits)
    scale = use.call("reshape", scales, newshape=[rows, count, 1])
    zero = _zero_points(use, zeros, bits, [rows, count])
    centred = use.call("subtract", as_type(use, codes, DType.FLOAT32), as_type(use, zero, DType.FLOAT32))
    spread = use.call("multiply", centred, as_type(use, scale, DType.FLOAT32))
    whole = use.call("reshape", spread, newshape=[rows, count * block])
    return use.call("strided_slice", whole, begin=[0, 0], end=[rows, features])


def _zero_points(use: Use, zeros: Value | None, bits: int, shape: list[int]) -> Value:
    """The zero point of each block: by default the middle of the range; else numbers, or integers packed in bytes."""
    rows, count = shape
    if zeros is None:
        return use.builder.number(1 << bits - 1, DType.INT32)
    if zeros.dtype is DType.UINT8:
        packed = use.call("reshape", zeros, newshape=[rows, -(-count * bits // 8)])
        zeros = use.call("strided_slice", _unpacked(use, packed, bits), begin=[0, 0], end=shape)
    return use.call("reshape", zeros, newshape=[*shape, 1])


@microsoft("GatherBlockQuantized")
def rows_of_few_bits(use: Use) -> Value:
    """The slices at some indices of a tensor that is quantized in blocks; a byte may hold several integers."""
    data, scales, zeros, bits = use[0], use[2], use.optional(3), use.attribute("bits", 4)
    if data.bits is None:
        if data.dtype is not DType.UINT8 or bits not in (2, 4, 8):
            raise Unsupported(f"codes of {bits} bits in {data.dtype}")
        data = _unpacked(use, data, bits)
        zeros = use.like(1 << bits - 1, data) if zeros is None else _unpacked(use, zeros, bits)
    axis, size = positive(use.attribute("quantize_axis", 1), data.rank), use.attribute("block_size", 128)
    if size < 1:
        raise Unsupported(f"block_size={size}")
    if zeros is not None and zeros.rank:
        zeros = by_block(use, data, axis, use.call("slice_like", zeros, scales, axes=[data.rank - 1]), size)
    numbers = scaled(use, data, by_block(use, data, axis, scales, size), zeros)
    along = positive(use.attribute("gather_axis", 0), data.rank)
    return use.call("take", as_type(use, numbers, scales.dtype), use[1], axis=along, mode="fast")


def _unpacked(use: Use, packed: Value, bits: int) -> Value:
    """The integers packed in the bytes of the last axis, the first in the lowest bits."""
    if bits == 8:
        return packed
    mask = use.like((1 << bits) - 1, packed)
    parts = [
        use.call("bitwise_and", use.call("right_shift", packed, use.like(at, packed)) if at else packed, mask)
        for at in range(0, 8, bits)
    ]
    shape = [*packed.shape[:-1], packed.shape[-1] * len(parts)]
    return use.call("reshape", use.call("stack", use.builder.tuple(parts), axis=packed.rank), newshape=shape)
