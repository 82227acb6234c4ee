"""Activations, some with a bias that is added before."""

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
"""Activations that fused operators apply to their results, with the activations' attributes."""


def activated(use: Use, value: Value) -> Value:
    """Apply the activation that a node's attributes name; its parameters are one attribute each or a single list."""
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
    """`x * Φ(x)` for the sum x of the input and a bias, where Φ is the normal distribution function."""
    return use.composed("Gelu", _biased(use))


@microsoft("FastGelu")
def fast_gelu(use: Use) -> Value:
    """`Gelu` of the sum of the input and a bias, approximated by tanh."""
    return use.composed("Gelu", _biased(use), approximate="tanh")


@microsoft("QuickGelu")
def quick_gelu(use: Use) -> Value:
    """`x * sigmoid(alpha * x)`."""
    return use.composed("Swish", use[0], alpha=use.attribute("alpha", 1.702))


@microsoft("BiasSplitGelu")
def split_gelu(use: Use) -> Value:
    """After a bias is added: the first half of the last axis times `Gelu` of the second half."""
    parts = use.counted(use.call("split", _biased(use), indices_or_sections=2, axis=use[0].rank - 1), 2)
    return use.call("multiply", parts[0], use.composed("Gelu", parts[1]))
