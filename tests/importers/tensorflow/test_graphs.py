"""Graphs written by hand: what their nodes, edges and functions become, and what is said of those that are not read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy
import pytest

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.importers.common.refusals import Misused, Refused, Unsupported
from gradual.importers.tensorflow.file.reading import read
from gradual.importers.tensorflow.file.wire import Malformed
from gradual.importers.tensorflow.program import program
from gradual.run.value import Blame, Fault
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.writing import (
    Function,
    Kind,
    Shape,
    constant,
    field,
    function,
    graph,
    meta_graph,
    node,
    placeholder,
    saved_model,
    signature,
)

X = placeholder("x", [None, 3])
X3 = node("Identity", "d3", "x")


def checked(data: bytes, name: str = "") -> Compilation:
    """What a graph becomes, whose open sizes may be 0."""
    made = program(read(data, signature=name), opens=True)
    found = compile_source(Source("model.graphdef", made.text, made.origins))
    return replace(found, weights=made.weights)


def reasons(data: bytes) -> Sequence[str]:
    """Why a graph is not imported."""
    with pytest.raises(Refused) as refused:
        program(read(data))
    return refused.value.reasons


def ran(compilation: Compilation, *inputs: Any) -> Any:
    """The result of a run."""
    assert compilation.ok, compilation.render()
    value = compilation.run("@main", *map(Tensor, inputs))
    return tuple(map(numpy.array, value)) if isinstance(value, tuple) else numpy.array(value)


def zeros(*shape: int) -> Any:
    return numpy.zeros(shape, "float32")


# ----------------------------------------------------------------------------------------------- parameters and results
def test_sizes_that_are_left_open_are_unknown_and_so_are_ranks() -> None:
    found = checked(graph(X, placeholder("y"), node("AddV2", "z", "x y")))
    assert found.types["@main"].startswith("fn (Tensor[(?, 3), float32], Tensor[*, float32]) -> ")


def test_the_results_are_what_no_node_takes_and_identities_before_others() -> None:
    two = graph(X, node("Tanh", "a", "x"), node("Relu", "b", "x"))
    assert checked(two).types["@main"].endswith("-> (Tensor[(?, 3), float32], Tensor[(?, 3), float32])")
    named = graph(X, node("Tanh", "a", "x"), node("Relu", "b", "x"), node("Identity", "r", "a"))
    assert checked(named).types["@main"].endswith("-> Tensor[(?, 3), float32]")


def test_concrete_functions_have_their_results_in_order() -> None:
    names = [node("Identity", f"Identity_{at}", f"c{at}") for at in (10, 2, 1)]
    numbers = [constant(f"c{at}", numpy.float32(at)) for at in (0, 1, 2, 10)]
    found = checked(graph(*names, *numbers, node("Identity", "Identity", "c0")))
    assert [float(one) for one in ran(found)] == [0, 1, 2, 10]


def test_what_only_guards_an_assertion_is_no_result_of_a_concrete_function() -> None:
    guard = node("Identity", "assert_less/AssertGuard/Identity", "x")
    found = checked(graph(X, guard, node("Neg", "y", "x"), node("Identity", "Identity", "y")))
    assert (ran(found, zeros(1, 3) + 1) == -1).all()


def test_a_reduction_over_all_axes_needs_no_rank() -> None:
    nodes = [
        constant("zero", numpy.int32(0)),
        constant("one", numpy.int32(1)),
        node("Rank", "rank", "x"),
        node("Range", "axes", "zero rank one"),
        node("Sum", "sum", "x axes"),
        node("Identity", "Identity", "sum"),
        node("Identity", "Identity_1", "rank"),
    ]
    found = checked(graph(placeholder("x"), *nodes))
    assert found.types["@main"] == "fn (Tensor[*, float32]) -> (float32, int32)"
    assert [float(one) for one in ran(found, zeros(2, 1, 3) + 2)] == [12, 3]


def test_nodes_may_stand_in_any_order() -> None:
    found = checked(graph(node("Identity", "r", "b"), node("Neg", "b", "a"), node("Abs", "a", "x"), X))
    assert (ran(found, zeros(1, 3) - 2) == -2).all()


def test_an_input_that_no_program_has_is_told() -> None:
    told = reasons(graph(placeholder("s", [None], "string"), node("Identity", "r", "s")))
    assert told == ("`s` has elements of type string",)


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


# ------------------------------------------------------------------------------------------------------------ variables
HANDLE = placeholder("w", [], "resource")
READ = node("ReadVariableOp", "read", "w", dtype=Kind("float32"))


def test_a_variable_without_a_value_is_an_input_of_the_rank_at_which_it_is_used() -> None:
    made = program(read(graph(HANDLE, X, READ, node("MatMul", "y", "x read"))))
    assert "def @main(%x: Tensor[(?, 3), float32], %w: Tensor[(?, ?), float32])" in made.text
    assert made.notes == (
        "the variable `w` is an input: the file has no value for it; "
        "freeze the graph, so that variables are constants, or give the folder of the SavedModel",
    )
    assert checked(graph(HANDLE, READ, node("Neg", "y", "read"))).types["@main"].startswith("fn (Tensor[*, float32])")


def test_a_handle_goes_through_branches() -> None:
    value = node("ReadVariableOp", "v", "h", dtype=Kind("float32"))
    reads = function("reads", "h a", {"r": "m:product:0"}, [value, node("MatMul", "m", "a v:value:0")])
    branches = {"then_branch": Function("reads"), "else_branch": Function("keeps")}
    nodes = [HANDLE, X, placeholder("c", [], "bool"), node("If", "y", "c w x", **branches)]
    found = checked(graph(*nodes, functions=[reads, function("keeps", "h a", {"r": "a"}, [])]))
    assert ran(found, zeros(1, 3), numpy.array(True), zeros(3, 3)).shape == (1, 3)


def test_a_variable_of_the_first_version_is_its_value() -> None:
    variable = node("VariableV2", "v", shape=Shape([3]), dtype=Kind("float32"))
    found = checked(graph(X, variable, node("Identity", "value", "v"), node("AddV2", "y", "x value")))
    assert found.types["@main"] == "fn (Tensor[(?, 3), float32], Tensor[(3,), float32]) -> Tensor[(?, 3), float32]"


# --------------------------------------------------------------------------------------------------------- Python lines
def _fixed(number: int, value: int) -> bytes:
    """A field of eight bytes."""
    return bytes([number << 3 | 1]) + value.to_bytes(8, "little")


FILES = b"".join(field(1, one) for one in ("lib/site-packages/tf.py", "model/net.py"))
FRAMES = [field(1, 1) + field(2, 7) + field(4, "build"), field(1, 0) + field(2, 99), field(1, 5) + field(2, 1)]
"""A frame of the user's, one of an installed package, and one of a file that is not there."""


def _by_number(key: str) -> bytes:
    frames = b"".join(field(4, _fixed(1, at) + field(2, one)) for at, one in enumerate(FRAMES))
    numbers = b"".join(at.to_bytes(8, "little") for at in range(len(FRAMES)))
    return (
        FILES + frames + field(6, _fixed(1, 3) + field(2, field(2, numbers))) + field(5, field(1, key) + _fixed(2, 3))
    )


def _by_name(key: str) -> bytes:
    return FILES + field(2, field(1, key) + field(2, b"".join(field(1, one) for one in FRAMES)))


@pytest.mark.parametrize("written", [_by_number, _by_name])
@pytest.mark.parametrize("is_inside", [False, True])
def test_a_node_has_the_users_own_lines(written: Any, is_inside: bool) -> None:
    body = function("f", "a", {"r": "b:y:0"}, [node("Neg", "b", "a")])
    whole = graph(X, node("f", "y", "x") if is_inside else node("Neg", "y", "x"), functions=[body])
    model = read(whole + field(5, written("b@f" if is_inside else "y@")))
    found = model.functions["f"].nodes["b"] if is_inside else model.nodes["y"]
    assert [(frame.file, frame.line, frame.function) for frame in found.frames] == [("model/net.py", 7, "build")]


# ----------------------------------------------------------------------------------------------------------- signatures
SIGNED = graph(placeholder("a", [None, 2]), node("Neg", "b", "a"), node("Abs", "c", "a"))
ONE, OTHER = signature({"x": "a:0"}, {"y": "b:0"}), signature({"x": "a:0"}, {"z": "c:0", "y": "b:0"})


@pytest.mark.parametrize("wrap", [bytes, saved_model])
def test_a_signature_names_parameters_and_results(wrap: Any) -> None:
    both = wrap(meta_graph(SIGNED, {"serving_default": ONE, "other": OTHER}))
    assert checked(both).types["@main"] == "fn (Tensor[(?, ?), float32]) -> Tensor[(?, ?), float32]"
    assert checked(both, "other").types["@main"].endswith("-> (Tensor[(?, ?), float32], Tensor[(?, ?), float32])")
    assert "%x: " in checked(both).source.text


def test_a_module_without_signatures_is_told_with_its_functions() -> None:
    child = [field(1, field(1, at) + field(2, name)) for at, name in ((1, "run"), (2, "weight"))]
    objects = [field(1, b"".join(child)), field(1, field(6, b"")), field(1, field(7, b""))]
    meta = meta_graph(graph(X, node("Neg", "y", "x")), {}) + field(7, b"".join(objects))
    says = "it has no signature; save the module with `signatures=module.run`; the functions are `run`$"
    with pytest.raises(Unsupported, match=says):
        read(saved_model(meta))


def test_signatures_that_are_not_there_are_told_with_those_that_are() -> None:
    both = meta_graph(SIGNED, {"one": ONE, "other": OTHER})
    with pytest.raises(Misused, match="no signature is the default one; the signatures are `one`, `other`"):
        read(both)
    with pytest.raises(Misused, match="`two` names no signature; the signatures are `one`, `other`"):
        read(both, signature="two")
    with pytest.raises(Misused, match="a graph by itself has no signatures"):
        read(SIGNED, signature="two")
    assert checked(meta_graph(SIGNED, {"one": ONE})).ok


# ------------------------------------------------------------------------------------------------------ what is refused
def test_everything_that_is_not_imported_is_told_at_once() -> None:
    inner = function("inner", "a", {"r": "b:y:0"}, [node("Unheard", "b", "a"), node("Unseen", "c", "a")])
    nodes = [
        node("Unheard", "u", "x"),
        node("RandomUniform", "q", "u"),
        node("AddV2", "s", "u q"),
        node("PartitionedCall", "p", "s", f=Function("inner")),
    ]
    told = reasons(graph(X, *nodes, functions=[inner]))
    assert told == (
        "Unheard `u` and 1 more: an operator that is not imported",
        "RandomUniform `q`: random numbers, which no program draws; take them as an input",
    )


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([node("Neg", "a", "b"), node("Neg", "b", "a")], "the graph has no results"),
        ([node("Merge", "a", "b"), node("Neg", "b", "a"), node("Neg", "c", "b")], "a cycle through `.`; "),
        ([node("Neg", "y", "nowhere")], "Neg `y`: no node gives `nowhere`"),
        ([node("Neg", "y", "x:3")], "Neg `y`: `x:3`, a result that is not imported"),
        ([node("Neg", "y")], "Neg `y`: input 1 is missing"),
        (
            [node("PartitionedCall", "y", "x", f=Function("f"))],
            "PartitionedCall `y`: the function `f`, which the library",
        ),
        ([node("PartitionedCall", "y", "x")], "PartitionedCall `y`: the attribute f is no function"),
        ([node("Neg", "y", "w"), HANDLE], "Neg `y`: the handle of a variable where a tensor has to be"),
        ([constant("t", ["a"]), node("Identity", "y", "t")], "the result `y` is no tensor"),
        ([node("Cast", "y", "x", DstT=Kind("string"))], "Cast `y`: `DstT`: elements of type string"),
        ([node("Const", "c", value=7), node("Neg", "y", "c")], "Const `c`: a constant without its value"),
        (
            [node("Squeeze", "y", "x", squeeze_dims="no")],
            "Squeeze `y`: squeeze_dims='no', which is no list of integers",
        ),
    ],
)
def test_why_a_graph_is_not_imported(nodes: Sequence[bytes], says: str) -> None:
    (told,) = reasons(graph(X, *nodes))
    assert told.startswith(says) or re.match(says, told), told


def test_functions_that_call_themselves_are_told() -> None:
    loop = function("loop", "a", {"r": "b:r:0"}, [node("loop", "b", "a")])
    assert reasons(graph(X, node("loop", "y", "x"), functions=[loop])) == (
        "loop `b`: the function `loop`, which calls itself",
    )


def test_functions_that_nest_too_deep_are_told() -> None:
    deep = [function(f"f{at}", "a", {"r": "b:r:0"}, [node(f"f{at + 1}", "b", "a")]) for at in range(40)]
    deep.append(function("f40", "a", {"r": "a"}, []))
    (told,) = reasons(graph(X, node("f0", "y", "x"), functions=deep))
    assert told.endswith("functions that nest deeper than the limit `graphs`, 16")


def test_functions_that_grow_beyond_the_limit_are_told() -> None:
    def twice(at: int) -> bytes:
        inner = f"f{at + 1}"
        return function(f"f{at}", "a", {"r": "c:r:0"}, [node(inner, "b", "a"), node(inner, "c", "b:r:0")])

    calls = [node("f0", f"n{at}", f"n{at - 1}:r:0" if at else "a") for at in range(40)]
    last = function("f12", "a", {"r": "d:output:0"}, [node("Identity", "d", "a")])
    functions = [*map(twice, range(12)), last, function("wide", "a", {"r": "n39:r:0"}, calls)]
    (told,) = reasons(graph(X, node("wide", "y", "x"), functions=functions))
    assert "more nodes are to be imported than the limit `operations`" in told


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "it has no nodes"),
        (b"\x0a\xff", "a number that does not end"),
        (b"\x0a\x05ab", "it ends too early"),
        (b"\x0b", "a field of the kind 3"),
        (graph(X, X), "two nodes `x`"),
        (graph(node("Neg", "y", "x:no")), "the input `x:no`"),
        (graph(b"\x0a\x02\xff\xfe"), "is not UTF-8"),
        (graph(X, functions=[b"\x0a\x05\x1a\x03\x0a\x01r"]), "a function without its result `r`"),
        (saved_model(b"")[:2], "it has no graph"),
    ],
)
def test_bytes_that_are_no_model_are_told(data: bytes, says: str) -> None:
    with pytest.raises(Malformed, match=says):
        read(data)
