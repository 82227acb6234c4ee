"""Numbers and strings, read and written to the bit."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.syntax.tree.literals import BadNumber, negated, number, quoted, unquoted, written
from gradual.tensors.scalar import integer_range, rounded
from gradual.types.dtype import DType

FLOATS = [dtype for dtype in DType if dtype.is_float]
INTEGERS = [dtype for dtype in DType if dtype.is_integer]


@pytest.mark.parametrize(
    ("text", "value", "dtype", "explicit"),
    [
        ("1", 1, "int32", False),
        ("-05", -5, "int32", False),
        ("3000000000", 3000000000, "int64", False),
        ("-2147483648", -2147483648, "int32", False),
        ("1i", 1, "int32", True),
        ("1i64", 1, "int64", True),
        ("255u8", 255, "uint8", True),
        ("18446744073709551615u64", 2**64 - 1, "uint64", True),
        ("1f", 1.0, "float32", True),
        ("1.5f16", 1.5, "float16", True),
        ("1e-05f", struct.unpack("f", struct.pack("f", 1e-5))[0], "float32", True),
        ("0.1f64", 0.1, "float64", True),
        ("1.00390625bf16", 1.0, "bfloat16", True),
        ("1.5", 1.5, "float32", False),
        ("1e3", 1000.0, "float32", False),
        ("inff", math.inf, "float32", True),
        ("-inff16", -math.inf, "float16", True),
    ],
)
def test_a_number_has_the_type_its_suffix_names(text: str, value: float, dtype: str, explicit: bool) -> None:
    assert number(text) == (value, dtype, explicit)


@pytest.mark.parametrize(
    "text", ["2147483648i", "9223372036854775808", "1i128", "1x", "1.5i32", "1e40f", "70000f16", "1" * 5000, "-1u8"]
)
def test_what_no_type_holds_is_no_number(text: str) -> None:
    with pytest.raises(BadNumber):
        number(text)


@given(st.sampled_from(FLOATS), st.floats(), st.booleans())
def test_a_float_reads_back_to_the_bit(dtype: DType, value: float, explicit: bool) -> None:
    value = rounded(dtype, value)
    explicit = explicit or dtype is not DType.FLOAT32 or not math.isfinite(value)
    again, found, said = number(written(value, dtype, explicit))
    assert (found, said) == (dtype, explicit)
    assert struct.pack("d", again) == struct.pack("d", value) or (math.isnan(again) and math.isnan(value))


@given(st.sampled_from(INTEGERS), st.data())
def test_an_integer_reads_back(dtype: DType, data: st.DataObject) -> None:
    value = data.draw(st.integers(*integer_range(dtype)))
    assert number(written(value, dtype, True)) == (value, dtype, True)


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_integer_without_suffix_is_the_smaller_type_that_holds_it(value: int) -> None:
    dtype = DType.INT32 if -(2**31) <= value < 2**31 else DType.INT64
    assert number(str(value)) == (value, dtype, False)
    assert written(value, dtype, False) == str(value)


def test_a_minus_in_front_may_bring_a_number_back_into_its_type() -> None:
    assert negated(2147483648, "int64", False) == (-2147483648, DType.INT32, False)
    with pytest.raises(BadNumber):
        negated(1, "uint8", True)


@given(st.text())
def test_a_string_reads_back(value: str) -> None:
    text = quoted(value)
    assert unquoted(text) == value and "\n" not in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\"b\\c\n\t"', 'a"b\\c\n\t'),
        (r'"\303\251"', "é"),
        (r'"\x41\u{e9}\u{1F600}"', "Aé\U0001f600"),
        (r'"\7\q"', "\x07q"),
    ],
)
def test_escapes_are_read(text: str, value: str) -> None:
    assert unquoted(text) == value
