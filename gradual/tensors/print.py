"""Elements as text, such as `int64 [3, 4]`; a large tensor is abbreviated to the ends of each axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradual.tensors.scalar import rounded
from gradual.types.dtype import DType

WHOLE = 200
"""A tensor is shown in full if the product of its nonzero extents is at most this."""
EDGE = 3
"""How many entries are shown at either end of an axis of a larger tensor."""


def shown_elements(shape: tuple[int, ...], dtype: DType, elements: Sequence[Any]) -> str:
    """The type and the elements of a tensor, on as many lines as it has rows."""
    whole = math.prod(extent for extent in shape if extent) <= WHOLE
    head = f"{dtype} " if whole else f"{dtype}[{', '.join(map(str, shape))}] "

    def rows(axis: int, start: int, indent: int) -> str:
        """The entries of one axis from a flat offset on; on one line for the last axis, else on a line each."""
        if axis == len(shape):
            return element(elements[start], dtype)
        extent, step = shape[axis], math.prod(shape[axis + 1 :])
        kept = range(extent) if whole or extent <= 2 * EDGE else [*range(EDGE), -1, *range(extent - EDGE, extent)]
        entries = ["…" if i < 0 else rows(axis + 1, start + i * step, indent + 1) for i in kept]
        between = ", " if axis == len(shape) - 1 else ",\n" + " " * (indent + 1)
        return f"[{between.join(entries)}]"

    return head + rows(0, 0, len(head))


def element(value: Any, dtype: DType) -> str:
    """One element; a float with the fewest digits that round to it in its type."""
    if dtype is DType.BOOL:
        return str(bool(value))
    if not dtype.is_float or not math.isfinite(value):
        return str(value)
    for precision in range(1, 17):
        digits = repr(float(f"{value:.{precision}g}"))
        if rounded(dtype, float(digits)) == value:
            return digits
    return repr(value)
