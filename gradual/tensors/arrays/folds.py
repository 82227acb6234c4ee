"""Folds from left to right along the last axis: sums and products in binary64 or wrapped integers, maxima, minima.

`accumulate` is defined as a fold from left to right, unlike `sum`, which adds in pairs.
"""

from __future__ import annotations

from gradual.tensors.arrays.numpy_library import Array, numpy


def total(values: Array) -> Array:
    """The sum along the last axis, from left to right from 0.   [scalar.total]"""
    if not values.shape[-1]:
        return numpy().zeros(values.shape[:-1], values.dtype)
    found = numpy().add.accumulate(values, axis=-1, dtype=values.dtype)[..., -1]
    return found + found.dtype.type(0)  # the sum begins with +0, so a sum of zeros is +0


def multiplied(values: Array) -> Array:
    """The product along the last axis, from left to right from 1."""
    if not values.shape[-1]:
        return numpy().ones(values.shape[:-1], values.dtype)
    return numpy().multiply.accumulate(values, axis=-1, dtype=values.dtype)[..., -1]


def greatest(values: Array) -> Array:
    """The greatest float along the last axis, which is not empty: NaN if any is NaN, and +0 is greater than -0."""
    np, found = numpy(), values.max(-1)
    return np.where(found == 0.0, np.where(_has_zero(values, sign=False), 0.0, -0.0), found)


def least(values: Array) -> Array:
    """The least float along the last axis, which is not empty: NaN if any is NaN, and -0 is less than +0."""
    np, found = numpy(), values.min(-1)
    return np.where(found == 0.0, np.where(_has_zero(values, sign=True), -0.0, 0.0), found)


def _has_zero(values: Array, sign: bool) -> Array:
    return ((values == 0.0) & (numpy().signbit(values) == sign)).any(-1)
