"""Operators that order elements, search among them, and compare sets of them."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, greater, isnan, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


@imports("TopKV2", "TopK", results=("values", "indices"))
def top(use: Use) -> Sequence[Value]:
    """The greatest elements along the last axis, in descending order, and their indices."""
    x = use[0]
    k: int | Value = (
        use.number("k") if use.node.operator == "TopK" else use.written_size(use.as_type(use.ranked(1, 0), DType.INT64))
    )
    if isinstance(k, int) and k < 0:
        raise Unsupported(f"the {k} greatest elements")
    if k == 0:
        none = use.call("strided_slice", x, begin=[0], end=[0], axes=[x.rank - 1])
        return [none, use.as_type(none, use.dtype("index_type", DType.INT32))]
    settings = {"axis": -1, "ret_type": "both", "dtype": use.dtype("index_type", DType.INT32)}
    if isinstance(k, int) or use.builder.is_positive(use.builder.dim(k)):
        return use.counted(use.builder.named(use.call("topk", x, k=k, **settings), "top"), 2)
    some = use.written_size(greater(Term(use, use.as_type(k, DType.INT64)), 1).value)  # 0 would mean all
    found = use.counted(use.builder.named(use.call("topk", x, k=some, **settings), "top"), 2)
    return [use.call("strided_slice", one, begin=[0], end=[k], axes=[x.rank - 1]) for one in found]


@imports("NthElement")
def nth(use: Use) -> Value:
    """The element at a place in the order of the last axis."""
    x = use[0]
    ordered = use.call("sort", x, axis=-1, is_ascend=not use.flag("reverse"))
    return use.call("take", ordered, use[1], axis=x.rank - 1, mode="fast")


@imports("InTopK", "InTopKV2")
def is_among_top(use: Use) -> Value:
    """For each row whether fewer than k elements are greater than the element at its target.

    False for a row with an infinity or NaN.
    """
    scores, targets = use.ranked(0, 2), use.ranked(1, 1)
    k = use.builder.number(use.number("k"), DType.INT64) if use.node.operator == "InTopK" else use[2]
    wanted = use.call("gather", scores, use.call("expand_dims", targets, axis=1), axis=1)
    above = use.as_type(use.call("greater", scores, wanted), k.dtype)
    is_few = Term(use, use.call("sum", above, axis=[1])) < Term(use, k)
    is_finite = use.call("all", use.call("isfinite", scores), axis=[1])
    return use.call("logical_and", is_few.value, is_finite)


@imports("LowerBound", "UpperBound")
def bound(use: Use) -> Value:
    """For each value of a row, the first or last index at which it can be inserted in the row of sorted numbers."""
    dtype = use.dtype("out_type", DType.INT32)
    is_last = use.node.operator == "UpperBound"
    return use.call("searchsorted", use.ranked(0, 2), use.ranked(1, 2), right=is_last, dtype=dtype)


@imports("Bucketize")
def bucket(use: Use) -> Value:
    """For each element how many boundaries are not above it."""
    given = use.attribute("boundaries", ())
    if not isinstance(given, tuple) or not all(isinstance(one, float) for one in given):
        raise Unsupported("boundaries that are no floats")
    x = use.as_type(use[0], DType.FLOAT64)
    ends = use.builder.constant(Tensor(list(given), DType.FLOAT64, (len(given),)))
    ends = use.as_type(use.as_type(ends, DType.FLOAT32), DType.FLOAT64)
    return use.call("searchsorted", ends, x, right=True, dtype=DType.INT32)


@imports("InvertPermutation")
def inverse(use: Use) -> Value:
    """The inverse of a permutation: the index at which each number occurs."""
    return use.call("invert_permutation", use.ranked(0, 1))


@imports("ListDiff", results=("out", "idx"))
def difference(use: Use) -> Sequence[Value]:
    """The elements of a vector that another vector does not contain, and their indices."""
    x, y = use.ranked(0, 1), use.ranked(1, 1)
    pairs = use.call("equal", use.call("expand_dims", x, axis=1), y)
    is_kept = use.call("logical_not", use.call("any", pairs, axis=[1]))
    places = use.call("nonzero", is_kept)
    return [use.call("take", x, places, axis=0, mode="fast"), use.as_type(places, use.dtype("out_idx", DType.INT32))]


@imports("UniqueWithCounts", "UniqueWithCountsV2", results=("y", "idx", "count"))
def unique_with_counts(use: Use) -> Sequence[Value]:
    """The distinct elements in the order of first occurrence, the index of each element among them, and the counts."""
    if len(use.inputs) > 1:
        use[1].numbers("axes")
    dtype = use.dtype("out_idx", DType.INT32)
    found = use.counted(use.call("unique", use.ranked(0, 1), sorted=False, return_counts=True), 5)
    return [found[0], use.as_type(found[2], dtype), use.as_type(found[4], dtype)]


@imports("HistogramFixedWidth")
def histogram(use: Use) -> Value:
    """How many elements lie in each of several parts of a range; the first and the last include all that lie beyond."""
    dtype = use[0].dtype
    x = Term(use, use.call("reshape", use[0], newshape=[-1]))
    low, high = (Term(use, use.call("take", use[1], use.builder.number(at, DType.INT64), axis=0)) for at in (0, 1))
    count = use.as_type(use[2], DType.INT64)
    step = (high - low) / Term(use, count).to(dtype)
    place = ((x - low) / step).applied("floor")
    last = Term(use, count).to(dtype) - 1
    place = where(isnan(place), 0, place)
    at = place.applied("maximum", 0).applied("minimum", last).to(DType.INT64).value
    kind = use.dtype("dtype", DType.INT32)
    numbers = [use.builder.number(number, kind) for number in (1, 0)]
    return use.call("sum", use.call("one_hot", at, *numbers, depth=use.written_size(count)), axis=[0])
