"""Elementwise operators: a table with one row for each."""

from __future__ import annotations

import math
import operator as exact
from typing import Any, Unpack

from gradual.dims.term.constraint import all_of, any_of, at_least, at_most, differs, equal, less, more, negated
from gradual.dims.term.dim import Dim, maximum, minimum
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.facts import Connective, Facts, Faults, by_type
from gradual.ops.declaration.shapes import ZERO
from gradual.ops.elementwise import ranges
from gradual.ops.elementwise.row import Row, Rule, binary, unary
from gradual.tensors import integers, reals


def _comparison(
    name: str, says: str, test: Rule, on_dims: known.Rule, on_truths: known.Rule | None = None, **facts: Unpack[Facts]
) -> Row:
    facts = Facts(**facts, comparison=True)
    return Row(name, says, test, test, test, tests=True, on_dims=on_dims, on_truths=on_truths, facts=facts)


def _logical(name: str, says: str, function: Rule, on_truths: known.Rule, **facts: Unpack[Facts]) -> Row:
    return Row(name, says, bools=function, on_truths=on_truths, facts=facts)


_ARITHMETIC = (
    Row(
        "add",
        "Sum; of booleans, logical or.",
        exact.add,
        exact.add,
        exact.or_,
        on_dims=exact.add,
        on_truths=any_of,
        on_ranges=ranges.added,
        facts=Facts(connective=Connective.OR, symbol="+", onnx="Add"),
    ),
    Row(
        "subtract",
        "Difference.",
        exact.sub,
        exact.sub,
        on_dims=exact.sub,
        on_ranges=ranges.subtracted,
        facts=Facts(symbol="-", onnx="Sub"),
    ),
    Row(
        "multiply",
        "Product; of booleans, logical and.",
        exact.mul,
        exact.mul,
        exact.and_,
        on_dims=exact.mul,
        on_truths=all_of,
        on_ranges=ranges.multiplied,
        facts=Facts(connective=Connective.AND, symbol="*", onnx="Mul"),
    ),
    Row(
        "divide",
        "Quotient; of integers, rounded toward zero.",
        integers.dividing(integers.trunc_divide),
        reals.divide,
        on_dims=known.trunc_quotient,
        on_ranges=ranges.truncated,
        facts=Facts(faults=Faults.ZERO_DIVISOR, symbol="/", onnx="Div"),
    ),
    Row(
        "floor_divide",
        "Quotient rounded down; of floats, after it has been rounded to the type.",
        integers.dividing(exact.floordiv),
        reals.divide,
        then=reals.floor,
        on_dims=known.floor_quotient,
        on_ranges=ranges.floored,
        facts=Facts(faults=Faults.ZERO_DIVISOR, symbol="//", onnx="Div"),
    ),
    Row(
        "trunc_divide",
        "Quotient rounded toward zero; of floats, after it has been rounded to the type.",
        integers.dividing(integers.trunc_divide),
        reals.divide,
        then=reals.trunc,
        on_dims=known.trunc_quotient,
        on_ranges=ranges.truncated,
        facts=Facts(faults=Faults.ZERO_DIVISOR, onnx="Div"),
    ),
    Row(
        "mod",
        "Remainder with the sign of the dividend.",
        integers.dividing(integers.trunc_mod),
        reals.remainder_trunc,
        on_dims=known.trunc_remainder,
        on_ranges=ranges.trunc_remainder,
        facts=Facts(faults=Faults.ZERO_DIVISOR, onnx="Mod"),
    ),
    Row(
        "trunc_mod",
        "Remainder with the sign of the dividend.",
        integers.dividing(integers.trunc_mod),
        reals.remainder_trunc,
        on_dims=known.trunc_remainder,
        on_ranges=ranges.trunc_remainder,
        facts=Facts(faults=Faults.ZERO_DIVISOR, onnx="Mod"),
    ),
    Row(
        "floor_mod",
        "Remainder with the sign of the divisor.",
        integers.dividing(exact.mod),
        reals.remainder_floor,
        on_dims=known.floor_remainder,
        on_ranges=ranges.floor_remainder,
        facts=Facts(faults=Faults.ZERO_DIVISOR, symbol="%", onnx="Mod"),
    ),
    Row(
        "power",
        "Power; a negative integer exponent is a fault.",
        integers.power,
        reals.power,
        on_dims=known.power,
        facts=Facts(faults=Faults.NEGATIVE_OPERAND, onnx="Pow"),
    ),
    Row(
        "maximum",
        "The greater; NaN if either is NaN.",
        max,
        reals.maximum,
        exact.or_,
        on_dims=maximum,
        on_truths=any_of,
        on_ranges=ranges.greater,
        facts=Facts(connective=Connective.OR, onnx="Max"),
    ),
    Row(
        "minimum",
        "The lesser; NaN if either is NaN.",
        min,
        reals.minimum,
        exact.and_,
        on_dims=minimum,
        on_truths=all_of,
        on_ranges=ranges.lesser,
        facts=Facts(connective=Connective.AND, onnx="Min"),
    ),
    Row(
        "left_shift",
        "Shift toward the high bits; by more than the width gives 0, by a negative count is a fault.",
        integers.shifting(exact.lshift),
        on_dims=known.shifted_left,
        facts=Facts(faults=Faults.NEGATIVE_OPERAND, onnx="BitShift"),
    ),
    Row(
        "right_shift",
        "Shift toward the low bits, which keeps the sign; by a negative count is a fault.",
        integers.shifting(exact.rshift),
        on_dims=known.shifted_right,
        on_ranges=ranges.shifted_right,
        facts=Facts(faults=Faults.NEGATIVE_OPERAND, onnx="BitShift"),
    ),
)
_LOGIC = (
    _logical("logical_and", "Logical and.", exact.and_, all_of, connective=Connective.AND, onnx="And"),
    _logical("logical_or", "Logical or.", exact.or_, any_of, connective=Connective.OR, onnx="Or"),
    _logical("logical_xor", "Logical exclusive or.", exact.xor, known.unlike, onnx="Xor"),
    Row(
        "bitwise_and",
        "Bitwise and.",
        exact.and_,
        bools=exact.and_,
        on_truths=all_of,
        facts=Facts(connective=Connective.AND, onnx="BitwiseAnd"),
    ),
    Row(
        "bitwise_or",
        "Bitwise or.",
        exact.or_,
        bools=exact.or_,
        on_truths=any_of,
        facts=Facts(connective=Connective.OR, onnx="BitwiseOr"),
    ),
    Row(
        "bitwise_xor",
        "Bitwise exclusive or.",
        exact.xor,
        bools=exact.xor,
        on_truths=known.unlike,
        facts=Facts(onnx="BitwiseXor"),
    ),
)
_COMPARISONS = (
    _comparison("equal", "Whether equal; NaN equals nothing.", exact.eq, equal, known.iff, symbol="==", onnx="Equal"),
    _comparison(
        "not_equal", "Whether different; NaN differs from everything.", exact.ne, differs, known.unlike, symbol="!="
    ),
    _comparison("less", "Whether less.", exact.lt, less, symbol="<", onnx="Less"),
    _comparison("less_equal", "Whether less or equal.", exact.le, at_most, symbol="<=", onnx="LessOrEqual"),
    _comparison("greater", "Whether greater.", exact.gt, more, symbol=">", onnx="Greater"),
    _comparison("greater_equal", "Whether greater or equal.", exact.ge, at_least, symbol=">=", onnx="GreaterOrEqual"),
)
BINARY = tuple(map(binary, (*_ARITHMETIC, *_LOGIC, *_COMPARISONS)))
"""Operators of two operands."""


def _same(value: Any) -> Any:
    return value


def _never(_: Any) -> bool:
    return False


def _always(_: Any) -> bool:
    return True


def _absolute(value: Dim) -> Dim:
    return maximum(value, -value)


def _float(name: str, says: str, function: Rule, **facts: Unpack[Facts]) -> Row:
    return Row(name, says, floats=function, facts=facts)


def _rounding(name: str, says: str, function: Rule, **facts: Unpack[Facts]) -> Row:
    return Row(name, says, _same, function, on_dims=_same, on_ranges=ranges.same, facts=facts)


_UNARY = (
    Row(
        "copy",
        "Identity.",
        _same,
        _same,
        _same,
        on_dims=_same,
        on_truths=_same,
        on_ranges=ranges.same,
        facts=Facts(identity=by_type, connective=Connective.SAME, onnx="Identity"),
    ),
    Row(
        "negative",
        "Negation.",
        exact.neg,
        exact.neg,
        on_dims=exact.neg,
        on_ranges=ranges.negated,
        facts=Facts(onnx="Neg"),
    ),
    Row(
        "abs",
        "Absolute value; the least integer stays as it is.",
        abs,
        abs,
        on_dims=_absolute,
        on_ranges=ranges.absolute,
        facts=Facts(onnx="Abs"),
    ),
    Row(
        "sign",
        "The sign: 1, -1 or 0; NaN of NaN.",
        integers.sign,
        reals.sign,
        on_dims=known.sign,
        on_ranges=ranges.signs,
        facts=Facts(onnx="Sign"),
    ),
    _rounding("floor", "Each element rounded down to an integer.", reals.floor, onnx="Floor"),
    _rounding("ceil", "Each element rounded up to an integer.", reals.ceil, onnx="Ceil"),
    _rounding("trunc", "Each element rounded toward zero to an integer.", reals.trunc),
    _rounding("round", "Each element rounded to the nearest integer, ties to even.", reals.rint, onnx="Round"),
    _float("exp", "e to the power of each element.", reals.exp, onnx="Exp"),
    _float("log", "Natural logarithm.", reals.logarithm(math.log), onnx="Log"),
    _float("log2", "Logarithm to base 2.", reals.logarithm(math.log2)),
    _float("log10", "Logarithm to base 10.", reals.logarithm(math.log10)),
    _float("sqrt", "Square root.", reals.sqrt, onnx="Sqrt"),
    _float("rsqrt", "1 / sqrt(x), in binary64 and then rounded to the element type.", reals.rsqrt),
    _float(
        "sigmoid", "1 / (1 + exp(-x)), in binary64 and then rounded to the element type.", reals.sigmoid, onnx="Sigmoid"
    ),
    _float("erf", "Error function.", math.erf, onnx="Erf"),
    _float("sin", "Sine.", reals.within(math.sin), onnx="Sin"),
    _float("cos", "Cosine.", reals.within(math.cos), onnx="Cos"),
    _float("tan", "Tangent.", reals.within(math.tan), onnx="Tan"),
    _float("asin", "Inverse sine.", reals.within(math.asin), onnx="Asin"),
    _float("acos", "Inverse cosine.", reals.within(math.acos), onnx="Acos"),
    _float("atan", "Inverse tangent.", math.atan, onnx="Atan"),
    _float("sinh", "Hyperbolic sine.", reals.within(math.sinh), onnx="Sinh"),
    _float("cosh", "Hyperbolic cosine.", reals.cosh, onnx="Cosh"),
    _float("tanh", "Hyperbolic tangent.", math.tanh, onnx="Tanh"),
    _float("asinh", "Inverse hyperbolic sine.", math.asinh, onnx="Asinh"),
    _float("acosh", "Inverse hyperbolic cosine.", reals.within(math.acosh), onnx="Acosh"),
    _float("atanh", "Inverse hyperbolic tangent.", reals.atanh, onnx="Atanh"),
    _float("fast_exp", "The same function as `exp`; other implementations may compute an approximation.", reals.exp),
    _float("fast_tanh", "The same function as `tanh`; other implementations may compute an approximation.", math.tanh),
    _float("fast_erf", "The same function as `erf`; other implementations may compute an approximation.", math.erf),
    Row("isnan", "Whether NaN.", _never, math.isnan, tests=True, facts=Facts(onnx="IsNaN")),
    Row("isinf", "Whether infinite.", _never, math.isinf, tests=True, facts=Facts(onnx="IsInf")),
    Row("isfinite", "Whether neither infinite nor NaN.", _always, math.isfinite, tests=True),
    _logical("logical_not", "Logical not.", exact.not_, negated, connective=Connective.NOT, onnx="Not"),
    Row(
        "bitwise_not",
        "Bitwise not.",
        exact.invert,
        bools=exact.not_,
        on_truths=negated,
        facts=Facts(connective=Connective.NOT, onnx="BitwiseNot"),
    ),
    Row(
        "nn.relu",
        "The greater of each element and +0.",
        integers.relu,
        reals.relu,
        on_dims=lambda x: maximum(x, ZERO),
        on_ranges=ranges.not_negative,
        facts=Facts(onnx="Relu"),
    ),
)
UNARY = tuple(map(unary, _UNARY))
"""Operators of one operand."""
