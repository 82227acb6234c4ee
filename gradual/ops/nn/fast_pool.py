"""The pools of `pool.py` whose windows slide, with NumPy, in the same bits: a tap of all windows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from gradual.ops.declaration.windows import SPATIAL, Window, window
from gradual.ops.nn.pool_windows import Ints, least, order_of, overhanging, tap_counts
from gradual.ops.shape.layout import layout as layout_of
from gradual.record import record
from gradual.tensors import reals
from gradual.tensors.arrays.elements import computable, kept
from gradual.tensors.arrays.functions import ON_ARRAYS
from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.arrays.windows import windows
from gradual.tensors.index import coordinates, numel
from gradual.tensors.tensor import Tensor, tensor_of


@record(eq=False)
class Taps:
    """What a pool folds.

    Attributes:
        each: for each tap of the window, its element at each position of each channel.
        move: how the window moves.
        outer, extents, counts: the extents of the axes before space, of space, and of the positions.
    """

    each: Sequence[Array]
    move: Window[int]
    outer: Ints
    extents: Ints
    counts: Ints


def _taps(
    data: Tensor, fill: Any, *, pool_size: Ints, strides: Ints, dilation: Ints, padding: Ints, layout: str,
    out_layout: str, ceil_mode: bool,
) -> Taps:  # fmt: skip
    source = layout_of(layout, "layout")
    cells = computable(data.elements, data.dtype, data.shape)
    cells = cells.transpose([source.letters.index(letter) for letter in order_of(source)])
    count = sum(letter in SPATIAL[3] for letter in source.letters)
    outer, extents = cells.shape[:-count], cells.shape[-count:]
    move = window(pool_size, strides, dilation, padding, count)
    counts = move.positions(extents, ceil_mode)
    padded = overhanging(move, extents, counts)
    view = windows(cells.reshape(1, numel(outer), *extents), move.kernel, move.strides, move.dilation, padded, fill)
    return Taps([view[(0, slice(None), *tap)] for tap in coordinates(move.kernel)], move, outer, extents, counts)


def _placed(found: Array, taps: Taps, layout: str, data: Tensor) -> Tensor:
    """The result in its layout."""
    target = layout_of(layout, "layout")
    axes = [order_of(target).index(letter) for letter in target.letters]
    turned = found.reshape(*taps.outer, *taps.counts).transpose(axes)
    return tensor_of(turned.shape, data.dtype, kept(data.dtype, turned))


def max_pool(data: Tensor, *, layout: str, out_layout: str, **attributes: Any) -> Tensor:
    """The greatest element of each window."""
    taps = _taps(data, least(data.dtype), layout=layout, out_layout=out_layout, **attributes)
    greater = ON_ARRAYS[reals.maximum if data.dtype.is_float else max]
    return _placed(reduce(greater, taps.each), taps, out_layout or layout, data)


def avg_pool(
    data: Tensor, *, layout: str, out_layout: str, count_include_pad: bool, **attributes: Any
) -> Tensor | None:
    """The mean of each window of floats, over the taps inside the input, or also over those in the padding."""
    if not data.dtype.is_float:
        return None
    taps = _taps(data, 0.0, layout=layout, out_layout=out_layout, **attributes)
    sums = reduce(numpy().add, taps.each, 0.0)
    counts = numpy().array(tap_counts(taps.move, taps.extents, taps.counts, count_include_pad), "d")
    return _placed(sums / counts.reshape(taps.counts), taps, out_layout or layout, data)
