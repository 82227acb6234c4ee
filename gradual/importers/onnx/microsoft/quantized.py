"""Operators on quantized tensors: integers with a scale and a zero point; most results are quantized again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from gradual.importers.common.applying import positive
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_scalar, as_type, broadcast_into, imports
from gradual.importers.onnx.microsoft.normalizations import embed_layer_normalization
from gradual.importers.onnx.operators.quantization import (
    Codes,
    dynamically_quantized,
    operand,
    product_as_numbers,
    product_scale,
    quantized_convolution,
    requantized,
    rounded,
    scaled,
    whole_product,
)
from gradual.types.dtype import DType

microsoft = partial(imports, domain="com.microsoft")


# --------------------------------------------------------------------------------------------------- element by element
def _numbers(use: Use, codes: Codes) -> Value:
    """Dequantize to float32."""
    assert codes.scale is not None
    zero = None if codes.zero is None else as_scalar(use, codes.zero)
    return scaled(use, codes.x, as_scalar(use, codes.scale), zero)


def _codes(use: Use, numbers: Value, place: int, dtype: DType) -> Value:
    """Quantize numbers by the scale that is input `place` and the zero point that is the input after it."""
    zero = use.optional(place + 1)
    quotient = use.call("divide", numbers, as_scalar(use, use[place]))
    return rounded(use, quotient, None if zero is None else as_scalar(use, zero), dtype)


def _moved_codes(use: Use, numbers: Value, place: int, dtype: DType) -> Value:
    """As `_codes`, but round after adding the zero point; this differs for numbers half way between two integers."""
    quotient, zero = use.call("divide", numbers, as_scalar(use, use[place])), use.optional(place + 1)
    if zero is not None:
        quotient = use.call("add", quotient, as_type(use, as_scalar(use, zero), quotient.dtype))
    return rounded(use, quotient, None, dtype)


@microsoft("QLinearAdd", "QLinearMul")
def quantized_arithmetic(use: Use) -> Value:
    """The sum or the product of two quantized tensors."""
    operator = "add" if use.node.operator == "QLinearAdd" else "multiply"
    one, other = (operand(use, at, at + 1, at + 2) for at in (0, 3))
    return _moved_codes(use, use.call(operator, _numbers(use, one), _numbers(use, other)), 6, one.x.dtype)


def _mapped(function: Callable[[Use, Value], Value], use: Use) -> Value:
    """Dequantize the first input, apply the function, and quantize the result."""
    codes = operand(use, 0, 1, 2)
    return _codes(use, function(use, _numbers(use, codes)), 3, codes.x.dtype)


@microsoft("QLinearSigmoid")
def quantized_sigmoid(use: Use) -> Value:
    """1 / (1 + exp(-x))."""
    return _mapped(lambda use, x: use.call("sigmoid", x), use)


@microsoft("QLinearLeakyRelu")
def quantized_leaky_relu(use: Use) -> Value:
    """Negative elements times alpha."""
    return _mapped(lambda use, x: use.composed("LeakyRelu", x, alpha=use.attribute("alpha", 0.01)), use)


@microsoft("QLinearWhere")
def quantized_where(use: Use) -> Value:
    """An elementwise choice between two quantized tensors."""
    one, other = operand(use, 1, 2, 3), operand(use, 4, 5, 6)
    return _codes(use, use.call("where", use[0], _numbers(use, one), _numbers(use, other)), 7, one.x.dtype)


@microsoft("QLinearConcat")
def quantized_concatenation(use: Use) -> Value:
    """The concatenation of quantized tensors along an axis."""
    if len(use.inputs) < 5 or len(use.inputs) % 3 != 2:
        raise Unsupported(f"{len(use.inputs)} inputs, where each tensor has a scale and a zero point")
    parts = [_numbers(use, operand(use, at, at + 1, at + 2)) for at in range(2, len(use.inputs), 3)]
    axis = positive(use.required("axis"), parts[0].rank)
    whole = parts[0] if len(parts) == 1 else use.call("concatenate", use.builder.tuple(parts), axis=axis)
    return _codes(use, whole, 0, use[1].dtype)


# ----------------------------------------------------------------------------------------------- along axes, in windows
@microsoft("QLinearSoftmax")
def quantized_softmax(use: Use) -> Value:
    """The softmax along an axis; before version 13 of `Softmax`, along that axis and all later ones, flattened.

    The runtime quantizes the result by multiplying by the reciprocal of the scale, rounded down to an integer.
    """
    codes = operand(use, 0, 1, 2)
    x = _numbers(use, codes)
    axis = positive(use.attribute("axis", -1), x.rank)
    if use.required("opset") >= 13:
        found = use.call("nn.softmax", x, axis=axis)
    else:
        flat = use.call("reshape", x, newshape=[0] * axis + [-1])
        found = use.call("reshape_like", use.call("nn.softmax", flat, axis=-1), x)
    scale = as_scalar(use, use[3])
    steps = use.call("floor", use.call("divide", use.like(1.0, scale), scale))
    return rounded(use, use.call("multiply", found, steps), as_scalar(use, use[4]), codes.x.dtype)


@microsoft("QLinearReduceMean")
def quantized_mean(use: Use) -> Value:
    """The mean along some axes."""
    axes, kept = list(use.attribute("axes", ())) or None, bool(use.attribute("keepdims", 1))
    return _mapped(lambda use, x: use.call("mean", x, axis=axes, keepdims=kept), use)


def channels_first(use: Use, x: Value) -> Value:
    """The tensor in channels-first layout, given one that is channels-last if the operator or an attribute says so."""
    return _moved(use, x, [0, x.rank - 1, *range(1, x.rank - 1)])


def as_given(use: Use, x: Value) -> Value:
    """The inverse of `channels_first`."""
    return _moved(use, x, [0, *range(2, x.rank), 1])


def _moved(use: Use, x: Value, axes: Sequence[int]) -> Value:
    last = use.node.operator.startswith("Nhwc") or use.attribute("channels_last", 0)
    return use.call("transpose", x, axes=list(axes)) if last and x.rank > 2 else x


@microsoft("QLinearGlobalAveragePool")
def quantized_mean_of_channels(use: Use) -> Value:
    """The mean of each channel."""
    return _mapped(partial(_pooled, "GlobalAveragePool"), use)


@microsoft("QLinearAveragePool")
def quantized_mean_pool(use: Use) -> Value:
    """The mean of each window."""
    codes = operand(use, 0, 1, 2)
    return _moved_codes(use, _pooled("AveragePool", use, _numbers(use, codes)), 3, codes.x.dtype)


def _pooled(operator: str, use: Use, x: Value) -> Value:
    """Apply a pool of ONNX to a tensor in the layout of the node, channels-first or channels-last."""
    return as_given(use, use.composed(operator, channels_first(use, x), **use.node.attributes))


@microsoft("NhwcMaxPool")
def greatest_pool(use: Use) -> Value:
    """The maximum of each window; the channels are last."""
    return _pooled("MaxPool", use, use[0])


@microsoft("QLinearConv")
def convolution(use: Use) -> Value:
    """`QLinearConv`; the channels of data and result may be last."""
    return as_given(use, quantized_convolution(use, channels_first(use, use[0])))


# ---------------------------------------------------------------------------------------------------- products of codes
@microsoft("QGemm")
def quantized_general_product(use: Use) -> Value:
    """alpha * a * b plus a bias, whose unit is alpha times both scales; quantized if the result's scale is an input."""
    a, b, added, alpha = operand(use, 0, 1, 2), operand(use, 3, 4, 5), use.optional(6), use.attribute("alpha", 1.0)
    a, b = (
        Codes(use.call("transpose", one.x, axes=[1, 0]), one.scale, one.zero)
        if use.attribute(f"trans{letter}", 0)
        else one
        for one, letter in ((a, "A"), (b, "B"))
    )
    whole = whole_product(use, a, b)
    if added is not None:
        whole = use.call("add", whole, broadcast_into(use, added, whole))
    scale = product_scale(use, a, b, None)
    scale = scale if alpha == 1 else use.call("multiply", use.like(alpha, scale), scale)
    if use.optional(7) is None:
        return use.call("multiply", as_type(use, whole, DType.FLOAT32), scale)
    return requantized(use, whole, use.call("divide", scale, as_scalar(use, use[7])), use[8])


@microsoft("MatMulIntegerToFloat")
def integer_product(use: Use) -> Value:
    """The dequantized product of two quantized matrices, plus a bias for each column."""
    return product_as_numbers(use, operand(use, 0, 2, 4), operand(use, 1, 3, 5), use.optional(6))


@microsoft("DynamicQuantizeMatMul")
def dynamic_product(use: Use) -> Value:
    """The dequantized product of a float matrix, quantized by its range, and a quantized matrix, plus a bias."""
    return product_as_numbers(use, Codes(*dynamically_quantized(use, use[0])), operand(use, 1, 2, 3), use.optional(4))


@microsoft("QEmbedLayerNormalization")
def quantized_embedding(use: Use) -> list[Value | None]:
    """`EmbedLayerNormalization` with quantized tables, scale and shift."""
    tables = [
        _numbers(use, operand(use, at, at + 6, at + 11)) if use.optional(at) is not None else None for at in range(2, 7)
    ]
    return embed_layer_normalization(replace(use, inputs=(use[0], use.optional(1), *tables, use.optional(7))))


@microsoft("MatMulInteger16")
def wide_product(use: Use) -> Value:
    """The product of matrices of 16-bit integers, in int32."""
    return whole_product(use, operand(use, 0, None, None), operand(use, 1, None, None))
