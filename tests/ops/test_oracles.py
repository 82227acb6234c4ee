"""Operators that one line of NumPy says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_exactly,
    assert_nearly,
    assert_same,
    compares,
    examples,
    kept_in,
    narrowed,
    numpy_type,
    wide,
)
from tests.ops.test_elementwise import NEAR

many = examples(30)


def recast(value: Any, source: DType, target: DType) -> Any:
    """Numbers in another type: integers wrap, floats are cut toward zero and held at the bounds, NaN becomes 0."""
    array = np.asarray(value)
    if target is DType.BOOL:
        return array.astype(bool)
    if target.is_float:
        return narrowed(target, array)
    if not source.is_float:
        return kept_in(target, array.astype(object))
    bounds = np.iinfo(str(target))
    whole = [held(float(part), int(bounds.min), int(bounds.max)) for part in array.ravel()]
    return np.array(whole, dtype=str(target)).reshape(array.shape)


def held(part: float, low: int, high: int) -> int:
    if math.isnan(part):
        return 0
    return low if part <= low else high if part >= high else math.trunc(part)


def target(attributes: dict[str, Any], otherwise: DType) -> DType:
    return DType(attributes.get("dtype", otherwise))


def clipped(x: Tensor, *, a_min: float, a_max: float) -> Any:
    low, high = (recast(bound, DType.FLOAT64, x.dtype) for bound in (a_min, a_max))
    return np.clip(array_of(x), low, high)


def leaky(x: Tensor, *, alpha: float = 0.25) -> Any:
    slope = narrowed(x.dtype, alpha).astype(float)
    return narrowed(x.dtype, np.where(wide(x) > 0, wide(x), wide(x) * slope))


def filled(value: Any, shape: Any, dtype: DType) -> Any:
    return np.full(shape, value, dtype=numpy_type(dtype))


def of_one_value(value: int) -> Callable[..., Any]:
    return lambda *, shape, dtype="float32": filled(value, shape, DType(dtype))


ORACLES: dict[str, Callable[..., Any]] = {
    "zeros": of_one_value(0),
    "ones": of_one_value(1),
    "zeros_like": lambda x: np.zeros_like(array_of(x)),
    "ones_like": lambda x: np.ones_like(array_of(x)),
    "full": lambda fill, *, shape, dtype=None: filled(
        recast(array_of(fill), fill.dtype, DType(dtype or fill.dtype)), shape, DType(dtype or fill.dtype)
    ),
    "full_like": lambda x, fill: filled(recast(array_of(fill), fill.dtype, x.dtype), x.shape, x.dtype),
    "cast": lambda x, *, dtype: recast(array_of(x), x.dtype, DType(dtype)),
    "cast_like": lambda x, like: recast(array_of(x), x.dtype, like.dtype),
    "clip": clipped,
    "nn.leaky_relu": leaky,
    "shape_of": lambda x, *, dtype="int32": np.array(np.shape(array_of(x)), dtype=dtype),
    "ndarray_size": lambda x, *, dtype="int32": np.array(np.size(array_of(x)), dtype=dtype),
    "broadcast_to_like": lambda x, like: np.broadcast_to(array_of(x), like.shape),
    "expand_dims": lambda x, *, axis, num_newaxis=1: expanded(array_of(x), axis, num_newaxis),
    "where": lambda test, x, y: np.where(array_of(test) != 0, array_of(x), array_of(y)),
    "nonzero": lambda x: np.nonzero(array_of(x))[0].astype(np.int32),
    "nn.batch_flatten": lambda x: array_of(x).reshape(x.shape[0], math.prod(x.shape[1:])),
}
"""What an operator gives, exactly, by its arguments and attributes."""


def expanded(x: Any, axis: int, count: int) -> Any:
    place = axis if axis >= 0 else axis + x.ndim + 1
    return np.expand_dims(x, tuple(range(place, place + count)))


@pytest.mark.parametrize("name", ORACLES)
@many
@given(data=st.data())
@compares(*ORACLES)
def test_it_is_numpys(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    assert_exactly(found, ORACLES[name](*application.arguments, **application.attributes))


@pytest.mark.parametrize("name", NEAR)
@many
@given(data=st.data())
@compares(*NEAR)
def test_a_function_of_floats_is_within_roundings(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    assert_nearly(found, narrowed(found.dtype, NEAR[name](wide(application.arguments[0]))))


@examples(100)
@given(data=st.data())
@compares("power")
def test_powers_are_numpys(data: st.DataObject) -> None:
    application, found = applications("power", data, faults="E0608")
    base, exponent = map(wide, application.arguments)
    assert_same(found, kept_in(found.dtype, np.power(base, exponent)))


@examples(100)
@given(data=st.data())
@compares("mean", "all", "any")
def test_the_mean_and_what_holds_of_all_or_any(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["mean", "all", "any"]))
    application, found = applications(name, data)
    x, attributes = wide(application.arguments[0]), dict(application.attributes)
    axis, exclude = attributes.pop("axis", None), attributes.pop("exclude", False)
    over = tuple(range(x.ndim)) if axis in (None, []) else tuple(place % x.ndim for place in np.atleast_1d(axis))
    gone = tuple(place for place in range(x.ndim) if (place in over) is not exclude) if axis not in (None, []) else over
    count = math.prod(x.shape[place] for place in gone)
    if name != "mean":
        assert_exactly(found, np.asarray(getattr(np, name)(x.astype(bool), axis=gone, **attributes)))
    elif found.dtype.is_float:
        assert_nearly(found, narrowed(found.dtype, np.sum(x, axis=gone, **attributes) / np.float64(count)))
    else:
        assert_same(found, kept_in(found.dtype, truncated(np.asarray(np.sum(x, axis=gone, **attributes)), count)))


@many
@given(data=st.data())
@compares("nn.dropout")
def test_dropout_keeps_everything(data: st.DataObject) -> None:
    application, (found, mask) = applications("nn.dropout", data)
    x = array_of(application.arguments[0])
    assert_exactly(found, x)
    assert_exactly(mask, np.ones_like(x))


@pytest.mark.parametrize("kind", ["max", "avg"])
@many
@given(data=st.data())
@compares("nn.global_max_pool2d", "nn.global_avg_pool2d")
def test_a_global_pool_is_a_reduction(kind: str, data: st.DataObject) -> None:
    application, found = applications(f"nn.global_{kind}_pool2d", data, faults="E0604")
    x, layout = wide(application.arguments[0]), application.attributes["layout"]
    space = tuple(layout.index(letter) for letter in "HW")
    if kind == "max":
        least = -np.inf if found.dtype.is_float else int(np.iinfo(str(found.dtype)).min)
        expected = np.max(x, axis=space, keepdims=True, initial=least)
    else:
        count = math.prod(x.shape[axis] for axis in space)
        total = np.sum(x, axis=space, keepdims=True)
        expected = total / np.float64(count) if found.dtype.is_float else truncated(total, count)
    out = application.attributes.get("out_layout") or layout
    assert_same(found, kept_in(found.dtype, np.transpose(expected, [layout.index(letter) for letter in out])))


def truncated(total: Any, count: int) -> Any:
    return np.array([int(abs(part) // count) * (1 if part >= 0 else -1) for part in total.ravel()], object).reshape(
        total.shape
    )
