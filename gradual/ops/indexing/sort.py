"""Sorting, and searching in sorted sequences.

Sorting is stable, both ascending and descending; 0 and -0 are equal, and a NaN is greater than every number and equal
to a NaN.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from gradual.dims.term.constraint import at_least, at_most
from gradual.dims.term.dim import Dim, constant, ite, maximum, minimum
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.element_ranges import Operands, Range, Ranges, among_first, of_first, places
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, along, always
from gradual.ops.declaration.shapes import ONE, agreement, axis_of, judged, same_dtype, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.ops.reduction.scans import lines
from gradual.tensors.fault import invalid_value
from gradual.tensors.index import numel
from gradual.tensors.scalar import integer_range, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

_NETWORK = 4
"""The greatest number of unknown elements that are sorted symbolically, which compares every pair."""


def _key(value: Any) -> tuple[bool, Any]:
    """The sort key of an element.   [scalar.order]"""
    return (True, 0) if value != value else (False, value)


def _order(line: Sequence[Any], ascending: bool) -> list[int]:
    """The indices that sort a line."""
    keys = list(map(_key, line))
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=not ascending)


def _of_places(dtype: DType | None) -> DType:
    """The element type of indices; raises IllFormed for booleans."""
    if dtype is DType.BOOL:
        raise IllFormed("op.attribute", "attribute dtype has to be a type of numbers, not bool")
    return dtype or DType.INT32


def _places(shape: tuple[int, ...], dtype: DType, found: Sequence[int], most: int) -> Tensor:
    """A tensor of indices, none of them above `most`; raises TensorFault if the type cannot represent `most`."""
    if found and dtype.is_integer and most > integer_range(dtype)[1]:
        raise invalid_value(f"the index {most} does not fit {dtype}")
    return tensor_of(shape, dtype, kept(dtype, map(float, found) if dtype.is_float else found))


# ------------------------------------------------------------------------------------------------- sort and argsort
def _sort(data: Tensor, *, axis: int, is_ascend: bool, dtype: object) -> Tensor:
    found = data.elements[:]
    for where in lines(data.shape, axis % data.rank):
        line = found[where]
        found[where] = kept(data.dtype, [line[place] for place in _order(line, is_ascend)])
    return tensor_of(data.shape, data.dtype, found)


def _sort_contents(data: TensorType[Dim], *, axis: int, is_ascend: bool, dtype: object) -> Contents:
    """The elements in order if all are constants, or if they are few enough to sort by minima and maxima."""
    parts = _numbers(data)
    if parts is None:
        return None
    if all(part.value is not None for part in parts):
        return tuple(sorted(parts, key=lambda part: part.value or 0, reverse=not is_ascend))
    if len(parts) > _NETWORK:
        return None
    for last in range(len(parts) - 1, 0, -1):
        for at in range(last):
            left, right = parts[at], parts[at + 1]
            parts[at], parts[at + 1] = minimum(left, right), maximum(left, right)
    return tuple(parts if is_ascend else parts[::-1])


def _numbers(data: TensorType[Dim]) -> list[Dim] | None:
    """The known elements of a vector of integers."""
    parts = [part for part in data.contents or () if isinstance(part, Dim)]
    return parts if data.contents is not None and len(parts) == len(data.contents) else None


@operator(
    "sort", meaning=_sort, ranges=of_first, family="sorting", contents=_sort_contents, padding=Padding(along("axis"))
)
def sort(data: TensorType[Dim], *, axis: int = -1, is_ascend: bool = True, dtype: object = None) -> Judgement:
    """The elements along an axis in ascending order, or else in descending order.   t[..a] -> t[..a]

    Equal elements keep their order; a NaN is greatest.  `dtype` is ignored: the elements keep their type.
    """
    given = tensor(data, 0)
    axis_of(axis, given.rank)
    return judged(given.shape, given.dtype)


def _argsort(data: Tensor, *, axis: int, is_ascend: bool, dtype: DType | None) -> Tensor:
    found = [0] * data.size
    place = axis % data.rank
    for where in lines(data.shape, place):
        found[where] = _order(data.elements[where], is_ascend)
    return _places(data.shape, dtype or DType.INT32, found, data.shape[place] - 1)


def _argsort_contents(data: TensorType[Dim], *, axis: int, is_ascend: bool, dtype: DType | None) -> Contents:
    """The indices that sort constants."""
    parts = _numbers(data)
    if parts is None or any(part.value is None for part in parts):
        return None
    return tracked(map(constant, _order([part.value for part in parts], is_ascend)), _of_places(dtype))


def _argsort_ranges(given: Operands) -> Ranges:
    """The range of the indices of the axis; each line has all of them."""
    return places(tensor(given.types[0], 0).shape[given.attributes["axis"]], attained=True)


@operator(
    "argsort",
    meaning=_argsort,
    ranges=_argsort_ranges,
    family="sorting",
    contents=_argsort_contents,
    faults=Faults.OTHERWISE,
    padding=Padding(along("axis"), safe=always),
)
def argsort(
    data: TensorType[Dim], *, axis: int = -1, is_ascend: bool = True, dtype: DType | None = DType.INT32
) -> Judgement:
    """The indices that sort the elements along an axis.   t[..a] -> int32[..a], or `dtype`"""
    given = tensor(data, 0)
    axis_of(axis, given.rank)
    return judged(given.shape, _of_places(dtype))


# ------------------------------------------------------------------------------------------------------------- topk
_RETURNS = ("both", "values", "indices")


def _topk(data: Tensor, *, k: int, axis: int, ret_type: str, is_ascend: bool, dtype: DType | None) -> Any:
    place = axis % data.rank
    width = data.shape[place]
    count = k if k > 0 else width
    shape = (*data.shape[:place], count, *data.shape[place + 1 :])
    best: list[Any] = [0] * numel(shape)
    where = best[:]
    for source, target in zip(lines(data.shape, place), lines(shape, place), strict=True):
        line = data.elements[source]
        where[target] = _order(line, is_ascend)[:count]
        best[target] = [line[one] for one in where[target]]
    values = tensor_of(shape, data.dtype, kept(data.dtype, best))
    if ret_type == "values":
        return values
    indices = _places(shape, dtype or DType.INT32, where, width - 1)
    return indices if ret_type == "indices" else (values, indices)


def _topk_ranges(given: Operands) -> Ranges:
    """The ranges of some of the elements, and of some indices of the axis."""
    both = among_first(given), places(tensor(given.types[0], 0).shape[given.attributes["axis"]])
    return {"both": both, "values": both[0], "indices": both[1]}[given.attributes["ret_type"]]


@operator(
    "topk",
    meaning=_topk,
    ranges=_topk_ranges,
    family="sorting",
    faults=Faults.OTHERWISE,
    padding=Padding(along("axis"), safe=always),
    onnx="TopK",
)
def topk(
    data: TensorType[Dim],
    *,
    k: Dim,
    axis: int = -1,
    ret_type: str = "both",
    is_ascend: bool = False,
    dtype: DType | None = DType.INT32,
) -> Judgement:
    """The k greatest elements along an axis, or with `is_ascend` the least, in the order of `sort`, and their indices.

    t[..a, n, ..b] -> (t[..a, k, ..b], int32[..a, k, ..b])

    `ret_type` is "both", or "values" or "indices" for one of them; indices are of `dtype`.
    The axis has at least k elements [op.topk.fits]; a k below 1 means all n.
    """
    given = tensor(data, 0)
    place = axis_of(axis, given.rank)
    if ret_type not in _RETURNS:
        raise IllFormed("op.attribute", f'ret_type has to be "both", "values" or "indices", not "{ret_type}"')
    extent = given.shape[place]
    need = Need(at_most(k, extent), "op.topk.fits", "the axis has fewer than k elements", ((0, place),))
    shape = (*given.shape[:place], ite(at_least(k, ONE), k, extent), *given.shape[place + 1 :])
    values, indices = TensorType(shape, given.dtype), TensorType(shape, _of_places(dtype))
    if ret_type == "both":
        return Judgement(TupleType((values, indices)), (need,))
    return Judgement(values if ret_type == "values" else indices, (need,))


dyn_topk = dynamic_twin(topk, ("k",))


# ----------------------------------------------------------------------------------------------------- searchsorted
def _searchsorted(sorted_sequence: Tensor, values: Tensor, *, right: bool, dtype: DType | None) -> Tensor:
    search = bisect_right if right else bisect_left
    width = sorted_sequence.shape[-1]
    each = values.shape[-1] if sorted_sequence.rank > 1 else values.size
    wanted = list(map(_key, values.elements))
    found: list[int] = []
    for row in range(numel(sorted_sequence.shape[:-1]) if wanted else 0):
        line = list(map(_key, sorted_sequence.elements[row * width : (row + 1) * width]))
        found += [search(line, key) for key in wanted[row * each : (row + 1) * each]]
    return _places(values.shape, dtype or DType.INT32, found, width)


def _searchsorted_ranges(given: Operands) -> Ranges:
    """The range of the indices found: from 0 to the length of the sequence."""
    return Range(constant(0), tensor(given.types[0], 0).shape[-1], False)


@operator(
    "searchsorted",
    meaning=_searchsorted,
    ranges=_searchsorted_ranges,
    family="sorting",
    alike=(0, 1),
    faults=Faults.OTHERWISE,
)
def searchsorted(
    sorted_sequence: TensorType[Dim],
    values: TensorType[Dim],
    *,
    right: bool = False,
    dtype: DType | None = DType.INT32,
) -> Judgement:
    """For each value the first index at which it can be inserted with the sequence still in ascending order.

    t[n], t[..b] -> int32[..b], or `dtype`; t[..a, n], t[..a, m] -> int32[..a, m]

    With `right` it is the last such index.  A sequence of one axis serves all values; else there is a sequence for each
    row of values, and the axes before the last agree [op.searchsorted.agree].  The index is found by binary search,
    also in a sequence that is not sorted.
    """
    given, wanted = tensor(sorted_sequence, 0, least=1), tensor(values, 1)
    same_dtype(given, wanted)
    if given.rank > 1 and wanted.rank != given.rank:
        raise IllFormed("op.rank", f"sequences of rank {given.rank} do not fit values of rank {wanted.rank}", 1)
    says = "sequences and values differ in an axis before the last"
    needs = [
        agreement(given.shape[i], wanted.shape[i], "op.searchsorted.agree", says, (0, i), (1, i))
        for i in range(given.rank - 1)
    ]
    return judged(wanted.shape, _of_places(dtype), needs)
