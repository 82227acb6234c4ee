"""Contractions against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_same,
    compares,
    examples,
    judges,
    kept_in,
    means,
    refusal,
    wide,
)

few = examples(30)
F32 = DType.FLOAT32


def of(*shape: int | str, dtype: DType = F32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def multiplied(name: str, left: Any, right: Any, attributes: dict[str, Any]) -> Any:
    """The product as NumPy has it, in exact integers or float64."""
    if attributes.get("transpose_a"):
        left = np.swapaxes(left, -1, -2)
    if name == "nn.dense" or attributes.get("transpose_b"):
        right = np.swapaxes(right, -1, -2)
    if left.dtype == object or right.dtype == object:
        return (
            np.matmul(left.astype(object), right.astype(object))
            if left.shape[-1]
            else np.zeros(np.matmul(np.zeros(left.shape), np.zeros(right.shape)).shape, dtype=object)
        )
    return np.matmul(left, right)


@pytest.mark.parametrize("name", ["nn.dense", "nn.matmul", "nn.batch_matmul"])
@few
@given(data=st.data())
@compares("nn.dense", "nn.matmul", "nn.batch_matmul")
def test_a_contraction_is_numpys(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    left, right = map(wide, application.arguments)
    assert_same(found, kept_in(found.dtype, multiplied(name, left, right, application.attributes)))


@few
@given(data=st.data())
@compares("nn.bias_add")
def test_a_bias_is_added_along_its_axis(data: st.DataObject) -> None:
    application, found = applications("nn.bias_add", data)
    x, bias = map(wide, application.arguments)
    axis = application.attributes.get("axis", 1) % x.ndim
    expected = x + bias.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    assert_same(found, kept_in(found.dtype, expected))


def test_float16_is_summed_in_binary64_and_rounded_once() -> None:
    ones = Tensor([1.0] * 4096, "float16", (1, 4096))
    halves = Tensor([0.5 + 2**-11] * 4096, "float16", (1, 4096))
    assert means("nn.dense", ones, halves).tolist() == [[2050.0]]


def test_small_integers_are_summed_exactly_and_wrapped_at_the_end() -> None:
    x = Tensor([100, 100, 100], "int8", (1, 3))
    assert means("nn.dense", x, x).tolist() == [[48]]
    assert means("nn.dense", x, x, out_dtype="int32").tolist() == [[30000]]


def test_infinities_of_both_signs_sum_to_nan() -> None:
    x, w = Tensor([[math.inf, 1.0]]), Tensor([[1.0, -math.inf]])
    assert math.isnan(means("nn.dense", x, w).item())


def test_a_contraction_of_nothing_is_zero() -> None:
    found = means("nn.matmul", Tensor([], shape=(2, 0)), Tensor([], shape=(0, 3)))
    assert found == Tensor([0.0] * 6, shape=(2, 3))


def test_matmul_owes_that_the_contracted_extents_agree() -> None:
    judgement = judges("nn.matmul", of("b", "k"), of("m", "n"))
    assert goals(judgement) == [("op.nn.matmul.contract", "k == m")]
    assert list(map(str, judgement.result.shape)) == ["b", "n"]  # type: ignore[union-attr]
    assert judgement.needs[0].operands == ((0, 1), (1, 0))


@pytest.mark.parametrize(
    ("turn_a", "turn_b", "goal", "shape"),
    [(True, False, "b == m", "kn"), (False, True, "k == n", "bm"), (True, True, "b == n", "km")],
)
def test_matmul_contracts_what_is_transposed(turn_a: bool, turn_b: bool, goal: str, shape: str) -> None:
    judgement = judges("nn.matmul", of("b", "k"), of("m", "n"), transpose_a=turn_a, transpose_b=turn_b)
    assert goals(judgement) == [("op.nn.matmul.contract", goal)]
    assert "".join(map(str, judgement.result.shape)) == shape  # type: ignore[union-attr]


def test_dense_owes_the_units_that_are_written() -> None:
    judgement = judges("nn.dense", of("b", 784), of("m", "k"), units=10)
    assert goals(judgement) == [("op.nn.dense.contract", "k == 784"), ("op.nn.dense.units", "m == 10")]
    assert goals(judges("nn.dense", of(2, 5), of(4, 3), units=None)) == [("op.nn.dense.contract", "False")]


def test_a_batch_of_one_serves_every_other() -> None:
    judgement = judges("nn.batch_matmul", of("a", 2, 5), of("b", 3, 5), transpose_b=True)
    assert goals(judgement)[1] == ("op.broadcast.agree", "broadcasts(a, b)")
    assert goals(judges("nn.batch_matmul", of(1, 2, 5), of("b", 3, 5), transpose_b=True))[1:] == []


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("nn.dense", (of(), of(2, 3)), {}, "op.rank"),
        ("nn.dense", (of(3), of(3)), {}, "op.rank"),
        ("nn.dense", (of(2, 3), of(2, 3, dtype=DType.FLOAT64)), {}, "op.dtype"),
        ("nn.dense", (of(2, 3), of(2, 3)), {"out_dtype": "int32"}, "op.dtype"),
        ("nn.matmul", (of(3), of(3, 2)), {"transpose_a": True}, "op.rank"),
        ("nn.batch_matmul", (of(2, 3), of(2, 3)), {}, "op.rank"),
        ("nn.bias_add", (of(2, 3), of(3)), {"axis": 2}, "op.axis"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule


def test_the_oracle_sees_what_it_is_given() -> None:
    assert array_of(Tensor([[1.0, 2.0]])).shape == (1, 2)
