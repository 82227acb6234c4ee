"""Elementwise operators of one operand: a table with one row for each."""

from __future__ import annotations

import math
import operator as exact
from typing import Any, Unpack

from gradual.dims.term.constraint import negated
from gradual.dims.term.dim import Dim, maximum
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.facts import Connective, Facts, by_type
from gradual.ops.declaration.shapes import ZERO
from gradual.ops.elementwise import ranges
from gradual.ops.elementwise.row import Row, Rule, unary
from gradual.tensors import integers, reals


def _same(value: Any) -> Any:
    return value


def _never(_: Any) -> bool:
    return False


def _always(_: Any) -> bool:
    return True


def _absolute(value: Dim) -> Dim:
    return maximum(value, -value)


def _float(name: str, says: str, function: Rule, formula: str | None = None, **facts: Unpack[Facts]) -> Row:
    """A function of floats, by default of its own name."""
    return Row(name, says, formula or f"{name}(x[i])", floats=function, facts=facts)


def _rounding(name: str, says: str, formula: str, function: Rule, **facts: Unpack[Facts]) -> Row:
    return Row(
        name, says, f"{formula};  of integers, x[i]", _same, function, on_dims=_same, on_ranges=ranges.same, facts=facts
    )


_UNARY = (
    Row(
        "copy",
        "Identity.",
        "x[i]",
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
        "-x[i]",
        exact.neg,
        exact.neg,
        on_dims=exact.neg,
        on_ranges=ranges.negated,
        facts=Facts(onnx="Neg"),
    ),
    Row(
        "abs",
        "Absolute value; the least integer stays as it is.",
        "abs(x[i])",
        abs,
        abs,
        on_dims=_absolute,
        on_ranges=ranges.absolute,
        facts=Facts(onnx="Abs"),
    ),
    Row(
        "sign",
        "The sign: 1, -1 or 0; NaN of NaN.",
        "1 if x[i] > 0, -1 if x[i] < 0, 0 if x[i] == 0, NaN if x[i] is NaN",
        integers.sign,
        reals.sign,
        on_dims=known.sign,
        on_ranges=ranges.signs,
        facts=Facts(onnx="Sign"),
    ),
    _rounding("floor", "Each element rounded down to an integer.", "floor(x[i])", reals.floor, onnx="Floor"),
    _rounding("ceil", "Each element rounded up to an integer.", "ceil(x[i])", reals.ceil, onnx="Ceil"),
    _rounding("trunc", "Each element rounded toward zero to an integer.", "trunc(x[i])", reals.trunc),
    _rounding(
        "round",
        "Each element rounded to the nearest integer, ties to even.",
        "the integer nearest to x[i], ties to even",
        reals.rint,
        onnx="Round",
    ),
    _float("exp", "e to the power of each element.", reals.exp, onnx="Exp"),
    _float("log", "Natural logarithm.", reals.logarithm(math.log), onnx="Log"),
    _float("log2", "Logarithm to base 2.", reals.logarithm(math.log2)),
    _float("log10", "Logarithm to base 10.", reals.logarithm(math.log10)),
    _float("sqrt", "Square root.", reals.sqrt, onnx="Sqrt"),
    _float("rsqrt", "1 / sqrt(x), in binary64 and then rounded to the element type.", reals.rsqrt, "1 / sqrt(x[i])"),
    _float(
        "sigmoid",
        "1 / (1 + exp(-x)), in binary64 and then rounded to the element type.",
        reals.sigmoid,
        "1 / (1 + exp(-x[i]))",
        onnx="Sigmoid",
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
    _float(
        "fast_exp",
        "The same function as `exp`; other implementations may compute an approximation.",
        reals.exp,
        "exp(x[i])",
    ),
    _float(
        "fast_tanh",
        "The same function as `tanh`; other implementations may compute an approximation.",
        math.tanh,
        "tanh(x[i])",
    ),
    _float(
        "fast_erf",
        "The same function as `erf`; other implementations may compute an approximation.",
        math.erf,
        "erf(x[i])",
    ),
    Row(
        "isnan",
        "Whether NaN.",
        "x[i] is NaN;  of integers, false",
        _never,
        math.isnan,
        tests=True,
        facts=Facts(onnx="IsNaN"),
    ),
    Row(
        "isinf",
        "Whether infinite.",
        "x[i] is inf or -inf;  of integers, false",
        _never,
        math.isinf,
        tests=True,
        facts=Facts(onnx="IsInf"),
    ),
    Row(
        "isfinite",
        "Whether neither infinite nor NaN.",
        "x[i] is neither infinite nor NaN",
        _always,
        math.isfinite,
        tests=True,
    ),
    Row(
        "logical_not",
        "Logical not.",
        "not x[i]",
        bools=exact.not_,
        on_truths=negated,
        facts=Facts(connective=Connective.NOT, onnx="Not"),
    ),
    Row(
        "bitwise_not",
        "Bitwise not.",
        "-1 - x[i], wrapped;  of booleans, not x[i]",
        exact.invert,
        bools=exact.not_,
        on_truths=negated,
        facts=Facts(connective=Connective.NOT, onnx="BitwiseNot"),
    ),
    Row(
        "nn.relu",
        "The greater of each element and +0.",
        "0 if x[i] <= 0 else x[i]",
        integers.relu,
        reals.relu,
        on_dims=lambda x: maximum(x, ZERO),
        on_ranges=ranges.not_negative,
        facts=Facts(onnx="Relu"),
    ),
)
UNARY = tuple(map(unary, _UNARY))
"""Operators of one operand."""
