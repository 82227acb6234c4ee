"""Reductions against NumPy, over every form of `axis`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.dims.term.dim import Kind, constant, variable
from gradual.ops.reduction.reductions import reduced_axes
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import EVERY, FLOATS, INTEGERS, shapes, tensors
from tests.generators.ops.reductions import axes
from tests.ops.oracle import (
    array_of,
    assert_exactly,
    assert_nearly,
    compares,
    examples,
    judges,
    means,
    narrowed,
    of,
    refusal,
)

few = examples(25, among=9)
n, m = (variable(name, kind=Kind.RIGID) for name in "nm")


@st.composite
def reductions(draw: st.DrawFn, dtype: DType, special: bool = False) -> tuple[Tensor, dict[str, Any]]:
    shape = draw(shapes())
    return draw(tensors(shape, dtype, special)), draw(axes(len(shape)))


def over(x: Tensor, attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes as NumPy takes them."""
    return {"axis": reduced_axes(*normal(attributes), x.rank), "keepdims": attributes["keepdims"]}


def normal(attributes: dict[str, Any]) -> tuple[Any, bool]:
    axis = attributes["axis"]
    return tuple(axis) if isinstance(axis, list) else axis, attributes["exclude"]


def inhabited(x: Tensor, attributes: dict[str, Any]) -> bool:
    return all(x.shape[axis] for axis in over(x, attributes)["axis"])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["sum", "prod"])
@few
@given(data=st.data())
@compares("sum", "prod")
def test_sums_and_products_of_integers_wrap(name: str, dtype: DType, data: st.DataObject) -> None:
    x, attributes = data.draw(reductions(dtype, special=True))
    expected = getattr(np, name)(array_of(x), dtype=str(dtype), **over(x, attributes))
    assert_exactly(means(name, x, **attributes), expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@few
@given(data=st.data())
@compares("sum", "prod", "mean")
def test_sums_products_and_means_of_floats_are_rounded_once(
    name: str, dtype: DType, special: bool, data: st.DataObject
) -> None:
    x, attributes = data.draw(reductions(dtype, special))
    expected = narrowed(dtype, getattr(np, name)(array_of(x).astype(float), **over(x, attributes)))
    assert_nearly(means(name, x, **attributes), expected)


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("name", ["max", "min"])
@few
@given(data=st.data())
@compares("max", "min")
def test_the_greatest_and_the_least_propagate_nan(name: str, dtype: DType, data: st.DataObject) -> None:
    x, attributes = data.draw(reductions(dtype, special=True))
    assume(inhabited(x, attributes))
    found = means(name, x, **attributes)
    expected = getattr(np, name)(array_of(x), **over(x, attributes))
    np.testing.assert_array_equal(array_of(found), expected)
    assert found.shape == expected.shape


def test_zeros_of_both_signs_have_an_order() -> None:
    x = Tensor([0.0, -0.0])
    assert str(means("max", x).item()) == str(means("max", Tensor([-0.0, 0.0])).item()) == "0.0"
    assert str(means("min", x).item()) == str(means("min", Tensor([-0.0, 0.0])).item()) == "-0.0"
    assert math.isnan(means("max", Tensor([1.0, math.nan, math.inf, -math.inf])).item())
    assert means("max", Tensor([math.inf, -math.inf])).item() == math.inf


OF_TRUTHS = {"all": np.all, "any": np.any, "sum": np.any, "prod": np.all}


@pytest.mark.parametrize("name", OF_TRUTHS)
@few
@given(one=reductions(DType.BOOL))
@compares(*OF_TRUTHS)
def test_all_and_any_also_of_nothing(name: str, one: tuple[Tensor, dict[str, Any]]) -> None:
    x, attributes = one
    assert_exactly(means(name, x, **attributes), OF_TRUTHS[name](array_of(x), **over(x, attributes)))


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@few
@given(data=st.data(), last=st.booleans())
@compares("argmax", "argmin")
def test_the_place_of_the_best(name: str, dtype: DType, last: bool, data: st.DataObject) -> None:
    x, attributes = data.draw(reductions(dtype, special=True))
    assume(inhabited(x, attributes))
    gone = over(x, attributes)["axis"]
    kept = [axis for axis in range(x.rank) if axis not in gone]
    held = array_of(x).transpose([*kept, *gone])
    held = held.reshape((*held.shape[: len(kept)], -1 if x.size else 1))
    assume(x.size)
    best = getattr(np, name)(held, axis=-1)
    if last and not (held.dtype.kind == "f" and np.isnan(held).any()):
        best = held.shape[-1] - 1 - getattr(np, name)(held[..., ::-1], axis=-1)
    elif last:
        return
    found = means(name, x, select_last_index=last, **attributes)
    assert found.dtype is DType.INT32
    assert found.flat() == best.ravel().tolist()


def test_the_mean_of_integers_is_rounded_toward_zero() -> None:
    assert means("mean", Tensor([[100, 101], [-3, -4]], "int8"), axis=1).tolist() == [100, -3]


def test_the_mean_of_no_floats_is_nan() -> None:
    assert math.isnan(means("mean", Tensor([], "float32")).item())


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_a_reduction_of_nothing_that_is_no_number_is_owed_something(name: str) -> None:
    judgement = judges(name, TensorType((n, m, constant(0)), DType.FLOAT32), axis=[0, -1])
    assert [(str(need.goal), need.operands) for need in judgement.needs] == [
        ("n >= 1", ((0, 0),)),
        ("False", ((0, 2),)),
    ]
    assert {need.rule for need in judgement.needs} == {f"op.{name}.extent"}


def test_sums_of_nothing_owe_nothing_and_means_of_integers_do() -> None:
    for name in ("sum", "prod", "mean"):
        assert judges(name, TensorType((n,), DType.FLOAT32)).needs == ()
    assert len(judges("mean", TensorType((n,), DType.INT32)).needs) == 1


@pytest.mark.parametrize(
    "axis, exclude, expected",
    [
        (None, False, (0, 1, 2)),
        ((), False, (0, 1, 2)),
        ((), True, (0, 1, 2)),
        (-1, False, (2,)),
        ((2, 0), False, (0, 2)),
        ((1,), True, (0, 2)),
        ((0, 1, 2), True, ()),
    ],
)
def test_the_axes_to_reduce(axis: Any, exclude: bool, expected: tuple[int, ...]) -> None:
    assert reduced_axes(axis, exclude, 3) == expected


@pytest.mark.parametrize("axis", [3, -4, [0, 0], [0, -3]])
def test_axes_that_are_not_there_or_stand_twice_are_refused(axis: Any) -> None:
    assert refusal("sum", TensorType((n, n, n), DType.FLOAT32), axis=axis).rule == "op.axis"


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@examples(25, among=len(FLOATS))
@given(data=st.data(), unbiased=st.booleans())
@compares("variance")
def test_variance_is_that_of_numpy(dtype: DType, unbiased: bool, data: st.DataObject) -> None:
    x, attributes = data.draw(reductions(dtype))
    mean = means("mean", x, **(attributes | {"keepdims": True}))
    exact = array_of(x).astype(float)
    how = over(x, attributes)
    count = math.prod(x.shape[axis] for axis in how["axis"]) - unbiased
    moved = (exact - array_of(mean).astype(float)) ** 2
    expected = narrowed(dtype, np.sum(moved, **how) / np.float64(count))
    assert_nearly(means("variance", x, mean, unbiased=unbiased, **attributes), expected)


def test_variance_owes_a_mean_of_the_kept_shape() -> None:
    x, mean = TensorType((n, m), DType.FLOAT32), TensorType((n, n), DType.FLOAT32)
    needs = judges("variance", x, mean, axis=1).needs
    assert [str(need.goal) for need in needs] == ["True", "n == 1"]
    assert refusal("variance", x, TensorType((n,), DType.FLOAT32), axis=1).rule == "op.rank"


def test_contents_of_a_vector_are_reduced() -> None:
    vector = TensorType((constant(3),), DType.INT64, (n, m, constant(2)))
    plain: dict[str, Any] = {"axis": None, "keepdims": False, "exclude": False}

    def reduced(name: str, kind: Any = vector, **others: Any) -> Any:
        rule = of(name).contents
        assert rule is not None
        found = rule(kind, **(plain | others))
        return found and [str(part) for part in found]

    assert reduced("sum") == ["m + n + 2"]
    assert reduced("prod") == ["2 * m * n"]
    assert reduced("prod", keepdims=True) == ["2 * m * n"]
    assert reduced("max") == ["max(m, n, 2)"]
    assert reduced("sum", axis=(0,), exclude=True) == ["n", "m", "2"]
    assert reduced("max", TensorType((constant(0),), DType.INT64, ())) is None
    assert reduced("sum", TensorType((constant(0),), DType.INT64, ())) == ["0"]


def test_long_columns_are_reduced_in_order() -> None:
    x = Tensor([1e16, 1.0, 1.0, 1.0, -1e16, 1.0], "float64", (3, 2))
    assert means("sum", x, axis=0).tolist() == [0.0, 3.0]
    assert means("sum", x).item() == 1.0
