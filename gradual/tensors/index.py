"""Row-major indexing: strides, offsets, permutations and broadcasting of flat elements."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

Shape = tuple[int, ...]


def numel(shape: Sequence[int]) -> int:
    """Number of elements."""
    return math.prod(shape)


def before(shape: Sequence[int], axis: int) -> range:
    """The flat indices over the axes before `axis`; empty if the axes from it on have no elements."""
    return range(numel(shape[:axis]) if all(shape[axis:]) else 0)


def strides(shape: Sequence[int]) -> Shape:
    """Distance, in elements, between neighbours along each axis; never 0."""
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * max(shape[axis + 1], 1)
    return tuple(steps)


def coordinates(shape: Sequence[int]) -> Iterator[Shape]:
    """Every index of a tensor, in row-major order."""
    return product(*map(range, shape))


def offsets(shape: Sequence[int], steps: Sequence[int], start: int = 0) -> list[int]:
    """The offset `start + index . steps`, an inner product, for every index of a shape in row-major order."""
    if not all(shape):
        return []
    found = [start]
    for extent, step in zip(shape, steps, strict=True):
        if extent != 1:
            reach = range(0, extent * step, step) if step else [0] * extent
            found = [base + move for base in found for move in reach]
    return found


def picked(elements: Any, where: Sequence[int]) -> Any:
    """The elements at these offsets, in the same kind of storage."""
    return array(elements.typecode, [elements[offset] for offset in where])


def permuted(elements: Any, shape: Sequence[int], axes: Sequence[int]) -> Any:
    """Elements in row-major order of the tensor whose axis i is axis `axes[i]` of the given one."""
    if list(axes) == list(range(len(shape))) or len(elements) < 2:
        return elements
    turned, steps = [shape[axis] for axis in axes], [strides(shape)[axis] for axis in axes]
    return _copied(elements, turned, steps, strides(turned))


def _copied(elements: Any, shape: Sequence[int], sources: Sequence[int], targets: Sequence[int]) -> Any:
    """Copy elements from source strides to target strides; the longest axis is copied by one slice assignment."""
    found, longest = elements[:], max(range(len(shape)), key=shape.__getitem__)
    extent, source, target = shape[longest], sources[longest], targets[longest]
    others = [1 if axis == longest else size for axis, size in enumerate(shape)]
    for here, there in zip(offsets(others, sources), offsets(others, targets), strict=True):
        found[there : there + extent * target : target] = elements[here : here + extent * source : source]
    return found


def broadcast_shape(*shapes: Sequence[int]) -> Shape:
    """The common shape of compatible shapes, right-aligned; an extent of 1 is broadcast to another extent."""
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(next((extent for extent in column if extent != 1), 1) for column in zip(*padded, strict=True))


def spread(elements: Any, shape: Sequence[int], target: Sequence[int]) -> Any:
    """Elements of a tensor broadcast to a shape it is compatible with, in row-major order."""
    if tuple(shape) == tuple(target):
        return elements
    if len(elements) == 1:
        return elements * numel(target)
    missing = len(target) - len(shape)
    block = 1
    for axis in range(len(shape) - 1, -1, -1):
        if shape[axis] != target[missing + axis]:
            elements = _repeated(elements, block, target[missing + axis])
        block *= target[missing + axis]
    return elements * numel(target[:missing])


def _repeated(elements: Any, block: int, times: int) -> Any:
    """Each block of elements `times` times in a row."""
    out = elements[:0]
    if times and block:
        for start in range(0, len(elements), block):
            out.extend(elements[start : start + block] * times)
    return out
