"""Scans, branches of different ranks, and values that may be absent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import gradual
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import agrees, body, compiled, given, model, node, ones, port, refused, signature, whole
from tests.importers.node_tests import tensor

SUMS = body(
    "sums",
    [node("Add", "s x", "t"), node("Identity", "t", "y")],
    [port("s", [None]), port("x", [None])],
    [port("t", [None]), port("y", [None])],
)
"""A turn of a scan that adds slices."""


def scan(*sizes: str, **settings: Any) -> Any:
    made = node("Scan", "s x", "t y", body=SUMS, num_scan_inputs=1, **settings)
    return model([made], [port("s", ["w"]), port("x", sizes or ["n", "w"])], [port("t", None), port("y", None)])


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_scan_stacks_what_each_turn_gives(length: int) -> None:
    x = ones(length, 2)
    last, stacked = given(scan(), np.float32([1, 2]), x)
    sums = np.float32([1, 2]) + np.cumsum(x, axis=0)
    assert np.array_equal(stacked, sums.reshape(length, 2))
    assert np.array_equal(last, np.float32([1, 2]) + x.sum(axis=0))


def test_every_size_of_a_scan_is_known_and_nothing_is_left_to_check() -> None:
    compilation, _ = compiled(scan())
    assert signature(compilation).endswith("-> (Tensor[(w,), float32], Tensor[(n, w), float32])")
    assert compilation.checks == ()


def test_a_scan_goes_along_other_axes_and_backwards() -> None:
    x = ones(2, 3)
    settings = {
        "scan_input_axes": [1],
        "scan_input_directions": [1],
        "scan_output_axes": [-1],
        "scan_output_directions": [1],
    }
    last, stacked = given(scan("w", "n", **settings), np.float32([1, 2]), x)
    sums = np.float32([[1], [2]]) + np.cumsum(x[:, ::-1], axis=1)
    assert np.array_equal(stacked, sums[:, ::-1])
    assert np.array_equal(last, sums[:, -1])


def test_all_that_a_scan_goes_along_has_one_length() -> None:
    inner = body(
        "both",
        [node("Add", "a b", "y")],
        [port("a", None), port("b", None)],
        [port("y", None)],
    )
    made = node("Scan", "p q", "y", body=inner, num_scan_inputs=2)
    both = model([made], [port("p", ["n"]), port("q", ["m"])], [port("y", None)])
    compilation = gradual.check(program(model_of(both)).text)
    assert [str(one.condition) for one in compilation.checks] == [] and not compilation.ok
    (error,) = compilation.diagnostics
    assert error.data["counterexample"] == {"m": 1, "n": 2} or error.data["counterexample"] == {"m": 2, "n": 1}


def test_a_state_keeps_its_shape() -> None:
    longer = body(
        "longer",
        [node("Concat", "s x", "t", axis=0)],
        [port("s", None), port("x", None)],
        [port("t", None)],
    )
    made = node("Scan", "s x", "t", body=longer, num_scan_inputs=1)
    text = program(model_of(model([made], [port("s", [2]), port("x", ["n", 1])], [port("t", None)]))).text
    assert not gradual.check(text).ok
    other = body("other", [node("ReduceSum", "s", "t", keepdims=0)], longer.input, [port("t", None)])
    made = node("Scan", "s x", "t", body=other, num_scan_inputs=1)
    refused(model([made], [port("s", [2]), port("x", ["n", 1])], [port("t", None)]), "rank 1 that becomes one of rank")


def test_before_version_nine_a_scan_goes_along_each_sample() -> None:
    made = node("Scan", "- s x", "t y", body=SUMS, num_scan_inputs=1)
    inputs = [port("s", ["b", "w"]), port("x", ["b", "n", "w"])]
    x, s = ones(2, 3, 2), ones(2, 2)
    last, stacked = given(model([made], inputs, [port("t", None), port("y", None)], opset=8), s, x)
    assert np.array_equal(stacked, s[:, None] + np.cumsum(x, axis=1))
    assert np.array_equal(last, s + x.sum(axis=1))
    lengths = node("Scan", "n s x", "t y", body=SUMS, num_scan_inputs=1)
    inputs.append(port("n", ["b"], "int64"))
    refused(model([lengths], inputs, [port("t", None), port("y", None)], opset=8), "sequence_lens of version 8")


# --------------------------------------------------------------------------------------------------------- branches
def squeezed(*behind: Any) -> Any:
    """Exporters of PyTorch write `squeeze` of an axis that may have size 1 as an If."""
    then = body("then", [node("Squeeze", "x axis", "a")], [], [port("a", None)])
    orelse = body("else", [node("Identity", "x", "b")], [], [port("b", None)])
    nodes = [
        node("Shape", "x", "s", start=0, end=1),
        node("Equal", "s one", "e"),
        node("Squeeze", "e", "c"),
        node("If", "c", "y", then_branch=then, else_branch=orelse),
        *behind,
    ]
    outputs = [port(behind[-1].output[0] if behind else "y", None)]
    constants = {"one": whole(1), "axis": whole(0), "all": whole(-1)}
    return model(nodes, [port("x", ["n", 4])], outputs, constants)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_branches_of_different_ranks_give_a_tensor_of_unknown_rank(size: int) -> None:
    compilation = agrees(squeezed(), ones(size, 4))
    assert signature(compilation).endswith("-> Tensor[*, float32]")
    agrees(squeezed(node("Relu", "y", "z"), node("Reshape", "z all", "f")), ones(size, 4))
    agrees(squeezed(node("Softmax", "y", "z", axis=-1)), ones(size, 4))


def test_a_condition_on_sizes_that_are_known_chooses_a_branch() -> None:
    then = body("then", [node("Identity", "x", "a")], [], [port("a", None)])
    orelse = body("else", [node("Unsqueeze", "x axis", "b")], [], [port("b", None)])
    nodes = [
        node("Shape", "x", "s"),
        node("Size", "s", "r"),
        node("Equal", "r none", "c"),
        node("If", "c", "y", then_branch=then, else_branch=orelse),
    ]
    made = model(nodes, [port("x", ["n", 4])], [port("y", None)], {"none": np.array(0), "axis": whole(0)})
    assert signature(agrees(made, ones(2, 4))).endswith("-> Tensor[(1, n, 4), float32]")


# ------------------------------------------------------------------------------------------------- optional values
def test_a_value_that_is_there_is_itself() -> None:
    nodes = [node("Optional", "x", "o"), node("OptionalHasElement", "o", "h"), node("OptionalGetElement", "o", "y")]
    made = model(nodes, [port("x", ["n"])], [port("y", None), port("h", [], "bool")])
    found, has = given(made, ones(3))
    assert np.array_equal(found, ones(3)) and has
    assert signature(compiled(made)[0]).endswith("-> (Tensor[(n,), float32], bool)")


def optional_input() -> Any:
    """An input that may be absent."""
    type = helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"]))
    value = helper.make_value_info("o", type)
    then = body("then", [node("OptionalGetElement", "o", "a")], [], [port("a", None)])
    orelse = body("else", [node("Identity", "none", "b")], [], [port("b", None)])
    nodes = [node("OptionalHasElement", "o", "h"), node("If", "h", "y", then_branch=then, else_branch=orelse)]
    return model(nodes, [value], [port("y", None)], {"none": np.float32([7])})


def test_an_input_may_be_absent() -> None:
    compilation, imported = compiled(optional_input())
    weights = imported.weights.values()
    some = compilation.run("@main", gradual.Constructed("Some", (tensor(ones(2)),)), *weights)
    assert some.tolist() == [0, 1]
    assert compilation.run("@main", gradual.Constructed("None", ()), *weights).tolist() == [7]


def test_the_element_of_an_absent_value_stops_the_run() -> None:
    type = helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    made = model(
        [node("OptionalGetElement", "o", "y")], [helper.make_value_info("o", type)], [port("y", None)], opset=18
    )
    compilation, _ = compiled(made)
    with pytest.raises((gradual.Blame, gradual.Fault)):
        compilation.run("@main", gradual.Constructed("None", ()))
