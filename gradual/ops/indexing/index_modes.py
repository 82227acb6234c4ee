"""What an index names, and how an update meets the element in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.shapes import of_dtype, tensor
from gradual.tensors import reals
from gradual.tensors.fault import out_of_bounds
from gradual.tensors.integers import trunc_divide
from gradual.types.dtype import DType
from gradual.types.type import TensorType, Type


def integers(given: Type[Dim], operand: int) -> TensorType[Dim]:
    """The argument as a tensor of integers; raises IllFormed where it is none."""
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


def reducing(reduction: str, dtype: DType) -> Callable[[Any, Any], Any]:
    """How an update meets the element in its place."""
    floats = dtype.is_float
    match reduction:
        case "add":
            return lambda old, new: old + new
        case "mul":
            return lambda old, new: old * new
        case "mean":
            return lambda old, new: (old + new) / 2 if floats else trunc_divide(old + new, 2)
        case "min":
            return reals.minimum if floats else min
        case "max":
            return reals.maximum if floats else max
    return lambda old, new: new
