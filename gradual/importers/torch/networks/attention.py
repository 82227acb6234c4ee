"""Attention: sums of values, weighted by the softmax of the products of queries and keys."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


@imports("aten.scaled_dot_product_attention.default")
def attention(use: Use) -> Value:
    """Attention with an optional mask: booleans, or numbers that are added to the scores."""
    return _attention(use)[0]


@imports(
    "aten._scaled_dot_product_flash_attention.default",
    "aten._scaled_dot_product_flash_attention_for_cpu.default",
    "aten._scaled_dot_product_efficient_attention.default",
    "aten._scaled_dot_product_cudnn_attention.default",
    "aten._scaled_dot_product_fused_attention_overrideable.default",
)
def fused_attention(use: Use) -> Sequence[Value | None]:
    """Attention; the further results, which only gradients need, are not imported."""
    return [_attention(use)[0]]


@imports("aten._scaled_dot_product_attention_math.default", "aten._scaled_dot_product_attention_math_for_mps.default")
def plain_attention(use: Use) -> Sequence[Value]:
    """Attention, and its weights."""
    return _attention(use)


def _attention(use: Use) -> tuple[Value, Value]:
    query, key, value = use["query"], use["key"], use["value"]
    mask = use.optional("attn_bias" if "attn_bias" in use.node.arguments else "attn_mask")
    if use.given("dropout_p", 0.0):
        raise Unsupported("training")
    if use.flag("enable_gqa"):
        key, value = (_repeated_heads(use, query, one) for one in (key, value))
    order = [*range(key.rank - 2), key.rank - 1, key.rank - 2]
    scores = product(use, query, use.call("transpose", key, axes=order))
    scores = use.call("multiply", scores, _factor(use, query))
    if use.flag("is_causal"):
        ones = use.call("ones_like", use.as_type(scores, DType.BOOL))
        mask = use.call("trilu", ones, use.builder.number(0, DType.INT64), upper=False)
    if mask is None:
        weights = use.call("nn.softmax", scores, axis=-1)
    else:
        if mask.dtype is DType.BOOL:
            scores = use.call("where", mask, scores, use.like(-math.inf, scores))
        else:
            scores = use.call("add", scores, mask)
        weights = safe_softmax(use, scores, scores.rank - 1)
    return product(use, weights, value), weights


def _factor(use: Use, query: Value) -> Value:
    """The factor of scores: the argument `scale`, by default 1 / sqrt(width)."""
    if use.given("scale") is not None:
        return use.scalar("scale", query.dtype)
    width = query.extent(query.rank - 1)
    if width:
        return use.like(1 / math.sqrt(width), query)
    return use.call("rsqrt", use.as_type(use.extent(query, query.rank - 1), query.dtype))


def safe_softmax(use: Use, scores: Value, axis: int) -> Value:
    """The softmax, but zeros where all scores are minus infinity."""
    greatest = use.call("max", scores, axis=[axis], keepdims=True)
    is_empty = use.call("equal", greatest, use.like(-math.inf, scores))
    return use.call("where", is_empty, use.like(0.0, scores), use.call("nn.softmax", scores, axis=axis))


@imports("aten._safe_softmax.default")
def softmax_of_masked(use: Use) -> Value:
    """ATen's operator for `safe_softmax`."""
    x = use.as_type(use["self"], use.dtype())
    return safe_softmax(use, x, use.axis("dim", x.rank))


def _repeated_heads(use: Use, query: Value, value: Value) -> Value:
    """Keys or values with each head repeated, once for each query head that uses it."""
    have, wanted = value.extent(value.rank - 3), query.extent(query.rank - 3)
    if have is None or wanted is None or wanted % have:
        raise Unsupported("groups of heads whose number is not known here")
    return value if have == wanted else use.call("repeat", value, repeats=wanted // have, axis=value.rank - 3)
