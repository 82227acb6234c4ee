"""Quantized tensors, in which an integer x represents `(x - zero_point) * scale`; their products and convolutions.

Sums of products are exact in int32.  Quantizing rounds to the nearest integer, ties to even, and saturates to the
bounds of the integer type.
"""

from __future__ import annotations

from functools import partial

from gradual.importers.common.applying import positive
from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.narrow import Kind
from gradual.importers.onnx.file.reading import dtype_of, element_type
from gradual.importers.onnx.importers import Use, as_scalar, as_type, broadcast_into, extent_of, imports, vector
from gradual.importers.onnx.operators.networks import convolved
from gradual.record import record
from gradual.types.dtype import DType


# --------------------------------------------------------------------------------------------- quantize and dequantize
@imports("QuantizeLinear")
@imports("QuantizeLinear", domain="com.microsoft")
def quantize_linear(use: Use) -> Value:
    """`x / scale + zero_point`, divided in the type of the scale or in the type given by `precision`."""
    x, scale, zero = use[0], use[1], use.optional(2)
    kind, divided = _quantized_type(use, zero), use.attribute("precision", 0)
    dtype = dtype_of(divided, "the quotient") if divided else scale.dtype
    dtype = dtype if dtype.is_float else DType.FLOAT32
    scale, zero = _aligned(use, x, scale, zero)
    return rounded(use, use.call("divide", as_type(use, x, dtype), as_type(use, scale, dtype)), zero, kind)


def _quantized_type(use: Use, zero: Value | None) -> DType | Kind:
    """The element type of the result: that of the zero point, or the one in an attribute."""
    written = use.attribute("output_dtype", 0)
    told = element_type(written, "the result") if written else None
    if zero is None:
        return told or DType.UINT8
    given = zero.dtype if zero.bits is None else Kind(zero.dtype, zero.bits)
    if told is not None and told != given:
        raise Unsupported(f"a zero point of {given} for a result of {told}")
    return given


@imports("DequantizeLinear")
@imports("DequantizeLinear", domain="com.microsoft")
def dequantize_linear(use: Use) -> Value:
    """`(x - zero_point) * scale`, rounded once, to the type of the result."""
    x, scale, zero, written = use[0], use[1], use.optional(2), use.attribute("output_dtype", 0)
    dtype = dtype_of(written, "the result") if written else scale.dtype
    scale, zero = _aligned(use, x, scale, zero)
    return as_type(use, scaled(use, x, scale, zero), dtype)


def _aligned(use: Use, x: Value, scale: Value, zero: Value | None) -> tuple[Value, Value | None]:
    """Scale and zero point in shapes that broadcast to a tensor: one for all, per slice of an axis, or per block."""
    block = use.attribute("block_size", 0)
    if block < 0:
        raise Unsupported(f"block_size={block}")
    if is_number(scale) and not block:
        return as_scalar(use, scale), None if zero is None else as_scalar(use, zero)
    axis = positive(use.attribute("axis", 1), x.rank)
    spread = partial(by_block, size=block) if block else _by_slice
    return spread(use, x, axis, scale), None if zero is None else spread(use, x, axis, zero)


def _by_slice(use: Use, x: Value, axis: int, value: Value) -> Value:
    """A vector with one number for each slice along an axis, shaped to broadcast to the tensor."""
    if value.rank != 1:
        raise Unsupported(f"a scale or zero point of rank {value.rank} for the slices along an axis")
    return lane(use, use.exactly(value, 0, extent_of(use, x, axis)), x.rank - 1 - axis)


def by_block(use: Use, x: Value, axis: int, value: Value, size: int) -> Value:
    """Numbers for blocks along one axis, the last of which may be smaller, repeated to the shape of the tensor."""
    if value.rank != x.rank:
        raise Unsupported(f"a scale or zero point of rank {value.rank} for the blocks of a tensor of rank {x.rank}")
    whole = x.extent(axis)
    count = _blocks(use, use.extent(x, axis), size) if whole is None else -(-whole // size)
    for place in range(x.rank):
        value = use.exactly(value, place, count if place == axis else extent_of(use, x, place))
    return use.call("slice_like", use.call("repeat", value, repeats=size, axis=axis), x, axes=[axis])


def _blocks(use: Use, extent: Value, size: int) -> Value:
    """The number of blocks of an axis."""
    return use.call("floor_divide", use.call("add", extent, use.like(size - 1, extent)), use.like(size, extent))


def is_number(value: Value) -> bool:
    """Whether a value is a scalar, or a vector of one element."""
    return value.rank == 0 or (value.rank == 1 and value.extent(0) == 1)


def lane(use: Use, vector: Value, after: int) -> Value:
    """A vector, reshaped to lie along an axis that is followed by `after` others."""
    return use.call("expand_dims", vector, axis=1, num_newaxis=after) if after else vector


def centred(use: Use, x: Value, zero: Value | None) -> Value:
    """`x - zero_point` in int32."""
    whole = as_type(use, x, DType.INT32)
    return whole if zero is None or _is_zero(zero) else use.call("subtract", whole, as_type(use, zero, DType.INT32))


def _is_zero(zero: Value) -> bool:
    return zero.elements is not None and not any(zero.elements.flat())


def scaled(use: Use, x: Value, scale: Value, zero: Value | None) -> Value:
    """`(x - zero_point) * scale`, in float32 at least."""
    return _times(use, centred(use, x, zero), scale)


def _times(use: Use, whole: Value, scale: Value) -> Value:
    """Integers times a scale, in float32 at least."""
    dtype = scale.dtype if scale.dtype is DType.FLOAT64 else DType.FLOAT32
    return use.call("multiply", as_type(use, whole, dtype), as_type(use, scale, dtype))


def rounded(use: Use, numbers: Value, zero: Value | None, kind: DType | Kind) -> Value:
    """The nearest integers, ties to even, plus a zero point, saturated to the bounds of their type."""
    found = use.call("round", numbers)
    if found.dtype.bits < 32:
        found = use.call("cast", found, dtype=DType.FLOAT32)
    if zero is not None and not _is_zero(zero):
        found = use.call("add", found, as_type(use, zero, found.dtype))
    if isinstance(kind, Kind):
        least, greatest = kind.bounds
        found = use.call("clip", found, a_min=float(least), a_max=float(greatest))
    return use.call("cast", found, dtype=kind.dtype if isinstance(kind, Kind) else kind)


@imports("DynamicQuantizeLinear")
def dynamic_quantize_linear(use: Use) -> list[Value]:
    """The input, quantized by the range of its elements."""
    return dynamically_quantized(use, use[0])


def dynamically_quantized(use: Use, x: Value) -> list[Value]:
    """The quantized elements, the scale and the zero point, for the range from the least to the greatest of them and 0.

    The range is divided in 255 steps.  If all elements are 0, the scale is 1 as in ONNX Runtime; ONNX's formula would
    divide 0 by 0.
    """
    zero, one, steps = (use.like(number, x) for number in (0.0, 1.0, 255.0))
    flat = use.call("reshape", x, newshape=[-1]) if x.rank != 1 else x
    both = use.call("concatenate", use.builder.tuple([flat, use.call("zeros", shape=[1], dtype=x.dtype)]), axis=0)
    least, greatest = (use.call(name, both, axis=[0]) for name in ("min", "max"))
    spread = use.call("divide", use.call("subtract", greatest, least), steps)
    scale = use.call("where", use.call("equal", spread, zero), one, spread)
    place = use.call("subtract", zero, use.call("divide", least, scale))
    point = rounded(use, place, None, DType.UINT8)
    return [rounded(use, use.call("divide", x, scale), point, DType.UINT8), scale, point]


# ----------------------------------------------------------------------------------------------- products, convolutions
@record
class Codes:
    """A quantized operand.

    Attributes:
        scale: None where only the integers are needed.
        zero: the zero point; None if none is given, which means 0.
    """

    x: Value
    scale: Value | None
    zero: Value | None


def operand(use: Use, x: int, scale: int | None, zero: int | None) -> Codes:
    """The operand whose integers, scale and zero point are the inputs with these indices."""
    return Codes(use[x], None if scale is None else use[scale], None if zero is None else use.optional(zero))


def rows(use: Use, value: Value | None, x: Value) -> Value | None:
    """A scale or zero point for a left operand: a single number, or one for each row."""
    if value is None or is_number(value):
        return None if value is None else as_scalar(use, value)
    if value.rank == 1 and x.rank > 1:
        return lane(use, use.exactly(value, 0, extent_of(use, x, x.rank - 2)), 1)
    return _along(use, value, x, x.rank - 1)


def columns(use: Use, value: Value | None, x: Value) -> Value | None:
    """A scale or zero point for a right operand: a single number, or one for each column."""
    if value is None or is_number(value):
        return None if value is None else as_scalar(use, value)
    if value.rank == 1 and x.rank > 1:
        return use.exactly(value, 0, extent_of(use, x, x.rank - 1))
    return _along(use, value, x, x.rank - 2)


def _along(use: Use, value: Value, x: Value, axis: int) -> Value:
    """Numbers for the rows or columns of each matrix: a tensor of the operand's rank, with size 1 in `axis`."""
    if value.rank != x.rank or x.rank < 2 or value.extent(axis) != 1:
        raise Unsupported(f"a scale or zero point of rank {value.rank} for a tensor of rank {x.rank}")
    return broadcast_into(use, value, x)


def whole_product(use: Use, a: Codes, b: Codes) -> Value:
    """The product of two matrices of integers minus their zero points, in int32."""
    left = centred(use, a.x, rows(use, a.zero, a.x))
    return product(use, left, centred(use, b.x, columns(use, b.zero, b.x)))


@imports("MatMulInteger")
def integer_matrix_product(use: Use) -> Value:
    """The product of matrices of integers, after subtracting a zero point per operand, row or column."""
    return whole_product(use, operand(use, 0, None, 2), operand(use, 1, None, 3))


@imports("QLinearMatMul")
def quantized_matrix_product(use: Use) -> Value:
    """The quantized product of quantized matrices."""
    a, b = operand(use, 0, 1, 2), operand(use, 3, 4, 5)
    return requantized(use, whole_product(use, a, b), product_scale(use, a, b, use[6]), use[7])


def product_scale(use: Use, a: Codes, b: Codes, result: Value | None) -> Value:
    """The scale of an integer product, divided by the result's scale if the result is quantized."""
    return _joint(use, rows(use, a.scale, a.x), columns(use, b.scale, b.x), result)


def _joint(use: Use, one: Value | None, other: Value | None, result: Value | None) -> Value:
    """The product of two scales, in float32, divided by the scale of the result if one is given."""
    assert one is not None and other is not None
    found = use.call("multiply", *(as_type(use, part, DType.FLOAT32) for part in (one, other)))
    return found if result is None else use.call("divide", found, as_type(use, as_scalar(use, result), DType.FLOAT32))


def requantized(use: Use, whole: Value, scale: Value, zero: Value) -> Value:
    """Integers times a scale, rounded to integers again, plus a zero point."""
    return rounded(use, _times(use, whole, scale), as_scalar(use, zero), zero.dtype)


def product_as_numbers(use: Use, a: Codes, b: Codes, bias: Value | None) -> Value:
    """The dequantized product of two quantized matrices, plus a bias for each column."""
    scale = product_scale(use, a, b, None)
    found = use.call("multiply", as_type(use, whole_product(use, a, b), scale.dtype), scale)
    return found if bias is None else use.call("add", found, vector(use, bias, found))


def whole_convolution(use: Use, x: Codes, w: Codes) -> Value:
    """The convolution of integers minus their zero points, in int32; the data are padded with their zero point."""
    zero = None if x.zero is None else as_scalar(use, x.zero)
    weight = centred(use, w.x, channels(use, w.zero, w.x, w.x.rank - 1))
    return convolved(use, centred(use, x.x, zero), weight)


def channels(use: Use, value: Value | None, weight: Value, after: int) -> Value | None:
    """A single number for a convolution, or one per channel of the result; `after` axes follow the channels."""
    if value is None or is_number(value):
        return None if value is None else as_scalar(use, value)
    if value.rank != 1:
        raise Unsupported(f"a scale or zero point of rank {value.rank} for a weight")
    return lane(use, use.exactly(value, 0, extent_of(use, weight, 0)), after)


@imports("ConvInteger")
def integer_convolution(use: Use) -> Value:
    """The convolution of integers minus a zero point: one for the data, one for the weight or each of its channels."""
    return whole_convolution(use, operand(use, 0, None, 2), operand(use, 1, None, 3))


@imports("QLinearConv")
def quantized_convolution(use: Use, data: Value | None = None) -> Value:
    """The quantized convolution of quantized data; the unit of the integer bias is the product of both scales."""
    x, w, bias = Codes(data or use[0], use[1], use.optional(2)), operand(use, 3, 4, 5), use.optional(8)
    whole = whole_convolution(use, x, w)
    whole = whole if bias is None else use.call("nn.bias_add", whole, bias)
    scale = _joint(use, as_scalar(use, use[1]), channels(use, use[4], w.x, w.x.rank - 2), use[6])
    return requantized(use, whole, scale, use[7])
