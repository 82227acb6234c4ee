"""Windows of pools: which windows are used, and the index of the maximum in each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradual.importers.common.applying import Applying
from gradual.importers.common.composed.arithmetic import Term, counted, extent, numbered
from gradual.importers.common.values import Value
from gradual.record import record
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType

Width = int | Value
"""A number of elements: a number, or a scalar of the program."""


@record(slots=False)
class Windows:
    """Windows over the last axes of a tensor; each attribute has a number for each of these axes.

    Attributes:
        before: the padding before the data; `after` is the padding after the data.
    """

    kernel: Sequence[int]
    strides: Sequence[int]
    dilation: Sequence[int]
    before: Sequence[Width]
    after: Sequence[Width]

    @property
    def reach(self) -> list[int]:
        """How many elements a window spans along each axis, including gaps from dilation."""
        return [(size - 1) * by + 1 for size, by in zip(self.kernel, self.dilation, strict=True)]


def begun(use: Applying, x: Value, pooled: Value, windows: Windows) -> Value:
    """The pool without windows that begin in the padding after the data, which `ceil_mode` may add."""
    first = x.rank - len(windows.kernel)
    each = zip(windows.reach, windows.strides, windows.before, windows.after, strict=True)
    for axis, (reach, step, before, after) in enumerate(each, first):
        if isinstance(after, int) and step <= reach - after:
            continue
        end = (extent(use, x, axis) + counted(use, before) + (step - 1)) // step
        pooled = use.call("strided_slice", pooled, begin=[0], end=[use.written_size(end.value)], axes=[axis])
    return pooled


def places(use: Applying, x: Value, windows: Windows) -> Value:
    """For each window, the index of its maximum among the elements of the window, in row-major order."""
    count = len(windows.kernel)
    first = x.rank - count
    width = [[0, 0]] * first + [list(pair) for pair in zip(windows.before, windows.after, strict=True)]
    least = -math.inf if x.dtype.is_float else integer_range(x.dtype)[0]
    is_padded = any(size != 0 for pair in width for size in pair)
    padded = use.call("nn.pad", x, use.like(least, x), pad_width=width) if is_padded else x
    found = use.call("sliding_window", padded, axis=first, window_shape=windows.reach, strides=windows.strides)
    if any(by != 1 for by in windows.dilation):
        axes = list(range(found.rank - count, found.rank))
        ends = [2**31 - 1] * count
        found = use.call("strided_slice", found, begin=[0] * count, end=ends, strides=windows.dilation, axes=axes)
    for _ in range(count - 1):
        found = use.call("reshape", found, newshape=[*[0] * (found.rank - 2), -3])
    return use.call("cast", use.call("argmax", found, axis=[found.rank - 1]), dtype=DType.INT64)


def in_image(use: Applying, x: Value, inside: Value, windows: Windows, columns: bool = False) -> Value:
    """Convert indices in windows to indices in the image, in row-major order, or column-major with `columns`."""
    count = len(windows.kernel)
    axes = range(count)[::-1] if columns else range(count)
    place = Term(use, use.builder.number(0, DType.INT64))
    for at in axes:
        place = place * extent(use, x, x.rank - count + at) + _coordinate(use, inside, windows, at)
    return place.value


def _coordinate(use: Applying, inside: Value, windows: Windows, at: int) -> Term:
    """The coordinates along one axis of the image, given indices in windows."""
    count = len(windows.kernel)
    offset = Term(use, inside) // math.prod(windows.kernel[at + 1 :]) % windows.kernel[at]
    steps = numbered(use, use.extent(inside, inside.rank - count + at))
    start = (steps * windows.strides[at] - counted(use, windows.before[at])).value
    start = use.call("expand_dims", start, axis=1, num_newaxis=count - 1 - at) if at < count - 1 else start
    return offset * windows.dilation[at] + Term(use, start)
