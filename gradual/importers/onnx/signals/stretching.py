"""Resizing axis by axis: for each element of the new axis, the coordinate in the old axis that is sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import isfinite

from gradual.importers.common.applying import positive
from gradual.importers.common.composed.arithmetic import (
    Term,
    ceil,
    counted,
    extent,
    floor,
    greater,
    lesser,
    numbered,
    where,
)
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

Size = int | Value

SHORT = 2**16, 2**8
"""Bounds of numerator and denominator of a factor; a size is multiplied exactly below them, and in float32 above."""


@record(slots=False)
class Wanted:
    """A new size of an axis.

    Attributes:
        scale: the factor of the axis, a float32.
        is_whole: whether the new size is exactly the old one times `scale`.
        factor: `scale`, if it is given as an integer; without meaning unless `is_whole`.
    """

    size: Size
    scale: Term
    is_whole: bool = True
    factor: int | None = None


# -------------------------------------------------------------------------------------------------------------- sizes
def wanted_sizes(use: Use, keeps: bool) -> dict[int, Wanted]:
    """Axis -> its new size, from the given sizes or factors; with `keeps`, axes whose size stays are left out."""
    x = use[0]
    axes = [positive(axis, x.rank) for axis in use.attribute("axes", tuple(range(x.rank)))]
    if len(set(axes)) < len(axes):
        raise Unsupported("an axis that is repeated")
    scales, sizes = _given(use)
    if (scales is None) is (sizes is None):
        raise Unsupported("neither sizes nor scales" if sizes is None else "both sizes and scales")
    policy = use.only("keep_aspect_ratio_policy", "stretch", "not_larger", "not_smaller")
    if scales is not None:
        if policy != "stretch":
            raise Unsupported(f"keep_aspect_ratio_policy={policy!r} with scales")
        return _by_factors(use, axes, scales, keeps)
    assert sizes is not None
    vector = use.exactly(sizes, 0, len(axes))
    found: dict[int, Size] = {axis: use.builder.element(vector, at) for at, axis in enumerate(axes)}
    if policy != "stretch":
        return _in_proportion(use, found, policy == "not_larger")
    kept = [axis for axis, size in found.items() if keeps and use.builder.dim(size) is x.tensor.shape[axis]]
    return {axis: Wanted(size, _ratio(use, axis, size)) for axis, size in found.items() if axis not in kept}


def _given(use: Use) -> tuple[Value | None, Value | None]:
    """The inputs with factors and with sizes; the node has to have one of the two."""
    if use.node.operator == "Upsample" or use.opset < 11:
        if (scales := use.optional(1)) is not None:
            return scales, None
        given = list(use.required("scales"))
        return use.builder.constant(Tensor(given, DType.FLOAT32, (len(given),))), None
    scales, sizes = (_unless_empty(use.optional(index)) for index in (2, 3))
    return scales, sizes


def _unless_empty(value: Value | None) -> Value | None:
    """An input; None if it is empty, since before version 13 an empty input may mean one that is left out."""
    return None if value is not None and value.rank == 1 and value.extent(0) == 0 else value


def _ratio(use: Use, axis: int, size: Size) -> Term:
    return counted(use, size).to(DType.FLOAT32) / extent(use, use[0], axis).to(DType.FLOAT32)


def _by_factors(use: Use, axes: Sequence[int], scales: Value, keeps: bool) -> dict[int, Wanted]:
    if scales.extent(0) not in (None, len(axes)):
        raise Unsupported(f"factors for other than {len(axes)} axes")
    if scales.elements is not None:
        factors = dict(zip(axes, scales.known("factors").flat(), strict=True))
        return {axis: _scaled(use, axis, float(one)) for axis, one in factors.items() if one != 1 or not keeps}
    vector, found = use.exactly(scales, 0, len(axes)), dict[int, Wanted]()
    for at, axis in enumerate(axes):
        scale = Term(use, use.call("take", vector, use.builder.number(at, DType.INT64), axis=0))
        positive_scale = use.demanded(scale.value, (scale > 0.0).value, "a factor is not greater than 0")
        found[axis] = _multiplied(use, axis, Term(use, positive_scale))
    return found


def _multiplied(use: Use, axis: int, scale: Term) -> Wanted:
    """The size times a factor in float32, rounded down."""
    size = floor(extent(use, use[0], axis).to(DType.FLOAT32) * scale).to(DType.INT64)
    return Wanted(use.written_size(size.value), scale, is_whole=False)


def _scaled(use: Use, axis: int, factor: float) -> Wanted:
    """The size times a known factor, rounded down."""
    if not isfinite(factor) or factor <= 0:
        raise Unsupported(f"the factor {factor} of an axis")
    have, scale = use[0].extent(axis), Term(use, use.builder.number(factor, DType.FLOAT32))
    above, below = Fraction(factor).as_integer_ratio()
    if have is not None and have * above % below == 0:
        return Wanted(have * above // below, scale, factor=above if below == 1 else None)
    if above >= SHORT[0] or below > SHORT[1]:
        return _multiplied(use, axis, scale)
    size = extent(use, use[0], axis) * above
    return Wanted(use.written_size((size // below).value if below > 1 else size.value), scale, below == 1, above)


def _in_proportion(use: Use, sizes: Mapping[int, Size], smaller: bool) -> dict[int, Wanted]:
    """Sizes that scale all axes by the same factor: the least, or the greatest, of the factors of the given sizes."""
    ratios = [_ratio(use, axis, size) for axis, size in sizes.items()]
    scale = reduce(lesser if smaller else greater, ratios)
    found = {}
    for axis in sizes:
        size = floor(extent(use, use[0], axis).to(DType.FLOAT32) * scale + 0.5).to(DType.INT64)
        found[axis] = Wanted(use.written_size(size.value), scale, is_whole=False)
    return found


# ------------------------------------------------------------------------------------------------------------- places
def stretched(use: Use, mode: str, coordinates: str, wanted: Mapping[int, Wanted]) -> Value:
    """The tensor resized, axis by axis."""
    if coordinates == "align_corners" and any(not one.is_whole for one in wanted.values()):
        if any(one.scale.value.elements is None for one in wanted.values()):
            raise Unsupported("align_corners by factors computed when the model runs")
        raise Unsupported("align_corners by a factor that may leave a rest, which ONNX's tests and its text read apart")
    if mode != "nearest" and not use[0].dtype.is_float:
        raise Unsupported(f"mode={mode!r} of elements of type {use[0].dtype}")
    x = use[0]
    for at, (axis, one) in enumerate(wanted.items()):
        places = _places(use, coordinates, axis, one, at, len(wanted))
        found = _read(use, mode, x, axis, places, one)
        x = _extrapolated(use, found, axis, places) if coordinates == "tf_crop_and_resize" else found
    return x


def _places(use: Use, coordinates: str, axis: int, wanted: Wanted, at: int, count: int) -> Term:
    """The coordinate sampled for each element of an axis, a float32; `at` is its index among `count` resized axes."""
    steps, size = numbered(use, wanted.size).to(DType.FLOAT32), counted(use, wanted.size).to(DType.FLOAT32)
    have = extent(use, use[0], axis).to(DType.FLOAT32)
    match coordinates:
        case "asymmetric":
            return steps / wanted.scale
        case "align_corners":
            return where(size > 1.0, steps * (have - 1.0) / greater(size - 1.0, 1.0), steps * 0.0)
        case "tf_crop_and_resize":
            start, end = (_region(use, index) for index in (at, at + count))
            inner = steps * (end - start) * (have - 1.0) / greater(size - 1.0, 1.0) + start * (have - 1.0)
            return where(size > 1.0, inner, (start + end) * 0.5 * (have - 1.0) + steps * 0.0)
    middle = (steps + 0.5) / wanted.scale
    match coordinates:
        case "pytorch_half_pixel":
            return where(size > 1.0, middle - 0.5, steps * 0.0)
        case "half_pixel_symmetric":
            return have / 2.0 * (1.0 - size / (wanted.scale * have)) + middle - 0.5
    return middle - 0.5


def _region(use: Use, index: int) -> Term:
    """A bound of the sampled region along an axis, as a fraction of the axis."""
    number = use.builder.number(index, DType.INT64)
    return Term(use, use.call("take", use[1], number, axis=0)).to(DType.FLOAT32)


def _extrapolated(use: Use, found: Value, axis: int, places: Term) -> Value:
    """The resized tensor, with a given number where the coordinate is outside of the axis."""
    last = extent(use, use[0], axis).to(DType.FLOAT32) - 1.0
    outside = (places < 0.0) | (places > last)
    filling = use.like(use.attribute("extrapolation_value", 0.0), found)
    return use.call("where", _lanes(use, outside, found.rank, axis).value, filling, found)


def _lanes(use: Use, numbers: Term, rank: int, axis: int) -> Term:
    """Numbers for the elements of an axis, shaped to broadcast to a tensor of a given rank."""
    after = rank - 1 - axis
    return Term(use, use.call("expand_dims", numbers.value, axis=1, num_newaxis=after)) if after else numbers


# ------------------------------------------------------------------------------------------------------------ reading
def _read(use: Use, mode: str, x: Value, axis: int, places: Term, wanted: Wanted) -> Value:
    """The tensor sampled at coordinates along an axis."""
    match mode:
        case "nearest":
            return _taken(use, x, axis, _rounded(use, places, wanted))
        case "linear":
            low = floor(places)
            weights = [1.0 - (places - low), places - low]
            return _sum(use, x, axis, [low, low + 1.0], weights)
        case _:
            low = floor(places)
            return _cubic(use, x, axis, low, places - low)


def _rounded(use: Use, places: Term, wanted: Wanted) -> Term:
    if use.node.operator == "Upsample" or use.opset < 11:
        return where(wanted.scale < 1.0, ceil(places), floor(places))
    match use.only("nearest_mode", "round_prefer_floor", "floor", "ceil", "round_prefer_ceil"):
        case "floor":
            return floor(places)
        case "ceil":
            return ceil(places)
        case "round_prefer_floor":
            return ceil(places - 0.5)
        case _:
            return floor(places + 0.5)


def _taken(use: Use, x: Value, axis: int, places: Term) -> Value:
    """The elements at integer coordinates along an axis; a coordinate outside is clamped."""
    return use.call("take", x, places.to(DType.INT64).value, axis=axis, mode="clip")


def _sum(use: Use, x: Value, axis: int, places: Sequence[Term], weights: Sequence[Term]) -> Value:
    """The weighted sum of the elements at several integer coordinates along an axis."""
    cells = [Term(use, _taken(use, x, axis, one)) for one in places]
    lanes = [_lanes(use, weight.to(x.dtype), x.rank, axis) for weight in weights]
    return reduce(Term.__add__, [cell * lane for cell, lane in zip(cells, lanes, strict=True)]).value


def _cubic(use: Use, x: Value, axis: int, low: Term, beyond: Term) -> Value:
    """Cubic interpolation: the weighted sum of the four elements around each coordinate."""
    a = use.attribute("cubic_coeff_a", -0.75)
    places = [low - 1.0, low, low + 1.0, low + 2.0]
    distances = [beyond + 1.0, beyond, 1.0 - beyond, 2.0 - beyond]
    outer = [((d * a - 5 * a) * d + 8 * a) * d - 4 * a for d in (distances[0], distances[3])]
    inner = [((d * (a + 2) - (a + 3)) * d) * d + 1.0 for d in distances[1:3]]
    weights = [outer[0], *inner, outer[1]]
    if use.attribute("exclude_outside", 0):
        last = extent(use, x, axis).to(DType.FLOAT32) - 1.0
        weights = [
            where((place < 0.0) | (place > last), weight * 0.0, weight)
            for place, weight in zip(places, weights, strict=True)
        ]
        all = reduce(Term.__add__, weights)
        weights = [weight / all for weight in weights]
    return _sum(use, x, axis, places, weights)
