"""Sliding windows over arrays with the axes batch, channels, space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.arrays.products import product
from gradual.tensors.index import numel
from gradual.tensors.scalar import TYPECODES
from gradual.types.dtype import DType

_AT_ONCE = 1 << 21
"""How many elements of windows are copied at once."""


def windows(
    cells: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[tuple[int, int]],
    fill: Any = 0,
) -> Array:
    """A view with the axes batch, channels, kernel, positions: the elements of each window, `fill` in the padding."""
    np, count = numpy(), len(kernel)
    padded = np.pad(cells, ((0, 0), (0, 0), *padding), constant_values=fill) if any(map(any, padding)) else cells
    reach = [(extent - 1) * step + 1 for extent, step in zip(kernel, dilation, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(padded, reach, tuple(range(2, count + 2)))
    view = view[(..., *(slice(None, None, step) for step in (*strides, *dilation)))]
    return view.transpose(0, 1, *range(count + 2, 2 * count + 2), *range(2, count + 2))


def picked(cells: Array, starts: Sequence[Sequence[int]], counts: Sequence[int]) -> Array:
    """As `windows`, for taps that are not evenly spaced: `starts` has the first position of each tap of an axis."""
    np, rank = numpy(), len(counts)
    along = []
    for axis, (first, count) in enumerate(zip(starts, counts, strict=True)):
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = len(first), count
        along.append((np.array(first)[:, None] + np.arange(count)).reshape(shape))
    return cells[(..., *along)]


def correlated(view: Array, kernels: Array, dtype: DType) -> Array:
    """The products of windows with kernels, with the axes batch, output channels, positions.

    The kernels have the axes groups, output channels of a group, and elements of a window in that group.
    """
    groups, share, taps = kernels.shape
    batch, counts = view.shape[0], view.shape[(view.ndim + 2) // 2 :]
    found = numpy().empty((batch, groups * share, *counts), TYPECODES[dtype])
    rows = max(_AT_ONCE // max(groups * taps * numel(counts[1:]), 1), 1)
    for sample in range(batch):
        for start in range(0, counts[0], rows):
            part = view[(sample, ..., slice(start, start + rows), *(slice(None) for _ in counts[1:]))]
            here = part.shape[-len(counts) :]
            columns = part.reshape(groups, taps, numel(here))
            found[sample, :, start : start + rows] = product(kernels, columns, dtype).reshape(groups * share, *here)
    return found
