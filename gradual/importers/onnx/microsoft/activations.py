"""Activations, and sums that come before them."""

from __future__ import annotations

from functools import partial

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports, vector

microsoft = partial(imports, domain="com.microsoft")

_PARAMETERS = {
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "Relu": (),
    "Selu": ("alpha", "gamma"),
    "Sigmoid": (),
    "Softplus": (),
    "Softsign": (),
    "Tanh": (),
    "ThresholdedRelu": ("alpha",),
}
"""Activations that other operators apply to their results, with the attributes that they take."""


def activated(use: Use, value: Value) -> Value:
    """The value after the activation that the attributes of a node name, with its parameters, one by one or listed."""
    name, listed = use.attribute("activation", ""), use.attribute("activation_params", ())
    if not name:
        return value
    if name == "Clip" and len(listed) == 2:
        return use.composed("Clip", value, *(use.like(bound, value) for bound in listed))
    if name not in _PARAMETERS:
        raise Unsupported(f"activation={name!r}")
    wanted = _PARAMETERS[name]
    given = dict(zip(wanted, listed, strict=False)) | {
        one: number for one in wanted if (number := use.attribute(f"activation_{one}")) is not None
    }
    return use.composed(name, value, **given)


def _biased(use: Use) -> Value:
    """The first input plus a bias for each element of its last axis, if there is one."""
    x, bias = use[0], use.optional(1)
    return x if bias is None else use.call("add", x, vector(use, bias, x))


@microsoft("Gelu", "BiasGelu")
def gelu(use: Use) -> Value:
    """x times the normal distribution function at x, after a bias."""
    return use.composed("Gelu", _biased(use))


@microsoft("FastGelu")
def fast_gelu(use: Use) -> Value:
    """The same, approximated by tanh."""
    return use.composed("Gelu", _biased(use), approximate="tanh")


@microsoft("QuickGelu")
def quick_gelu(use: Use) -> Value:
    """`x * sigmoid(alpha * x)`."""
    return use.composed("Swish", use[0], alpha=use.attribute("alpha", 1.702))


@microsoft("BiasSplitGelu")
def split_gelu(use: Use) -> Value:
    """The first half of the last axis times `Gelu` of the second one, after a bias."""
    parts = use.counted(use.call("split", _biased(use), indices_or_sections=2, axis=use[0].rank - 1), 2)
    return use.call("multiply", parts[0], use.composed("Gelu", parts[1]))
