"""Comparison of elements: exactly as stored in their element type, or within a number of ulps.   [scalar.float.ulps]"""

from __future__ import annotations

import math

from gradual.tensors.bits import reinterpreted
from gradual.tensors.scalar import as_float, kept, rounded
from gradual.types.dtype import DType

Element = bool | int | float

_AS_BITS = {16: DType.UINT16, 32: DType.UINT32, 64: DType.UINT64}


def same_element(dtype: DType, wanted: Element, found: Element, ulps: int) -> bool:
    """Whether an element of a type is the expected one, or finite and at most `ulps` numbers of the type away.

    An expected float is rounded to the type, as a literal is; the found one has to be a value of the type already.
    0.0 and -0.0 differ, and NaN equals NaN.
    """
    if not dtype.is_float:
        return wanted == found
    expected = rounded(dtype, as_float(dtype, wanted) if isinstance(wanted, int) else wanted)
    if _identical(expected, found):
        return True
    if not (math.isfinite(expected) and math.isfinite(found) and rounded(dtype, found) == found):
        return False
    return 0 < abs(_ordinal(dtype, expected) - _ordinal(dtype, found)) <= ulps


def _identical(expected: float, found: float) -> bool:
    """Whether both are NaN, or equal with the same sign, which zeros have too."""
    if expected != expected:
        return found != found
    return expected == found and math.copysign(1.0, expected) == math.copysign(1.0, found)


def _ordinal(dtype: DType, value: float) -> int:
    """The number of values of the type from 0 to this one, negative below 0; both zeros are 0."""
    bits: int = reinterpreted(dtype, _AS_BITS[dtype.bits], kept(dtype, (abs(value),)))[0]
    return -bits if value < 0.0 else bits
