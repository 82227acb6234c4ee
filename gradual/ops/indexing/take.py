"""Selecting by indices: take, gather, scatter.

An index out of bounds is a fault, except that `take` clamps it with `mode="clip"`, which is Relay's default, and takes
it modulo the extent with `mode="wrap"`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradual.dims.term.constraint import at_most
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.element_ranges import among_first
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.lookups import Lookup
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import NO_AXES, Axes, Growth, Padding, all_axes, all_but
from gradual.ops.declaration.shapes import agreement, axis_of, judged, same_dtype, size, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.ops.indexing.index_modes import MODES, integers, within
from gradual.tensors import reals
from gradual.tensors.index import numel, offsets, picked, strides
from gradual.tensors.integers import trunc_divide
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]


# ------------------------------------------------------------------------------------------------------------ take
def _batches(batch_dims: int, rank: int) -> int:
    """The number of batch axes, where a negative `batch_dims` counts from the back; raises IllFormed out of range."""
    if not -rank <= batch_dims <= rank:
        raise IllFormed("op.axis", f"batch_dims {batch_dims} is out of range for indices of rank {rank}", 1)
    return batch_dims + rank if batch_dims < 0 else batch_dims


def _take(data: Tensor, indices: Tensor, *, batch_dims: int, axis: int | None, mode: str) -> Tensor:
    """For each batch and each position before the axis, take the slices that the batch's indices select."""
    shape, place = ((data.size,), 0) if axis is None else (data.shape, axis % data.rank)
    shared = _batches(batch_dims, indices.rank)
    extent, inner = shape[place], numel(shape[place + 1 :])
    resolve, each = MODES[mode], numel(indices.shape[shared:])
    found = data.elements[:0]
    outer = numel(shape[shared:place]) if inner else 0
    for batch in range(numel(shape[:shared]) if each else 0):
        rows = [resolve(index, extent) * inner for index in indices.elements[batch * each : (batch + 1) * each]]
        for block in range(batch * outer, (batch + 1) * outer):
            base = block * extent * inner
            if inner == 1:
                found.extend([data.elements[base + row] for row in rows])
            else:
                for row in rows:
                    found += data.elements[base + row : base + row + inner]
    return tensor_of((*shape[:place], *indices.shape[shared:], *shape[place + 1 :]), data.dtype, found)


def _take_contents(
    data: TensorType[Dim], indices: TensorType[Dim], *, batch_dims: int, axis: int | None, mode: str
) -> Contents:
    """The elements at known indices."""
    if data.contents is None or indices.contents is None or data.rank > 1 or batch_dims or not data.contents:
        return None
    places = [part.value for part in indices.contents if isinstance(part, Dim)]
    extent = len(data.contents)
    if any(place is None or (mode == "fast" and not -extent <= place < extent) for place in places):
        return None
    resolve = MODES[mode]
    return tracked((data.contents[resolve(place, extent)] for place in places if place is not None), data.dtype)


def _take_lookups(
    data: TensorType[Dim], indices: TensorType[Dim], *, batch_dims: int, axis: int | None, mode: str
) -> tuple[Lookup, ...]:
    """A lookup in the axis or in all elements; none if indices are clamped or wrapped."""
    if mode != "fast":
        return ()
    if axis is None:
        return (Lookup((1,), size(data.shape), None, indices.shape),)
    return (_along(data, indices, axis),)


def _along(data: TensorType[Dim], indices: TensorType[Dim], axis: int) -> Lookup:
    place = axis % data.rank
    return Lookup((1,), data.shape[place], (0, place), indices.shape)


def _axis_lookups(
    data: TensorType[Dim], indices: TensorType[Dim], *others: TensorType[Dim], axis: int, **attributes: object
) -> tuple[Lookup, ...]:
    """A lookup in the axis."""
    return (_along(data, indices, axis),)


def _take_extends(growth: Growth) -> tuple[Axes, ...]:
    """All axes of the data but the one along which slices are taken; all axes of the indices."""
    (data, indices), attributes = growth.types, growth.attributes
    if attributes["axis"] is None or attributes["batch_dims"]:
        return NO_AXES, NO_AXES if attributes["batch_dims"] else all_axes(indices)
    return all_but(data, attributes["axis"]), all_axes(indices)


@operator(
    "take",
    meaning=_take,
    lookups=_take_lookups,
    ranges=among_first,
    family="selecting",
    contents=_take_contents,
    faults=Faults.INDEX,
    padding=Padding(_take_extends),
    onnx="Gather",
)
def take(
    data: TensorType[Dim], indices: TensorType[Dim], *, batch_dims: int = 0, axis: int | None = None, mode: str = "clip"
) -> Judgement:
    """The slices at indices along an axis; without an axis, the elements at indices in row-major order.

    t[..a, n, ..b], int[..i] -> t[..a, ..i, ..b]

        out[..a, ..i, ..b] = data[..a, p(indices[..i]), ..b]

    p(k) is k limited to 0 to n - 1 with `mode="clip"`, k % n with "wrap" (an empty axis is a fault in both), and with
    "fast" k, or k + n if it is negative, where any other index is a fault [op.index.bounds].  The first `batch_dims`
    axes of data and indices have the same sizes [op.take.batch] and occur once in the result: out[..c, ..a, ..i, ..b]
    = data[..c, ..a, p(indices[..c, ..i]), ..b].
    """
    given, named = tensor(data, 0), integers(indices, 1)
    if mode not in MODES:
        raise IllFormed("op.attribute", f'mode has to be "clip", "wrap" or "fast", not "{mode}"')
    shared = _batches(batch_dims, named.rank)
    if axis is None:
        if shared:
            raise IllFormed("op.attribute", "batch_dims needs an axis")
        return judged(named.shape, given.dtype)
    place = axis_of(axis, given.rank)
    if shared > place:
        raise IllFormed("op.axis", f"axis {axis} is one of the {shared} batch axes", 0)
    says = "data and indices differ in a batch axis"
    needs = [agreement(given.shape[i], named.shape[i], "op.take.batch", says, (0, i), (1, i)) for i in range(shared)]
    return judged((*given.shape[:place], *named.shape[shared:], *given.shape[place + 1 :]), given.dtype, needs)


# ----------------------------------------------------------------------------------------------- gather and scatter
def _targets(data: Tensor, indices: Tensor, axis: int) -> list[int]:
    """For each index, the offset of the element at its own position, with the index as coordinate along the axis."""
    place = axis % data.rank
    steps = list(strides(data.shape))
    step, extent = steps[place], data.shape[place]
    steps[place] = 0
    bases = offsets(indices.shape, steps)
    return [base + within(index, extent) * step for base, index in zip(bases, indices.elements, strict=True)]


def _gather(data: Tensor, indices: Tensor, *, axis: int) -> Tensor:
    return tensor_of(indices.shape, data.dtype, picked(data.elements, _targets(data, indices, axis)))


def _gather_contents(data: TensorType[Dim], indices: TensorType[Dim], *, axis: int) -> Contents:
    """The elements at known indices; only vectors have known elements here."""
    return _take_contents(data, indices, batch_dims=0, axis=axis, mode="fast")


@operator(
    "gather",
    meaning=_gather,
    lookups=_axis_lookups,
    ranges=among_first,
    family="selecting",
    contents=_gather_contents,
    faults=Faults.INDEX,
    onnx="GatherElements",
)
def gather(data: TensorType[Dim], indices: TensorType[Dim], *, axis: int) -> Judgement:
    """For each index the element at the same position, except that along an axis the index is the coordinate.

    t[..a, n, ..b], int[..a, m, ..b] -> t[..a, m, ..b]

        out[..a, i, ..b] = data[..a, indices[..a, i, ..b], ..b]

    A negative index counts from the end; one that is out of bounds is a fault [op.index.bounds].  Along each other
    axis data and indices have the same size [op.gather.agree].
    """
    given, named = tensor(data, 0), integers(indices, 1)
    _ranks(given, named)
    place = axis_of(axis, given.rank)
    says = "data and indices differ in an axis other than the one gathered along"
    needs = [
        agreement(given.shape[i], named.shape[i], "op.gather.agree", says, (0, i), (1, i))
        for i in range(given.rank)
        if i != place
    ]
    return judged(named.shape, given.dtype, needs)


def _ranks(first: TensorType[Dim], *others: TensorType[Dim]) -> None:
    for operand, other in enumerate(others):
        if other.rank != first.rank:
            raise IllFormed("op.rank", f"ranks differ: {first.rank} and {other.rank}", operand + 1)


_REDUCTIONS = ("update", "add", "mul", "mean", "min", "max")


def reducing(reduction: str, dtype: DType) -> Callable[[Any, Any], Any]:
    """The function that combines an element and its update."""
    floats = dtype.is_float
    match reduction:
        case "add":
            return lambda old, new: old + new
        case "mul":
            return lambda old, new: old * new
        case "mean":
            return lambda old, new: (old + new) / 2 if floats else trunc_divide(old + new, 2)
        case "min":
            return reals.minimum if floats else min
        case "max":
            return reals.maximum if floats else max
    return lambda old, new: new


def _scatter_elements(data: Tensor, indices: Tensor, updates: Tensor, *, axis: int, reduction: str) -> Tensor:
    """Apply the updates one after another, rounding or wrapping each result to the element type."""
    found, meet = data.elements[:], reducing(reduction, data.dtype)
    for target, update in zip(_targets(data, indices, axis), updates.elements, strict=True):
        found[target] = kept(data.dtype, (meet(found[target], update),))[0]
    return tensor_of(data.shape, data.dtype, found)


def _scatter_elements_contents(
    data: TensorType[Dim], indices: TensorType[Dim], updates: TensorType[Dim], *, axis: int, reduction: str
) -> Contents:
    """The known elements with those at known indices replaced."""
    if data.contents is None or indices.contents is None or updates.contents is None or reduction != "update":
        return None
    found, extent = list(data.contents), len(data.contents)
    for part, update in zip(indices.contents, updates.contents, strict=False):
        place = part.value
        if not isinstance(part, Dim) or place is None or not -extent <= place < extent:
            return None
        found[place] = update
    return tuple(found)


@operator(
    "scatter_elements",
    meaning=_scatter_elements,
    lookups=_axis_lookups,
    family="selecting",
    contents=_scatter_elements_contents,
    alike=(0, 2),
    faults=Faults.OTHERWISE,
    onnx="ScatterElements",
)
def scatter_elements(
    data: TensorType[Dim],
    indices: TensorType[Dim],
    updates: TensorType[Dim],
    *,
    axis: int = 0,
    reduction: str = "update",
) -> Judgement:
    """The data with each update written at its own position, except that along an axis the index is the coordinate.

    t[..a, n, ..b], int[..c, m, ..d], t[..c, m, ..d] -> t[..a, n, ..b]

        out = data; then for each ..c, i, ..d in row-major order, k = indices[..c, i, ..d] and u = updates[..c, i, ..d]:
        out[..c, k, ..d] = u, or e + u, e * u, (e + u) / 2, min(e, u), max(e, u)  with e = out[..c, k, ..d]

    as `reduction` says: "update", or of numbers "add", "mul", "mean", "min", "max", which booleans do not have; each
    result is rounded or wrapped, and the mean of integers is rounded toward zero.  Indices and updates have the same
    shape [op.scatter_elements.agree], and no more elements than the data along the other axes
    [op.scatter_elements.fits].  A negative index counts from the end; one that is out of bounds is a fault
    [op.index.bounds].
    """
    given, named, new = tensor(data, 0), integers(indices, 1), tensor(updates, 2)
    _ranks(given, named, new)
    dtype = same_dtype(given, given, new)
    place = axis_of(axis, given.rank)
    if reduction not in _REDUCTIONS:
        raise IllFormed("op.attribute", f'reduction has to be one of {", ".join(_REDUCTIONS)}, not "{reduction}"')
    if dtype is DType.BOOL and reduction != "update":
        raise IllFormed("op.dtype", f'reduction "{reduction}" is not defined for booleans', 0)
    says, beyond = "indices and updates differ", "the indices have more elements than the data along an axis"
    needs = [
        agreement(named.shape[i], new.shape[i], "op.scatter_elements.agree", says, (1, i), (2, i))
        for i in range(given.rank)
    ]
    needs += [
        Need(at_most(named.shape[i], given.shape[i]), "op.scatter_elements.fits", beyond, ((1, i), (0, i)))
        for i in range(given.rank)
        if i != place
    ]
    return judged(given.shape, dtype, needs)
