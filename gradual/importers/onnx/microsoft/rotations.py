"""Rotary embeddings: pairs of features are rotated by angles that depend on their position."""

from __future__ import annotations

from functools import partial

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, extent_of, imports
from gradual.importers.onnx.microsoft.normalizations import counted_from_zero
from gradual.types.dtype import DType

microsoft = partial(imports, domain="com.microsoft")


@microsoft("RotaryEmbedding")
def rotary_embedding(use: Use) -> Value:
    """The tensor with its features rotated; the caches have a row of cosines, and one of sines, for each position."""
    use.only("is_packed_batching", 0)
    use.only("scale", 1.0)
    x, pairs = use[0], use[2].extent(1)
    if pairs is None or use[3].rank != 2:
        raise Unsupported("a cache whose sizes are not known here")
    if x.rank == 4:
        found = _turned(use, use.call("transpose", x, axes=[0, 2, 1, 3]), 2 * pairs)
        return use.call("transpose", found, axes=[0, 2, 1, 3])
    hidden = x.extent(2) if x.rank == 3 else None
    if hidden is None:
        raise Unsupported("a hidden size that is not known here")
    size = hidden // max(use.attribute("num_heads", 0), 1) if use.attribute("rotary_embedding_dim", 0) else 2 * pairs
    if size < 1 or hidden % size:
        raise Unsupported(f"a hidden size of {hidden} in heads of {size}")
    split = use.call("reshape", x, newshape=[0, 0, hidden // size, size])
    return use.call("reshape", _turned(use, split, 2 * pairs), newshape=[0, 0, hidden])


def _turned(use: Use, x: Value, count: int) -> Value:
    """(batch, position, head, feature) with its first `count` features rotated, as many as the caches cover."""
    size = x.extent(3)
    if size is None or count > size:
        raise Unsupported(f"{count} features to turn of {size}")
    if count == size:
        return _pairs(use, x, count)
    parts = use.counted(use.call("split", x, indices_or_sections=[count], axis=3), 2)
    return use.call("concatenate", use.builder.tuple([_pairs(use, parts[0], count), parts[1]]), axis=3)


def _pairs(use: Use, x: Value, count: int) -> Value:
    """All features rotated; the features of a pair are adjacent (`interleaved`), or half the features apart."""
    cosine, sine = (_of_places(use, use[at], x) for at in (2, 3))
    heads = extent_of(use, x, 2)
    if interleaved := use.attribute("interleaved", 0):
        x = use.call("reshape", x, newshape=[0, 0, heads, count // 2, 2])
        first, second = (use.call("take", x, use.builder.number(at, DType.INT64), axis=4) for at in (0, 1))
    else:
        first, second = use.counted(use.call("split", x, indices_or_sections=2, axis=3), 2)
    turned = [
        use.call("subtract", use.call("multiply", first, cosine), use.call("multiply", second, sine)),
        use.call("add", use.call("multiply", first, sine), use.call("multiply", second, cosine)),
    ]
    if interleaved:
        return use.call("reshape", use.call("stack", use.builder.tuple(turned), axis=4), newshape=[0, 0, heads, count])
    return use.call("concatenate", use.builder.tuple(turned), axis=3)


def _of_places(use: Use, cache: Value, x: Value) -> Value:
    """The rows of a cache for the positions of a tensor: (batch or 1, position, 1, pair)."""
    places = use[1]
    if places.rank == 1:
        counted = counted_from_zero(use, use.extent(x, 1))
        places = use.call("expand_dims", use.call("add", counted, use.exactly(places, 0, 1)), axis=0)
    else:
        for axis in (0, 1):
            places = use.exactly(places, axis, extent_of(use, x, axis))
    return use.call("expand_dims", use.call("take", cache, places, axis=0, mode="fast"), axis=2)
