"""Copies of elements from the memory of another library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from gradual.limits import LIMITS
from gradual.tensors.index import numel


def affordable(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape itself; raises ValueError if it has more elements than the limit."""
    if numel(shape) > LIMITS.elements:
        raise ValueError(f"an array of shape {shape} is beyond the limit of {LIMITS.elements} elements")
    return shape


def gathered(address: int, shape: tuple[int, ...], width: int, strides: Sequence[int] | None) -> bytes:
    """Copy strided elements in row-major order; strides are in bytes, and None if the elements are contiguous."""
    from ctypes import string_at

    if strides is None or 0 in shape:
        return string_at(address, numel(shape) * width)
    rows, extent, step = shape[:-1], shape[-1] if shape else 1, strides[-1] if shape else width
    outer = [
        range(0, size * stride, stride) if stride else [0] * size for size, stride in zip(rows, strides, strict=False)
    ]
    take: Callable[[int], bytes] = (
        (lambda at: string_at(at, extent * width))
        if step == width
        else (lambda at: b"".join(string_at(at + k * step, width) for k in range(extent)))
    )
    return b"".join(take(address + sum(offsets)) for offsets in product(*outer))
