"""Operators that look at images elsewhere than at their cells: resizing, sampling, regions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from gradual.importers.onnx.applying import Use, constant_of, imports, positive, spatial
from gradual.importers.onnx.building import Value
from gradual.importers.onnx.model import Unsupported
from gradual.importers.onnx.shapes import extent
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


@imports("Resize", "Upsample")
def resize(use: Use) -> Value:
    """The image with other spatial extents."""
    x, count = use[0], spatial(use[0])
    method = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}[
        use.only("mode", "nearest", "linear", "cubic")
    ]
    for name, usual in (("antialias", 0), ("keep_aspect_ratio_policy", "stretch")):
        use.only(name, usual)
    coordinates = use.only(
        "coordinate_transformation_mode", "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"
    )
    if use.node.operator == "Upsample" or use.opset < 11:
        coordinates = "asymmetric"
    size = _extents(use, count)
    if coordinates == "pytorch_half_pixel":
        if any(known is None or int(known.item()) == 1 for known in map(constant_of, size)):
            raise Unsupported("coordinate_transformation_mode='pytorch_half_pixel' of an axis that may have size 1")
        coordinates = "half_pixel"
    settings: dict[str, Any] = {"method": method, "coordinate_transformation_mode": coordinates}
    if method == "nearest_neighbor":
        settings["rounding_method"] = _rounding(use, size, coordinates)
    if method == "cubic":
        settings["cubic_alpha"] = use.attribute("cubic_coeff_a", -0.75)
        settings["cubic_exclude"] = use.attribute("exclude_outside", 0)
    settings["layout"] = LAYOUTS[count]
    return _resized(use, _same_outside(use, x), size, settings)


def _rounding(use: Use, size: Sequence[Value], coordinates: str) -> str:
    """The rounding of the nearest cell; halves go up here, and down only where there are none."""
    if use.opset < 11:
        return "floor"
    rounding: str = use.only("nearest_mode", "round_prefer_floor", "floor", "ceil", "round_prefer_ceil")
    if rounding == "round_prefer_floor" and not all(
        _meets_no_half(use[0].extent(axis + 2), constant_of(wanted), coordinates) for axis, wanted in enumerate(size)
    ):
        raise Unsupported("nearest_mode='round_prefer_floor' where a cell may lie half way between two others")
    return rounding if rounding in ("floor", "ceil") else "round"


def _meets_no_half(have: int | None, wanted: Tensor | None, coordinates: str) -> bool:
    """Whether no cell of the result lies half way between two cells of the data."""
    if have is None or wanted is None:
        return False
    count = int(wanted.item())
    half = Fraction(1, 2)
    match coordinates:
        case "half_pixel":
            places = [(index + half) * Fraction(have, max(count, 1)) - half for index in range(count)]
        case "align_corners":
            places = [index * Fraction(have - 1, max(count - 1, 1)) for index in range(count)]
        case _:
            places = [index * Fraction(have, max(count, 1)) for index in range(count)]
    return all(place % 1 != half for place in places)


def _resized(use: Use, x: Value, size: list[Value], settings: dict[str, Any]) -> Value:
    known = [constant_of(extent) for extent in size]
    if all(extent is not None for extent in known):
        numbers = [int(extent.item()) for extent in known if extent is not None]
        return use.call(f"image.resize{len(size)}d", x, size=numbers, **settings)
    if len(size) != 2:
        raise Unsupported("sizes that are computed when the model runs, of other than 2 axes")
    sizes = use.call("stack", use.builder.tuple(size), axis=0)
    region = use.builder.constant(Tensor([], DType.FLOAT32, (0,)))
    return use.call("dyn.image.resize2d", x, sizes, region, **settings)


def _extents(use: Use, count: int) -> list[Value]:
    """The new sizes of the spatial axes, from the sizes or the factors that are given."""
    if use.node.operator == "Upsample" or use.opset < 11:
        scales: Value | None = use.optional(1)
        if scales is None:
            given = list(use.required("scales"))
            scales = use.builder.constant(Tensor(given, DType.FLOAT32, (len(given),)))
        sizes = None
    else:
        scales, sizes = use.optional(2), use.optional(3)
    axes, inner = _named_axes(use), range(2, count + 2)
    if sizes is not None:
        return [
            use.call("take", sizes, use.builder.number(axes.index(axis), DType.INT64), axis=0)
            if axis in axes
            else extent(use, use[0], axis)
            for axis in inner
        ]
    if scales is None:
        raise Unsupported("neither sizes nor scales")
    if scales.extent(0) != len(axes):
        raise Unsupported(f"factors for other than {len(axes)} axes")
    factors = dict(zip(axes, scales.known("factors").flat(), strict=True))
    if any(factors.get(axis, 1) != 1 for axis in (0, 1)):
        raise Unsupported("factors of the batch or of the channels")
    return [_scaled_extent(use, axis, float(factors.get(axis, 1))) for axis in inner]


def _named_axes(use: Use) -> list[int]:
    """The axes of which sizes or factors are given."""
    rank = use[0].rank
    return [positive(axis, rank) for axis in use.attribute("axes", tuple(range(rank)))]


def _same_outside(use: Use, x: Value) -> Value:
    """The data, of which the sizes that are given promise the batch and the channels: they are not resized."""
    sizes, outer = use.optional(3), (0, 1)
    if use.opset < 11 or sizes is None:
        return x
    axes = _named_axes(use)
    known = sizes.tensor.contents
    promised: dict[int, Value] = {}
    for axis in set(outer) & set(axes):
        at = axes.index(axis)
        if known is not None and known[at] is x.tensor.shape[axis]:
            continue
        size = use.call("take", sizes, use.builder.number(at, DType.INT64), axis=0)
        if size.constant is not None and x.extent(axis) is not None:
            raise Unsupported("sizes that change the batch or the channels")
        promised[axis] = use.builder.named(size, "outer")
    if not promised:
        return x

    def text(given: Sequence[str]) -> str:
        names = dict(zip(promised, given[1:], strict=True))
        extents = (names.get(axis, "?").removesuffix("i64") for axis in range(x.rank))
        return f"({given[0]} as Tensor[({', '.join(extents)}), {x.dtype}])"

    return Value(x.type, use.builder.bind([x, *promised.values()], text))


def _scaled_extent(use: Use, axis: int, factor: float) -> Value:
    """The size times a factor; where that leaves a rest, ONNX computes with the factor and not with the sizes."""
    size = extent(use, use[0], axis)
    if not isfinite(factor):
        raise Unsupported(f"the factor {factor} of an axis")
    if factor == int(factor):
        return use.call("multiply", size, use.builder.number(int(factor), DType.INT64))
    have = use[0].extent(axis)
    if have is None or have * factor != int(have * factor):
        raise Unsupported(f"the factor {factor} of an axis, which leaves a rest")
    return use.builder.number(int(have * factor), DType.INT64)


@imports("GridSample")
def grid_sample(use: Use) -> Value:
    """The image read where a grid says."""
    count = spatial(use[0])
    if count != 2:
        raise Unsupported(f"{count} spatial axes")
    words = {
        "bilinear": "bilinear",
        "linear": "bilinear",
        "nearest": "nearest",
        "bicubic": "bicubic",
        "cubic": "bicubic",
    }
    return use.call(
        "image.grid_sample",
        use[0],
        use.call("transpose", use[1], axes=[0, 3, 1, 2]),
        method=words[use.only("mode", *words)],
        padding_mode=use.only("padding_mode", "zeros", "border", "reflection"),
        align_corners=bool(use.attribute("align_corners", 0)),
    )


@imports("RoiAlign")
def region_align(use: Use) -> Value:
    """For each region the mean or the greatest of samples in each of its parts."""
    usual = "half_pixel" if use.opset >= 16 else "output_half_pixel"
    if use.attribute("coordinate_transformation_mode", usual) != "output_half_pixel":
        raise Unsupported("coordinate_transformation_mode='half_pixel'")
    index = use.call("expand_dims", use.call("cast", use[2], dtype=use[1].dtype), axis=1)
    regions = use.call("concatenate", use.builder.tuple([index, use[1]]), axis=1)
    return use.call(
        "vision.roi_align",
        use[0],
        regions,
        pooled_size=[use.attribute("output_height", 1), use.attribute("output_width", 1)],
        spatial_scale=use.attribute("spatial_scale", 1.0),
        sample_ratio=use.attribute("sampling_ratio", 0) or -1,
        mode=use.only("mode", "avg"),
    )
