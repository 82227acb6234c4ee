"""Sparse matrices against NumPy's dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_exactly,
    assert_same,
    compares,
    examples,
    judges,
    kept_in,
    means,
    refusal,
)

many = examples(100)
I32 = DType.INT32


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def ints(*shape: int | str) -> TensorType[Dim]:
    return of(*shape, dtype=I32)


def dense(matrix: Any, width: int) -> Any:
    """The whole matrix, in a type that holds every sum."""
    values, columns, starts = matrix
    wide = values.astype(float if values.dtype.kind == "f" else object)
    height, breadth = values.shape[1:] if values.ndim > 1 else (1, 1)
    blocks = wide.reshape(-1, height, breadth)
    found = np.zeros(((len(starts) - 1) * height, width), wide.dtype)
    for row in range(len(starts) - 1):
        for block in range(starts[row], starts[row + 1]):
            left = columns[block] * breadth
            found[row * height : (row + 1) * height, left : left + breadth] += blocks[block]
    return found


def wide(x: Any) -> Any:
    return x.astype(float if x.dtype.kind == "f" else object)


@many
@given(data=st.data())
@compares("nn.sparse_dense")
def test_sparse_dense_is_the_product_with_the_whole_matrix(data: st.DataObject) -> None:
    application, found = applications("nn.sparse_dense", data)
    x, *parts = map(array_of, application.arguments)
    expected = wide(x) @ dense(parts, x.shape[1]).T if x.shape[1] else np.zeros(found.shape)
    if application.attributes["sparse_lhs"] and x.shape[1]:
        expected = expected.T
    assert_same(found, kept_in(found.dtype, expected))


@many
@given(data=st.data())
@compares("nn.sparse_conv2d")
def test_sparse_conv2d_is_the_product_of_patches_with_the_whole_matrix(data: st.DataObject) -> None:
    application, found = applications("nn.sparse_conv2d", data)
    x, *parts = map(array_of, application.arguments)
    images = x.transpose(0, 2, 3, 1) if application.attributes["layout"] == "NCHW" else x
    count, height, width, channels = images.shape
    side = application.attributes["kernel_size"][0]
    around = side // 2
    padded = np.pad(wide(images), ((0, 0), (around, around), (around, around), (0, 0)))
    cells = [padded[:, i : i + height, j : j + width] for i in range(side) for j in range(side)]
    patches = np.concatenate(cells, axis=3)
    weight = parts[0].reshape(*parts[0].shape, 1) if parts[0].ndim == 2 else parts[0]
    whole = dense([weight, *parts[1:]], side * side * channels)
    expected = patches @ whole.T if patches.size else np.zeros((count, height, width, len(whole)))
    turned = expected.transpose(0, 3, 1, 2) if application.attributes["layout"] == "NCHW" else expected
    assert_same(found, kept_in(found.dtype, turned))


@many
@given(data=st.data())
@compares("nn.sparse_transpose")
def test_the_transposed_matrix_is_numpys(data: st.DataObject) -> None:
    application, found = applications("nn.sparse_transpose", data)
    parts, turned = [[array_of(part) for part in matrix] for matrix in (application.arguments, found)]
    side = len(parts[2]) - 1
    np.testing.assert_array_equal(dense(turned, side), dense(parts, side).T)
    for row in range(side):
        line = turned[1][turned[2][row] : turned[2][row + 1]].tolist()
        assert line == sorted(line)
    assert_exactly(found[2], turned[2].astype(parts[2].dtype))


@many
@given(data=st.data())
@compares("nn.sparse_add")
def test_sparse_add_is_the_sum_with_the_whole_matrix(data: st.DataObject) -> None:
    application, found = applications("nn.sparse_add", data)
    x, *parts = map(array_of, application.arguments)
    assert_same(found, kept_in(found.dtype, wide(x) + dense(parts, x.shape[1])))


@pytest.mark.parametrize("starts", [[1, 2, 2], [0, 2, 1], [0, 3, 2], [0, 1, 1]])
def test_starts_that_are_none_are_a_fault(starts: list[int]) -> None:
    with pytest.raises(TensorFault, match="does not divide 2 values into rows") as stop:
        means("nn.sparse_transpose", Tensor([1.0, 2.0]), Tensor([0, 1], "int32"), Tensor(starts, "int32"))
    assert stop.value.code == "E0608"


@pytest.mark.parametrize("column", [-1, 3])
def test_a_column_out_of_bounds_is_a_fault(column: int) -> None:
    with pytest.raises(TensorFault, match=f"column {column} is out of bounds"):
        x = Tensor([[1.0, 2.0, 3.0]])
        means("nn.sparse_add", x, Tensor([1.0]), Tensor([column], "int32"), Tensor([0, 1], "int32"))


def test_shapes_and_what_is_owed() -> None:
    plain = judges("nn.sparse_dense", of("m", "k"), of("v"), ints("c"), ints("r"))
    result: Any = plain.result
    assert list(map(str, result.shape)) == ["m", "r - 1"]
    assert [str(need.goal) for need in plain.needs] == ["v == c", "r >= 1"]
    blocks: Any = judges("nn.sparse_dense", of(2, 6), of("v", 3, 2), ints("v"), ints(5), sparse_lhs=True).result
    assert list(map(str, blocks.shape)) == ["12", "2"]
    added = judges("nn.sparse_add", of("n", "k"), of("v"), ints("v"), ints("r"))
    assert [str(need.goal) for need in added.needs] == ["True", "n + 1 == r"]


@pytest.mark.parametrize(
    ("name", "arguments", "rule"),
    [
        ("nn.sparse_dense", (of(2), of(2), ints(2), ints(2)), "op.rank"),
        ("nn.sparse_dense", (of(2, 2), of(2, 2), ints(2), ints(2)), "op.rank"),
        ("nn.sparse_dense", (of(2, 2), of(2, dtype=I32), ints(2), ints(2)), "op.dtype"),
        ("nn.sparse_dense", (of(2, 2), of(2), of(2), ints(2)), "op.dtype"),
        ("nn.sparse_conv2d", (of(1, 2, 2, 3), of(2), ints(2), ints(2)), "op.rank"),
        ("nn.sparse_conv2d", (of(1, 2, 3), of(2, 1), ints(2), ints(2)), "op.rank"),
        ("nn.sparse_transpose", (of(2, 1, 1), ints(2), ints(2)), "op.rank"),
        ("nn.sparse_transpose", (of(2), ints(2, 2), ints(2)), "op.rank"),
        ("nn.sparse_add", (of(2, 2), of(2, 1, 1), ints(2), ints(3)), "op.rank"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, rule: str) -> None:
    assert refusal(name, *arguments).rule == rule


@pytest.mark.parametrize(("layout", "side"), [("NCHW", 3), ("NHWC", 2), ("NWHC", 1)])
def test_a_sparse_convolution_has_few_forms(layout: str, side: int) -> None:
    arguments = of(1, 2, 2, 3), of(2, 1), ints(2), ints(2)
    assert refusal("nn.sparse_conv2d", *arguments, layout=layout, kernel_size=[side, side]).rule == "op.attribute"
