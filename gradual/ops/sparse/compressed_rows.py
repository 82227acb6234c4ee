"""Sparse matrices in compressed rows: values, the column of each, and where each row starts and the last one ends.

The starts begin at 0, never descend, and end at the number of values; anything else is a fault, and so is a column out
of bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

from gradual.dims.term.constraint import at_most
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, agreement, judged, tensor
from gradual.ops.declaration.windows import surrounded
from gradual.ops.linear.products import contracted_dtype
from gradual.ops.sparse.coordinates import vector_of_integers
from gradual.tensors.fault import invalid_value, out_of_bounds
from gradual.tensors.index import numel, permuted
from gradual.tensors.scalar import kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType, TupleType

Entry = tuple[int, Any]


def _spans(starts: Sequence[int], count: int) -> Iterator[range]:
    """The indices of the values of each row; raises TensorFault if the starts are not valid."""
    if starts[0] != 0 or starts[-1] != count or any(right < left for left, right in pairwise(starts)):
        raise invalid_value(f"{list(starts)} does not divide {count} values into rows")
    return (range(left, right) for left, right in pairwise(starts))


def _entries(values: Tensor, columns: Tensor, starts: Tensor, width: int) -> list[list[Entry]]:
    """Column and value of each entry, for each row; a block spans several rows and columns."""
    height, breadth = (*values.shape[1:], 1, 1)[:2]
    area = height * breadth
    found: list[list[Entry]] = []
    for span in _spans(starts.elements, columns.size):
        for line in range(height):
            row: list[Entry] = []
            for block in span:
                first, base = columns.elements[block] * breadth, block * area + line * breadth
                row += [(first + i, values.elements[base + i]) for i in range(breadth)]
            found.append(row)
    for row in found:
        for column, _ in row:
            if not 0 <= column < width:
                raise out_of_bounds(column, width, "column")
    return found


def _matrix(
    values: TensorType[Dim], columns: TensorType[Dim], starts: TensorType[Dim], first: int
) -> tuple[TensorType[Dim], TensorType[Dim], TensorType[Dim], tuple[Need, ...]]:
    """The parts of a matrix, the first of which is argument `first`, and their needs.   [op.rows.count]"""
    held = tensor(values, first, least=1)
    named, bounds = vector_of_integers(columns, first + 1), vector_of_integers(starts, first + 2)
    says = "there must be one column for each value"
    count = agreement(held.shape[0], named.shape[0], "op.rows.count", says, (first, 0), (first + 1, 0))
    says = "the starts of the rows have no end"
    return held, named, bounds, (count, Need(at_most(ONE, bounds.shape[0]), "op.rows.starts", says, ((first + 2, 0),)))


def _sparse_dense(
    data: Tensor, weight_data: Tensor, weight_indices: Tensor, weight_indptr: Tensor, *, sparse_lhs: bool
) -> Tensor:
    height, width = data.shape
    lines = _entries(weight_data, weight_indices, weight_indptr, width)
    given = [data.elements[row * width : (row + 1) * width] for row in range(height)]
    pairs = product(lines, given) if sparse_lhs else ((line, row) for row, line in product(given, lines))
    found = [total(row[column] * value for column, value in line) for line, row in pairs]
    count = (weight_indptr.size - 1) * numel(weight_data.shape[1:2])
    return tensor_of((count, height) if sparse_lhs else (height, count), data.dtype, kept(data.dtype, found))


@operator("nn.sparse_dense", meaning=_sparse_dense, family="rows", faults=Faults.OTHERWISE)
def sparse_dense(
    data: TensorType[Dim],
    weight_data: TensorType[Dim],
    weight_indices: TensorType[Dim],
    weight_indptr: TensorType[Dim],
    *,
    sparse_lhs: bool = False,
) -> Judgement:
    """Inner products with the rows of a sparse weight; with `sparse_lhs` the result is transposed.

    t[m, k], t[v], int[v], int[r + 1] -> t[m, r]; of blocks t[m, k], t[v, h, w], int[v], int[r + 1] -> t[m, r * h]

        out[i, j] = sum over e of data[i, weight_indices[e]] * weight_data[e]
        out[i, j * h + p] = sum over e, q of data[i, weight_indices[e] * w + q] * weight_data[e, p, q]  of blocks

    e runs from weight_indptr[j] up to weight_indptr[j + 1], excluded, in this order.  `weight_indices` has as many
    elements as `weight_data` has values or blocks, v [op.rows.count].  `weight_indptr` has at least one element
    [op.rows.starts]; it begins at 0, never descends and ends at v, or else it is a fault.  A column that is negative
    or not below k is a fault [op.index.bounds].
    """
    given = tensor(data, 0, rank=2)
    values, _, starts, needs = _matrix(weight_data, weight_indices, weight_indptr, 1)
    if values.rank not in (1, 3):
        raise IllFormed("op.rank", f"argument 2 has to have rank 1 or 3, not {values.rank}", 1)
    dtype = contracted_dtype(given, values, None)
    count = (starts.shape[0] - 1) * (values.shape[1] if values.rank > 1 else ONE)
    height = given.shape[0]
    return judged((count, height) if sparse_lhs else (height, count), dtype, needs)


def _patches(data: Tensor, side: int) -> Iterator[Sequence[Any]]:
    """For each pixel of images [n, h, w, c] the square around it, row by row, with zeros beyond the border."""
    count, height, width, channels = data.shape
    around = (side - 1) // 2
    border = ((0, 0), (around, around), (around, around), (0, 0))
    cells = surrounded(data.elements, data.shape, border, 0, 1).cells
    line, breadth = (width + 2 * around) * channels, side * channels
    for image, row, column in product(range(count), range(height), range(width)):
        first = (image * (height + 2 * around) + row) * line + column * channels
        yield [cell for i in range(side) for cell in cells[first + i * line : first + i * line + breadth]]


def _sparse_conv2d(
    data: Tensor,
    weight_data: Tensor,
    weight_indices: Tensor,
    weight_indptr: Tensor,
    *,
    layout: str,
    kernel_size: tuple[int, int],
) -> Tensor:
    order = (0, 2, 3, 1) if layout == "NCHW" else (0, 1, 2, 3)
    shape = tuple(data.shape[axis] for axis in order)
    images = tensor_of(shape, data.dtype, permuted(data.elements, data.shape, order))
    side = kernel_size[0]
    lines = _entries(weight_data, weight_indices, weight_indptr, side * side * shape[3])
    found = [
        total(patch[column] * value for column, value in line) for patch in _patches(images, side) for line in lines
    ]
    shape, back = (*shape[:3], len(lines)), (0, 3, 1, 2) if layout == "NCHW" else (0, 1, 2, 3)
    whole = permuted(kept(data.dtype, found), shape, back)
    return tensor_of(tuple(shape[axis] for axis in back), data.dtype, whole)


@operator("nn.sparse_conv2d", meaning=_sparse_conv2d, family="rows", faults=Faults.OTHERWISE)
def sparse_conv2d(
    data: TensorType[Dim],
    weight_data: TensorType[Dim],
    weight_indices: TensorType[Dim],
    weight_indptr: TensorType[Dim],
    *,
    layout: str = "NHWC",
    kernel_size: tuple[int, int] = (1, 1),
) -> Judgement:
    """A convolution with a sparse weight of 1 by 1, or of 3 by 3 with zeros around the image.

    t[n, h, w, c], t[v, a, b], int[v], int[r + 1] -> t[n, h, w, r * a]; or t[n, c, h, w] -> t[n, r * a, h, w] in the
    layout "NCHW", where the weight is 1 by 1

        out[n, y, x] = nn.sparse_dense(patch, weight_data, weight_indices, weight_indptr)
        patch[(k * s + l) * c + i] = data[n, y + k - s // 2, x + l - s // 2, i],  s = kernel_size[0],  k and l below s

    Elements outside of the data are 0.  Blocks t[v, a] are one column wide.  `weight_indices` has as many elements as
    `weight_data` has blocks, v [op.rows.count]; `weight_indptr` has at least one element [op.rows.starts].  A column
    that is negative or not below s * s * c is a fault [op.index.bounds].
    """
    given = tensor(data, 0, rank=4)
    if (layout, kernel_size) not in (("NHWC", (1, 1)), ("NCHW", (1, 1)), ("NHWC", (3, 3))):
        says = "NHWC with a kernel_size of 1 by 1 or 3 by 3, or NCHW with one of 1 by 1"
        raise IllFormed("op.attribute", f"layout has to be {says}, not {layout} with one of {kernel_size}")
    values, _, starts, needs = _matrix(weight_data, weight_indices, weight_indptr, 1)
    if values.rank not in (2, 3):
        raise IllFormed("op.rank", f"argument 2 has to have rank 2 or 3, not {values.rank}", 1)
    channels = (starts.shape[0] - 1) * values.shape[1]
    first, *rest = given.shape
    shape = (first, channels, *rest[1:]) if layout == "NCHW" else (first, *rest[:2], channels)
    return judged(shape, contracted_dtype(given, values, None), needs)


def _sparse_transpose(sparse_data: Tensor, sparse_indices: Tensor, sparse_indptr: Tensor) -> tuple[Tensor, ...]:
    """The entries column by column, those of one column by their rows."""
    count = sparse_indptr.size - 1
    columns: list[list[Entry]] = [[] for _ in range(count)]
    for row, line in enumerate(_entries(sparse_data, sparse_indices, sparse_indptr, count)):
        for column, value in line:
            columns[column].append((row, value))
    starts = [0]
    for entries in columns:
        starts.append(starts[-1] + len(entries))
    whole = [entry for entries in columns for entry in entries]
    parts = [value for _, value in whole], [row for row, _ in whole], starts
    given = sparse_data, sparse_indices, sparse_indptr
    return tuple(tensor_of(one.shape, one.dtype, kept(one.dtype, part)) for one, part in zip(given, parts, strict=True))


@operator("nn.sparse_transpose", meaning=_sparse_transpose, family="rows", faults=Faults.OTHERWISE)
def sparse_transpose(
    sparse_data: TensorType[Dim], sparse_indices: TensorType[Dim], sparse_indptr: TensorType[Dim]
) -> Judgement:
    """The transposed matrix of a sparse one that is square.   t[v], int[v], int[n + 1] -> (t[v], int[v], int[n + 1])

        out.0[k] = sparse_data[e],  out.1[k] = the row of entry e,  e the k-th entry by column, and as given within one
        out.2[j] = the number of entries in columns below j

    The row of entry e is the i with sparse_indptr[i] <= e < sparse_indptr[i + 1].  `sparse_indices` has as many
    elements as `sparse_data`, v [op.rows.count]; `sparse_indptr` has at least one element [op.rows.starts], begins at
    0, never descends and ends at v, or else it is a fault.  A column that is negative or not below n is a fault
    [op.index.bounds].
    """
    values, columns, starts, needs = _matrix(tensor(sparse_data, 0, rank=1), sparse_indices, sparse_indptr, 0)
    return Judgement(TupleType(tuple(TensorType(one.shape, one.dtype) for one in (values, columns, starts))), needs)


def _sparse_add(dense_data: Tensor, sparse_data: Tensor, sparse_indices: Tensor, sparse_indptr: Tensor) -> Tensor:
    width, found = dense_data.shape[1], list(dense_data.elements)
    for row, line in enumerate(_entries(sparse_data, sparse_indices, sparse_indptr, width)):
        for column, value in line:
            found[row * width + column] += value
    return tensor_of(dense_data.shape, dense_data.dtype, kept(dense_data.dtype, found))


@operator("nn.sparse_add", meaning=_sparse_add, family="rows", faults=Faults.OTHERWISE)
def sparse_add(
    dense_data: TensorType[Dim],
    sparse_data: TensorType[Dim],
    sparse_indices: TensorType[Dim],
    sparse_indptr: TensorType[Dim],
) -> Judgement:
    """The sum of a matrix and a sparse matrix, rounded once.   t[n, m], t[v], int[v], int[n + 1] -> t[n, m]

        out[i, j] = dense_data[i, j] + sum over e of sparse_data[e],  e the entries of row i with sparse_indices[e] == j

    The entries of row i are from sparse_indptr[i] up to sparse_indptr[i + 1], excluded; they are added in this order.
    `sparse_indices` has as many elements as `sparse_data`, v [op.rows.count]; `sparse_indptr` has n + 1 elements for
    the n rows of the matrix [op.nn.sparse_add.rows].  A column that is negative or not below m is a fault
    [op.index.bounds].
    """
    given = tensor(dense_data, 0, rank=2)
    values, _, starts, needs = _matrix(tensor(sparse_data, 1, rank=1), sparse_indices, sparse_indptr, 1)
    says = "the matrices differ in their number of rows"
    rows = agreement(given.shape[0] + 1, starts.shape[0], "op.nn.sparse_add.rows", says, (0, 0), (3, 0))
    return judged(given.shape, contracted_dtype(given, values, None), (needs[0], rows))
