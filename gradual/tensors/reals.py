"""The functions of `math`, extended as in IEEE 754: infinities and NaN instead of exceptions.

Each takes and returns binary64.  The functions of the C library are within a few ulps of the true value; the caller
rounds the result again, to the element type.   [scalar.float.function]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import copysign, inf, nan

Unary = Callable[[float], float]
_WHOLE = 2.0**52


def within(function: Unary) -> Unary:
    """The function, extended by NaN outside its domain and by an infinity of the argument's sign on overflow."""

    def completed(value: float) -> float:
        try:
            return function(value)
        except ValueError:
            return nan
        except OverflowError:
            return copysign(inf, value)

    return completed


def divide(left: float, right: float) -> float:
    """The quotient; a nonzero number divided by zero is infinite, zero by zero is NaN."""
    if right != 0.0:
        return left / right
    return nan if left == 0.0 or left != left else copysign(inf, left) * copysign(1.0, right)


def remainder_trunc(left: float, right: float) -> float:
    """The remainder of truncated division: exact, with the sign of the dividend.   [scalar.float.divide]"""
    try:
        return math.fmod(left, right)
    except ValueError:
        return nan


def remainder_floor(left: float, right: float) -> float:
    """The remainder of floored division, with the sign of the divisor.   [scalar.float.divide]"""
    return left % right if right != 0.0 else nan


def power(left: float, right: float) -> float:
    """`left` to the power `right`, as IEEE 754's pow."""
    try:
        return math.pow(left, right)
    except OverflowError:
        return -inf if left < 0.0 and _is_odd(right) else inf
    except ValueError:
        if left != 0.0:
            return nan
        return copysign(inf, left) if _is_odd(right) else inf


def _is_odd(value: float) -> bool:
    return math.fmod(value, 2.0) in (1.0, -1.0)


def exp(value: float) -> float:
    """e to the power of the value."""
    try:
        return math.exp(value)
    except OverflowError:
        return inf


def logarithm(function: Unary) -> Unary:
    """A logarithm: minus infinity at zero, NaN below."""

    def completed(value: float) -> float:
        if value > 0.0 or value != value:
            return function(value)
        return -inf if value == 0.0 else nan

    return completed


sqrt = within(math.sqrt)


def rsqrt(value: float) -> float:
    """The reciprocal of the square root; infinite at zero, NaN below."""
    if value > 0.0 or value != value:
        return 1.0 / math.sqrt(value)
    return copysign(inf, value) if value == 0.0 else nan


def cosh(value: float) -> float:
    """The hyperbolic cosine."""
    try:
        return math.cosh(value)
    except OverflowError:
        return inf


def atanh(value: float) -> float:
    """The inverse hyperbolic tangent; infinite at 1 and -1."""
    if -1.0 < value < 1.0 or value != value:
        return math.atanh(value)
    return copysign(inf, value) if abs(value) == 1.0 else nan


def sigmoid(value: float) -> float:
    """`1 / (1 + exp(-value))`."""
    try:
        return 1.0 / (1.0 + math.exp(-value))
    except OverflowError:
        return 0.0


def sign(value: float) -> float:
    """The sign of a number, as 1, -1, or +0; NaN for NaN."""
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0 if value == 0.0 else value


def rint(value: float) -> float:
    """The nearest integer, ties to even; the sign of zero is kept."""
    if not abs(value) < _WHOLE:
        return value
    return copysign((abs(value) + _WHOLE) - _WHOLE, value)


def integral(function: Callable[[float], int]) -> Unary:
    """`floor`, `ceil` or `trunc` with infinities, NaN and the sign of zero kept."""

    def completed(value: float) -> float:
        return copysign(function(value), value) if abs(value) < _WHOLE else value

    return completed


floor = integral(math.floor)
ceil = integral(math.ceil)
trunc = integral(math.trunc)


def relu(value: float) -> float:
    """The greater of the number and +0; NaN for NaN."""
    return 0.0 if value <= 0.0 else value


def maximum(left: float, right: float) -> float:
    """The greater number; NaN if either is NaN; +0 is greater than -0.   [scalar.order]"""
    if left > right or left != left:
        return left
    if left == right == 0.0:
        return left + right
    return right


def minimum(left: float, right: float) -> float:
    """The lesser number; NaN if either is NaN; -0 is less than +0.   [scalar.order]"""
    if left < right or left != left:
        return left
    if left == right == 0.0:
        return -(-left - right)
    return right
