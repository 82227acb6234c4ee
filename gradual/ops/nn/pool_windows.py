"""The windows of pools: data in the order in which a pool visits them, padding, and the elements that count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from gradual.ops.declaration.windows import SPATIAL, Window
from gradual.ops.shape.layout import Layout
from gradual.ops.shape.layout import layout as layout_of
from gradual.tensors.index import permuted
from gradual.tensors.scalar import integer_range, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType

Ints = tuple[int, ...]


def order_of(layout: Layout) -> tuple[str, ...]:
    """The order in which a pool visits the axes: the spatial ones last."""
    return tuple(letter for letter in "NCnc" + SPATIAL[3] if letter in layout.letters)


def least(dtype: DType) -> Any:
    """The least value of a type, the identity of the maximum."""
    return -math.inf if dtype.is_float else integer_range(dtype)[0]


def canonical(data: Tensor, layout: str) -> tuple[list[Any], Ints, Ints]:
    """The elements in the order batch, channels, space; then the extents of the axes before space, and of space."""
    found = layout_of(layout, "layout")
    order = order_of(found)
    axes = [found.letters.index(letter) for letter in order]
    outer = sum(letter not in SPATIAL[3] for letter in order)
    shape = tuple(data.shape[axis] for axis in axes)
    return list(permuted(data.elements, data.shape, axes)), shape[:outer], shape[outer:]


def restored(found: Iterable[Any], shape: Ints, layout: str, dtype: DType) -> Tensor:
    """The tensor in its layout, from elements in the order batch, channels, space, rounded or wrapped to their type."""
    target = layout_of(layout, "layout")
    axes = [order_of(target).index(letter) for letter in target.letters]
    return tensor_of(tuple(shape[axis] for axis in axes), dtype, permuted(kept(dtype, found), shape, axes))


def overhanging(move: Window[int], extents: Sequence[int], counts: Sequence[int]) -> list[tuple[int, int]]:
    """The padding, widened where the last window of an axis reaches beyond it."""
    each = zip(move.padding, move.padded(extents), move.reach(), move.strides, counts, strict=True)
    return [
        (before, after + max((count - 1) * step + width - room, 0))
        for (before, after), room, width, step, count in each
    ]


def tap_counts(move: Window[int], extents: Ints, counts: Ints, padded: bool) -> list[int]:
    """How many taps count at each window position, at least 1."""
    found = [1]
    each = zip(extents, counts, move.kernel, move.strides, move.dilation, move.padding, strict=True)
    for extent, count, size, step, apart, (before, after) in each:
        inside = range(-before, extent + after) if padded else range(extent)
        starts = range(-before, -before + count * step, step)
        here = [sum(start + tap * apart in inside for tap in range(size)) for start in starts]
        found = [outer * own for outer in found for own in here]
    return [max(size, 1) for size in found]
