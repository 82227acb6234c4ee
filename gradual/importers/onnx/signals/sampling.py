"""Operators that sample images: at the coordinates of a grid, and in regions."""

from __future__ import annotations

from gradual.importers.common.composed.arithmetic import Term, counted, greater, numbered
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports, spatial
from gradual.types.dtype import DType


@imports("GridSample")
def grid_sample(use: Use) -> Value:
    """The image sampled at the coordinates of a grid."""
    count = spatial(use[0])
    if count == 1:
        raise Unsupported("1 spatial axis")
    grid = use[1]
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
        use.call("transpose", grid, axes=[0, grid.rank - 1, *range(1, grid.rank - 1)]),
        method=words[use.only("mode", *words)],
        padding_mode=use.only("padding_mode", "zeros", "border", "reflection"),
        align_corners=bool(use.attribute("align_corners", 0)),
        layout="NCDHW" if count == 3 else None,
    )


@imports("AffineGrid")
def affine_grid(use: Use) -> Value:
    """For each element of the result, the coordinates that an affine map samples, scaled to [-1, 1]."""
    theta, length = use[0], use[1].extent(0)
    count = theta.extent(1) if length is None else length - 2
    if count not in (2, 3) or theta.rank != 3:
        raise Unsupported("maps of other than two or three axes")
    sizes = use.exactly(use[1], 0, count + 2)
    for axis, size in enumerate((use.builder.element(sizes, 0), count, count + 1)):
        theta = use.exactly(theta, axis, size)
    columns = []
    for at in range(count + 1):
        column = use.call("take", theta, use.builder.number(at, DType.INT64), axis=2, mode="fast")
        columns.append(Term(use, use.call("expand_dims", column, axis=1, num_newaxis=count)))
    found = columns[count]
    for at in range(count):
        size = use.builder.element(sizes, count + 1 - at)
        found = found + columns[at] * _between_corners(use, size, at, theta.dtype)
    return found.value


def _between_corners(use: Use, size: int | Value, after: int, dtype: DType) -> Term:
    """The coordinates from -1 to 1 along an axis, shaped to precede `after` axes and the axis of coordinates."""
    steps, whole = numbered(use, size).to(dtype), counted(use, size).to(dtype)
    if use.attribute("align_corners", 0):
        places = steps * 2.0 / greater(whole - 1.0, 1.0) - 1.0
    else:
        places = (steps * 2.0 + 1.0) / whole - 1.0
    return Term(use, use.call("expand_dims", places.value, axis=1, num_newaxis=after + 1))


@imports("RoiAlign")
def region_align(use: Use) -> Value:
    """For each region, the mean of the samples in each of its parts."""
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
