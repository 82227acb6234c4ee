"""Masks: operators that keep, replace or reverse elements according to their position."""

from __future__ import annotations

from typing import Any

from gradual.dims.term.constraint import at_most, equal
from gradual.dims.term.dim import Dim, constant, minimum
from gradual.limits import LIMITS
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.element_ranges import of_first
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, everywhere
from gradual.ops.declaration.shapes import ONE, agreement, axis_of, judged, not_negative, of_dtype, same_dtype, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.ops.indexing.index_modes import integers
from gradual.tensors.index import before, numel, offsets, picked, strides
from gradual.tensors.scalar import converted, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType


# ------------------------------------------------------------------------------------------------ reverse_sequence
def _reverse_sequence(data: Tensor, seq_lengths: Tensor, *, seq_axis: int, batch_axis: int) -> Tensor:
    """Below the sequence's length, the element at each index along the sequence is that at `length - 1 - index`."""
    along, batch = seq_axis % data.rank, batch_axis % data.rank
    steps, extent = strides(data.shape), data.shape[along]
    found = picked(data.elements, range(data.size))
    others = [1 if axis in (along, batch) else extent for axis, extent in enumerate(data.shape)]
    bases = offsets(others, steps) if data.size else []
    for row, length in enumerate(seq_lengths.elements):
        reach = min(max(length, 1), extent)
        for base in bases:
            start = base + row * steps[batch]
            for place in range(reach):
                found[start + place * steps[along]] = data.elements[start + (reach - 1 - place) * steps[along]]
    return tensor_of(data.shape, data.dtype, found)


@operator("reverse_sequence", meaning=_reverse_sequence, ranges=of_first, family="masking", onnx="ReverseSequence")
def reverse_sequence(
    data: TensorType[Dim], seq_lengths: TensorType[Dim], *, seq_axis: int = 1, batch_axis: int = 0
) -> Judgement:
    """The first elements along an axis reversed, as many as `seq_lengths` gives for each batch index.

    t[..a, b, ..c, n, ..d], int[b] -> t[..a, b, ..c, n, ..d]

        out[.., i, .., j, ..] = data[.., i, .., m - 1 - j, ..] if j < m else data[.., i, .., j, ..]
        m = min(max(seq_lengths[i], 1), n),  i along batch_axis, j along seq_axis

    There are as many lengths as the batch axis has elements [op.reverse_sequence.lengths].
    """
    given, lengths = tensor(data, 0), integers(tensor(seq_lengths, 1, rank=1), 1)
    along, batch = axis_of(seq_axis, given.rank), axis_of(batch_axis, given.rank)
    if along == batch:
        raise IllFormed("op.axis", f"axis {along} cannot be both the sequence axis and the batch axis", 0)
    says = "the number of lengths is not the size of the batch"
    need = agreement(given.shape[batch], lengths.shape[0], "op.reverse_sequence.lengths", says, (0, batch), (1, 0))
    return judged(given.shape, given.dtype, (need,))


# --------------------------------------------------------------------------------------------------- sequence_mask
def _sequence_mask(data: Tensor, valid_length: Tensor, *, mask_value: float, axis: int) -> Tensor:
    mask = kept(data.dtype, converted(DType.FLOAT64, data.dtype, (mask_value,)))
    inner = numel(data.shape[2:])
    found = data.elements[:0]
    for row in before(data.shape, 2):
        first, second = divmod(row, data.shape[1])
        place, batch = (first, second) if axis == 0 else (second, first)
        start = row * inner
        masked = place >= valid_length.elements[batch]
        found += mask * inner if masked else data.elements[start : start + inner]
    return tensor_of(data.shape, data.dtype, found)


@operator("sequence_mask", meaning=_sequence_mask, family="masking", padding=Padding(everywhere))
def sequence_mask(
    data: TensorType[Dim], valid_length: TensorType[Dim], *, mask_value: float = 0.0, axis: int = 0
) -> Judgement:
    """The elements of each sequence up to its length, and `mask_value` in place of those that follow.

    t[n, b, ..a], u[b] -> t[n, b, ..a], or with axis=1: t[b, n, ..a], u[b] -> t[b, n, ..a]

        out[i, j, ..] = mask_value if i >= valid_length[j] else data[i, j, ..]  with axis=0
        out[j, i, ..] = mask_value if i >= valid_length[j] else data[j, i, ..]  with axis=1

    There are as many lengths as sequences, b [op.sequence_mask.lengths].  The value is converted to the element type
    as `cast` does.
    """
    given, lengths = tensor(data, 0, least=2), tensor(valid_length, 1, rank=1)
    of_dtype(lengths, 1, lambda dtype: dtype is not DType.BOOL, "integers or floats")
    if axis not in (0, 1):
        raise IllFormed("op.axis", f"axis has to be 0 or 1, not {axis}", 0)
    batch, says = 1 - axis, "the number of lengths is not the size of the batch"
    need = agreement(given.shape[batch], lengths.shape[0], "op.sequence_mask.lengths", says, (0, batch), (1, 0))
    return judged(given.shape, given.dtype, (need,))


# --------------------------------------------------------------------------------------------------------- one_hot
def _one_hot(
    indices: Tensor, on_value: Tensor, off_value: Tensor, *, depth: int, axis: int, dtype: DType | None
) -> Tensor:
    target = dtype or on_value.dtype
    (on,) = converted(on_value.dtype, target, on_value.elements)
    off = kept(target, converted(off_value.dtype, target, off_value.elements))
    place = axis % (indices.rank + 1)
    shape = (*indices.shape[:place], depth, *indices.shape[place:])
    found = off * numel(shape)
    inner = numel(indices.shape[place:])
    for at, index in enumerate(indices.elements):
        if 0 <= index < depth:
            found[(at // inner * depth + index) * inner + at % inner] = on
    return tensor_of(shape, target, found)


def _one_hot_contents(
    indices: TensorType[Dim],
    on_value: TensorType[Dim],
    off_value: TensorType[Dim],
    *,
    depth: Dim,
    axis: int,
    dtype: DType | None,
) -> Contents:
    """The contents for a single index: one vector."""
    target, length = dtype or on_value.dtype, depth.value
    index, on, off = (given.contents[0] if given.contents else None for given in (indices, on_value, off_value))
    if indices.rank or not isinstance(index, Dim) or on is None or off is None or length is None:
        return None
    yes, no = known.cast(on, target), known.cast(off, target)
    if yes is None or no is None or not 0 <= length <= LIMITS.contents:
        return None
    return tracked((known.chosen(equal(index, place), yes, no) for place in range(length)), target)


@operator(
    "one_hot",
    meaning=_one_hot,
    family="masking",
    contents=_one_hot_contents,
    alike=(1, 2),
    padding=Padding(everywhere),
    onnx="OneHot",
)
def one_hot(
    indices: TensorType[Dim],
    on_value: TensorType[Dim],
    off_value: TensorType[Dim],
    *,
    depth: Dim = ONE,
    axis: int = -1,
    dtype: DType | None = None,
) -> Judgement:
    """For each index a vector of `depth` elements along a new axis: on_value at the index, off_value elsewhere.

    int[..a, ..b], t[], t[] -> t[..a, depth, ..b]

        out[..a, k, ..b] = on_value if indices[..a, ..b] == k else off_value

    `axis` is the new axis of the result, by default the last.  The depth is not negative [op.one_hot.depth]; an index
    outside 0 to depth - 1, also a negative one, gives off_value everywhere.  The values are cast to `dtype`; without
    it, both have one element type, which is that of the result.
    """
    named = integers(indices, 0)
    on, off = tensor(on_value, 1, rank=0), tensor(off_value, 2, rank=0)
    if dtype is None and on.dtype is not off.dtype:
        raise IllFormed("op.dtype", f"element types differ: {on.dtype} and {off.dtype}", 2)
    place = axis_of(axis, named.rank + 1)
    shape = (*named.shape[:place], depth, *named.shape[place:])
    return judged(shape, dtype or on.dtype, not_negative((depth,), "op.one_hot.depth", "the depth is negative"))


dyn_one_hot = dynamic_twin(one_hot, ("depth",))


# ----------------------------------------------------------------------------------------------------------- trilu
def _trilu(data: Tensor, k: Tensor, *, upper: bool) -> Tensor:
    """Keep the elements of each row from the diagonal on, or up to it."""
    rows, columns = data.shape[-2:]
    (diagonal,) = k.elements
    found, nothing = data.elements[:0], kept(data.dtype, (0,))
    for row in before(data.shape, -1):
        start, first = row * columns, row % rows + diagonal
        cut = min(max(first if upper else first + 1, 0), columns)
        if upper:
            found += nothing * cut + data.elements[start + cut : start + columns]
        else:
            found += data.elements[start : start + cut] + nothing * (columns - cut)
    return tensor_of(data.shape, data.dtype, found)


@operator("trilu", meaning=_trilu, family="masking", onnx="Trilu")
def trilu(data: TensorType[Dim], k: TensorType[Dim], *, upper: bool = True) -> Judgement:
    """The elements of each matrix on and above (`upper`) or on and below its diagonal number k, and 0 elsewhere.

    t[..a, n, m], int[] -> t[..a, n, m]

        out[..a, i, j] = data[..a, i, j] if j - i >= k else 0  with upper, else  data[..a, i, j] if j - i <= k else 0

    Diagonals are counted from the main one, 0, to the right, and with negative numbers downwards.
    """
    given = tensor(data, 0, least=2)
    integers(tensor(k, 1, rank=0), 1)
    return judged(given.shape, given.dtype)


# ------------------------------------------------------------------------------------------------- matrix_set_diag
def _longest(rows: Any, columns: Any, k1: int, k2: int, least: Any) -> Any:
    """The length of the longest diagonal of a band, as a dim or an int."""
    return least(rows + min(k2, 0), columns - max(k1, 0))


def _matrix_set_diag(
    input: Tensor, diagonal: Tensor, *, k1: int, k2: int, super_diag_right_align: bool, sub_diag_right_align: bool
) -> Tensor:
    """Write the diagonals from number k2 down to k1 into each matrix."""
    rows, columns = input.shape[-2:]
    longest = _longest(rows, columns, k1, k2, min)
    found, source = input.elements[:], diagonal.elements
    for matrix in before(input.shape, -2):
        for band, number in enumerate(range(k2, k1 - 1, -1)):
            length = _longest(rows, columns, number, number, min)
            right = super_diag_right_align if number > 0 else sub_diag_right_align
            start = (matrix * (k2 - k1 + 1) + band) * longest + (longest - length if right else 0)
            corner = (matrix * rows + max(-number, 0)) * columns + max(number, 0)
            for place in range(length):
                found[corner + place * (columns + 1)] = source[start + place]
    return tensor_of(input.shape, input.dtype, found)


@operator("matrix_set_diag", meaning=_matrix_set_diag, family="masking", alike=(0, 1))
def matrix_set_diag(
    input: TensorType[Dim],
    diagonal: TensorType[Dim],
    *,
    k1: int = 0,
    k2: int = 0,
    super_diag_right_align: bool = True,
    sub_diag_right_align: bool = False,
) -> Judgement:
    """The matrices with a band of diagonals, from number k1 to number k2, replaced.

    t[..a, n, m], t[..a, d] -> t[..a, n, m], or with several: t[..a, n, m], t[..a, k2 - k1 + 1, d] -> t[..a, n, m]

        out[..a, i, j] = diagonal[..a, k2 - k, min(i, j) + s] if k1 <= k <= k2 else input[..a, i, j],  k = j - i
        d = min(n + min(k2, 0), m - max(k1, 0)), the length of the longest diagonal
        s = d - (the length of diagonal k) if it is aligned at the right of its row, else 0

    With k1 equal to k2 the index k2 - k is left out.  Diagonals above the main one are aligned by
    `super_diag_right_align`, it and those below by `sub_diag_right_align`.  The band lies within the matrix: -k1 <= n
    and k2 <= m [op.matrix_set_diag.band].  The second argument has k2 - k1 + 1 rows of length d, and the other axes of
    the first [op.matrix_set_diag.agree].
    """
    given, new = tensor(input, 0, least=2), tensor(diagonal, 1)
    dtype = same_dtype(given, new)
    if k1 > k2:
        raise IllFormed("op.attribute", f"k1 is {k1}, which is not at most k2, {k2}")
    wanted = given.rank - 1 if k1 == k2 else given.rank
    if new.rank != wanted:
        raise IllFormed("op.rank", f"argument 2 has to have rank {wanted}, not {new.rank}", 1)
    rows, columns = given.shape[-2:]
    band, last = "a diagonal lies outside of the matrix", given.rank - 1
    says = "the diagonals do not have the shape that k1 and k2 ask for"
    needs = [
        Need(at_most(constant(-k1), rows), "op.matrix_set_diag.band", band, ((0, last - 1),)),
        Need(at_most(constant(k2), columns), "op.matrix_set_diag.band", band, ((0, last),)),
    ]
    for i in range(given.rank - 2):
        needs.append(agreement(given.shape[i], new.shape[i], "op.matrix_set_diag.agree", says, (0, i), (1, i)))
    if k1 != k2:
        count = constant(k2 - k1 + 1)
        needs.append(agreement(new.shape[-2], count, "op.matrix_set_diag.agree", says, (1, last - 1)))
    longest = _longest(rows, columns, k1, k2, minimum)
    needs.append(agreement(new.shape[-1], longest, "op.matrix_set_diag.agree", says, (1, new.rank - 1)))
    return judged(given.shape, dtype, needs)
