"""Sums from left to right along the last axis, in binary64 or wrapped integers.

`accumulate` is defined as a fold from left to right, unlike `sum`, which adds in pairs.
"""

from __future__ import annotations

from gradual.tensors.arrays.numpy_library import Array, numpy


def total(values: Array) -> Array:
    """The sum along the last axis, from left to right from 0.   [scalar.total]"""
    if not values.shape[-1]:
        return numpy().zeros(values.shape[:-1], values.dtype)
    found = numpy().add.accumulate(values, axis=-1, dtype=values.dtype)[..., -1]
    return found + found.dtype.type(0)  # 0 before the first term: a sum of zeros is +0
