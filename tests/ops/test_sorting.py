"""Sorting and searching against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

many = examples(100)
n = variable("n")


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def order(x: Any, axis: int, ascending: bool) -> Any:
    """NumPy's stable order; descending it is the ascending order of what is reversed, reversed."""
    if ascending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def kind(application: Any) -> str:
    """The type of places, one that NumPy has."""
    found = application.attributes.get("dtype", "int32")
    assume(found != "bfloat16")
    return str(found)


def expected(application: Any) -> tuple[Any, Any]:
    """Elements and places in order."""
    x = array_of(application.arguments[0])
    axis = application.attributes.get("axis", -1)
    places = order(x, axis, application.attributes["is_ascend"])
    return np.take_along_axis(x, places, axis), places


@many
@given(data=st.data())
@compares("sort")
def test_sort_is_numpys_stable_sort(data: st.DataObject) -> None:
    application, found = applications("sort", data)
    assert_exactly(found, expected(application)[0])


@many
@given(data=st.data())
@compares("argsort")
def test_argsort_is_numpys_stable_argsort(data: st.DataObject) -> None:
    application, found = applications("argsort", data)
    assert_exactly(found, expected(application)[1].astype(kind(application)))


@many
@given(data=st.data())
@compares("topk")
def test_topk_is_the_first_of_the_order(data: st.DataObject) -> None:
    application, found = applications("topk", data)
    attributes = application.attributes
    values, places = expected(application)
    count = attributes["k"] if attributes["k"] > 0 else None
    cut = [slice(None)] * values.ndim
    cut[attributes.get("axis", -1)] = slice(count)
    both = values[tuple(cut)], places[tuple(cut)].astype(kind(application))
    wanted = {"both": both, "values": both[:1], "indices": both[1:]}[attributes["ret_type"]]
    for ours, theirs in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        assert_exactly(ours, theirs)


@many
@given(data=st.data())
@compares("searchsorted")
def test_searchsorted_is_numpys(data: st.DataObject) -> None:
    application, found = applications("searchsorted", data)
    sequence, values = map(array_of, application.arguments)
    side: Any = "right" if application.attributes["right"] else "left"
    rows = sequence.reshape(-1, sequence.shape[-1]) if sequence.size else np.zeros((values.size, 0), sequence.dtype)
    if sequence.ndim == 1:
        places = np.searchsorted(sequence, values, side)
    else:
        wanted = values.reshape(-1, values.shape[-1]) if values.size else []
        places = np.array([np.searchsorted(row, one, side) for row, one in zip(rows, wanted, strict=False)])
    assert_exactly(found, np.asarray(places).reshape(values.shape).astype(kind(application)))


def test_equal_elements_keep_their_order_and_nan_is_greatest() -> None:
    nan = float("nan")
    x = Tensor([2.0, nan, 1.0, 2.0, nan, 1.0])
    assert means("argsort", x) == Tensor([2, 5, 0, 3, 1, 4], "int32")
    assert means("argsort", x, is_ascend=False) == Tensor([1, 4, 0, 3, 2, 5], "int32")
    assert means("sort", x, is_ascend=False, dtype="int32") == Tensor([nan, nan, 2.0, 2.0, 1.0, 1.0])


def test_a_sequence_that_is_not_sorted_is_halved() -> None:
    assert means("searchsorted", Tensor([5.0, 1.0, 3.0]), Tensor(2.0)) == Tensor(2, "int32")


def test_a_place_that_the_type_has_not_is_a_fault() -> None:
    with pytest.raises(TensorFault, match="the index 299 does not fit int8"):
        means("argsort", Tensor([0] * 300, "int8"), dtype="int8")


def test_k_is_exact_below_one_too() -> None:
    judgement = judges("topk", of(3, "n"), k=variable("k"), ret_type="values")
    assert list(map(str, judgement.result.shape)) == ["3", "(if k >= 1 then k else n)"]  # type: ignore[union-attr]
    assert [(need.rule, str(need.goal)) for need in judgement.needs] == [("op.topk.fits", "k <= n")]
    whole = judges("topk", of(3, "n"), k=0, ret_type="indices", dtype="int64")
    assert whole.result == of(3, "n", dtype=DType.INT64)
    assert str(judges("topk", of("n"), k=1).needs[0].goal) == "n >= 1"


def test_the_dynamic_form_reads_k_off_a_value() -> None:
    k = of(dtype=DType.INT64, contents=(n,))
    assert judges("dyn.topk", of(7), k, axis=0) == judges("topk", of(7), k=n, axis=0)
    both = means("dyn.topk", Tensor([3.0, 5.0, 2.0]), Tensor([2], "int64"))
    assert both == (Tensor([5.0, 3.0]), Tensor([1, 0], "int32"))


def test_sequences_agree_with_the_rows_of_values() -> None:
    judgement = judges("searchsorted", of("a", "n"), of("b", "m"))
    assert [(need.rule, str(need.goal)) for need in judgement.needs] == [("op.searchsorted.agree", "a == b")]
    assert judges("searchsorted", of("n"), of("b", "m")).needs == ()


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("sort", (of(),), {}, "op.axis"),
        ("argsort", (of(3),), {"axis": 1}, "op.axis"),
        ("argsort", (of(3),), {"dtype": "bool"}, "op.attribute"),
        ("topk", (of(3),), {}, "op.attribute"),
        ("topk", (of(3),), {"k": 1, "ret_type": "all"}, "op.attribute"),
        ("topk", (of(3),), {"k": 1, "axis": -2}, "op.axis"),
        ("searchsorted", (of(), of()), {}, "op.rank"),
        ("searchsorted", (of(2, 3), of(2)), {}, "op.rank"),
        ("searchsorted", (of(3), of(3, dtype=DType.INT32)), {}, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
