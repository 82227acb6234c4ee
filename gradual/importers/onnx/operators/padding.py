"""The operator that adds elements around a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.applying import positive
from gradual.importers.common.composed.arithmetic import counted, extent, numbered
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_scalar, imports

_TOO_MANY = "the negative padding is larger than the axis"

Width = int | Value
"""How many elements are added before or after an axis: a number, or a scalar of the program."""


@imports("Pad")
def pad(use: Use) -> Value:
    """Add elements before and after each axis; a negative width removes elements."""
    x, mode = use[0], use.only("mode", "constant", "reflect", "edge", "wrap")
    numbers: list[Width]
    if use.opset < 11:
        numbers = list(use.required("pads" if use.opset > 1 else "paddings"))
        return _pad(use, _by_axis(use, numbers, range(x.rank)), use.like(use.attribute("value", 0.0), x), mode)
    widths, given, axes = use[1], use.optional(2), use.optional(3)
    filling = use.like(0, x) if given is None else as_scalar(use, given)
    chosen = list(range(x.rank)) if axes is None else [positive(axis, x.rank) for axis in axes.numbers("axes")]
    if widths.rank != 1 or (widths.extent(0) is None and axes is None):
        return _uncounted_pad(use, widths, filling, mode)
    widths = use.exactly(widths, 0, 2 * len(chosen))
    numbers = [use.builder.element(widths, at) for at in range(2 * len(chosen))]
    return _pad(use, _by_axis(use, numbers, chosen), filling, mode)


def _by_axis(use: Use, numbers: Sequence[Width], axes: Sequence[int]) -> list[list[Width]]:
    """Axis -> its widths before and after, given all widths before, then all widths after."""
    if len(numbers) != 2 * len(axes) or len(set(axes)) < len(axes):
        raise Unsupported(f"{len(numbers)} widths for the axes {list(axes)}")
    widths: list[list[Width]] = [[0, 0] for _ in range(use[0].rank)]
    for index, axis in enumerate(axes):
        widths[axis] = [numbers[index], numbers[index + len(axes)]]
    return widths


def _pad(use: Use, widths: Sequence[Sequence[Width]], filling: Value, mode: str) -> Value:
    """Pad a tensor.  Modes that copy the border first remove the elements of negative widths."""
    x, numbers = use[0], [[width if isinstance(width, int) else 0 for width in pair] for pair in widths]
    if mode == "constant":
        return use.call("nn.pad", x, filling, pad_width=widths)
    if mode == "wrap":
        return _wrapped(use, widths)
    if any(width < 0 for pair in numbers for width in pair):
        x = use.call("nn.pad", x, filling, pad_width=[[min(width, 0) for width in pair] for pair in numbers])
        widths = [[max(width, 0) if isinstance(width, int) else width for width in pair] for pair in widths]
    return use.call("nn.pad", x, filling, pad_width=widths, pad_mode=mode)


def _wrapped(use: Use, widths: Sequence[Sequence[Width]]) -> Value:
    """Pad by continuing the tensor periodically."""
    x = use[0]
    for axis, (before, after) in enumerate(widths):
        if (before, after) != (0, 0):
            have = extent(use, x, axis)
            total = have + counted(use, before) + counted(use, after)
            some = (
                total.value if isinstance(before, int) and isinstance(after, int) and min(before, after) >= 0 else None
            )
            size = use.written_size(some or use.demanded(total.value, (total > -1).value, _TOO_MANY))
            places = (numbered(use, size) - counted(use, before)) % have
            x = use.call("take", x, places.value, axis=axis, mode="fast")
    return x


def _uncounted_pad(use: Use, widths: Value, filling: Value, mode: str) -> Value:
    """As `_pad`, for a vector of widths whose length is unknown while importing."""
    x = use[0]
    if mode == "wrap":
        raise Unsupported("mode='wrap' with a number of widths that is not known here")
    pairs = use.call("transpose", use.call("reshape", widths, newshape=[2, x.rank]), axes=[1, 0])
    return use.call("dyn.nn.pad", x, pairs, filling, pad_mode=None if mode == "constant" else mode)
