"""Selecting by value: the positions where a condition holds, masks, and distinct elements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product
from typing import Any

from gradual.dims.term.dim import Dim, constant, minimum
from gradual.ops.declaration.element_ranges import Operands, Ranges, among_first, places
from gradual.ops.declaration.operator import Judgement, operator
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, of_dtype, size, tensor
from gradual.tensors.index import numel
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType, TupleType


def _found(label: str, operand: int, high: Dim, low: Dim = ZERO) -> Hole:
    """A size that depends on data, within bounds; sizes with the same label and operand are the same unknown."""
    return Hole(low, high, (label, (operand,)))


def _argwhere(condition: Tensor) -> Tensor:
    """The index of each element that is not zero, in row-major order."""
    every = product(*map(range, condition.shape if condition.size else (0,)))
    places = [place for place, element in zip(every, condition.elements, strict=True) if element]
    elements = kept(DType.INT32, chain.from_iterable(places))
    return tensor_of((len(places), condition.rank), DType.INT32, elements)


@operator("argwhere", meaning=_argwhere, family="selecting", data_dependent=True, onnx="NonZero")
def argwhere(condition: TensorType[Dim]) -> Judgement:
    """The index of each element that is not zero.   t[..a] -> int32[k, rank], 0 <= k <= product(a)

        out[i] = the index of the i-th element of condition that is not 0, in row-major order

    A NaN is not 0.
    """
    given = tensor(condition, 0)
    return judged((_found("nonzero", 0, size(given.shape)), constant(given.rank)), DType.INT32)


def _nonzero(condition: Tensor) -> Tensor:
    places = [place for place, element in enumerate(condition.elements) if element]
    return tensor_of((len(places),), DType.INT32, kept(DType.INT32, places))


def _nonzero_ranges(given: Operands) -> Ranges:
    return places(tensor(given.types[0], 0).shape[0])


@operator("nonzero", meaning=_nonzero, ranges=_nonzero_ranges, family="selecting", data_dependent=True, onnx="NonZero")
def nonzero(condition: TensorType[Dim]) -> Judgement:
    """The index of each element of a vector that is not zero.   t[n] -> int32[k], 0 <= k <= n

        out[i] = the index of the i-th element of condition that is not 0

    A NaN is not 0.
    """
    given = tensor(condition, 0, rank=1)
    return judged((_found("nonzero", 0, given.shape[0]),), DType.INT32)


def _boolean_mask(data: Tensor, mask: Tensor) -> Tensor:
    inner = numel(data.shape[1:])
    elements, count = data.elements[:0], 0
    for place, element in enumerate(mask.elements):
        if element:
            elements += data.elements[place * inner : (place + 1) * inner]
            count += 1
    return tensor_of((count, *data.shape[1:]), data.dtype, elements)


@operator(
    "boolean_mask", meaning=_boolean_mask, ranges=among_first, family="selecting", data_dependent=True, onnx="Compress"
)
def boolean_mask(data: TensorType[Dim], mask: TensorType[Dim]) -> Judgement:
    """The slices where a mask is true.   t[n, ..a], bool[n] -> t[k, ..a], 0 <= k <= n

        out[i] = data[j],  j the index of the i-th element of the mask that is true

    The mask has as many elements as the first axis of the data [op.boolean_mask.agree].
    """
    given, chosen = tensor(data, 0, least=1), tensor(mask, 1, rank=1)
    of_dtype(chosen, 1, lambda dtype: dtype is DType.BOOL, "a tensor of booleans")
    says = "data and mask differ in length"
    need = agreement(given.shape[0], chosen.shape[0], "op.boolean_mask.agree", says, (0, 0), (1, 0))
    return judged((_found("nonzero", 1, chosen.shape[0]), *given.shape[1:]), given.dtype, (need,))


def _unique(data: Tensor, *, sorted: bool, return_counts: bool) -> tuple[Tensor, ...]:
    """The distinct elements and the indices of their first occurrences.  A NaN equals no element; 0 equals -0."""
    values = list(data.elements)
    first: dict[Any, int] = {}
    for place, value in enumerate(values):
        first.setdefault(value, place)
    order = list(first)
    if sorted:
        order.sort(key=lambda value: (value != value, value))
    rank = {id(value) if value != value else value: place for place, value in enumerate(order)}
    inverse = [rank[id(value) if value != value else value] for value in values]
    counts = [0] * len(order)
    for place in inverse:
        counts[place] += 1
    columns = [[first[value] for value in order], inverse, [len(order)], *([counts] if return_counts else [])]
    whole = tensor_of((len(order),), data.dtype, kept(data.dtype, order))
    return whole, *(tensor_of((len(part),), DType.INT32, kept(DType.INT32, part)) for part in columns)


@operator("unique", meaning=_unique, family="selecting", data_dependent=True, onnx="Unique")
def unique(data: TensorType[Dim], *, sorted: bool = True, return_counts: bool = False) -> Judgement:
    """The distinct elements, their first indices, each element's index among them, their number, and their counts.

    t[n] -> (t[u], int32[u], int32[n], int32[1], int32[u] with `return_counts`), min(n, 1) <= u <= n

        out.0[i] = the i-th distinct element,  out.1[i] = the first j with data[j] == out.0[i]
        out.2[j] = the i with out.0[i] == data[j],  out.3[0] = u,  out.4[i] = the number of j with data[j] == out.0[i]

    The distinct elements are in ascending order (`sorted`), or else in the order of first occurrences.  0 equals -0,
    and the first of them is in the result; each NaN is an element of its own, after all numbers if they are sorted.
    """
    given = tensor(data, 0, rank=1)
    (extent,) = given.shape
    found = _found("unique", 0, extent, minimum(extent, ONE))
    shapes: Sequence[Dim | Hole] = (found, extent, ONE, *((found,) if return_counts else ()))
    places = tuple(TensorType((shape,), DType.INT32) for shape in shapes)
    return Judgement(TupleType((TensorType((found,), given.dtype), *places)))
