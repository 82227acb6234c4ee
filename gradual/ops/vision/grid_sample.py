"""Sampling images at computed positions: grids and crops; and dilation, the greatest sum of a window and a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

from gradual.dims.term.constraint import any_of, at_least, equal
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_but, counting_axes
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, not_negative, of_dtype, same_dtype, tensor
from gradual.ops.declaration.windows import (
    SPATIAL,
    arranged,
    ordered,
    origins,
    owed,
    per_axis,
    places,
    restored,
    surrounded,
    tap_offsets,
    tap_rows,
    window,
)
from gradual.ops.indexing.index_modes import integers
from gradual.ops.nn.convolution import cells_of
from gradual.ops.vision.interpolation import CROPPING, Scheme, canonical, cubic_weights, finished, interpolated
from gradual.ops.vision.resize import image, one_of
from gradual.tensors import reals
from gradual.tensors.fault import out_of_bounds
from gradual.tensors.index import numel, strides
from gradual.tensors.scalar import kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]
Tap = tuple[int, float]


def _floats(given: TensorType[Dim], operand: int, rank: int | None = None) -> TensorType[Dim]:
    found = tensor(given, operand, rank=rank)
    of_dtype(found, operand, lambda dtype: dtype.is_float, "a tensor of floats")
    return found


# ----------------------------------------------------------------------------------------------------- grid_sample
def _located(place: float, extent: int, align_corners: bool) -> float:
    """A position from -1 to 1 in pixels: the ends are the centres of the border pixels, or their outer edges."""
    return (place + 1.0) * (extent - 1) / 2.0 if align_corners else ((place + 1.0) * extent - 1.0) / 2.0


def _bounded(place: float, extent: int) -> float:
    return min(max(place, 0.0), extent - 1.0)


def _mirrored(place: float, extent: int, align_corners: bool) -> float:
    """The position mirrored at the ends until it lies between them, then limited to the border pixels."""
    low, span = (0.0, extent - 1.0) if align_corners else (-0.5, float(extent))
    if span == 0.0:
        return 0.0
    around = math.fmod(abs(place - low), 2.0 * span)
    return _bounded(low + min(around, 2.0 * span - around), extent)


def _moved(place: float, extent: int, padding_mode: str, align_corners: bool) -> float:
    """The position that `padding_mode` puts in place of one outside; NaN if an infinite position is to be mirrored."""
    if padding_mode == "zeros" or place != place:
        return place
    if padding_mode == "border":
        return _bounded(place, extent)
    return _mirrored(place, extent, align_corners) if math.isfinite(place) else math.nan


def _samples(place: float, extent: int, method: str, padding_mode: str, align_corners: bool) -> list[Tap] | None:
    """The pixels along an axis that a position uses, none beyond the border, and their weights; None for NaN."""
    if method != "bicubic":
        place = _moved(place, extent, padding_mode, align_corners)
    if place != place:
        return None
    if not -2.0 <= place <= extent + 1.0 and padding_mode == "zeros":
        return []
    if method == "bicubic":
        if not math.isfinite(place):
            return None
        return _cubic_samples(place, extent, padding_mode, align_corners)
    if method == "nearest":
        taps = [(round(place), 1.0)]
    else:
        first = math.floor(place)
        taps = [(first, 1.0 - (place - first)), (first + 1, place - first)]
    return [(at, weight) for at, weight in taps if 0 <= at < extent and weight]


def _cubic_samples(place: float, extent: int, padding_mode: str, align_corners: bool) -> list[Tap]:
    first = math.floor(place)
    weights = cubic_weights(Fraction(place) - first, Fraction(-3, 4))
    taps = (
        (_moved(float(at), extent, padding_mode, align_corners), float(w)) for at, w in enumerate(weights, first - 1)
    )
    return [(math.floor(at), weight) for at, weight in taps if 0 <= at < extent and weight]


def _grid_sample(
    data: Tensor, grid: Tensor, *, method: str, layout: str, padding_mode: str, align_corners: bool
) -> Tensor:
    cells, batch, channels, extents = canonical(data, layout)
    count, area, shape = len(extents), numel(extents), grid.shape[2:]
    spots, steps = numel(shape), strides(extents)
    found: list[Any] = [0] * (batch * channels * spots)
    for one, spot in product(range(batch), range(spots)):
        where = [grid.elements[(one * count + axis) * spots + spot] for axis in range(count)][::-1]
        each = [
            _samples(_located(place, extent, align_corners), extent, method, padding_mode, align_corners)
            for place, extent in zip(where, extents, strict=True)
        ]
        read = _combined(each, steps)
        for channel in range(one * channels, (one + 1) * channels):
            found[channel * spots + spot] = _weighed(cells, channel * area, read)
    return restored(kept(data.dtype, found), (batch, channels, *shape), layout, data.dtype)


def _combined(each: Sequence[list[Tap] | None], steps: Ints) -> list[Tap] | None:
    """The offsets of the pixels that are used, row-major, and their weights; None if a coordinate is NaN."""
    read: list[Tap] = [(0, 1.0)]
    for taps, step in zip(each, steps, strict=True):
        if taps is None:
            return None
        read = [(base + at * step, whole * weight) for base, whole in read for at, weight in taps]
    return read


def _weighed(cells: Sequence[Any], base: int, read: list[Tap] | None) -> float:
    return math.nan if read is None else total(cells[base + at] * weight for at, weight in read)


_GRID_METHODS = {2: ("bilinear", "nearest", "bicubic"), 3: ("bilinear", "nearest")}


def _sample_extends(growth: Growth) -> tuple[Axes, ...]:
    """The axes of the batch and the channels; all axes of the grid but axis 1, along which the coordinates lie."""
    return counting_axes(growth.types[0], growth.attributes), all_but(growth.types[1], 1)


@operator(
    "image.grid_sample", meaning=_grid_sample, family="sampling", padding=Padding(_sample_extends), onnx="GridSample"
)
def grid_sample(
    data: TensorType[Dim],
    grid: TensorType[Dim],
    *,
    method: str = "bilinear",
    layout: str = "NCHW",
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Judgement:
    """The image sampled at the positions in a grid.   t[n, c, h, w], t[n, 2, a, b] -> t[n, c, a, b]

        out[n, c, i, j] = sum over y, x of u(y) * v(x) * data[n, c, y, x]
        Y = (grid[n, 1, i, j] + 1) * (h - 1) / 2 with align_corners, else ((grid[n, 1, i, j] + 1) * h - 1) / 2
        X = (grid[n, 0, i, j] + 1) * (w - 1) / 2 with align_corners, else ((grid[n, 0, i, j] + 1) * w - 1) / 2

    The weights v along x, and u along y in the same way, are: with the method "bilinear" 1 - t of floor(X) and t of
    floor(X) + 1, t = X - floor(X); with "nearest" 1 of X rounded, halves to even; with "bicubic" those of
    `image.resize1d` with the coefficient -0.75 of floor(X) - 1 to floor(X) + 2.  With `padding_mode` "zeros", elements
    outside of the data are left out of the sum; with "border" X is first limited to 0 to w - 1; with "reflection" X is
    first mirrored, at 0 and w - 1 with `align_corners`, else at -0.5 and w - 0.5, until it lies between them, and then
    limited to 0 to w - 1.  With "bicubic" this is done with each of the four places instead of X.  Elements of weight
    0 are left out too.  The element at a position that is NaN is NaN, and so is one at an infinite position that is
    mirrored, or in the mode "border" with "bicubic".

    There are as many grids as images [op.image.grid_sample.batch], with a number for each spatial axis, the last axis
    first [op.image.grid_sample.axes]; a volume has three spatial axes, and no method "bicubic".  Except with "zeros",
    no spatial axis of the data is empty [op.image.grid_sample.source].  The layout is that of data and result.
    """
    given = _floats(data, 0)
    count = given.rank - 2
    if count not in _GRID_METHODS:
        raise IllFormed("op.rank", f"argument 1 has to have rank 4 or 5, not {given.rank}", 0)
    _, axes = image(data, count, layout)
    held = _floats(grid, 1, rank=given.rank)
    for written, admitted, name in (
        (method, _GRID_METHODS[count], "method"),
        (padding_mode, ("zeros", "border", "reflection"), "padding_mode"),
    ):
        if written not in admitted:
            raise IllFormed("op.attribute", f'{name} has to be one of {", ".join(admitted)}, not "{written}"')
    batch = agreement(
        given.shape[axes[0]], held.shape[0], "op.image.grid_sample.batch", "data and grid differ in batch size",
        (0, axes[0]), (1, 0),
    )  # fmt: skip
    says = "the grid does not have one coordinate for each spatial axis"
    needs = [batch, agreement(held.shape[1], constant(count), "op.image.grid_sample.axes", says, (1, 1))]
    if padding_mode != "zeros":
        empty = "an empty image has no border"
        needs += [
            Need(at_least(given.shape[axis], ONE), "op.image.grid_sample.source", empty, ((0, axis),))
            for axis in axes[2:]
        ]
    shape = (given.shape[axes[0]], given.shape[axes[1]], *held.shape[2:])
    return judged(arranged(shape, layout, "NC" + SPATIAL[count]), same_dtype(given, held), needs)


# ----------------------------------------------------------------------------------------------------- affine_grid
def _affine_grid(data: Tensor, *, target_shape: Ints) -> Tensor:
    height, width = ([2.0 * i / (extent - 1) - 1.0 for i in range(extent)] for extent in target_shape)
    found: list[float] = []
    for start in range(0, data.size, 3):
        a, b, c = data.elements[start : start + 3]
        found += [a * x + b * y + c for y in height for x in width]
    return tensor_of((data.shape[0], 2, *target_shape), data.dtype, kept(data.dtype, found))


@operator("image.affine_grid", meaning=_affine_grid, family="sampling", onnx="AffineGrid")
def affine_grid(data: TensorType[Dim], *, target_shape: tuple[Dim, Dim]) -> Judgement:
    """The positions from which an affine map takes the pixels of an image.   t[n, 2, 3] -> t[n, 2, ..target_shape]

        out[n, r, y, x] = data[n, r, 0] * X + data[n, r, 1] * Y + data[n, r, 2]
        X = 2 * x / (w - 1) - 1,  Y = 2 * y / (h - 1) - 1,  (h, w) = target_shape

    For each image there is a matrix of 2 rows and 3 columns [op.image.affine_grid.matrix].  The corners are at -1 and
    1, so h and w are at least 2 [op.image.affine_grid.size].
    """
    given = _floats(data, 0, rank=3)
    says = "an affine map of the plane is a matrix of 2 rows and 3 columns"
    matrix = [
        agreement(given.shape[axis], constant(extent), "op.image.affine_grid.matrix", says, (0, axis))
        for axis, extent in ((1, 2), (2, 3))
    ]
    two = "there are fewer than two cells along an axis"
    sizes = [Need(at_least(extent, constant(2)), "op.image.affine_grid.size", two) for extent in target_shape]
    return judged((given.shape[0], constant(2), *target_shape), given.dtype, (*matrix, *sizes))


# ------------------------------------------------------------------------------------------------- crop_and_resize
_CROP_METHODS = {"bilinear": "linear", "nearest_neighbor": "nearest_neighbor"}


def _crop_and_resize(
    data: Tensor, boxes: Tensor, box_indices: Tensor, *, crop_size: tuple[int, ...], layout: str, method: str,
    extrapolation_value: float, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    cells, batch, channels, extents = canonical(data, layout)
    sizes, target = per_axis(crop_size, 2, "crop_size"), out_dtype or data.dtype
    scheme = Scheme(_CROP_METHODS[method.lower()], CROPPING, "round")
    area, found = channels * numel(extents), list[Any]()
    for box, index in enumerate(box_indices.elements):
        if not 0 <= index < batch:
            raise out_of_bounds(index, batch, "image")
        top, left, bottom, right = boxes.elements[4 * box : 4 * box + 4]
        if channels and all(sizes):
            regions = ((top, bottom), (left, right))
            each = zip(extents, sizes, regions, strict=True)
            where = [scheme.coordinates(extent, count, region) for extent, count, region in each]
            crop = interpolated(cells[index * area : (index + 1) * area], channels, extents, scheme, where)
            found += finished(crop, data.dtype, target, scheme, channels, extents, where, extrapolation_value)
    return restored(kept(target, found), (boxes.shape[0], channels, *sizes), layout, target)


@operator("image.crop_and_resize", meaning=_crop_and_resize, family="sampling", faults=Faults.OTHERWISE)
def crop_and_resize(
    data: TensorType[Dim],
    boxes: TensorType[Dim],
    box_indices: TensorType[Dim],
    *,
    crop_size: tuple[Dim, ...],
    layout: str = "NCHW",
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    out_dtype: DType | None = None,
) -> Judgement:
    """Boxes of images, all resized to one size.   t[n, c, h, w], u[b, 4], int[b] -> t[b, c, ..crop_size]

        out[i] = image.resize2d(data[box_indices[i]], size=crop_size, roi=boxes[i])  in the mode "tf_crop_and_resize"

    with the method "linear" for "bilinear", the rounding method "round", and the same `extrapolation_value`.  A box
    has 4 numbers: top, left, bottom and right as fractions of the axes [op.image.crop_and_resize.box].  There are as
    many `box_indices` as boxes [op.image.crop_and_resize.boxes]; one that is not from 0 to n - 1 is a fault.  Sizes
    are not negative [op.resize.size], and an empty axis of the data stays empty [op.resize.source].
    """
    given, axes = image(data, 2, layout)
    corners, which = _floats(boxes, 1, rank=2), integers(tensor(box_indices, 2, rank=1), 2)
    sizes = per_axis(crop_size, 2, "crop_size")
    one_of(method, _CROP_METHODS, "method")
    says, many = "a box does not have four sides", "there must be one batch index for each box"
    needs = [
        agreement(corners.shape[1], constant(4), "op.image.crop_and_resize.box", says, (1, 1)),
        agreement(corners.shape[0], which.shape[0], "op.image.crop_and_resize.boxes", many, (1, 0), (2, 0)),
        *not_negative(sizes, "op.resize.size"),
    ]
    nothing = "an axis of the input is empty, but not that of the result"
    for wanted, axis in zip(sizes, axes[2:], strict=True):
        source = any_of(equal(wanted, ZERO), at_least(given.shape[axis], ONE))
        needs.append(Need(source, "op.resize.source", nothing, ((0, axis),)))
    shape = arranged((corners.shape[0], given.shape[axes[1]], *sizes), layout, "NCHW")
    return judged(shape, out_dtype or given.dtype, needs)


# ------------------------------------------------------------------------------------------------------ dilation2d
def _dilation2d(
    data: Tensor, weight: Tensor, *, strides: Ints, padding: Ints, dilations: Ints, data_layout: str,
    kernel_layout: str, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    target = out_dtype or data.dtype
    batch, channels, *extents = ordered(data.shape, data_layout, "NCHW")
    kernel = ordered(weight.shape, kernel_layout, "IHW")[1:]
    move = window(kernel, strides, dilations, padding, 2)
    counts = move.positions(extents)
    cells = cells_of(data, data_layout, "NCHW", target)
    weights = cells_of(weight, kernel_layout, "IHW", target)
    volume = surrounded(cells, tuple(extents), move.padding, 0, batch * channels)
    reached = [range(0, size * apart, apart) for size, apart in zip(move.kernel, move.dilation, strict=True)]
    taps, starts = tap_offsets(volume.shape, reached), origins(volume.shape, counts, move.strides)
    greater = reals.maximum if target.is_float else max
    found: list[Any] = []
    for channel in range(batch * channels):
        own = weights[channel % channels * len(taps) : (channel % channels + 1) * len(taps)]
        for row in tap_rows(volume, taps, channel, starts, counts[-1], move.strides[-1]):
            sums = [kept(target, [cell + shift for cell in along]) for along, shift in zip(row, own, strict=True)]
            found += reduce(lambda left, right: list(map(greater, left, right)), sums)
    return restored(kept(target, found), (batch, channels, *counts), data_layout, target)


@operator("image.dilation2d", meaning=_dilation2d, family="sampling")
def dilation2d(
    data: TensorType[Dim],
    weight: TensorType[Dim],
    *,
    strides: tuple[Dim, ...] = (ONE, ONE),
    padding: tuple[Dim, ...] = (ZERO, ZERO),
    dilations: tuple[Dim, ...] = (ONE, ONE),
    data_layout: str = "NCHW",
    kernel_layout: str = "IHW",
    out_dtype: DType | None = None,
) -> Judgement:
    """The greatest of the sums of a window and the kernel.   t[n, c, h, w], t[c, k, l] -> t[n, c, h', w']

        out[n, c, y, x] = max over i, j of data[n, c, Y, X] + weight[c, i, j]
        Y = y * strides[0] - top + i * dilations[0],  X = x * strides[1] - left + j * dilations[1]
        h' = (h + top + bottom - ((k - 1) * dilations[0] + 1)) // strides[0] + 1

    Elements outside of the data are 0.  Each sum is rounded to the type of the result, which is `out_dtype` or the
    data's. The weight has as many kernels as the data channels [op.image.dilation2d.channels], of height and width of
    at least 1 [op.image.dilation2d.kernel]; strides and dilations are at least 1, paddings at least 0
    [op.window.positive] [op.window.padding]; the window is no wider than the padded input [op.window.fits].
    """
    given, axes = image(data, 2, data_layout)
    kernels = tensor(weight, 1, rank=3)
    own = places(kernel_layout, "IHW", "kernel_layout")
    dtype = same_dtype(given, kernels)
    batch, channels, *extents = (given.shape[axis] for axis in axes)
    move = window(tuple(kernels.shape[axis] for axis in own[1:]), strides, dilations, padding, 2)
    says, empty = "there must be one kernel for each channel", "the kernel is empty"
    shares = [
        agreement(channels, kernels.shape[own[0]], "op.image.dilation2d.channels", says, (0, axes[1]), (1, own[0])),
        *(
            Need(at_least(kernels.shape[axis], ONE), "op.image.dilation2d.kernel", empty, ((1, axis),))
            for axis in own[1:]
        ),
    ]
    shape = arranged((batch, channels, *move.positions(extents)), data_layout, "NCHW")
    return judged(shape, out_dtype or dtype, (*shares, *owed(move, extents, axes[2:])))
