"""What ONNX asks of an operator's operands: a model that breaks it is refused, or its run stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto

from tests.importers.models import given, model, node, one, ones, port, refused, same, stops, whole


# ----------------------------------------------------------------------------------------------------------- shapes
@pytest.mark.parametrize("sizes", [(-2,), (-3,), (-4, 2, -1), (-3, -2), (2, -5)])
def test_no_size_is_less_than_the_one_that_is_left(sizes: tuple[int, ...]) -> None:
    refused(one("Reshape", "x s", {"x": [2, 3], "s": whole(*sizes)}), f"the size {min(sizes)}")
    stops(one("Reshape", "x s", {"x": [2, 3], "s": ([len(sizes)], "int64")}, len(sizes)), ones(2, 3), whole(*sizes))


def test_a_size_is_copied_where_there_is_one() -> None:
    refused(
        one("Reshape", "x s", {"x": [0], "s": whole(0, 0)}), "the size 0 of an axis that the operand of rank 1 has not"
    )
    zero = {"x": [0, 2], "s": whole(0, -1)}
    refused(one("Reshape", "x s", zero, allowzero=1), "the sizes 0 and -1 with allowzero=1")
    refused(one("Flatten", "x", {"x": []}, axis=2), "axis 2 of a tensor of rank 0")


# ---------------------------------------------------------------------------------------------------- preconditions
def test_as_many_are_reversed_as_there_are() -> None:
    made = one("ReverseSequence", "x l", {"x": ["t", "b"], "l": (["b"], "int64")}, 2)
    assert same(given(made, ones(3, 2), whole(0, 2)), [[0, 3], [2, 1], [4, 5]])
    for lengths in (whole(1, 4), whole(-1, 1)):
        stops(made, ones(3, 2), lengths, says="a length is negative or longer than the axis")
        refused(one("ReverseSequence", "x l", {"x": [3, 2], "l": lengths}), "a length is negative or longer")


@pytest.mark.parametrize("share", [-0.5, 1.5])
def test_an_overlap_is_a_share(share: float) -> None:
    boxes: dict[str, Any] = {"b": [1, 2, 4], "s": [1, 1, 2], "k": whole(1)}
    refused(
        one("NonMaxSuppression", "b s k t", boxes | {"t": np.float32([share])}), "iou_threshold is not between 0 and 1"
    )
    made = model(
        [node("NonMaxSuppression", "b s k t", "y")],
        [port("b", [1, 2, 4]), port("s", [1, 1, 2]), port("t", [1])],
        [port("y", [None] * 2, "int64")],
        {"k": whole(1)},
    )
    stops(made, ones(1, 2, 4), ones(1, 1, 2), np.float32([share]), says="iou_threshold")


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (one("Mod", "x z", {"x": [3], "z": [3]}), "fmod=0 of elements of type float32"),
        (one("Clip", "x l", {"x": [3], "l": ones(3)}), "a vector where a number has to be"),
        (one("Dropout", "x r", {"x": [3], "r": ones(1)}), "a vector where a number has to be"),
        (one("Range", "x x x", {"x": whole(1)}), "a vector where a number has to be"),
        (one("OneHot", "x d v", {"x": ([], "int64"), "d": np.array(2), "v": ones(2)}), "a number where a tensor"),
        (one("Split", "x s", {"x": [3], "s": whole(1, 2)}), "2 sizes for 1 outputs"),
        (one("Sum", "x z", {"x": [3], "z": [1]}, opset=7), "operands whose shapes may differ"),
        (one("Sum", "x x", {"x": ([3], "int64")}), "elements of type int64, which version 21"),
        (one("BitShift", "x x", {"x": ([3], "int64")}, direction="LEFT"), "elements of type int64"),
        (
            one("Add", "x z", {"x": [3], "z": ([3], "int64")}),
            "elements of types float32 and int64, which have to be one",
        ),
        (
            one("ConvTranspose", "x w", {"x": [1, 1, 4], "w": ones(1, 1, 2)}, output_padding=[1]),
            r"output_padding=\[1\] with strides=\[1\]",
        ),
    ],
)
def test_what_onnx_does_not_admit_is_refused(made: ModelProto, says: str) -> None:
    refused(made, says)


def test_no_more_is_cut_off_than_there_is() -> None:
    inputs: dict[str, Any] = {"x": ["n"], "p": whole(-2, 1)}
    refused(
        one("Pad", "x p", inputs | {"x": [0]}, mode="wrap", opset=21), "the negative padding is larger than the axis"
    )
    made = one("Pad", "x p", inputs | {"p": ([2], "int64")}, 1, mode="wrap", opset=21)
    assert same(given(made, ones(3), whole(-2, 1)), [2, 0])
    stops(made, ones(3), whole(-5, 1), says="the negative padding is larger than the axis")


# --------------------------------------------------------------------------------------------------------- booleans
@pytest.mark.parametrize("operator", ["And", "Or", "Xor", "Equal", "Not", "Where", "Identity"])
@pytest.mark.parametrize("shape", [[], [1], [2], [64], ["n"], [None], [1, 1], [0]])
def test_no_boolean_is_taken_for_a_number(operator: str, shape: Any) -> None:
    count = {"Not": 1, "Identity": 1, "Where": 3}.get(operator, 2)
    names = "xyz"[:count]
    inputs = [port(name, shape, "bool") for name in names]
    made = model([node(operator, " ".join(names), "r")], inputs, [port("r", None, "bool")])
    sizes = [size if isinstance(size, int) else 1 for size in shape]
    truth, falsehood = np.ones(sizes, bool), np.zeros(sizes, bool)
    arguments = [truth, falsehood, truth][:count]
    wanted = {"And": False, "Or": True, "Xor": True, "Equal": False, "Not": False, "Where": False, "Identity": True}
    assert same(given(made, *arguments), np.full(sizes, wanted[operator]))
