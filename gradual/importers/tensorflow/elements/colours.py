"""Colours of pixels: hue, saturation and brightness, contrast.

They follow `tensorflow/core/kernels/image/colorspace_op.h` and `adjust_*_op.cc`; channels are along the last axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import Term, absolute, between, floor, greater, lesser, where
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


def _channels(use: Use, x: Value) -> list[Term]:
    """The three channels."""
    x = use.exactly(x, x.rank - 1, 3)
    places = (use.builder.number(at, DType.INT64) for at in range(3))
    return [Term(use, use.call("take", x, place, axis=x.rank - 1)) for place in places]


def _joined(use: Use, channels: Sequence[Term]) -> Value:
    return use.call("stack", use.builder.tuple([one.value for one in channels]), axis=-1)


def _hues(red: Term, green: Term, blue: Term) -> list[Term]:
    """Hue, saturation and brightness."""
    most, least = greater(greater(red, green), blue), lesser(lesser(red, green), blue)
    width = most - least
    saturation = where(most > 0.0, width / most, 0.0)
    step = 1.0 / (width * 6.0)
    other = where(green.equals(most), step * (blue - red) + 2 / 6, step * (red - green) + 4 / 6)
    hue = where(width > 0.0, where(red.equals(most), step * (green - blue), other), 0.0)
    return [where(hue < 0.0, hue + 1.0, hue), saturation, most]


def _colours(hue: Term, saturation: Term, most: Term) -> list[Term]:
    """Red, green and blue."""
    turn = hue * 6.0
    parts = absolute(turn - 3.0) - 1.0, 2.0 - absolute(turn - 2.0), 2.0 - absolute(turn - 4.0)
    return [(1.0 - saturation + saturation * between(part, 0.0, 1.0)) * most for part in parts]


@imports("RGBToHSV")
def hues(use: Use) -> Value:
    """Red, green and blue as hue, saturation and brightness."""
    return _joined(use, _hues(*_channels(use, use[0])))


@imports("HSVToRGB")
def colours(use: Use) -> Value:
    """Hue, saturation and brightness as red, green and blue."""
    return _joined(use, _colours(*_channels(use, use[0])))


@imports("AdjustHue", "AdjustSaturation")
def adjusted(use: Use) -> Value:
    """The image with its hue turned, or with its saturation multiplied by a factor."""
    hue, saturation, most = _hues(*_channels(use, use[0]))
    by = Term(use, use.as_type(use.ranked(1, 0), use[0].dtype))
    if use.node.operator == "AdjustHue":
        hue = hue + by
        hue = hue - floor(hue)
    else:
        saturation = between(saturation * by, 0.0, 1.0)
    return _joined(use, _colours(hue, saturation, most))


@imports("AdjustContrastv2")
def contrast(use: Use) -> Value:
    """The image in which each element's distance from the mean of its channel is multiplied by a factor."""
    x = use[0]
    mean = Term(use, use.call("mean", x, axis=[x.rank - 3, x.rank - 2], keepdims=True))
    return ((Term(use, x) - mean) * Term(use, use.as_type(use.ranked(1, 0), x.dtype)) + mean).value
