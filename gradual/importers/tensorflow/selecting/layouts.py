"""Operators about layouts, coordinates and offsets."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


@imports("ConjugateTranspose")
def transpose(use: Use) -> Value:
    """The tensor with its axes in another order; real numbers are their own conjugates."""
    order = use[1].numbers("a permutation")
    return use.call("transpose", use[0], axes=order) if len(order) > 1 else use[0]


@imports("DataFormatVecPermute", "DataFormatDimMap")
def permuted(use: Use) -> Value:
    """A number, or a pair, for each axis, reordered for another layout; or the numbers of axes in another layout."""
    source, target = use.text("src_format", "NHWC"), use.text("dst_format", "NCHW")
    if sorted(source) != sorted(target):
        raise Unsupported(f"the layouts {source!r} and {target!r}")
    if use.node.operator == "DataFormatDimMap":
        numbers = use.builder.integers([target.index(one) for one in source], use[0].dtype)
        return use.call("take", numbers, use[0], axis=0, mode="wrap")
    count = use[0].extent(0)
    if count != len(source):  # only the spatial axes
        source, target = ("".join(one for one in names if one not in "NC") for names in (source, target))
    if count != len(source):
        raise Unsupported(f"{count} numbers for the layout {source!r}")
    return use.call("take", use[0], use.builder.integers([source.index(one) for one in target]), axis=0)


@imports("ConcatOffset")
def offsets(use: Use) -> Sequence[Value]:
    """Where each of several tensors begins when they are joined along an axis, given their shapes."""
    axis, shapes = use.integer(0, "an axis"), use.tensors(1)
    found, total = [], use.like(0, shapes[0])
    for one in shapes:
        rank = one.extent(0)
        if not rank:
            raise Unsupported("a shape of no axes, or of unknown length")
        parts = [total if at == axis % rank else use.like(0, one) for at in range(rank)]
        found.append(use.call("stack", use.builder.tuple(parts), axis=0))
        place = use.builder.number(axis % rank, DType.INT64)
        total = use.call("add", total, use.call("take", one, place, axis=0))
    return found


@imports("ParallelConcat")
def joined(use: Use) -> Value:
    """The concatenation of tensors that have one slice each."""
    parts = use.tensors()
    return use.call("concatenate", use.builder.tuple(parts), axis=0) if len(parts) > 1 else parts[0]


@imports("UnravelIndex")
def coordinates(use: Use) -> Value:
    """The coordinates that belong to indices in row-major order."""
    return use.call("unravel_index", use[0], use.ranked(1, 1))


@imports("Cross")
def cross(use: Use) -> Value:
    """The cross products of vectors along the last axis of two tensors of one shape."""
    after, before = (use.builder.integers(order) for order in ([1, 2, 0], [2, 0, 1]))
    pair = use.alike(use[0], use[1])
    parts = [[use.call("take", one, order, axis=-1) for order in (after, before)] for one in pair]
    terms = [[Term(use, one) for one in pair] for pair in parts]
    return (terms[0][0] * terms[1][1] - terms[0][1] * terms[1][0]).value
