"""Functions that all models of the domain use: rows of features, constants, scores and labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import pi, sqrt

from gradual.importers.common.composed.arithmetic import Term, absolute, exp, log, where
from gradual.importers.common.composed.arithmetic import sqrt as root
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

learned = partial(imports, domain="ai.onnx.ml")


# --------------------------------------------------------------------------------------------------------------- inputs
def rows(use: Use, x: Value) -> Value:
    """A matrix with a row for each point; a vector is one point."""
    if x.rank == 1:
        return use.call("expand_dims", x, axis=0)
    if x.rank != 2:
        raise Unsupported(f"features in a tensor of rank {x.rank}")
    return x


def as_floats(use: Use, x: Value) -> Value:
    """The elements as float32, unless they are float64."""
    return x if x.dtype is DType.FLOAT64 else as_type(use, x, DType.FLOAT32)


def constant(use: Use, what: str, elements: Sequence[float], dtype: DType, *shape: int) -> Value:
    """The elements of an attribute as a constant of a given shape, by default a vector."""
    wanted = shape or (len(elements),)
    return use.builder.constant(Tensor(list(elements), dtype, wanted), f"{use.node.title}_{what}")


def numbers(use: Use, name: str) -> list[float]:
    """The numbers of an attribute, which since version 3 may be a tensor; empty if the attribute is left out."""
    if isinstance(held := use.attribute(f"{name}_as_tensor"), Tensor) and held.size:
        return list(held.flat())
    return list(use.attribute(name, ()))


# --------------------------------------------------------------------------------------------------------------- scores
def transformed(use: Use, scores: Value) -> Value:
    """The scores of each row after the function that `post_transform` names."""
    match use.attribute("post_transform", "NONE"):
        case "NONE" | 0:
            return scores
        case "SOFTMAX" | 1:
            return use.call("nn.softmax", scores, axis=-1)
        case "LOGISTIC" | 2:
            return use.call("sigmoid", scores)
        case "SOFTMAX_ZERO" | 3:
            return _softmax_zero(use, scores)
        case "PROBIT" | 4:
            return _probit(Term(use, scores)).value
        case other:
            raise Unsupported(f"post_transform={other!r}")


def _softmax_zero(use: Use, scores: Value) -> Value:
    """The softmax of the nonzero scores; scores near 0 stay near 0."""
    x, greatest = Term(use, scores), Term(use, use.call("max", scores, axis=-1, keepdims=True))
    counts = absolute(x) > 1e-7
    power = where(counts, exp(x - greatest), 0.0)
    total = Term(use, use.call("sum", power.value, axis=-1, keepdims=True))
    return (where(counts, power, x * exp(-greatest)) / total).value


def _probit(x: Term) -> Term:
    """The inverse of the normal distribution function, by Winitzki's approximation as runtimes compute it."""
    centred = 2.0 * x - 1.0
    below = log((1.0 - centred) * (1.0 + centred))
    half = 2 / (pi * 0.147) + 0.5 * below
    size = root(root(half * half - below / 0.147) - half) * sqrt(2)
    return where(centred < 0.0, -size, size)


def paired(use: Use, score: Value, is_share: bool) -> Value:
    """The scores of two classes, given s for the second: the first has 1 - s for probabilities, and -s otherwise."""
    kind = use.attribute("post_transform", "NONE")
    one = Term(use, score)
    first = 1.0 - one if kind == "PROBIT" or (kind == "NONE" and is_share) else -one
    return use.call("concatenate", use.builder.tuple([first.value, score]), axis=1)


# --------------------------------------------------------------------------------------------------------------- labels
Labels = Sequence[int] | Unread

STRINGS = Unread("labels that are strings")


def labels_of(use: Use, integers: str) -> tuple[int, Labels]:
    """The number of classes, and their labels."""
    if (strings := use.attribute("classlabels_strings")) and use.attribute(integers):
        raise Unsupported("labels that are integers and strings")
    found = tuple(use.attribute(integers, ()))
    return (len(strings), STRINGS) if strings else (len(found), found)


def labelled(use: Use, labels: Labels, chosen: Value) -> Value | Unread:
    """The labels of chosen classes, which are given by their indices."""
    if isinstance(labels, Unread):
        return labels
    return use.call("take", constant(use, "labels", labels, DType.INT64), chosen, axis=0)


def best(use: Use, scores: Value) -> Value:
    """The index of the class with the greatest score in each row; the first one in a tie."""
    return use.call("argmax", scores, axis=1)


def second_if(use: Use, score: Value, threshold: float) -> Value:
    """1 for each row whose only score is above a threshold, else 0."""
    above = use.call("greater", use.call("squeeze", score, axis=[1]), use.like(threshold, score))
    return use.call("cast", above, dtype=DType.INT64)
