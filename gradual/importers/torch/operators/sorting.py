"""Operators that sort, count, or compute running reductions along an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, isnan, where
from gradual.importers.common.composed.scanning import log_sum_so_far, running
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType


@imports("aten.topk.default")
def top(use: Use) -> Sequence[Value]:
    """The greatest or least elements along an axis, and their indices."""
    x = use["self"]
    settings = {
        "axis": use.axis("dim", x.rank, -1),
        "ret_type": "both",
        "is_ascend": None if use.flag("largest", True) else True,
        "dtype": DType.INT64,
    }
    return use.counted(use.builder.named(use.call("topk", x, k=use.size("k"), **settings), "top"), 2)


@imports("aten.sort.default", "aten.sort.stable")
def sort(use: Use) -> Sequence[Value]:
    """The elements in order along an axis, and their indices."""
    return _order(use, use["self"])


def _order(use: Use, x: Value) -> list[Value]:
    if not x.rank:
        return [x, use.builder.number(0, DType.INT64)]
    axis, ascends = use.axis("dim", x.rank, -1), not use.flag("descending")
    return _sorted(use, x, axis, ascends)


def _sorted(use: Use, x: Value, axis: int, ascends: bool = True) -> list[Value]:
    return [
        use.call("sort", x, axis=axis, is_ascend=ascends),
        use.call("argsort", x, axis=axis, is_ascend=ascends, dtype=DType.INT64),
    ]


@imports("aten.argsort.default", "aten.argsort.stable")
def argsort(use: Use) -> Value:
    """The indices that sort the elements along an axis."""
    return _order(use, use["self"])[1]


@imports("aten.msort.default")
def sort_first_axis(use: Use) -> Value:
    """The elements in order along the first axis."""
    return use.call("sort", use["self"], axis=0)


# -------------------------------------------------------------------------------------------------- order statistics
@imports("aten.kthvalue.default")
def kth(use: Use) -> Sequence[Value]:
    """The k-th least element along an axis, and its index."""
    x = use["self"]
    place = use.call("subtract", use.scalar("k", DType.INT64), use.builder.number(1, DType.INT64))
    return _at(use, x, use.axis("dim", x.rank, -1), place)


@imports("aten.median.dim")
def median(use: Use) -> Sequence[Value]:
    """The median along an axis, the lesser one of two candidates, and its index; NaN if any element is NaN."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    return _median(use, x, axis)


@imports("aten.median.default")
def median_of_all(use: Use) -> Value:
    """The median of all elements."""
    return _median(use, use.call("reshape", use["self"], newshape=[-1]), 0)[0]


def _median(use: Use, x: Value, axis: int) -> list[Value]:
    last = use.call("subtract", use.extent(x, axis), use.builder.number(1, DType.INT64))
    middle = use.call("floor_divide", last, use.builder.number(2, DType.INT64))
    if x.dtype.is_float:  # NaNs are sorted after all numbers: if there are any, the last element is NaN
        has_none = use.call("isnan", use.call("take", use.call("sort", x, axis=axis), last, axis=axis, mode="fast"))
    found, place = _at(use, x, axis, middle)
    if not x.dtype.is_float:
        return [found, place]
    first = use.as_type(use.call("argmax", use.as_type(use.call("isnan", x), DType.INT32), axis=[axis]), DType.INT64)
    if use.flag("keepdim"):
        has_none, first = (use.call("expand_dims", one, axis=axis) for one in (has_none, first))
    return [
        use.call("where", has_none, use.like(math.nan, found), found),
        use.call("where", has_none, first, place),
    ]


def _at(use: Use, x: Value, axis: int, place: Value) -> list[Value]:
    """The element at a position in sorted order along an axis, and its index."""
    parts = [use.call("take", one, place, axis=axis, mode="fast") for one in _sorted(use, x, axis)]
    return [use.call("expand_dims", one, axis=axis) for one in parts] if use.flag("keepdim") else parts


# ------------------------------------------------------------------------------------------------ running reductions
@imports("aten.cummax.default", "aten.cummin.default")
def running_extreme(use: Use) -> Sequence[Value]:
    """The running maximum or minimum along an axis, and the last index at which it occurs."""
    x, is_max = use["self"], "max" in use.node.operator
    ends = (-math.inf, math.inf) if x.dtype.is_float else integer_range(x.dtype)
    start = ends[0 if is_max else 1]

    def turn(kept: list[Value], at: list[Value]) -> list[Value]:
        old, new = Term(use, kept[0]), Term(use, at[0])
        better = new >= old if is_max else new <= old
        if x.dtype.is_float:
            better = isnan(new) | (~isnan(old) & better)
        made = [where(better, new, old).value, use.call("where", better.value, at[1], kept[1])]
        return [*made, *made]

    begun = [use.like(start, x), use.builder.number(0, DType.INT64)]
    return running(use, use.node.name, x, use.axis("dim", x.rank), begun, turn)


@imports("aten.logcumsumexp.default")
def running_log_sum(use: Use) -> Value:
    """The logarithm of the sum of exponentials up to each element along an axis."""
    x = use["self"]
    return log_sum_so_far(use, use.node.name, x, use.axis("dim", x.rank))


# --------------------------------------------------------------------------------------------------------- counting
@imports("aten._unique2.default", "aten._unique.default")
def unique(use: Use) -> Sequence[Value | None]:
    """The distinct elements, the index of each given element among them, and their counts."""
    x = use["self"]
    flat = x if x.rank == 1 else use.call("reshape", x, newshape=[-1])
    all = use.builder.named(use.call("unique", flat, sorted=use.flag("sorted", True), return_counts=True), "unique")
    values, _, inverse, _, counts = use.counted(all, 5)
    inverse = use.as_type(inverse, DType.INT64)
    inverse = inverse if x.rank == 1 else use.call("reshape_like", inverse, x)
    return _wanted(use, values, inverse, use.as_type(counts, DType.INT64))


def _wanted(use: Use, values: Value, inverse: Value, counts: Value) -> list[Value | None]:
    """The results that the call requests."""
    asked = use.flag("return_inverse"), use.flag("return_counts")
    return [values, *(one if wants else None for one, wants in zip((inverse, counts), asked, strict=True))]


@imports("aten.unique_consecutive.default")
def unique_in_a_row(use: Use) -> Sequence[Value | None]:
    """The first element of each run of equal elements, the index of its run for each element, and each run's length."""
    x = use["self"]
    use.only("dim", None)
    flat = x if x.rank == 1 else use.call("reshape", x, newshape=[-1])
    end = 2**31 - 1
    parts = [use.call("strided_slice", flat, begin=[low], end=[high]) for low, high in ((0, 1), (1, end), (0, -1))]
    begins = use.call("ones_like", use.as_type(parts[0], DType.BOOL))
    changes = use.call("not_equal", parts[1], parts[2])
    mask = use.call("concatenate", use.builder.tuple([begins, changes]), axis=0)
    starts = use.as_type(use.call("nonzero", mask), DType.INT64)
    one = use.builder.number(1, DType.INT64)
    number = use.call("subtract", use.call("cumsum", use.as_type(mask, DType.INT64), axis=0), one)
    number = number if x.rank == 1 else use.call("reshape_like", number, x)
    size = use.call("expand_dims", use.extent(flat, 0), axis=0)
    ends = use.call("strided_slice", starts, begin=[1], end=[end])
    ends = use.call("concatenate", use.builder.tuple([ends, size]), axis=0)
    values = use.call("take", flat, starts, axis=0, mode="fast")
    return _wanted(use, values, number, use.call("subtract", ends, starts))


@imports("aten.repeat_interleave.Tensor", "aten.repeat_interleave.self_Tensor")
def repeat_each(use: Use) -> Value:
    """Slice i along an axis, repeated `repeats[i]` times; if `repeats` is the only tensor, the index i instead."""
    repeats = use["repeats"]
    ends = use.call("cumsum", use.as_type(repeats, DType.INT64), axis=0)
    total = use.call("sum", use.as_type(repeats, DType.INT64))
    steps = use.call("arange", use.like(0, total), total, use.like(1, total), dtype=DType.INT64)
    places = use.call("searchsorted", ends, steps, right=True, dtype=DType.INT64)
    if use.given("output_size") is not None:
        places = use.exactly(places, 0, use.size("output_size"))
    if "self" not in use.node.arguments:
        return use.as_type(places, use.dtype())
    x = use["self"]
    if use.given("dim") is None:
        return use.call("take", use.call("reshape", x, newshape=[-1]), places, axis=0, mode="fast")
    return use.call("take", x, places, axis=use.axis("dim", x.rank), mode="fast")


@imports("aten.bincount.default")
def bincount(use: Use) -> Value:
    """How often each number below max(greatest element + 1, `minlength`) occurs in a vector; or sums of weights."""
    x, weights = use.as_type(use["self"], DType.INT64), use.optional("weights")
    least = use.integer("minlength", 0) - 1
    all = use.call("concatenate", use.builder.tuple([x, use.builder.integers([least])]), axis=0)
    last = use.call("maximum", use.call("max", all), use.builder.number(least, DType.INT64))  # at least `least`
    size = use.call("add", last, use.builder.number(1, DType.INT64))
    given = use.call("ones_like", x) if weights is None else use.as_type(weights, use.dtype())
    zeros = use.call("full", use.like(0, given), shape=[use.written_size(size)])
    return use.call("scatter_elements", zeros, x, given, axis=0, reduction="add")


@imports("aten.embedding_bag.default", "aten.embedding_bag.padding_idx", "aten._embedding_bag.default")
def embedding_bag(use: Use) -> Sequence[Value | None]:
    """For each bag of indices, the sum, mean or maximum of the rows of a table at these indices."""
    if use.given("padding_idx") not in (None, -1):
        use.only("padding_idx", None, -1)
    table, indices, offsets = (use[name] for name in ("weight", "indices", "offsets"))
    if use.flag("include_last_offset"):
        offsets = use.call("strided_slice", offsets, begin=[0], end=[-1])
    numbers = [use.builder.number(number, DType.INT64) for number in (0, 1)]
    steps = use.call("arange", numbers[0], use.extent(indices, 0), numbers[1], dtype=DType.INT64)
    starts = use.as_type(offsets, DType.INT64)
    bags = use.call("searchsorted", starts, steps, right=True, dtype=DType.INT64)
    bags = use.call("expand_dims", use.call("subtract", bags, numbers[1]), axis=0)
    rows = use.call("take", table, indices, axis=0, mode="fast")
    if (weights := use.optional("per_sample_weights")) is not None:
        rows = use.call("multiply", rows, use.call("expand_dims", weights, axis=1))
    zeros = use.call("multiply", use.call("expand_dims", use.as_type(starts, table.dtype), axis=1), use.like(0, table))
    width = use.call("multiply", use.call("take", table, numbers[0], axis=0, mode="clip"), use.like(0, table))
    empty = use.call("add", zeros, width)
    sums = use.call("scatter_nd", empty, bags, rows, mode="add")
    kind = use.integer("mode", 0)
    if kind == 0:
        return [sums]
    ones = use.call("ones_like", use.call("take", rows, numbers[0], axis=1, mode="clip"))
    nothing = use.call("multiply", use.as_type(starts, table.dtype), use.like(0, table))
    count = use.call("expand_dims", use.call("scatter_nd", nothing, bags, ones, mode="add"), axis=1)
    if kind == 1:
        return [use.call("divide", sums, use.call("maximum", count, use.like(1, count)))]
    least = use.call("full_like", empty, use.like(-math.inf, empty))
    greatest = use.call("scatter_nd", least, bags, rows, mode="max")
    return [use.call("where", use.call("greater", count, use.like(0, count)), greatest, empty)]
