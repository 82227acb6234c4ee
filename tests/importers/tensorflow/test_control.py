"""Graphs written by hand: what assertions, prints, functions, branches, loops and lists of tensors become."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from gradual.run.value import Blame, Fault
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.writing import (
    Function,
    Kind,
    constant,
    function,
    graph,
    node,
    placeholder,
)
from tests.importers.tensorflow.written import X3, X, checked, ran, reasons, zeros


# ---------------------------------------------------------------------------------------------------------- assertions
def asserting(after: str, condition: str = "is_even") -> bytes:
    """A graph that asserts that its first size is even, and gives its input."""
    nodes = [
        node("Shape", "shape", "x", out_type=Kind("int32")),
        constant("zero", numpy.int32(0)),
        constant("axis", numpy.int32(0)),
        constant("two", numpy.int32(2)),
        node("GatherV2", "size", "shape zero axis"),
        node("FloorMod", "rest", "size two"),
        node("Equal", "is_even", "rest zero"),
        constant("said", ["rows come in pairs"]),
        node("Assert", "check", f"{condition} said size"),
        node("Identity", "Identity", f"x {after}"),
    ]
    return graph(X, *nodes)


def test_an_assertion_on_the_sizes_of_inputs_is_a_condition_on_callers() -> None:
    found = checked(asserting("^check"))
    assert found.types["@main"].endswith("where dim(%x, 0) % 2 == 0")
    assert found.residual == 0
    with pytest.raises(Blame, match="entry"):
        found.run("@main", Tensor(zeros(3, 3)))
    assert ran(found, zeros(4, 3)).shape == (4, 3)


def test_an_assertion_that_nothing_comes_after_is_left_out() -> None:
    found = checked(asserting(""))
    assert "where" not in found.types["@main"] and "assert" not in found.source.text


def test_an_assertion_about_elements_stays_in_the_program() -> None:
    nodes = [
        constant("axes", numpy.array([0, 1], "int32")),
        node("Sum", "sum", "x axes"),
        constant("limit", numpy.float32(4)),
        node("Less", "small", "sum limit"),
        constant("said", ["it is small"]),
        node("Assert", "check", "small said"),
        node("Identity", "Identity", "x ^check"),
    ]
    found = checked(graph(X, *nodes))
    assert ran(found, zeros(2, 3)).shape == (2, 3)
    with pytest.raises(Fault, match="it is small"):
        found.run("@main", Tensor(zeros(2, 3) + 1))


def _guarded(then: Sequence[bytes], otherwise: Sequence[bytes]) -> bytes:
    """A graph with an assertion that is guarded by a branch, as `tf.debugging` makes it."""
    branches = {"then_branch": Function("passed"), "else_branch": Function("failed")}
    functions = [
        function("passed", "c a", {"r": "i:output:0"}, [node("Identity", "i", "c"), *then]),
        function("failed", "c a", {"r": "j:output:0"}, [node("Identity", "j", "c ^check"), *otherwise], ["check"]),
    ]
    nodes = [
        node("Shape", "shape", "x", out_type=Kind("int32")),
        constant("zero", numpy.int32(0)),
        constant("three", numpy.int32(3)),
        node("GatherV2", "size", "shape zero zero"),
        node("Less", "small", "size three"),
        node("If", "guard", "small small size", **branches),
        node("Identity", "Identity", "x ^guard"),
    ]
    return graph(X, *nodes, functions=functions)


def test_a_guarded_assertion_is_one_of_its_condition() -> None:
    said = [constant("said", ["few rows"]), node("Assert", "check", "c said:output:0 a")]
    found = checked(_guarded([], said))
    assert not found.diagnostics
    assert found.types["@main"].endswith("where dim(%x, 0) <= 2")
    assert ran(found, zeros(2, 3)).shape == (2, 3)
    with pytest.raises(Blame, match="entry"):
        found.run("@main", Tensor(zeros(3, 3)))


def test_a_branch_that_computes_something_too_is_no_guard() -> None:
    said = [constant("said", ["few rows"]), node("Assert", "check", "c said:output:0"), node("Neg", "other", "a")]
    found = checked(_guarded([], said))
    assert "where" not in found.types["@main"] and "if (" in found.source.text


def _message(*said: bytes) -> str:
    """The message of an assertion that fails, with some texts and values."""
    names = " ".join(f"d{at}" for at in range(len(said)))
    nodes = [placeholder("c", [], "bool"), *said, node("Assert", "check", f"c {names}")]
    found = checked(graph(X, *nodes, node("Identity", "Identity", "x ^check")))
    with pytest.raises(Fault) as fault:
        found.run("@main", Tensor(zeros(1, 3)), Tensor(numpy.array(False)))
    return str(fault.value)


def test_words_that_lead_to_an_unknown_value_are_no_part_of_a_message() -> None:
    told = _message(constant("d0", ["must have rank"]), constant("d1", numpy.int32(3)), constant("d2", ["got: "]), X3)
    assert told.endswith("must have rank 3")
    told = _message(constant("d0", ["mine"]), constant("d1", ["did not hold:"]), constant("d2", ["x (x:0) = "]), X3)
    assert told.endswith("mine did not hold")


# -------------------------------------------------------------------------------------------------------------- prints
def test_what_is_printed_is_left_out_and_what_comes_before_it_is_not() -> None:
    nodes = [
        placeholder("c", [], "bool"),
        constant("said", ["no"]),
        node("Assert", "check", "c said"),
        node("StringFormat", "text", "x ^check", template="{}"),
        node("PrintV2", "print", "text"),
        node("Neg", "y", "x ^print"),
    ]
    found = checked(graph(X, *nodes))
    assert (ran(found, zeros(1, 3) + 1, numpy.array(True)) == -1).all()
    with pytest.raises(Fault, match="no"):
        found.run("@main", Tensor(zeros(1, 3)), Tensor(numpy.array(False)))


def test_a_text_that_is_used_otherwise_is_told() -> None:
    nodes = [node("StringFormat", "text", "x", template="{}"), node("Neg", "y", "text")]
    assert reasons(graph(X, *nodes)) == ("Neg `y`: a text where a tensor has to be",)


def test_what_is_asserted_is_known_after_it() -> None:
    halves = [
        constant("form", numpy.array([-1, 2, 3], "int32")),
        node("Reshape", "pairs", "Identity form"),
        node("Neg", "out", "pairs"),
    ]
    whole = asserting("^check") + graph(*halves)
    assert checked(whole).residual == 0


def test_an_assertion_in_a_function_that_runs_is_kept() -> None:
    body = function(
        "checking",
        "a c",
        {"r": "a"},
        [node("Assert", "check", "c said:output:0"), constant("said", ["no"])],
        ["check"],
    )
    nodes = [placeholder("c", [], "bool"), node("PartitionedCall", "call", "x c", f=Function("checking"))]
    found = checked(graph(X, *nodes, functions=[body]))
    with pytest.raises(Fault, match="no"):
        found.run("@main", Tensor(zeros(1, 3)), Tensor(numpy.array(False)))


# ------------------------------------------------------------------------------------------------------------ functions
HALF = function(
    "half", "a", {"r": "b:z:0"}, [constant("two", numpy.float32(2)), node("RealDiv", "b", "a two:output:0")]
)
DOUBLE = function("double", "a", {"r": "b:z:0"}, [node("AddV2", "b", "a a")])


def test_a_function_is_its_body_by_call_and_by_name() -> None:
    nodes = [node("StatefulPartitionedCall", "h", "x", f=Function("half")), node("double", "d", "h")]
    found = checked(graph(X, *nodes, functions=[HALF, DOUBLE]))
    assert (ran(found, zeros(2, 3) + 3) == 3).all()


def test_the_results_of_a_function_have_names() -> None:
    two = function("two", "a b", {"first": "b", "second": "a"}, [])
    outer = function("outer", "a b", {"r": "c:second:0"}, [node("two", "c", "a b")])
    found = checked(graph(X, node("Neg", "y", "x"), node("outer", "o", "x y"), functions=[two, outer]))
    assert (ran(found, zeros(1, 3) + 1) == 1).all()


def test_branches_are_functions() -> None:
    then = {"then_branch": Function("half"), "else_branch": Function("double")}
    found = checked(graph(X, placeholder("c", [], "bool"), node("If", "r", "c x", **then), functions=[HALF, DOUBLE]))
    assert (ran(found, zeros(1, 3) + 2, numpy.array(True)) == 1).all()
    assert (ran(found, zeros(1, 3) + 2, numpy.array(False)) == 4).all()


@pytest.mark.parametrize(("index", "gives"), [(0, 1), (1, 4), (2, -2), (7, -2), (-1, -2)])
def test_a_case_takes_the_last_branch_for_an_index_out_of_bounds(index: int, gives: float) -> None:
    minus = function("minus", "a", {"r": "b:y:0"}, [node("Neg", "b", "a")])
    branches = [Function(name) for name in ("half", "double", "minus")]
    nodes = [placeholder("i", [], "int32"), node("Case", "r", "i x", branches=branches)]
    found = checked(graph(X, *nodes, functions=[HALF, DOUBLE, minus]))
    assert (ran(found, zeros(1, 3) + 2, numpy.int32(index)) == gives).all()


def looping(*more: str) -> bytes:
    """A graph that doubles its input while it is below 100, and what else its loop hands on."""
    condition = function(
        "goes_on",
        "a k",
        {"r": "c:z:0"},
        [
            constant("limit", numpy.float32(100)),
            constant("axes", numpy.array([0, 1], "int32")),
            node("Max", "m", "a axes:output:0"),
            node("Less", "c", "m:output:0 limit:output:0"),
        ],
    )
    body = function(
        "turn",
        "a k",
        {"r": "b:z:0", "kept": "i:output:0"},
        [node("Mul", "b", "a k"), node("Identity", "i", "k")],
    )
    loop = node("While", "w", "x k", cond=Function("goes_on"), body=Function("turn"))
    return graph(X, constant("k", numpy.float32(2)), loop, node("Identity", "r", "w:0"), functions=[condition, body])


def test_a_loop_carries_what_its_body_changes() -> None:
    found = checked(looping())
    assert (ran(found, zeros(1, 3) + 3) == 192).all()
    assert "carried" in found.source.text and found.source.text.count("%carried_1") == 0


def test_the_rank_of_what_a_loop_carries_may_change() -> None:
    test = [constant("two", numpy.int32(2)), node("Less", "c", "i two:output:0")]
    turn = [
        constant("zero", numpy.int32(0)),
        constant("one", numpy.int32(1)),
        node("ExpandDims", "e", "a zero:output:0"),
        node("AddV2", "s", "i one:output:0"),
    ]
    functions = [function("cond", "a i", {"r": "c:z:0"}, test)]
    functions.append(function("body", "a i", {"b": "e:output:0", "j": "s:z:0"}, turn))
    loop = node("While", "w", "x i", cond=Function("cond"), body=Function("body"))
    found = checked(graph(X, constant("i", numpy.int32(0)), loop, node("Identity", "r", "w"), functions=functions))
    assert found.types["@main"] == "fn (Tensor[(?, 3), float32]) -> Tensor[*, float32]"
    assert ran(found, zeros(2, 3)).shape == (1, 1, 2, 3)


def test_a_branch_without_results_is_kept_for_what_it_checks() -> None:
    check = [node("Assert", "check", "a said:output:0"), constant("said", ["no"])]
    functions = [function("nothing", "a", {}, []), function("checking", "a", {}, check, ["check"])]
    branches = {"then_branch": Function("nothing"), "else_branch": Function("checking")}
    guard = node("If", "guard", "c c", **branches)
    nodes = [placeholder("c", [], "bool"), guard, node("Identity", "Identity", "x ^guard")]
    found = checked(graph(X, *nodes, functions=functions))
    assert ran(found, zeros(1, 3), numpy.array(True)).shape == (1, 3)
    with pytest.raises(Fault, match="no"):
        found.run("@main", Tensor(zeros(1, 3)), Tensor(numpy.array(False)))


# ---------------------------------------------------------------------------------------------------------------- lists
def test_a_list_of_slices_is_read_like_the_tensor_that_it_comes_from() -> None:
    nodes = [
        constant("shape", numpy.array([3], "int32")),
        constant("one", numpy.int32(1)),
        node("TensorListFromTensor", "list", "x shape", element_dtype=Kind("float32")),
        node("TensorListGetItem", "item", "list one shape", element_dtype=Kind("float32")),
        node("TensorListLength", "length", "list"),
    ]
    found = checked(graph(X, *nodes))
    item, length = ran(found, numpy.arange(6, dtype="float32").reshape(2, 3))
    assert item.tolist() == [3, 4, 5] and int(length) == 2


def test_a_list_is_set_and_stacked() -> None:
    nodes = [
        constant("shape", numpy.array([3], "int32")),
        constant("one", numpy.int32(1)),
        constant("three", numpy.int32(3)),
        constant("item", numpy.array([1, 2, 3], "float32")),
        node("TensorListReserve", "list", "shape three", element_dtype=Kind("float32")),
        node("TensorListSetItem", "set", "list one item", element_dtype=Kind("float32")),
        node("TensorListStack", "stack", "set shape", element_dtype=Kind("float32"), num_elements=3),
    ]
    assert ran(checked(graph(*nodes))).tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0]]


def test_a_list_that_may_grow_is_set_at_its_end() -> None:
    nodes = [
        constant("shape", numpy.array([1], "int32")),
        constant("zero", numpy.int32(0)),
        constant("one", numpy.int32(1)),
        constant("item", numpy.array([7], "float32")),
        node("TensorListReserve", "list", "shape zero", element_dtype=Kind("float32")),
        node("TensorListSetItem", "first", "list zero item", resize_if_index_out_of_bounds=True),
        node("TensorListSetItem", "second", "first one item", resize_if_index_out_of_bounds=True),
        node("TensorListSetItem", "again", "second zero item", resize_if_index_out_of_bounds=True),
        node("TensorListStack", "stack", "again shape", element_dtype=Kind("float32")),
    ]
    assert ran(checked(graph(*nodes))).tolist() == [[7], [7]]


def test_a_list_grows_and_shrinks_at_its_end() -> None:
    nodes = [
        constant("shape", numpy.array([2], "int32")),
        constant("none", numpy.int32(-1)),
        constant("a", numpy.array([1, 2], "float32")),
        constant("b", numpy.array([3, 4], "float32")),
        node("EmptyTensorList", "empty", "shape none", element_dtype=Kind("float32")),
        node("TensorListPushBack", "one", "empty a", element_dtype=Kind("float32")),
        node("TensorListPushBack", "two", "one b", element_dtype=Kind("float32")),
        node("TensorListPopBack", "popped", "two shape", element_dtype=Kind("float32")),
        node("TensorListStack", "rest", "popped shape", element_dtype=Kind("float32")),
        node("Identity", "Identity", "popped:1"),
        node("Identity", "Identity_1", "rest"),
    ]
    last, rest = ran(checked(graph(*nodes)))
    assert last.tolist() == [3, 4] and rest.tolist() == [[1, 2]]
