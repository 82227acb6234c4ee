"""Elementwise operators, with PyTorch's promotion of element types."""

from __future__ import annotations

from functools import partial

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, Use, imports, promoted
from gradual.types.dtype import DType

UNARY = {
    "abs": "abs",
    "absolute": "abs",
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atanh": "atanh",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "special_erf": "erf",
    "special_expit": "sigmoid",
    "exp": "exp",
    "floor": "floor",
    "log": "log",
    "log10": "log10",
    "log2": "log2",
    "neg": "negative",
    "negative": "negative",
    "relu": "nn.relu",
    "round": "round",
    "rsqrt": "rsqrt",
    "sigmoid": "sigmoid",
    "sign": "sign",
    "sgn": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
"""ATen's name -> the operator.  It computes in the element type of the result, so that integers become floats."""
TESTS = {"isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite"}
BINARY = {
    "add": "add",
    "sub": "subtract",
    "subtract": "subtract",
    "mul": "multiply",
    "multiply": "multiply",
    "maximum": "maximum",
    "minimum": "minimum",
    "pow": "power",
    "fmod": "trunc_mod",
    "remainder": "floor_mod",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "__and__": "bitwise_and",
    "__or__": "bitwise_or",
    "__xor__": "bitwise_xor",
    "__lshift__": "left_shift",
    "__rshift__": "right_shift",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}
COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "not_equal": "not_equal",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
}
CONNECTIVES = {"logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor"}
EXTREMES = {"max": "maximum", "min": "minimum"}
_OF_BOOLEANS = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "maximum": "logical_or",
    "minimum": "logical_and",
}
"""Operator -> the operator that takes its place for booleans."""


def _unary(operator: str, use: Use) -> Value:
    return use.call(operator, use.as_type(use["self"], use.dtype()))


def _test(operator: str, use: Use) -> Value:
    x = use["self"]
    return use.call(operator, x if x.dtype.is_float else use.as_type(x, DType.FLOAT32))


def operand(use: Use, name: str, dtype: DType) -> Value:
    """An operand, given as a tensor or a number, in the element type `dtype`."""
    return use.scalar(name, dtype)


def _binary(operator: str, use: Use) -> Value:
    dtype = use.dtype()
    name = "exponent" if "exponent" in use.node.arguments else "other"
    first, second = operand(use, "self", dtype), operand(use, name, dtype)
    alpha = use.given("alpha", 1)
    if alpha != 1:
        second = use.call("multiply", second, use.scalar("alpha", dtype))
    if dtype is DType.BOOL:
        operator = _OF_BOOLEANS.get(operator, operator)
    return use.call(operator, first, second)


def together(use: Use, *names: str) -> list[Value]:
    """The operands, cast to the element type in which PyTorch computes."""
    found = [use.value(use.given(name)) for name in names]
    tensors = [one for one in found if isinstance(one, Value)]
    dtype = promoted(tensors)
    if any(isinstance(one, float) for one in found) and not dtype.is_float:
        dtype = DType.FLOAT32
    elif dtype is DType.BOOL and any(isinstance(one, int) and not isinstance(one, bool) for one in found):
        dtype = DType.INT64
    return [use.scalar(name, dtype) for name in names]


def _comparison(operator: str, use: Use) -> Value:
    return use.call(operator, *together(use, "self", "other"))


def _connective(operator: str, use: Use) -> Value:
    return use.call(operator, *(truth(use, use[name]) for name in ("self", "other")))


def truth(use: Use, value: Value) -> Value:
    """Whether each element is not 0."""
    return value if value.dtype is DType.BOOL else use.call("not_equal", value, use.like(0, value))


IMPORTERS |= {f"aten.{name}.default": partial(_unary, operator) for name, operator in UNARY.items()}
IMPORTERS |= {f"aten.{name}.default": partial(_test, operator) for name, operator in TESTS.items()}
_FORMS = {
    **dict.fromkeys(("maximum", "minimum"), ("default",)),
    "pow": ("Tensor_Tensor", "Tensor_Scalar", "Scalar"),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ("Tensor", "Scalar", "Scalar_Tensor")),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), ("Tensor", "Tensor_Scalar", "Scalar_Tensor")),
    "remainder": ("Tensor", "Scalar", "Scalar_Tensor"),
}
"""Operator -> the names of its overloads for tensors and numbers, if they are not `Tensor` and `Scalar`."""
for _names, _importer in ((BINARY, _binary), (COMPARISONS, _comparison)):
    for _name, _operator in _names.items():
        for _form in _FORMS.get(_name, ("Tensor", "Scalar")):
            IMPORTERS[f"aten.{_name}.{_form}"] = partial(_importer, _operator)
IMPORTERS |= {f"aten.{name}.other": partial(_binary, operator) for name, operator in EXTREMES.items()}
IMPORTERS |= {f"aten.{name}.default": partial(_connective, operator) for name, operator in CONNECTIVES.items()}


def _quotients() -> list[str]:
    forms = ("Tensor", "Scalar", "Tensor_mode", "Scalar_mode")
    found = [f"aten.{name}.{form}" for name in ("div", "divide") for form in forms]
    return [*found, *(f"aten.true_divide.{form}" for form in forms[:2])]


@imports(*_quotients())
def divide(use: Use) -> Value:
    """The quotient; with `rounding_mode` it is rounded down or toward zero."""
    dtype = use.dtype()
    operator = {None: "divide", "floor": "floor_divide", "trunc": "trunc_divide"}[use.given("rounding_mode")]
    return use.call(operator, operand(use, "self", dtype), operand(use, "other", dtype))


@imports("aten.floor_divide.default", "aten.floor_divide.Scalar")
def floor_divide(use: Use) -> Value:
    """The quotient, rounded down."""
    dtype = use.dtype()
    return use.call("floor_divide", operand(use, "self", dtype), operand(use, "other", dtype))


@imports("aten.rsub.Scalar", "aten.rsub.Tensor")
def reverse_subtract(use: Use) -> Value:
    """The second operand minus `alpha` times the first."""
    dtype = use.dtype()
    x = use.as_type(use["self"], dtype)
    if use.given("alpha", 1) != 1:
        x = use.call("multiply", x, use.scalar("alpha", dtype))
    return use.call("subtract", operand(use, "other", dtype), x)


@imports("aten.reciprocal.default")
def reciprocal(use: Use) -> Value:
    """1 / x."""
    x = use.as_type(use["self"], use.dtype())
    return use.call("divide", use.like(1.0, x), x)


@imports("aten.square.default")
def square(use: Use) -> Value:
    """The square."""
    return use.call("multiply", use["self"], use["self"])


@imports("aten.logical_not.default", "aten.bitwise_not.default")
def negation(use: Use) -> Value:
    """Logical not; the bitwise operator inverts each bit of integers."""
    x = use["self"]
    if use.node.operator.startswith("aten.bitwise") and x.dtype is not DType.BOOL:
        return use.call("bitwise_not", x)
    return use.call("logical_not", truth(use, x))


@imports("aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf", "aten.where.Scalar")
def where(use: Use) -> Value:
    """The elements of `self` where the condition holds, those of `other` elsewhere."""
    dtype = use.dtype()
    return use.call("where", use["condition"], operand(use, "self", dtype), operand(use, "other", dtype))


@imports("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(use: Use) -> Value:
    """The tensor with a number in place of each element where a mask holds."""
    x = use["self"]
    return use.call("where", use["mask"], use.scalar("value", x.dtype), x)


@imports(
    *(f"aten.{name}.{form}" for name in ("clamp", "clip") for form in ("default", "Tensor")),
    *(f"aten.clamp_{name}.{form}" for name in ("min", "max") for form in ("default", "Tensor")),
)
def clamp(use: Use) -> Value:
    """Each element limited to a range; either bound may be left out."""
    dtype = use.dtype()
    found = use.as_type(use["self"], dtype)
    for name, operator in (("min", "maximum"), ("max", "minimum")):
        if use.given(name) is not None:
            found = use.call(operator, found, use.scalar(name, dtype))
    return found


@imports(
    "aten.alias.default",
    "aten.clone.default",
    "aten.contiguous.default",
    "aten.detach.default",
    "aten.detach_.default",
    "aten.dropout.default",
    "aten.feature_dropout.default",
    "aten.alpha_dropout.default",
    "aten.feature_alpha_dropout.default",
    "aten.resolve_conj.default",
    "aten.resolve_neg.default",
    "aten.conj.default",
    "aten.real.default",
    "aten.lift_fresh.default",
    "aten.data.default",
    "aten.lift_fresh_copy.default",
    "aten.to.device",
    "aten._to_copy.default",
    "aten.to.dtype",
    "aten.to.dtype_layout",
    "aten.type_as.default",
    "aten.to.other",
    "aten.positive.default",
    "prims.convert_element_type.default",
    "prims.device_put.default",
    "prims.view_of.default",
)
def same(use: Use) -> Value:
    """The operand itself, or cast to the recorded element type; dropout is the identity at inference."""
    if use.given("train", False):
        raise Unsupported("training")
    (name, *_) = (name for name in ("self", "input", "a") if name in use.node.arguments)
    return use.as_type(use[name], use.dtype())
