"""Normalizations of the last axis, of sums, and of sums of embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gradual.importers.common.applying import positive
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, as_type, broadcast_into, imports, vector
from gradual.types.dtype import DType

microsoft = partial(imports, domain="com.microsoft")

SMALL = 1e-12
"""The usual epsilon of the fused normalizations."""


@imports("SimplifiedLayerNormalization")
@microsoft("SimplifiedLayerNormalization")
def simplified_layer_normalization(use: Use) -> list[Value]:
    """The last axes divided by their root mean square and scaled; and the reciprocals of the root mean squares."""
    return _by_root_mean_square(use, use[0], use[1], use.attribute("axis", -1), use.attribute("epsilon", 1e-5))


def _by_root_mean_square(use: Use, x: Value, scale: Value, axis: int, epsilon: float) -> list[Value]:
    dtype = x.dtype if x.dtype.bits > 32 else DType.FLOAT32
    wide, axes = as_type(use, x, dtype), list(range(positive(axis, x.rank), x.rank))
    mean = use.call("mean", use.call("multiply", wide, wide), axis=axes, keepdims=True)
    inverse = use.call("rsqrt", use.call("add", mean, use.like(epsilon, mean)))
    scaled = use.call("multiply", as_type(use, use.call("multiply", wide, inverse), scale.dtype), scale)
    return [scaled, inverse]


@microsoft("SkipLayerNormalization")
def skip_layer_normalization(use: Use) -> list[Value | None]:
    """The sum of two tensors and a bias, normalized along its last axis; and the sum itself."""
    whole, beta = _sum(use, 4), use.optional(3)
    gamma, beta = vector(use, use[2], whole), None if beta is None else vector(use, beta, whole)
    return _normalized(use, whole, gamma, beta)


def _normalized(use: Use, x: Value, gamma: Value, beta: Value | None) -> list[Value | None]:
    """`x` normalized along its last axis, None for the mean and deviation, which only training uses, and `x`."""
    epsilon = use.attribute("epsilon", SMALL)
    return [use.composed("LayerNormalization", x, gamma, beta, epsilon=epsilon), None, None, x]


@microsoft("SkipSimplifiedLayerNormalization")
def skip_simplified_layer_normalization(use: Use) -> list[Value | None]:
    """The sum of two tensors and a bias, its last axis divided by the root mean square; and the sum itself."""
    whole = _sum(use, 3)
    gamma = vector(use, use[2], whole)
    found, inverse = _by_root_mean_square(use, whole, gamma, -1, use.attribute("epsilon", SMALL))
    return [found, None, inverse, whole]


def _sum(use: Use, place: int) -> Value:
    """The sum of the first two inputs and the bias at `place`; the second may have no batch axis or one of size 1."""
    x, skip, bias = use[0], use[1], use.optional(place)
    whole = use.call("add", x, broadcast_into(use, skip, x))
    return whole if bias is None else use.call("add", whole, vector(use, bias, x))


@microsoft("EmbedLayerNormalization")
def embed_layer_normalization(use: Use) -> list[Value | None]:
    """The normalized sum of the embeddings of words, positions and segments; the numbers of words; the sum itself."""
    words, segments, mask = use[0], use.optional(1), use.optional(7)
    if words.rank != 2:
        raise Unsupported(f"words of rank {words.rank}")
    whole = use.call("add", _rows(use, use[2], words), _places(use, words))
    if segments is not None:
        whole = use.call("add", whole, _rows(use, _given(use, 4, "segments"), segments))
    gamma, beta = (vector(use, use[place], whole) for place in (5, 6))
    found = _normalized(use, whole, gamma, beta)
    return [found[0], _counts(use, words, mask) if use.wants(1) else None, whole]


def _given(use: Use, place: int, what: str) -> Value:
    if (found := use.optional(place)) is None:
        raise Unsupported(f"{what} without an embedding")
    return found


def _rows(use: Use, table: Value, indices: Value) -> Value:
    """The rows of a table at some indices."""
    return use.call("take", table, indices, axis=0, mode="fast")


def _places(use: Use, words: Value) -> Value:
    """The embeddings of the positions, which are counted from 0 unless they are an input."""
    if (places := use.optional(8)) is None:
        places = counted_from_zero(use, use.extent(words, 1))
    return _rows(use, use[3], places)


def counted_from_zero(use: Use, size: Value) -> Value:
    """The numbers from 0 to a size, exclusive."""
    zero, one = (use.builder.number(number, DType.INT64) for number in (0, 1))
    return use.call("arange", zero, size, one, dtype=DType.INT64)


def _counts(use: Use, words: Value, mask: Value | None) -> Value:
    """The number of words that the mask keeps, for each text; 0 without a mask."""
    if mask is None:
        size: Sequence[int | Value] = [use.extent(words, 0)]
        return use.call("zeros", shape=size, dtype=DType.INT32)
    kept = use.call("equal", mask, use.like(1, mask))
    return use.call("sum", use.call("cast", kept, dtype=DType.INT32), axis=[1])


# -------------------------------------------------------------------------------------------------- groups of channels
@microsoft("GroupNorm")
def group_normalization(use: Use) -> Value:
    """Groups of channels of each sample, normalized, scaled and shifted; then an activation."""
    return _groups(use, use[0])


@microsoft("SkipGroupNorm")
def skip_group_normalization(use: Use) -> list[Value]:
    """`GroupNorm` of the sum of two images and a bias; and the sum.  The second image may be a number per channel."""
    x, skip, bias = use[0], use[3], use.optional(4)
    last = bool(use.attribute("channels_last", 1))
    if skip.rank == 2 and x.rank == 4:
        skip = use.expanded(skip, [1, 2] if last else [2, 3])
    whole = use.call("add", x, broadcast_into(use, skip, x))
    if bias is not None:
        fitting = vector(use, bias, x, 3 if last else 1)
        whole = use.call("add", whole, fitting if last else use.expanded(fitting, [1, 2]))
    return [_groups(use, whole), whole]


def _groups(use: Use, x: Value) -> Value:
    last = bool(use.attribute("channels_last", 1))
    if x.rank != 4 or use.required("activation") not in (0, 1):
        raise Unsupported(f"an image of rank {x.rank}, with activation={use.required('activation')}")
    image = use.call("transpose", x, axes=[0, 3, 1, 2]) if last else x
    parts = (as_type(use, vector(use, use[at], image, 1), x.dtype) for at in (1, 2))
    settings = {"num_groups": use.required("groups"), "epsilon": use.attribute("epsilon", 1e-5)}
    found = use.call("nn.group_norm", image, *parts, **settings)
    if use.required("activation"):
        found = use.call("multiply", found, use.call("sigmoid", found))
    return use.call("transpose", found, axes=[0, 2, 3, 1]) if last else found
