"""Images of other sizes."""

from __future__ import annotations

from typing import Any

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


@imports("ResizeBilinear", "ResizeNearestNeighbor")
def resize(use: Use) -> Value:
    """The images in another size, by interpolation or by the nearest element."""
    x, sizes = use.ranked(0, 4), use[1]
    is_linear = use.node.operator == "ResizeBilinear"
    settings: dict[str, Any] = {"layout": "NHWC", "method": "linear" if is_linear else "nearest_neighbor"}
    settings["coordinate_transformation_mode"] = _coordinates(use)
    if not is_linear:
        settings["rounding_method"] = "floor" if settings["coordinate_transformation_mode"] == "asymmetric" else "round"
    x = use.as_type(x, DType.FLOAT32) if is_linear else x
    if sizes.extent(0) != 2:
        raise Unsupported("sizes that are not two")
    wanted = [use.builder.element(sizes, at) for at in range(2)]
    return use.call(
        "image.resize2d", x, size=[one if isinstance(one, int) else use.written_size(one) for one in wanted], **settings
    )


def _coordinates(use: Use) -> str:
    """The mode in which the coordinates that are sampled in the image are computed."""
    if use.flag("align_corners"):
        return "align_corners"
    if not use.flag("half_pixel_centers"):
        return "asymmetric"
    return "half_pixel"
