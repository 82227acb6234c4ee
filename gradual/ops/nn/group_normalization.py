"""Instance and group normalization: each channel of a sample, or each group of channels, gets mean 0 and variance 1.

Results are computed and rounded as in `normalization.py`; sums run over the channels of a group in row-major order.
"""

from __future__ import annotations

from gradual.dims.term.constraint import divides
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, samples
from gradual.ops.declaration.shapes import axis_of, judged
from gradual.ops.nn import fast_normalization
from gradual.ops.nn.normalization import columns, floats, standard
from gradual.tensors.index import numel, permuted
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType


def _grouped(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    """Normalize each group of channels of each sample to mean 0 and variance 1, then scale and shift each channel."""
    place = axis % data.rank
    turned = [0, place, *(other for other in range(1, data.rank) if other != place)]
    shape = tuple(data.shape[other] for other in turned)
    cells, channels, inner = list(permuted(data.elements, data.shape, turned)), shape[1], numel(shape[2:])
    width, found = channels // max(groups, 1) * inner, list[float]()
    for start in range(0, len(cells), width or 1):
        found += standard(cells[start : start + width], epsilon)
    factors = list(gamma.elements) if scale else [1.0] * channels
    shifts = list(beta.elements) if center else [0.0] * channels
    for start in range(0, len(cells), inner or 1):
        factor, shift = factors[start // inner % channels], shifts[start // inner % channels]
        found[start : start + inner] = [x * factor + shift for x in found[start : start + inner]]
    back = [turned.index(other) for other in range(data.rank)]
    return tensor_of(data.shape, data.dtype, permuted(kept(data.dtype, found), shape, back))


def _channels(data: TensorType[Dim], axis: int) -> tuple[TensorType[Dim], int]:
    """The argument as samples of floats, and the axis of their channels."""
    given = floats(data, least=2)
    place = axis_of(axis, given.rank)
    if place == 0:
        raise IllFormed("op.axis", "axis 0 is the batch axis and cannot be the channel axis", 0)
    return given, place


def _instance_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    return _grouped(data, gamma, beta, data.shape[axis % data.rank], axis, epsilon, center, scale)


def _fast_instance_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    return fast_normalization.group_norm(data, gamma, beta, gamma.size, axis, epsilon, center, scale)


@operator(
    "nn.instance_norm",
    meaning=_instance_norm,
    family="grouping",
    padding=Padding(samples),
    onnx="InstanceNormalization",
    fast=_fast_instance_norm,
)
def instance_norm(
    data: TensorType[Dim],
    gamma: TensorType[Dim],
    beta: TensorType[Dim],
    *,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Judgement:
    """Each channel of each sample normalized to mean 0 and variance 1.   t[n, .., c, ..], 2 of t[c] -> t[n, .., c, ..]

        out[i, .., k, ..] = (data[i, .., k, ..] - mean) * (1 / sqrt(var + epsilon)) * gamma[k] + beta[k]
        mean = (sum of data[i, .., k, ..]) / m,  var = (sum of (data[i, .., k, ..] - mean) ** 2) / m

    in binary64, rounded once at the end; the sums are over the m elements of channel k of sample i.  Without `scale`,
    gamma[k] is 1; without `center`, beta[k] is 0.  Both vectors have the size c of the data's `axis`
    [op.nn.instance_norm.channels].
    """
    given, place = _channels(data, axis)
    return judged(given.shape, given.dtype, columns(given, place, "op.nn.instance_norm.channels", gamma, beta))


def _group_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, num_groups: int, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    return _grouped(data, gamma, beta, num_groups, axis, epsilon, center, scale)


def _fast_group_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, num_groups: int, axis: int, epsilon: float, center: bool, scale: bool
) -> Tensor:
    return fast_normalization.group_norm(data, gamma, beta, num_groups, axis, epsilon, center, scale)


@operator(
    "nn.group_norm",
    meaning=_group_norm,
    family="grouping",
    padding=Padding(samples),
    onnx="GroupNormalization",
    fast=_fast_group_norm,
)
def group_norm(
    data: TensorType[Dim],
    gamma: TensorType[Dim],
    beta: TensorType[Dim],
    *,
    num_groups: int = 0,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Judgement:
    """Each group of channels normalized to mean 0 and variance 1.   t[n, .., c, ..], 2 of t[c] -> t[n, .., c, ..]

        out[i, .., k, ..] = (data[i, .., k, ..] - mean) * (1 / sqrt(var + epsilon)) * gamma[k] + beta[k]
        mean = (sum of data[i, .., j, ..]) / m,  var = (sum of (data[i, .., j, ..] - mean) ** 2) / m

    in binary64, rounded once at the end; the sums are over the m elements of the channels j in the group of k, j // (c
    // num_groups) == k // (c // num_groups), the channels outermost.  Without `scale`, gamma[k] is 1; without
    `center`, beta[k] is 0.  `num_groups` divides the channels c [op.nn.group_norm.groups]; both vectors have the size
    c of the data's `axis` [op.nn.group_norm.channels].
    """
    given, place = _channels(data, axis)
    if num_groups < 1:
        raise IllFormed("op.attribute", f"num_groups has to be at least 1, not {num_groups}")
    whole, says = divides(num_groups, given.shape[place]), "the channels are not divisible by num_groups"
    needs = columns(given, place, "op.nn.group_norm.channels", gamma, beta)
    return judged(given.shape, given.dtype, (Need(whole, "op.nn.group_norm.groups", says, ((0, place),)), *needs))
