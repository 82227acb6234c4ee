"""Sequences of tensors: what a model with them means, of a length that is known here or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import gradual
from gradual.importers.common.refusals import Refused
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import agrees, body, compiled, model, node, ones, port, signature, whole
from tests.importers.node_tests import tensor


def listed(name: str, shape: Any) -> Any:
    return helper.make_tensor_sequence_value_info(name, TensorProto.FLOAT, shape)


# ------------------------------------------------------------------------------------------------- of a known length
def test_a_sequence_of_known_length_costs_nothing() -> None:
    nodes = [
        node("SequenceEmpty", "", "s0"),
        node("SequenceInsert", "s0 x", "s1"),
        node("SequenceInsert", "s1 y", "s2"),
        node("SequenceInsert", "s2 x zero", "s3"),
        node("SequenceErase", "s3 two", "s4"),
        node("SequenceInsert", "s4 y last", "s5"),
        node("SequenceAt", "s5 last", "a"),
        node("SequenceLength", "s5", "n"),
        node("ConcatFromSequence", "s5", "c", axis=0),
    ]
    constants = {"zero": np.array(0, np.int64), "two": np.array(2, np.int64), "last": np.array(-1, np.int64)}
    outputs = [port("a", [None] * 2), port("n", [], "int64"), port("c", [None] * 2)]
    made = model(nodes, [port("x", ["n", 2]), port("y", ["m", 2])], outputs, constants)
    compilation = agrees(made, ones(3, 2), -ones(1, 2))
    assert signature(compilation).endswith("-> (Tensor[(n, 2), float32], int64, Tensor[(m + 2 * n, 2), float32])")
    assert "Sequence" not in program(model_of(made)).text
    assert not compilation.residual


def test_a_place_outside_is_told() -> None:
    nodes = [node("SequenceConstruct", "x x", "s"), node("SequenceAt", "s two", "y")]
    made = model(nodes, [port("x", ["n"])], [port("y", [None])], {"two": np.array(2, np.int64)})
    with pytest.raises(Refused, match="SequenceAt `y`: a place outside a sequence of 2"):
        program(model_of(made))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("new", [0, 1])
def test_tensors_are_put_into_one(axis: int, new: int) -> None:
    nodes = [node("SequenceConstruct", "x y x", "s"), node("ConcatFromSequence", "s", "z", axis=axis, new_axis=new)]
    made = model(nodes, [port("x", ["n", 2]), port("y", ["n", 2])], [port("z", [None] * (2 + new))])
    assert not agrees(made, ones(3, 2), -ones(3, 2)).residual


@pytest.mark.parametrize("settings", [{}, {"axis": 1}, {"axis": -1, "keepdims": 0}])
def test_single_parts(settings: Any) -> None:
    nodes = [node("SplitToSequence", "x", "s", **settings), node("SequenceAt", "s one", "y")]
    rank = 2 - (settings.get("keepdims") == 0)
    made = model(nodes, [port("x", [3, 4])], [port("y", [None] * rank)], {"one": np.array(1, np.int64)})
    agrees(made, ones(3, 4))


@pytest.mark.parametrize("sizes", [np.array(2, np.int64), np.array(9, np.int64), whole(3, 0, 2), whole(1, 1, 1, 1, 1)])
def test_parts_of_given_sizes(sizes: Any) -> None:
    nodes = [node("SplitToSequence", "x sizes", "s"), node("ConcatFromSequence", "s", "y", axis=1)]
    nodes[1] = node("SequenceAt", "s last", "y")
    made = model(
        nodes, [port("x", [5, "n"])], [port("y", [None] * 2)], {"sizes": sizes, "last": np.array(-1, np.int64)}
    )
    assert not agrees(made, ones(5, 2)).residual


def test_parts_of_sizes_that_are_computed() -> None:
    nodes = [node("SplitToSequence", "x sizes", "s", axis=1), node("SequenceAt", "s one", "y")]
    inputs = [port("x", [2, "n"]), port("sizes", [3], "int64")]
    agrees(model(nodes, inputs, [port("y", [None] * 2)], {"one": np.array(1, np.int64)}), ones(2, 7), whole(2, 4, 1))


def test_a_graph_for_each_element() -> None:
    turn = body("turn", [node("Add", "e t", "r")], [port("e", [None]), port("t", [None])], [port("r", [None])])
    nodes = [
        node("SequenceConstruct", "x y", "s"),
        node("SequenceMap", "s x", "mapped", body=turn),
        node("ConcatFromSequence", "mapped", "z", axis=0),
    ]
    inputs = [port("x", [3]), port("y", [1])]
    agrees(model(nodes, inputs, [port("z", [None])], opset=17), ones(3), -ones(1))


# ----------------------------------------------------------------------------------------------- of an unknown length
@pytest.mark.parametrize("keeps", [0, 1])
def test_there_and_back(keeps: int) -> None:
    nodes = [
        node("SplitToSequence", "x", "s", axis=1, keepdims=keeps),
        node("ConcatFromSequence", "s", "y", axis=1, new_axis=1 - keeps),
        node("SequenceLength", "s", "n"),
    ]
    made = model(nodes, [port("x", [2, "n", 3])], [port("y", [None] * 3), port("n", [], "int64")])
    compilation = agrees(made, ones(2, 5, 3))
    assert signature(compilation).endswith("-> (Tensor[(2, ?, 3), float32], int64)")


def test_parts_of_one_size_and_a_rest() -> None:
    nodes = [node("SplitToSequence", "x two", "s"), node("ConcatFromSequence", "s", "y", axis=0)]
    nodes.append(node("SequenceAt", "s last", "z"))
    constants = {"two": np.array(2, np.int64), "last": np.array(-1, np.int64)}
    made = model(nodes, [port("x", ["n", "m"])], [port("y", [None] * 2), port("z", [None] * 2)], constants)
    compilation = agrees(made, ones(5, 3))
    assert signature(compilation).endswith("-> (Tensor[(?, m), float32], Tensor[(?, m), float32])")


def test_as_many_parts_as_there_are_sizes() -> None:
    nodes = [node("SplitToSequence", "x sizes", "s"), node("SequenceAt", "s i", "y")]
    inputs = [port("x", ["n"]), port("sizes", ["k"], "int64"), port("i", [], "int64")]
    made = model(nodes, inputs, [port("y", [None])])
    for place in (0, 1, 2, -1, -3):
        agrees(made, ones(6), whole(1, 2, 3), np.array(place, np.int64))


@pytest.mark.parametrize("place", [0, 1, 2, -1, -2])
def test_an_element_comes_and_goes_at_a_place_that_is_computed(place: int) -> None:
    nodes = [
        node("SplitToSequence", "x", "s"),
        node("SequenceInsert", "s y i", "more"),
        node("ConcatFromSequence", "more", "a", axis=0),
        node("SequenceErase", "s i", "fewer"),
        node("SequenceErase", "fewer", "fewest"),
        node("ConcatFromSequence", "fewest", "b", axis=0),
    ]
    inputs = [port("x", ["n", 2]), port("y", [1, 2]), port("i", [], "int64")]
    made = model(nodes, inputs, [port("a", [None] * 2), port("b", [None] * 2)])
    agrees(made, ones(3, 2), -ones(1, 2), np.array(place, np.int64))


def test_no_element_of_an_empty_sequence_is_joined() -> None:
    nodes = [node("SplitToSequence", "x", "s"), node("ConcatFromSequence", "s", "y", axis=0)]
    compilation, _ = compiled(model(nodes, [port("x", ["n", 2])], [port("y", [None] * 2)]))
    with pytest.raises(gradual.Fault, match="no arm"):
        compilation.run("@main", tensor(ones(0, 2)))


def test_a_sequence_that_grows_in_a_loop() -> None:
    """As torch's exporter writes `repeat_interleave` with numbers that are computed."""
    nodes = [
        node("SequenceAt", "rows i", "row"),
        node("SequenceAt", "counts i", "count"),
        node("Concat", "count one", "reps", axis=0),
        node("Tile", "row reps", "repeated"),
        node("SequenceInsert", "so_far repeated", "more"),
        node("Identity", "go", "on"),
    ]
    inputs = [port("i", [], "int64"), port("go", [], "bool"), listed("so_far", None)]
    turn = body("turn", nodes, inputs, [port("on", [], "bool"), listed("more", None)])
    outer = [
        node("SplitToSequence", "x", "rows"),
        node("SplitToSequence", "n", "counts"),
        node("Size", "n", "limit"),
        node("SequenceEmpty", "", "none"),
        node("Loop", "limit true none", "all", body=turn),
        node("ConcatFromSequence", "all", "y", axis=0),
    ]
    constants = {"one": whole(1), "true": np.array(True)}
    given = [port("x", ["k", "d"]), port("n", ["k"], "int64")]
    compilation = agrees(model(outer, given, [port("y", [None] * 2)], constants), ones(3, 2), whole(2, 0, 3))
    assert signature(compilation).endswith("-> Tensor[(?, ?), float32]")


def test_a_choice_between_sequences() -> None:
    two = body("two", [node("SequenceConstruct", "x x", "s")], [], [listed("s", None)])
    one = body("one", [node("SequenceConstruct", "y", "t")], [], [listed("t", None)])
    nodes = [node("If", "c", "s", then_branch=two, else_branch=one), node("ConcatFromSequence", "s", "z", axis=0)]
    inputs = [port("c", [], "bool"), port("x", [2, "n"]), port("y", [3, "n"])]
    made = model(nodes, inputs, [port("z", [None] * 2)])
    for truth in (True, False):
        compilation = agrees(made, np.array(truth), ones(2, 2), -ones(3, 2))
        assert signature(compilation).endswith("-> Tensor[(?, n), float32]")


def test_a_sequence_from_outside() -> None:
    made = model(
        [node("SequenceAt", "s i", "y")], [listed("s", ["n", 3]), port("i", [], "int64")], [port("y", [None] * 2)]
    )
    compilation, imported = compiled(made)
    assert "%s: Sequence[Tensor[(?, 3), float32]]" in imported.text
    given = gradual.Constructed("Cons", (tensor(ones(2, 3)), gradual.Constructed("Nil", ())))
    assert compilation.run("@main", given, tensor(np.array(-1, np.int64))) == tensor(ones(2, 3))


def test_what_is_no_sequence_is_told() -> None:
    nodes = [node("SequenceAt", "x i", "a"), node("SequenceConstruct", "x", "s"), node("Neg", "s", "b")]
    made = model(nodes, [port("x", ["n"]), port("i", [], "int64")], [port("a", [None]), port("b", [None])])
    with pytest.raises(Refused) as refused:
        program(model_of(made))
    assert refused.value.reasons == (
        "SequenceAt `a`: a tensor where a sequence has to be",
        "Neg `b`: `negative`: argument 1 has to be a tensor, not a tuple or function",
    )


def test_a_graph_for_each_element_of_as_many_as_there_are() -> None:
    turn = body("turn", [node("Add", "e t", "r")], [port("e", None), port("t", [None])], [port("r", None)])
    nodes = [
        node("SplitToSequence", "x", "s"),
        node("SequenceMap", "s y", "mapped", body=turn),
        node("ConcatFromSequence", "mapped", "z", axis=0),
    ]
    made = model(nodes, [port("x", ["n", 3]), port("y", [3])], [port("z", [None] * 2)], opset=17)
    compilation = agrees(made, ones(4, 3), -ones(3))
    assert signature(compilation).endswith("-> Tensor[(?, 3), float32]")


LOOPED = [port("i", [], "int64"), port("go", [], "bool")]


def test_a_sequence_that_stays_empty_in_a_loop() -> None:
    nodes = [node("Identity", "go", "on"), node("Identity", "s", "t")]
    turn = body("turn", nodes, [*LOOPED, listed("s", None)], [port("on", [], "bool"), listed("t", None)])
    outer = [
        node("SequenceEmpty", "", "none"),
        node("Loop", "n true none", "all", body=turn),
        node("SequenceLength", "all", "y"),
    ]
    made = model(outer, [port("n", [], "int64")], [port("y", [], "int64")], {"true": np.array(True)})
    agrees(made, np.array(3, np.int64))


def test_a_loop_gathers_no_sequences() -> None:
    nodes = [node("Identity", "go", "on"), node("SequenceConstruct", "x x", "s")]
    turn = body("turn", nodes, LOOPED, [port("on", [], "bool"), listed("s", None)])
    outer = [node("Loop", "n true", "all", body=turn)]
    inputs = [port("n", [], "int64"), port("x", [2])]
    with pytest.raises(Refused, match="Loop `all`: a sequence where a tensor has to be"):
        program(model_of(model(outer, inputs, [port("all", None)], {"true": np.array(True)})))


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        (np.array(0, np.int64), "parts of size 0"),
        (whole(), "a tensor in no parts"),
        (np.array(1, np.int64), "axis 0 of a tensor of rank 0"),
    ],
)
def test_parts_that_are_none_are_told(sizes: Any, says: str) -> None:
    shape = [] if "rank" in says else ["n"]
    made = model([node("SplitToSequence", "x sizes", "s")], [port("x", shape)], [listed("s", None)], {"sizes": sizes})
    with pytest.raises(Refused, match=f"SplitToSequence `s`: {says}"):
        program(model_of(made))


@pytest.mark.parametrize("counted", [2, "k"])
@pytest.mark.parametrize("sizes", [(1, 2), (3, 2), (5, -1), (-1, 5)])
def test_sizes_that_do_not_make_the_axis_stop_the_run(counted: Any, sizes: tuple[int, int]) -> None:
    nodes = [node("SplitToSequence", "x sizes", "s"), node("SequenceAt", "s one", "y")]
    inputs = [port("x", ["n", 3]), port("sizes", [counted], "int64")]
    made = model(nodes, inputs, [port("y", [None] * 2)], {"one": np.array(1, np.int64)})
    compilation, _ = compiled(made)
    assert compilation.run("@main", tensor(ones(4, 3)), tensor(whole(1, 3))) == tensor(ones(4, 3)[1:])
    with pytest.raises((gradual.Blame, gradual.Fault)):
        compilation.run("@main", tensor(ones(4, 3)), tensor(whole(*sizes)))


def test_as_many_ones_as_there_are_elements_are_asked_for() -> None:
    nodes = [
        node("ConstantOfShape", "shape", "ones", value=numpy_helper.from_array(whole(1))),
        node("SplitToSequence", "x ones", "s"),
        node("ConcatFromSequence", "s", "y", axis=0),
    ]
    compilation, _ = compiled(model(nodes, [port("x", ["n"]), port("shape", [1], "int64")], [port("y", [None])]))
    assert compilation.run("@main", tensor(ones(4)), tensor(whole(4))) == tensor(ones(4))
    with pytest.raises(gradual.Blame):
        compilation.run("@main", tensor(ones(4)), tensor(whole(3)))


def test_constant_ones_promise_the_size() -> None:
    nodes = [node("SplitToSequence", "x ones", "s"), node("ConcatFromSequence", "s", "y", axis=0)]
    inputs = [port("x", [None])]
    compilation, _ = compiled(model(nodes, inputs, [port("y", [None])], {"ones": whole(1, 1)}))
    with pytest.raises(gradual.Blame):
        compilation.run("@main", tensor(ones(3)))
