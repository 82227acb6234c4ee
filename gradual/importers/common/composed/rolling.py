"""Axes rotated: elements that leave at one end enter at the other."""

from __future__ import annotations

from gradual.importers.common.applying import Applying
from gradual.importers.common.values import Value
from gradual.types.dtype import DType


def rolled(use: Applying, x: Value, shift: int | Value, axis: int) -> Value:
    """The tensor with an axis rotated by a number of places."""
    size = x.extent(axis)
    if isinstance(shift, int) and size:
        shift %= size
    if shift == 0:
        return x
    if isinstance(shift, Value) or (size is None and abs(shift) > 1):
        return _taken_around(use, x, shift, axis)
    low, high = (-shift, 2**31 - 1), (0, -shift)
    parts = [use.call("strided_slice", x, begin=[begin], end=[end], axes=[axis]) for begin, end in (low, high)]
    return use.call("concatenate", use.builder.tuple(parts), axis=axis)


def _taken_around(use: Applying, x: Value, shift: int | Value, axis: int) -> Value:
    """The slices along an axis in rotated order, selected by computed indices."""
    size, numbers = use.extent(x, axis), [use.builder.number(number, DType.INT64) for number in (0, 1)]
    steps = use.call("arange", numbers[0], size, numbers[1], dtype=DType.INT64)
    by = shift if isinstance(shift, Value) else use.builder.number(shift, DType.INT64)
    return use.call("take", x, use.call("subtract", steps, by), axis=axis, mode="wrap")
