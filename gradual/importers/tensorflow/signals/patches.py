"""Operators on windows of images: patches, the indices of maxima, and dilation with a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, extent
from gradual.importers.common.composed.windows import Windows, in_image, places
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.importers.tensorflow.operators.networks import along, windows
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType

LAST = 2**31 - 1


@imports("ExtractImagePatches", "ExtractVolumePatches")
def patches(use: Use) -> Value:
    """The elements of each window as channels."""
    count = 2 if use.node.operator == "ExtractImagePatches" else 3
    x, axes = use.ranked(0, count + 2), range(1, count + 1)
    kernel = along(use, "ksizes", axes)
    rates = along(use, "rates", axes)
    found = windows(use, x, kernel, "rates")
    padding = found.settings.get("padding", [0] * (2 * count))
    pairs = [[0, 0], *([padding[at], padding[count + at]] for at in range(count)), [0, 0]]
    if any(width != 0 for pair in pairs for width in pair):
        x = use.call("nn.pad", x, use.like(0, x), pad_width=pairs)
    reach = [(size - 1) * by + 1 for size, by in zip(kernel, rates, strict=True)]
    channels = use.written_size(use.extent(x, count + 1))
    cut = use.call(
        "sliding_window", x, axis=1, window_shape=[*reach, channels], strides=[*found.settings["strides"], 1]
    )
    if set(rates) != {1}:
        inner = list(range(count + 2, 2 * count + 2))
        cut = use.call("strided_slice", cut, begin=[0] * count, end=[LAST] * count, strides=rates, axes=inner)
    cut = use.call("squeeze", cut, axis=[count + 1])
    for _ in range(count):
        cut = use.call("reshape", cut, newshape=[*[0] * (count + 1), -3, -2])
    return cut


@imports("MaxPoolWithArgmax", results=("output", "argmax"))
def pool_with_places(use: Use) -> Sequence[Value]:
    """The greatest element of each window, and its index in the flattened image, or in the flattened batch."""
    x = use.ranked(0, 4)
    kernel = along(use, "ksize", (1, 2))
    found = windows(use, x, kernel)
    pooled = use.call("nn.max_pool2d", x, **found.settings, pool_size=kernel, layout="NHWC")
    image = use.call("transpose", x, axes=[0, 3, 1, 2])
    padding = found.settings.get("padding", [0] * 4)
    geometry = Windows(kernel, found.settings["strides"], [1, 1], padding[:2], padding[2:])
    place = in_image(use, image, places(use, image, geometry), geometry)
    within = Term(use, use.call("transpose", place, axes=[0, 2, 3, 1]))
    channels = extent(use, x, 3)
    counted = within * channels + _numbered(use, x, 3)
    if use.flag("include_batch_in_index"):
        whole = extent(use, x, 1) * extent(use, x, 2) * channels
        first = use.call("expand_dims", (_numbered(use, x, 0) * whole).value, axis=1, num_newaxis=3)
        counted = counted + Term(use, first)
    return [pooled, use.as_type(counted.value, use.dtype("Targmax", DType.INT64))]


def _numbered(use: Use, x: Value, axis: int) -> Term:
    """The numbers from 0 up to the size of an axis."""
    ends = [use.builder.number(0, DType.INT64), use.extent(x, axis), use.builder.number(1, DType.INT64)]
    return Term(use, use.call("arange", *ends, dtype=DType.INT64))


@imports("Dilation2D")
def dilation(use: Use) -> Value:
    """For each window, the greatest sum of its elements and the kernel's; elements outside the image do not count."""
    x, weight = use.ranked(0, 4), use.ranked(1, 3)
    kernel = [use.written_size(use.extent(weight, axis)) for axis in (0, 1)]
    found = windows(use, x, kernel, "rates")
    padding = found.settings.pop("padding", [0] * 4)
    if any(width != 0 for width in padding):
        least = float("-inf") if x.dtype.is_float else integer_range(x.dtype)[0]
        pairs = [[0, 0], [padding[0], padding[2]], [padding[1], padding[3]], [0, 0]]
        x = use.call("nn.pad", x, use.like(least, x), pad_width=pairs)
    rates = found.settings.pop("dilation", None)
    return use.call(
        "image.dilation2d", x, weight, **found.settings, dilations=rates, data_layout="NHWC", kernel_layout="HWI"
    )
