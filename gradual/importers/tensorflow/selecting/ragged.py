"""Ragged tensors: rows of different lengths, concatenated in one tensor, with the indices at which they begin."""

from __future__ import annotations

from gradual.importers.common.composed.arithmetic import Term, greater, lesser, numbered, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType

_LAST = 2**31 - 1
"""An end beyond every axis."""


@imports("RaggedTensorToTensor")
def padded(use: Use) -> Value:
    """The rows as slices of one tensor, in which shorter ones are filled up, and longer ones than a given size cut."""
    if use.attribute("row_partition_types", ()) != ("ROW_SPLITS",):
        raise Unsupported("rows within rows, or rows that are not told by their ends; take a padded tensor as an input")
    values, wanted = use[1], _wanted(use)
    starts, lengths = _rows(use)
    width = wanted[1] if wanted[1] != -1 else _longest(use, lengths)
    steps = Term(use, use.call("expand_dims", numbered(use, width).value, axis=0))
    start, length = (Term(use, use.call("expand_dims", one, axis=1)) for one in (starts, lengths))
    count = Term(use, use.extent(values, 0))
    place = where(steps < length, lesser(start + steps, count), count)
    inner = [use.written_size(use.extent(values, axis)) for axis in range(1, values.rank)]
    filling = use.call("broadcast_to", use[2], shape=[1, *inner])
    rows = use.call("concatenate", use.builder.tuple([values, filling]), axis=0)
    found = use.call("take", rows, place.value, axis=0)
    for axis, size in enumerate(wanted[2:], 2):
        found = found if size == -1 else use.exactly(found, axis, size)
    return found


def _wanted(use: Use) -> list[int | Value]:
    """The wanted size of each axis; -1 for the size that the rows have."""
    values = use[1]
    found: list[int | Value] = use.sizes(use[0]) if use[0].rank else [-1] * (values.rank + 1)
    if len(found) != values.rank + 1 or found[0] != -1:
        raise Unsupported("rows in a shape of another rank, or with a number of rows; cut the tensor after it")
    return found


def _rows(use: Use) -> tuple[Value, Value]:
    """Where each row begins, and its length."""
    ends = use.as_type(use.ranked(3, 1), DType.INT64)
    starts, stops = (use.call("strided_slice", ends, begin=[begin], end=[end]) for begin, end in ((0, -1), (1, _LAST)))
    first = use.call("take", ends, use.builder.number(0, DType.INT64), axis=0, mode="fast")
    lengths = Term(use, stops) - Term(use, starts)
    is_first = use.call("equal", first, use.like(0, first))
    is_ordered = use.call("all", use.call("greater_equal", lengths.value, use.like(0, lengths.value)))
    starts = use.demanded(starts, is_first, "the first row begins at 0")
    return starts, use.demanded(lengths.value, is_ordered, "no row ends before it begins")


def _longest(use: Use, lengths: Value) -> int | Value:
    """The length of the longest row; 0 if there are no rows."""
    all = use.call("concatenate", use.builder.tuple([lengths, use.builder.integers([0])]), axis=0)
    return use.written_size(greater(Term(use, use.call("max", all)), 0).value)
