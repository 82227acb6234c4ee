"""Images resized by cubic interpolation, and boxes of images resized to one size."""

from __future__ import annotations

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


@imports("ResizeBicubic")
def resize_bicubic(use: Use) -> Value:
    """The images in another size, by cubic interpolation; TensorFlow also rounds coordinates to 1/1024 pixel."""
    x, is_half = use.as_type(use.ranked(0, 4), DType.FLOAT32), use.flag("half_pixel_centers")
    at = "align_corners" if use.flag("align_corners") else "half_pixel" if is_half else "asymmetric"
    return use.call(
        "image.resize2d",
        x,
        size=_sizes(use, 1),
        layout="NHWC",
        method="cubic",
        coordinate_transformation_mode=at,
        cubic_alpha=-0.5 if is_half else -0.75,
        cubic_exclude=1 if is_half else None,
    )


def _sizes(use: Use, index: int) -> list[int | Value]:
    """An input that is a height and a width."""
    found = use.sizes(use[index])
    if len(found) != 2:
        raise Unsupported("sizes that are not two")
    return found


@imports("CropAndResize")
def crop_and_resize(use: Use) -> Value:
    """Boxes of images, all resized to one size; what lies outside the image has a given value."""
    image = use.as_type(use.ranked(0, 4), DType.FLOAT32)
    method = use.only("method", "bilinear", "nearest")
    return use.call(
        "image.crop_and_resize",
        image,
        use.ranked(1, 2),
        use.ranked(2, 1),
        crop_size=_sizes(use, 3),
        layout="NHWC",
        method="bilinear" if method == "bilinear" else "nearest_neighbor",
        extrapolation_value=use.real("extrapolation_value", 0.0),
    )
