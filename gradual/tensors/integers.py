"""Integer operations that Python defines differently or lacks; results are exact, and the caller wraps them."""

from __future__ import annotations

from collections.abc import Callable

from gradual.tensors.fault import division_by_zero, invalid_value

Binary = Callable[[int, int], int]


def dividing(function: Binary) -> Binary:
    """The function of a dividend and a divisor, which faults if the divisor is 0.   [scalar.integer.divide]"""

    def guarded(left: int, right: int) -> int:
        if right == 0:
            raise division_by_zero()
        return function(left, right)

    return guarded


def trunc_divide(left: int, right: int) -> int:
    """The quotient rounded toward zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def trunc_mod(left: int, right: int) -> int:
    """The remainder of `trunc_divide`; it has the sign of the dividend."""
    return left - right * trunc_divide(left, right)


def power(left: int, right: int) -> int:
    """`left` to the power `right`, exact modulo 2**64; a negative exponent is a fault.   [scalar.integer.power]"""
    if right < 0:
        raise invalid_value(f"an integer to the negative power {right}")
    return pow(left, right, 1 << 64)


def shifting(function: Binary) -> Binary:
    """The shift, which faults for a negative count; counts above 64 are reduced to 64.   [scalar.integer.shift]"""

    def guarded(left: int, right: int) -> int:
        if right < 0:
            raise invalid_value(f"a shift by {right} bits")
        return function(left, min(right, 64))

    return guarded


def relu(value: int) -> int:
    """The greater of the number and 0."""
    return max(value, 0)


def sign(value: int) -> int:
    """The sign of a number, as 1, 0 or -1."""
    return (value > 0) - (value < 0)
