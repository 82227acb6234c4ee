"""The elements of the tensors in an archive, taken from their storages."""

from __future__ import annotations

import sys
from typing import Any

from gradual.importers.common.refusals import Unsupported
from gradual.importers.torch.file.archive import Archive
from gradual.importers.torch.file.schema import Stored
from gradual.limits import LIMITS
from gradual.tensors.exchange.array_protocols import elements_of
from gradual.tensors.index import numel, offsets, strides
from gradual.tensors.tensor import Tensor, tensor_of


def weight(archive: Archive, name: str, stored: Stored) -> Tensor:
    """Read a tensor.

    Raises Unsupported for a tensor that is pickled, too large, saved without its elements, or of an element type that
    the language does not have; and Unreadable if only a part of its bytes is in the archive.
    """
    if stored.path is None:
        raise Unsupported(f"`{name}` is saved as a Python object")
    if stored.dtype is None:
        raise Unsupported(f"`{name}` has elements of a type that programs do not have")
    if numel(stored.shape) > LIMITS.elements:
        raise Unsupported(f"`{name}` has {numel(stored.shape)} elements: the limit is {LIMITS.elements}")
    needed = stored.reach * (stored.dtype.bits // 8)
    if needed > LIMITS.file:
        raise Unsupported(f"`{name}` lies in {needed} bytes: the limit `file` is {LIMITS.file} bytes")
    raw = archive.content(stored.path, needed)
    if needed and not raw:
        raise Unsupported(f"`{name}` is saved without its elements")
    if len(raw) < needed:
        raise archive.invalid(f"`{stored.path}` has {len(raw)} bytes, too few for `{name}`")
    elements = elements_of(stored.dtype, raw, archive.is_big_endian != (sys.byteorder == "big"))
    return tensor_of(stored.shape, stored.dtype, strided(elements, stored))


def strided(elements: Any, stored: Stored) -> Any:
    """The elements of a tensor in row-major order, taken from its storage.

    For speed, all elements along the longest axis are copied at once.
    """
    count, steps = numel(stored.shape), strides(stored.shape)
    axes = [axis for axis, length in enumerate(stored.shape) if length > 1]
    if not count or all(stored.strides[axis] == steps[axis] for axis in axes):
        return elements[stored.offset : stored.offset + count]
    longest = max(axes, key=lambda axis: stored.shape[axis])
    others = [axis for axis in axes if axis != longest]
    lengths = [stored.shape[axis] for axis in others]
    length, step, own = stored.shape[longest], stored.strides[longest], steps[longest]
    found = elements[:1] * count
    for start, place in zip(
        offsets(lengths, [stored.strides[axis] for axis in others], stored.offset),
        offsets(lengths, [steps[axis] for axis in others]),
        strict=True,
    ):
        end = start + (length - 1) * step + 1
        row = elements[start:end:step] if step else elements[start : start + 1] * length
        found[place : place + (length - 1) * own + 1 : own] = row
    return found
