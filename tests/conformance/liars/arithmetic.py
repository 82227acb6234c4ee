"""Liars that compute as the reference does, with another arithmetic of elements."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from gradual.ops.catalogue import gathered
from gradual.ops.declaration.operator import Operator
from gradual.run.value import Held
from gradual.tensors import scalar
from gradual.tensors.scalar import PRECISION, integer_range, kept, total
from gradual.types.dtype import DType
from tests.conformance.liars.kernels import meant
from tests.conformance.liars.truth import Liar, replaced

Rounding = Callable[[DType, float, float], float]
"""(element type, the true value in binary64, the nearest of the type) -> the value that is kept."""

HALF = (DType.FLOAT16, DType.BFLOAT16)
NARROW = (*HALF, DType.FLOAT32)


def keeping(name: str, dtypes: Sequence[DType], rounding: Rounding) -> Liar:
    """A liar that rounds to some float types in its own way."""

    def lying(dtype: DType, values: Iterable[Any]) -> array[Any]:
        if dtype not in dtypes:
            return kept(dtype, values)
        exact = [float(value) for value in values]
        return array("f", map(rounding, [dtype] * len(exact), exact, kept(dtype, exact)))

    return Liar(name, computing=lambda: replaced(kept, lying))


def stepped(dtype: DType, value: float, steps: int) -> float:
    """The number of a float type so many places away from another, in magnitude; zeros, NaN and infinities stay."""
    if not math.isfinite(value) or value == 0.0:
        return value
    drop = 13 if dtype is DType.FLOAT16 else 16 if dtype is DType.BFLOAT16 else 0
    if dtype is DType.FLOAT16 and abs(value) < 2.0**-14:
        return math.copysign(abs(value) + steps * 2.0**-24, value)
    (bits,) = struct.unpack("<i", struct.pack("<f", abs(value)))
    (found,) = struct.unpack("<f", struct.pack("<i", bits + (steps << drop)))
    return math.copysign(found, value)


def toward_zero(dtype: DType, value: float, nearest: float) -> float:
    """Round toward zero."""
    return stepped(dtype, nearest, -1) if abs(nearest) > abs(value) and math.isfinite(nearest) else nearest


def away_from_zero(dtype: DType, value: float, nearest: float) -> float:
    """Round a tie away from zero."""
    beyond = stepped(dtype, nearest, 1)
    tie = abs(nearest) < abs(value) and math.isfinite(beyond) and abs(beyond) - abs(value) == abs(value) - abs(nearest)
    return beyond if tie else nearest


def one_up(dtype: DType, value: float, nearest: float) -> float:
    """Keep the next greater magnitude of every number that is rounded."""
    return stepped(dtype, nearest, 1) if value != nearest else nearest


def unrounded(dtype: DType, value: float, nearest: float) -> float:
    """Keep what float32 can keep."""
    return kept(DType.FLOAT32, (value,))[0]


def flushed(dtype: DType, value: float, nearest: float) -> float:
    """Keep 0 in place of a subnormal number."""
    least = 2.0 ** (-14 if dtype is DType.FLOAT16 else -126)
    return math.copysign(0.0, nearest) if abs(nearest) < least else nearest


def finite(dtype: DType, value: float, nearest: float) -> float:
    """Keep the greatest number in place of an infinity that finite numbers give."""
    greatest = (2.0 - 2.0 ** (1 - PRECISION[dtype])) * 2.0 ** (15 if dtype is DType.FLOAT16 else 127)
    return math.copysign(greatest, value) if math.isinf(nearest) and math.isfinite(value) else nearest


def saturated(dtype: DType, values: Iterable[Any]) -> array[Any]:
    """Integers beyond the range become the nearest bound."""
    if dtype.is_float or dtype is DType.BOOL:
        return kept(dtype, values)
    low, high = integer_range(dtype)
    return kept(dtype, [min(max(value, low), high) for value in values])


def right_to_left(values: Iterable[Any]) -> Any:
    """The sum from right to left."""
    return total(reversed(list(values)))


def in_float32(values: Iterable[Any]) -> Any:
    """The sum of floats with each partial sum rounded to float32."""
    found: Any = 0
    for value in values:
        found = scalar.rounded(DType.FLOAT32, found + value) if isinstance(value, float) else found + value
    return found


def exchanged(name: str, pairs: Mapping[str, str]) -> Liar:
    """A liar that computes other operators than it was asked to."""

    def wrong(applied: Operator, values: Sequence[Held], attributes: Mapping[str, Any], fast: bool) -> Held:
        other = gathered()[pairs.get(applied.name, applied.name)]
        return meant(other, values, attributes, fast)

    return Liar(name, computing=lambda: replaced(meant, wrong))


def _truncation(low: int, high: int) -> Callable[[float], int]:
    """The conversion of floats to integers that rounds to the nearest."""
    true = _TRUNCATION(low, high)
    return lambda value: true(float(round(value)) if math.isfinite(value) else value)


_TRUNCATION = scalar._truncation


@contextmanager
def _ranges_wrapped() -> Iterator[None]:
    """Floats beyond the range of an integer type wrap."""

    def wrapping(low: int, high: int) -> Callable[[float], int]:
        true = _TRUNCATION(low, high)
        return lambda value: int(value) if math.isfinite(value) else true(value)

    with replaced(_TRUNCATION, wrapping):
        yield


ARITHMETIC: tuple[Liar, ...] = tuple(
    chain(
        (
            keeping("float16 kept as float32", (DType.FLOAT16,), unrounded),
            keeping("bfloat16 kept as float32", (DType.BFLOAT16,), unrounded),
            keeping("float16 rounded toward zero", (DType.FLOAT16,), toward_zero),
            keeping("bfloat16 rounded toward zero", (DType.BFLOAT16,), toward_zero),
            keeping("float32 rounded toward zero", (DType.FLOAT32,), toward_zero),
            keeping("float32 one unit in the last place too great", (DType.FLOAT32,), one_up),
            keeping("ties of float16 and bfloat16 away from zero", HALF, away_from_zero),
            keeping("ties of float32 away from zero", (DType.FLOAT32,), away_from_zero),
            keeping("subnormal numbers become 0", NARROW, flushed),
            keeping("overflow gives the greatest number", NARROW, finite),
            Liar("integers saturate", computing=lambda: replaced(kept, saturated)),
            Liar("casts to integers round to nearest", computing=lambda: replaced(_TRUNCATION, _truncation)),
            Liar("casts to integers wrap", computing=_ranges_wrapped),
            Liar("sums from right to left", computing=lambda: replaced(total, right_to_left)),
            Liar("sums rounded to float32 at each step", computing=lambda: replaced(total, in_float32)),
        ),
        (
            exchanged("integer division rounds down", {"divide": "floor_divide", "trunc_divide": "floor_divide"}),
            exchanged("floor division rounds toward zero", {"floor_divide": "trunc_divide"}),
            exchanged("remainders have the sign of the divisor", {"mod": "floor_mod", "trunc_mod": "floor_mod"}),
            exchanged("floor_mod has the sign of the dividend", {"floor_mod": "trunc_mod"}),
            exchanged("maximum and minimum exchanged", {"maximum": "minimum", "minimum": "maximum"}),
            exchanged("strict comparisons", {"less_equal": "less", "greater_equal": "greater"}),
            exchanged("rounding down instead of to nearest", {"round": "floor"}),
        ),
    )
)
"""Liars about arithmetic."""
