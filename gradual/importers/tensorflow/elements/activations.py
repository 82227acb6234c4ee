"""Activations, special functions and losses of each element.

They follow TensorFlow's kernels (`tensorflow/core/kernels/*_op.h`, and Eigen's functions).
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import (
    Term,
    absolute,
    atan2,
    exp,
    expm1,
    lesser,
    log,
    log1p,
    where,
)
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.elements.composed import composed
from gradual.importers.tensorflow.importers import Use, imports


@composed("Elu")
def elu(x: Term) -> Term:
    """x; below 0, exp(x) - 1."""
    return where(x < 0.0, expm1(x), x)


@composed("Selu")
def selu(x: Term) -> Term:
    """The self-normalizing exponential unit."""
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return where(x < 0.0, expm1(x) * (scale * alpha), x * scale)


@composed("Softplus")
def softplus(x: Term) -> Term:
    """log(1 + exp(x))."""
    return where(x > 20.0, x, log1p(exp(lesser(x, 80.0))))


@composed("Softsign")
def softsign(x: Term) -> Term:
    """x / (1 + |x|)."""
    return x / (1.0 + absolute(x))


@composed("Xlogy")
def xlogy(x: Term, y: Term) -> Term:
    """x * log(y); 0 where x is 0."""
    return where(x.equals(0.0), 0.0, x * log(y))


@composed("Xlog1py")
def xlog1py(x: Term, y: Term) -> Term:
    """x * log(1 + y); 0 where x is 0."""
    return where(x.equals(0.0), 0.0, x * log1p(y))


@composed("Xdivy")
def xdivy(x: Term, y: Term) -> Term:
    """x / y; 0 where x is 0."""
    return where(x.equals(0.0), 0.0, x / y)


composed("Atan2")(atan2)


@imports("ApproximateEqual")
def approximately_equal(use: Use) -> Value:
    """Whether the elements of two tensors of one shape differ by less than a tolerance."""
    x, y = use.alike(use[0], use[1])
    distance = absolute(Term(use, x) - Term(use, y))
    return (distance < use.real("tolerance", 1e-5)).value


@imports("L2Loss")
def half_square(use: Use) -> Value:
    """Half the sum of the squares."""
    total = Term(use, use.call("sum", use.call("multiply", use[0], use[0])))
    return (total / 2.0).value


# ------------------------------------------------------------------------------------------------------------- losses
@imports("SoftmaxCrossEntropyWithLogits", results=("loss", "backprop"))
def cross_entropy(use: Use) -> Sequence[Value]:
    """For each row the cross entropy of its softmax and its labels; and the gradient with respect to the logits."""
    logits = use[0]
    product = use.call("multiply", use[1], use.call("nn.log_softmax", logits))
    gradient = use.call("subtract", use.call("nn.softmax", logits), use[1])
    return [use.call("negative", use.call("sum", product, axis=[1])), gradient]


@imports("SparseSoftmaxCrossEntropyWithLogits", results=("loss", "backprop"))
def sparse_cross_entropy(use: Use) -> Sequence[Value]:
    """For each row the negative logarithm of the softmax at its label; and the gradient with respect to the logits."""
    logits, labels = use.ranked(0, 2), use.ranked(1, 1)
    places = use.call("expand_dims", labels, axis=1)
    found = use.call("gather", use.call("nn.log_softmax", logits), places, axis=1)
    loss = use.call("negative", use.call("squeeze", found, axis=[1]))
    depth = use.written_size(use.extent(logits, 1))
    wanted = use.call("one_hot", labels, use.like(1, logits), use.like(0, logits), depth=depth)
    return [loss, use.call("subtract", use.call("nn.softmax", logits), wanted)]
