"""Elementwise operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial, reduce

from gradual.importers.common.applying import positive
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.reading import dtype_of
from gradual.importers.onnx.importers import IMPORTERS, Use, as_scalar, imports
from gradual.types.dtype import DType

UNARY = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "BitwiseNot": "bitwise_not",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "IsNaN": "isnan",
    "Log": "log",
    "Neg": "negative",
    "Not": "logical_not",
    "Relu": "nn.relu",
    "Round": "round",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}
BINARY = {
    "Add": "add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Div": "divide",
    "Equal": "equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Mul": "multiply",
    "Or": "logical_or",
    "Sub": "subtract",
    "Xor": "logical_xor",
}
WIDE = 8
"""How many operands one nested expression combines at most."""
VARIADIC = {"Max": "maximum", "Min": "minimum", "Sum": "add"}


def _unary(operator: str, use: Use) -> Value:
    return use.call(operator, use[0])


def _binary(operator: str, use: Use) -> Value:
    if use.opset < 7 and use.attribute("broadcast"):
        return use.call(operator, use[0], _aligned(use))
    if use.opset < 7:
        _alike([use[0], use[1]])
    return use.call(operator, use[0], use[1])


def _alike(values: Sequence[Value]) -> None:
    """Refuse operands whose shapes may differ, in versions that do not broadcast."""
    if any(value.tensor.shape != values[0].tensor.shape for value in values):
        raise Unsupported("operands whose shapes may differ, which this version of the operator does not broadcast")


def _aligned(use: Use) -> Value:
    """The second operand as versions before 7 broadcast it: its axes match those of the first from `axis` on."""
    axis = use.attribute("axis")
    missing = 0 if axis is None else use[0].rank - positive(axis, use[0].rank) - use[1].rank
    if missing < 0:
        raise Unsupported(f"axis={axis}")
    return use.call("expand_dims", use[1], axis=-1, num_newaxis=missing) if missing else use[1]


def _variadic(operator: str, use: Use) -> Value:
    values = [use[index] for index in range(max(len(use.inputs), 1))]
    if use.opset < 8:
        _alike(values)
    while len(values) > WIDE:  # combine in groups, so that expressions do not nest deeply
        groups = [values[at : at + WIDE] for at in range(0, len(values), WIDE)]
        values = [reduce(partial(use.call, operator), group) for group in groups]
    return reduce(partial(use.call, operator), values)


IMPORTERS |= {("", name): partial(_unary, operator) for name, operator in UNARY.items()}
IMPORTERS |= {("", name): partial(_binary, operator) for name, operator in BINARY.items()}
IMPORTERS |= {("", name): partial(_variadic, operator) for name, operator in VARIADIC.items()}


@imports("Identity")
def identity(use: Use) -> Value:
    """Identity."""
    return use[0]


@imports("Dropout")
def dropout(use: Use) -> list[Value]:
    """The operand unchanged, as at inference, and a mask that keeps every element."""
    if use.opset < 7 and not use.attribute("is_test", 0):
        raise Unsupported("training")
    ratio, training = use.optional(1), use.optional(2)
    if any(one is not None and one.rank for one in (ratio, training)):
        raise Unsupported("a vector where a number has to be")
    if training is not None and (training.constant is None or training.known("training_mode").item()):
        raise Unsupported("training")
    if not use.wants(1):
        return [use[0]]
    ones = use.call("ones_like", use[0])
    return [use[0], ones if use.opset < 10 else use.call("cast", ones, dtype=DType.BOOL)]


@imports("Mean")
def mean(use: Use) -> Value:
    """The mean of some tensors."""
    return use.call("divide", _variadic("add", use), use.like(len(use.inputs), use[0]))


@imports("Reciprocal")
def reciprocal(use: Use) -> Value:
    """1 / x."""
    return use.call("divide", use.like(1.0, use[0]), use[0])


@imports("Pow")
def power(use: Use) -> Value:
    """A power; the exponent may be of another type than the base."""
    base, exponent = use[0], use[1]
    if base.dtype is exponent.dtype:
        return use.call("power", base, exponent)
    if base.dtype.is_float or not exponent.dtype.is_float:
        return use.call("power", base, use.call("cast", exponent, dtype=base.dtype))
    return use.call("cast", use.call("power", use.call("cast", base, dtype=exponent.dtype), exponent), dtype=base.dtype)


@imports("Mod")
def modulo(use: Use) -> Value:
    """The remainder with the sign of the dividend (`fmod`) or the divisor; for floats the latter since version 28."""
    if use.opset < 28 and use[0].dtype.is_float and not use.attribute("fmod", 0):
        raise Unsupported(f"fmod=0 of elements of type {use[0].dtype}")
    return use.call("mod" if use.attribute("fmod", 0) else "floor_mod", use[0], use[1])


@imports("BitShift")
def shift(use: Use) -> Value:
    """A bit shift."""
    return use.call("left_shift" if use.required("direction") == "LEFT" else "right_shift", use[0], use[1])


@imports("Where")
def where(use: Use) -> Value:
    """An elementwise choice between two tensors."""
    return use.call("where", use[0], use[1], use[2])


@imports("Cast")
def cast(use: Use) -> Value:
    """The elements cast to another type."""
    to = use.required("to")
    if isinstance(to, str):
        raise Unsupported("an element type that is written as a word")
    return _cast(use, dtype_of(to, "the result"))


@imports("CastLike")
def cast_like(use: Use) -> Value:
    """The elements cast to the type of another tensor."""
    return _cast(use, use[1].dtype)


def _cast(use: Use, dtype: DType) -> Value:
    return use[0] if dtype is use[0].dtype else use.call("cast", use[0], dtype=dtype)


@imports("BitCast")
def bit_cast(use: Use) -> Value:
    """The elements' bits, reinterpreted as another type of the same width."""
    x, dtype = use[0], dtype_of(use.required("to"), "the result")
    if (x.dtype, dtype) == (DType.BOOL, DType.UINT8):
        return use.call("cast", x, dtype=dtype)
    return x if x.dtype is dtype else use.call("reinterpret", x, dtype=dtype)


@imports("IsInf")
def is_infinite(use: Use) -> Value:
    """Whether each element is infinite, with a sign that the attributes select."""
    found = use.call("isinf", use[0])
    zero = use.like(0.0, use[0])
    if not use.attribute("detect_negative", 1):
        found = use.call("logical_and", found, use.call("greater", use[0], zero))
    if not use.attribute("detect_positive", 1):
        found = use.call("logical_and", found, use.call("less", use[0], zero))
    return found


@imports("Clip")
def clip(use: Use) -> Value:
    """Each element, limited to bounds; older versions have the bounds as attributes."""
    low, high = use.optional(1), use.optional(2)
    if use.opset < 11:
        low, high = (
            None if use.attribute(name) is None else use.like(use.attribute(name), use[0]) for name in ("min", "max")
        )
    low, high = (None if bound is None else _number(use, bound) for bound in (low, high))
    raised = use[0] if low is None else use.call("maximum", use[0], low)
    return raised if high is None else use.call("minimum", raised, high)


def _number(use: Use, value: Value) -> Value:
    """The value as a scalar; it may be given as a vector of one element."""
    if value.rank > 1:
        raise Unsupported(f"a tensor of rank {value.rank} where a number has to be")
    return as_scalar(use, value)


# ---------------------------------------------------------------------------------------------------- activations
@imports("LeakyRelu")
def leaky_relu(use: Use) -> Value:
    """Negative elements times alpha."""
    return use.call("nn.leaky_relu", use[0], alpha=use.attribute("alpha", 0.01))


@imports("PRelu")
def parametric_relu(use: Use) -> Value:
    """Negative elements times a slope that is broadcast to them."""
    x = use[0]
    if use.opset < 7 and use[1].rank == 1 and use[1].extent(0) != 1:
        raise Unsupported("a slope for each channel, of version 6")
    return use.call("where", _negative(use, x), use.call("multiply", x, use[1]), x)


def _negative(use: Use, x: Value) -> Value:
    return use.call("less", x, use.like(0, x))


@imports("ThresholdedRelu")
def thresholded_relu(use: Use) -> Value:
    """The elements above alpha, the others 0."""
    x = use[0]
    above = use.call("greater", x, use.like(use.attribute("alpha", 1.0), x))
    return use.call("where", above, x, use.like(0.0, x))


@imports("Elu", "Selu", "Celu")
def exponential_linear(use: Use) -> Value:
    """Positive elements unchanged, negative ones exponential; `Selu` scales the result."""
    x, kind = use[0], use.node.operator
    alpha = use.attribute("alpha", 1.6732632423543772 if kind == "Selu" else 1.0)
    scale = use.attribute("gamma", 1.0507009873554805) if kind == "Selu" else 1.0
    inner = use.call("divide", x, use.like(alpha, x)) if kind == "Celu" and alpha != 1 else x
    bent = use.call("subtract", use.call("exp", inner), use.like(1.0, x))
    if alpha != 1:
        bent = use.call("multiply", use.like(alpha, x), bent)
    chosen = use.call("where", _negative(use, x), bent, x)
    return use.call("multiply", use.like(scale, x), chosen) if scale != 1 else chosen


@imports("HardSigmoid")
def hard_sigmoid(use: Use) -> Value:
    """A linear function, clamped to [0, 1]."""
    return _line(use, use.attribute("alpha", 0.2), use.attribute("beta", 0.5))


@imports("HardSwish")
def hard_swish(use: Use) -> Value:
    """The elements times a linear function of them that is clamped to [0, 1]."""
    return use.call("multiply", use[0], _line(use, 1 / 6, 0.5))


def _line(use: Use, slope: float, offset: float) -> Value:
    x = use[0]
    line = use.call("add", use.call("multiply", x, use.like(slope, x)), use.like(offset, x))
    return use.call("clip", line, a_min=0.0, a_max=1.0)


@imports("Softplus")
def softplus(use: Use) -> Value:
    """log(1 + exp(x)), computed without overflow as max(x, 0) + log(1 + exp(-|x|))."""
    return _softplus(use, use[0])


def _softplus(use: Use, x: Value) -> Value:
    small = use.call("exp", use.call("negative", use.call("abs", x)))
    bend = use.call("log", use.call("add", use.like(1.0, x), small))
    return use.call("add", use.call("maximum", x, use.like(0.0, x)), bend)


@imports("Softsign")
def softsign(use: Use) -> Value:
    """x / (1 + |x|)."""
    x = use[0]
    return use.call("divide", x, use.call("add", use.like(1.0, x), use.call("abs", x)))


@imports("Mish")
def mish(use: Use) -> Value:
    """x * tanh(softplus(x))."""
    return use.call("multiply", use[0], use.call("tanh", _softplus(use, use[0])))


@imports("Swish")
def swish(use: Use) -> Value:
    """x * sigmoid(alpha * x)."""
    x, alpha = use[0], use.attribute("alpha", 1.0)
    scaled = x if alpha == 1 else use.call("multiply", use.like(alpha, x), x)
    return use.call("multiply", x, use.call("sigmoid", scaled))


@imports("Gelu")
def gelu(use: Use) -> Value:
    """`x * Φ(x)`, where Φ is the normal distribution function; exact or approximated by tanh."""
    x = use[0]
    if use.only("approximate", "none", "tanh") == "tanh":
        cube = use.call("multiply", use.like(0.044715, x), use.call("power", x, use.like(3.0, x)))
        inner = use.call("tanh", use.call("multiply", use.like(math.sqrt(2 / math.pi), x), use.call("add", x, cube)))
    else:
        inner = use.call("erf", use.call("divide", x, use.like(math.sqrt(2), x)))
    half = use.call("multiply", use.like(0.5, x), x)
    return use.call("multiply", half, use.call("add", use.like(1.0, x), inner))


@imports("Shrink")
def shrink(use: Use) -> Value:
    """Elements of magnitude at most `lambd` become 0, the others are moved towards 0 by a bias."""
    x, bias, limit = use[0], use.attribute("bias", 0.0), use.attribute("lambd", 0.5)
    if not x.dtype.is_float:
        raise Unsupported(f"elements of type {x.dtype}")
    above = use.call("greater", x, use.like(limit, x))
    below = use.call("less", x, use.like(-limit, x))
    inner = use.call("where", below, use.call("add", x, use.like(bias, x)), use.like(0, x))
    return use.call("where", above, use.call("subtract", x, use.like(bias, x)), inner)
