"""The normalizations of `normalization.py` with NumPy, in the same bits: all lanes at once, as rows of an array."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gradual.tensors import reals
from gradual.tensors.arrays.elements import computable, each, kept
from gradual.tensors.arrays.folds import total
from gradual.tensors.arrays.functions import ON_ARRAYS
from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, tensor_of

_inverse_root = ON_ARRAYS[reals.rsqrt]


def lanewise(data: Tensor, axes: Sequence[int], function: Callable[[Array], Array]) -> Tensor:
    """Replace the lanes, the elements along some axes in row-major order, by the function's result on them."""
    turned = [axis for axis in range(data.rank) if axis not in axes] + list(axes)
    cells = computable(data.elements, data.dtype, data.shape).transpose(turned)
    width = numel([data.shape[axis] for axis in axes])
    found = function(cells.reshape(-1, width)).reshape(cells.shape) if cells.size else cells
    back = [turned.index(axis) for axis in range(data.rank)]
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found.transpose(back)))


def standard(lanes: Array, epsilon: float) -> Array:
    """Lanes, which are not empty, normalized to mean 0 and variance 1, up to epsilon."""
    count = float(lanes.shape[-1])
    apart = lanes - (total(lanes) / count)[:, None]
    return apart * _inverse_root(total(apart * apart) / count + epsilon)[:, None]


def batch_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, moving_mean: Tensor, moving_var: Tensor, *, axis: int, epsilon: float,
    center: bool, scale: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`(x - mean) / sqrt(var + epsilon) * gamma + beta` by channel, with the given statistics."""
    column = (gamma.size, *(1,) * (data.rank - axis % data.rank - 1))
    factor, shift, mean, var = (
        computable(part.elements, part.dtype, column) for part in (gamma, beta, moving_mean, moving_var)
    )
    factor = _inverse_root(var + epsilon) * (factor if scale else 1.0)
    found = (computable(data.elements, data.dtype, data.shape) - mean) * factor + (shift if center else 0.0)
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found)), moving_mean, moving_var


def layer_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    """Each lane minus its mean, divided by the root of its variance, then scaled and shifted."""
    factors, shifts = (computable(part.elements, part.dtype, part.shape) for part in (gamma, beta))

    def normal(lanes: Array) -> Array:
        return standard(lanes, epsilon) * (factors if scale else 1.0) + (shifts if center else 0.0)

    return lanewise(data, (axis % data.rank,), normal)


def softmax(data: Tensor, *, axis: int) -> Tensor:
    """`exp(x - max)` divided by its sum along the axis."""

    def normal(lanes: Array) -> Array:
        powers = each(math.exp, lanes - lanes.max(-1, keepdims=True))
        return powers / total(powers)[:, None]

    return lanewise(data, (axis % data.rank,), normal)


def log_softmax(data: Tensor, *, axis: int) -> Tensor:
    """`x - max - log(sum of exp(x - max))`."""

    def normal(lanes: Array) -> Array:
        apart = lanes - lanes.max(-1, keepdims=True)
        return apart - each(math.log, total(each(math.exp, apart)))[:, None]

    return lanewise(data, (axis % data.rank,), normal)


def prelu(data: Tensor, alpha: Tensor, *, axis: int) -> Tensor:
    """Positive elements unchanged; others times alpha's element at their index along the axis, or its only element."""
    cells = computable(data.elements, data.dtype, data.shape)
    slopes = computable(alpha.elements, alpha.dtype, (alpha.size, *(1,) * (data.rank - axis % data.rank - 1)))
    return tensor_of(data.shape, data.dtype, kept(data.dtype, numpy().where(cells > 0, cells, cells * slopes)))


def group_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    """Normalize each group of channels of each sample to mean 0 and variance 1, then scale and shift each channel."""
    place = axis % data.rank
    turned = [0, place, *(other for other in range(1, data.rank) if other != place)]
    cells = computable(data.elements, data.dtype, data.shape).transpose(turned)
    column = (gamma.size, *(1,) * (data.rank - 2))
    factors, shifts = (computable(part.elements, part.dtype, column) for part in (gamma, beta))
    if cells.size:
        width = cells.shape[1] // groups * numel(cells.shape[2:])
        cells = standard(cells.reshape(-1, width), epsilon).reshape(cells.shape)
    found = cells * (factors if scale else 1.0) + (shifts if center else 0.0)
    back = [turned.index(other) for other in range(data.rank)]
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found.transpose(back)))
