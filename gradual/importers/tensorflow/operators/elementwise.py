"""Elementwise operators; both operands of a binary one have one element type, and broadcast."""

from __future__ import annotations

from functools import partial

from gradual.importers.common.composed.arithmetic import Term, expm1, log1p
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import IMPORTERS, Use, imports
from gradual.types.dtype import DType
from gradual.types.type import TensorType

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
    """Whether elements are equal; tensors that do not broadcast are different where that is no error."""
    is_equal = use.node.operator == "Equal"
    if not use.flag("incompatible_shape_error", True) and _are_apart(use[0], use[1]):
        return use.builder.number(not is_equal, DType.BOOL)
    return use.call("equal" if is_equal else "not_equal", use[0], use[1])


def _are_apart(x: Value, y: Value) -> bool:
    """Whether numbers among the sizes tell that two tensors do not broadcast."""
    if not isinstance(x.type, TensorType) or not isinstance(y.type, TensorType):
        return False
    pairs = zip(reversed(x.type.shape), reversed(y.type.shape), strict=False)
    return any(len({1, one.value, other.value} - {None}) == 3 for one, other in pairs)


@imports("Cast")
def cast(use: Use) -> Value:
    """The elements in another type."""
    use.only("Truncate", False)
    return use.as_type(use[0], use.dtype("DstT"))


@imports("AddN")
def sum_of_all(use: Use) -> Value:
    """The sum of all inputs."""
    first, *others = use.tensors()
    for other in others:
        first = use.call("add", first, other)
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


@imports("Select", "SelectV2")
def select(use: Use) -> Value:
    """The elements of one tensor where a condition holds, and of another elsewhere."""
    condition, x, y = use[0], use[1], use[2]
    if use.node.operator == "Select" and condition.rank == 1 and x.rank > 1:  # it selects whole slices
        condition = use.call("expand_dims", condition, axis=1, num_newaxis=x.rank - 1)
    return use.call("where", condition, x, y)


@imports("ClipByValue")
def clip(use: Use) -> Value:
    """Elements limited to a range."""
    return use.call("maximum", use.call("minimum", use[0], use[2]), use[1])


@imports("BiasAdd", "BiasAddV1")
def add_bias(use: Use) -> Value:
    """A vector added to each pixel."""
    x, bias = use[0], use.ranked(1, 1)
    if use.attribute("data_format", "NHWC") == "NCHW" and x.rank > 2:
        bias = use.call("expand_dims", bias, axis=1, num_newaxis=x.rank - 2)
    return use.call("add", x, use.as_type(bias, x.dtype) if bias.dtype is not x.dtype else bias)


@imports("ZerosLike", "OnesLike")
def filled_like(use: Use) -> Value:
    """Zeros or ones in the shape and type of a tensor."""
    return use.call("zeros_like" if use.node.operator == "ZerosLike" else "ones_like", use[0])
