"""Sparse tensors as three tensors: the indices of the stored elements, these elements, and the shape."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.importers.tensorflow.selecting.creating import filled
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


@imports("SparseToDense")
def to_dense(use: Use) -> Value:
    """A tensor filled with one value, except for given values at given indices."""
    if isinstance(use[1].constant, Tensor):
        shape = use[1].numbers("the shape")
        return use.call("sparse_to_dense", use[0], use[2], use[3], output_shape=shape)
    return use.call("dyn.sparse_to_dense", use[0], use[2], use[3], use[1])


@imports("SparseReshape", results=("output_indices", "output_shape"))
def reshaped(use: Use) -> Sequence[Value]:
    """The indices of the same elements in another shape, and that shape."""
    return use.counted(use.call("sparse_reshape", use.ranked(0, 2), use[1], use[2]), 2)


@imports(
    "SparseFillEmptyRows",
    results=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
)
def without_empty_rows(use: Use) -> Sequence[Value | None]:
    """The elements row by row, with one more in each empty row; and which rows were empty."""
    found = use.call("sparse_fill_empty_rows", use.ranked(0, 2), use.ranked(1, 1), use.ranked(2, 1), use[3])
    return [*use.counted(found, 3), None]


@imports("SparseTensorDenseMatMul")
def product(use: Use) -> Value:
    """The product of a sparse matrix and a dense one, each transposed if an attribute says so."""
    columns = use.call("transpose", use.ranked(0, 2), axes=[1, 0])
    zeros = filled(use, use.like(0, use[1]), use.as_type(use[2], DType.INT64))
    if zeros.rank != 2:
        raise Unsupported("a sparse tensor that is no matrix")
    whole = use.call("scatter_nd", zeros, columns, use.ranked(1, 1), mode="add")
    flips = {f"transpose_{name}": use.flag(f"adjoint_{name}") or None for name in "ab"}
    return use.call("nn.matmul", whole, use.ranked(3, 2), **flips)
