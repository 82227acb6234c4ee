"""Scans against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.constraint import equal
from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_same, compares, examples, judges, kept_in, means, refusal

many = examples(100)
n, m = variable("n"), variable("m")


@pytest.mark.parametrize(("name", "unit"), [("cumsum", 0), ("cumprod", 1)])
@many
@given(data=st.data())
@compares("cumsum", "cumprod")
def test_a_scan_is_numpys(name: str, unit: int, data: st.DataObject) -> None:
    application, found = applications(name, data)
    dtype, axis = found.dtype, application.attributes.get("axis")
    held = array_of(means("cast", *application.arguments, dtype=str(dtype)))
    wide = held.astype(np.float64 if dtype.is_float else object)
    wide, axis = (wide.ravel(), 0) if axis is None else (wide, axis)
    if application.attributes["exclusive"]:
        wide = np.insert(np.delete(wide, -1, axis), 0, unit, axis) if wide.shape[axis] else wide
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(wide, axis=axis, dtype=wide.dtype)
    assert_same(found, kept_in(dtype, expected))


def test_integers_wrap_and_floats_keep_what_is_not_a_number() -> None:
    assert means("cumsum", Tensor([100, 100, 100], "int8")) == Tensor([100, -56, 44], "int8")
    assert means("cumsum", Tensor([100, 100], "int8"), dtype="int16") == Tensor([100, 200], "int16")
    inf, nan = float("inf"), float("nan")
    assert means("cumsum", Tensor([1.0, inf, -inf, 2.0])) == Tensor([1.0, inf, nan, nan])
    assert means("cumprod", Tensor([3e38, 10.0, 0.1])) == Tensor([3e38, inf, 3e38])


def test_without_an_axis_the_elements_are_one_line() -> None:
    judgement = judges("cumsum", TensorType((n, m), DType.FLOAT32))
    assert [str(dim) for dim in judgement.result.shape] == ["m * n"]  # type: ignore[union-attr]
    assert judges("cumsum", TensorType((), DType.INT8)).result == TensorType((constant(1),), DType.INT8)
    assert means("cumprod", Tensor(5.0), exclusive=True) == Tensor([1.0])


def test_the_contents_of_a_scan_are_sums_and_products() -> None:
    rule = CATALOGUE["cumsum"].contents
    assert rule is not None
    row: TensorType[Dim] = TensorType((constant(3),), DType.INT32, (n, constant(2), m))
    assert rule(row, **bound(CATALOGUE["cumsum"], {})) == (n, n + 2, n + m + 2)
    assert rule(row, **bound(CATALOGUE["cumsum"], {"exclusive": True})) == (constant(0), n, n + 2)
    assert rule(row, **bound(CATALOGUE["cumsum"], {"dtype": "float32"})) is None
    of_products = CATALOGUE["cumprod"].contents
    assert of_products is not None
    assert of_products(row, **bound(CATALOGUE["cumprod"], {})) == (n, 2 * n, 2 * n * m)
    truths: TensorType[Dim] = TensorType((constant(1),), DType.BOOL, (equal(n, m),))
    counted = rule(truths, **bound(CATALOGUE["cumsum"], {"dtype": "int64"}))
    assert list(map(str, counted or ())) == ["(if n == m then 1 else 0)"]


def test_what_no_size_could_mend_is_refused() -> None:
    assert refusal("cumsum", TensorType((n,), DType.BOOL)).rule == "op.dtype"
    assert refusal("cumsum", TensorType((n,), DType.INT32), dtype="bool").rule == "op.dtype"
    assert refusal("cumprod", TensorType((n,), DType.INT32), axis=1).rule == "op.axis"
    assert refusal("cumprod", TensorType((), DType.INT32), axis=-1).rule == "op.axis"
