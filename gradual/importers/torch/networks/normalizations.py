"""Normalizations, as PyTorch computes them at inference."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


def normalized(use: Use, x: Value, axes: Sequence[int], default: float = 1e-5) -> tuple[Value, Value, Value]:
    """The elements normalized along some axes; then the mean, and the factor `1 / sqrt(variance + eps)`."""
    mean = use.call("mean", x, axis=list(axes), keepdims=True)
    variance = use.call("variance", x, mean, axis=list(axes), keepdims=True)
    factor = use.call("rsqrt", use.call("add", variance, use.scalar("eps", x.dtype, default)))
    return use.call("multiply", use.call("subtract", x, mean), factor), mean, factor


def _scaled(use: Use, x: Value, parts: Sequence[Value | None]) -> Value:
    """The value times a weight, plus a bias; either may be None."""
    for part, operator in zip(parts, ("multiply", "add"), strict=False):
        x = x if part is None else use.call(operator, x, part)
    return x


def _by_channel(use: Use, x: Value, parts: Sequence[Value | None]) -> list[Value | None]:
    """Reshape vectors with an element for each channel, so that they broadcast along axis 1."""
    more = x.rank - 2
    return [
        part if part is None or not more else use.call("expand_dims", part, axis=1, num_newaxis=more) for part in parts
    ]


@imports("aten.layer_norm.default", "aten.native_layer_norm.default")
def layer_norm(use: Use) -> Value | Sequence[Value]:
    """The elements along the last axes normalized to mean 0 and variance 1, then scaled and shifted."""
    x, count = use["input"], len(use.sizes("normalized_shape"))
    found, mean, factor = normalized(use, x, range(x.rank - count, x.rank))
    found = _scaled(use, found, [use.optional("weight"), use.optional("bias")])
    return [found, mean, factor] if "native" in use.node.operator else found


@imports("aten.rms_norm.default", "aten._fused_rms_norm.default")
def rms_norm(use: Use) -> Value | Sequence[Value]:
    """The elements along the last axes divided by the root of the mean of their squares."""
    x, count = use["input"], len(use.sizes("normalized_shape"))
    squares = use.call("mean", use.call("multiply", x, x), axis=list(range(x.rank - count, x.rank)), keepdims=True)
    usual = {DType.FLOAT64: 2.0**-52, DType.FLOAT16: 2.0**-10, DType.BFLOAT16: 2.0**-7}.get(x.dtype, 2.0**-23)
    epsilon = use.like(usual, x) if use.given("eps") is None else use.scalar("eps", x.dtype)
    factor = use.call("rsqrt", use.call("add", squares, epsilon))
    found = _scaled(use, use.call("multiply", x, factor), [use.optional("weight")])
    return [found, factor] if "fused" in use.node.operator else found


def _vectors(use: Use, x: Value, **usual: float) -> list[Value]:
    """The arguments with an element per channel; one that is left out is a vector filled with its default."""
    found = [use.optional(name) for name in usual]
    like = next((one for one in found if one is not None), None)
    channels = x.extent(1)
    if like is None and channels is None:
        raise Unsupported("channels whose number is not known here")
    return [
        one if one is not None else _full(use, use.like(number, x), like, channels or 0)
        for one, number in zip(found, usual.values(), strict=True)
    ]


def _full(use: Use, number: Value, like: Value | None, channels: int) -> Value:
    return use.call("full", number, shape=[channels]) if like is None else use.call("full_like", like, number)


@imports("aten.group_norm.default", "aten.native_group_norm.default")
def group_norm(use: Use) -> Value | Sequence[Value]:
    """Each group of channels normalized to mean 0 and variance 1, then scaled and shifted."""
    x, is_native = use["input"], "native" in use.node.operator
    parts = _vectors(use, x, weight=1.0, bias=0.0)
    groups = use.integer("group" if is_native else "num_groups")
    found = use.call("nn.group_norm", x, *parts, num_groups=groups, epsilon=use.given("eps", 1e-5))
    return [found] if is_native else found


@imports(
    "aten.batch_norm.default",
    "aten.native_batch_norm.default",
    "aten.cudnn_batch_norm.default",
    "aten._batch_norm_no_update.default",
    "aten._native_batch_norm_legit_no_training.default",
)
def batch_norm(use: Use) -> Value | Sequence[Value | None]:
    """Each channel normalized by the recorded mean and variance, or else by its own; then scaled and shifted."""
    x, is_single = use["input"], use.node.operator == "aten.batch_norm.default"
    if use.given("running_mean") is None:
        found = _by_batch(use, x)
    elif use.given("training", False):
        raise Unsupported("training, which changes the recorded mean and variance: export the model after `.eval()`")
    else:
        found = _recorded(use, x)
    return found if is_single else [found]


def _recorded(use: Use, x: Value) -> Value:
    parts = _vectors(use, x, weight=1.0, bias=0.0, running_mean=0.0, running_var=1.0)
    return use.counted(use.call("nn.batch_norm", x, *parts, epsilon=use.given("eps", 1e-5)), 3)[0]


def _by_batch(use: Use, x: Value) -> Value:
    found, _, _ = normalized(use, x, [0, *range(2, x.rank)])
    return _scaled(use, found, _by_channel(use, x, [use.optional("weight"), use.optional("bias")]))


@imports("aten._native_batch_norm_legit.no_stats", "aten._native_batch_norm_legit.default")
def batch_norm_of_batch(use: Use) -> Sequence[Value | None]:
    """Each channel normalized by its own mean and variance, scaled and shifted; and the mean and variance."""
    x = use["input"]
    if use.node.operator.endswith("default"):
        if use.flag("training"):
            raise Unsupported(
                "training, which changes the recorded mean and variance: export the model after `.eval()`"
            )
        return [_recorded(use, x)]
    found, mean, factor = normalized(use, x, [0, *range(2, x.rank)])
    found = _scaled(use, found, _by_channel(use, x, [use.optional("weight"), use.optional("bias")]))
    return [found, *(use.call("reshape", one, newshape=[-1]) for one in (mean, factor))]


@imports("aten.instance_norm.default")
def instance_norm(use: Use) -> Value:
    """Each channel of each sample normalized by its own mean and variance, or by recorded ones."""
    x = use["input"]
    if not use.flag("use_input_stats"):
        return _recorded(use, x)
    found, _, _ = normalized(use, x, range(2, x.rank))
    return _scaled(use, found, _by_channel(use, x, [use.optional("weight"), use.optional("bias")]))
