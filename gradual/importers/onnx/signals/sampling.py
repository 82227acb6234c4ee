"""Operators that read images at other places: grids and regions."""

from __future__ import annotations

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports, spatial


@imports("GridSample")
def grid_sample(use: Use) -> Value:
    """The image sampled at the coordinates of a grid."""
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
    """For each region, the mean of samples in each of its parts."""
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
