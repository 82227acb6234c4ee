"""The small grammar of values in `run` lines."""

from __future__ import annotations

import pytest

from gradual.tools.conformance.values import Call, Drawn, Fields, Literal, read_call, read_value, written


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
