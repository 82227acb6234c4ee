"""Models made by hand: the program of a model means what the model means; what has no place in one is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper

import gradual
from gradual.importers.common.refusals import Refused
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import agrees, body, compiled, given, model, node, one, ones, port, signature, stops, whole
from tests.importers.node_tests import tensor


def of_one(operator: str, shape: Any, rank: int, opset: int = 21, **attributes: Any) -> ModelProto:
    return model([node(operator, "x", "y", **attributes)], [port("x", shape)], [port("y", [None] * rank)], opset=opset)


# ------------------------------------------------------------------------------------------------------------ sizes
def test_sizes_have_the_names_of_the_model() -> None:
    made = of_one("Relu", ["batch", 3, None, "batch"], 4)
    assert program(model_of(made)).text.startswith("def @main(%x: Tensor[(batch, 3, ?, batch), float32])")


def test_sizes_are_left_open_where_that_is_wanted() -> None:
    text = program(model_of(of_one("Relu", ["n", 3, "n"], 3)), opens=True).text
    assert text.startswith("def @main(%x: Tensor[(?, 3, ?), float32])")


def test_sizes_that_are_numbers_go_through_floats() -> None:
    """As exporters write `ceil(size / 8) * 8`."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s one", "g"),
        node("Cast", "g", "f", to=TensorProto.FLOAT),
        node("Div", "f eight", "d"),
        node("Ceil", "d", "c"),
        node("Mul", "c eight", "m"),
        node("Cast", "m", "i", to=TensorProto.INT64),
        node("Reshape", "i row", "r"),
        node("ConstantOfShape", "r", "y"),
    ]
    constants = {"one": np.array(1, np.int64), "eight": np.float32(8), "row": whole(-1)}
    compilation = agrees(model(nodes, [port("x", ["n", 18])], [port("y", [None])], constants), ones(2, 18))
    assert signature(compilation).endswith("-> Tensor[(24,), float32]")


def test_an_input_of_unknown_rank_has_one() -> None:
    made = model([node("Flatten", "x", "y")], [port("x", None)], [port("y", [None, None])])
    with pytest.raises(Refused, match="Flatten `y`: an operand whose rank is not known here"):
        program(model_of(made))


# --------------------------------------------------------------------------------------------------- shapes as values
def test_a_computed_shape_is_followed() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "b"),
        node("Unsqueeze", "b axes", "b1"),
        node("Concat", "b1 rest", "wanted", axis=0),
        node("Reshape", "x wanted", "y"),
    ]
    constants = {"zero": np.array(0, np.int64), "axes": whole(0), "rest": whole(3, -1)}
    made = model(nodes, [port("x", ["n", 6])], [port("y", [None] * 3)], constants)
    compilation = agrees(made, ones(4, 6))
    assert signature(compilation) == "fn (Tensor[(n, 6), float32]) -> Tensor[(n, 3, 2), float32]"
    assert [check.shown for check in compilation.checks] == ["n >= 1"]
    assert gradual.check(program(model_of(made)).text).checks == ()


@pytest.mark.parametrize("size", ["n", None], ids=["named", "unknown"])
@pytest.mark.parametrize("sizes", [whole(0, -1), whole(0, 3, -1)], ids=["all", "some"])
def test_a_size_that_is_copied_beside_minus_one_is_not_0(size: str | None, sizes: Any) -> None:
    made = one("Reshape", "x sizes", {"x": [size, 6], "sizes": sizes}, rank=len(sizes))
    agrees(made, ones(4, 6))
    stops(made, ones(0, 6), says="a size beside -1 is 0")


@pytest.mark.parametrize("size", ["n", None], ids=["named", "unknown"])
def test_a_size_that_is_computed_beside_minus_one_is_not_0(size: str | None) -> None:
    nodes = [node("Shape", "x", "s", end=1), node("Concat", "s rest", "sizes", axis=0), node("Reshape", "x sizes", "y")]
    made = model(nodes, [port("x", [size, 6])], [port("y", [None] * 2)], {"rest": whole(-1)})
    agrees(made, ones(4, 6))
    stops(made, ones(0, 6), says="a size beside -1 is 0")


def rearranged() -> list[Any]:
    """Widths as PyTorch has them, the last axis first and in pairs, become widths as ONNX has them."""
    return [
        node("Reshape", "widths pairs", "paired"),
        node("Slice", "paired end start first back", "turned"),
        node("Transpose", "turned", "sides", perm=[1, 0]),
        node("Reshape", "sides flat", "pads"),
        node("Pad", "x pads", "y"),
    ]


REARRANGED = {
    "pairs": whole(-1, 2),
    "end": whole(-1),
    "start": whole(-(2**63)),
    "first": whole(0),
    "back": whole(-1),
    "flat": whole(-1),
}


def test_numbers_that_were_rearranged_under_two_axes_are_followed() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Slice", "s one two", "m"),
        node("Concat", "zero m one two", "widths", axis=0),
        *rearranged(),
    ]
    constants = {"zero": whole(0), "one": whole(1), "two": whole(2), **REARRANGED}
    compilation = agrees(model(nodes, [port("x", ["n", "m"])], [port("y", [None] * 2)], constants), ones(2, 3))
    assert signature(compilation) == "fn (Tensor[(n, m), float32]) -> Tensor[(n + 3, 2 * m), float32]"
    assert compilation.checks == ()


def test_widths_that_are_an_input_are_checked() -> None:
    inputs = [port("x", ["n", "m"]), port("widths", [4], "int64")]
    compilation = agrees(
        model(rearranged(), inputs, [port("y", [None] * 2)], REARRANGED), ones(2, 3), whole(1, 2, 0, 4)
    )
    with pytest.raises(gradual.Blame):
        compilation.run("@main", tensor(ones(2, 3)), tensor(whole(-4, 0, 0, 0)))


def test_widths_of_some_axes_are_followed() -> None:
    nodes = [node("Shape", "x", "s"), node("Pad", "x s - axes", "y")]
    made = model(nodes, [port("x", [3, "n", 2, 5])], [port("y", [None] * 4)], {"axes": whole(1, -1)})
    compilation, _ = compiled(made)
    assert signature(compilation).endswith("Tensor[(3, n + 5, 2, n + 10), float32]")


def test_the_same_numbers_under_two_axes_stand_in_the_program() -> None:
    nodes = [node("Reshape", "w shape", "p"), node("Transpose", "p", "t"), node("Add", "t p", "y")]
    agrees(model(nodes, [port("w", [4], "int64")], [port("y", [None] * 2)], {"shape": whole(2, 2)}), whole(1, 2, 3, 4))


def test_the_places_of_ones_are_all_places() -> None:
    ones_of = numpy_helper.from_array(whole(1), "value")
    nodes = [node("Shape", "x", "s"), node("ConstantOfShape", "s", "ones", value=ones_of), node("NonZero", "ones", "y")]
    compilation = agrees(model(nodes, [port("x", ["n"])], [port("y", [None] * 2, "int64")]), ones(5))
    assert signature(compilation) == "fn (Tensor[(n,), float32]) -> Tensor[(1, n), int64]"
    nothing = numpy_helper.from_array(whole(0), "value")
    nodes[1] = node("ConstantOfShape", "s", "ones", value=nothing)
    agrees(model(nodes, [port("x", ["n"])], [port("y", [None] * 2, "int64")]), ones(5))


def test_random_numbers_are_checked_and_not_drawn() -> None:
    """Each node has an operator of its own: two tensors of one shape hold other numbers."""
    nodes = [
        node("RandomNormalLike", "x", "a"),
        node("RandomNormalLike", "x", "b", scale=2.0),
        node("RandomUniform", "", "c", shape=[3, 1], low=1.0),
        node("Add", "a b", "d"),
        node("Multinomial", "x", "k", sample_size=5),
        node("Add", "d c", "y"),
    ]
    outputs = [port("y", [None] * 2), port("k", [None] * 2, "int64")]
    compilation, imported = compiled(model(nodes, [port("x", [3, "m"])], outputs))
    assert imported.text.count("operator onnx.") == 4
    assert signature(compilation).endswith("-> (Tensor[(3, m), float32], Tensor[(3, 5), int32])")
    with pytest.raises(gradual.Fault, match="RandomNormalLike"):
        compilation.run("@main", tensor(ones(3, 2)))


@pytest.mark.parametrize(("start", "step"), [(0.0, 1.0), (1.0, 2.0), (0.5, 1.0), (9.0, -2.0)])
def test_numbers_up_to_a_size(start: float, step: float) -> None:
    nodes = [
        node("Size", "x", "n"),
        node("Cast", "n", "limit", to=TensorProto.DOUBLE),
        node("Range", "start limit step", "d"),
        node("Cast", "d", "y", to=TensorProto.FLOAT),
    ]
    constants = {"start": np.array(start), "step": np.array(step)}
    compilation = agrees(model(nodes, [port("x", ["n"])], [port("y", [None])], constants), ones(4))
    assert ("?" in signature(compilation)) == (start == 0.5)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (0, 3), (2, 1)])
def test_expand_broadcasts_both_ways(shape: tuple[int, int]) -> None:
    made = model(
        [node("Expand", "x s", "y")], [port("x", [None, None])], [port("y", [None] * 3)], {"s": whole(4, 1, 3)}
    )
    agrees(made, ones(*shape))


@pytest.mark.parametrize(
    "batches", [((2, 3), (2, 3)), ((1, 3), (2, 1)), ((3,), (2, 3)), ((), (2, 1)), ((0, 3), (1, 3))]
)
def test_batches_of_matrices_broadcast(batches: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    left, right = ([None] * len(batch) for batch in batches)
    inputs = [port("a", [*left, "i", "k"]), port("b", [*right, "k", "j"])]
    made = model([node("MatMul", "a b", "y")], inputs, [port("y", [None] * (max(map(len, batches)) + 2))])
    agrees(made, ones(*batches[0], 4, 5), ones(*batches[1], 5, 2))


@pytest.mark.parametrize(
    ("left", "right"), [((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((2, 5, 3), (3,)), ((3,), (2, 3, 4))]
)
def test_a_vector_is_a_row_or_a_column(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rank = len(left) + len(right) - 2 if min(len(left), len(right)) == 1 else 2
    made = model([node("MatMul", "a b", "y")], [port("a", left), port("b", right)], [port("y", [None] * rank)])
    agrees(made, ones(*left), ones(*right))


# -------------------------------------------------------------------------------------------------------- indices
@pytest.mark.parametrize("operator", ["Gather", "GatherElements"])
def test_negative_indices_count_from_the_end(operator: str) -> None:
    inputs = [port("x", [None, "m"]), port("i", [None, "l"], "int64")]
    made = model([node(operator, "x i", "y", axis=1)], inputs, [port("y", [None] * (3 if operator == "Gather" else 2))])
    agrees(made, ones(2, 5), np.array([[0, -1, -5], [4, 3, -2]]))


@pytest.mark.parametrize(
    ("starts", "ends", "axes", "steps"),
    [
        ([1], [2**63 - 1], [1], [2]),
        ([-1], [-(2**63)], [1], [-1]),
        ([5, -3], [-100, 100], [1, 0], [-2, 1]),
        ([100], [-100], [-1], [-3]),
        ([3], [3], [0], [1]),
    ],
)
def test_slices_are_clamped(starts: list[int], ends: list[int], axes: list[int], steps: list[int]) -> None:
    constants = {"s": whole(*starts), "e": whole(*ends), "a": whole(*axes), "p": whole(*steps)}
    made = model([node("Slice", "x s e a p", "y")], [port("x", ["n", "m"])], [port("y", [None] * 2)], constants)
    agrees(made, ones(4, 7))
    agrees(made, ones(0, 1))


def test_indices_that_reach_less_leave_the_rest_out() -> None:
    made = model(
        [node("GatherElements", "x i", "y", axis=1)],
        [port("x", [None, "m"]), port("i", [None, "k"], "int64")],
        [port("y", [None] * 2)],
    )
    compilation, _ = compiled(made)
    found = compilation.run("@main", tensor(ones(3, 4)), tensor(np.array([[0, -1], [3, 0]])))
    assert found == tensor(np.array([[0, 3], [7, 4]], np.float32))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_of_the_greatest_as_are_asked_for(count: int) -> None:
    outputs = [port("v", [None] * 2), port("i", [None] * 2, "int64")]
    given = model([node("TopK", "x k", "v i")], [port("x", ["n", 4])], outputs, {"k": whole(count)})
    agrees(given, ones(2, 4))
    made = model([node("TopK", "x k", "v i")], [port("x", ["n", 4]), port("k", [1], "int64")], outputs)
    agrees(made, ones(2, 4), whole(count))


def test_infinities_come_through_a_sum_of_exponentials() -> None:
    made = of_one("ReduceLogSumExp", ["n", 2], 2, keepdims=1)
    made.graph.node[0].input.append("axes")
    made = model([made.graph.node[0]], [port("x", ["n", 2])], [port("y", [None] * 2)], {"axes": whole(1)})
    compilation, _ = compiled(made)
    found = compilation.run("@main", tensor(np.array([[-np.inf, -np.inf], [np.inf, 1], [0, 0]], np.float32)))
    assert np.allclose(found.flat(), [-np.inf, np.inf, np.log(2)])


@pytest.mark.parametrize("sizes", [[1, 8, 8, 2], [2, 2, 8, 8]])
def test_only_what_lies_inside_an_image_is_resized(sizes: list[int]) -> None:
    def resized(shape: Any) -> ModelProto:
        nodes = [node("Resize", "x - - s", "y", mode="linear")]
        return model(nodes, [port("x", shape)], [port("y", [None] * 4)], {"s": whole(*sizes)})

    shape = (1, 2, 4, 4)
    with pytest.raises(Refused, match="sizes change the batch or the channels"):
        program(model_of(resized(shape)))
    compilation, _ = compiled(resized([None] * 4))
    with pytest.raises(gradual.Blame):
        compilation.run("@main", tensor(ones(*shape)))


# ------------------------------------------------------------------------------------------------------ versions
@pytest.mark.parametrize("axis", [1, 0, -1])
def test_softmax_took_all_the_last_axes_as_one_before_version_13(axis: int) -> None:
    made = of_one("Softmax", ["n", "m", 4], 3, 11, axis=axis)
    compilation, _ = compiled(made)
    x = ones(2, 3, 4)
    flat = np.exp(x - 23).reshape((*x.shape[:axis], -1)).astype(np.float64)
    wanted = (flat / flat.sum(axis=-1, keepdims=True)).ravel()
    assert np.allclose(compilation.run("@main", tensor(x)).flat(), wanted, rtol=1e-5)


@pytest.mark.parametrize("opset", [11, 13, 18])
def test_axes_were_attributes(opset: int) -> None:
    ends = ("", {"axes": [0, 3]}) if opset < 13 else (" ends", {})
    one = ("", {"axes": [1]}) if opset < 18 else (" one", {})
    nodes = [node("Unsqueeze", f"x{ends[0]}", "u", **ends[1]), node("ReduceMean", f"u{one[0]}", "y", **one[1])]
    constants = {"ends": whole(0, 3), "one": whole(1)}
    agrees(model(nodes, [port("x", ["n", "m"])], [port("y", [None] * 4)], constants, opset), ones(3, 4))


# ------------------------------------------------------------------------------------------------ bodies of nodes
@pytest.mark.parametrize("truth", [True, False])
def test_branches_may_give_other_sizes_and_see_what_is_around(truth: bool) -> None:
    then = body("then", [node("Concat", "x x", "t", axis=0)], [], [port("t", [None, 3])])
    orelse = body("else", [node("Identity", "x", "e")], [], [port("e", [None, 3])])
    nodes = [node("If", "c", "z", then_branch=then, else_branch=orelse), node("Relu", "z", "y")]
    made = model(nodes, [port("x", ["n", 3]), port("c", [], "bool")], [port("y", [None, 3])])
    agrees(made, ones(2, 3), np.array(truth))


@pytest.mark.parametrize("turns", [0, 1, 4])
def test_a_loop_hands_on_a_tensor_that_grows(turns: int) -> None:
    nodes = [node("Concat", "v x", "w", axis=0), node("Identity", "go", "on"), node("ReduceSum", "w", "s", keepdims=0)]
    inputs = [port("i", [], "int64"), port("go", [], "bool"), port("v", [None, 3])]
    turn = body("turn", nodes, inputs, [port("on", [], "bool"), port("w", [None, 3]), port("s", [])])
    made = model(
        [node("Loop", "m true x", "y sums", body=turn)],
        [port("x", ["n", 3]), port("m", [], "int64")],
        [port("y", [None, 3]), port("sums", [None])],
        {"true": np.array(True)},
    )
    compilation, _ = compiled(made)
    grown, sums = compilation.run("@main", tensor(ones(2, 3)), tensor(np.array(turns, np.int64)))
    assert grown == tensor(np.tile(ones(2, 3), (turns + 1, 1)))
    assert sums == tensor(np.array([15.0 * (turn + 2) for turn in range(turns)], np.float32))


def test_a_condition_is_ignored_where_the_loop_has_none() -> None:
    nodes = [node("Add", "v v", "w"), node("Constant", "", "on", value=numpy_helper.from_array(np.array(False)))]
    inputs = [port("i", [], "int64"), port("go", [], "bool"), port("v", [])]
    turn = body("turn", nodes, inputs, [port("on", [], "bool"), port("w", [])])
    inputs = [port("x", []), port("m", [], "int64")]
    compilation, _ = compiled(model([node("Loop", "m - x", "y", body=turn)], inputs, [port("y", [])]))
    assert compilation.run("@main", tensor(np.float32(1)), tensor(np.array(3, np.int64))).tolist() == 8.0


def test_a_loop_ends_when_its_condition_says_so() -> None:
    nodes = [node("Add", "v one", "w"), node("Less", "w limit", "on")]
    inputs = [port("i", [], "int64"), port("go", [], "bool"), port("v", [])]
    turn = body("turn", nodes, inputs, [port("on", [], "bool"), port("w", [])])
    constants = {"one": np.float32(1), "true": np.array(True)}
    made = model(
        [node("Loop", "- true x", "y", body=turn)], [port("x", []), port("limit", [])], [port("y", [])], constants
    )
    agrees(made, np.float32(0), np.float32(3.5))
    agrees(made, np.float32(9), np.float32(3.5))


def test_an_operator_of_the_model_itself_is_its_body() -> None:
    scaled = helper.make_function(
        "own",
        "Scaled",
        ["x", "factor"],
        ["y"],
        [node("Constant", "", "one", value_float=1.0), node("Add", "x one", "more"), node("Mul", "more factor", "y")],
        [helper.make_opsetid("", 21)],
    )
    nodes = [node("Scaled", "x f", "a", domain="own"), node("Scaled", "a f", "y", domain="own")]
    made = model(nodes, [port("x", ["n"]), port("f", [])], [port("y", [None])], functions=[scaled])
    agrees(made, ones(3), np.float32(2))


def test_the_body_of_an_operator_may_depend_on_its_operands() -> None:
    sizes = [port("q", ["b", 2, "s", 4]), port("k", ["b", 2, 7, 4]), port("v", ["b", 2, 7, 6])]
    made = model([node("Attention", "q k v", "y", scale=0.5)], sizes, [port("y", [None] * 4)], opset=23)
    compilation = agrees(made, ones(3, 2, 5, 4), ones(3, 2, 7, 4) / 100, ones(3, 2, 7, 6))
    assert "-> Tensor[(b, 2, s, 6), float32]" in compilation.types["@main"]
    assert not compilation.checks


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (node("RotaryEmbedding", "x x x", "y"), "operands of which too little is known here"),
        (node("RotaryEmbedding", "x x x", "y", interleaved="yes"), ".* type"),
        (node("RotaryEmbedding", "x x x", "y", angle=1.0), "the attribute angle"),
    ],
)
def test_why_there_is_no_body_is_told(written: Any, says: str) -> None:
    with pytest.raises(Refused, match=f"{written.op_type} `y`: {says}"):
        program(model_of(model([written], [port("x", None)], [port("y", None)], opset=23)))


def constant(*values: float) -> Any:
    return numpy_helper.from_array(np.array(values, np.float32))


def test_weights_of_one_name_in_two_graphs_are_two() -> None:
    def branch(name: str, factor: float) -> Any:
        nodes = [node("Constant", "", "w", value=constant(factor, factor)), node("Add", "x w", name)]
        return body(name, nodes, [], [port(name, [None, 2])])

    nodes = [node("If", "c", "y", then_branch=branch("t", 1.0), else_branch=branch("e", 2.0))]
    made = model(nodes, [port("x", ["n", 2]), port("c", [], "bool")], [port("y", [None, 2])])
    for truth in (True, False):
        agrees(made, ones(3, 2), np.array(truth))


def test_a_constant_that_is_computed_takes_no_name_of_another() -> None:
    nodes = [node("ConstantOfShape", "s", "f", value=numpy_helper.from_array(whole(5))), node("Add", "z f", "t")]
    nodes.append(node("Add", "t constant_1", "y"))
    constants = {"constant_1": np.zeros(300, np.int64), "s": whole(300)}
    agrees(model(nodes, [port("z", [300], "int64")], [port("y", [300], "int64")], constants), np.arange(300))


def test_a_function_is_chosen_by_its_overload_and_its_attributes() -> None:
    opsets = [helper.make_opsetid("", 21)]
    scaled = helper.make_function(
        "own",
        "F",
        ["x"],
        ["y"],
        [_referring("Constant", "k", "value", "v"), node("Mul", "x k", "y")],
        opsets,
        ["v"],
        overload="scaled",
    )
    negative = helper.make_function("own", "F", ["x"], ["y"], [node("Neg", "x", "y")], opsets, overload="negative")
    nodes = [
        node("F", "x", "a", domain="own", overload="scaled", v=constant(2.0, 3.0)),
        node("F", "a", "b", domain="own", overload="scaled", v=constant(5.0, 7.0)),
        node("F", "b", "y", domain="own", overload="negative"),
    ]
    made = model(nodes, [port("x", ["n", 2])], [port("y", [None, 2])], functions=[scaled, negative])
    compilation, imported = compiled(made)
    found = compilation.run("@main", tensor(np.ones((1, 2), np.float32)), *imported.weights.values())
    assert found == tensor(np.array([[-10, -21]], np.float32))


def _referring(operator: str, output: str, name: str, reference: str) -> Any:
    """A node with an attribute of the function around."""
    made = node(operator, "", output)
    made.attribute.append(AttributeProto(name=name, type=AttributeProto.TENSOR, ref_attr_name=reference))
    return made


def test_graphs_in_a_function_have_its_version() -> None:
    inner = body("t", [node("Softmax", "x", "s", axis=1)], [], [port("s", [None] * 3)])
    other = body("e", [node("Identity", "x", "i")], [], [port("i", [None] * 3)])
    choice = node("If", "c", "y", then_branch=inner, else_branch=other)
    function = helper.make_function("own", "Choose", ["x", "c"], ["y"], [choice], [helper.make_opsetid("", 12)])
    nodes = [node("Choose", "x c", "y", domain="own")]
    made = model(nodes, [port("x", [2, 3, 4]), port("c", [], "bool")], [port("y", [None] * 3)], functions=[function])
    compilation, _ = compiled(made)
    found = compilation.run("@main", tensor(ones(2, 3, 4)), tensor(np.array(True)))
    assert np.allclose(sum(found.flat()[:12]), 1.0, rtol=1e-5)


def test_many_operands_do_not_nest() -> None:
    made = model([node("Sum", "x " * 700, "y")], [port("x", ["n"])], [port("y", [None])])
    compilation, _ = compiled(made)
    assert compilation.run("@main", tensor(ones(3))) == tensor(700 * ones(3))


# --------------------------------------------------------------------------------------------------------- outputs
def test_outputs_may_be_inputs_weights_and_one_value_twice() -> None:
    made = model(
        [node("Relu", "x", "y")],
        [port("x", ["n"])],
        [port("y", [None]), port("x", [None]), port("w", [2]), port("y", [None])],
        {"w": np.array([1.0, 2.0], np.float32)},
    )
    agrees(made, ones(3))


def test_names_that_become_alike_stay_apart() -> None:
    nodes = [node("Relu", "a/1", "a_1"), node("Neg", "a_1", "a-1"), node("Abs", "a-1", "1"), node("Neg", "1", "@")]
    agrees(model(nodes, [port("a/1", ["n"])], [port("@", [None])]), ones(3))


# ------------------------------------------------------------------------------------------------- what is refused
@pytest.mark.parametrize("size", [3, 4])
def test_of_an_even_number_of_neighbours_one_more_is_behind(size: int) -> None:
    x = ones(1, 7, 1, 2)
    before, after = (size - 1) // 2, size // 2
    squares = np.stack([(x[:, max(at - before, 0) : at + after + 1] ** 2).sum(axis=1) for at in range(7)], axis=1)
    found = given(of_one("LRN", [1, 7, 1, 2], 4, size=size, alpha=0.5), x)
    assert np.allclose(found, x / (1 + 0.5 / size * squares) ** 0.75, rtol=1e-5)


def test_everything_that_is_not_imported_is_told() -> None:
    nodes = [
        node("RegexFullMatch", "x", "a"),
        node("Relu", "x", "b"),
        node("Dropout", "b r t", "c"),
        node("Neg", "a", "d"),
        node("Strange", "b", "e", domain="elsewhere"),
    ]
    constants = {"r": np.float32(0.5), "t": np.array(True)}
    outputs = [port("c", [None] * 2), port("d", [None] * 2), port("e", [None] * 2)]
    with pytest.raises(Refused) as refused:
        program(model_of(model(nodes, [port("x", ["n", "n"])], outputs, constants)))
    assert refused.value.reasons == (
        "RegexFullMatch `a`: an operator that is not imported",
        "Dropout `c`: training",
        "Strange `e`: an operator of the domain elsewhere",
    )


def test_a_body_that_asks_for_itself_and_one_with_two_troubles_are_told() -> None:
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    again = helper.make_function("own", "Again", ["x"], ["y"], [node("Again", "x", "y", domain="own")], opsets)
    inner = [node("RegexFullMatch", "x", "a"), node("ImageDecoder", "x", "y")]
    two = helper.make_function("own", "Two", ["x"], ["a", "y"], inner, opsets)
    nodes = [node("Again", "x", "p", domain="own"), node("Two", "x", "q r", domain="own")]
    outputs = [port(name, [None]) for name in "pqr"]
    with pytest.raises(Refused) as refused:
        program(model_of(model(nodes, [port("x", ["n"])], outputs, functions=[again, two])))
    unknown = "an operator that is not imported"
    assert refused.value.reasons == (
        "Again `p`: Again `y`: an operator whose body asks for itself",
        f"RegexFullMatch `a`: {unknown}",
        f"ImageDecoder `y`: {unknown}",
    )


def test_a_value_that_nothing_gives_is_told() -> None:
    with pytest.raises(Refused, match="Relu `y`: no node before it gives `nothing`"):
        program(model_of(model([node("Relu", "nothing", "y")], [], [port("y", [None])])))


def test_elements_that_the_language_has_not_are_told() -> None:
    made = of_one("Identity", ["n"], 1)
    made.graph.input[0].type.tensor_type.elem_type = 8
    with pytest.raises(Refused, match="`x` has elements of type string"):
        program(model_of(made))


def test_the_size_of_a_part_that_is_promised_is_checked() -> None:
    outputs = [port("a", [2]), port("b", [3])]
    compilation, _ = compiled(model([node("Split", "x s", "a b")], [port("x", [None])], outputs, {"s": whole(2, 3)}))
    assert "dim(%x, 0) == 5" in [str(check.goal) for check in compilation.checks]
