"""Joining and splitting: concatenate, stack, split."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

from gradual.dims.term.constraint import at_most, divides
from gradual.dims.term.dim import Dim, constant, sum_of
from gradual.limits import LIMITS
from gradual.ops.declaration.element_ranges import Operands, Ranges, among_first, hull
from gradual.ops.declaration.facts import by_type
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, along, everywhere
from gradual.ops.declaration.shapes import agreement, axis_of, fields, judged, shared_dtype, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType, TupleType

_AGREE = "the tensors differ in an axis other than the one they are joined along"


def _agreeing(parts: Sequence[TensorType[Dim]], axes: Sequence[int], rule: str) -> list[Need]:
    """Needs that every tensor has the first one's extents along these axes."""
    first = parts[0]
    return [
        agreement(first.shape[axis], part.shape[axis], rule, _AGREE, (0, 0, axis), (0, place, axis))
        for place, part in enumerate(parts)
        for axis in axes
        if place
    ]


def _common(parts: Sequence[TensorType[Dim]], axis: int) -> Dim:
    """The extent on which all agree: a number if any of them is one."""
    return next((part.shape[axis] for part in parts if part.shape[axis].value is not None), parts[0].shape[axis])


def _same_rank(parts: Sequence[TensorType[Dim]]) -> int:
    rank = parts[0].rank
    for part in parts:
        if part.rank != rank:
            raise IllFormed("op.rank", f"the tensors have different ranks, {rank} and {part.rank}", 0)
    return rank


def _concatenate(data: tuple[Tensor, ...], *, axis: int) -> Tensor:
    """The blocks of all tensors, in turn for each index before the axis."""
    first = data[0]
    place = axis % first.rank
    found = first.elements[:0]
    widths = [numel(part.shape[place:]) for part in data]
    for outer in range(numel(first.shape[:place]) if any(widths) else 0):
        for part, width in zip(data, widths, strict=True):
            found += part.elements[outer * width : (outer + 1) * width]
    extent = sum(part.shape[place] for part in data)
    return tensor_of((*first.shape[:place], extent, *first.shape[place + 1 :]), first.dtype, found)


def _concatenate_contents(data: TupleType[Dim], *, axis: int) -> Contents:
    parts = fields(data, 0)
    held = [part.contents for part in parts if part.contents is not None]
    return tracked(chain.from_iterable(held), parts[0].dtype) if len(held) == len(parts) else None


def _joined(given: Operands) -> Ranges:
    """The hull of the ranges; its bounds are attained if every size along the axis is a number other than 0."""
    parts, axis = fields(given.types[0], 0), given.attributes["axis"]
    return (
        hull(given.ranges[0], all(part.shape[axis].value for part in parts))
        if isinstance(given.ranges[0], tuple)
        else None
    )


@operator(
    "concatenate",
    meaning=_concatenate,
    ranges=_joined,
    family="joining",
    contents=_concatenate_contents,
    alike=(0,),
    padding=Padding(along("axis")),
    identity=by_type,
    onnx="Concat",
)
def concatenate(data: TupleType[Dim], *, axis: int = 0) -> Judgement:
    """The tensors of a tuple one after another along an axis.   (t[..a, n, ..b], t[..a, m, ..b]) -> t[..a, n + m, ..b]

        out[..a, s_k + i, ..b] = data.k[..a, i, ..b],  s_k the sum of the sizes along the axis of data.0 to data.(k - 1)

    All tensors have one rank (`op.rank`) of at least 1: a scalar has no axis (`op.axis`).  Along each other axis they
    have the same size [op.concatenate.agree].
    """
    parts = fields(data, 0)
    dtype, rank = shared_dtype(parts, 0), _same_rank(parts)
    place = axis_of(axis, rank)
    others = [other for other in range(rank) if other != place]
    shape = [_common(parts, other) for other in range(rank)]
    shape[place] = sum_of(part.shape[place] for part in parts)
    return judged(shape, dtype, _agreeing(parts, others, "op.concatenate.agree"))


def _stack(data: tuple[Tensor, ...], *, axis: int) -> Tensor:
    first = data[0]
    place = axis % (first.rank + 1)
    shape = (*first.shape[:place], 1, *first.shape[place:])
    return _concatenate(tuple(tensor_of(shape, part.dtype, part.elements) for part in data), axis=place)


def _stack_contents(data: TupleType[Dim], *, axis: int) -> Contents:
    return _concatenate_contents(data, axis=axis) if all(part.rank == 0 for part in fields(data, 0)) else None


def _stacked(given: Operands) -> Ranges:
    """The hull of the ranges; its bounds are attained, since if one tensor is empty, all are empty."""
    return hull(given.ranges[0], True) if isinstance(given.ranges[0], tuple) else None


@operator(
    "stack",
    meaning=_stack,
    ranges=_stacked,
    family="joining",
    contents=_stack_contents,
    alike=(0,),
    padding=Padding(everywhere),
    onnx="ConcatFromSequence",
)
def stack(data: TupleType[Dim], *, axis: int = 0) -> Judgement:
    """The k tensors of a tuple side by side along a new axis.   (t[..a, ..b], ..) -> t[..a, k, ..b]

        out[..a, i, ..b] = data.i[..a, ..b]

    `axis` is the new axis of the result.  All tensors have the same shape [op.stack.agree].
    """
    parts = fields(data, 0)
    dtype, rank = shared_dtype(parts, 0), _same_rank(parts)
    place = axis_of(axis, rank + 1)
    shape = [_common(parts, other) for other in range(rank)]
    shape.insert(place, constant(len(parts)))
    return judged(shape, dtype, _agreeing(parts, range(rank), "op.stack.agree"))


def _bounds(extent: Any, parts: Any) -> list[Any]:
    """The bounds of the parts of an axis, as dims or as ints."""
    if isinstance(parts, tuple):
        return [extent - extent, *parts, extent]
    return [extent // parts * i for i in range(parts)] + [extent]


def _split(data: Tensor, *, indices_or_sections: int | tuple[int, ...], axis: int) -> tuple[Tensor, ...]:
    place = axis % data.rank
    bounds = _bounds(data.shape[place], indices_or_sections)
    inner = numel(data.shape[place + 1 :])
    starts = range(0, data.size, data.shape[place] * inner or 1)
    found = []
    for low, high in pairwise(bounds):
        elements = data.elements[:0]
        for start in starts:
            elements += data.elements[start + low * inner : start + high * inner]
        found.append(tensor_of((*data.shape[:place], high - low, *data.shape[place + 1 :]), data.dtype, elements))
    return tuple(found)


def _split_ranges(given: Operands) -> Ranges:
    """The ranges of the parts, each of which has some of the elements."""
    parts = given.attributes["indices_or_sections"]
    return (among_first(given),) * (parts if isinstance(parts, int) else len(parts) + 1)


@operator("split", meaning=_split, ranges=_split_ranges, family="joining", padding=Padding(along("axis")), onnx="Split")
def split(data: TensorType[Dim], *, indices_or_sections: int | tuple[Dim, ...], axis: int = 0) -> Judgement:
    """A tuple of parts along an axis.   t[..a, n, ..b] -> (t[..a, n // k, ..b], ..)

        out.k[..a, i, ..b] = data[..a, s_k + i, ..b],  i from 0 to s_(k + 1) - s_k - 1

    `indices_or_sections` is a number of parts or a list.  With m parts, s_k is n // m * k, and m divides n
    [op.split.divides].  With a list, the s_k are 0, the indices, and n, none of which is below the one before it
    [op.split.order].
    """
    given = tensor(data, 0, least=1)
    place = axis_of(axis, given.rank)
    extent = given.shape[place]
    if isinstance(indices_or_sections, int) and not 1 <= indices_or_sections <= LIMITS.fields:
        limit = f"at least 1 and at most {LIMITS.fields}"
        raise IllFormed("op.attribute", f"the number of parts has to be {limit}, not {indices_or_sections}")
    bounds = _bounds(extent, indices_or_sections)
    if isinstance(indices_or_sections, int):
        says = f"the axis does not split into {indices_or_sections} equal parts"
        needs = [Need(divides(constant(indices_or_sections), extent), "op.split.divides", says, ((0, place),))]
        sizes = [extent // indices_or_sections] * indices_or_sections
    else:
        says = "the indices of a split are not in ascending order within the axis"
        pairs = list(pairwise(bounds))
        needs = [Need(at_most(low, high), "op.split.order", says, ((0, place),)) for low, high in pairs]
        sizes = [high - low for low, high in pairs]
    shapes = ((*given.shape[:place], part, *given.shape[place + 1 :]) for part in sizes)
    return Judgement(TupleType(tuple(TensorType(shape, given.dtype) for shape in shapes)), tuple(needs))
