"""Selecting by value against NumPy."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_exactly,
    compares,
    examples,
    judges,
    kept_in,
    means,
    numpy_type,
    refusal,
    wide,
)

few = examples(40)
I32 = DType.INT32
n = variable("n")


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


# ------------------------------------------------------------------------------------------------------------ take
def taken(x: Any, indices: Any, axis: int | None, shared: int, mode: str) -> Any:
    """One `np.take` for each place of the batch."""
    if axis is None:
        return np.take(x, indices, mode="wrap" if mode == "fast" else mode)
    mode = "wrap" if mode == "fast" else mode
    rows = [np.take(x[at], indices[at], axis=axis - shared, mode=mode) for at in np.ndindex(x.shape[:shared])]
    each = (*x.shape[shared:axis], *indices.shape[shared:], *x.shape[axis + 1 :])
    return np.array(rows, dtype=x.dtype).reshape((*x.shape[:shared], *each))


@few
@given(data=st.data())
@compares("take")
def test_take_is_numpys(data: st.DataObject) -> None:
    application, found = applications("take", data, faults="E0603")
    x, indices = map(array_of, application.arguments)
    attributes = application.attributes
    axis = attributes.get("axis")
    shared = attributes.get("batch_dims", 0)
    place = None if axis is None else axis % x.ndim
    shared = shared + indices.ndim if shared < 0 else shared
    assert_exactly(found, taken(x, indices.astype(np.int64), place, shared, attributes["mode"]))


BEYOND = [("clip", 20, 4.0), ("clip", -5, 1.0), ("wrap", 5, 2.0), ("wrap", -1, 4.0), ("fast", -1, 4.0)]


@pytest.mark.parametrize(("mode", "index", "expected"), BEYOND)
def test_an_index_beyond_the_end_is_clipped_or_wrapped(mode: str, index: int, expected: float) -> None:
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    assert means("take", x, Tensor(index, I32), mode=mode).item() == expected


@pytest.mark.parametrize(("mode", "size"), [("fast", 3), ("clip", 0), ("wrap", 0)])
def test_an_index_that_nothing_can_mend_is_a_fault(mode: str, size: int) -> None:
    with pytest.raises(TensorFault) as caught:
        means("take", Tensor([1.0] * size, shape=(size,)), Tensor([3], I32), axis=0, mode=mode)
    assert caught.value.code == "E0603"


def test_the_indices_stand_in_place_of_the_axis() -> None:
    assert shape_of(judges("take", of("n", "m"), of("i", "j", dtype=I32), axis=1)) == ["n", "i", "j"]
    assert shape_of(judges("take", of("n", "m"), of("i", dtype=I32))) == ["i"]
    batched = judges("take", of("b", "m", 3), of("c", 2, dtype=I32), axis=1, batch_dims=1)
    assert shape_of(batched) == ["b", "2", "3"]
    assert goals(batched) == [("op.take.batch", "b == c")]


def test_known_elements_are_taken_at_known_places() -> None:
    rule = CATALOGUE["take"].contents
    assert rule is not None
    vector = of(2, dtype=I32, contents=(n, constant(10)))

    def at(*places: int | Dim, mode: str = "clip", axis: int | None = None) -> Any:
        held = tuple(place if isinstance(place, Dim) else constant(place) for place in places)
        return rule(vector, of(len(held), dtype=I32, contents=held), batch_dims=0, axis=axis, mode=mode)

    assert at(0) == (n,)
    assert at(-1, mode="wrap") == at(-1, mode="fast") == (constant(10),)
    assert at(-1) == (n,)
    assert at(5, 0) == (constant(10), n)
    assert at(5, mode="fast") is None
    assert at(n) is None


# ----------------------------------------------------------------------------------------------- gather and scatter
@few
@given(data=st.data())
@compares("gather")
def test_gather_is_take_along_axis(data: st.DataObject) -> None:
    application, found = applications("gather", data, faults="E0603")
    x, indices = map(array_of, application.arguments)
    assert_exactly(found, np.take_along_axis(x, indices.astype(np.int64), application.attributes["axis"]))


@few
@given(data=st.data())
@compares("scatter_elements")
def test_scatter_elements_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("scatter_elements", data, faults="E0603")
    dtype, attributes = found.dtype, application.attributes
    original, named, new = application.arguments
    x, indices, updates = wide(original), array_of(named), wide(new)
    for place in product(*map(range, indices.shape)):
        target = list(place)
        target[attributes["axis"]] = int(indices[place])
        value = met(x[tuple(target)], updates[place], attributes["reduction"], dtype)
        x[tuple(target)] = value if dtype is DType.BOOL else kept_in(dtype, value)
    assert_exactly(found, x.astype(numpy_type(dtype)))


def met(old: Any, new: Any, reduction: str, dtype: DType) -> Any:
    match reduction:
        case "add":
            return old + new
        case "mul":
            return old * new
        case "mean":
            return (old + new) / 2 if dtype.is_float else int((int(old) + int(new)) / 2)
        case "min":
            return min(old, new)
        case "max":
            return max(old, new)
    return new


@pytest.mark.parametrize("index", [3, -4])
def test_a_gather_or_scatter_out_of_bounds_is_a_fault(index: int) -> None:
    x, named = Tensor([1.0, 2.0, 3.0]), Tensor([index], I32)
    for name, arguments in (("gather", (x, named)), ("scatter_elements", (x, named, Tensor([0.0])))):
        with pytest.raises(TensorFault) as caught:
            means(name, *arguments, axis=0)
        assert caught.value.code == "E0603"


def test_a_gather_owes_the_axes_along_which_nothing_is_gathered() -> None:
    judgement = judges("gather", of("n", "m"), of("k", "i", dtype=I32), axis=1)
    assert shape_of(judgement) == ["k", "i"]
    assert goals(judgement) == [("op.gather.agree", "n == k")]


def test_a_scatter_owes_that_updates_and_indices_agree_and_fit() -> None:
    judgement = judges("scatter_elements", of("n", "m"), of("k", "i", dtype=I32), of("k", "j"), axis=1)
    assert shape_of(judgement) == ["n", "m"]
    assert [goal for goal in goals(judgement) if goal[1] != "True"] == [
        ("op.scatter_elements.agree", "i == j"),
        ("op.scatter_elements.fits", "k <= n"),
    ]


def test_known_elements_are_replaced_at_known_places() -> None:
    rule = CATALOGUE["scatter_elements"].contents
    assert rule is not None
    vector = of(2, dtype=I32, contents=(n, constant(10)))
    place, new = of(1, dtype=I32, contents=(constant(-1),)), of(1, dtype=I32, contents=(constant(7),))
    assert rule(vector, place, new, axis=0, reduction="update") == (n, constant(7))
    assert rule(vector, place, new, axis=0, reduction="add") is None


# ------------------------------------------------------------------------------------------- where something holds
@few
@given(data=st.data())
@compares("argwhere")
def test_argwhere_is_numpys(data: st.DataObject) -> None:
    application, found = applications("argwhere", data)
    x = array_of(application.arguments[0])
    expected = np.argwhere(x).reshape(-1, x.ndim) if x.ndim else np.zeros((int(bool(x)), 0))
    assert_exactly(found, expected.astype(np.int32))


@few
@given(data=st.data())
@compares("boolean_mask", "nonzero")
def test_nonzero_and_boolean_mask_are_numpys(data: st.DataObject) -> None:
    application, found = applications("boolean_mask", data)
    x, mask = map(array_of, application.arguments)
    assert_exactly(found, x[mask])
    assert_exactly(means("nonzero", application.arguments[1]), np.nonzero(mask)[0].astype(np.int32))


@few
@given(data=st.data())
@compares("unique")
def test_unique_is_numpys(data: st.DataObject) -> None:
    application, found = applications("unique", data)
    x = array_of(application.arguments[0])
    values, first, inverse, counts = np.unique(x, True, True, True, equal_nan=False)
    order = np.arange(len(values)) if application.attributes["sorted"] else np.argsort(first, kind="stable")
    place = np.argsort(order, kind="stable")
    np.testing.assert_array_equal(array_of(found[0]), values[order])
    columns = [first[order], place[inverse], np.array([len(values)])]
    columns += [counts[order]] if application.attributes["return_counts"] else []
    for ours, expected in zip(found[1:], columns, strict=True):
        assert ours.tolist() == expected.tolist()


def test_what_counts_the_same_mask_shares_one_unknown() -> None:
    size = judges("argwhere", of("n", dtype=DType.BOOL)).result.shape[0]  # type: ignore[union-attr]
    assert size == Hole(constant(0), n, ("nonzero", (0,)))
    assert judges("nonzero", of("n", dtype=DType.BOOL)).result.shape[0] == size  # type: ignore[union-attr]
    masked = judges("boolean_mask", of("n", 3), of("n", dtype=DType.BOOL)).result.shape[0]  # type: ignore[union-attr]
    assert masked == Hole(constant(0), n, ("nonzero", (1,)))


def test_the_number_of_unique_elements_is_bounded() -> None:
    fields = judges("unique", of("n"), return_counts=True).result.fields  # type: ignore[union-attr]
    size = fields[0].shape[0]
    assert (str(size.low), str(size.high)) == ("min(n, 1)", "n")
    assert [field.shape[0] for field in fields] == [size, size, n, constant(1), size]


def test_unique_knows_no_equal_nans_and_one_zero() -> None:
    values, *_ = means("unique", Tensor([math.nan, -0.0, 0.0, math.nan]))
    assert values.size == 3


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("take", (of(3), of(1)), {}, "op.dtype"),
        ("take", (of(3), of(1, dtype=I32)), {"mode": "raise"}, "op.attribute"),
        ("take", (of(3), of(1, dtype=I32)), {"axis": 1}, "op.axis"),
        ("take", (of(3, 2), of(3, dtype=I32)), {"axis": 0, "batch_dims": 1}, "op.axis"),
        ("take", (of(3, 2), of(3, dtype=I32)), {"batch_dims": 1}, "op.attribute"),
        ("take", (of(3, 2), of(3, dtype=I32)), {"axis": 1, "batch_dims": 2}, "op.axis"),
        ("gather", (of(3), of(1, 1, dtype=I32)), {"axis": 0}, "op.rank"),
        ("scatter_elements", (of(3), of(1, dtype=I32), of(1)), {"reduction": "sum"}, "op.attribute"),
        ("scatter_elements", (of(3), of(1, dtype=I32), of(1, dtype=I32)), {}, "op.dtype"),
        ("nonzero", (of(3, 2),), {}, "op.rank"),
        ("boolean_mask", (of(3), of(3, dtype=I32)), {}, "op.dtype"),
        ("unique", (of(3, 2),), {}, "op.rank"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
