"""Inner products of rows with rows, many at once.

The definition is `dot`: floats from left to right in binary64, then kept; integers exact.  Where an element is narrower
than binary64, there is a faster way to the same one: `2 x·y = |x|² + |y|² - |x - y|²`, with `math.dist` for each of the
three.  Both ways err by little and by a known bound; if the least and the greatest number within the bounds are kept as
the same element, the defined one is too, and else it is computed as defined.  The test of what an error can change in
rounding is Ziv's (Fast evaluation of elementary mathematical functions with correctly rounded last bit, ACM TOMS 17,
1991).  An integer is the only one within the bounds, or it is computed as defined.
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
"""From so many columns and rows on, of one side, the faster way is faster."""
_LEAST, _GREATEST = 2.0**-600, 2.0**600
"""Squares of lengths between which nothing overflows, and what underflows is far below the bound."""
_BALANCED = 2
"""Exponents may be so far apart without the bound growing too wide for most elements."""


def products(left: Sequence[Row], right: Sequence[Row], dtype: DType) -> array[Any]:
    """The inner product of every left row with every right row, left rows outermost, kept.   [scalar.total]"""
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
    """The products of rows that are not empty, in a type of floats narrower than binary64 or of integers."""
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
    """One row's products, from its squared length and those of the others, and their mean."""
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
    """The products that are within bounds; those of which the sign of zero is not certain are computed as defined."""
    found, other = kept(dtype, least), kept(dtype, greatest)
    if found.tobytes() != other.tobytes():
        for place, (under, over) in enumerate(zip(found, other, strict=True)):
            if under != over or not under:
                found[place] = rounded(dtype, dot(row, right[place]))
    return found


def _integers(
    row: Row, right: Sequence[Row], least: Sequence[float], greatest: Sequence[float], dtype: DType
) -> array[Any]:
    """The products that are within bounds."""
    found = list(map(ceil, least))
    for place, (under, over) in enumerate(zip(found, map(floor, greatest), strict=True)):
        if under != over:
            found[place] = dot(row, right[place])
    return kept(dtype, found)


def _bound(columns: int) -> float:
    """How far the faster way and the definition may be apart, as a share of `|x|² + |y|²`.

    Twice the product is what is computed; in units of 2**-53 of that sum and for n columns: a squared length errs by
    less than n + 11, as it would if it were summed up one by one; so the three, the last of which is at most twice as
    great as the sum, by less than 3 n + 33, and by 4 with what is done to them; twice the definition, which sums up no
    more than that, by less than n.  The bound is 4 n + 64, which leaves room for what is of second order.
    """
    return (columns + 16) * 2.0**-52
