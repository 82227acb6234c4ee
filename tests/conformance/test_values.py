"""The small grammar of values in `run` lines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.conformance.runner.judge import agree
from gradual.interface.input.values import Call, Drawn, Fields, Literal, read_call, read_value, written
from gradual.syntax.tree.literals import Scalar
from gradual.syntax.tree.literals import written as language
from gradual.tensors.scalar import integer_range, rounded
from gradual.types.dtype import DType


def test_a_shape_stands_close_to_its_dtype_and_elements_apart() -> None:
    assert read_value("int64[2, 7]") == Drawn("int64", (2, 7))
    assert read_value("int64 [2, 7]") == Literal("int64", (2,), (2, 7))


def test_a_call_holds_drawn_tensors_literals_and_tuples() -> None:
    assert read_call("@f(float32[5, 3], 3, [1, 2], (True,), ())") == Call(
        "@f",
        (
            Drawn("float32", (5, 3)),
            Literal(None, (), (3,)),
            Literal(None, (2,), (1, 2)),
            Fields((Literal(None, (), (True,)),)),
            Fields(()),
        ),
    )


def test_empty_rows_keep_their_shape() -> None:
    assert read_value("int32 [[], []]") == Literal("int32", (2, 0), ())
    assert read_value("float32[]") == Drawn("float32", ())


@pytest.mark.parametrize(
    "text",
    [
        "float32[5, 784]",
        "int64 [2, 6]",
        "float32 [[1.5, -2.0], [nan, inf]]",
        "bool True",
        "(int32 3, bool [])",
        "(bool True,)",
    ],
)
def test_a_value_prints_as_it_reads(text: str) -> None:
    assert written(read_value(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "f(1)", "@f(1", "@f(1))", "@f(float32[?])", "@f(float32[-1])", "@f([[1], 2])", "@f(quux[3])", "@f(1 2)"],
)
def test_whatever_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|unexpected|differ"):
        read_call(text)


# ------------------------------------------------------------------------------------------- literals of the language
@st.composite
def scalars(draw: st.DrawFn) -> tuple[Scalar, DType]:
    """A value of an element type, special ones among them."""
    dtype = draw(st.sampled_from(list(DType)))
    if dtype is DType.BOOL:
        return draw(st.booleans()), dtype
    if dtype.is_integer:
        return draw(st.integers(*integer_range(dtype))), dtype
    return rounded(dtype, draw(st.floats(width=32))), dtype


def same(one: Scalar, other: Scalar) -> bool:
    return one == other or (one != one and other != other)


@given(scalars(), st.booleans())
def test_every_literal_that_the_language_writes_is_an_argument(scalar: tuple[Scalar, DType], explicit: bool) -> None:
    value, dtype = scalar
    text = language(value, dtype, explicit)
    read = read_value(text)
    assert isinstance(read, Literal)
    element = read.elements[0]
    assert same(rounded(dtype, element) if dtype.is_float else element, value)
    if dtype is not DType.BOOL and (explicit or (dtype.is_float and text[-1].isalpha())):
        assert read.dtype == str(dtype)
    listed = read_value(f"[{text}, {text}]")
    assert isinstance(listed, Literal) and (listed.dtype, listed.shape) == (read.dtype, (2,))
    call = read_call(f"@f({text}, ({text},), [[{text}]])")
    assert len(call.arguments) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("300u8", "`300u8` is no number: it does not fit uint8"),
        ("2q", "not the suffix of an element type"),
        ("1.5i64", "is not int64"),
        ("[1i8, 2i64]", "one type, not int8 and int64"),
        ("int64 2i32", "one type, not int64 and int32"),
    ],
)
def test_what_is_no_literal_of_the_language_is_none_here(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        read_value(text)


def test_a_suffix_is_that_of_one_tensor_only() -> None:
    call = read_call("@f(2i64, 3, [1f16, 2], 4)")
    assert [one.dtype for one in call.arguments if isinstance(one, Literal)] == ["int64", None, "float16", None]


def test_a_tensor_with_other_than_its_number_of_elements_is_no_expected_one() -> None:
    wanted = Literal("int32", (2,), (1, 2))
    assert agree(wanted, wanted)
    assert not agree(wanted, Literal("int32", (2,), (1,)))
    assert not agree(Literal("int32", (2,), (1,)), wanted)
