"""Losses: how far predictions are from targets, computed in binary64 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.lookups import Lookup
from gradual.ops.declaration.operator import IllFormed, Judgement, Operator, operator
from gradual.ops.declaration.shapes import agreement, judged, same_dtype, tensor
from gradual.ops.indexing.index_modes import integers
from gradual.ops.other.fourier import floats
from gradual.tensors import reals
from gradual.tensors.fault import out_of_bounds
from gradual.tensors.index import numel
from gradual.tensors.scalar import dot, kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType

Logarithms = Callable[[Iterable[float]], Iterable[float]]


def entropy(name: str, logarithms: Logarithms, summary: str, factor: str) -> Operator:
    """Declare the cross entropy of predictions, given how their logarithms are computed."""

    def meaning(predictions: Tensor, targets: Tensor) -> Tensor:
        loss = reals.divide(
            -float(dot(targets.elements, logarithms(predictions.elements))), float(predictions.shape[0])
        )
        return tensor_of((), predictions.dtype, kept(predictions.dtype, (loss,)))

    def judge(predictions: TensorType[Dim], targets: TensorType[Dim]) -> Judgement:
        left, right = floats(predictions, 0), tensor(targets, 1, rank=2)
        tensor(left, 0, rank=2)
        dtype = same_dtype(left, right)
        says, rule = "predictions and targets differ in shape", f"op.{name}.agree"
        needs = (agreement(left.shape[i], right.shape[i], rule, says, (0, i), (1, i)) for i in (0, 1))
        return judged((), dtype, needs)

    judge.__doc__ = f"""{summary}   t[n, c], t[n, c] -> t[]

        out[] = -(sum over i, j of targets[i, j] * {factor}) / n

    in binary64, rounded once at the end; if n is 0, the result is NaN.  Predictions and targets have the same shape,
    n by c [op.{name}.agree].
    """
    return operator(name, meaning=meaning, family="losses")(judge)


def _logarithms(elements: Iterable[float]) -> Iterable[float]:
    return map(reals.logarithm(math.log), elements)


def _as_they_are(elements: Iterable[float]) -> Iterable[float]:
    return elements


ENTROPIES = (
    entropy(
        "nn.cross_entropy",
        _logarithms,
        "The targets times the logarithms of predicted probabilities.",
        "log(predictions[i, j])",
    ),
    entropy(
        "nn.cross_entropy_with_logits",
        _as_they_are,
        "The targets times predictions that are logarithms of probabilities, as `nn.log_softmax` gives them.",
        "predictions[i, j]",
    ),
)


_REDUCTIONS = ("mean", "sum", "none")


def _nll_loss(predictions: Tensor, targets: Tensor, weights: Tensor, *, reduction: str, ignore_index: int) -> Tensor:
    """For each target the weighted prediction of its class, negated; the mean is weighted."""
    count, inner = weights.size, numel(predictions.shape[2:])
    losses, shares = [], []
    for place, target in enumerate(targets.elements):
        if target == ignore_index:
            losses.append(0.0)
            continue
        if not 0 <= target < count:
            raise out_of_bounds(target, count, "class")
        batch, rest = divmod(place, inner)
        weight = weights.elements[target]
        losses.append(-(weight * predictions.elements[(batch * count + target) * inner + rest]))
        shares.append(weight)
    if reduction == "none":
        return tensor_of(targets.shape, predictions.dtype, kept(predictions.dtype, losses))
    loss = float(total(losses))
    found = loss if reduction == "sum" else reals.divide(loss, float(total(shares)))
    return tensor_of((), predictions.dtype, kept(predictions.dtype, (found,)))


def _nll_loss_lookups(
    predictions: TensorType[Dim],
    targets: TensorType[Dim],
    weights: TensorType[Dim],
    *,
    reduction: str,
    ignore_index: int,
) -> tuple[Lookup, ...]:
    """A lookup of each target among the classes, unless it is ignored."""
    return (Lookup((1,), weights.shape[0], (2, 0), targets.shape, negative=False, ignored=ignore_index),)


@operator(
    "nn.nll_loss",
    meaning=_nll_loss,
    lookups=_nll_loss_lookups,
    family="losses",
    faults=Faults.OTHERWISE,
    onnx="NegativeLogLikelihoodLoss",
)
def nll_loss(
    predictions: TensorType[Dim],
    targets: TensorType[Dim],
    weights: TensorType[Dim],
    *,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Judgement:
    """For each target the prediction for its class, the logarithm of a probability, weighted and negated.

    t[n, c, ..a], int[n, ..a], t[c] -> t[]; with `reduction="none"` t[n, ..a]; without a batch t[c], int[], t[c] -> t[]

        loss[i, ..a] = -(weights[k] * predictions[i, k, ..a]),  k = targets[i, ..a]
        out[] = (sum over i, ..a of loss[i, ..a]) / (sum over i, ..a of weights[targets[i, ..a]])

    With the reduction "sum" the result is the first sum, with "none" it is `loss`.  A target that is `ignore_index`
    has the loss 0 and no weight; a mean of nothing is NaN.  Any other target that is not from 0 to c - 1 is a fault
    [op.index.bounds].  Targets have the shape of the predictions without the axis of the classes
    [op.nn.nll_loss.agree], and there are as many weights as classes [op.nn.nll_loss.classes].
    """
    given, named, shares = floats(predictions, 0, least=1), integers(targets, 1), tensor(weights, 2, rank=1)
    dtype = same_dtype(given, given, shares)
    if named.rank != given.rank - 1:
        raise IllFormed("op.rank", f"predictions of rank {given.rank} do not fit targets of rank {named.rank}", 1)
    if reduction not in _REDUCTIONS:
        raise IllFormed("op.attribute", f'reduction has to be "mean", "sum" or "none", not "{reduction}"')
    classes = min(given.rank - 1, 1)
    says = "predictions and targets differ"
    needs = [
        agreement(given.shape[axis], named.shape[i], "op.nn.nll_loss.agree", says, (0, axis), (1, i))
        for i, axis in enumerate(axis for axis in range(given.rank) if axis != classes)
    ]
    says = "there must be one weight for each class"
    place = (0, classes)
    needs.append(agreement(given.shape[classes], shares.shape[0], "op.nn.nll_loss.classes", says, place, (2, 0)))
    return judged(named.shape if reduction == "none" else (), dtype, needs)
