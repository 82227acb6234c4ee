"""The operator that gives a tensor other sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from gradual.importers.common.applying import positive
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
OUTER = ("WNC", "NWC")
"""Layouts of `image.resize1d` that make the batch, or the channels, its spatial axis."""
METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}
COORDINATES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")

Size = int | Value


@dataclass(frozen=True)
class Wanted:
    """A new size.

    Attributes:
        factor: the factor from which it was computed, if that is an integer.
    """

    size: Size
    factor: int | None = None


@imports("Resize", "Upsample")
def resize(use: Use) -> Value:
    """The tensor resized: by nearest neighbours along any axis, by other methods along spatial axes."""
    x, settings = use[0], {"method": METHODS[use.only("mode", *METHODS)]}
    for name, usual in (("antialias", 0), ("keep_aspect_ratio_policy", "stretch")):
        use.only(name, usual)
    wanted = _wanted(use)
    coordinates = _coordinates(use, wanted)
    settings["coordinate_transformation_mode"] = coordinates
    if not 1 <= x.rank <= 5:
        raise Unsupported(f"a tensor of rank {x.rank}")
    if settings["method"] == "nearest_neighbor":
        return _nearest(use, wanted, settings | {"rounding_method": _rounding(use, wanted, coordinates)})
    if settings["method"] == "cubic":
        settings |= {"cubic_alpha": use.attribute("cubic_coeff_a", -0.75)}
        settings |= {"cubic_exclude": use.attribute("exclude_outside", 0)}
    return _between(use, wanted, settings)


def _coordinates(use: Use, wanted: Mapping[int, Wanted]) -> str:
    if use.node.operator == "Upsample" or use.opset < 11:
        return "asymmetric"
    mode: str = use.only("coordinate_transformation_mode", *COORDINATES)
    if mode != "pytorch_half_pixel":
        return mode
    if any(not isinstance(one.size, int) or one.size == 1 for one in wanted.values()):
        raise Unsupported("coordinate_transformation_mode='pytorch_half_pixel' of an axis that may have size 1")
    return "half_pixel"


def _rounding(use: Use, wanted: Mapping[int, Wanted], coordinates: str) -> str:
    """How coordinates are rounded; halves are rounded up, so `round_prefer_floor` requires that there are none."""
    if use.opset < 11:
        return "floor"
    rounding: str = use.only("nearest_mode", "round_prefer_floor", "floor", "ceil", "round_prefer_ceil")
    if rounding == "round_prefer_floor" and not all(
        _meets_no_half(use[0].extent(axis), one, coordinates) for axis, one in wanted.items()
    ):
        raise Unsupported("nearest_mode='round_prefer_floor' where a cell may lie half way between two others")
    return rounding if rounding in ("floor", "ceil") else "round"


def _meets_no_half(have: int | None, wanted: Wanted, coordinates: str) -> bool:
    """Whether no element of the result lies half way between two elements of the data."""
    if wanted.factor is not None and coordinates == "half_pixel":
        return True  # (i + 1/2) / factor is never an integer
    if have is None or not isinstance(wanted.size, int):
        return False
    count, half = wanted.size, Fraction(1, 2)
    match coordinates:
        case "half_pixel":
            places = [(index + half) * Fraction(have, max(count, 1)) - half for index in range(count)]
        case "align_corners":
            places = [index * Fraction(have - 1, max(count - 1, 1)) for index in range(count)]
        case _:
            places = [index * Fraction(have, max(count, 1)) for index in range(count)]
    return all(place % 1 != half for place in places)


def _nearest(use: Use, wanted: Mapping[int, Wanted], settings: dict[str, Any]) -> Value:
    """Resize the spatial axes at once, and then the batch and the channels one by one."""
    x, before = _with_axes(use, use[0], max(3 - use[0].rank, 0))
    sizes = {axis + before: one.size for axis, one in wanted.items()}
    x = _inside(use, x, sizes, settings)
    for axis in (0, 1):
        if axis in sizes:
            x = _outside(use, x, axis, sizes[axis], settings)
    return use.call("squeeze", x, axis=list(range(before))) if before else x


def _between(use: Use, wanted: Mapping[int, Wanted], settings: dict[str, Any]) -> Value:
    """Resize by interpolation: all axes if there are few, else the spatial ones; the others keep their sizes."""
    x, sizes = use[0], {axis: one.size for axis, one in wanted.items()}
    if x.rank < 3 or (x.rank == 3 and settings["method"] == "linear" and {0, 1} & set(sizes)):
        x, before = _with_axes(use, x, 2)
        found = _inside(use, x, {axis + before: size for axis, size in sizes.items()}, settings)
        return use.call("squeeze", found, axis=[0, 1])
    for axis in {0, 1} & set(sizes):
        x = _kept(use, x, axis, sizes[axis])
    return _inside(use, x, sizes, settings)


def _kept(use: Use, x: Value, axis: int, size: Size) -> Value:
    """The image, with a check that the wanted size of its batch or channels is the one it has."""
    known = x.extent(axis)
    if known is None:
        return use.exactly(x, axis, size)
    wanted = use.builder.number(size, DType.INT64) if isinstance(size, int) else size
    return use.demanded(x, use.call("equal", wanted, use.like(known, wanted)), "sizes change the batch or the channels")


def _with_axes(use: Use, x: Value, count: int) -> tuple[Value, int]:
    """The tensor with `count` axes of size 1 in front, and `count`."""
    return (use.call("expand_dims", x, axis=0, num_newaxis=count) if count else x), count


def _inside(use: Use, x: Value, sizes: Mapping[int, Size], settings: dict[str, Any]) -> Value:
    """Resize the spatial axes."""
    axes, count = range(2, x.rank), x.rank - 2
    if not set(axes) & set(sizes):
        return x
    known = [sizes.get(axis, x.extent(axis)) for axis in axes]
    wanted = [use.extent(x, axis) if size is None else size for axis, size in zip(axes, known, strict=True)]
    return use.call(f"image.resize{count}d", x, size=wanted, **settings, layout=LAYOUTS[count])


def _outside(use: Use, x: Value, axis: int, size: Size, settings: dict[str, Any]) -> Value:
    """Resize the batch or the channels, as the spatial axis of a 1-D image."""
    flat = x
    while flat.rank > 3:
        flat = use.call("reshape", flat, newshape=[0, 0, -3, -2])
    found = use.call("image.resize1d", flat, size=[size], **settings, layout=OUTER[axis])
    if x.rank == 3:
        return found
    return use.call("reshape_like", found, x, lhs_begin=2, lhs_end=3, rhs_begin=2, rhs_end=x.rank)


def _wanted(use: Use) -> dict[int, Wanted]:
    """Axis -> its new size, from the given sizes or factors, without axes whose size plainly stays the same."""
    x = use[0]
    if use.node.operator == "Upsample" or use.opset < 11:
        scales: Value | None = use.optional(1)
        if scales is None:
            given = list(use.required("scales"))
            scales = use.builder.constant(Tensor(given, DType.FLOAT32, (len(given),)))
        sizes = None
    else:
        scales, sizes = (_unless_empty(use.optional(index)) for index in (2, 3))
    axes = [positive(axis, x.rank) for axis in use.attribute("axes", tuple(range(x.rank)))]
    if len(set(axes)) < len(axes):
        raise Unsupported("an axis that is repeated")
    if (scales is None) is (sizes is None):
        raise Unsupported("neither sizes nor scales" if sizes is None else "both sizes and scales")
    if sizes is not None:
        vector = use.exactly(sizes, 0, len(axes))
        found = {axis: Wanted(use.builder.element(vector, at)) for at, axis in enumerate(axes)}
        return {axis: one for axis, one in found.items() if use.builder.dim(one.size) is not x.tensor.shape[axis]}
    assert scales is not None
    if scales.extent(0) not in (None, len(axes)):
        raise Unsupported(f"factors for other than {len(axes)} axes")
    factors = dict(zip(axes, scales.known("factors").flat(), strict=True))
    return {axis: _scaled(use, axis, float(factor)) for axis, factor in factors.items() if factor != 1}


def _unless_empty(value: Value | None) -> Value | None:
    """An input; None if it is empty, as one left out may be before version 13."""
    return None if value is not None and value.rank == 1 and value.extent(0) == 0 else value


def _scaled(use: Use, axis: int, factor: float) -> Wanted:
    """The size times a factor; a fractional product is refused, since ONNX samples by the factor, not the sizes."""
    have = use[0].extent(axis)
    if not isfinite(factor):
        raise Unsupported(f"the factor {factor} of an axis")
    whole = int(factor) if factor == int(factor) else None
    if have is None and whole is not None:
        size = use.call("multiply", use.extent(use[0], axis), use.builder.number(whole, DType.INT64))
        return Wanted(size, whole)
    if have is None or have * factor != int(have * factor):
        raise Unsupported(f"the factor {factor} of an axis, which leaves a rest")
    return Wanted(int(have * factor), whole)
