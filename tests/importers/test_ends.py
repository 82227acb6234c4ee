"""What ONNX says at the ends of what there is: places before an axis, sizes of 0, sequences of other sizes.

The values are those of the operators' text, and of ONNX Runtime with its optimisations off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper

import gradual
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from tests.importers.models import (
    agrees,
    body,
    compiled,
    given,
    model,
    node,
    one,
    ones,
    port,
    refused,
    same,
    stops,
    whole,
)


# ---------------------------------------------------------------------------------------------------------- indices
@pytest.mark.parametrize("index", [-4, 3])
@pytest.mark.parametrize(
    ("operator", "shape", "updates"),
    [
        ("Gather", (1,), ""),
        ("GatherElements", (1,), ""),
        ("ScatterElements", (1,), " u"),
        ("GatherND", (1, 1), ""),
        ("ScatterND", (1, 1), " u"),
    ],
)
def test_an_index_counts_from_the_end_once(operator: str, shape: tuple[int, ...], updates: str, index: int) -> None:
    inputs: dict[str, Any] = {"x": ["n"], "i": (list(shape), "int64")} | ({"u": [1]} if updates else {})
    made, update = one(operator, f"x i{updates}", inputs, 1), [ones(1)] if updates else []
    stops(made, ones(3), np.full(shape, index), *update, says=f"index {index} is out of bounds")
    constant = one(operator, f"x i{updates}", inputs | {"i": np.full(shape, index)}, 1)
    (error,) = gradual.check(program(model_of(constant)).text).diagnostics
    assert error.code == "E0302"
    assert error.message.startswith(f"index {index} is out of bounds for dimension 0 with size n for some sizes: ")
    assert given(made, ones(3), np.full(shape, -3), *update).size == 1 + 2 * bool(updates)


def test_a_box_around_a_centre_whose_side_is_below_0_overlaps_nothing() -> None:
    centres = np.float32([[[0, 0, 2, 2], [0, 0, -2, 2], [0, 0, -2, -2], [0.1, 0, 2, 2]]])
    made = model(
        [node("NonMaxSuppression", "b s k t l", "y", center_point_box=1)],
        [port("b", [1, "n", 4]), port("s", [1, 1, "n"])],
        [port("y", [None, 3], "int64")],
        {"k": whole(4), "t": np.float32([0.3]), "l": np.float32([0.0])},
    )
    agrees(made, centres, np.float32([[[4, 3, 2, 1]]]))


# ----------------------------------------------------------------------------------------------------------- slices
def sliced(x: Any, start: int, end: int, step: int) -> Any:
    """What ONNX's text says, written out: places are clamped by the sign of the step."""
    size = len(x)
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (place + size if place < 0 else place for place in (start, end))
    first = min(max(first, 0), high)
    return x[[at for at in range(first, min(max(last, low), high if step < 0 else size), step) if 0 <= at < size]]


PLACES = [(-6, -9, -1), (-(2**31), -(2**31), -1), (-9, -20, -2), (-(2**63), -(2**63), -3), (-2, -9, -1), (5, -9, -2)]


@pytest.mark.parametrize(("start", "end", "step"), [*PLACES, (-6, 2, 1), (-(2**31), 9, 2)])
@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_slice_back_from_before_the_axis_has_its_first_place(start: int, end: int, step: int, size: int) -> None:
    places = {"s": whole(start), "e": whole(end), "p": whole(step)}
    wanted = sliced(ones(size), start, end, step)
    for shape in (["n"], [size]):
        made = one("Slice", "x s e a p", {"x": shape, "a": whole(0), **places}, 1)
        assert same(given(made, ones(size)), wanted)
    computed = one("Slice", "x s e a p", {"x": ["n"], "a": whole(0), **dict.fromkeys("sep", ([1], "int64"))}, 1)
    assert same(given(computed, ones(size), *places.values()), wanted)


def test_vectors_of_places_are_vectors_of_one_length() -> None:
    vectors = {"s": whole(0), "e": whole(1), "a": whole(0), "p": whole(1)}
    for name in "sep":
        refused(
            one("Slice", "x s e a p", {"x": [3], **vectors, name: np.array(1)}), "a number where a vector has to be"
        )
        refused(one("Slice", "x s e a p", {"x": [3], **vectors, name: whole(1, 1)}), "vectors of 1 and 2 places")


# ---------------------------------------------------------------------------------------------------------- padding
@pytest.mark.parametrize(("size", "before", "after"), [(3, 3, -4), (1, -2, 1), (3, -1, -1), (2, -1, -1), (0, 2, -1)])
def test_cells_are_added_before_some_are_cut(size: int, before: int, after: int) -> None:
    """The size is that of the data with what comes before and after, one number."""
    wide = [0.0] * max(before, 0) + [*range(1, size + 1)] + [0.0] * max(after, 0)
    wanted = wide[max(-before, 0) : len(wide) + min(after, 0)]
    made = one("Pad", "x p", {"x": [None], "p": whole(before, after)}, 1)
    assert same(given(made, ones(size) + 1), wanted)


def test_no_more_is_cut_than_there_is() -> None:
    stops(one("Pad", "x p", {"x": [None], "p": whole(-1, -1)}, 1), ones(1))
    compilation = gradual.check(program(model_of(one("Pad", "x p", {"x": ["n"], "p": whole(-1, -1)}, 1))).text)
    assert "fails for n = 1" in str(compilation.diagnostics[0].message)
    refused(one("Pad", "x p - a", {"x": [3, 3], "p": whole(0, 0, 1, 1), "a": whole(1, -1)}), "4 widths for the axes")


def test_the_border_is_that_of_what_is_left() -> None:
    assert same(given(one("Pad", "x p", {"x": [None], "p": whole(-1, 2)}, 1, mode="edge"), ones(3)), [1, 2, 2, 2])
    stops(one("Pad", "x p", {"x": [None], "p": whole(-2, 2)}, 1, mode="reflect"), ones(4))


# -------------------------------------------------------------------------------------------------------- sequences
def parted(sizes: Any, shape: Any, last: str, *then: Any) -> ModelProto:
    """A model that reads one thing of the parts of a tensor."""
    nodes = [node("SplitToSequence", "x s", "q"), node(last, "q" + " k" * (last == "SequenceAt"), "y")]
    inputs, constants = [port("x", shape)], {"k": np.array(0)}
    if sizes is None:
        inputs.append(port("s", [2], "int64"))
    else:
        constants["s"] = sizes
    dtype = "int64" if last == "SequenceLength" else "float32"
    return model(nodes, inputs, [port("y", None, dtype)], constants)


@pytest.mark.parametrize("last", ["SequenceAt", "SequenceLength"])
@pytest.mark.parametrize("sizes", [(3, 9), (1, 1, 9), (9,)])
def test_parts_make_up_the_axis_whichever_is_read(last: str, sizes: tuple[int, ...]) -> None:
    made = parted(whole(*sizes), [4], last)
    compilation = gradual.check(program(model_of(made)).text)
    assert [str(one.code) for one in compilation.diagnostics] == ["E0301"]
    stops(parted(whole(*sizes), [None], last), ones(4))
    if len(sizes) == 2:
        stops(parted(None, [None], last), ones(4), whole(*sizes))
        given(parted(None, [None], last), ones(12), whole(*sizes))


@pytest.mark.parametrize(("one", "other"), [((1,), (2,)), ((1, 4), (2, 4)), ((2, 1), (2, 3))])
def test_elements_of_a_sequence_may_have_other_sizes(one: Any, other: Any) -> None:
    inputs = [port("x", one), port("y", other), port("k", [], "int64")]
    nodes = [node("SequenceConstruct", "x y", "q"), node("SequenceAt", "q k", "z")]
    made = model(nodes, inputs, [port("z", [None] * len(one))])
    assert same(given(made, ones(*one), ones(*other), np.array(1)), ones(*other))
    longer = [node("SplitToSequence", "x", "q0", axis=len(one) - 1), node("SequenceInsert", "q0 y", "q"), nodes[1]]
    made = model(longer, [port("x", [*one[:-1], "n"]), *inputs[1:]], [port("z", [None] * len(one))])
    assert same(given(made, ones(*one), ones(*other), np.array(-1)), ones(*other))


def test_branches_that_give_sequences_of_other_sizes() -> None:
    def branch(name: str, elements: str) -> Any:
        sequence = helper.make_tensor_sequence_value_info(name, 1, None)
        return body(name, [node("SequenceConstruct", elements, name)], [], [sequence])

    choice = node("If", "c", "q", then_branch=branch("t", "x"), else_branch=branch("e", "x y"))
    inputs = [port("c", [], "bool"), port("x", [1]), port("y", [2]), port("k", [], "int64")]
    made = model([choice, node("SequenceAt", "q k", "z")], inputs, [port("z", [None])])
    assert same(given(made, np.array(False), ones(1), ones(2), np.array(-1)), ones(2))
    assert same(given(made, np.array(True), ones(1), ones(2), np.array(-1)), ones(1))


# ------------------------------------------------------------------------------------------------------------- TopK
def best(k: Any, shape: Any) -> ModelProto:
    inputs = [port("x", shape)] + ([port("k", k, "int64")] if isinstance(k, list) else [])
    constants = {} if isinstance(k, list) else {"k": k}
    return model([node("TopK", "x k", "v i")], inputs, [port("v", [None])], constants)


def test_no_fewer_than_no_elements_are_asked_for() -> None:
    refused(best(whole(-1), [3]), "k is negative")
    refused(best(np.array(1), [3]), "a k that is no vector of one element")
    refused(best([], [3]), "a k that is no vector of one element")
    stops(best([1], ["n"]), ones(3), whole(-1), says="TopK `v`: k is negative")
    stops(best([1], ["n"]), ones(3), whole(4))
    assert same(given(best([None], ["n"]), ones(3), whole(2)), [2, 1])
    computed = [node("Shape", "x", "s"), node("Sub", "s five", "k"), node("TopK", "x k", "v i")]
    made = model(computed, [port("x", ["n"])], [port("v", [None])], {"five": whole(5)})
    assert same(given(made, ones(6)), [5])
    stops(made, ones(3), says="k is negative")


# ------------------------------------------------------------------------------------------------------------ loops
@pytest.mark.parametrize("number", [[], [1]])
@pytest.mark.parametrize("condition", [[], [1]])
def test_the_number_of_a_turn_and_its_condition_have_the_declared_rank(number: Any, condition: Any) -> None:
    nodes = [node("Identity", "go", "on"), node("Add", "v v", "w"), node("Identity", "i", "at")]
    inputs = [port("i", number, "int64"), port("go", condition, "bool"), port("v", [2])]
    turn = body("turn", nodes, inputs, [port("on", condition, "bool"), port("w", [2]), port("at", number, "int64")])
    outer = node("Loop", "m c x", "y s", body=turn)
    ports = [port("m", [], "int64"), port("c", condition, "bool"), port("x", [2])]
    made = model([outer], ports, [port("y", [2]), port("s", None, "int64")])
    doubled, turns = given(made, np.array(3), np.ones(condition, bool), ones(2))
    assert same(doubled, 8 * ones(2)) and same(turns, np.arange(3).reshape(3, *number))


@pytest.mark.parametrize("shape", [[1], [None]])
def test_a_condition_that_is_computed_may_be_a_vector_of_one_element(shape: Any) -> None:
    nodes = [node("Add", "v one", "w"), node("Less", "w limit", "on")]
    inputs = [port("i", [], "int64"), port("go", shape, "bool"), port("v", [1])]
    turn = body("turn", nodes, inputs, [port("on", [1], "bool"), port("w", [1])])
    ports = [port("c", shape, "bool"), port("x", [1]), port("limit", [1])]
    made = model([node("Loop", "- c x", "y", body=turn)], ports, [port("y", [1])], {"one": ones(1) + 1})
    assert same(given(made, np.ones(1, bool), ones(1), ones(1) + 4), [4])
    assert same(given(made, np.zeros(1, bool), ones(1), ones(1) + 4), [0])


# ---------------------------------------------------------------------------------------------------------- resizing
NEAREST = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ((1, 3, 2, 2), (2, 3, 4, 4)),
        ((2, 2, 2, 2), (2, 4, 2, 3)),
        ((3, 2, 4), (2, 4, 8)),
        ((2, 3, 2, 2), (1, 3, 2, 2)),
        ((2, 3), (4, 3)),
        ((3,), (7,)),
        ((1, 2, 2, 2, 2), (3, 1, 2, 4, 4)),
    ],
)
@pytest.mark.parametrize("empty", [False, True])
def test_the_nearest_cell_is_looked_for_along_any_axis(shape: Any, sizes: Any, empty: bool) -> None:
    scales = "e" if empty else "-"
    x = ones(*shape)
    wanted = x[np.ix_(*(np.arange(new) * old // new for old, new in zip(shape, sizes, strict=True)))]
    for known in (list(shape), [None] * len(shape)):
        inputs: dict[str, Any] = {"x": known, "s": whole(*sizes)} | ({"e": ones(0)} if empty else {})
        made = one("Resize", f"x - {scales} s", inputs, len(shape), **NEAREST)
        assert same(given(made, x), wanted)
        assert str(compiled(made)[0].types["@main"]).endswith(f"-> Tensor[({str(sizes)[1:-1]}), float32]")


def test_what_is_no_axis_of_an_image_keeps_its_size_on_a_line() -> None:
    made = one("Resize", "x - - s", {"x": [None, 3, 2, 2], "s": whole(1, 3, 4, 4)}, 4, mode="linear")
    compilation, _ = compiled(made)
    assert str(compilation.types["@main"]).endswith("-> Tensor[(1, 3, 4, 4), float32]")
    stops(made, ones(2, 3, 2, 2))
    lines = one("Resize", "x - - s", {"x": [2, 1, 1], "s": whole(3, 1, 1)}, 3, mode="linear")
    assert same(given(lines, 3 * ones(2, 1, 1)).ravel()[1], 1.5)


# ------------------------------------------------------------------------------------------------------ broadcasting
@pytest.mark.parametrize("shape", [[1, 1, "n"], [1, "m", "n"]])
def test_what_is_added_to_a_product_is_broadcast_to_it(shape: Any) -> None:
    sizes = {"a": ["m", "k"], "b": ["k", "n"], "c": shape}
    refused(one("Gemm", "a b c", sizes), "a tensor of rank 3 that is broadcast to one of rank 2")
    refused(one("Gemm", "a b c", sizes, beta=0.0), "a tensor of rank 3 that is broadcast to one of rank 2")
    stops(one("Gemm", "a b c", {"a": [None, 2], "b": [2, None], "c": [None]}, 2), ones(3, 2), ones(2, 1), ones(4))


def test_scale_and_bias_are_broadcast_to_the_data() -> None:
    for operator in ("LayerNormalization", "RMSNormalization"):
        rank = one(operator, "x s", {"x": ["m", 4], "s": [1, 1, 4]}, opset=23)
        refused(rank, "a tensor of rank 3 that is broadcast to one of rank 2")
        stops(one(operator, "x s", {"x": [None, 4], "s": [None, 4]}, 2, opset=23), ones(1, 4), ones(3, 4))
    refused(one("LayerNormalization", "x s b", {"x": [4], "s": [4], "b": [1, 4]}), "a tensor of rank 2")


# ----------------------------------------------------------------------------------------------------------- nothing
BOUNDS = {
    "ReduceMax": {"float32": -np.inf, "int64": -(2**63), "bool": False},
    "ReduceMin": {"float32": np.inf, "int64": 2**63 - 1, "bool": True},
    "ReduceLogSumExp": {"float32": -np.inf},
}


@pytest.mark.parametrize(("operator", "dtype"), [(name, dtype) for name, of in BOUNDS.items() for dtype in of])
@pytest.mark.parametrize("shape", [(2, 0), (0, 0), (0, 3)])
def test_the_greatest_of_nothing_is_the_bound_of_the_type(operator: str, dtype: str, shape: tuple[int, int]) -> None:
    bound, x = BOUNDS[operator][dtype], np.zeros(shape, dtype)
    for known in (["b", "n"], list(shape)):
        along = model(
            [node(operator, "x a", "y", keepdims=0)],
            [port("x", known, dtype)],
            [port("y", [None], dtype)],
            {"a": whole(1)},
        )
        wanted = np.full(shape[0], bound) if shape[1] == 0 else np.zeros(0)
        assert same(given(along, x), wanted)
        all = model([node(operator, "x", "y", keepdims=0)], [port("x", known, dtype)], [port("y", [], dtype)])
        assert same(given(all, x), np.array(bound))


def test_the_greatest_of_something_does_not_change() -> None:
    x = np.array([[-3, -1], [np.nan, 2]], np.float32)
    made = one("ReduceMax", "x a", {"x": ["b", "n"], "a": whole(-1)}, 1, keepdims=0)
    assert same(given(made, x), np.array([-1, np.nan]))


@pytest.mark.parametrize("opset", [11, 13])
def test_one_of_each_lane_is_the_greatest_and_none_of_an_empty_one(opset: int) -> None:
    made = one("Hardmax", "x", {"x": ["b", "n"]}, 2, opset=opset)
    assert same(given(made, ones(2, 0)), ones(2, 0))
    assert same(given(made, np.full((1, 2), -np.inf, np.float32)), [[1, 0]])
    assert same(given(made, np.array([[1, 3, 3]], np.float32)), [[0, 1, 0]])
