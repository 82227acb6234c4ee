"""`Resize`, which interpolates a tensor to other sizes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports
from gradual.importers.onnx.signals.stretching import Size, Wanted, stretched, wanted_sizes
from gradual.types.dtype import DType

LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
OUTER = ("WNC", "NWC")
"""Layouts of `image.resize1d` in which the spatial axis is the batch, or the channels."""
METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}
COORDINATES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
ROUNDINGS = ("round_prefer_floor", "floor", "ceil", "round_prefer_ceil")


@imports("Resize", "Upsample")
def resize(use: Use) -> Value:
    """The tensor resized: by `image.resize` where that samples the same coordinates as ONNX, else axis by axis."""
    mode, coordinates = use.only("mode", *METHODS), _coordinates(use)
    use.only("antialias", 0)
    wanted = wanted_sizes(use, keeps=coordinates != "tf_crop_and_resize")
    if not _is_of_images(use, mode, coordinates, wanted):
        return stretched(use, mode, coordinates, wanted)
    at = "half_pixel" if coordinates == "pytorch_half_pixel" else coordinates
    settings: dict[str, Any] = {"method": METHODS[mode], "coordinate_transformation_mode": at}
    if mode == "nearest":
        rounding = "floor" if use.opset < 11 else use.only("nearest_mode", *ROUNDINGS)
        settings["rounding_method"] = rounding if rounding in ("floor", "ceil") else "round"
        return _nearest(use, wanted, settings)
    if mode == "cubic":
        settings |= {"cubic_alpha": use.attribute("cubic_coeff_a", -0.75)}
        settings |= {"cubic_exclude": use.attribute("exclude_outside", 0)}
    return _between(use, wanted, settings)


def _coordinates(use: Use) -> str:
    if use.node.operator == "Upsample" or use.opset < 11:
        return "asymmetric"
    mode: str = use.only("coordinate_transformation_mode", *COORDINATES, "half_pixel_symmetric", "tf_crop_and_resize")
    return mode


def _is_of_images(use: Use, mode: str, coordinates: str, wanted: Mapping[int, Wanted]) -> bool:
    """Whether `image.resize`, which uses the sizes only and rounds halves up, samples the same coordinates as ONNX."""
    if not 1 <= use[0].rank <= 5 or coordinates not in COORDINATES or not all(one.is_whole for one in wanted.values()):
        return False
    if coordinates == "pytorch_half_pixel":
        coordinates = "half_pixel"
        if any(not isinstance(one.size, int) or one.size == 1 for one in wanted.values()):
            return False
    rounds = mode == "nearest" and use.opset >= 11 and use.attribute("nearest_mode", ROUNDINGS[0]) == ROUNDINGS[0]
    return not rounds or all(_meets_no_half(use[0].extent(axis), one, coordinates) for axis, one in wanted.items())


def _meets_no_half(have: int | None, wanted: Wanted, coordinates: str) -> bool:
    """Whether no sampled coordinate is half way between two elements of the data."""
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
    """Resize the spatial axes together, and then the batch and the channels one after the other."""
    x, before = _with_axes(use, use[0], max(3 - use[0].rank, 0))
    sizes = {axis + before: one.size for axis, one in wanted.items()}
    x = _inside(use, x, sizes, settings)
    for axis in (0, 1):
        if axis in sizes:
            x = _outside(use, x, axis, sizes[axis], settings)
    return use.call("squeeze", x, axis=list(range(before))) if before else x


def _between(use: Use, wanted: Mapping[int, Wanted], settings: dict[str, Any]) -> Value:
    """Interpolate along all axes of a tensor of low rank, else along the spatial axes only."""
    x, sizes = use[0], {axis: one.size for axis, one in wanted.items()}
    if x.rank < 3 or (x.rank == 3 and settings["method"] == "linear" and {0, 1} & set(sizes)):
        x, before = _with_axes(use, x, 2)
        found = _inside(use, x, {axis + before: size for axis, size in sizes.items()}, settings)
        return use.call("squeeze", found, axis=[0, 1])
    for axis in {0, 1} & set(sizes):
        x = _kept(use, x, axis, sizes[axis])
    return _inside(use, x, sizes, settings)


def _kept(use: Use, x: Value, axis: int, size: Size) -> Value:
    """The image, with a check that the requested size of its batch or channels is the present size."""
    known = x.extent(axis)
    if known is None:
        return use.exactly(x, axis, size)
    wanted = use.builder.number(size, DType.INT64) if isinstance(size, int) else size
    return use.demanded(x, use.call("equal", wanted, use.like(known, wanted)), "sizes change the batch or the channels")


def _with_axes(use: Use, x: Value, count: int) -> tuple[Value, int]:
    """The tensor with `count` leading axes of size 1; and `count`."""
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
