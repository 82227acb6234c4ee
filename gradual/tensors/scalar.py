"""Arithmetic per element type: how numbers are kept, rounded, wrapped and converted.

Elements are computed as Python numbers and then *kept* in their element type, which is the only place where anything
is lost.  Integers are exact and wrap modulo 2**bits.  Floats are computed in binary64; for one `+ - * /` or `sqrt` the
second rounding to float32, float16 or bfloat16 is innocuous (53 >= 2p + 2), so each operation rounds as IEEE 754 does,
to nearest, ties to even, overflow to infinity, with subnormals.  Booleans are kept as 0 and 1.
"""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from gradual.types.dtype import DType

Elements = Sequence[Any]
"""Flat row-major elements: an `array` with the typecode of the element type."""

TYPECODES = {
    DType.BOOL: "b",
    DType.INT8: "b",
    DType.INT16: "h",
    DType.INT32: "i",
    DType.INT64: "q",
    DType.UINT8: "B",
    DType.UINT16: "H",
    DType.UINT32: "I",
    DType.UINT64: "Q",
    DType.FLOAT16: "f",
    DType.BFLOAT16: "f",
    DType.FLOAT32: "f",
    DType.FLOAT64: "d",
}
PRECISION = {DType.FLOAT16: 11, DType.BFLOAT16: 8, DType.FLOAT32: 24, DType.FLOAT64: 53}
"""Bits of a significand, the hidden one included."""


def integer_range(dtype: DType) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    if dtype.is_signed:
        return -(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1
    return 0, (1 << dtype.bits) - 1


def wrapped(dtype: DType, value: int) -> int:
    """An integer reduced modulo 2**bits into its type's range.   [scalar.integer.wrap]"""
    low, high = integer_range(dtype)
    return value if low <= value <= high else (value - low) % (high - low + 1) + low


def kept(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """The elements of a tensor of this type: integers wrapped, floats rounded once.   [scalar.keep]"""
    if dtype is DType.FLOAT32 or dtype is DType.FLOAT64:
        return array(TYPECODES[dtype], values)
    if dtype is DType.FLOAT16:
        return _halves(list(values))
    if dtype is DType.BFLOAT16:
        return array("f", map(_brain, values))
    if dtype is DType.BOOL:
        return array("b", values)
    held = list(values)
    try:
        return array(TYPECODES[dtype], held)
    except OverflowError:
        return array(TYPECODES[dtype], [wrapped(dtype, value) for value in held])


def rounded(dtype: DType, value: float) -> float:
    """One number rounded to a float type.   [scalar.float.round]"""
    return float(kept(dtype, (value,))[0])


def _halves(values: list[float]) -> array[float]:
    form = f"{len(values)}e"
    try:
        return array("f", struct.unpack(form, struct.pack(form, *values)))
    except OverflowError:
        return array("f", map(_half, values))


def _half(value: float) -> float:
    if abs(value) >= 65520.0:
        return math.copysign(math.inf, value)
    return float(struct.unpack("e", struct.pack("e", value))[0])


def _brain(value: float) -> float:
    if not 0.0 < abs(value) < 2.0**128:
        return math.copysign(math.inf, value) if abs(value) > 0.0 else value
    unit = max(math.frexp(value)[1] - 8, -133)
    near = math.ldexp(round(math.ldexp(value, -unit)), unit)
    return math.copysign(math.inf if abs(near) >= 2.0**128 else near, value)


def as_float(dtype: DType, value: int) -> float:
    """An integer rounded once, however large, to a float type.   [scalar.cast]"""
    excess = value.bit_length() - PRECISION[dtype]  # at least 1 beyond 53 bits
    if value.bit_length() > 53:
        value = _rounded_shift(value, excess) << excess
    return math.copysign(math.inf, value) if value.bit_length() > 1024 else float(value)


def _rounded_shift(value: int, bits: int) -> int:
    """`value / 2**bits` to the nearest integer, ties to even."""
    whole, rest = value >> bits, value & ((1 << bits) - 1)
    half = 1 << (bits - 1)
    return whole + (rest > half or (rest == half and whole & 1))


def converter(source: DType, target: DType) -> Callable[[Any], Any] | None:
    """How one element is converted before it is kept; None if keeping it is the whole conversion.   [scalar.cast]

    A float becomes an integer by truncation toward zero; beyond the range, it becomes the nearest bound; NaN becomes 0.
    An integer becomes one of another type by wrapping.  Anything becomes a boolean by `!= 0`, so NaN is true.
    """
    if target is DType.BOOL:
        return None if source is DType.BOOL else lambda value: value != 0
    if source.is_float and target.is_integer:
        return _truncation(*integer_range(target))
    if source.is_integer and target.is_float:
        return lambda value: as_float(target, value)
    return None


def _truncation(low: int, high: int) -> Callable[[float], int]:
    def truncated(value: float) -> int:
        if value != value:
            return 0
        return low if value <= low else high if value >= high else int(value)

    return truncated


def converted(source: DType, target: DType, elements: Elements) -> Elements:
    """Elements of one type in another.   [scalar.cast]"""
    if source is target:
        return elements
    convert = converter(source, target)
    return kept(target, elements if convert is None else map(convert, elements))


if sys.version_info < (3, 12):

    def total(values: Iterable[Any]) -> Any:
        """The sum from left to right, floats in binary64 and uncompensated.   [scalar.total]"""
        return sum(values)

else:

    def total(values: Iterable[Any]) -> Any:
        """The sum from left to right, floats in binary64 and uncompensated.   [scalar.total]"""
        return reduce(add, values, 0)


def dot(left: Iterable[Any], right: Iterable[Any]) -> Any:
    """The inner product from left to right, floats in binary64 and unfused.   [scalar.total]"""
    return total(map(mul, left, right))
