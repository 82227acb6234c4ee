"""Operators of TensorFlow whose inputs have to agree in sizes: a size of 1 is repeated only where TensorFlow does it.

The first shapes are those that TensorFlow documents, and it refuses each of the others.  Most rows were run by
TensorFlow 2.21; `AccumulateNV2` and the biases of rank 3 and in NCHW follow its documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.importers.common.refusals import Refused
from gradual.importers.tensorflow.file.reading import read
from gradual.importers.tensorflow.program import program
from gradual.run.value import Blame, Fault
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.writing import Kind, constant, graph, node, placeholder

Sizes = tuple[int, ...]
Row = tuple[str, dict[str, Any], Sequence[Sizes | int], Sequence[Sequence[Sizes | int]]]

F = Kind("float32")
NORM = {"epsilon": 1e-3, "T": F, "U": F}
IMAGE = (1, 2, 2, 3)
LSTM: list[Sizes] = [(2, 3), (2, 4), (2, 4), (7, 16), (4,), (4,), (4,), (16,)]
GRU: list[Sizes] = [(2, 3), (2, 4), (7, 8), (7, 4), (8,), (4,)]


def _but(shapes: Sequence[Sizes], at: int, shape: Sizes) -> Sequence[Sizes | int]:
    """The shapes with another one at a place."""
    return [*shapes[:at], shape, *shapes[at + 1 :]]


def _norm(is_training: bool, **more: Any) -> Row:
    good: list[Sizes] = [IMAGE, (3,), (3,), (3,), (3,)]
    wrong = [_but(good, at, (1,)) for at in ((1, 2, 3, 4) if not is_training or more else (1, 2))]
    return "FusedBatchNormV3", {"is_training": is_training, **NORM, **more}, good, [*wrong, _but(good, 0, (1, 2, 2, 1))]


ROWS: list[Row] = [
    ("Einsum", {"equation": "ij,ij->ij"}, [(2, 3), (2, 3)], [[(2, 3), (2, 1)], [(1, 3), (2, 3)]]),
    (
        "Einsum",
        {"equation": "bqhd,bkhd->bhqk"},
        [(2, 3, 8, 4), (2, 5, 8, 4)],
        [[(2, 3, 8, 4), (1, 5, 8, 4)], [(2, 3, 8, 4), (2, 5, 8, 1)]],
    ),
    ("Einsum", {"equation": "i,i,i->i"}, [(3,), (3,), (3,)], [[(3,), (3,), (1,)], [(1,), (3,), (3,)]]),
    ("Einsum", {"equation": "...d,de->...e"}, [(2, 3, 6), (6, 5)], [[(2, 3, 6), (1, 5)], [(2, 3, 1), (6, 5)]]),
    ("Einsum", {"equation": "...ij,...jk->...ik"}, [(2, 3, 4), (1, 4, 5)], [[(2, 3, 4), (1, 1, 5)]]),
    ("Einsum", {"equation": "ii->i"}, [(3, 3)], [[(1, 3)]]),
    ("BiasAdd", {"T": F}, [(2, 3, 4), (4,)], [[(2, 3, 4), (1,)], [(2, 3, 1), (4,)]]),
    ("BiasAdd", {"data_format": "NCHW"}, [(2, 3, 4, 5), (3,)], [[(2, 3, 4, 5), (1,)], [(2, 1, 4, 5), (3,)]]),
    ("AddN", {}, [(2, 3), (2, 3), (2, 3)], [[(2, 3), (2, 3), (2, 1)], [(2, 3), (1, 3), (2, 3)]]),
    ("AccumulateNV2", {}, [(2, 3), (2, 3)], [[(2, 3), (2, 1)], [(1, 3), (2, 3)]]),
    ("ApproximateEqual", {}, [(2, 3), (2, 3)], [[(2, 3), (2, 1)]]),
    ("ClipByValue", {}, [(2, 3), (2, 3), ()], [[(2, 3), (2, 1), ()], [(2, 1), (2, 3), ()]]),
    ("ClipByValue", {}, [(2, 3), (), ()], []),
    ("FakeQuantWithMinMaxVarsPerChannel", {}, [(2, 3), (3,), (3,)], [[(2, 3), (1,), (1,)], [(2, 1), (3,), (3,)]]),
    _norm(False),
    _norm(True),
    _norm(True, exponential_avg_factor=0.5),
    ("Cross", {}, [(2, 3), (2, 3)], [[(2, 3), (1, 3)]]),
    ("BatchMatMul", {}, [(2, 3, 4), (2, 4, 5)], [[(2, 3, 4), (1, 4, 5)], [(2, 3, 4), (2, 1, 5)]]),
    ("BatchMatMulV2", {}, [(2, 3, 4), (1, 4, 5)], [[(2, 3, 4), (2, 1, 5)]]),
    ("SquaredDifference", {}, [(2, 3), (2, 1)], []),
    ("Xdivy", {}, [(2, 3), (2, 1)], []),
    ("SoftmaxCrossEntropyWithLogits", {}, [(2, 3), (1, 3)], []),
    ("LSTMBlockCell", {}, LSTM, [_but(LSTM, 7, (1,)), _but(LSTM, 1, (1, 4)), _but(LSTM, 1, (2, 1))]),
    ("GRUBlockCell", {}, GRU, [_but(GRU, 4, (1,)), _but(GRU, 5, (1,)), _but(GRU, 1, (1, 4))]),
    (
        "Dilation2D",
        {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"},
        [(1, 4, 4, 3), (2, 2, 3)],
        [[(1, 4, 4, 3), (2, 2, 1)], [(1, 4, 4, 1), (2, 2, 3)]],
    ),
]
SELECTING: list[Row] = [
    ("Select", {}, [(2, 3), (2, 3), (2, 3)], [[(2, 3), (2, 3), (2, 1)], [(2, 1), (2, 3), (2, 3)]]),
    ("Select", {}, [(2,), (2, 3), (2, 3)], [[(1,), (2, 3), (2, 3)], [(2,), (2, 3), (2, 1)]]),
    ("Select", {}, [(), (2, 3), (2, 3)], [[(), (2, 3), (2, 1)]]),
    ("Select", {}, [(3,), (3,), (3,)], [[(1,), (3,), (3,)]]),
    ("SelectV2", {}, [(2, 1), (2, 3), (3,)], []),
]
INDEXED: list[Row] = [  # the last input is one of integers
    ("SparseSoftmaxCrossEntropyWithLogits", {}, [(2, 3), (2,)], [[(2, 3), (1,)], [(1, 3), (2,)]]),
    ("InTopK", {"k": 1}, [(2, 3), (2,)], [[(2, 3), (1,)], [(1, 3), (2,)]]),
    ("SegmentSum", {}, [(4, 3), (4,)], [[(4, 3), (1,)], [(1, 3), (4,)]]),
    ("SegmentMean", {}, [(4, 3), (4,)], [[(4, 3), (1,)], [(1, 3), (4,)]]),
    ("DynamicPartition", {"num_partitions": 2}, [(4, 3), (4,)], [[(4, 3), (1,)], [(1, 3), (4,)]]),
    ("ReverseSequence", {"seq_dim": 1, "batch_dim": 0}, [(2, 4), (2,)], [[(2, 4), (1,)], [(1, 4), (2,)]]),
]


MIXED: list[tuple[Row, str]] = [  # a number is a constant; the letters say the element types of the others
    (("DenseBincount", {}, [(4,), 3, (4,)], [[(4,), 3, (1,)]]), "iif"),
    (("Bincount", {}, [(2, 4), 3, (2, 4)], [[(2, 4), 3, (1, 4)]]), "iif"),
    (("DynamicStitch", {"N": 2}, [(2,), (2,), (2, 3), (2, 3)], [[(2,), (2,), (3, 3), (1, 3)]]), "iiff"),
    (("UnsortedSegmentSum", {}, [(4, 3), (4,), 2], [[(4, 3), (1,), 2], [(1, 3), (4,), 2]]), "fii"),
    (("QuantizeAndDequantizeV3", {"axis": 1}, [(2, 3), (3,), (3,), 5], [[(2, 3), (1,), (1,), 5]]), "fffi"),
    (("GatherV2", {"batch_dims": 1}, [(2, 4, 3), (2, 2), 1], [[(2, 4, 3), (1, 2), 1], [(1, 4, 3), (2, 2), 1]]), "fii"),
]
TYPES = {"f": "float32", "i": "int32", "b": "bool"}


def _letters(row: Row) -> str:
    count = len(row[2])
    return "b" + "f" * (count - 1) if row in SELECTING else "f" * (count - 1) + ("i" if row in INDEXED else "f")


ALL = [*((row, _letters(row)) for row in [*ROWS, *SELECTING, *INDEXED]), *MIXED]


def _applied(row: Row, letters: str) -> Compilation:
    """The operator of a row, whose inputs have ranks and no sizes."""
    operator, attributes, shapes, _ = row
    names = [f"x{at}" for at in range(len(shapes))]
    given = [
        constant(name, numpy.int32(shape))
        if isinstance(shape, int)
        else placeholder(name, [None] * len(shape), TYPES[letter])
        for name, shape, letter in zip(names, shapes, letters, strict=True)
    ]
    made = program(read(graph(*given, node(operator, "y", " ".join(names), **attributes))))
    return compile_source(Source("model.graphdef", made.text, made.origins))


def _run(compilation: Compilation, shapes: Sequence[Sizes | int], letters: str) -> None:
    pairs = zip(shapes, letters, strict=True)
    values = [numpy.zeros(shape, TYPES[letter]) for shape, letter in pairs if not isinstance(shape, int)]
    compilation.run("@main", *map(Tensor, values))


@pytest.mark.parametrize(("row", "letters"), ALL, ids=[f"{row[0]}-{at}" for at, (row, _) in enumerate(ALL)])
def test_sizes_agree_where_tensorflow_wants_them_to(row: Row, letters: str) -> None:
    found = _applied(row, letters)
    assert found.ok, found.render()
    _run(found, row[2], letters)
    for wrong in row[3]:
        with pytest.raises((Blame, Fault)):
            _run(found, wrong, letters)
            pytest.fail(f"{wrong} is accepted")


def test_shapes_of_two_ranks_are_refused_where_they_have_to_be_equal() -> None:
    nodes = [placeholder("x", [None, None]), placeholder("y", [None]), node("AddN", "z", "x y")]
    with pytest.raises(Refused, match="tensors of ranks 2 and 1 where both have to have one shape"):
        program(read(graph(*nodes)))


def test_a_weight_tells_the_size_of_an_unknown_axis() -> None:
    nodes = [placeholder("x", [None, None]), constant("b", numpy.ones(5, "float32")), node("BiasAdd", "y", "x b")]
    made = program(read(graph(*nodes)), opens=True)
    found = compile_source(Source("model.graphdef", made.text, made.origins))
    assert found.types["@main"].endswith("-> Tensor[(?, 5), float32]")


@pytest.mark.parametrize(
    ("operator", "shapes", "wrong"),
    [
        ("AddN", [(2, 3), (2, 3)], [[(2, 3), (2, 1)], [(2, 2), (2,)], [(2, 3), ()]]),
        ("ApproximateEqual", [(3,), (3,)], [[(3,), (1,)]]),
        ("BiasAdd", [(2, 3), (3,)], [[(2, 3), (1,)], [(2, 1), (3,)]]),
    ],
)
def test_sizes_agree_where_no_rank_is_known(
    operator: str, shapes: Sequence[Sizes], wrong: Sequence[Sequence[Sizes]]
) -> None:
    second = placeholder("y", [None]) if operator == "BiasAdd" else placeholder("y")
    made = program(read(graph(placeholder("x"), second, node(operator, "z", "x y"))))
    found = compile_source(Source("model.graphdef", made.text, made.origins))
    assert found.ok, found.render()
    _run(found, shapes, "ff")
    for each in wrong:
        with pytest.raises((Blame, Fault)):
            _run(found, each, "ff")
            pytest.fail(f"{each} is accepted")
