"""Transposed convolutions: the gradients of convolutions with respect to their inputs, whose sizes are given."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, counted, greater
from gradual.importers.common.composed.windows import Width
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.importers.tensorflow.operators.networks import LAYOUTS, along, explicit, layout_of, numbers_of, sizes_of
from gradual.record import record

Sizes = Sequence[Width]


@record
class _Axis:
    """A spatial axis of a transposed convolution.

    Attributes:
        spatial: all spatial axes.
        at: the axis.
        wanted: its size in the result.
        kernel: the size of the kernel.
    """

    spatial: Sequence[int]
    at: int
    wanted: Width
    kernel: Width
    stride: int
    dilation: int


@imports("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def transposed_convolution(use: Use) -> Value:
    """A transposed convolution; the first input is the shape of the result."""
    count = 3 if "3D" in use.node.operator else 2
    weight, x = use.ranked(1, count + 2), use.ranked(2, count + 2)
    layout = layout_of(use, count + 2)
    channels = use.sizes(use[0])[layout.index("C")] if use[0].extent(0) != count else None
    each = weight.extent(count)
    groups = channels // each if isinstance(channels, int) and each and channels % each == 0 else 1
    kernels = "HWOI" if count == 2 else "DHWOI"
    return _transposed(use, x, weight, kernels, groups, None if each is None else each * groups)


@imports("DepthwiseConv2dNativeBackpropInput")
def transposed_depthwise_convolution(use: Use) -> Value:
    """A transposed convolution of several channels to each channel of the result."""
    weight, x = use.ranked(1, 4), use.ranked(2, 4)
    channels, times = weight.extent(2), weight.extent(3)
    if channels is None or times is None:
        raise Unsupported("channels whose number is not known here")
    flat = use.call("reshape", weight, newshape=[*sizes_of(use, weight, (0, 1)), channels * times, 1])
    return _transposed(use, x, flat, "HWIO", channels, channels)


def _transposed(use: Use, x: Value, weight: Value, kernels: str, groups: int, channels: int | None) -> Value:
    count = len(kernels) - 2
    layout, sizes = layout_of(use, count + 2), use.sizes(use[0])
    spatial = LAYOUTS[layout]
    kernel = sizes_of(use, weight, range(count))
    wanted = sizes if len(sizes) == count else [sizes[axis] for axis in spatial]
    moves = [along(use, name, spatial) for name in ("strides", "dilations")]
    axes = [_Axis(spatial, *one) for one in zip(spatial, wanted, kernel, *moves, strict=True)]
    if len(sizes) == count + 2:
        x = use.exactly(x, 0, sizes[0])
    for axis in axes:
        x = use.exactly(x, axis.at, _steps(use, axis))
    widths = [_widths(use, axis) for axis in axes]
    padding, beyond = [width[end] for end in (0, 1) for width in widths], [width[2] for width in widths]
    return use.call(
        f"nn.conv{count}d_transpose",
        x,
        weight,
        channels=channels,
        strides=moves[0],
        padding=padding if any(width != 0 for width in padding) else None,
        output_padding=beyond if any(width != 0 for width in beyond) else None,
        kernel_size=numbers_of(kernel),
        dilation=moves[1] if set(moves[1]) != {1} else None,
        groups=groups if groups > 1 else None,
        data_layout=layout,
        kernel_layout=kernels,
    )


def _reach(use: Use, axis: _Axis) -> Term:
    return (counted(use, axis.kernel) - 1) * axis.dilation + 1


def _steps(use: Use, axis: _Axis) -> Width:
    """The number of windows along an axis of the result, as in a convolution of the result."""
    whole = counted(use, axis.wanted)
    way = use.only("padding", "VALID", "SAME", "EXPLICIT")
    if way == "SAME":
        return use.written_size(((whole + (axis.stride - 1)) // axis.stride).value)
    pad = sum(explicit(use, axis.spatial, axis.at)) if way == "EXPLICIT" else 0
    return use.written_size(((whole + pad - _reach(use, axis)) // axis.stride + 1).value)


def _widths(use: Use, axis: _Axis) -> tuple[Width, Width, Width]:
    """What is cut before and after an axis, and what is added after it, so that it gets the wanted size."""
    way = use.only("padding", "VALID", "SAME", "EXPLICIT")
    excess = (counted(use, _steps(use, axis)) - 1) * axis.stride + _reach(use, axis) - counted(use, axis.wanted)
    before = after = 0
    if way == "SAME":
        total = greater(excess, 0)
        less = total // 2
        found = [use.written_size(one.value) for one in (less, total - less, greater(-excess, 0))]
        return found[0], found[1], found[2]
    if way == "EXPLICIT":
        before, after = explicit(use, axis.spatial, axis.at)
    return before, after, use.written_size((before + after - excess).value)
