"""The variance: the mean squared distance from a mean that is given."""

from __future__ import annotations

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Judgement, operator
from gradual.ops.declaration.padding import Padding
from gradual.ops.declaration.shapes import ONE, agreement, judged, of_dtype, same_dtype, tensor
from gradual.ops.reduction.reductions import Axis, Block, array_blocks, blocks, extends, reduced_axes, remaining
from gradual.tensors import reals
from gradual.tensors.arrays.elements import computable
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.folds import total
from gradual.tensors.index import numel
from gradual.tensors.scalar import dot, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType


def _scatter(block: Block, middle: float) -> float:
    """The sum of squared distances from the middle."""
    moved = [part - middle for part in block]
    return float(dot(moved, moved))


def _variance(x: Tensor, mean: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, unbiased: bool) -> Tensor:
    axes = reduced_axes(axis, exclude, x.rank)
    count = numel([x.shape[place] for place in axes]) - unbiased
    found = [
        reals.divide(_scatter(block, middle), float(count))
        for block, middle in zip(blocks(x, axes), mean.elements, strict=True)
    ]
    return tensor_of(remaining(x.shape, axes, keepdims, 1), x.dtype, kept(x.dtype, found))


def _fast_variance(x: Tensor, mean: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, unbiased: bool) -> Tensor:
    axes = reduced_axes(axis, exclude, x.rank)
    moved = array_blocks(x, axes) - computable(mean.elements, mean.dtype, (mean.size, 1))
    found = total(moved * moved) / float(moved.shape[1] - unbiased)
    return tensor_of(remaining(x.shape, axes, keepdims, 1), x.dtype, kept_array(x.dtype, found))


@operator("variance", meaning=_variance, family="reducing", padding=Padding(extends), fast=_fast_variance)
def variance(
    x: TensorType[Dim],
    mean: TensorType[Dim],
    *,
    axis: tuple[int, ...] | int | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Judgement:
    """Mean squared distance from a given mean, in binary64, rounded once; `unbiased` divides by one less than the
    count.   t[..a], t[..reduced(a, axis, keepdims)] -> t[..reduced(a, axis)]

        out[i] = (sum over r of (x[i, r] - mean[i, 0]) ** 2) / (m - 1 if unbiased else m)

    r runs over the m elements along the reduced axes, which `axis` and `exclude` name as in `sum`; where the divisor
    is 0 the quotient is as in IEEE 754. The mean has the shape of the data, with 1 along each reduced axis
    [op.variance.agree].
    """
    given = tensor(x, 0)
    of_dtype(given, 0, lambda dtype: dtype.is_float, "floats")
    middle = tensor(mean, 1, rank=given.rank)
    same_dtype(given, middle)
    axes = reduced_axes(axis, exclude, given.rank)
    says = "the mean has another shape than the data with its reduced axes kept as 1"
    needs = [
        agreement(middle.shape[place], wanted, "op.variance.agree", says, (1, place), (0, place))
        for place, wanted in enumerate(remaining(given.shape, axes, True, ONE))
    ]
    return judged(remaining(given.shape, axes, keepdims, ONE), given.dtype, needs)
