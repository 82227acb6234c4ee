"""Ranks of variables of which a graph records none, and sizes that loops keep."""

from __future__ import annotations

import numpy
import pytest

from gradual.compiler import compile_source
from gradual.importers.common.text import Program
from gradual.importers.tensorflow.program import program
from gradual.source import Source
from tests.importers.tensorflow.test_graphs import HANDLE, READ, X, checked, ran, read
from tests.importers.tensorflow.writing import Function, Kind, constant, function, graph, node, placeholder


def made(*nodes: bytes) -> Program:
    """The program of a graph."""
    return program(read(graph(*nodes)))


def reads(*names: str) -> list[bytes]:
    """Handles of variables, and the nodes `NAME_read` that read them."""
    handles = [placeholder(name, [], "resource") for name in names]
    return [*handles, *(node("ReadVariableOp", f"{name}_read", name, dtype=Kind("float32")) for name in names)]


def test_a_rank_that_a_later_use_tells_holds_for_earlier_ones() -> None:
    uses = [node("Neg", "n", "read"), node("MatMul", "m", "x read"), node("MatMul", "y", "m n")]
    found = made(HANDLE, X, READ, *uses)
    assert "%w: Tensor[(?, ?), float32]" in found.text
    assert " as " not in found.text


@pytest.mark.parametrize(
    ("operator", "inputs", "attributes", "rank"),
    [
        ("Squeeze", "read", {"squeeze_dims": [0]}, 2),
        ("Squeeze", "read", {"squeeze_dims": [0, 2]}, 3),
        ("Split", "axis read", {"num_split": 2}, 1),
    ],
)
def test_a_rank_is_told_through_operators(operator: str, inputs: str, attributes: dict[str, object], rank: int) -> None:
    part = node(operator, "part", inputs, **attributes)
    found = made(HANDLE, X, READ, constant("axis", numpy.int32(0)), part, node("BiasAdd", "y", "x part"))
    assert f"%w: Tensor[({', '.join('?' * rank)}{',' * (rank == 1)}), float32]" in found.text


def normalized(variance: str) -> list[bytes]:
    """What `tf.nn.batch_normalization` computes of `x`."""
    return [
        constant("e", numpy.float32(0.001)),
        node("AddV2", "more", f"{variance} e"),
        node("Rsqrt", "root", "more"),
        node("Mul", "a", "root scale_read"),
        node("Mul", "xa", "x a"),
        node("Mul", "ma", "mean_read a"),
        node("Sub", "b", "offset_read ma"),
        node("AddV2", "y", "xa b"),
    ]


def test_parameters_of_a_batch_normalization_are_vectors() -> None:
    found = made(X, *reads("mean", "variance", "offset", "scale"), *normalized("variance_read"))
    assert found.text.count("Tensor[(?,), float32]") == 4
    assert found.notes[1] == (
        "the variable `mean` and 3 more are taken for vectors, as parameters of a batch normalization"
    )
    compilation = compile_source(Source("y", found.text, found.origins))
    numbers = {"mean": 1.0, "variance": 4.0, "offset": 3.0, "scale": 2.0}
    parameters = [numpy.full(3, number, "float32") for number in numbers.values()]
    assert ran(compilation, numpy.full((2, 3), 5, "float32"), *parameters).tolist()[0][0] == pytest.approx(7, abs=1e-2)


def test_variables_of_other_formulas_keep_an_unknown_rank() -> None:
    found = made(X, *reads("scale", "offset"), node("Mul", "m", "x scale_read"), node("AddV2", "y", "m offset_read"))
    assert found.text.count("Tensor[*, float32]") == 2
    assert len(found.notes) == 1


@pytest.mark.parametrize(("grows", "result"), [(False, "(?, 3)"), (True, "(?, ?)")])
def test_a_loop_keeps_sizes_of_the_input_that_no_iteration_changes(grows: bool, result: str) -> None:
    more = "ConcatV2" if grows else "AddV2"
    turn = function(
        "turn",
        "i h",
        {"i2": "next:z:0", "h2": "more:output:0" if grows else "more:z:0"},
        [
            constant("one", numpy.int32(1)),
            node("AddV2", "next", "i one:output:0"),
            node(more, "more", "h h one:output:0" if grows else "h h"),
        ],
    )
    goes_on = function(
        "goes_on", "i h", {"r": "l:z:0"}, [constant("n", numpy.int32(2)), node("Less", "l", "i n:output:0")]
    )
    loop = node("While", "w", "zero x", cond=Function("goes_on"), body=Function("turn"))
    nodes = [X, constant("zero", numpy.int32(0)), loop, node("AddV2", "y", "w:1 x" if not grows else "w:1 w:1")]
    found = checked(graph(*nodes, functions=[turn, goes_on]))
    assert found.types["@main"].endswith(f"-> Tensor[{result}, float32]")
    assert found.residual == 0
    assert ran(found, numpy.ones((4, 3), "float32")).shape == ((4, 12) if grows else (4, 3))
