"""Losses, and distances between tensors."""

from __future__ import annotations

from gradual.importers.common.composed.arithmetic import Term, absolute, exp, greater, log, log1p, sqrt, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.importers.torch.networks.products import norm

NONE, MEAN, SUM = range(3)
"""The values of `reduction`."""


def _reduced(use: Use, loss: Term) -> Value:
    kind = use.integer("reduction", MEAN)
    return loss.value if kind == NONE else use.call("mean" if kind == MEAN else "sum", loss.value)


def _pair(use: Use) -> tuple[Term, Term]:
    return Term(use, use["self"]), Term(use, use["target"])


@imports("aten.mse_loss.default")
def squared(use: Use) -> Value:
    """The squares of the differences."""
    one, other = _pair(use)
    return _reduced(use, (one - other) * (one - other))


@imports("aten.l1_loss.default")
def absolute_error(use: Use) -> Value:
    """The absolute differences."""
    one, other = _pair(use)
    return _reduced(use, absolute(one - other))


@imports("aten.smooth_l1_loss.default", "aten.huber_loss.default")
def smooth(use: Use) -> Value:
    """Smooth L1 or Huber loss: quadratic in small differences, linear in larger ones."""
    one, other = _pair(use)
    apart, is_huber = absolute(one - other), "huber" in use.node.operator
    edge = float(use.given("delta" if is_huber else "beta", 1.0))
    square = apart * apart * (0.5 if is_huber else 0.5 / edge)
    line = (apart - 0.5 * edge) * (edge if is_huber else 1.0)
    return _reduced(use, where(apart < edge, square, line))


@imports("aten.binary_cross_entropy.default")
def binary_cross_entropy(use: Use) -> Value:
    """Minus the logarithm of the probability of the target; the logarithm is at least -100."""
    one, other = _pair(use)
    loss = -(other * greater(log(one), -100.0) + (1.0 - other) * greater(log1p(-one), -100.0))
    return _reduced(use, _weighted(use, loss))


@imports("aten.binary_cross_entropy_with_logits.default")
def binary_cross_entropy_of_logits(use: Use) -> Value:
    """The binary cross entropy of the sigmoid of the input."""
    one, other = _pair(use)
    soft = log1p(exp(-absolute(one))) + greater(-one, 0.0)
    positive = use.optional("pos_weight")
    factor = 1.0 if positive is None else other * (Term(use, positive) - 1.0) + 1.0
    loss = (1.0 - other) * one + soft * factor
    return _reduced(use, _weighted(use, loss))


def _weighted(use: Use, loss: Term) -> Term:
    weight = use.optional("weight")
    return loss if weight is None else loss * Term(use, weight)


@imports("aten.kl_div.default")
def divergence(use: Use) -> Value:
    """The Kullback-Leibler divergence; the input has logarithms of probabilities."""
    one, other = _pair(use)
    if use.flag("log_target"):
        return _reduced(use, exp(other) * (other - one))
    return _reduced(use, where(other > 0.0, other * (log(other) - one), 0.0))


# -------------------------------------------------------------------------------------------------- classifications
@imports("aten.cross_entropy_loss.default")
def cross_entropy(use: Use) -> Value:
    """Minus the logarithm of the softmax at the target, which is a class or has a probability for each class."""
    x, target = use["self"], use["target"]
    axis = 1 if x.rank > 1 else 0
    logarithms = Term(use, use.call("nn.log_softmax", x, axis=axis))
    smoothing = float(use.given("label_smoothing", 0.0))
    if not target.dtype.is_float:
        return _of_classes(use, logarithms, axis, smoothing)
    wanted = Term(use, target)
    if smoothing:
        wanted = wanted * (1 - smoothing) + smoothing / _classes(x, axis)
    products = wanted * logarithms
    if (weight := use.optional("weight")) is not None:
        products = products * Term(use, _along(use, weight, x, axis))
    loss = -Term(use, use.call("sum", products.value, axis=[axis]))
    kind = use.integer("reduction", MEAN)
    if kind != MEAN or x.rank == 1:
        return loss.value if kind == NONE else use.call("sum", loss.value)
    return use.call("mean", loss.value)


def _classes(x: Value, axis: int) -> int:
    count = x.extent(axis)
    if count is None:
        raise Unsupported("classes whose number is not known here")
    return count


def _along(use: Use, weight: Value, x: Value, axis: int) -> Value:
    more = x.rank - 1 - axis
    return use.call("expand_dims", weight, axis=1, num_newaxis=more) if more else weight


@imports("aten.nll_loss.default", "aten.nll_loss_nd.default", "aten.nll_loss2d.default")
def likelihood(use: Use) -> Value:
    """Minus the logarithm of the probability of the target class."""
    return _likelihood(use)


def _likelihood(use: Use) -> Value:
    return _of_classes(use, Term(use, use["self"]), 1 if use["self"].rank > 1 else 0, 0.0)


@imports("aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
def likelihood_forward(use: Use) -> list[Value]:
    """As `likelihood`; its second result, the sum of the weights, is not imported."""
    return [_likelihood(use)]


def _of_classes(use: Use, logarithms: Term, axis: int, smoothing: float) -> Value:
    target = use["target"]
    ignored = use.call("equal", target, use.scalar("ignore_index", target.dtype, -100))
    safe = use.call("where", ignored, use.like(0, target), target)
    places = use.call("expand_dims", safe, axis=axis)
    chosen = use.call("squeeze", use.call("gather", logarithms.value, places, axis=axis), axis=[axis])
    kept = Term(use, use.as_type(use.call("logical_not", ignored), logarithms.value.dtype))
    weight = use.optional("weight")
    counted = kept if weight is None else kept * Term(use, use.call("take", weight, safe, axis=0, mode="fast"))
    loss = -Term(use, chosen) * counted
    if smoothing:
        all = logarithms if weight is None else logarithms * Term(use, _along(use, weight, logarithms.value, axis))
        even = -Term(use, use.call("sum", all.value, axis=[axis])) * kept
        loss = loss * (1 - smoothing) + even * (smoothing / _classes(logarithms.value, axis))
    kind = use.integer("reduction", MEAN)
    if kind == NONE:
        return loss.value
    total = Term(use, use.call("sum", loss.value))
    return total.value if kind == SUM else (total / Term(use, use.call("sum", counted.value))).value


# -------------------------------------------------------------------------------------------------------- distances
@imports("aten.cosine_similarity.default")
def cosine(use: Use) -> Value:
    """The cosine of the angle between vectors along an axis; norms less than `eps` are replaced by `eps`."""
    one, other = Term(use, use["x1"]), Term(use, use["x2"])
    product = one * other
    axis = use.axis("dim", product.value.rank, 1)
    least = float(use.given("eps", 1e-8))

    def along(term: Term) -> Term:
        back = term.value.rank - (product.value.rank - axis)
        return Term(use, use.call("sum", term.value, axis=[back], keepdims=True))

    lengths = [greater(sqrt(along(term * term)), least) for term in (one, other)]
    found = along((one / lengths[0]) * (other / lengths[1]))
    return use.call("squeeze", found.value, axis=[axis])


@imports("aten.pairwise_distance.default")
def pairwise_distance(use: Use) -> Value:
    """The p-norm, along the last axis, of the difference plus `eps`."""
    apart = Term(use, use["x1"]) - Term(use, use["x2"]) + float(use.given("eps", 1e-6))
    return norm(use, apart.value, use.given("p", 2.0), [apart.value.rank - 1], use.flag("keepdim"))
