"""Tensors of one value, and ranges: lengths for every sign of a step, known or unknown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.ops.shape.create import range_length
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.generators.operators import NUMBERS
from tests.ops.oracle import array_of, compares, judges, means, narrowed, of, refusal

n, m = (variable(name, kind=Kind.RIGID) for name in "nm")
small = st.integers(-12, 12)


def scalar(content: Dim | int, dtype: DType = DType.INT64) -> TensorType[Dim]:
    return TensorType((), dtype, (constant(content) if isinstance(content, int) else content,))


@pytest.mark.parametrize("dtype", list(DType))
def test_zeros_and_ones_have_the_type_asked_for(dtype: DType) -> None:
    assert means("zeros", shape=[2, 3], dtype=str(dtype)) == Tensor([[0] * 3] * 2, dtype)
    assert means("ones", shape=[2], dtype=str(dtype)) == Tensor([1, 1], dtype)
    like = Tensor([[0, 1]], dtype)
    assert means("zeros_like", like) == Tensor([[0, 0]], dtype)
    assert means("ones_like", like) == Tensor([[1, 1]], dtype)


def test_float32_is_the_type_of_zeros_and_ones_that_say_none() -> None:
    for given_ in ({}, {"dtype": ""}, {"dtype": None}):
        assert means("zeros", shape=[1], **given_).dtype is DType.FLOAT32
        assert judges("ones", shape=[1], **given_).result.dtype is DType.FLOAT32  # type: ignore[union-attr]


def test_a_fill_is_cast() -> None:
    fill = Tensor(2.75)
    assert means("full", fill, shape=[2]) == Tensor([2.75, 2.75])
    assert means("full", fill, shape=[], dtype="int8") == Tensor(2, "int8")
    assert means("full_like", Tensor([0, 0], "uint8"), Tensor(-1, "int32")).tolist() == [255, 255]


def test_a_fill_is_a_scalar() -> None:
    vector = TensorType((constant(1),), DType.INT64)
    assert refusal("full", vector, shape=[2]).rule == "op.rank"
    assert refusal("full_like", vector, vector).rule == "op.rank"


@pytest.mark.parametrize("name, arguments", [("zeros", ()), ("ones", ()), ("full", (TensorType((), DType.INT64),))])
def test_a_size_is_not_negative(name: str, arguments: Any) -> None:
    judgement = judges(name, *arguments, shape=(n - 1, 3))
    assert [str(need.goal) for need in judgement.needs] == ["n >= 1", "True"]
    assert {need.rule for need in judgement.needs} == {f"op.{name}.size"}


def test_contents_of_one_value_repeat() -> None:
    rule = of("full").contents
    assert rule is not None
    assert rule(scalar(n), shape=(constant(3),), dtype=None) == (n, n, n)
    assert rule(scalar(n), shape=(m,), dtype=None) is None
    assert rule(scalar(n), shape=(constant(1), constant(1)), dtype=None) is None
    assert rule(scalar(n), shape=(constant(1000),), dtype=None) is None
    assert rule(scalar(n), shape=(), dtype=DType.FLOAT32) is None


@given(begin=small, end=small, step=small.filter(bool))
def test_a_range_is_as_long_as_its_steps(begin: int, end: int, step: int) -> None:
    expected = len(range(begin, end, step))
    assert range_length(constant(begin), constant(end), constant(step)).value == expected
    names = [variable(name, kind=Kind.EXISTENTIAL) for name in ("begin", "end", "step")]
    env = {next(iter(name.variables())): value for name, value in zip(names, (begin, end, step), strict=True)}
    assert range_length(*names).evaluate(env) == expected
    assert range_length(names[0], names[1], constant(step)).evaluate(env) == expected


@pytest.mark.parametrize("dtype", NUMBERS)
@given(begin=small, end=small, step=small.filter(bool))
@compares("arange")
def test_a_range_holds_its_steps(dtype: DType, begin: int, end: int, step: int) -> None:
    if not dtype.is_signed:
        begin, end, step = abs(begin), abs(end), abs(step)
    ends = [Tensor(part, dtype) for part in (begin, end, step)]
    np.testing.assert_array_equal(array_of(means("arange", *ends)), narrowed(dtype, np.arange(begin, end, step)))


@pytest.mark.parametrize(
    "ends, expected",
    [
        ((0.0, 1.0, 0.1), 10),
        ((0.0, 2.5, 1.0), 3),
        ((0.0, 0.0, 1.0), 0),
        ((1.0, 0.0, 1.0), 0),
        ((1.0, 0.0, -0.25), 4),
    ],
)
def test_the_length_of_a_float_range_is_rounded_up(ends: tuple[float, ...], expected: int) -> None:
    found = means("arange", *map(Tensor, ends))
    assert found.shape == (expected,)
    np.testing.assert_allclose(array_of(found), np.arange(*ends), rtol=1e-6)


@pytest.mark.parametrize("ends", [(0.0, 1.0, 0.0), (0.0, math.inf, 1.0), (math.nan, 1.0, 1.0), (0.0, 1e30, 1e-30)])
def test_a_range_that_leads_nowhere_is_a_fault(ends: tuple[float, ...]) -> None:
    with pytest.raises(TensorFault, match=r"is not defined|too many") as raised:
        means("arange", *map(Tensor, ends))
    assert raised.value.code == "E0608"


def test_a_step_of_zero_is_refuted() -> None:
    (need,) = judges("arange", scalar(0), scalar(n), scalar(0)).needs
    assert (str(need.goal), need.rule, need.operands) == ("False", "op.arange.step", ((2, None),))
    with pytest.raises(TensorFault, match="step is 0"):
        means("arange", *(Tensor(part, "int32") for part in (0, 3, 0)))


def test_the_length_of_a_range_is_a_closed_size() -> None:
    def length(*ends: TensorType[Dim]) -> str:
        return str(judges("arange", *ends).result.shape[0])  # type: ignore[union-attr]

    assert length(scalar(0), scalar(n), scalar(1)) == "max(n, 0)"
    assert length(scalar(n), scalar(0), scalar(-1)) == "max(n, 0)"
    assert length(scalar(0), scalar(n), scalar(2)) == "max((n + 1) // 2, 0)"
    assert length(scalar(5), scalar(3), scalar(1)) == "0"


def test_the_length_of_a_float_range_is_unknown_but_not_negative() -> None:
    (hole,) = judges("arange", *[TensorType((), DType.FLOAT32)] * 3).result.shape  # type: ignore[union-attr]
    assert isinstance(hole, Hole)
    assert hole.low == constant(0)


def test_what_repeats_the_arguments_of_a_range_is_of_no_effect() -> None:
    ends = [Tensor(part, "int32") for part in (0, 3, 1)]
    assert means("arange", *ends, start=7, stop=None, step="x", dtype="int32").tolist() == [0, 1, 2]


def test_a_range_has_one_type() -> None:
    assert refusal("arange", scalar(0), scalar(1), scalar(1, DType.INT32)).rule == "op.dtype"
    assert refusal("arange", scalar(0), scalar(1), scalar(1), dtype="int32").rule == "op.dtype"
    booleans = [TensorType((), DType.BOOL)] * 3
    assert refusal("arange", *booleans).rule == "op.dtype"


def test_contents_of_a_range_start_anywhere() -> None:
    rule = of("arange").contents
    assert rule is not None
    nothing = {"start": None, "stop": None, "step": None, "dtype": None}
    assert [str(part) for part in rule(scalar(n), scalar(n + 5), scalar(2), **nothing) or ()] == ["n", "n + 2", "n + 4"]
    assert rule(scalar(0), scalar(n), scalar(1), **nothing) is None
