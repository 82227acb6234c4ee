"""Linear models."""

from __future__ import annotations

from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type
from gradual.importers.onnx.ml.scores import (
    as_floats,
    best,
    constant,
    labelled,
    labels_of,
    learned,
    paired,
    rows,
    second_if,
    transformed,
)
from gradual.types.dtype import DType


def product(use: Use, x: Value, count: int, what: str = "coefficients") -> Value:
    """The inner products of each row with `count` vectors, which are concatenated in an attribute."""
    held = use.attribute(what, ())
    if not held or count < 1 or len(held) % count:
        raise Unsupported(f"{len(held)} {what} for {count} scores")
    features = len(held) // count
    weight = constant(use, what, held, x.dtype, count, features)
    return use.call("nn.dense", use.exactly(x, 1, features), weight)


def shifted(use: Use, scores: Value, name: str) -> Value:
    """The scores plus the elements of an attribute, if the node has it."""
    added = use.attribute(name, ())
    return use.call("add", scores, constant(use, name, added, scores.dtype)) if added else scores


def _scores(use: Use, count: int) -> Value:
    """The values of `count` linear functions at each point, a column for each."""
    if len(use.attribute("intercepts", ())) not in (0, count):
        raise Unsupported(f"{len(use.attribute('intercepts'))} intercepts of {count} scores")
    found = shifted(use, product(use, as_floats(use, rows(use, use[0])), count), "intercepts")
    return as_type(use, found, DType.FLOAT32)


@learned("LinearRegressor")
def regressor(use: Use) -> Value:
    """For each target, a linear function of the features."""
    return transformed(use, _scores(use, use.attribute("targets", 1)))


@learned("LinearClassifier")
def classifier(use: Use) -> list[Value | Unread]:
    """The class with the greatest score, and the scores; with two classes, only the second may have coefficients."""
    classes, labels = labels_of(use, "classlabels_ints")
    count = len(use.attribute("intercepts", ())) or classes
    scores = use.builder.named(_scores(use, count), "scores")
    if (count, classes) == (1, 2):
        return [labelled(use, labels, second_if(use, scores, 0.0)), transformed(use, paired(use, scores, True))]
    if count != classes:
        raise Unsupported(f"{count} scores of {classes} classes")
    label = Unread("the label of a single class") if count == 1 else labelled(use, labels, best(use, scores))
    return [label, transformed(use, scores)]
