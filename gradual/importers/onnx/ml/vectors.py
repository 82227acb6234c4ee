"""Support vector machines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, combinations

from gradual.importers.common.composed.arithmetic import Term, exp, tanh
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type
from gradual.importers.onnx.ml.linear import product
from gradual.importers.onnx.ml.scores import as_floats, best, constant, labelled, labels_of, learned, rows, transformed
from gradual.types.dtype import DType


def _kernels(use: Use, x: Value, count: int) -> Value:
    """The kernel function at each pair of a row and one of `count` support vectors."""
    kind, (gamma, offset, degree) = use.attribute("kernel_type", "LINEAR"), _parameters(use)
    if kind == "RBF":
        return exp(Term(use, _distances(use, x, count)) * -gamma).value
    found = Term(use, product(use, x, count, "support_vectors"))
    match kind:
        case "LINEAR":
            return found.value
        case "POLY":
            return (found * gamma + offset).applied("power", degree).value
        case "SIGMOID":
            return tanh(found * gamma + offset).value
    raise Unsupported(f"kernel_type={kind!r}")


def _parameters(use: Use) -> Sequence[float]:
    given = use.attribute("kernel_params", ()) or (0.0, 0.0, 0.0)
    if len(given) != 3:
        raise Unsupported(f"{len(given)} kernel_params")
    return tuple(given)


def _distances(use: Use, x: Value, count: int) -> Value:
    """The squared distance of each row from each support vector."""
    held = use.attribute("support_vectors", ())
    if not held or len(held) % count:
        raise Unsupported(f"{len(held)} support_vectors for {count} scores")
    features = len(held) // count
    vectors = constant(use, "support_vectors", held, x.dtype, count, features)
    apart = use.call("subtract", use.call("expand_dims", use.exactly(x, 1, features), axis=1), vectors)
    return use.call("sum", use.call("multiply", apart, apart), axis=2)


def _offset(use: Use, scores: Value, count: int) -> Value:
    """The scores plus the first `count` numbers of `rho`."""
    rho = use.attribute("rho", ())
    if len(rho) < count:
        raise Unsupported(f"{len(rho)} numbers in rho")
    return use.call("add", scores, constant(use, "rho", rho[:count], scores.dtype))


@learned("SVMRegressor")
def regressor(use: Use) -> Value:
    """The weighted sum of the kernels with the support vectors; with `one_class`, only the sign of the sum, 1 or -1."""
    use.only("post_transform", "NONE")
    x, count = as_floats(use, rows(use, use[0])), use.attribute("n_supports", 0)
    if count:
        weights = use.attribute("coefficients", ())
        if len(weights) != count:
            raise Unsupported(f"{len(weights)} coefficients of {count} support vectors")
        found = use.call("nn.dense", _kernels(use, x, count), constant(use, "coefficients", weights, x.dtype, 1, count))
    else:
        found = product(use, x, 1)
    found = as_type(use, _offset(use, found, 1), DType.FLOAT32)
    if not use.attribute("one_class", 0):
        return found
    above = use.call("greater", found, use.like(0.0, found))
    return use.call("where", above, use.like(1.0, found), use.like(-1.0, found))


@learned("SVMClassifier")
def classifier(use: Use) -> list[Value | Unread]:
    """The class that wins most pairs, and the score of each pair of classes; without support vectors a linear model."""
    if use.attribute("prob_a"):
        raise Unsupported("probabilities of classes, which are found by iteration")
    classes, labels = labels_of(use, "classlabels_ints")
    x, sizes = as_floats(use, rows(use, use[0])), use.attribute("vectors_per_class", ())
    if not sum(sizes):
        scores = as_type(use, _offset(use, product(use, x, classes), 1), DType.FLOAT32)
        return [labelled(use, labels, best(use, scores)), transformed(use, scores)]
    if classes < 2 or len(sizes) != classes:
        raise Unsupported(f"support vectors of {len(sizes)} classes for {classes} labels")
    scores = use.builder.named(as_type(use, _pairs(use, x, sizes), DType.FLOAT32), "scores")
    label = labelled(use, labels, best(use, _votes(use, scores, classes)))
    if classes == 2:
        scores = use.call("concatenate", use.builder.tuple([use.call("negative", scores), scores]), axis=1)
    return [label, transformed(use, scores)]


def _pairs(use: Use, x: Value, sizes: Sequence[int]) -> Value:
    """The score of each pair of classes: positive if the first class wins, negative if the second does."""
    count, pairs = sum(sizes), list(combinations(range(len(sizes)), 2))
    ends = [*accumulate(sizes, initial=0)]
    held = use.attribute("coefficients", ())
    if len(held) != (len(sizes) - 1) * count:
        raise Unsupported(f"{len(held)} coefficients of {count} support vectors")
    weights: list[float] = []
    for one, other in pairs:
        row = [0.0] * count
        for member, against in ((one, other - 1), (other, one)):
            span = slice(ends[member], ends[member + 1])
            row[span] = held[against * count :][span]
        weights += row
    weight = constant(use, "coefficients", weights, x.dtype, len(pairs), count)
    return _offset(use, use.call("nn.dense", _kernels(use, x, count), weight), len(pairs))


def _votes(use: Use, scores: Value, classes: int) -> Value:
    """The number of pairs that each class wins."""
    pairs = list(combinations(range(classes), 2))
    won = as_type(use, use.call("greater", scores, use.like(0.0, scores)), scores.dtype)
    signs = [(place == one) - (place == other) for place in range(classes) for one, other in pairs]
    lost = [sum(place == other for _, other in pairs) for place in range(classes)]
    change = use.call("nn.dense", won, constant(use, "voters", signs, scores.dtype, classes, len(pairs)))
    return use.call("add", change, constant(use, "votes", lost, scores.dtype))
