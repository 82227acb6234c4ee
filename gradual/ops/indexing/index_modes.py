"""The position in an axis that an index selects, and what happens if the index is out of bounds."""

from __future__ import annotations

from collections.abc import Callable

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.shapes import of_dtype, tensor
from gradual.tensors.fault import out_of_bounds
from gradual.types.type import TensorType, Type


def integers(given: Type[Dim], operand: int) -> TensorType[Dim]:
    """The argument as a tensor of integers; raises IllFormed if it is not."""
    found = tensor(given, operand)
    of_dtype(found, operand, lambda dtype: dtype.is_integer, "a tensor of integers")
    return found


def _clipped(index: int, extent: int) -> int:
    if extent == 0:
        raise out_of_bounds(index, extent)
    return min(max(index, 0), extent - 1)


def _wrapped(index: int, extent: int) -> int:
    if extent == 0:
        raise out_of_bounds(index, extent)
    return index % extent


def within(index: int, extent: int) -> int:
    """The index, counted from the front; raises TensorFault out of bounds.   [op.index.bounds]"""
    if not -extent <= index < extent:
        raise out_of_bounds(index, extent)
    return index + extent if index < 0 else index


MODES: dict[str, Callable[[int, int], int]] = {"clip": _clipped, "wrap": _wrapped, "fast": within}
