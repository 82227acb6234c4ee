"""Norms against their formulas in NumPy."""

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
from gradual.types.type import TensorType, TupleType
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
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def along(vector: Any, rank: int, axis: int) -> Any:
    return vector.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


def roughly(found: Tensor, expected: Any) -> None:
    """Within a few roundings of the type, of numbers near 1."""
    unit = {DType.FLOAT16: 4e-3, DType.BFLOAT16: 0.032, DType.FLOAT32: 2e-6, DType.FLOAT64: 1e-11}[found.dtype]
    assert found.shape == expected.shape
    ours = array_of(found).astype(float)
    np.testing.assert_allclose(ours, kept_in(found.dtype, expected).astype(float), rtol=unit, atol=unit)


@few
@given(data=st.data())
@compares("nn.batch_norm")
def test_batch_norm_is_its_formula(data: st.DataObject) -> None:
    application, (found, mean, var) = applications("nn.batch_norm", data)
    attributes = application.attributes
    x, gamma, beta, moving_mean, moving_var = map(wide, application.arguments)
    axis = attributes.get("axis", 1)
    scale = gamma if attributes["scale"] else np.ones_like(gamma)
    shift = beta if attributes["center"] else np.zeros_like(beta)
    vectors = (along(v, x.ndim, axis) for v in (moving_mean, moving_var, scale, shift))
    m, v, g, b = vectors
    roughly(found, (x - m) / np.sqrt(v + attributes["epsilon"]) * g + b)
    assert (mean, var) == application.arguments[3:]


@few
@given(data=st.data())
@compares("nn.layer_norm")
def test_layer_norm_is_its_formula(data: st.DataObject) -> None:
    application, found = applications("nn.layer_norm", data)
    attributes = application.attributes
    x, gamma, beta = map(wide, application.arguments)
    axis = attributes["axis"]
    scale = gamma if attributes["scale"] else np.ones_like(gamma)
    shift = beta if attributes["center"] else np.zeros_like(beta)
    apart = x - x.mean(axis=axis, keepdims=True)
    normal = apart / np.sqrt((apart**2).mean(axis=axis, keepdims=True) + attributes["epsilon"])
    roughly(found, normal * along(scale, x.ndim, axis) + along(shift, x.ndim, axis))


@pytest.mark.parametrize("name", ["nn.softmax", "nn.log_softmax", "nn.fast_softmax"])
@few
@given(data=st.data())
@compares("nn.softmax", "nn.log_softmax", "nn.fast_softmax")
def test_a_softmax_is_its_formula(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    (x,), axis = map(wide, application.arguments), application.attributes["axis"]
    powers = np.exp(x)
    shares = powers / powers.sum(axis=axis, keepdims=True)
    roughly(found, np.log(shares) if name == "nn.log_softmax" else shares)


def test_a_softmax_of_large_numbers_does_not_overflow() -> None:
    found = means("nn.softmax", Tensor([1e30, 1e30, -1e30]))
    assert found.tolist() == [0.5, 0.5, 0.0]


def test_a_softmax_with_nan_is_nan() -> None:
    assert all(map(math.isnan, means("nn.softmax", Tensor([math.nan, 1.0])).tolist()))
    assert all(map(math.isnan, means("nn.log_softmax", Tensor([1.0, math.nan])).tolist()))


@few
@given(data=st.data())
@compares("nn.prelu")
def test_prelu_scales_what_is_not_positive(data: st.DataObject) -> None:
    application, found = applications("nn.prelu", data)
    x, alpha = map(wide, application.arguments)
    slope = along(alpha, x.ndim, application.attributes.get("axis", 1))
    expected = np.where((x > 0).astype(bool), x, x * slope)
    assert_same(found, kept_in(found.dtype, expected))


@few
@given(data=st.data())
@compares("nn.lrn")
def test_lrn_is_its_formula(data: st.DataObject) -> None:
    application, found = applications("nn.lrn", data)
    attributes = application.attributes
    (x,), axis, size = map(wide, application.arguments), attributes["axis"], attributes["size"]
    lanes = np.moveaxis(x, axis, -1)
    squares = np.zeros_like(lanes)
    for i in range(lanes.shape[-1]):
        low = max(i - size // 2, 0)
        squares[..., i] = (lanes[..., low : i - size // 2 + size] ** 2).sum(axis=-1)
    expected = lanes / (attributes["bias"] + 1e-4 * squares / size) ** 0.75
    roughly(found, np.moveaxis(expected, -1, axis))


@few
@given(data=st.data())
@compares("nn.l2_normalize")
def test_l2_normalize_is_its_formula(data: st.DataObject) -> None:
    application, found = applications("nn.l2_normalize", data)
    (x,), axis = map(wide, application.arguments), application.attributes["axis"]
    squares = (x**2).sum(axis=tuple(axis) if axis else None, keepdims=True)
    roughly(found, x / np.sqrt(np.maximum(squares, 0.001)))


def test_dropout_at_inference_is_the_data_and_a_mask_of_ones() -> None:
    x = Tensor([[1.0, -2.0]])
    assert means("nn.dropout", x) == (x, Tensor([[1.0, 1.0]]))
    assert judges("nn.dropout", of("n", 3)).result == TupleType((of("n", 3), of("n", 3)))


def test_batch_flatten_multiplies_all_but_the_first() -> None:
    judgement = judges("nn.batch_flatten", of("b", 3, "h", 4))
    assert list(map(str, judgement.result.shape)) == ["b", "12 * h"]  # type: ignore[union-attr]
    assert means("nn.batch_flatten", Tensor([1.0, 2.0], shape=(2,))).shape == (2, 1)


def test_the_vectors_of_a_batch_norm_owe_the_extent_of_the_axis() -> None:
    vectors = [of(name) for name in "ghmv"]
    judgement = judges("nn.batch_norm", of("n", "c", 2), *vectors)
    rule = "op.nn.batch_norm.channels"
    assert goals(judgement) == [(rule, "c == g"), (rule, "c == h"), (rule, "c == m"), (rule, "c == v")]
    assert judgement.needs[2].operands == ((0, 1), (3, 0))


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("nn.softmax", (of(),), {}, "op.rank"),
        ("nn.softmax", (of(2),), {"axis": 1}, "op.axis"),
        ("nn.softmax", (of(2, dtype=DType.INT32),), {}, "op.dtype"),
        ("nn.layer_norm", (of(2, 3), of(3), of(3, 1)), {}, "op.rank"),
        ("nn.layer_norm", (of(2, 3), of(3), of(3, dtype=DType.FLOAT64)), {}, "op.dtype"),
        ("nn.dropout", (of(2),), {"rate": 2.0}, "op.attribute"),
        ("nn.lrn", (of(2, 3),), {"size": 0}, "op.attribute"),
        ("nn.prelu", (of(2, 3), of(3)), {"axis": 3}, "op.axis"),
        ("nn.l2_normalize", (of(2, 3),), {"eps": 0.1, "axis": [0, 0]}, "op.axis"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
