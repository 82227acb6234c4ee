"""How elements are kept: NumPy is the oracle for every type it has."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradual.tensors.scalar import TYPECODES, as_float, converted, dot, integer_range, kept, rounded, total, wrapped
from gradual.types.dtype import DType

INTEGERS = [dtype for dtype in DType if dtype.is_integer]
NARROW = [DType.FLOAT16, DType.FLOAT32]
anything = st.floats(width=64)


def same(left: float, right: float) -> bool:
    return (math.isnan(left) and math.isnan(right)) or (
        left == right and math.copysign(1, left) == math.copysign(1, right)
    )


@pytest.mark.parametrize("dtype", INTEGERS)
@given(value=st.integers(-(1 << 70), 1 << 70))
def test_integers_wrap_modulo_their_width(dtype: DType, value: int) -> None:
    expected = int(np.array(value % (1 << 64), dtype=np.uint64).astype(str(dtype)))
    assert wrapped(dtype, value) == expected
    assert list(kept(dtype, [value])) == [expected]


@pytest.mark.parametrize("dtype", NARROW)
@given(value=anything)
def test_floats_are_rounded_as_ieee_does(dtype: DType, value: float) -> None:
    with np.errstate(all="ignore"):
        assert same(rounded(dtype, value), float(np.float64(value).astype(str(dtype))))


@given(value=anything)
def test_bfloat16_is_the_nearest_of_its_two_neighbours_and_the_even_one_of_a_tie(value: float) -> None:
    near = rounded(DType.BFLOAT16, value)
    if math.isnan(value):
        assert math.isnan(near)
    elif abs(value) >= 2.0**128 - 2.0**119:
        assert same(near, math.copysign(math.inf, value))
    else:
        bits = struct.unpack("I", struct.pack("f", abs(near)))[0]
        assert bits & 0xFFFF == 0
        error = distance(abs(near), value)
        for other in neighbours(bits):
            assert error < distance(other, value) or (error == distance(other, value) and bits & 0x10000 == 0)


def neighbours(bits: int) -> list[float]:
    around = [bits + step for step in (-0x10000, 0x10000) if bits + step >= 0]
    return [float(struct.unpack("f", struct.pack("I", place))[0]) for place in around]


def distance(near: float, value: float) -> Fraction:
    """How far a magnitude is from the value's; infinity counts as the next power of 2."""
    return abs((Fraction(2) ** 128 if math.isinf(near) else Fraction(near)) - Fraction(abs(value)))


@pytest.mark.parametrize("dtype", [*NARROW, DType.FLOAT64])
@given(value=st.integers(-(1 << 70), 1 << 70))
@example(value=(1 << 60) + (1 << 36) + 1)
@example(value=(1 << 60) + (3 << 36) - 1)
def test_an_integer_is_rounded_once_on_its_way_to_a_float(dtype: DType, value: int) -> None:
    expected = Fraction(value)
    near = rounded(dtype, as_float(dtype, value))
    if math.isinf(near):
        assert dtype is DType.FLOAT16
        assert abs(value) >= 65520
        return
    with np.errstate(over="ignore"):
        ends = [np.array(end, str(dtype)) for end in (np.inf, -np.inf)]
        around = [float(np.nextafter(np.array(near, str(dtype)), end)) for end in ends]
    for other in around:
        if math.isfinite(other):
            assert abs(Fraction(near) - expected) <= abs(Fraction(other) - expected)


@pytest.mark.parametrize("target", INTEGERS)
@given(value=st.one_of(anything, st.floats(-300, 300)))
def test_a_float_becomes_an_integer_toward_zero_and_saturates(target: DType, value: float) -> None:
    low, high = integer_range(target)
    expected = 0 if math.isnan(value) else max(low, min(high, math.trunc(max(-(2.0**70), min(2.0**70, value)))))
    assert list(converted(DType.FLOAT64, target, kept(DType.FLOAT64, [value]))) == [expected]


@pytest.mark.parametrize("source", [DType.INT32, DType.FLOAT32])
def test_anything_but_zero_is_true(source: DType) -> None:
    values = [0, 1, -1, 7] if source.is_integer else [0.0, -0.0, 0.5, math.nan]
    expected = [0, 1, 1, 1] if source.is_integer else [0, 0, 1, 1]
    assert list(converted(source, DType.BOOL, kept(source, values))) == expected


def test_booleans_become_numbers() -> None:
    assert list(converted(DType.BOOL, DType.FLOAT16, kept(DType.BOOL, [False, True]))) == [0.0, 1.0]


@pytest.mark.parametrize("dtype", list(DType))
def test_storage_is_as_wide_as_the_elements_or_wider(dtype: DType) -> None:
    assert kept(dtype, []).itemsize * 8 >= dtype.bits
    assert kept(dtype, []).typecode == TYPECODES[dtype]


def test_a_sum_of_floats_goes_from_left_to_right_without_compensation() -> None:
    assert total([1e16, 1.0, -1e16]) == 0.0
    assert dot([1e16, 1.0, 1e16], [1.0, 1.0, -1.0]) == 0.0
