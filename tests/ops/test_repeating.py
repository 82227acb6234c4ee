"""Repeating and reversing against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

few = examples(30)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


@few
@given(data=st.data())
@compares("broadcast_to")
def test_broadcast_to_is_numpys(data: st.DataObject) -> None:
    application, found = applications("broadcast_to", data)
    expected = np.broadcast_to(array_of(application.arguments[0]), application.attributes["shape"])
    assert_exactly(found, expected)
    like = Tensor([0] * expected.size, "int8", expected.shape)
    assert_exactly(means("broadcast_to_like", application.arguments[0], like), expected)


@few
@given(data=st.data())
@compares("tile")
def test_tile_is_numpys(data: st.DataObject) -> None:
    application, found = applications("tile", data)
    assert_exactly(found, np.tile(array_of(application.arguments[0]), application.attributes["reps"]))


@few
@given(data=st.data())
@compares("repeat")
def test_repeat_is_numpys(data: st.DataObject) -> None:
    application, found = applications("repeat", data)
    attributes = application.attributes
    assert_exactly(found, np.repeat(array_of(application.arguments[0]), attributes["repeats"], attributes["axis"]))


@few
@given(data=st.data())
@compares("reverse")
def test_reverse_is_numpys(data: st.DataObject) -> None:
    application, found = applications("reverse", data)
    assert_exactly(found, np.flip(array_of(application.arguments[0]), application.attributes["axis"]))


def test_an_unknown_extent_is_owed_to_be_the_one_wanted_or_one() -> None:
    judgement = judges("broadcast_to", of("d"), shape=[5])
    assert shape_of(judgement) == ["5"]
    assert goals(judgement)[1:] == [("op.broadcast_to.agree", "d == 5 or d == 1")]
    same = judges("broadcast_to", of(1, "n"), shape=[2, variable("n")])
    assert ("op.broadcast_to.agree", "True") in goals(same)


def test_a_size_is_owed_not_to_be_negative() -> None:
    judgement = judges("broadcast_to", of(1), shape=[variable("n") - 1])
    assert goals(judgement) == [("op.broadcast_to.size", "n >= 1")]
    assert goals(judges("broadcast_to", of(1), shape=[-1])) == [("op.broadcast_to.size", "False")]
    assert goals(judges("tile", of(1), reps=[-1])) == [("op.tile.count", "False")]
    assert goals(judges("repeat", of(1), repeats=-1)) == [("op.repeat.count", "False")]


def test_a_broadcast_never_goes_to_fewer_axes() -> None:
    assert refusal("broadcast_to", of(1, 3), shape=[3]).rule == "op.rank"
    assert refusal("broadcast_to_like", of(1, 3), of(3)).rule == "op.rank"


def test_a_tile_multiplies_symbolic_extents() -> None:
    assert shape_of(judges("tile", of("n", 3), reps=[2, 1, 4])) == ["2", "n", "12"]
    assert goals(judges("tile", of(3), reps=[variable("k")])) == [("op.tile.count", "k >= 0")]
    assert shape_of(judges("repeat", of("n", 3), repeats=2)) == ["6 * n"]


def test_the_contents_of_small_vectors_are_repeated() -> None:
    n = variable("n")
    given_type = TensorType((constant(1),), DType.INT64, (n,))
    spread, tile = CATALOGUE["broadcast_to"].contents, CATALOGUE["tile"].contents
    assert spread is not None and tile is not None
    assert spread(given_type, shape=(constant(3),), dtype=None) == (n, n, n)
    assert tile(given_type, reps=(constant(2),)) == (n, n)
    assert tile(given_type, reps=(n,)) is None


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_that_is_not_there_is_refused(axis: int) -> None:
    assert refusal("reverse", of(2, 3), axis=axis).rule == "op.axis"
    assert refusal("repeat", of(2, 3), repeats=1, axis=axis).rule == "op.axis"
