"""Graphs written by hand: inputs, results, variables, signatures, and what is said of those that are not read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from gradual.importers.common.refusals import Misused, Unsupported
from gradual.importers.tensorflow.file.reading import read
from gradual.importers.tensorflow.file.wire import Malformed
from gradual.importers.tensorflow.program import program
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
from tests.importers.tensorflow.written import X, checked, ran, reasons, zeros


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
        (
            [HANDLE, READ, node("Merge", "a", "b read"), node("Neg", "b", "a"), node("Neg", "c", "b")],
            "a cycle through `.`; ",
        ),
        (
            [constant("s", numpy.zeros(17, numpy.int32)), node("Empty", "y", "s", dtype=Kind("float32"))],
            "Empty `y`: a constant of rank 17, above the limit of 16",
        ),
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
