"""Inner products of rows with rows, many at once.

The definition is `dot`: floats are summed from left to right in binary64, then rounded; integers are exact.  For types
narrower than binary64 there is a faster method with the same result: `2 x·y = |x|² + |y|² - |x - y|²`, with `math.dist`
for each of the three.  Its error has a known bound; if both ends of the error interval round to the same element, that
element is the result; otherwise the result is computed by the definition.  This is Ziv's rounding test (Fast evaluation
of elementary mathematical functions with correctly rounded last bit, ACM TOMS 17, 1991).  For integers, the interval
must contain exactly one integer.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain, repeat
from math import ceil, dist, floor, frexp
from operator import mul
from typing import Any

from gradual.tensors.scalar import TYPECODES, dot, kept, rounded
from gradual.types.dtype import DType

Row = tuple[Any, ...]

_WIDE, _MANY = 16, 8
"""The numbers of columns, and of rows of one side, from which the faster method pays off."""
_LEAST, _GREATEST = 2.0**-600, 2.0**600
"""Limits on squared lengths, within which nothing overflows, and underflow is far below the error bound."""
_BALANCED = 2
"""How much the exponents of two lengths may differ before a row is scaled to keep the error interval narrow."""


def products(left: Sequence[Row], right: Sequence[Row], dtype: DType) -> array[Any]:
    """The inner product of every left row with every right row, left rows outermost, rounded.   [scalar.total]"""
    width, count = len(right[0]) if right else 0, max(len(left), len(right))
    if dtype is DType.FLOAT64 or width < _WIDE or count < _MANY:
        return kept(dtype, chain.from_iterable(map(dot, repeat(row), right) for row in left))
    if len(left) <= len(right):
        return _near(left, right, dtype)
    found, turned = array(TYPECODES[dtype]), _near(right, left, dtype)
    for place in range(len(left)):
        found += turned[place :: len(left)]
    return found


def _near(left: Sequence[Row], right: Sequence[Row], dtype: DType) -> array[Any]:
    """The products of nonempty rows by the faster method; the type is integer, or float narrower than binary64."""
    found, origin = array(TYPECODES[dtype]), (0.0,) * len(right[0])
    squares = [length * length for length in map(dist, right, repeat(origin))]
    mean = sum(squares) / len(squares)
    for row in left:
        length = dist(row, origin)
        if _LEAST < mean < _GREATEST and _LEAST < length * length < _GREATEST:
            found += _row(row, length * length, right, squares, mean, dtype)
        else:
            found += kept(dtype, map(dot, repeat(row), right))
    return found


def _row(
    row: Row, square: float, right: Sequence[Row], squares: Sequence[float], mean: float, dtype: DType
) -> array[Any]:
    """The products of one row with the right rows, given all squared lengths, and the mean of the right ones."""
    scaled, scale = row, 1.0
    shift = (frexp(mean)[1] - frexp(square)[1]) // 2
    if abs(shift) > _BALANCED:
        scale = 2.0**shift
        scaled, square = tuple(map(mul, row, repeat(scale))), square * scale * scale
    half, bound = 0.5 / scale, _bound(len(row)) / scale
    low, high = half - bound, half + bound
    apart = [gap * gap * half for gap in map(dist, repeat(scaled), right)]
    least = [(square + other) * low - gap for other, gap in zip(squares, apart, strict=True)]
    greatest = [(square + other) * high - gap for other, gap in zip(squares, apart, strict=True)]
    return (
        _floats(row, right, least, greatest, dtype) if dtype.is_float else _integers(row, right, least, greatest, dtype)
    )


def _floats(
    row: Row, right: Sequence[Row], least: Sequence[float], greatest: Sequence[float], dtype: DType
) -> array[Any]:
    """The products from their error intervals; computed by definition if the ends round differently, or to zero."""
    found, other = kept(dtype, least), kept(dtype, greatest)
    if found.tobytes() != other.tobytes():
        for place, (under, over) in enumerate(zip(found, other, strict=True)):
            if under != over or not under:
                found[place] = rounded(dtype, dot(row, right[place]))
    return found


def _integers(
    row: Row, right: Sequence[Row], least: Sequence[float], greatest: Sequence[float], dtype: DType
) -> array[Any]:
    """The products from their error intervals; computed by definition if an interval has not exactly one integer."""
    found = list(map(ceil, least))
    for place, (under, over) in enumerate(zip(found, map(floor, greatest), strict=True)):
        if under != over:
            found[place] = dot(row, right[place])
    return kept(dtype, found)


def _bound(columns: int) -> float:
    """The largest difference between the faster method and the definition, relative to `|x|² + |y|²`.

    The computed number is twice the product.  Errors are in units of 2**-53 of that sum, for n columns.  A squared
    length has an error below n + 11, as if summed term by term.  The three together are below 3 n + 33, since the last
    is at most twice the sum; the operations on them add 4.  The definition's terms, doubled, have
    absolute values that sum to at most `|x|² + |y|²`, so twice its result has an error below n.  The bound 4 n + 64
    leaves a margin for second-order terms.
    """
    return (columns + 16) * 2.0**-52
