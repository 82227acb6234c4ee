"""Rows of several lengths as one tensor: what TensorFlow 2.21 gives of the same rows, or refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from gradual.compiler import compile_source
from gradual.importers.common.refusals import Refused
from gradual.importers.tensorflow.file.reading import read
from gradual.importers.tensorflow.program import program
from gradual.run.value import Blame, Fault
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.writing import constant, graph, node, placeholder

FIVE = numpy.arange(1, 6, dtype="float32")
PAIRS = numpy.arange(1, 11, dtype="float32").reshape(5, 2)


def padded(ends: Sequence[int], values: Any, shape: Any = -1, filling: Any = 0, kinds: Any = ("ROW_SPLITS",)) -> Any:
    """The rows of some values that end at these places, in a tensor of a shape."""
    nodes = [
        constant("shape", numpy.array(shape, "int64")),
        placeholder("values", [None] * values.ndim),
        constant("filling", numpy.array(filling, "float32")),
        placeholder("ends", [None], "int64"),
        node("RaggedTensorToTensor", "y", "shape values filling ends", row_partition_types=list(kinds)),
    ]
    made = program(read(graph(*nodes)), opens=True)
    found = compile_source(Source("model.graphdef", made.text, made.origins))
    assert found.ok, found.render()
    given = [values, numpy.array(ends, "int64")]
    return numpy.array(found.run("@main", *map(Tensor, given), *made.weights.values()))


@pytest.mark.parametrize(
    ("ends", "shape", "gives"),
    [
        ([0, 2, 2, 5], -1, [[1, 2, 0], [0, 0, 0], [3, 4, 5]]),
        ([0, 2, 2, 4], -1, [[1, 2], [0, 0], [3, 4]]),
        ([0, 2, 2, 6], -1, [[1, 2, 0, 0], [0, 0, 0, 0], [3, 4, 5, 0]]),
        ([0, 2, 2, 5], [-1, 2], [[1, 2], [0, 0], [3, 4]]),
        ([0, 2, 2, 5], [-1, 4], [[1, 2, 0, 0], [0, 0, 0, 0], [3, 4, 5, 0]]),
    ],
)
def test_shorter_rows_are_filled_up_and_longer_ones_cut(ends: Sequence[int], shape: Any, gives: Any) -> None:
    assert padded(ends, FIVE, shape).tolist() == gives


def test_rows_of_slices_are_filled_up_with_slices() -> None:
    found = padded([0, 2, 2, 5], PAIRS, -1, [7, 8])
    assert found.tolist() == [[[1, 2], [3, 4], [7, 8]], [[7, 8]] * 3, [[5, 6], [7, 8], [9, 10]]]
    assert padded([0, 2, 2, 5], PAIRS, [-1, 4, -1]).shape == (3, 4, 2)


@pytest.mark.parametrize(("ends", "shape"), [([0], (0, 0)), ([0, 0], (1, 0))])
def test_there_may_be_no_rows_or_nothing_in_them(ends: Sequence[int], shape: tuple[int, ...]) -> None:
    assert padded(ends, FIVE[:0]).shape == shape


@pytest.mark.parametrize("ends", [[1, 2, 4], [0, 3, 2, 5], []])
def test_ends_that_are_none_of_rows_are_refused(ends: Sequence[int]) -> None:
    with pytest.raises((Fault, Blame)):
        padded(ends, FIVE)


def test_rows_within_rows_are_told() -> None:
    with pytest.raises(Refused, match="rows within rows, or rows that are not told by their ends"):
        padded([0, 5], FIVE, kinds=("ROW_SPLITS", "ROW_SPLITS"))
