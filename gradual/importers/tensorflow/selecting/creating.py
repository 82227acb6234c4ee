"""Operators that make tensors, and shapes."""

from __future__ import annotations

from gradual.importers.common.composed.arithmetic import Term, greater, numbered, where
from gradual.importers.common.composed.rolling import rolled
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


def filled(use: Use, number: Value, sizes: Value) -> Value:
    """A tensor of a shape, which is a vector, filled with a scalar."""
    if isinstance(sizes.constant, Tensor):
        return use.call("full", number, shape=sizes.numbers("the shape"))
    return use.call("dyn.full", number, sizes)


@imports("Empty")
def empty(use: Use) -> Value:
    """A tensor of a shape, whose elements do not matter."""
    return filled(use, use.builder.number(0, use.dtype("dtype")), use[0])


@imports("LinSpace")
def spaced(use: Use) -> Value:
    """A given number of equally spaced numbers from one to another."""
    start, stop = (Term(use, use.ranked(at, 0)) for at in (0, 1))
    count = use.as_type(use.ranked(2, 0), DType.INT64)
    size = use.written_size(count)
    last = Term(use, count) - 1
    step = (stop - start) / greater(last, 1).to(use[0].dtype)
    place = numbered(use, size)
    found = start + step * place.to(use[0].dtype)
    is_last = place.equals(last) & (place > 0)
    return where(is_last, stop, found).value


@imports("OneHot")
def one_hot(use: Use) -> Value:
    """For each index a vector with one value at the index, and another elsewhere."""
    axis = use.number("axis", -1)
    depth = use.written_size(use.as_type(use.ranked(1, 0), DType.INT64))
    return use.call("one_hot", use[0], use[2], use[3], depth=depth, axis=axis)


@imports("BroadcastArgs")
def joint_shape(use: Use) -> Value:
    """The shape to which two shapes broadcast."""
    one, other = use.ranked(0, 1), use.ranked(1, 1)
    sizes = [use.sizes(each) for each in (one, other)]
    count = max(map(len, sizes))
    long: list[list[int | Value]] = [[*[1] * (count - len(each)), *each] for each in sizes]
    found = [use.as_type(_joint(use, *pair), one.dtype) for pair in zip(*long, strict=True)]
    return use.call("stack", use.builder.tuple(found), axis=0) if found else one


def _joint(use: Use, one: int | Value, other: int | Value) -> Value:
    """The size to which two sizes broadcast."""
    first, second = (
        Term(use, use.builder.number(each, DType.INT64) if isinstance(each, int) else use.as_type(each, DType.INT64))
        for each in (one, other)
    )
    if isinstance(one, int):
        return second.value if one == 1 else first.value
    return first.value if other == 1 else where(first.equals(1), second, first).value


# ------------------------------------------------------------------------------------------------ reversing, rolling
@imports("ReverseV2")
def reverse(use: Use) -> Value:
    """The elements along some axes in opposite order."""
    x = use[0]
    for axis in use[1].numbers("axes"):
        x = use.call("reverse", x, axis=use.axis_of(axis, x))
    return x


@imports("Reverse")
def reverse_by_mask(use: Use) -> Value:
    """The elements in opposite order along the axes that a mask selects."""
    x = use[0]
    for axis, is_reversed in enumerate(use[1].numbers("a mask of axes")):
        x = use.call("reverse", x, axis=axis) if is_reversed else x
    return x


@imports("ReverseSequence")
def reverse_sequences(use: Use) -> Value:
    """The first elements along an axis in opposite order, as many as are given for each index of the batch."""
    axes = {"seq_axis": use.number("seq_dim"), "batch_axis": use.number("batch_dim", 0)}
    return use.call("reverse_sequence", use[0], use.ranked(1, 1), **axes)


@imports("Roll")
def roll(use: Use) -> Value:
    """Axes rotated: elements that leave at one end enter at the other."""
    x, axes = use[0], use[2].numbers("axes")
    if use[1].rank and use[1].extent(0) != len(axes):
        raise Unsupported("another number of places than of axes")
    for at, axis in enumerate(axes):
        shift = use[1] if use[1].rank == 0 else use.builder.element(use[1], at)
        if isinstance(shift, Value):
            shift = use.written_size(use.as_type(shift, DType.INT64))
        x = rolled(use, x, shift, use.axis_of(axis, x))
    return x


@imports("Bincount", "DenseBincount")
def count(use: Use) -> Value:
    """How often each number below a size occurs, or the sum of its weights; separately for each row of a matrix."""
    numbers, weights = use[0], use[2]
    dtype, is_binary = weights.dtype, use.flag("binary_output")
    size = use.written_size(use.as_type(use.ranked(1, 0), DType.INT64))
    is_weighted = weights.rank > 0 and 0 not in [one.value for one in weights.tensor.shape]
    if is_weighted:
        numbers, weights = use.alike(numbers, weights)
    if numbers.rank != 2 or use.node.operator == "Bincount":
        numbers = use.call("reshape", numbers, newshape=[-1])
    hot = use.call("one_hot", numbers, use.builder.number(1, dtype), use.builder.number(0, dtype), depth=size)
    axis = [hot.rank - 2]
    if is_binary:
        any_ = use.call("any", use.as_type(hot, DType.BOOL), axis=axis)
        return use.as_type(any_, dtype)
    if is_weighted:
        if numbers.rank == 1:
            weights = use.call("reshape", weights, newshape=[-1])
        hot = use.call("multiply", hot, use.call("expand_dims", weights, axis=weights.rank))
    return use.call("sum", hot, axis=axis)
