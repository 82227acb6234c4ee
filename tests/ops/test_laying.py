"""Layouts and grids against NumPy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

many = examples(100)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(kind: Any) -> list[str]:
    return list(map(str, kind.shape))


# ------------------------------------------------------------------------------------------------ layout_transform
def read(text: str) -> list[tuple[str, int]]:
    return [(letter, int(factor or 1)) for factor, letter in re.findall(r"(\d*)([A-Za-z])", text)]


@many
@given(data=st.data())
@compares("layout_transform")
def test_every_element_is_where_its_coordinates_are_in_the_other_layout(data: st.DataObject) -> None:
    application, found = applications("layout_transform", data)
    (x,) = map(array_of, application.arguments)
    source, target = (read(application.attributes[name]) for name in ("src_layout", "dst_layout"))
    block = {letter.upper(): factor for letter, factor in target if letter.islower()}
    inner = {letter.upper(): factor for letter, factor in source if letter.islower()}
    expected = np.zeros(found.shape, x.dtype)
    count = 0
    for place in np.ndindex(*x.shape):
        at = dict(zip([letter for letter, _ in source], place, strict=True))
        whole = {axis: i * inner.get(axis, 1) + at.get(axis.lower(), 0) for axis, i in at.items() if axis.isupper()}
        parts = [whole[axis] // block.get(axis, 1) if axis.isupper() else whole[axis.upper()] % n for axis, n in target]
        expected[tuple(parts)] = x[place]
        count += 1
    assert count == x.size
    assert_exactly(found, expected)


@many
@given(data=st.data())
def test_back_and_forth_is_nothing_where_the_blocks_are_full(data: st.DataObject) -> None:
    application, found = applications("layout_transform", data)
    source, target = application.attributes["src_layout"], application.attributes["dst_layout"]
    back = means("layout_transform", found, src_layout=target, dst_layout=source)
    if back.shape == application.arguments[0].shape:
        assert back == application.arguments[0]


def test_a_last_block_is_filled_with_zeros() -> None:
    x = Tensor([[1.0, 2.0, 3.0]])
    assert means("layout_transform", x, src_layout="NC", dst_layout="NC2c").tolist() == [[[1, 2], [3, 0]]]


def test_blocks_are_formulas() -> None:
    blocked = judges("layout_transform", of("n", "c", 8, "w"), src_layout="NCHW", dst_layout="NHC4cW")
    assert shape_of(blocked.result) == ["n", "8", "(c + 3) // 4", "4", "w"]
    whole = judges("layout_transform", of("n", "k", "w", "b"), src_layout="NCW4c", dst_layout="NWC")
    assert shape_of(whole.result) == ["n", "w", "4 * k"]
    assert goals(whole) == [("op.layout_transform.factor", "b == 4")]
    wider = judges("layout_transform", of("n", "k", 4), src_layout="NC4c", dst_layout="NC2c")
    assert shape_of(wider.result) == ["n", "2 * k", "2"]


# -------------------------------------------------------------------------------------------------------- meshgrid
@many
@given(data=st.data())
@compares("meshgrid")
def test_meshgrid_is_numpys(data: st.DataObject) -> None:
    application, found = applications("meshgrid", data)
    parts = [np.atleast_1d(array_of(part)) for part in application.arguments[0]]
    expected = np.meshgrid(*parts, indexing=application.attributes.get("indexing", "ij"))
    for ours, theirs in zip(found, expected, strict=True):
        assert_exactly(ours, theirs)


def test_the_first_two_axes_change_places() -> None:
    vectors = TupleType((of("n"), of(), of("m")))
    plain = judges("meshgrid", vectors).result.fields  # type: ignore[union-attr]
    assert [shape_of(field) for field in plain] == [["n", "1", "m"]] * 3
    swapped = judges("meshgrid", vectors, indexing="xy").result.fields  # type: ignore[union-attr]
    assert [shape_of(field) for field in swapped] == [["1", "n", "m"]] * 3


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("layout_transform", (of(3, 5),), {"src_layout": "NCH", "dst_layout": "NHC"}, "op.rank"),
        ("layout_transform", (of(3, 5),), {"src_layout": "NC", "dst_layout": "NH"}, "op.attribute"),
        ("layout_transform", (of(3, 5),), {"src_layout": "NC", "dst_layout": "NC4h"}, "op.attribute"),
        ("layout_transform", (of(3, 5),), {"src_layout": "NN", "dst_layout": "NN"}, "op.attribute"),
        ("layout_transform", (of(3, 5),), {"src_layout": "NC", "dst_layout": "NC0c"}, "op.attribute"),
        ("layout_transform", (of(3, 5),), {"src_layout": "NC", "dst_layout": "NCc"}, "op.attribute"),
        ("layout_transform", (of(3, 5),), {"src_layout": "NC", "dst_layout": "N C"}, "op.attribute"),
        ("layout_transform", (of(),), {"src_layout": "", "dst_layout": ""}, "op.attribute"),
        ("meshgrid", (TupleType((of(3), of(3, dtype=DType.INT8))),), {}, "op.dtype"),
        ("meshgrid", (TupleType((of(3), of(3, 1))),), {}, "op.rank"),
        ("meshgrid", (TupleType((of(3),)),), {"indexing": "ji"}, "op.attribute"),
        ("meshgrid", (TupleType(()),), {}, "op.structure"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
