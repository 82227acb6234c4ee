"""Matrix products with the bits of the definition: sums from left to right in binary64, rounded once.

The definition is `_by_columns`, which adds the terms of all sums in the defined order, one term of each at a time.  For
floats narrower than binary64 there is a faster method with the same bits, as in `tensors.inner_products`: NumPy's
product, which sums in any order, is an estimate with a known error; if both ends of the error interval round to one
element, this is the result; otherwise the sum is computed by the definition (Ziv, ACM TOMS 17, 1991).
"""

from __future__ import annotations

from collections.abc import Callable

from gradual.tensors.arrays.elements import rounded
from gradual.tensors.arrays.folds import total
from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.index import numel
from gradual.types.dtype import DType

Multiply = Callable[[Array, Array, DType], Array]

_EXACT = 2.0**53
"""The integers up to this one are exact in binary64."""
_BLOCK, _CACHED = 1 << 22, 1 << 15
"""Limits on the sums computed together: several arrays of `_BLOCK` fit into memory, of `_CACHED` into a cache."""
_MANY = 8
"""If more than one sum in `_MANY` has to be computed by the definition, all are, because that takes less time."""
_AT_ONCE = 1 << 20
"""How many products are kept in memory to sum elements by the definition."""


def product(left: Array, right: Array, dtype: DType) -> Array:
    """The products of matrices (.., i, k) and (.., k, j), all stored as their types are.   [scalar.total]

    Operands of an integer product are of the type of the result.
    """
    if dtype.is_integer:
        return _integers(left, right)
    is_exact = left.dtype == right.dtype == "f"  # products of two float32 are numbers of binary64
    left, right = left.astype("d"), right.astype("d")
    if is_exact and dtype is not DType.FLOAT64:
        return _by_rows(_rounding_test, left, right, dtype, _BLOCK)
    return _by_rows(_by_columns, left, right, dtype, _CACHED)


def _by_rows(multiply: Multiply, left: Array, right: Array, dtype: DType, most: int) -> Array:
    """The products, block by block of the left matrices' rows, so that at most `most` sums are computed at a time."""
    width = numel(numpy().broadcast_shapes(left.shape[:-2], right.shape[:-2])) * right.shape[-1]
    each = max(most // max(width, 1), 1)
    if left.shape[-2] <= each:
        return multiply(left, right, dtype)
    starts = range(0, left.shape[-2], each)
    return numpy().concatenate([multiply(left[..., at : at + each, :], right, dtype) for at in starts], axis=-2)


def _by_columns(left: Array, right: Array, dtype: DType) -> Array:
    """The sums, each from left to right: to all sums their first terms are added, then the second, and so on."""
    np = numpy()
    lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    found = np.zeros((*lead, left.shape[-2], right.shape[-1]))
    term = np.empty_like(found)
    for k in range(left.shape[-1]):
        np.multiply(left[..., :, k, None], right[..., k, None, :], out=term)
        np.add(found, term, out=found)
    return rounded(dtype, found)


def _integers(left: Array, right: Array) -> Array:
    """The products of integers, which wrap; computed in binary64 if all sums are sure to be exact in it."""
    np = numpy()
    reach = [float(np.abs(side.astype("d")).max(initial=0.0)) for side in (left, right)]
    if reach[0] * reach[1] * left.shape[-1] < _EXACT:
        return (left.astype("d") @ right.astype("d")).astype("q").astype(left.dtype)
    return left @ right


def _rounding_test(left: Array, right: Array, dtype: DType) -> Array:
    """The products of floats from their error intervals; by definition where the ends round differently, or to 0."""
    np = numpy()
    estimate = left @ right + 0.0  # a sum of zeros is +0
    bound = _lengths(left)[..., :, None] * _lengths(right.swapaxes(-1, -2))[..., None, :]
    bound *= _bound(left.shape[-1])
    found, other = rounded(dtype, estimate - bound), rounded(dtype, estimate + bound)
    differ = (found != other) & ~np.isnan(estimate)  # NaN in one order is NaN in all, as nothing finite overflows
    open_ = np.nonzero(differ | ((found == 0.0) & (bound != 0.0)))
    if len(open_[0]) * _MANY > found.size:
        return _by_rows(_by_columns, left, right, dtype, _CACHED)
    if len(open_[0]):
        found[open_] = rounded(dtype, _sums(left, right, open_))
    return found


def _lengths(rows: Array) -> Array:
    """The Euclidean norms along the last axis."""
    return numpy().sqrt(numpy().einsum("...k,...k->...", rows, rows))


def _bound(count: int) -> float:
    """The largest difference between two sums of `count` exact products in any order, relative to `|x| |y|`.

    A sum differs from the exact one by less than `count` units of 2**-53 of the sum of absolute products, which is at
    most `|x| |y|` (Higham, Accuracy and stability of numerical algorithms, chapter 3); this holds of fused operations
    too.  The ends of the interval and the computed norms add fewer than 2 and `count + 4` units of the bound itself.
    16 further units leave a margin for these.
    """
    return (count + 16) * 2.0**-52


def _sums(left: Array, right: Array, places: tuple[Array, ...]) -> Array:
    """The sums at some places of the product, by definition."""
    np = numpy()
    lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    rows = np.broadcast_to(left, (*lead, *left.shape[-2:]))
    columns = np.broadcast_to(right, (*lead, *right.shape[-2:])).swapaxes(-1, -2)
    size = max(_AT_ONCE // max(left.shape[-1], 1), 1)
    found = [
        total(rows[(*stack, i)] * columns[(*stack, j)])
        for *stack, i, j in ([place[at : at + size] for place in places] for at in range(0, len(places[0]), size))
    ]
    return np.concatenate(found)
