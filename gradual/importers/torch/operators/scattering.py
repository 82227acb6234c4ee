"""Operators that replace elements at given indices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.importers.torch.operators.cutting import LAST
from gradual.importers.torch.operators.indexing import chosen, places_of, transposed
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType


# ------------------------------------------------------------------------------------------------ several indices
@imports("aten.index_put.default", "aten._unsafe_index_put.default")
def index_put(use: Use) -> Value:
    """The tensor with values written, or added, at index tensors."""
    x, values = use["self"], use["values"]
    accumulates = use.flag("accumulate")
    given = use.value(use.given("indices"))
    mask = given[0] if isinstance(given, tuple) and len(given) == 1 else None
    if isinstance(mask, Value) and mask.dtype is DType.BOOL and not values.rank and not accumulates:
        more = x.rank - mask.rank
        mask = use.call("expand_dims", mask, axis=mask.rank, num_newaxis=more) if more else mask
        return use.call("where", mask, values, x)
    places = places_of(use, x)
    if places is None:
        return use.call("add", x, values) if accumulates else use.call("broadcast_to_like", values, x)
    shape = chosen(use, x, places)
    if values.tensor.shape != shape.tensor.shape:
        values = use.call("broadcast_to_like", values, shape)
    moved, order = transposed(use, x, places.order), places.back
    updates = transposed(use, values, [order.index(axis) for axis in range(values.rank)])
    found = use.call("scatter_nd", moved, _stacked(use, places.indices), updates, mode="add" if accumulates else None)
    return transposed(use, found, [places.order.index(axis) for axis in range(x.rank)])


def _stacked(use: Use, indices: Sequence[Value]) -> Value:
    """Index tensors, broadcast together and stacked as the rows of one tensor, whose columns are the positions."""
    first, *others = indices
    if all(other.tensor.shape == first.tensor.shape for other in others):
        return (
            use.call("stack", use.builder.tuple(indices), axis=0) if others else use.call("expand_dims", first, axis=0)
        )
    zero = use.call("multiply", first, use.like(0, first))
    for other in others:
        zero = use.call("add", zero, use.call("multiply", other, use.like(0, other)))
    return use.call("stack", use.builder.tuple([use.call("add", one, zero) for one in indices]), axis=0)


@imports("aten.index_copy.default", "aten.index_add.default")
def index_copy(use: Use) -> Value:
    """The tensor with slices of another tensor written, or added, at indices."""
    x, source, adds = use["self"], use["source"], "add" in use.node.operator
    if adds and use.given("alpha", 1) != 1:
        source = use.call("multiply", source, use.scalar("alpha", source.dtype))
    if not x.rank:
        source = use.call("reshape", source, newshape=[])
        return use.call("add", x, source) if adds else source
    axis = use.axis("dim", x.rank)
    return _written(use, x, axis, transposed(use, source, _first(axis, source.rank)), "add" if adds else None)


@imports("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(use: Use) -> Value:
    """The tensor with the slices at indices filled with a number."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    shape = use.call("take", transposed(use, x, _first(axis, x.rank)), use["index"], axis=0, mode="fast")
    return _written(use, x, axis, use.call("full_like", shape, use.scalar("value", x.dtype)), None)


def _first(axis: int, rank: int) -> list[int]:
    return [axis, *(at for at in range(rank) if at != axis)]


def _written(use: Use, x: Value, axis: int, updates: Value, mode: str | None) -> Value:
    """The tensor with updates written at indices along an axis, which is the first axis of the updates."""
    order = _first(axis, x.rank)
    places = use.call("expand_dims", use["index"], axis=0)
    found = use.call("scatter_nd", transposed(use, x, order), places, updates, mode=mode)
    return transposed(use, found, [order.index(at) for at in range(x.rank)])


# --------------------------------------------------------------------------------------------- element by element
REDUCTIONS = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}
"""PyTorch's reduction -> that of `scatter_elements`."""


@imports(
    "aten.scatter.src",
    "aten.scatter.value",
    "aten.scatter.reduce",
    "aten.scatter.value_reduce",
    "aten.scatter_add.default",
)
def scatter(use: Use) -> Value:
    """The tensor with each source element written at its own position, with an index as coordinate along an axis."""
    x, places = use["self"], use["index"]
    kind = "add" if "scatter_add" in use.node.operator else use.given("reduce")
    return _scattered(use, x, places, _source(use, x, places), None if kind is None else REDUCTIONS[kind])


def _source(use: Use, x: Value, places: Value) -> Value:
    """The source, cut to the shape of the indices."""
    if "value" in use.node.arguments:
        return use.call("full_like", use.as_type(places, x.dtype), use.scalar("value", x.dtype))
    source = use["src"]
    if source.tensor.shape == places.tensor.shape:
        return source
    return use.call("slice_like", source, places, axes=list(range(source.rank)))


def _scattered(use: Use, x: Value, places: Value, source: Value, reduction: str | None) -> Value:
    if not x.rank:
        x, places, source = (use.call("reshape", one, newshape=[1]) for one in (x, places, source))
        return use.call("reshape", _scattered(use, x, places, source, reduction), newshape=[])
    return use.call("scatter_elements", x, places, source, axis=use.axis("dim", x.rank), reduction=reduction)


@imports("aten.scatter_reduce.two")
def scatter_reduce(use: Use) -> Value:
    """As `scatter`, but elements with the same target are reduced, with or without the tensor's own element."""
    x, places, kind = use["self"], use["index"], use.given("reduce")
    source, includes = _source(use, x, places), use.flag("include_self", True)
    reduction = "sum" if kind == "mean" else kind
    if reduction not in REDUCTIONS:
        raise Unsupported(f"reduce={kind!r}")
    if not includes:
        identity = use.call("full_like", source, use.builder.number(_identity(reduction, x.dtype), x.dtype))
        x = _scattered(use, x, places, identity, None)
    found = _scattered(use, x, places, source, REDUCTIONS[reduction])
    if kind != "mean":
        return found
    ones = use.call("ones_like", source)
    start = use.call("ones_like", x)
    if not includes:
        start = _scattered(use, start, places, use.call("zeros_like", source), None)
    count = _scattered(use, start, places, ones, "add")
    return use.call("divide" if x.dtype.is_float else "floor_divide", found, count)


def _identity(reduction: str, dtype: DType) -> float:
    if reduction in ("sum", "prod"):
        return int(reduction == "prod")
    least, greatest = (-math.inf, math.inf) if dtype.is_float else integer_range(dtype)
    return least if reduction == "amax" else greatest


# --------------------------------------------------------------------------------------------------- slices and masks
@imports("aten.slice_scatter.default")
def slice_scatter(use: Use) -> Value:
    """The tensor with a slice replaced by another tensor."""
    x, source = use["self"], use["src"]
    axis, step = use.axis("dim", x.rank, 0), use.integer("step", 1)
    start = 0 if use.given("start") is None else use.size("start")
    end = LAST if use.given("end") is None else use.size("end")
    if start == 0 and step == 1 and isinstance(end, int) and end >= LAST:
        return source
    return _set(use, x, source, (axis, start, min(end, LAST) if isinstance(end, int) else end, step))


@imports("aten.select_scatter.default")
def select_scatter(use: Use) -> Value:
    """The tensor with the slice at one index replaced by another tensor."""
    x = use["self"]
    axis, start = use.axis("dim", x.rank), use.size("index")
    if isinstance(start, int):
        end: int | Value = LAST if start == -1 else start + 1
    else:
        end = use.call("add", start, use.builder.number(1, DType.INT64))
    return _set(use, x, use.call("expand_dims", use["src"], axis=axis), (axis, start, end, 1))


def _set(use: Use, x: Value, source: Value, slice: tuple[int, int | Value, int | Value, int]) -> Value:
    axis, start, end, step = slice
    parts: list[list[int | Value]] = [[*[0] * axis, start], [*[LAST] * axis, end], [*[1] * axis, step]]
    return use.call("strided_set", x, source, *(use.vector(part) for part in parts))


@imports("aten.diagonal_scatter.default")
def diagonal_scatter(use: Use) -> Value:
    """The tensor with a diagonal replaced by another tensor."""
    x, offset = use["self"], use.integer("offset", 0)
    one, other = use.axis("dim1", x.rank, 0), use.axis("dim2", x.rank, 1)
    order = [*(axis for axis in range(x.rank) if axis not in (one, other)), one, other]
    found = use.call("matrix_set_diag", transposed(use, x, order), use["src"], k1=offset, k2=offset)
    return transposed(use, found, [order.index(axis) for axis in range(x.rank)])


@imports("aten.masked_scatter.default")
def masked_scatter(use: Use) -> Value:
    """The tensor with its elements where a mask is true replaced by those of a source, in order."""
    x, mask = use["self"], use["mask"]
    if mask.tensor.shape != x.tensor.shape:
        mask = use.call("broadcast_to_like", mask, x)
    flat = use.as_type(use.call("reshape", mask, newshape=[-1]), DType.INT64)
    before = use.call("cumsum", flat, axis=0, exclusive=True)
    source = use.call("reshape", use["source"], newshape=[-1])
    # where the mask is false, the first element is taken but not used
    places = use.call("multiply", before, flat)
    found = use.call("reshape_like", use.call("take", source, places, axis=0, mode="fast"), x)
    return use.call("where", mask, found, x)
