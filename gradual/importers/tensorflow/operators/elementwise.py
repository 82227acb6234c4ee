"""Elementwise operators; both operands of a binary one have one element type, and broadcast."""

from __future__ import annotations

from functools import partial

from gradual.importers.common.composed.arithmetic import Term, expm1, log1p
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import IMPORTERS, Use, imports
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType

UNARY = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Invert": "bitwise_not",
    "IsFinite": "isfinite",
    "IsInf": "isinf",
    "IsNan": "isnan",
    "Log": "log",
    "LogicalNot": "logical_not",
    "Neg": "negative",
    "Relu": "nn.relu",
    "Rint": "round",
    "Round": "round",
    "Rsqrt": "rsqrt",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}
"""TensorFlow's name -> the operator."""

BINARY = {
    "Add": "add",
    "AddV2": "add",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Div": "divide",
    "FloorDiv": "floor_divide",
    "FloorMod": "floor_mod",
    "Greater": "greater",
    "GreaterEqual": "greater_equal",
    "Less": "less",
    "LessEqual": "less_equal",
    "LogicalAnd": "logical_and",
    "LogicalOr": "logical_or",
    "Maximum": "maximum",
    "Minimum": "minimum",
    "Mod": "trunc_mod",
    "Mul": "multiply",
    "Pow": "power",
    "RealDiv": "divide",
    "Sub": "subtract",
    "TruncateDiv": "trunc_divide",
    "TruncateMod": "trunc_mod",
}


def _unary(operator: str, use: Use) -> Value:
    return use.call(operator, use[0])


def _binary(operator: str, use: Use) -> Value:
    return use.call(operator, use[0], use[1])


IMPORTERS.update({name: partial(_unary, operator) for name, operator in UNARY.items()})
IMPORTERS.update({name: partial(_binary, operator) for name, operator in BINARY.items()})


@imports("Equal", "NotEqual")
def equal(use: Use) -> Value:
    """Whether elements are equal.

    Without `incompatible_shape_error`, tensors that do not broadcast are unequal as a whole, if known sizes show it.
    """
    is_equal = use.node.operator == "Equal"
    if not use.flag("incompatible_shape_error", True) and _are_apart(use[0], use[1]):
        return use.builder.number(not is_equal, DType.BOOL)
    return use.call("equal" if is_equal else "not_equal", use[0], use[1])


def _are_apart(x: Value, y: Value) -> bool:
    """Whether the sizes that are numbers show that two tensors do not broadcast."""
    if not isinstance(x.type, TensorType) or not isinstance(y.type, TensorType):
        return False
    pairs = zip(reversed(x.type.shape), reversed(y.type.shape), strict=False)
    return any(len({1, one.value, other.value} - {None}) == 3 for one, other in pairs)


@imports("Cast")
def cast(use: Use) -> Value:
    """The elements in another type."""
    use.only("Truncate", False)
    return use.as_type(use[0], use.dtype("DstT"))


@imports("AddN", "AccumulateNV2")
def sum_of_all(use: Use) -> Value:
    """The sum of all inputs, which have one shape."""
    first, *others = use.tensors()
    for other in others:
        first = use.call("add", *use.alike(first, other))
    return first


@imports("Square")
def square(use: Use) -> Value:
    """The square."""
    return use.call("multiply", use[0], use[0])


@imports("SquaredDifference")
def squared_difference(use: Use) -> Value:
    """The square of the difference."""
    difference = use.call("subtract", use[0], use[1])
    return use.call("multiply", difference, difference)


@imports("Reciprocal", "Inv")
def reciprocal(use: Use) -> Value:
    """One divided by each element."""
    return use.call("divide", use.like(1, use[0]), use[0])


@imports("DivNoNan", "MulNoNan")
def without_nan(use: Use) -> Value:
    """The quotient or product; 0 where the second operand is 0."""
    operator = "divide" if use.node.operator == "DivNoNan" else "multiply"
    zero = use.like(0, use[1])
    return use.call("where", use.call("equal", use[1], zero), zero, use.call(operator, use[0], use[1]))


@imports("Relu6")
def relu6(use: Use) -> Value:
    """Elements limited to the range from 0 to 6."""
    return use.call("clip", use[0], a_min=0.0, a_max=6.0)


@imports("LeakyRelu")
def leaky_relu(use: Use) -> Value:
    """Elements above 0, and alpha times the others."""
    return use.call("nn.leaky_relu", use[0], alpha=use.attribute("alpha", 0.2))


@imports("Log1p")
def logarithm_of_more(use: Use) -> Value:
    """log(1 + x)."""
    return log1p(Term(use, use[0])).value


@imports("Expm1")
def exponential_less_one(use: Use) -> Value:
    """exp(x) - 1."""
    return expm1(Term(use, use[0])).value


@imports("SelectV2")
def select(use: Use) -> Value:
    """The elements of one tensor where a condition holds, and of another elsewhere."""
    return use.call("where", use[0], use[1], use[2])


@imports("Select")
def select_alike(use: Use) -> Value:
    """As `select`, for tensors of one shape; the condition has this shape, or is a scalar, or a vector for slices."""
    condition, (x, y) = use[0], use.alike(use[1], use[2])
    if condition.rank == 1:
        condition, x = use.agreeing(condition, 0, x, 0)
        condition = use.expanded(condition, range(1, x.rank))
    elif condition.rank:
        condition, x = use.alike(condition, x)
    return use.call("where", condition, x, y)


@imports("ClipByValue")
def clip(use: Use) -> Value:
    """Elements limited to a range; each end is a scalar, or has the shape of the tensor."""
    x = use[0]
    for at, operator in ((2, "minimum"), (1, "maximum")):
        x, end = use.alike(x, use[at]) if use[at].rank else (x, use[at])
        x = use.call(operator, x, end)
    return x


@imports("BiasAdd", "BiasAddV1")
def add_bias(use: Use) -> Value:
    """A number for each channel, added to all its elements."""
    x, bias = use[0], use.ranked(1, 1)
    is_first = use.attribute("data_format", "NHWC") == "NCHW"
    if isinstance(x.type, UnrankedType) and not is_first:
        sizes = use.call("shape_of", x, dtype=DType.INT64)
        last = use.call("take", sizes, use.builder.number(-1, DType.INT64), axis=0, mode="wrap")
        same = use.call("equal", last, use.extent(bias, 0))
        return use.call("add", x, use.demanded(bias, same, "there are as many biases as the last axis has places"))
    axis = 1 if is_first and x.rank > 2 else x.rank - 1
    x, bias = use.agreeing(x, axis, bias, 0)
    bias = use.expanded(bias, range(1, x.rank - axis))
    return use.call("add", x, use.as_type(bias, x.dtype))


@imports("ZerosLike", "OnesLike")
def filled_like(use: Use) -> Value:
    """Zeros or ones in the shape and type of a tensor."""
    return use.call("zeros_like" if use.node.operator == "ZerosLike" else "ones_like", use[0])
