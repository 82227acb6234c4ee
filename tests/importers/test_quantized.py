"""Quantized tensors: codes of few bits, scales for parts of a tensor, and what they owe.

The values are those of ONNX's reference evaluator, or written by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import gradual
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import agrees, given, model, node, one, ones, port, refused, same, signature, stops

NARROW = {"int4": TensorProto.INT4, "uint4": TensorProto.UINT4, "int2": TensorProto.INT2, "uint2": TensorProto.UINT2}
RANGES = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}


def narrow(made: ModelProto, **constants: tuple[str, Any]) -> ModelProto:
    """The model with further constants, of types of fewer than 8 bits."""
    for name, (kind, value) in constants.items():
        array = np.array(value)
        held = helper.make_tensor(name, NARROW[kind], array.shape, array.ravel().tolist())
        made.graph.initializer.append(held)
    return made


def f32(*values: float) -> Any:
    return np.array(values, np.float32)


# ---------------------------------------------------------------------------------------------------------- few bits
@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("raw", [False, True])
def test_codes_of_few_bits_are_unpacked(kind: str, count: int, raw: bool) -> None:
    low, high = RANGES[kind]
    values = [low, high, high - 1, low + 1, 1][:count]
    made = model([node("DequantizeLinear", "w s", "y")], [], [port("y", None)], {"s": np.float32(0.5)}, opset=25)
    narrow(made, w=(kind, values))
    if raw:
        held = made.graph.initializer[-1]
        held.raw_data = bytes(part & 0xFF for part in held.int32_data)
        del held.int32_data[:]
    assert same(given(made), f32(*values) / 2)


@pytest.mark.parametrize("kind", NARROW)
def test_a_result_of_few_bits_keeps_within_its_bounds(kind: str) -> None:
    """Also if the zero point comes by way of other operators, or only an attribute says the type."""
    (low, high), x = RANGES[kind], f32(-np.inf, -100, -2.5, -0.5, 0.5, 1.5, 100, np.inf)
    wanted = np.clip(np.round(x) + 1, low, high) - 1
    nodes = [node("Reshape", "z e", "p"), node("QuantizeLinear", "x s p", "q"), node("DequantizeLinear", "q s p", "y")]
    constants = {"s": np.float32(1), "e": np.array([], np.int64)}
    made = model(nodes, [port("x", ["n"])], [port("y", None)], constants, opset=25)
    assert same(given(narrow(made, z=(kind, [1])), x), wanted)
    nodes = [node("QuantizeLinear", "x s", "q", output_dtype=NARROW[kind]), node("DequantizeLinear", "q s", "y")]
    made = model(nodes, [port("x", ["n"])], [port("y", None)], {"s": np.float32(1)}, opset=25)
    assert same(given(made, x), np.clip(np.round(x), low, high))


def test_codes_of_few_bits_are_for_operators_that_take_them() -> None:
    made = model([node("Add", "w w", "y")], [], [port("y", None)], opset=21)
    refused(narrow(made, w=("int4", [1, 2])), "elements of type int4, which version 21 of the operator does not take")
    made = model([node("Neg", "x", "y")], [port("x", [2])], [port("y", None)], opset=21)
    narrow(made, w=("int4", [1, 2])).graph.initializer[-1].dims[0] = 5
    refused(made, "`w`: 1 bytes do not hold int4 elements of the shape")


def test_other_codes_are_refused_by_name() -> None:
    for kind, word in ((TensorProto.FLOAT8E4M3FN, "float8e4m3fn"), (TensorProto.INT32, "int32")):
        made = one("QuantizeLinear", "x s", {"x": ["n"], "s": np.float32(1)}, 1, output_dtype=kind)
        if word != "int32":
            refused(made, f"the result has elements of type {word}")
    made = one("QuantizeLinear", "x s z", {"x": ["n"], "s": np.float32(1), "z": np.int8(0)}, 1, output_dtype=2)
    refused(made, "a zero point of int8 for a result of uint8")
    zero = helper.make_tensor("z", TensorProto.FLOAT8E5M2, [], [0])
    made = model([node("QuantizeLinear", "x s z", "y")], [port("x", [2])], [port("y", None)], {"s": np.float32(1)})
    made.graph.initializer.append(zero)
    refused(made, "`z` has elements of type float8e5m2")


# ---------------------------------------------------------------------------------------- a scale for parts of a tensor
ROWS = {"s": f32(1, 2, 0.5), "z": np.array([0, 10, -3], np.int8)}


def test_a_scale_for_each_slice_fits_its_axis() -> None:
    x = (ones(4, 3, 2) - 12) * 1.25
    agrees(one("QuantizeLinear", "x s z", {"x": ["n", 3, 2], **ROWS}, 3), x)
    agrees(one("QuantizeLinear", "x s z", {"x": ["n", None, 2], **ROWS}, 3, axis=-2), x)
    stops(one("QuantizeLinear", "x s z", {"x": ["n", None, 2], **ROWS}, 3, axis=1), x[:, :2])
    made = one("QuantizeLinear", "x s z", {"x": ["n", 2, 2], **ROWS}, 3)
    (error, *_) = gradual.check(program(model_of(made)).text).diagnostics
    assert error.code == "E0301"
    refused(one("QuantizeLinear", "x s z", {"x": ["n", 3], **ROWS | {"z": np.zeros((3, 1), np.int8)}}, 2), "rank 2")


def test_a_zero_point_for_each_slice_fits_its_axis() -> None:
    made = one("DequantizeLinear", "x s z", {"x": (["n", 3], "int8"), **ROWS | {"z": np.zeros(2, np.int8)}}, 2)
    (error, *_) = gradual.check(program(model_of(made)).text).diagnostics
    assert error.code == "E0301"


@pytest.mark.parametrize("length", [4, 5, 6])
def test_a_scale_for_each_block_is_repeated(length: int) -> None:
    x, scale = (ones(2, 6, 2) - 12)[:, :length], np.array([[[1, 2], [0.5, 4]], [[3, 1], [1, 0.25]]], np.float32)
    for declared in (length, None):
        inputs = {"x": [2, declared, 2], "s": scale}
        if declared is None:
            stops(one("QuantizeLinear", "x s", inputs, 3, axis=1, block_size=6), x)
        agrees(one("QuantizeLinear", "x s", inputs, 3, axis=1, block_size=3), x)


def test_the_quotient_is_rounded_to_the_type_of_the_scale_or_as_precision_says() -> None:
    """450 / 0.1 is 4501.37 in float32, and 4500 or 4504 in float16."""
    x, scale, zero = np.float16([450, 450]), np.float16(0.1), np.int16(0)
    inputs = {"x": (["n"], "float16"), "s": scale, "z": zero}
    assert same(given(one("QuantizeLinear", "x s z", inputs, 1, opset=23), x), np.int16([4500, 4500]))
    made = one("QuantizeLinear", "x s z", inputs, 1, opset=23, precision=TensorProto.FLOAT)
    assert same(given(made, x), np.int16([4501, 4501]))


# ------------------------------------------------------------------------------------------------ products of integers
def eight(*shape: int, dtype: str = "uint8") -> Any:
    return (np.arange(np.prod(shape)) * 37 % 251).astype(dtype).reshape(shape)


def test_products_of_integers_have_a_zero_point_for_each_row_or_column() -> None:
    a, b = eight(2, 3), eight(3, 4, dtype="int8")
    wide = a.astype(int) - np.array([[5], [250]])
    wanted = (wide @ (b.astype(int) - np.array([1, 2, 3, -4]))).astype(np.int32)
    zeros = {"p": np.array([5, 250], np.uint8), "q": np.array([1, 2, 3, -4], np.int8)}
    inputs = {"a": (["m", "k"], "uint8"), "b": (["k", 4], "int8"), **zeros}
    assert same(given(one("MatMulInteger", "a b p q", inputs | {"a": ([2, "k"], "uint8")}, 2), a, b), wanted)
    stops(one("MatMulInteger", "a b p q", inputs | {"a": ([None, "k"], "uint8")}, 2), a[:1], b)


def test_no_products_sum_to_the_zero_point() -> None:
    inputs = {"a": (["m", "k"], "uint8"), "b": (["k", "n"], "uint8"), "p": np.uint8(3)}
    found = given(one("MatMulInteger", "a b p", inputs, 2), eight(2, 0), eight(0, 3))
    assert same(found, np.zeros((2, 3), np.int32))


def test_no_codes_stand_for_no_numbers() -> None:
    for shape in ([0], [0, 3], [2, 0]):
        made = one("DequantizeLinear", "x s", {"x": (shape, "int8"), "s": np.float32(2)}, len(shape))
        assert same(given(made, np.zeros(shape, np.int8)), np.zeros(shape, np.float32))


def test_products_without_elements_owe_what_others_owe() -> None:
    inputs = {"a": ([0, 0, 2], "uint8"), "s": np.float32(0.5), "z": np.uint8(3), "b": ([3, 2, 0], "uint8")}
    made = one("QLinearMatMul", "a s z b s z s z", inputs, 3)
    (error,) = gradual.check(program(model_of(made)).text).diagnostics
    assert (error.code, error.rule) == ("E0301", "op.broadcast.agree")


def test_the_padding_of_a_convolution_of_integers_is_the_zero_point() -> None:
    inputs = {"x": ([1, 1, 3, 3], "uint8"), "w": ([1, 1, 2, 2], "uint8"), "p": np.uint8(7), "q": np.uint8(1)}
    made = one("ConvInteger", "x w p q", inputs, 4, pads=[1, 1, 1, 1])
    x, w = eight(1, 1, 3, 3), eight(1, 1, 2, 2)
    padded = np.pad(x[0, 0].astype(int) - 7, 1)
    wanted = [[(padded[i : i + 2, j : j + 2] * (w[0, 0].astype(int) - 1)).sum() for j in range(4)] for i in range(4)]
    assert same(given(made, x, w), np.int32([[wanted]]))


def test_a_quantized_convolution_has_the_type_of_its_last_zero_point() -> None:
    parts = {"a": np.float32(0.5), "b": np.uint8(3), "c": f32(0.5, 0.25), "d": np.zeros(2, np.int8)}
    parts |= {"e": np.float32(1), "f": np.int8(2), "g": np.int32([10, -10])}
    inputs = {"x": (["n", 3, 3, "w"], "uint8"), "k": ([2, 3, 2, 2], "int8"), **parts}
    compilation = agrees(
        one("QLinearConv", "x a b k c d e f g", inputs, 4, pads=[0, 1, 0, 1]),
        eight(1, 3, 3, 3),
        eight(2, 3, 2, 2, dtype="int8"),
    )
    assert signature(compilation).endswith("-> Tensor[(n, 2, 2, w + 1), int8]")


def test_what_is_quantized_as_it_comes_has_a_step_of_one_where_all_is_zero() -> None:
    made = model(
        [node("DynamicQuantizeLinear", "x", "y s z")], [port("x", ["n"])], [port(name, None) for name in "ysz"]
    )
    for x in (ones(0), ones(3) * 0):
        found = given(made, x)
        assert same(found[0], np.zeros(len(x), np.uint8)) and (found[1], found[2]) == (1, 0)
    agrees(made, f32(-1, 2.5, 0.25))


def test_a_packed_constant_of_a_node_is_read() -> None:
    held = helper.make_tensor("w", TensorProto.INT4, [3], [-8, 7, 1])
    nodes = [node("Constant", "", "w", value=held), node("DequantizeLinear", "w s", "y")]
    made = model(nodes, [], [port("y", None)], {"s": np.float32(1)})
    assert same(given(made), f32(-8, 7, 1))
    assert numpy_helper.to_array(held).tolist() == [-8, 7, 1]
