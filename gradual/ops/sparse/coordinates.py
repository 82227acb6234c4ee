"""Sparse tensors as lists of entries: one row of indices and one value for each.

An index counts from 0; a negative one, or one beyond the dense shape, is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat

from gradual.dims.term.constraint import Constraint, all_of, any_of, at_least, at_most, divides, equal
from gradual.dims.term.dim import Dim, constant, ite, maximum, product
from gradual.ops.declaration.dynamic_variant import dynamic_twin, elements_of
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.lookups import Lookup
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import (
    ONE,
    ZERO,
    Shape,
    agreement,
    contents_of,
    judged,
    not_negative,
    same_dtype,
    tensor,
)
from gradual.ops.declaration.symbolic_elements import cast, tracked
from gradual.ops.indexing.index_modes import integers
from gradual.tensors.fault import out_of_bounds
from gradual.tensors.index import numel
from gradual.tensors.scalar import converted, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import Content, Hole, TensorType, TupleType

Row = Sequence[int]


def vector_of_integers(given: TensorType[Dim], operand: int) -> TensorType[Dim]:
    """The argument as a vector of integers; raises IllFormed if it is not."""
    return integers(tensor(given, operand, rank=1), operand)


def vector_elements(given: TensorType[Dim], operand: int) -> Shape:
    """The elements of a vector of integers; raises OpenRank where their number is not known."""
    return tuple(part for part in elements_of(vector_of_integers(given, operand), operand) if isinstance(part, Dim))


def offset(index: Row, shape: Sequence[int]) -> int:
    """The offset of an element; raises TensorFault if an index is negative or out of bounds."""
    found = 0
    for place, extent in zip(index, shape, strict=True):
        if not 0 <= place < extent:
            raise out_of_bounds(place, extent)
        found = found * extent + place
    return found


def _rows(indices: Tensor, width: int) -> Iterator[Row]:
    """The index of each entry."""
    count = indices.shape[0] if indices.rank else 1
    return (indices.elements[row * width : (row + 1) * width] for row in range(count))


# -------------------------------------------------------------------------------------------------- sparse_to_dense
def _sparse_to_dense(
    sparse_indices: Tensor, sparse_values: Tensor, default_value: Tensor, *, output_shape: tuple[int, ...]
) -> Tensor:
    dtype = sparse_values.dtype
    found = kept(dtype, converted(default_value.dtype, dtype, default_value.elements)) * numel(output_shape)
    values = sparse_values.elements if sparse_values.rank else repeat(sparse_values.elements[0])
    for row, value in zip(_rows(sparse_indices, len(output_shape)), values, strict=False):
        found[offset(row, output_shape)] = value
    return tensor_of(output_shape, dtype, found)


def _sparse_to_dense_contents(
    sparse_indices: TensorType[Dim],
    sparse_values: TensorType[Dim],
    default_value: TensorType[Dim],
    *,
    output_shape: Shape,
) -> Contents:
    """A vector of the default, with known values at known indices."""
    places, values, default = map(contents_of, (sparse_indices, sparse_values, default_value))
    length = output_shape[0].value if len(output_shape) == 1 else None
    if places is None or not values or not default or length is None or length < 0:
        return None
    found: list[Content | None] = [cast(default[0], sparse_values.dtype)] * length
    for place, value in zip(places, values * len(places) if sparse_values.rank == 0 else values, strict=False):
        where = place.value if isinstance(place, Dim) else None
        if where is None or not 0 <= where < length:
            return None
        found[where] = value
    return tracked(found, sparse_values.dtype)


def _sparse_to_dense_lookups(
    sparse_indices: TensorType[Dim],
    sparse_values: TensorType[Dim],
    default_value: TensorType[Dim],
    *,
    output_shape: Shape,
) -> tuple[Lookup, ...]:
    """A lookup for each column of the indices, in the column's own axis."""
    count, alone = sparse_indices.shape[:1], len(output_shape) == 1
    return tuple(Lookup((0,), extent, None, count, alone=alone, negative=False) for extent in output_shape)


@operator(
    "sparse_to_dense",
    meaning=_sparse_to_dense,
    lookups=_sparse_to_dense_lookups,
    family="sparse",
    contents=_sparse_to_dense_contents,
    faults=Faults.OTHERWISE,
)
def sparse_to_dense(
    sparse_indices: TensorType[Dim],
    sparse_values: TensorType[Dim],
    default_value: TensorType[Dim],
    *,
    output_shape: tuple[Dim, ...],
) -> Judgement:
    """A tensor of a default value with other values at given indices.   int[k, r], t[k], t[] -> t[..output_shape]

        out[i_0, .., i_(r - 1)] = sparse_values[e]  for the last e with sparse_indices[e] == (i_0, .., i_(r - 1))
        out[i_0, .., i_(r - 1)] = default_value, converted as by `cast`,  where there is no such e

    The indices have r columns, one for each axis of the result [op.sparse_to_dense.depth]; for one axis they may be a
    vector, or a single number.  There are as many values as rows of indices, k [op.sparse_to_dense.count], or a single
    number for all.  No size is negative [op.sparse_to_dense.size].  An index out of bounds is a fault, a negative one
    too [op.index.bounds].
    """
    named, values = integers(sparse_indices, 0), tensor(sparse_values, 1)
    tensor(default_value, 2, rank=0)
    if named.rank > 2 or (named.rank < 2 and len(output_shape) != 1):
        says = f"indices of rank {named.rank} name no places of a tensor of rank {len(output_shape)}"
        raise IllFormed("op.rank", says, 0)
    if values.rank > 1:
        raise IllFormed("op.rank", f"argument 2 has to have rank 0 or 1, not {values.rank}", 1)
    needs = [*not_negative(output_shape, "op.sparse_to_dense.size")]
    if named.rank == 2:
        axes = constant(len(output_shape))
        needs.append(agreement(named.shape[1], axes, "op.sparse_to_dense.depth", _DEPTH, (0, 1)))
    if values.rank == 1:
        says = "there must be one value for each index"
        entries, place = (named.shape[0], (0, 0)) if named.rank else (ONE, (0, None))
        needs.append(agreement(entries, values.shape[0], "op.sparse_to_dense.count", says, place, (1, 0)))
    return judged(output_shape, values.dtype, needs)


dyn_sparse_to_dense = dynamic_twin(sparse_to_dense, ("output_shape",))


# ------------------------------------------------------------------------------------------- sparse_fill_empty_rows
def _filled(
    sparse_indices: Tensor, sparse_values: Tensor, dense_shape: Tensor, default_value: Tensor
) -> tuple[Tensor, ...]:
    """The entries row by row, in the order given within a row; an empty row has the default at its first position."""
    shape = list(dense_shape.elements)
    width = len(shape)
    by_row: list[list[tuple[Row, object]]] = [[] for _ in range(shape[0])]
    for row, value in zip(_rows(sparse_indices, width), sparse_values.elements, strict=True):
        offset(row, shape)
        by_row[row[0]].append((row, value))
    empty = [not entries for entries in by_row]
    for place, entries in enumerate(by_row):
        if not entries:
            entries.append(((place, *[0] * (width - 1)), default_value.elements[0]))
    rows = [row for entries in by_row for row, _ in entries]
    values = [value for entries in by_row for _, value in entries]
    indices = kept(sparse_indices.dtype, chain(*rows))
    return (
        tensor_of((len(rows), width), sparse_indices.dtype, indices),
        tensor_of((len(rows),), sparse_values.dtype, kept(sparse_values.dtype, values)),
        tensor_of((len(empty),), DType.BOOL, kept(DType.BOOL, empty)),
    )


@operator(
    "sparse_fill_empty_rows",
    meaning=_filled,
    family="sparse",
    reads=(2,),
    data_dependent=True,
    alike=(1, 3),
    faults=Faults.OTHERWISE,
)
def sparse_fill_empty_rows(
    sparse_indices: TensorType[Dim],
    sparse_values: TensorType[Dim],
    dense_shape: TensorType[Dim],
    default_value: TensorType[Dim],
) -> Judgement:
    """The entries row by row, with an added default value in each empty row; and which rows were empty.

    int[k, r], t[k], int[r], t[] -> (int[f, r], t[f], bool[n]), max(k, n) <= f <= k + n for n rows

        out.0[j] = sparse_indices[e],  out.1[j] = sparse_values[e]  for the entries e by row, and as given within a row
        out.0[j] = (i, 0, .., 0),  out.1[j] = default_value  at the place of each row i < n without entries
        out.2[i] = whether row i has no entries,  n = dense_shape[0]

    The indices have r columns, one for each element of `dense_shape` [op.sparse_fill_empty_rows.depth], and there are
    as many values as rows of indices, k [op.sparse_fill_empty_rows.count].  The number n of rows is not negative
    [op.sparse_fill_empty_rows.rows].  The default is a scalar or a vector of one element
    [op.sparse_fill_empty_rows.default]. An index out of bounds, or a negative one, is a fault [op.index.bounds].
    """
    named, values = integers(tensor(sparse_indices, 0, rank=2), 0), tensor(sparse_values, 1, rank=1)
    default = tensor(default_value, 3)
    if default.rank > 1:
        raise IllFormed("op.rank", f"argument 4 has to have rank 0 or 1, not {default.rank}", 3)
    same_dtype(values, values, values, default)
    count, sizes = named.shape[0], vector_elements(dense_shape, 2)
    if not sizes:
        raise IllFormed("op.rank", "a dense shape without axes has no rows", 2)
    width, rows = constant(len(sizes)), sizes[0]
    needs = [
        agreement(named.shape[1], width, "op.sparse_fill_empty_rows.depth", _DEPTH, (0, 1)),
        agreement(
            count,
            values.shape[0],
            "op.sparse_fill_empty_rows.count",
            "there must be one value for each row of indices",
            (0, 0),
            (1, 0),
        ),
        Need(at_most(ZERO, rows), "op.sparse_fill_empty_rows.rows", "the number of rows is negative", ((2, None),)),
    ]
    if default.rank:
        needs.append(
            agreement(
                default.shape[0],
                ONE,
                "op.sparse_fill_empty_rows.default",
                "the default value must have one element",
                (3, 0),
            )
        )
    filled = Hole(maximum(count, rows), count + rows, ("filled", (0, 2)))
    shapes: tuple[tuple[Dim | Hole, ...], ...] = (filled, width), (filled,), (rows,)
    kinds = named.dtype, values.dtype, DType.BOOL
    return Judgement(TupleType(tuple(map(TensorType, shapes, kinds))), tuple(needs))


_DEPTH = "a row of indices does not have one index for each axis"


# --------------------------------------------------------------------------------------------------- sparse_reshape
def _sparse_reshape(sparse_indices: Tensor, prev_shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    """The indices of the same elements in another shape, and that shape."""
    old, new = list(prev_shape.elements), _resolved(list(prev_shape.elements), list(new_shape.elements))
    found: list[int] = []
    for row in _rows(sparse_indices, len(old)):
        found += _index(offset(row, old), new)
    shape = (sparse_indices.shape[0], len(new))
    return (
        tensor_of(shape, sparse_indices.dtype, kept(sparse_indices.dtype, found)),
        tensor_of((len(new),), new_shape.dtype, kept(new_shape.dtype, new)),
    )


def _resolved(old: list[int], new: list[int]) -> list[int]:
    """The new shape with -1 replaced by what remains."""
    rest = numel([extent for extent in new if extent != -1])
    return [numel(old) // rest if extent == -1 else extent for extent in new]


def _index(place: int, shape: Sequence[int]) -> list[int]:
    """The index of the element at an offset."""
    found: list[int] = []
    for extent in reversed(shape):
        place, index = divmod(place, extent)
        found.append(index)
    return found[::-1]


@operator("sparse_reshape", meaning=_sparse_reshape, family="sparse", reads=(1, 2), faults=Faults.OTHERWISE)
def sparse_reshape(
    sparse_indices: TensorType[Dim], prev_shape: TensorType[Dim], new_shape: TensorType[Dim]
) -> Judgement:
    """The indices of the same elements in another shape, and that shape.

    int[k, r], int[r], int[q] -> (int[k, q], int[q])

        out.0[e] = the index in shape out.1 of the element that is sparse_indices[e] in prev_shape, in row-major order
        out.1[i] = new_shape[i], or where that is -1 the product of prev_shape divided by that of the other sizes

    The indices have r columns, one for each element of `prev_shape` [op.sparse_reshape.depth].  Both shapes have the
    same number of elements, and no negative sizes; one size of the new shape may be -1, where the product of the
    others is at least 1 and divides that of `prev_shape` [op.sparse_reshape.elements].  An index out of bounds, or a
    negative one, is a fault [op.index.bounds].
    """
    named = integers(tensor(sparse_indices, 0, rank=2), 0)
    old, new = vector_elements(prev_shape, 1), vector_elements(new_shape, 2)
    says = "the shapes do not have the same number of elements"
    needs = (
        agreement(named.shape[1], constant(len(old)), "op.sparse_reshape.depth", _DEPTH, (0, 1)),
        Need(_as_many(old, new), "op.sparse_reshape.elements", says, ((1, None), (2, None))),
    )
    indices = TensorType((named.shape[0], constant(len(new))), named.dtype)
    return Judgement(TupleType((indices, TensorType(indices.shape[1:], new_shape.dtype))), needs)


def _as_many(old: Shape, new: Shape) -> Constraint:
    """The condition that a new shape, in which one size may be -1, fits an old one."""
    whole = product(old)
    missing, rest = _inferred(new)
    exact = all_of(equal(missing, ZERO), equal(rest, whole))
    filled = all_of(equal(missing, ONE), at_least(rest, ONE), divides(maximum(rest, ONE), whole))
    sizes = [at_least(extent, ZERO) for extent in old] + [at_least(extent, -ONE) for extent in new]
    return all_of(*sizes, any_of(exact, filled))


@lru_cache(maxsize=64)  # at an unknown number of axes, each new shape is asked about with each old one
def _inferred(new: Shape) -> tuple[Dim, Dim]:
    """How many sizes of a new shape are -1, and the product of the others."""
    open_ = [equal(extent, -ONE) for extent in new]
    missing = sum((ite(one, ONE, ZERO) for one in open_), ZERO)
    return missing, product(ite(one, ONE, extent) for one, extent in zip(open_, new, strict=True))
