"""Regions of an image, and sampling between its pixels.

A region is a row of five numbers: the index of its image in the batch, and two corners as column, row, column, row, in
units that `spatial_scale` converts to pixels.  Coordinates and sums are computed in binary64 and rounded once.  Between
pixels a value is interpolated from the four around it, where a pixel of weight 0 is not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import product
from typing import Any, TypeAlias

from gradual.dims.term.constraint import divides
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, agreement, judged, tensor
from gradual.ops.declaration.windows import arranged, at_least, per_axis, places
from gradual.ops.nn.pool_windows import canonical, restored
from gradual.ops.vision.detection import floats
from gradual.tensors import reals
from gradual.tensors.fault import invalid_value, out_of_bounds
from gradual.tensors.scalar import total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType

Cells: TypeAlias = Sequence[Any]
Ints: TypeAlias = tuple[int, ...]
MOST_SAMPLES = 4096
"""How many samples one part of a region may take along an axis."""


def between(cells: Cells, base: int, extents: tuple[int, int], y: float, x: float) -> float:
    """The interpolated value at a position in the plane that starts at offset `base`."""
    height, width = extents
    row, column = math.floor(y), math.floor(x)
    down, across = y - row, x - column
    each = (
        (row, column, (1.0 - down) * (1.0 - across)),
        (row, column + 1, (1.0 - down) * across),
        (row + 1, column, down * (1.0 - across)),
        (row + 1, column + 1, down * across),
    )
    found: float = total(
        cells[base + min(i, height - 1) * width + min(j, width - 1)] * weight for i, j, weight in each if weight
    )
    return found


# ------------------------------------------------------------------------------------------- roi_align and roi_pool
def _regions(data: TensorType[Dim], rois: TensorType[Dim], pooled_size: tuple[Dim, ...], layout: str) -> Judgement:
    """The judgement of a result with `pooled_size` parts of each region."""
    axes = places(layout, "NCHW", "layout")
    given, named = floats(data, 0, 4), floats(rois, 1, 2)
    channels = given.shape[axes[1]]
    says = "a region is not a row of five numbers"
    needs = (
        agreement(named.shape[1], constant(5), "op.regions.columns", says, (1, 1)),
        *at_least(ONE, pooled_size, "pooled_size"),
    )
    parts = per_axis(pooled_size, 2, "pooled_size")
    return judged(arranged((named.shape[0], channels, *parts), layout, "NCHW"), given.dtype, needs)


Part: TypeAlias = Callable[[int], float]


def _pooled(
    data: Tensor, rois: Tensor, pooled_size: Ints, layout: str,
    parts: Callable[[Cells, tuple[int, int], Cells, Ints], Iterable[Part]],
) -> Tensor:  # fmt: skip
    """Compute every part of every region: `parts` returns for a region functions of the offset of a channel's plane."""
    cells, (batches, channels), (height, width) = canonical(data, layout)
    counts = per_axis(pooled_size, 2, "pooled_size")
    found: list[float] = []
    for start in range(0, rois.size, 5):
        number, *corners = rois.elements[start : start + 5]
        if not all(map(math.isfinite, (number, *corners))):
            raise invalid_value("a number of a region is infinite or NaN")
        if not 0 <= int(number) < batches:
            raise out_of_bounds(int(number), batches)
        each = list(parts(cells, (height, width), corners, counts))
        for channel in range(channels):
            base = (int(number) * channels + channel) * height * width
            found += [part(base) for part in each]
    return restored(found, (rois.shape[0], channels, *counts), layout, data.dtype)


def _roi_align(
    data: Tensor, rois: Tensor, *, pooled_size: Ints, spatial_scale: float, sample_ratio: int, layout: str, mode: str
) -> Tensor:
    """The mean or the greatest of a grid of samples in each part."""

    def parts(cells: Cells, extents: tuple[int, int], corners: Cells, counts: Ints) -> Iterator[Part]:
        left, top, right, bottom = (corner * spatial_scale for corner in corners)
        rows = _samples(top, bottom, counts[0], sample_ratio)
        columns = _samples(left, right, counts[1], sample_ratio)
        for ys, xs in product(rows, columns):
            spots = [(y, x) for y in ys for x in xs]

            def part(base: int, spots: list[tuple[float, float]] = spots) -> float:
                values = [_at(cells, base, extents, y, x) for y, x in spots]
                return total(values) / len(values) if mode == "avg" else reduce(reals.maximum, values)

            yield part

    return _pooled(data, rois, pooled_size, layout, parts)


def _samples(low: float, high: float, count: int, ratio: int) -> list[list[float]]:
    """The sample positions in each of `count` parts of an interval, which is taken to have at least length 1."""
    length = max(high - low, 1.0) / count
    if ratio <= 0 and not length <= MOST_SAMPLES:
        raise invalid_value(f"a region takes more than {MOST_SAMPLES} samples along an axis of a part")
    each = ratio if ratio > 0 else math.ceil(length)
    return [[low + part * length + (i + 0.5) * length / each for i in range(each)] for part in range(count)]


def _at(cells: Cells, base: int, extents: tuple[int, int], y: float, x: float) -> float:
    """A sample: 0 if it is more than a pixel outside of the plane; the value at the edge if it is nearer."""
    height, width = extents
    if not (height and width and -1.0 <= y <= height and -1.0 <= x <= width):
        return 0.0
    return between(cells, base, extents, min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0))


@operator("vision.roi_align", meaning=_roi_align, family="regions", faults=Faults.OTHERWISE, onnx="RoiAlign")
def roi_align(
    data: TensorType[Dim],
    rois: TensorType[Dim],
    *,
    pooled_size: tuple[Dim, ...],
    spatial_scale: float,
    sample_ratio: int = -1,
    layout: str = "NCHW",
    mode: str = "avg",
) -> Judgement:
    """For each region the mean of samples in each of `pooled_size` equal parts.

    t[n, c, h, w], t[r, 5] -> t[r, c, ..p]

        out[k, c, i, j] = mean over a, b of sample(y1 + (i + (a + 0.5) / A) * H, x1 + (j + (b + 0.5) / B) * W)
        (image, x1, y1, x2, y2) = rois[k], the last four times spatial_scale
        H = max(y2 - y1, 1) / p[0],  W = max(x2 - x1, 1) / p[1]
        A = B = sample_ratio if that is above 0, else A = ceil(H), B = ceil(W)

    a runs from 0 to A - 1, b from 0 to B - 1, inside of it; with `mode="max"` the result is the greatest sample.
    sample(Y, X) is 0 unless -1 <= Y <= h and -1 <= X <= w; else Y is limited to 0 to h - 1 and X to 0 to w - 1, and
    the sample is interpolated from the four elements of data[image, c] around the position, as in
    `nn.deformable_conv2d`. A region has 5 numbers [op.regions.columns]; `pooled_size` is at least 1
    [op.window.positive].  The image is rounded toward zero; one that is out of bounds is a fault [op.index.bounds],
    and so is a number that is infinite or NaN.
    """
    if mode not in ("avg", "max"):
        raise IllFormed("op.attribute", f'mode has to be "avg" or "max", not "{mode}"')
    if sample_ratio > MOST_SAMPLES:
        raise IllFormed("op.attribute", f"sample_ratio has to be at most {MOST_SAMPLES}, not {sample_ratio}")
    return _regions(data, rois, pooled_size, layout)


def _roi_pool(data: Tensor, rois: Tensor, *, pooled_size: Ints, spatial_scale: float, layout: str) -> Tensor:
    """The greatest element of each part."""

    def parts(cells: Cells, extents: tuple[int, int], corners: Cells, counts: Ints) -> Iterator[Part]:
        left, top, right, bottom = (_nearest(corner * spatial_scale) for corner in corners)
        height, width = extents
        rows, columns = _bins(top, bottom, counts[0], height), _bins(left, right, counts[1], width)
        for ys, xs in product(rows, columns):
            offsets = [y * width + x for y in ys for x in xs]

            def part(base: int, offsets: list[int] = offsets) -> float:
                return reduce(reals.maximum, (cells[base + offset] for offset in offsets)) if offsets else 0.0

            yield part

    return _pooled(data, rois, pooled_size, layout, parts)


def _nearest(value: float) -> int:
    """The nearest integer, halves away from 0."""
    if math.isinf(value):
        raise invalid_value("a scaled number of a region is infinite")
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _bins(first: int, last: int, count: int, extent: int) -> list[range]:
    """`count` parts of the indices from first to last, overlapping where they must, clipped to the axis."""
    length = max(last - first + 1, 1)

    def within(cell: int) -> int:
        return min(max(first + cell, 0), extent)

    return [range(within(i * length // count), within(-(-(i + 1) * length // count))) for i in range(count)]


@operator("vision.roi_pool", meaning=_roi_pool, family="regions", faults=Faults.OTHERWISE, onnx="MaxRoiPool")
def roi_pool(
    data: TensorType[Dim],
    rois: TensorType[Dim],
    *,
    pooled_size: tuple[Dim, ...],
    spatial_scale: float,
    layout: str = "NCHW",
) -> Judgement:
    """For each region the greatest pixel of each of `pooled_size` parts.   t[n, c, h, w], t[r, 5] -> t[r, c, ..p]

        out[k, c, i, j] = max over y, x of data[image, c, y, x],  and 0 where there is no such y or x
        y from y1 + i * H // p[0] up to y1 + ((i + 1) * H + p[0] - 1) // p[0], excluded,  H = max(y2 - y1 + 1, 1)
        x from x1 + j * W // p[1] up to x1 + ((j + 1) * W + p[1] - 1) // p[1], excluded,  W = max(x2 - x1 + 1, 1)
        (image, x1, y1, x2, y2) = rois[k], the last four times spatial_scale, rounded to integers, halves away from 0

    The bounds of y and x are limited to the image.  A region has 5 numbers [op.regions.columns]; `pooled_size` is at
    least 1 [op.window.positive].  The image is rounded toward zero; one that is out of bounds is a fault
    [op.index.bounds], and so is a number that is infinite or NaN.
    """
    return _regions(data, rois, pooled_size, layout)


# ------------------------------------------------------------------------------------------------------- yolo_reorg
def _yolo_reorg(data: Tensor, *, stride: int) -> Tensor:
    """The data as an image of fewer channels, in which every stride-th element goes to the same channel."""
    batches, channels, height, width = data.shape
    inner, wide = channels // (stride * stride), width * stride
    found = data.elements[:0]
    for batch, channel in product(range(batches), range(channels)):
        block, plane = divmod(channel, inner)
        base = (batch * inner + plane) * height * stride
        for row in range(height):
            start = (base + row * stride + block // stride) * wide + block % stride
            found += data.elements[start : start + (width - 1) * stride + 1 : stride] if width else data.elements[:0]
    shape = (batches, channels * stride * stride, height // stride, width // stride)
    return tensor_of(shape, data.dtype, found)


@operator("vision.yolo_reorg", meaning=_yolo_reorg, family="regions")
def yolo_reorg(data: TensorType[Dim], *, stride: Dim = ONE) -> Judgement:
    """Blocks of pixels become channels.   t[n, c, h, w] -> t[n, c * s * s, h // s, w // s]

        z[n, q * m + p, y, x] = reshape(data, [n, m, h * s, w * s])[n, p, y * s + q // s, x * s + q % s]
        out = reshape(z, [n, c * s * s, h // s, w // s])

    As in Darknet; m = c // (s * s), q from 0 to s * s - 1.  The stride s is at least 1 [op.window.positive]; s * s
    divides the channels c, and s divides height h and width w [op.yolo_reorg.divides].
    """
    given = tensor(data, 0, rank=4)
    batches, channels, height, width = given.shape
    area = stride * stride
    says = "the stride does not divide channels, height and width"
    each = ((area, channels), (stride, height), (stride, width))
    needs = [
        *at_least(ONE, (stride,), "stride"),
        *(Need(divides(by, of), "op.yolo_reorg.divides", says, ((0, i),)) for i, (by, of) in enumerate(each, 1)),
    ]
    return judged((batches, channels * area, height // stride, width // stride), given.dtype, needs)
