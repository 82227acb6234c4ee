"""Ranges of elementwise results: interval arithmetic with bounds that may be symbolic.   [op.index.known]

A rule takes the ranges of the operands. The bounds of a binary result are attained only if each element of one operand
is combined with each element of the other. The elements of an operand may have wrapped although its bounds have not
(`Range.wraps`). Sums, differences, unchanged elements, and products with a single value have a range also then: the
result is the exact one, wrapped. To any other rule, such an operand is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

from gradual.dims.term.dim import Dim, constant, maximum, minimum
from gradual.ops.declaration.element_ranges import Operands, Range, RangeRule, Ranges, fitted, hull
from gradual.ops.declaration.shapes import ONE, ZERO, tensor
from gradual.types.type import TensorType, Type

Rule = Callable[..., Range | None]
"""A rule, called as `(left, right, operands)` for two operands, as `(range)` for one."""


def pointwise(rule: Rule) -> RangeRule:
    """The rule of an elementwise operator on integers of one type."""

    def ranges(given: Operands) -> Ranges:
        dtype = tensor(given.types[0], 0).dtype
        if not dtype.is_integer:
            return None
        known = [part if isinstance(part, Range) else None for part in given.ranges]
        found = rule(*known, given) if len(known) == 2 else rule(*known)
        return fitted(found, dtype)

    return ranges


def _meet(types: Sequence[Type[Dim]]) -> bool:
    """Whether broadcasting combines each element of one operand with each of the other.

    It does if at every axis one of the two has size 1.
    """
    shapes = (reversed(type.shape) for type in types if isinstance(type, TensorType))
    return all(ONE in sizes for sizes in zip_longest(*shapes, fillvalue=ONE))


def _reached(left: Range, right: Range, given: Operands) -> bool:
    """Whether the bounds of a result that is monotone in both operands are attained."""
    return left.attained and right.attained and (left.single or right.single or _meet(given.types))


def added(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a sum."""
    if left is None or right is None:
        return None
    return Range(left.least + right.least, left.greatest + right.greatest, _reached(left, right, given), wraps=True)


def negated(given: Range | None) -> Range | None:
    """The range of the negated elements."""
    return None if given is None else replace(given, least=-given.greatest, greatest=-given.least, wraps=True)


def subtracted(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a difference."""
    return added(left, negated(right), given)


def multiplied(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a product.

    None unless one operand has a single value, or both are known not to be negative and not to have wrapped.
    """
    if left is None or right is None:
        return None
    ends = left.least * right.least, left.greatest * right.greatest
    if left.single or right.single:
        if not given.natural(right.least if right.single else left.least):
            ends = minimum(*ends), maximum(*ends)
    elif left.wraps or right.wraps or not (given.natural(left.least) and given.natural(right.least)):
        return None
    return Range(*ends, _reached(left, right, given), wraps=True)


def greater(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of the maximum."""
    return _extreme(maximum, left, right, given)


def lesser(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of the minimum."""
    return _extreme(minimum, left, right, given)


def _extreme(choose: Callable[..., Dim], left: Range | None, right: Range | None, given: Operands) -> Range | None:
    if left is None or right is None or left.wraps or right.wraps:
        return None
    ends = choose(left.least, right.least), choose(left.greatest, right.greatest)
    return Range(*ends, _reached(left, right, given))


def not_negative(given: Range | None) -> Range | None:
    """The range of `max(element, 0)`."""
    if given is None or given.wraps:
        return None
    return replace(given, least=maximum(given.least, ZERO), greatest=maximum(given.greatest, ZERO))


def absolute(given: Range | None) -> Range | None:
    """The range of absolute values; None if an element may be negative."""
    return given if given is not None and not given.wraps and _is_natural(given) else None


def same(given: Range | None) -> Range | None:
    """The range of unchanged elements."""
    return given


def signs(given: Range | None) -> Range:
    """The range of signs."""
    return Range(-ONE, ONE, False)


def _is_natural(given: Range) -> bool:
    return given.least.value is not None and given.least.value >= 0


def _number(given: Range | None) -> int | None:
    """The value of all elements, if it is a single number."""
    return given.least.value if given is not None and given.single else None


def floored(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a floored quotient; None unless the divisor is a positive number."""
    divisor = _number(right)
    if left is None or left.wraps or divisor is None or divisor < 1:
        return None
    return replace(left, least=left.least // divisor, greatest=left.greatest // divisor)


def truncated(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a quotient rounded toward zero; None if the dividend or the divisor may be negative."""
    return floored(left, right, given) if left is not None and _is_natural(left) else None


def floor_remainder(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a remainder that has the divisor's sign; the divisor is a number."""
    divisor = _number(right)
    if not divisor:
        return None
    if divisor < 0:
        return Range(constant(divisor + 1), ZERO, False)
    return _small(left, divisor) or Range(ZERO, constant(divisor - 1), False)


def _small(left: Range | None, divisor: int) -> Range | None:
    """The dividend, if it is its own remainder; else None."""
    numbers = left.numbers() if left is not None and not left.wraps else None
    return left if numbers is not None and numbers[0] >= 0 and numbers[1] < divisor else None


def trunc_remainder(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of a remainder that has the dividend's sign; the divisor is a number."""
    divisor = abs(_number(right) or 0)
    if not divisor:
        return None
    natural = left is not None and not left.wraps and _is_natural(left)
    return _small(left, divisor) or Range(ZERO if natural else constant(1 - divisor), constant(divisor - 1), False)


def shifted_right(left: Range | None, right: Range | None, given: Operands) -> Range | None:
    """The range of an arithmetic shift by a number."""
    count = _number(right)
    if left is None or left.wraps or count is None or not 0 <= count < 64:
        return None
    return replace(left, least=left.least // (1 << count), greatest=left.greatest // (1 << count))


def clipped(given: Range | None, low: int, high: int) -> Range:
    """The range of clipped elements; the limits alone if nothing is known of the elements."""
    if given is None or given.wraps:
        return Range(constant(low), constant(high), False)
    limit = partial(_limited, low=low, high=high)
    return replace(given, least=limit(given.least), greatest=limit(given.greatest))


def _limited(end: Dim, low: int, high: int) -> Dim:
    return maximum(minimum(end, constant(high)), constant(low))


def chosen(given: Operands) -> Ranges:
    """The rule of `where`: the result has elements of both branches."""
    return hull(given.ranges[1:3], False)
