"""Normalization: batch and layer norms, softmax, local response, and dropout as at inference.

Each result element is computed in binary64 from the elements as they are and rounded once; sums run from left to right
in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import mul

from gradual.dims.term.constraint import any_of, equal
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.element_ranges import of_first
from gradual.ops.declaration.facts import by_type
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import (
    NO_AXES,
    Axes,
    Growth,
    Padding,
    all_but,
    along,
    everywhere,
    first_along,
    reshaped,
)
from gradual.ops.declaration.shapes import ONE, agreement, axes_of, axis_of, judged, of_dtype, same_dtype, size, tensor
from gradual.ops.linear.products import along_axis
from gradual.ops.nn import fast_normalization
from gradual.tensors import reals
from gradual.tensors.index import numel, permuted
from gradual.tensors.scalar import dot, kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType

Lane = list[float]


def floats(given: TensorType[Dim], operand: int = 0, least: int = 0) -> TensorType[Dim]:
    """The argument as a tensor of floats."""
    found = tensor(given, operand, least=least)
    of_dtype(found, operand, lambda dtype: dtype.is_float, "a tensor of floats")
    return found


def lanewise(data: Tensor, axes: Sequence[int], function: Callable[[Lane], Sequence[float]]) -> Tensor:
    """Replace each lane, the elements along some axes in row-major order, by the function's result on it."""
    turned = [axis for axis in range(data.rank) if axis not in axes] + list(axes)
    shape = tuple(data.shape[axis] for axis in turned)
    width = numel([data.shape[axis] for axis in axes])
    cells = list(permuted(data.elements, data.shape, turned))
    found: list[float] = []
    for start in range(0, len(cells), width or 1):
        found += function(cells[start : start + width])
    back = [turned.index(axis) for axis in range(data.rank)]
    return tensor_of(data.shape, data.dtype, permuted(kept(data.dtype, found), shape, back))


def columns(data: TensorType[Dim], axis: int, rule: str, *columns: TensorType[Dim]) -> tuple[Need, ...]:
    """Needs that vectors have one number for each index along the axis."""
    place = axis_of(axis, data.rank)
    given = [tensor(column, operand + 1, rank=1) for operand, column in enumerate(columns)]
    same_dtype(data, *given)
    says = "a vector does not have the size of the axis"
    return tuple(
        agreement(data.shape[place], column.shape[0], rule, says, (0, place), (operand + 1, 0))
        for operand, column in enumerate(given)
    )


def _batch_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, moving_mean: Tensor, moving_var: Tensor, *, axis: int, epsilon: float,
    center: bool, scale: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`(x - mean) / sqrt(var + epsilon) * gamma + beta` by channel, with the given statistics."""
    factors = [reals.divide(1.0, reals.sqrt(var + epsilon)) for var in moving_var.elements]
    if scale:
        factors = list(map(mul, factors, gamma.elements))
    shifts = list(beta.elements) if center else [0.0] * beta.size
    inner, found = numel(data.shape[axis % data.rank + 1 :]), list[float]()
    channels = list(zip(moving_mean.elements, factors, shifts, strict=True))
    for start in range(0, data.size, inner or 1):
        mean, factor, shift = channels[start // inner % len(channels)]
        found += [(x - mean) * factor + shift for x in data.elements[start : start + inner]]
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found)), moving_mean, moving_var


@operator(
    "nn.batch_norm",
    meaning=_batch_norm,
    family="normalizing",
    padding=Padding(everywhere),
    onnx="BatchNormalization",
    fast=fast_normalization.batch_norm,
)
def batch_norm(
    data: TensorType[Dim],
    gamma: TensorType[Dim],
    beta: TensorType[Dim],
    moving_mean: TensorType[Dim],
    moving_var: TensorType[Dim],
    *,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Judgement:
    """Batch norm at inference, and its statistics unchanged.   t[.., c, ..], 4 of t[c] -> (t[.., c, ..], t[c], t[c])

        out.0[.., k, ..] = (data[.., k, ..] - moving_mean[k]) * (1 / sqrt(moving_var[k] + epsilon) * gamma[k]) + beta[k]
        out.1 = moving_mean,  out.2 = moving_var

    in binary64, rounded once at the end.  Without `scale`, gamma[k] is left out; without `center`, beta[k] is 0.  The
    four vectors have the size c of the data's `axis` [op.nn.batch_norm.channels].
    """
    given = floats(data, least=1)
    needs = columns(given, axis, "op.nn.batch_norm.channels", gamma, beta, moving_mean, moving_var)
    fields = (given.shape, moving_mean.shape, moving_var.shape)
    return Judgement(TupleType(tuple(TensorType(shape, given.dtype) for shape in fields)), needs)


def _layer_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    """Each lane minus its mean, divided by the root of its variance, then scaled and shifted."""
    factors = list(gamma.elements) if scale else [1.0] * gamma.size
    shifts = list(beta.elements) if center else [0.0] * beta.size

    def normal(lane: Lane) -> Lane:
        return [x * factor + shift for x, factor, shift in zip(standard(lane, epsilon), factors, shifts, strict=True)]

    return lanewise(data, (axis % data.rank,), normal)


def standard(lane: Lane, epsilon: float) -> Lane:
    """The lane normalized to mean 0 and variance 1, up to epsilon."""
    count = float(len(lane))
    mean = reals.divide(total(lane), count)
    apart = [x - mean for x in lane]
    factor = reals.divide(1.0, reals.sqrt(reals.divide(dot(apart, apart), count) + epsilon))
    return [x * factor for x in apart]


@operator(
    "nn.layer_norm",
    meaning=_layer_norm,
    family="normalizing",
    padding=Padding(first_along),
    onnx="LayerNormalization",
    fast=fast_normalization.layer_norm,
)
def layer_norm(
    data: TensorType[Dim],
    gamma: TensorType[Dim],
    beta: TensorType[Dim],
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Judgement:
    """Lanes normalized to mean 0 and variance 1, then scaled and shifted.   t[.., c, ..], t[c], t[c] -> t[.., c, ..]

        out[.., k, ..] = (data[.., k, ..] - mean) * (1 / sqrt(var + epsilon)) * gamma[k] + beta[k]
        mean = (sum over j of data[.., j, ..]) / c,  var = (sum over j of (data[.., j, ..] - mean) ** 2) / c

    in binary64, rounded once at the end; k and j along `axis`.  Without `scale`, gamma[k] is 1; without `center`,
    beta[k] is 0.  Both vectors have the size c of the axis [op.nn.layer_norm.channels].
    """
    given = floats(data, least=1)
    return judged(given.shape, given.dtype, columns(given, axis, "op.nn.layer_norm.channels", gamma, beta))


def _softmax(data: Tensor, *, axis: int) -> Tensor:
    """`exp(x - max)` divided by its sum along the axis."""

    def normal(lane: Lane) -> Lane:
        high = max(lane, default=0.0)
        powers = [math.exp(x - high) for x in lane]
        whole = total(powers)
        return [power / whole for power in powers]

    return lanewise(data, (axis % data.rank,), normal)


@operator(
    "nn.softmax",
    meaning=_softmax,
    family="normalizing",
    padding=Padding(along("axis")),
    onnx="Softmax",
    fast=fast_normalization.softmax,
)
def softmax(data: TensorType[Dim], *, axis: int = -1) -> Judgement:
    """The exponentials along an axis, divided by their sum.   t[..a] -> t[..a]

        out[.., k, ..] = e[.., k, ..] / (sum over j of e[.., j, ..]),  e[.., k, ..] = exp(data[.., k, ..] - high)

    in binary64, rounded once at the end; high is the greatest element along the axis.
    """
    given = floats(data, least=1)
    axis_of(axis, given.rank)
    return judged(given.shape, given.dtype)


@operator(
    "nn.fast_softmax",
    meaning=_softmax,
    family="normalizing",
    padding=Padding(along("axis")),
    fast=fast_normalization.softmax,
)
def fast_softmax(data: TensorType[Dim], *, axis: int = -1) -> Judgement:
    """The same as `nn.softmax`; other implementations approximate it.   t[..a] -> t[..a]

    out = nn.softmax(data, axis=axis)
    """
    given = floats(data, least=1)
    axis_of(axis, given.rank)
    return judged(given.shape, given.dtype)


def _log_softmax(data: Tensor, *, axis: int) -> Tensor:
    """`x - max - log(sum of exp(x - max))`."""

    def normal(lane: Lane) -> Lane:
        high = max(lane, default=0.0)
        apart = [x - high for x in lane]
        whole = math.log(total(map(math.exp, apart))) if lane else 0.0
        return [x - whole for x in apart]

    return lanewise(data, (axis % data.rank,), normal)


@operator(
    "nn.log_softmax",
    meaning=_log_softmax,
    family="normalizing",
    padding=Padding(along("axis")),
    onnx="LogSoftmax",
    fast=fast_normalization.log_softmax,
)
def log_softmax(data: TensorType[Dim], *, axis: int = -1) -> Judgement:
    """The logarithm of the softmax.   t[..a] -> t[..a]

        out[.., k, ..] = data[.., k, ..] - high - log(sum over j of exp(data[.., j, ..] - high))

    in binary64, rounded once at the end; high is the greatest element along the axis.
    """
    given = floats(data, least=1)
    axis_of(axis, given.rank)
    return judged(given.shape, given.dtype)


def _dropout(data: Tensor, *, rate: float) -> tuple[Tensor, Tensor]:
    """The data, and a mask that keeps everything."""
    return data, tensor_of(data.shape, data.dtype, kept(data.dtype, (1,)) * data.size)


@operator("nn.dropout", meaning=_dropout, family="normalizing", padding=Padding(everywhere), onnx="Dropout")
def dropout(data: TensorType[Dim], *, rate: float = 0.5) -> Judgement:
    """Dropout at inference: the data, and a mask of ones.   t[..a] -> (t[..a], t[..a])

    out.0[i] = data[i],  out.1[i] = 1,  whatever the rate
    """
    given = tensor(data, 0)
    if not 0.0 <= rate <= 1.0:
        raise IllFormed("op.attribute", f"rate has to be between 0 and 1, not {rate}")
    return Judgement(TupleType((TensorType(given.shape, given.dtype),) * 2))


def _batch_flatten(data: Tensor) -> Tensor:
    return tensor_of((data.shape[0], numel(data.shape[1:])), data.dtype, data.elements)


@operator(
    "nn.batch_flatten",
    meaning=_batch_flatten,
    ranges=of_first,
    family="normalizing",
    padding=Padding(reshaped),
    identity=by_type,
    onnx="Flatten",
)
def batch_flatten(data: TensorType[Dim]) -> Judgement:
    """All axes but the first as one.   t[n, ..a] -> t[n, product(a)]

    out[i, j] = the j-th element of data[i] in row-major order, counted from 0
    """
    given = tensor(data, 0, least=1)
    return judged((given.shape[0], size(given.shape[1:])), given.dtype)


def _prelu(data: Tensor, alpha: Tensor, *, axis: int) -> Tensor:
    """Positive elements unchanged; others times alpha's element at their index along the axis, or its only element."""
    shared = alpha.size == 1 and data.shape[axis % data.rank] != 1
    slopes = alpha.elements * data.size if shared else along_axis(data, alpha, axis)
    found = (x if x > 0 else x * slope for x, slope in zip(data.elements, slopes, strict=True))
    return tensor_of(data.shape, data.dtype, kept(data.dtype, found))


@operator(
    "nn.prelu",
    meaning=_prelu,
    family="normalizing",
    padding=Padding(first_along),
    onnx="PRelu",
    fast=fast_normalization.prelu,
)
def prelu(data: TensorType[Dim], alpha: TensorType[Dim], *, axis: int = 1) -> Judgement:
    """The elements, negative ones times the slope of their channel.   t[.., c, ..], t[k] -> t[.., c, ..]

        out[.., i, ..] = data[.., i, ..] if data[.., i, ..] > 0 else data[.., i, ..] * alpha[i]

    The number of slopes k is the size c of the data's `axis`, or it is 1, and alpha[0] is used for all
    [op.nn.prelu.channels].
    """
    given, slopes = tensor(data, 0, least=1), tensor(alpha, 1, rank=1)
    of_dtype(given, 0, lambda dtype: dtype is not DType.BOOL, "a tensor of numbers")
    same_dtype(given, slopes)
    place = axis_of(axis, given.rank)
    goal = any_of(equal(slopes.shape[0], given.shape[place]), equal(slopes.shape[0], ONE))
    says = "the number of slopes is neither 1 nor the size of the axis"
    need = Need(goal, "op.nn.prelu.channels", says, ((1, 0), (0, place)))
    return judged(given.shape, given.dtype, (need,))


def _lrn(data: Tensor, *, size: int, axis: int, bias: float, alpha: float, beta: float) -> Tensor:
    """`x / (bias + alpha / size * s) ** beta`, s being the sum of squares of `size` elements around x."""

    def normal(lane: Lane) -> Lane:
        squares = [x * x for x in lane]
        near = (total(squares[max(i - size // 2, 0) : max(i - size // 2 + size, 0)]) for i in range(len(lane)))
        return [
            reals.divide(x, reals.power(bias + alpha * around / size, beta))
            for x, around in zip(lane, near, strict=True)
        ]

    return lanewise(data, (axis % data.rank,), normal)


@operator("nn.lrn", meaning=_lrn, family="normalizing", padding=Padding(along("axis")), onnx="LRN")
def lrn(
    data: TensorType[Dim], *, size: int = 5, axis: int = 1, bias: float = 2.0, alpha: float = 1e-4, beta: float = 0.75
) -> Judgement:
    """Each element divided by `(bias + alpha / size * s) ** beta`.   t[..a] -> t[..a]

        out[.., k, ..] = data[.., k, ..] / (bias + alpha * s / size) ** beta
        s = sum over j of data[.., j, ..] ** 2,  j from k - size // 2 to k - size // 2 + size - 1, within the axis

    in binary64, rounded once at the end.
    """
    given = floats(data, least=1)
    axis_of(axis, given.rank)
    if size < 1:
        raise IllFormed("op.attribute", f"size has to be at least 1, not {size}")
    return judged(given.shape, given.dtype)


def _l2_normalize(data: Tensor, *, eps: float, axis: tuple[int, ...] | None) -> Tensor:
    """`x / sqrt(max(sum of squares, eps))`."""

    def normal(lane: Lane) -> Lane:
        length = reals.sqrt(reals.maximum(float(dot(lane, lane)), eps))
        return [reals.divide(x, length) for x in lane]

    return lanewise(data, _chosen(axis, data.rank), normal)


def _chosen(axis: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes in ascending order, all if none is given."""
    return tuple(sorted(axes_of(axis, rank))) if axis else tuple(range(rank))


def _l2_extends(growth: Growth) -> Iterator[Axes]:
    """The axes along which nothing is summed; none if `axis` is not given."""
    axes = growth.attributes["axis"]
    yield all_but(growth.types[0], *axes) if axes else NO_AXES


@operator(
    "nn.l2_normalize", meaning=_l2_normalize, family="normalizing", padding=Padding(_l2_extends), onnx="LpNormalization"
)
def l2_normalize(data: TensorType[Dim], *, eps: float, axis: tuple[int, ...] | None) -> Judgement:
    """Each element divided by the Euclidean norm along some axes.   t[..a] -> t[..a]

        out[i, j] = data[i, j] / sqrt(max(sum over k of data[i, k] ** 2, eps)),  j and k along `axis`

    in binary64, rounded once at the end.  Without `axis`, or with an empty one, the norm is that of all elements.
    """
    given = floats(data)
    _chosen(axis, given.rank)
    return judged(given.shape, given.dtype)
