"""Attention: the values, weighted by the softmax of the masked products of queries and keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, extent_of, imports, vector
from gradual.importers.onnx.microsoft.normalizations import counted_from_zero
from gradual.importers.onnx.operators.quantization import operand, product_as_numbers
from gradual.record import record
from gradual.types.dtype import DType

microsoft = partial(imports, domain="com.microsoft")


_FLOAT32 = (2 - 2.0**-23) * 2.0**127
LOWEST = {DType.FLOAT16: -65504.0, DType.BFLOAT16: -(2 - 2.0**-7) * 2.0**127, DType.FLOAT32: -_FLOAT32}
"""Element type -> its least finite number."""


@record
class Heads:
    """Query, key and value tensors of attention, each of shape (batch, head, position, feature).

    Attributes:
        past: how many keys come from earlier calls (the key-value cache); None without a cache.
    """

    query: Value
    key: Value
    value: Value
    past: Value | None = None


# ------------------------------------------------------------------------------------------------------------ operators
@microsoft("Attention")
def attention(use: Use) -> list[Value | None]:
    """Attention whose queries, keys and values are the product of the input and one weight, split in three."""
    if use.attribute("do_rotary", 0) or use.attribute("past_present_share_buffer", 0):
        raise Unsupported("rotary embeddings, and a buffer that past and present share")
    x, weight, bias = use[0], use[1], use.optional(2)
    whole = product(use, _of_rank(x, 3), _of_rank(weight, 2))
    whole = whole if bias is None else use.call("add", whole, vector(use, bias, whole))
    sizes = list(use.attribute("qkv_hidden_sizes", ())) or [_third(weight)] * 3
    return _attended(use, whole, sizes, use.optional(3), use.optional(4), use.optional(5))


@microsoft("QAttention")
def quantized_attention(use: Use) -> list[Value | None]:
    """`Attention` with a quantized input and weight."""
    if use.attribute("do_rotary", 0) or use.attribute("past_present_share_buffer", 0):
        raise Unsupported("rotary embeddings, and a buffer that past and present share")
    x, weight = operand(use, 0, 3, 6), operand(use, 1, 4, 7)
    _of_rank(x.x, 3)
    whole = product_as_numbers(use, x, weight, use[2])
    sizes = [_third(_of_rank(weight.x, 2))] * 3
    return _attended(use, whole, sizes, use.optional(5), use.optional(8), None)


def _of_rank(value: Value, rank: int) -> Value:
    if value.rank != rank:
        raise Unsupported(f"a tensor of rank {value.rank} where one of rank {rank} has to be")
    return value


def _third(weight: Value) -> int:
    size = weight.extent(1)
    if size is None or size % 3:
        raise Unsupported("a weight of which three parts cannot be told")
    return size // 3


def _attended(
    use: Use, whole: Value, sizes: Sequence[int], mask: Value | None, past: Value | None, bias: Value | None
) -> list[Value | None]:
    """Attention of queries, keys and values, which are three parts of the last axis; and the new key-value cache."""
    parts = use.parts(whole, 2, list(sizes))
    query, key, value = (_in_heads(use, part, size) for part, size in zip(parts, sizes, strict=True))
    before = None
    if past is not None:
        past = use.exactly(_of_rank(past, 5), 0, 2)
        ends = [use.call("take", past, use.builder.number(at, DType.INT64), axis=0) for at in (0, 1)]
        before = use.extent(past, 3)
        key, value = (_behind(use, *pair) for pair in zip(ends, (key, value), strict=True))
    heads = Heads(query, key, value, before)
    present = use.call("stack", use.builder.tuple([key, value]), axis=0) if use.wants(1) else None
    return [_weighed(use, heads, mask, bias), present]


@microsoft("MultiHeadAttention")
def multi_head_attention(use: Use) -> list[Value | None]:
    """Attention of given queries, keys and values: three tensors, or packed in one or two along a further axis."""
    if use.optional(8) is not None or use.optional(9) is not None:
        raise Unsupported("a buffer that past and present share")
    if use.wants(3):
        raise Unsupported("the output qk")
    query, key, value = _given(use)
    if use.attribute("unidirectional", 0) and query.tensor.shape[2] is not key.tensor.shape[2]:
        raise Unsupported("unidirectional=1 where there may be more or fewer keys than places")
    before = None
    if (past := use.optional(6)) is not None:
        before = use.extent(_of_rank(past, 4), 2)
        key, value = _behind(use, past, key), _behind(use, _of_rank(use[7], 4), value)
    heads = Heads(query, key, value, before)
    return [_weighed(use, heads, use.optional(4), use.optional(5)), key, value]


def _given(use: Use) -> list[Value]:
    """Query, key and value with the bias added, split into heads."""
    query, key, value, bias = use[0], use.optional(1), use.optional(2), use.optional(3)
    if key is None:
        return _from_packed(use, query, 3)
    if value is None:
        return [_in_heads(use, *_biased(use, [query])[0]), *_from_packed(use, key, 2)]
    if key.rank == 4:
        if bias is not None:
            raise Unsupported("a bias for keys that are in heads already")
        return [_in_heads(use, *_biased(use, [query])[0]), key, _of_rank(value, 4)]
    return [_in_heads(use, *pair) for pair in _biased(use, [query, key, value])]


def _from_packed(use: Use, packed: Value, count: int) -> list[Value]:
    """The `count` tensors that are packed along axis 3 of a tensor of rank 5, split into heads."""
    if use.optional(3) is not None:
        raise Unsupported("a bias for tensors that are packed")
    whole = use.exactly(use.exactly(_of_rank(packed, 5), 2, use.required("num_heads")), 3, count)
    parts = (use.call("take", whole, use.builder.number(at, DType.INT64), axis=3) for at in range(count))
    return [use.call("transpose", part, axes=[0, 2, 1, 3]) for part in parts]


def _biased(use: Use, given: Sequence[Value]) -> list[tuple[Value, int]]:
    """Each tensor with its part of the bias added, and the size of its last axis."""
    sizes = [_of_rank(one, 3).extent(2) for one in given]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise Unsupported("a hidden size that is not known here")
    bias = use.optional(3)
    if bias is None:
        return list(zip(given, known, strict=True))
    if len(given) < 3:
        raise Unsupported("a bias for keys that are in heads already")
    parts = use.parts(_of_rank(bias, 1), 0, known)
    return [(use.call("add", one, part), size) for one, part, size in zip(given, parts, known, strict=True)]


# ---------------------------------------------------------------------------------------------------------------- heads
def _in_heads(use: Use, x: Value, size: int) -> Value:
    """Reshape (batch, position, hidden) to (batch, head, position, feature)."""
    heads = use.required("num_heads")
    if heads < 1 or size % heads:
        raise Unsupported(f"a hidden size of {size} in {heads} heads")
    split = use.call("reshape", x, newshape=[0, 0, heads, size // heads])
    return use.call("transpose", split, axes=[0, 2, 1, 3])


def _behind(use: Use, past: Value, new: Value) -> Value:
    """Concatenate keys or values of earlier calls and the new ones."""
    return use.call("concatenate", use.builder.tuple([past, new]), axis=2)


def _weighed(use: Use, heads: Heads, mask: Value | None, bias: Value | None) -> Value:
    """The values, weighted by the softmax of the products of queries and keys: (batch, position, hidden)."""
    size, features = heads.query.extent(3), heads.value.extent(3)
    if size is None or features is None:
        raise Unsupported("a size of heads that is not known here")
    scale = use.attribute("scale", 0.0) or 1 / math.sqrt(size)
    scores = product(use, heads.query, use.call("transpose", heads.key, axes=[0, 1, 3, 2]))
    scores = use.call("multiply", scores, use.like(scale, scores))
    for added in (_masked(use, heads, mask), None if bias is None else _spread_bias(use, bias, scores)):
        scores = scores if added is None else use.call("add", scores, added)
    found = product(use, use.call("nn.softmax", scores, axis=-1), heads.value)
    whole = use.required("num_heads") * features
    return use.call("reshape", use.call("transpose", found, axes=[0, 2, 1, 3]), newshape=[0, 0, whole])


def _spread_bias(use: Use, bias: Value, scores: Value) -> Value:
    """A bias, broadcast to the scores; its batch or head axis may have size 1."""
    for axis in (2, 3):
        bias = use.exactly(_of_rank(bias, 4), axis, extent_of(use, scores, axis))
    return use.call("broadcast_to_like", bias, scores)


# ---------------------------------------------------------------------------------------------------------------- masks
def _masked(use: Use, heads: Heads, mask: Value | None) -> Value | None:
    """The mask to add to scores: a low number for a key that the mask hides, the least for a key after the query."""
    found, dtype = None, heads.query.dtype
    if mask is not None:
        low = use.builder.number(use.attribute("mask_filter_value", -10000.0), dtype)
        found = use.call("where", _kept(use, heads, mask), use.builder.number(0.0, dtype), low)
    if use.attribute("unidirectional", 0):
        lowest = use.builder.number(LOWEST[dtype], dtype)
        found = use.builder.number(0.0, dtype) if found is None else found
        found = use.call("where", _earlier(use, heads), found, lowest)
    return found


def _kept(use: Use, heads: Heads, mask: Value) -> Value:
    """Whether the mask keeps a key: (batch, 1, position or 1, key)."""
    batch, places, keys = (extent_of(use, *one) for one in ((heads.query, 0), (heads.query, 2), (heads.key, 2)))
    if mask.rank == 1:
        return use.expanded(_between(use, heads, mask), [1, 2])
    if mask.rank not in (2, 3):
        raise Unsupported(f"a mask of rank {mask.rank}")
    for axis, size in enumerate([batch, keys] if mask.rank == 2 else [batch, places, keys]):
        mask = use.exactly(mask, axis, size)
    return use.expanded(use.call("greater", mask, use.like(0, mask)), [1, 2] if mask.rank == 2 else [1])


def _between(use: Use, heads: Heads, ends: Value) -> Value:
    """Whether a key is before the end of its text, and, if `ends` also lists the starts, not before its start."""
    batch = heads.query.tensor.shape[0]
    places = use.call("cast", counted_from_zero(use, use.extent(heads.key, 2)), dtype=ends.dtype)
    if ends.tensor.shape[0] is not batch + batch or batch.value == 0:
        ends = use.exactly(ends, 0, extent_of(use, heads.query, 0))
        return use.call("less", places, use.expanded(ends, [1]))
    parts = use.counted(use.call("split", ends, indices_or_sections=2, axis=0), 2)
    last, first = (use.expanded(part, [1]) for part in parts)
    within = use.call("less", places, last), use.call("greater_equal", places, first)
    return use.call("logical_and", *within)


def _earlier(use: Use, heads: Heads) -> Value:
    """Whether a key is at the position of a query or before it (causal mask)."""
    rows, columns = (counted_from_zero(use, use.extent(one, 2)) for one in (heads.query, heads.key))
    rows = rows if heads.past is None else use.call("add", rows, heads.past)
    return use.call("less_equal", columns, use.expanded(rows, [1]))
