"""Operators of neural networks: convolutions and pools of images, padding, softmax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gradual.importers.common.composed.arithmetic import counted, extent, greater
from gradual.importers.common.composed.windows import Width
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.record import record
from gradual.tensors.tensor import Tensor

LAYOUTS = {"NHWC": (1, 2), "NCHW": (2, 3), "NDHWC": (1, 2, 3), "NCDHW": (2, 3, 4)}
"""Layout -> its spatial axes."""


@record
class Windows:
    """The windows of a convolution or pool.

    Attributes:
        axes: the spatial axes.
        settings: the layout, the strides, the dilation and the padding, as the language's operators take them.
    """

    layout: str
    axes: tuple[int, ...]
    settings: dict[str, Any]


def layout_of(use: Use, rank: int = 4) -> str:
    """The layout of images."""
    return str(use.only("data_format", *(("NHWC", "NCHW") if rank == 4 else ("NDHWC", "NCDHW"))))


def windows(use: Use, x: Value, kernel: Sequence[Width], steps: str = "dilations") -> Windows:
    """The windows that attributes describe, for a kernel of given sizes; `steps` names the attribute with dilations."""
    layout = layout_of(use, len(kernel) + 2)
    axes = LAYOUTS[layout]
    strides, dilation = (along(use, name, axes) for name in ("strides", steps))
    settings: dict[str, Any] = {"strides": strides}
    if any(by != 1 for by in dilation):
        settings["dilation"] = dilation
    padding = _padding(use, x, kernel, axes, list(zip(strides, dilation, strict=True)))
    if any(width != 0 for width in padding):
        settings["padding"] = padding
    return Windows(layout, axes, settings)


def along(use: Use, name: str, axes: Sequence[int]) -> list[int]:
    """The numbers of an attribute for the spatial axes; those for the other axes have to be 1."""
    given = use.integers(name, [1] * (len(axes) + 2))
    if len(given) != len(axes) + 2 or any(one != 1 for at, one in enumerate(given) if at not in axes):
        raise Unsupported(f"{name}={given}")
    return [given[axis] for axis in axes]


def _padding(
    use: Use, x: Value, kernel: Sequence[Width], axes: Sequence[int], moves: Sequence[tuple[int, int]]
) -> list[Width]:
    """The padding before each spatial axis, and then the padding after each."""
    way = use.only("padding", "VALID", "SAME", "EXPLICIT")
    if way == "VALID":
        return [0] * (2 * len(axes))
    if way == "EXPLICIT":
        return [explicit(use, axes, axis)[end] for end in (0, 1) for axis in axes]
    each = zip(axes, kernel, moves, strict=True)
    less, more = zip(*(_same(use, x, axis, size, *move) for axis, size, move in each), strict=True)
    return [*less, *more]


def explicit(use: Use, axes: Sequence[int], axis: int) -> list[int]:
    """The given padding before and after an axis."""
    given = use.integers("explicit_paddings")
    if len(given) != 2 * (len(axes) + 2):
        raise Unsupported(f"explicit_paddings={given}")
    return given[2 * axis : 2 * axis + 2]


def _same(use: Use, x: Value, axis: int, size: Width, stride: int, step: int) -> tuple[Width, Width]:
    """The padding for which the number of windows is the size of the axis / `stride`, rounded up; lesser half first."""
    if stride == 1 and isinstance(size, int):
        whole = (size - 1) * step
        return whole // 2, whole - whole // 2
    have, reach = extent(use, x, axis), (counted(use, size) - 1) * step + 1
    total = ((have + (stride - 1)) // stride - 1) * stride + reach - have
    is_some = isinstance(size, int) and (size - 1) * step + 1 >= stride
    total = total if is_some else greater(total, 0)
    less = total // 2
    return use.written_size(less.value), use.written_size((total - less).value)


def sizes_of(use: Use, weight: Value, axes: Sequence[int]) -> list[Width]:
    """The sizes of a tensor at some axes."""
    return [use.written_size(use.extent(weight, axis)) for axis in axes]


def numbers_of(kernel: Sequence[Width]) -> Sequence[Width] | None:
    """The sizes of a kernel, if all of them are numbers."""
    return kernel if all(isinstance(size, int) for size in kernel) else None


# ------------------------------------------------------------------------------------------------------- convolutions
@imports("Conv2D", "Conv3D")
def convolution(use: Use) -> Value:
    """A convolution; if the image has more channels than the weight takes, they form groups."""
    count = 2 if use.node.operator == "Conv2D" else 3
    x, weight = use.ranked(0, count + 2), use.ranked(1, count + 2)
    kernel = sizes_of(use, weight, range(count))
    found = windows(use, x, kernel)
    channels, taken = x.extent(found.layout.index("C")), weight.extent(count)
    groups = channels // taken if channels and taken and channels % taken == 0 else 1
    kernels = "HWIO" if count == 2 else "DHWIO"
    settings = {**found.settings, "data_layout": found.layout, "kernel_layout": kernels}
    return use.call(
        f"nn.conv{count}d", x, weight, **settings, groups=groups if groups > 1 else None, kernel_size=numbers_of(kernel)
    )


@imports("DepthwiseConv2dNative")
def depthwise_convolution(use: Use) -> Value:
    """A convolution of each channel by itself, with several kernels for each."""
    x, weight = use.ranked(0, 4), use.ranked(1, 4)
    kernel = sizes_of(use, weight, (0, 1))
    found = windows(use, x, kernel)
    channels, times = (use.written_size(use.extent(weight, axis)) for axis in (2, 3))
    if isinstance(channels, int) and isinstance(times, int):
        whole: Width = channels * times
    else:
        whole = use.written_size((counted(use, channels) * counted(use, times)).value)
    shape = [*kernel, 1, whole]
    flat = use.call("reshape", weight, newshape=shape)
    settings = {**found.settings, "data_layout": found.layout, "kernel_layout": "HWIO"}
    return use.call("nn.conv2d", x, flat, **settings, groups=channels, kernel_size=numbers_of(kernel))


# ------------------------------------------------------------------------------------------------------------- pools
@imports("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D")
def pool(use: Use) -> Value:
    """The greatest element or the mean of each window; padding does not count."""
    return _pooled(use)


def _pooled(use: Use) -> Value:
    count = 3 if use.node.operator.endswith("3D") else 2
    x = use.ranked(0, count + 2)
    kernel = along(use, "ksize", LAYOUTS[layout_of(use, count + 2)])
    found = windows(use, x, kernel)
    kind = "max" if use.node.operator.startswith("Max") else "avg"
    settings: dict[str, Any] = {**found.settings, "pool_size": kernel, "layout": found.layout}
    if kind == "avg" and "padding" in settings:
        settings["count_include_pad"] = False
    return use.call(f"nn.{kind}_pool{count}d", x, **settings)


@imports("MaxPoolV2")
def pool_of_inputs(use: Use) -> Value:
    """As `pool`, with the sizes and strides of windows as inputs."""
    given = {name: tuple(use[at].numbers(name)) for at, name in ((1, "ksize"), (2, "strides"))}
    node = replace(use.node, operator="MaxPool", attributes={**use.node.attributes, **given})
    return _pooled(replace(use, node=node, inputs=use.inputs[:1]))


# ----------------------------------------------------------------------------------------------------------- padding
@imports("Pad", "PadV2", "MirrorPad")
def pad(use: Use) -> Value:
    """Elements added before and after each axis."""
    widths, is_mirror = use[1], use.node.operator == "MirrorPad"
    rank = widths.extent(0)
    x = use[0] if rank is None else use.ranked(0, rank)
    filling = use[2] if use.node.operator == "PadV2" else use.like(0, x)
    mode = use.text("mode") if is_mirror else None
    if isinstance(widths.constant, Tensor):
        numbers = widths.numbers("widths")
        pairs = [numbers[at : at + 2] for at in range(0, len(numbers), 2)]
        if mode == "SYMMETRIC":
            return use.call("nn.mirror_pad", x, pad_width=pairs, mode="SYMMETRIC")
        return use.call("nn.pad", x, filling, pad_width=pairs, pad_mode="reflect" if is_mirror else None)
    if mode == "SYMMETRIC":
        raise Unsupported("widths computed when the model runs, with mode=SYMMETRIC")
    return use.call("dyn.nn.pad", x, widths, filling, pad_mode="reflect" if is_mirror else None)


@imports("Softmax", "LogSoftmax")
def softmax(use: Use) -> Value:
    """The exponentials along the last axis divided by their sum, or the logarithm of that."""
    return use.call("nn.softmax" if use.node.operator == "Softmax" else "nn.log_softmax", use[0])
