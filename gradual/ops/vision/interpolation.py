"""Interpolation: the elements that each position of a resampled axis uses, their weights, and the weighted sums.

Coordinates and weights are exact rational functions of sizes and attributes, and each weight is rounded once, to
binary64; an element of weight 0 is not used.  Sums are in binary64, along the last axis first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from gradual.ops.declaration.windows import SPATIAL, ordered, places, restored
from gradual.record import record
from gradual.tensors.index import numel, permuted
from gradual.tensors.scalar import converted, dot, kept
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

Tap = tuple[int, float]
Region = tuple[float, float]
Place = Callable[[Fraction, int, int, Region], Fraction]

RESIZING = """    out[n, c, y] = sum over j of w_j * data[n, c, j],  and so along each spatial axis, the last one first
        c = (y + 1/2) * s - 1/2              half_pixel, s = (size of the data) / (size of the result)
            (y + 1/2) * s - 1/2, or 0 if the result has size 1          pytorch_half_pixel
            (y + 1/2) * s                                               tf_half_pixel_for_nn
            y * s                                                       asymmetric
            y * (a - 1) / (b - 1), or 0 if b is 1                       align_corners, from size a to size b
            (start + t * (end - start)) * (a - 1), t = y / (b - 1), or 1/2 if b is 1        tf_crop_and_resize

    c is the coordinate in the data of element y of the result, an exact fraction, f = floor(c) and t = c - f;
    `coordinate_transformation_mode` says which.  The
    method "linear" has the weight 1 - t for element f and t for f + 1; "cubic" has, with a = `cubic_alpha`,
    a * (t**3 - 2 * t**2 + t) for f - 1, (a + 2) * t**3 - (a + 3) * t**2 + 1 for f,
    -(a + 2) * t**3 + (2 * a + 3) * t**2 - a * t for f + 1 and a * (t**2 - t**3) for f + 2.  Beyond the ends of the
    axis the element at the end is taken; with `cubic_exclude` such elements have no weight, and the other weights are
    divided by their sum.  Each weight is rounded to binary64, and elements of weight 0 are not read.  Sums are in
    binary64; after those along the first spatial axis the result is rounded to its type, which is `out_dtype` or the
    data's, and truncated toward zero to an integer.  "nearest_neighbor" takes the element c, rounded by
    `rounding_method` and limited to the axis, and converts it as `cast` does: "round" takes halves away from zero,
    "round_prefer_floor" down and "round_prefer_ceil" up, "floor" and "ceil" round down and up, and an empty method is
    "round" with align_corners, else "floor".
"""
"""What the operators that resize compute, for their descriptions."""

HALF = Fraction(1, 2)
CROPPING = "tf_crop_and_resize"


def _half_pixel(x: Fraction, extent: int, count: int, region: Region) -> Fraction:
    return (x + HALF) * Fraction(extent, count) - HALF


def _align_corners(x: Fraction, extent: int, count: int, region: Region) -> Fraction:
    return x * Fraction(extent - 1, count - 1) if count > 1 else Fraction(0)


def _asymmetric(x: Fraction, extent: int, count: int, region: Region) -> Fraction:
    return x * Fraction(extent, count)


def _pytorch_half_pixel(x: Fraction, extent: int, count: int, region: Region) -> Fraction:
    return _half_pixel(x, extent, count, region) if count > 1 else Fraction(0)


def _tf_half_pixel_for_nn(x: Fraction, extent: int, count: int, region: Region) -> Fraction:
    return (x + HALF) * Fraction(extent, count)


def _tf_crop_and_resize(x: Fraction, extent: int, count: int, region: Region) -> Fraction:
    """The first and last position are the region's ends, as fractions of the axis; a single position is its middle."""
    start, end = map(Fraction, region)
    share = x / (count - 1) if count > 1 else HALF
    return (start + share * (end - start)) * (extent - 1)


COORDINATES: dict[str, Place] = {
    "half_pixel": _half_pixel,
    "align_corners": _align_corners,
    "asymmetric": _asymmetric,
    "pytorch_half_pixel": _pytorch_half_pixel,
    "tf_half_pixel_for_nn": _tf_half_pixel_for_nn,
    CROPPING: _tf_crop_and_resize,
}
"""`coordinate_transformation_mode` -> the function from an index of the result to a coordinate in the data."""


def _away(x: Fraction) -> int:
    return math.floor(x + HALF) if x >= 0 else math.ceil(x - HALF)


ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "round": _away,
    "round_prefer_floor": lambda x: math.ceil(x - HALF),
    "round_prefer_ceil": lambda x: math.floor(x + HALF),
    "floor": math.floor,
    "ceil": math.ceil,
}
"""`rounding_method` -> the function from a coordinate to the nearest index; "round" takes halves away from zero."""


def linear_weights(t: Fraction) -> Sequence[Fraction]:
    """The weights of the two elements around a position that is `t` beyond the first one."""
    return (1 - t, t)


def cubic_weights(t: Fraction, alpha: Fraction) -> Sequence[Fraction]:
    """The weights of two elements before and two after: the cubic convolution kernel."""
    square, cube = t**2, t**3
    return (
        alpha * (cube - 2 * square + t),
        (alpha + 2) * cube - (alpha + 3) * square + 1,
        -(alpha + 2) * cube + (2 * alpha + 3) * square - alpha * t,
        alpha * (square - cube),
    )


@record
class Scheme:
    """How an axis is resampled.

    Attributes:
        method: nearest_neighbor, linear or cubic.
        mode: a key of COORDINATES.
        rounding: a key of ROUNDINGS, or empty for the default of the mode.
        alpha: the coefficient of the cubic kernel.
        exclude: whether elements beyond the border have no weight, instead of taking the values of the border.
    """

    method: str
    mode: str
    rounding: str = ""
    alpha: float = -0.5
    exclude: bool = False

    def coordinates(self, extent: int, count: int, region: Region = (0.0, 1.0)) -> list[Fraction | None]:
        """The coordinate in the data of each of `count` positions; None if the region is not finite."""
        if self.mode == CROPPING and not all(map(math.isfinite, region)):
            return [None] * count
        place = COORDINATES[self.mode]
        return [place(Fraction(x), extent, count, region) for x in range(count)]

    def taps(self, coordinate: Fraction | None, extent: int) -> list[Tap]:
        """The elements that a coordinate uses, none of them twice, and their weights."""
        if coordinate is None:
            return [(0, 1.0)]
        if self.method == "nearest_neighbor":
            usual = "round" if self.mode == "align_corners" else "floor"
            return [(clamped(ROUNDINGS[self.rounding or usual](coordinate), extent), 1.0)]
        first = math.floor(coordinate)
        if self.method == "linear":
            return self._weighed(first, linear_weights(coordinate - first), extent)
        return self._weighed(first - 1, cubic_weights(coordinate - first, Fraction(self.alpha)), extent)

    def _weighed(self, first: int, weights: Sequence[Fraction], extent: int) -> list[Tap]:
        found: dict[int, Fraction] = {}
        for place, weight in enumerate(weights, first):
            if not self.exclude or self.method == "linear" or 0 <= place < extent:
                at = clamped(place, extent)
                found[at] = found.get(at, Fraction(0)) + weight
        whole = sum(found.values()) if self.exclude else Fraction(1)
        return [(at, float(weight / whole) if whole else math.nan) for at, weight in found.items() if weight]

    def outside(self, coordinate: Fraction | None, extent: int) -> bool:
        """Whether a coordinate of a region lies outside the data."""
        return self.mode == CROPPING and (coordinate is None or not 0 <= coordinate <= extent - 1)


def clamped(place: int, extent: int) -> int:
    """The nearest index of the axis."""
    return min(max(place, 0), extent - 1)


def resampled(cells: Sequence[Any], shape: Sequence[int], axis: int, taps: Sequence[Sequence[Tap]]) -> list[Any]:
    """The tensor with each line along an axis replaced by weighted sums of its elements."""
    inner, extent = numel(shape[axis + 1 :]), shape[axis]
    found: list[Any] = []
    for start in range(0, numel(shape[:axis]) * extent * inner, extent * inner or 1):
        for reading in taps:
            rows = [cells[start + at * inner : start + (at + 1) * inner] for at, _ in reading]
            weights = [weight for _, weight in reading]
            if weights == [1.0]:
                found += rows[0]
            else:
                found += [dot(weights, column) for column in zip(*rows, strict=True)] if rows else [0.0] * inner
    return found


def interpolated(
    volume: Sequence[Any], lead: int, extents: Sequence[int], scheme: Scheme, where: Sequence[Sequence[Fraction | None]]
) -> list[Any]:
    """The elements of `lead` volumes, interpolated at the coordinates along each axis."""
    shape, cells = [lead, *extents], list(volume)
    for axis in range(len(extents), 0, -1):
        taps = [scheme.taps(coordinate, shape[axis]) for coordinate in where[axis - 1]]
        cells = resampled(cells, shape, axis, taps)
        shape[axis] = len(taps)
    return cells


def finished(
    found: Sequence[Any], source: DType, target: DType, scheme: Scheme, lead: int, extents: Sequence[int],
    where: Sequence[Sequence[Fraction | None]], extrapolation: float,
) -> list[Any]:  # fmt: skip
    """Convert the elements to the target type, and set those outside the data to the extrapolation value."""
    nearest = scheme.method == "nearest_neighbor"
    cells = list(converted(source if nearest else DType.FLOAT64, target, found))
    (fill,) = converted(DType.FLOAT64, target, (extrapolation,))
    shape = [lead, *map(len, where)]
    for axis, (extent, coordinates) in enumerate(zip(extents, where, strict=True), 1):
        inner, span = numel(shape[axis + 1 :]), numel(shape[axis:])
        for place, coordinate in enumerate(coordinates):
            if scheme.outside(coordinate, extent):
                for start in range(place * inner, len(cells), span or 1):
                    cells[start : start + inner] = [fill] * inner
    return cells


def canonical(data: Tensor, layout: str) -> tuple[Any, int, int, list[int]]:
    """The elements in the order batch, channels, space; then batch, channels, and the spatial extents."""
    letters = "NC" + SPATIAL[data.rank - 2]
    batch, channels, *extents = ordered(data.shape, layout, letters)
    return permuted(data.elements, data.shape, places(layout, letters, "layout")), batch, channels, extents


def resized(
    data: Tensor, sizes: Sequence[int], layout: str, scheme: Scheme, regions: Iterable[Region] | None = None,
    extrapolation: float = 0.0, out_dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The tensor resampled along its spatial axes."""
    cells, batch, channels, extents = canonical(data, layout)
    target = out_dtype or data.dtype
    shape = (batch, channels, *sizes)
    if not numel(shape):
        return restored(kept(target, ()), shape, layout, target)
    each = zip(extents, sizes, regions or [(0.0, 1.0)] * len(sizes), strict=True)
    where = [scheme.coordinates(extent, count, region) for extent, count, region in each]
    found = interpolated(cells, batch * channels, extents, scheme, where)
    done = finished(found, data.dtype, target, scheme, batch * channels, extents, where, extrapolation)
    return restored(kept(target, done), shape, layout, target)
