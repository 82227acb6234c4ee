"""Elementwise operators of two operands: a table with one row for each."""

from __future__ import annotations

import operator as exact
from typing import Unpack

from gradual.dims.term.constraint import all_of, any_of, at_least, at_most, differs, equal, less, more
from gradual.dims.term.dim import maximum, minimum
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.facts import Connective, Facts, Faults
from gradual.ops.elementwise import ranges
from gradual.ops.elementwise.row import Row, Rule, binary
from gradual.tensors import integers, reals


def _comparison(
    name: str,
    says: str,
    formula: str,
    test: Rule,
    on_dims: known.Rule,
    on_truths: known.Rule | None = None,
    **facts: Unpack[Facts],
) -> Row:
    facts = Facts(**facts, comparison=True)
    return Row(name, says, formula, test, test, test, tests=True, on_dims=on_dims, on_truths=on_truths, facts=facts)


def _logical(name: str, says: str, formula: str, function: Rule, on_truths: known.Rule, **facts: Unpack[Facts]) -> Row:
    return Row(name, says, formula, bools=function, on_truths=on_truths, facts=facts)


_TRUNC_REMAINDER = "x[i] - y[i] * trunc(x[i] / y[i]), exactly;  of integers, a fault where y[i] is 0"
_FLOOR_REMAINDER = (
    "r + y[i] if r != 0 and (r < 0) != (y[i] < 0) else r,  r = trunc_mod(x[i], y[i]);  a 0 has the sign of y[i]"
)

_ARITHMETIC = (
    Row(
        "add",
        "Sum; of booleans, logical or.",
        "x[i] + y[i];  of booleans, x[i] or y[i]",
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
        "x[i] - y[i]",
        exact.sub,
        exact.sub,
        on_dims=exact.sub,
        on_ranges=ranges.subtracted,
        facts=Facts(symbol="-", onnx="Sub"),
    ),
    Row(
        "multiply",
        "Product; of booleans, logical and.",
        "x[i] * y[i];  of booleans, x[i] and y[i]",
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
        "x[i] / y[i];  of integers, rounded toward zero, and a fault where y[i] is 0",
        integers.dividing(integers.trunc_divide),
        reals.divide,
        on_dims=known.trunc_quotient,
        on_ranges=ranges.truncated,
        facts=Facts(faults=Faults.ZERO_DIVISOR, symbol="/", onnx="Div"),
    ),
    Row(
        "floor_divide",
        "Quotient rounded down; of floats, after it has been rounded to the type.",
        "floor(x[i] / y[i]);  of integers, a fault where y[i] is 0",
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
        "trunc(x[i] / y[i]);  of integers, a fault where y[i] is 0",
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
        _TRUNC_REMAINDER,
        integers.dividing(integers.trunc_mod),
        reals.remainder_trunc,
        on_dims=known.trunc_remainder,
        on_ranges=ranges.trunc_remainder,
        facts=Facts(faults=Faults.ZERO_DIVISOR, onnx="Mod"),
    ),
    Row(
        "trunc_mod",
        "Remainder with the sign of the dividend.",
        _TRUNC_REMAINDER,
        integers.dividing(integers.trunc_mod),
        reals.remainder_trunc,
        on_dims=known.trunc_remainder,
        on_ranges=ranges.trunc_remainder,
        facts=Facts(faults=Faults.ZERO_DIVISOR, onnx="Mod"),
    ),
    Row(
        "floor_mod",
        "Remainder with the sign of the divisor.",
        _FLOOR_REMAINDER,
        integers.dividing(exact.mod),
        reals.remainder_floor,
        on_dims=known.floor_remainder,
        on_ranges=ranges.floor_remainder,
        facts=Facts(faults=Faults.ZERO_DIVISOR, symbol="%", onnx="Mod"),
    ),
    Row(
        "power",
        "Power; a negative integer exponent is a fault.",
        "x[i] ** y[i];  of integers, a fault where y[i] < 0",
        integers.power,
        reals.power,
        on_dims=known.power,
        facts=Facts(faults=Faults.NEGATIVE_OPERAND, onnx="Pow"),
    ),
    Row(
        "maximum",
        "The greater; NaN if either is NaN.",
        "max(x[i], y[i]);  of booleans, x[i] or y[i]",
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
        "min(x[i], y[i]);  of booleans, x[i] and y[i]",
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
        "x[i] * 2 ** y[i], wrapped;  a fault where y[i] < 0",
        integers.shifting(exact.lshift),
        on_dims=known.shifted_left,
        facts=Facts(faults=Faults.NEGATIVE_OPERAND, onnx="BitShift"),
    ),
    Row(
        "right_shift",
        "Shift toward the low bits, which keeps the sign; by a negative count is a fault.",
        "floor(x[i] / 2 ** y[i]);  a fault where y[i] < 0",
        integers.shifting(exact.rshift),
        on_dims=known.shifted_right,
        on_ranges=ranges.shifted_right,
        facts=Facts(faults=Faults.NEGATIVE_OPERAND, onnx="BitShift"),
    ),
)
_LOGIC = (
    _logical("logical_and", "Logical and.", "x[i] and y[i]", exact.and_, all_of, connective=Connective.AND, onnx="And"),
    _logical("logical_or", "Logical or.", "x[i] or y[i]", exact.or_, any_of, connective=Connective.OR, onnx="Or"),
    _logical("logical_xor", "Logical exclusive or.", "x[i] != y[i]", exact.xor, known.unlike, onnx="Xor"),
    Row(
        "bitwise_and",
        "Bitwise and.",
        "x[i] & y[i], bit by bit, negative integers in two's complement",
        exact.and_,
        bools=exact.and_,
        on_truths=all_of,
        facts=Facts(connective=Connective.AND, onnx="BitwiseAnd"),
    ),
    Row(
        "bitwise_or",
        "Bitwise or.",
        "x[i] | y[i], bit by bit, negative integers in two's complement",
        exact.or_,
        bools=exact.or_,
        on_truths=any_of,
        facts=Facts(connective=Connective.OR, onnx="BitwiseOr"),
    ),
    Row(
        "bitwise_xor",
        "Bitwise exclusive or.",
        "x[i] ^ y[i], bit by bit, negative integers in two's complement",
        exact.xor,
        bools=exact.xor,
        on_truths=known.unlike,
        facts=Facts(onnx="BitwiseXor"),
    ),
)
_COMPARISONS = (
    _comparison(
        "equal",
        "Whether equal; NaN equals nothing.",
        "x[i] == y[i]",
        exact.eq,
        equal,
        known.iff,
        symbol="==",
        onnx="Equal",
    ),
    _comparison(
        "not_equal",
        "Whether different; NaN differs from everything.",
        "x[i] != y[i]",
        exact.ne,
        differs,
        known.unlike,
        symbol="!=",
    ),
    _comparison("less", "Whether less.", "x[i] < y[i]", exact.lt, less, symbol="<", onnx="Less"),
    _comparison(
        "less_equal", "Whether less or equal.", "x[i] <= y[i]", exact.le, at_most, symbol="<=", onnx="LessOrEqual"
    ),
    _comparison("greater", "Whether greater.", "x[i] > y[i]", exact.gt, more, symbol=">", onnx="Greater"),
    _comparison(
        "greater_equal",
        "Whether greater or equal.",
        "x[i] >= y[i]",
        exact.ge,
        at_least,
        symbol=">=",
        onnx="GreaterOrEqual",
    ),
)
BINARY = tuple(map(binary, (*_ARITHMETIC, *_LOGIC, *_COMPARISONS)))
"""Operators of two operands."""
