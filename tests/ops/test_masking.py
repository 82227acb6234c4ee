"""Masks against NumPy and their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.tensors.scalar import converted
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_exactly,
    compares,
    examples,
    judges,
    means,
    numpy_type,
    refusal,
)

many = examples(100)
I32 = DType.INT32
n, m = variable("n"), variable("m")


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


# ------------------------------------------------------------------------------------------------ reverse_sequence
@many
@given(data=st.data())
@compares("reverse_sequence")
def test_reverse_sequence_reverses_the_first_elements_of_each_batch(data: st.DataObject) -> None:
    application, found = applications("reverse_sequence", data)
    x, lengths = map(array_of, application.arguments)
    along = application.attributes.get("seq_axis", 1)
    batch = application.attributes.get("batch_axis", 0)
    expected = x.copy()
    rows = np.moveaxis(expected, (batch, along), (0, 1))
    for row, length in zip(rows, lengths.tolist(), strict=True):
        reach = max(length, 1)
        row[:reach] = row[:reach][::-1].copy()
    assert_exactly(found, expected)


def test_there_is_a_length_for_each_batch() -> None:
    reverse = judges("reverse_sequence", of("n", 3, "m"), of("k", dtype=I32), seq_axis=0, batch_axis=-1)
    assert shape_of(reverse) == ["n", "3", "m"]
    assert goals(reverse) == [("op.reverse_sequence.lengths", "m == k")]
    assert goals(judges("sequence_mask", of("n", "m"), of("k"))) == [("op.sequence_mask.lengths", "m == k")]
    assert goals(judges("sequence_mask", of("n", "m"), of("k"), axis=1)) == [("op.sequence_mask.lengths", "n == k")]


# --------------------------------------------------------------------------------------------------- sequence_mask
@many
@given(data=st.data())
@compares("sequence_mask")
def test_sequence_mask_masks_what_follows_a_length(data: st.DataObject) -> None:
    application, found = applications("sequence_mask", data)
    x, lengths = map(array_of, application.arguments)
    axis = application.attributes["axis"]
    value = application.attributes.get("mask_value", 0)
    places = np.arange(x.shape[axis])
    masked = places[:, None] >= lengths[None, :] if axis == 0 else places[None, :] >= lengths[:, None]
    mask = converted(DType.FLOAT64, found.dtype, [float(value)])[0]
    expected = np.where(masked.reshape(*masked.shape, *[1] * (x.ndim - 2)), np.array(mask, dtype=x.dtype), x)
    assert_exactly(found, expected.astype(x.dtype))


def test_a_length_that_is_no_number_masks_nothing() -> None:
    x = Tensor([[1.0, 2.0]])
    assert means("sequence_mask", x, Tensor([math.nan]), axis=1).tolist() == [[1.0, 2.0]]
    assert means("sequence_mask", x, Tensor([0.5]), axis=1, mask_value=7).tolist() == [[1.0, 7.0]]


# --------------------------------------------------------------------------------------------------------- one_hot
@many
@given(data=st.data())
@compares("one_hot")
def test_one_hot_compares_each_index_with_each_place(data: st.DataObject) -> None:
    application, found = applications("one_hot", data)
    named, on, off = application.arguments
    attributes = application.attributes
    target = DType(attributes.get("dtype", on.dtype))
    yes, no = (
        np.array(converted(part.dtype, target, part.elements)[0], dtype=numpy_type(target)) for part in (on, off)
    )
    axis = attributes.get("axis", -1)
    rank = named.rank + 1
    places = np.arange(attributes["depth"]).reshape([-1 if i == axis % rank else 1 for i in range(rank)])
    hot = np.expand_dims(array_of(named), axis).astype(np.int64) == places
    assert_exactly(found, np.asarray(np.where(hot, yes, no), dtype=numpy_type(target)))


def test_the_depth_is_a_size_at_the_axis() -> None:
    judgement = judges("one_hot", of("n", 3, dtype=I32), of(), of(), depth=m, axis=1)
    assert shape_of(judgement) == ["n", "m", "3"]
    assert goals(judgement) == [("op.one_hot.depth", "m >= 0")]
    assert shape_of(judges("one_hot", of("n", dtype=I32), of(), of())) == ["n", "1"]


def test_a_single_known_index_makes_known_elements() -> None:
    rule = CATALOGUE["one_hot"].contents
    assert rule is not None

    def scalar(content: Dim | int) -> TensorType[Dim]:
        return of(dtype=I32, contents=(constant(content) if isinstance(content, int) else content,))

    one, zero = constant(1), constant(0)
    assert rule(scalar(1), scalar(m), scalar(0), depth=constant(3), axis=-1, dtype=None) == (zero, m, zero)
    assert rule(scalar(5), scalar(1), scalar(0), depth=constant(2), axis=-1, dtype=None) == (zero, zero)
    found = rule(scalar(n), scalar(1), scalar(0), depth=constant(2), axis=-1, dtype=None)
    assert found is not None
    assert list(map(str, found)) == ["(if n == 0 then 1 else 0)", "(if n == 1 then 1 else 0)"]
    assert rule(scalar(1), scalar(1), scalar(0), depth=m, axis=-1, dtype=None) is None
    assert rule(scalar(1), scalar(1), scalar(0), depth=one, axis=-1, dtype=DType.FLOAT32) is None


# ----------------------------------------------------------------------------------------------------------- trilu
@many
@given(data=st.data())
@compares("trilu")
def test_trilu_is_numpys(data: st.DataObject) -> None:
    application, found = applications("trilu", data)
    x, k = map(array_of, application.arguments)
    take = np.triu if application.attributes.get("upper", True) else np.tril
    assert_exactly(found, take(x, int(k)).astype(x.dtype))


# ------------------------------------------------------------------------------------------------- matrix_set_diag
@many
@given(data=st.data())
@compares("matrix_set_diag")
def test_matrix_set_diag_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("matrix_set_diag", data)
    x, new = map(array_of, application.arguments)
    attributes = application.attributes
    k1, k2 = attributes.get("k1", 0), attributes.get("k2", 0)
    bands = new[..., None, :] if k1 == k2 else new
    expected = x.copy()
    for row, column in np.ndindex(*x.shape[-2:]):
        number = column - row
        if k1 <= number <= k2:
            side = "sub" if number < 0 else "super"
            right = attributes.get(f"{side}_diag_right_align", side == "super")
            start = bands.shape[-1] - np.diagonal(x, number, -2, -1).shape[-1] if right else 0
            expected[..., row, column] = bands[..., k2 - number, start + min(row, column)]
    assert_exactly(found, expected)


def test_a_band_owes_that_it_fits_and_that_its_diagonals_are_there() -> None:
    judgement = judges("matrix_set_diag", of("a", "n", "m"), of("b", "c", "d"), k1=-1, k2=2)
    assert shape_of(judgement) == ["a", "n", "m"]
    assert goals(judgement) == [
        ("op.matrix_set_diag.band", "n >= 1"),
        ("op.matrix_set_diag.band", "m >= 2"),
        ("op.matrix_set_diag.agree", "a == b"),
        ("op.matrix_set_diag.agree", "c == 4"),
        ("op.matrix_set_diag.agree", "d == min(m, n)"),
    ]
    single = judges("matrix_set_diag", of("n", "m"), of("d"), k1=1, k2=1)
    assert goals(single)[-1] == ("op.matrix_set_diag.agree", "d == min(m - 1, n)")


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("reverse_sequence", (of(3, 5), of(3)), {}, "op.dtype"),
        ("reverse_sequence", (of(3, 5), of(3, 1, dtype=I32)), {}, "op.rank"),
        ("reverse_sequence", (of(3, 5), of(3, dtype=I32)), {"seq_axis": 0}, "op.axis"),
        ("reverse_sequence", (of(3), of(3, dtype=I32)), {}, "op.axis"),
        ("sequence_mask", (of(3), of(3)), {}, "op.rank"),
        ("sequence_mask", (of(3, 5), of(3)), {"axis": 2}, "op.axis"),
        ("sequence_mask", (of(3, 5), of(3, dtype=DType.BOOL)), {}, "op.dtype"),
        ("one_hot", (of(3), of(), of()), {}, "op.dtype"),
        ("one_hot", (of(3, dtype=I32), of(), of(dtype=I32)), {}, "op.dtype"),
        ("one_hot", (of(3, dtype=I32), of(1), of()), {}, "op.rank"),
        ("one_hot", (of(3, dtype=I32), of(), of()), {"axis": 2}, "op.axis"),
        ("trilu", (of(3), of(dtype=I32)), {}, "op.rank"),
        ("trilu", (of(3, 5), of(1, dtype=I32)), {}, "op.rank"),
        ("trilu", (of(3, 5), of()), {}, "op.dtype"),
        ("matrix_set_diag", (of(3, 5), of(3)), {"k1": 1}, "op.attribute"),
        ("matrix_set_diag", (of(3, 5), of(3)), {"k2": 1}, "op.rank"),
        ("matrix_set_diag", (of(3, 5), of(3, dtype=I32)), {}, "op.dtype"),
        ("matrix_set_diag", (of(3), of()), {}, "op.rank"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
