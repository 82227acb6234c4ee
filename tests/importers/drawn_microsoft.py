"""Drawn nodes of the operators that ONNX Runtime adds to ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.importers.drawn import Draw, Made, Setting, draws
from tests.importers.drawn_networks import convolution as plain_convolution
from tests.importers.drawn_networks import general as plain_general
from tests.importers.drawn_networks import windows
from tests.importers.drawn_quantized import EIGHT, codes, point, step
from tests.importers.drawn_quantized import convolution as plain_quantized


def own(*operators: str) -> Any:
    """Declare what draws operators of the runtime's domain."""
    return draws(*(f"com.microsoft.{operator}" for operator in operators))


def weight(draw: Draw, *shape: int) -> Setting:
    return Setting(draw.array(shape, "float32", 0.0), 0.7)


# -------------------------------------------------------------------------------------------------------- activations
@own("Gelu", "BiasGelu", "FastGelu", "QuickGelu")
def activation(draw: Draw) -> Made:
    x = draw.array((*draw.shape(0, 3), draw.size()), "float32", 0.0)
    last = x.shape[-1] if draw.rarely(0.95) else draw.size()
    name = draw.operator.rpartition(".")[2]
    biased = name == "BiasGelu" or (name == "FastGelu" and draw.rarely(0.5))
    settings = draw.given(alpha=draw.one(1.0, 1.702, 2.0)) if name == "QuickGelu" else {}
    return Made(draw.operator, [x, *([weight(draw, last)] if biased else [])], settings)


# ----------------------------------------------------------------------------------------------------- normalizations
@own("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def skipping(draw: Draw) -> Made:
    batch, length, size = draw.whole(1, 3), draw.size(), draw.whole(1, 5)
    shape = draw.one((batch, length, size), (batch, length, size), (length, size))
    skip = draw.one(shape, shape, (1, *shape[1:]) if len(shape) == 3 else shape, shape[-2:])
    gamma, beta, bias = (weight(draw, size if draw.rarely(0.95) else draw.size()) for _ in range(3))
    parts = [gamma] if "Simplified" in draw.operator else [gamma, None if draw.rarely(0.3) else beta]
    x, other = (draw.array(one, "float32", 0.0) for one in (shape, skip))
    settings = draw.given(epsilon=draw.one(1e-5, 1e-12, 0.5))
    return Made(draw.operator, [x, other, *parts, bias if draw.rarely(0.5) else None], settings)


@draws("SimplifiedLayerNormalization")
def simplified(draw: Draw) -> Made:
    shape = tuple(draw.whole(1, 4) for _ in range(draw.whole(1, 3)))
    x, axis = draw.array(shape, "float32", 0.0), draw.axis(len(shape), 0.0)
    lane = shape[axis:]
    return Made(draw.operator, [x, weight(draw, *lane)], draw.given(axis=axis, epsilon=draw.one(1e-5, 0.5)))


@own("EmbedLayerNormalization")
def embedding(draw: Draw) -> Made:
    batch, length, size, words = draw.whole(1, 3), draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 5)
    places = length + draw.whole(0, 2) if draw.rarely(0.95) else draw.whole(1, 4)

    def indices(bound: int) -> Any:
        return np.array([draw.whole(0, bound - 1) for _ in range(batch * length)], "int32").reshape(batch, length)

    segments = draw.rarely(0.6)
    tables = [weight(draw, rows, size) for rows in (words, places, 2)]
    given = draw.rarely(0.3)
    return Made(
        draw.operator,
        [
            *(indices(words), indices(2) if segments else None),
            *(*tables[:2], tables[2] if segments else None, weight(draw, size), weight(draw, size)),
            *(indices(2) if draw.rarely(0.6) else None, indices(places) if given else None),
        ],
        draw.given(epsilon=draw.one(1e-12, 0.1)),
        outputs=draw.whole(2, 3),
    )


# ----------------------------------------------------------------------------------------------------------- products
@own("QEmbedLayerNormalization")
def quantized_embedding(draw: Draw) -> Made:
    made, kind = embedding(draw), draw.one(*EIGHT)
    tables = [None if one is None else codes(draw, np.shape(one.value), kind) for one in made.inputs[2:7]]
    scales = [None if one is None else Setting(np.float32(draw.one(0.1, 0.02)), 0.9) for one in tables]
    zeros = [None if one is None else point(draw, (), kind) for one in tables]
    given = [None if one is None else Setting(one, 0.9) for one in tables]
    return Made(draw.operator, [*made.inputs[:2], *given, made.inputs[7], *scales, *zeros], made.attributes, 2)


@own("GatherBlockQuantized")
def rows_of_few_bits(draw: Draw) -> Made:
    bits, block, rows, features = draw.one(2, 4, 8), 16, draw.whole(1, 5), draw.one(16, 32, 48)
    count = features // block
    data = codes(draw, (rows, features * bits // 8), "uint8")
    scales = np.asarray(step(draw, (rows, count)).value)
    zeros = codes(draw, (rows, -(-count * bits // 8)), "uint8")
    shape = draw.shape(0, 2)
    chosen = np.array([draw.whole(-rows, rows - 1) for _ in range(int(np.prod(shape)))], "int64").reshape(shape)
    settings = {"bits": bits, "block_size": block, "quantize_axis": draw.one(1, -1)}
    parts = [Setting(scales, 1.0), None if draw.rarely(0.3) else Setting(zeros, 1.0)]
    return Made(draw.operator, [Setting(data, 1.0), chosen, *parts], settings)


@own("FusedMatMul", "TransposeMatMul")
def product(draw: Draw) -> Made:
    flips = draw.given(transA=draw.whole(0, 1), transB=draw.whole(0, 1))
    settings = flips | draw.given(alpha=draw.one(1.0, 0.5, -2.0))
    batches = draw.shape(0, 2)
    if draw.rarely(0.3) and draw.operator.endswith("FusedMatMul"):
        settings |= draw.given(transBatchA=draw.whole(0, 1), transBatchB=draw.whole(0, 1))
        batches = tuple(draw.whole(1, 3) for _ in range(draw.whole(1, 2)))
    i, j, k = draw.size(), draw.size(), draw.size()

    def shaped(letter: str, row: int, column: int) -> list[int]:
        matrix = [column, row] if settings.get(f"trans{letter}") else [row, column]
        if settings.get(f"transBatch{letter}"):  # the matrix's rows come first
            return [matrix[0], *batches, matrix[1]]
        return [*batches, *matrix]

    a, b = shaped("A", i, k), shaped("B", k, j)
    return Made(draw.operator, [draw.array(a, "float32", 0.0), draw.array(b, "float32", 0.0)], settings)


@own("FusedGemm")
def general(draw: Draw) -> Made:
    made = plain_general(draw)
    inputs = [None if one is None else np.asarray(one, "float32") for one in made.inputs]
    kind: dict[str, Any] = {"activation": draw.one("Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "Elu")}
    kind |= {"activation_alpha": 0.25} if kind["activation"] in ("LeakyRelu", "HardSigmoid", "Elu") else {}
    kind |= {"activation_beta": 0.5} if kind["activation"] == "HardSigmoid" else {}
    return Made(draw.operator, inputs, {**made.attributes, **kind})


@own("FusedConv")
def convolution(draw: Draw) -> Made:
    made = plain_convolution(draw)
    kind: dict[str, Any] = {"activation": draw.one("Relu", "LeakyRelu", "Sigmoid", "Tanh", "Clip", "HardSigmoid")}
    listed = {"LeakyRelu": [0.25], "Clip": [-1.0, 2.0], "HardSigmoid": [0.25, 0.5]}.get(kind["activation"])
    return Made(
        draw.operator, made.inputs, {**made.attributes, **kind, **({"activation_params": listed} if listed else {})}
    )


@own("MatMulNBits")
def few_bits(draw: Draw) -> Made:
    bits, block = draw.one(4, 4, 4, 8, 2), draw.one(16, 32)
    rows, features = draw.whole(1, 5), draw.one(16, 32, 48, 20)
    count = -(-features // block)
    x = draw.array((*draw.shape(1, 2), features), "float32", 0.0)
    packed = Setting(codes(draw, (rows, count, block * bits // 8), "uint8"), 0.8)
    scales = Setting(np.asarray(step(draw, (rows, count)).value), 0.8)
    zeros: Any = codes(draw, (rows, -(-count * bits // 8)), "uint8")
    numbers = draw.array((rows, count), "float32", 0.0) if bits == 4 else zeros
    zero = draw.one(None, Setting(zeros, 0.8), Setting(numbers, 0.8))
    settings = {"N": rows, "K": features, "bits": bits, "block_size": block}
    return Made(
        draw.operator, [x, packed, scales, zero, None, weight(draw, rows) if draw.rarely(0.4) else None], settings
    )


# ------------------------------------------------------------------------------------------------------------- codes
@own("QLinearAdd", "QLinearMul")
def arithmetic(draw: Draw) -> Made:
    shape, kind = draw.shape(), draw.one(*EIGHT)
    given = [
        part
        for one in (shape, draw.broadcast(shape))
        for part in (codes(draw, one, kind), step(draw), point(draw, (), kind))
    ]
    return Made(draw.operator, [*given, step(draw), point(draw, (), kind)])


def mapped(settings: dict[str, Any], low: int, draw: Draw) -> Made:
    """An operator of codes that gives codes."""
    kind, rank = draw.one(*EIGHT), draw.whole(low, 4)
    x = codes(draw, tuple(draw.whole(1, 4) if low else draw.size() for _ in range(rank)), kind)
    parts = [step(draw), point(draw, (), kind)]
    return Made(draw.operator, [x, *parts, step(draw), point(draw, (), kind)], settings)


@own("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "QLinearReduceMean", "QLinearGlobalAveragePool")
def function(draw: Draw) -> Made:
    name = draw.operator.rpartition(".")[2]
    if name == "QLinearLeakyRelu":
        return mapped(draw.given(alpha=draw.one(0.01, 0.5)), 0, draw)
    if name == "QLinearSigmoid":
        return mapped({}, 0, draw)
    if name == "QLinearGlobalAveragePool":
        return mapped(draw.given(channels_last=draw.whole(0, 1)), 3, draw)
    made = mapped({}, 1, draw)
    rank = made.inputs[0].ndim
    if name == "QLinearSoftmax":
        return Made(made.operator, made.inputs, {"opset": draw.one(12, 13), **draw.given(axis=draw.axis(rank, 0.0))})
    return Made(made.operator, made.inputs, {"axes": [draw.axis(rank, 0.0)], "keepdims": draw.whole(0, 1)})


@own("QLinearAveragePool", "NhwcMaxPool")
def pool(draw: Draw) -> Made:
    kernel, settings = windows(draw, draw.one(1, 2, 2))
    last = draw.operator.endswith("NhwcMaxPool")
    if not last:
        settings.pop("dilations", None)
        settings |= draw.given(count_include_pad=draw.whole(0, 1), channels_last=draw.whole(0, 1))
    settings["pads"] = [min(one, kernel[at % len(kernel)] - 1) for at, one in enumerate(settings.get("pads", []))]
    if settings.get("auto_pad") or not settings["pads"]:
        del settings["pads"]
    extents, channels = [draw.whole(3, 6) for _ in kernel], draw.whole(1, 3)
    behind = last or settings.get("channels_last")
    kind, shape = draw.one(*EIGHT), [draw.size(), *([*extents, channels] if behind else [channels, *extents])]
    settings["kernel_shape"] = kernel
    parts = [] if last else [step(draw), point(draw, (), kind), step(draw), point(draw, (), kind)]
    return Made(draw.operator, [codes(draw, shape, kind), *parts], settings)


@own("QLinearConv")
def quantized_convolution(draw: Draw) -> Made:
    made = plain_quantized(draw)
    last = draw.whole(0, 1)
    x = np.moveaxis(made.inputs[0], 1, -1) if last else made.inputs[0]
    return Made(draw.operator, [x, *made.inputs[1:]], {**made.attributes, "channels_last": last})


@own("QLinearConcat")
def joined(draw: Draw) -> Made:
    shape, kind = [draw.size() for _ in range(draw.whole(1, 3))], draw.one(*EIGHT)
    axis = draw.axis(len(shape), 0.0)
    given: list[Any] = [step(draw), point(draw, (), kind)]
    for _ in range(draw.whole(1, 3)):
        one = [draw.size() if at == axis % len(shape) else size for at, size in enumerate(shape)]
        given += [codes(draw, one, kind), step(draw), point(draw, (), kind)]
    return Made(draw.operator, given, {"axis": axis})


@own("QGemm", "MatMulIntegerToFloat", "DynamicQuantizeMatMul")
def matrices(draw: Draw) -> Made:
    m, n, k = draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 4)
    name, kinds = draw.operator.rpartition(".")[2], ["uint8", draw.one(*EIGHT)]
    flips = draw.given(transA=draw.whole(0, 1), transB=draw.whole(0, 1)) if name == "QGemm" else {}
    a = codes(draw, (k, m) if flips.get("transA") else (m, k), kinds[0])
    b = Setting(codes(draw, (n, k) if flips.get("transB") else (k, n), kinds[1]), 0.8)
    columns: Sequence[int] = (n,) if draw.rarely(0.4) else ()
    scales, zeros = (step(draw), step(draw, columns)), (point(draw, (), kinds[0]), point(draw, columns, kinds[1]))
    bias = weight(draw, n) if draw.rarely(0.5) else None
    if name == "MatMulIntegerToFloat":
        return Made(draw.operator, [a, b, *scales, *(None if draw.rarely(0.2) else zero for zero in zeros), bias])
    if name == "DynamicQuantizeMatMul":
        x = draw.array((m, k), "float32", 0.0)
        return Made(draw.operator, [x, b, scales[1], None if draw.rarely(0.2) else zeros[1], bias])
    added = np.array([[draw.whole(-500, 500) for _ in range(n)]], "int32")
    end = [step(draw), point(draw, (), kinds[0])] if draw.rarely(0.7) else []
    inputs = [
        a,
        scales[0],
        zeros[0],
        b,
        scales[1],
        zeros[1],
        Setting(added[0], 0.8) if draw.rarely(0.6) else None,
        *end,
    ]
    return Made(draw.operator, inputs, flips | draw.given(alpha=draw.one(1.0, 0.5)))


# --------------------------------------------------------------------------------------------------------- attention
def mask(draw: Draw, batch: int, places: int, keys: int, square: bool = True) -> Any:
    """Which keys are seen: lengths, ends and starts, or numbers for each key, or for each place and key."""
    kind = draw.one("none", "lengths", "keys", "keys", "places", *(["ends"] if square else []))
    if kind == "none":
        return None
    if kind in ("keys", "places"):
        shape = (batch, keys) if kind == "keys" else (batch, places, keys)
        return np.array([draw.whole(0, 1) for _ in range(int(np.prod(shape)))], "int32").reshape(shape)
    ends = [draw.whole(0, keys) for _ in range(batch)]
    starts = [draw.whole(0, end) for end in ends] if kind == "ends" else []
    return np.array([*ends, *starts], "int32")


@own("Attention", "QAttention")
def attention(draw: Draw) -> Made:
    batch, places, heads, size = draw.whole(1, 3), draw.whole(1, 4), draw.whole(1, 3), draw.whole(1, 3)
    hidden, wide = heads * size, draw.whole(1, 4)
    past = draw.whole(0, 3) if draw.rarely(0.3) else None
    keys = places + (past or 0)
    settings = {"num_heads": heads} | draw.given(unidirectional=draw.whole(0, 1), scale=draw.one(0.5, 1.0))
    before = None if past is None else draw.array((2, batch, heads, past, size), "float32", 0.0)
    outputs = 1 if past is None else 2
    if draw.operator.endswith("QAttention"):
        kinds = draw.one(("int8", "int8"), ("uint8", "uint8"))
        x, w = codes(draw, (batch, places, wide), kinds[0]), codes(draw, (wide, 3 * hidden), kinds[1])
        parts = [Setting(np.float32(0.02), 0.9), Setting(np.float32(0.01), 0.9)]
        zeros = [point(draw, (), kind) for kind in kinds]
        seen = mask(draw, batch, places, keys)
        given = [x, Setting(w, 0.9), weight(draw, 3 * hidden), *parts, seen, *zeros, before]
        return Made(draw.operator, given, settings, outputs)
    x, end = draw.array((batch, places, wide), "float32", 0.0), hidden
    if past is None and draw.rarely(0.2):
        end = heads * draw.whole(1, 3)
        settings["qkv_hidden_sizes"] = [hidden, hidden, end]
    bias, w = weight(draw, 2 * hidden + end), weight(draw, wide, 2 * hidden + end)
    shape = (draw.one(1, batch), draw.one(1, heads), places, keys)
    added = draw.array(shape, "float32", 0.0) if draw.rarely(0.2) else None
    bias = None if draw.rarely(0.2) else bias
    return Made(draw.operator, [x, w, bias, mask(draw, batch, places, keys), before, added], settings, outputs)


@own("RotaryEmbedding")
def rotation(draw: Draw) -> Made:
    batch, places, heads, pairs = draw.whole(1, 3), draw.whole(1, 4), draw.whole(1, 3), draw.whole(1, 3)
    beyond = draw.whole(0, 2) * 2 if draw.rarely(0.3) else 0
    size = 2 * pairs + beyond
    settings = draw.given(interleaved=draw.whole(0, 1))
    settings |= {"rotary_embedding_dim": 2 * pairs, "num_heads": heads} if beyond else {}
    flat = bool(beyond) or draw.rarely(0.5)
    x = draw.array((batch, places, heads * size) if flat else (batch, heads, places, size), "float32", 0.0)
    rows = places + draw.whole(0, 3)
    caches = [weight(draw, rows, pairs) for _ in range(2)]
    one = np.array([draw.whole(0, rows - places)], "int64")
    each = np.array([draw.whole(0, rows - 1) for _ in range(batch * places)], "int64").reshape(batch, places)
    return Made(draw.operator, [x, one if draw.rarely(0.4) else each, *caches], settings)


@own("MultiHeadAttention")
def many_heads(draw: Draw) -> Made:
    batch, places, heads, size = draw.whole(1, 3), draw.whole(1, 4), draw.whole(1, 3), draw.whole(1, 3)
    hidden, end = heads * size, heads * draw.whole(1, 3)
    settings = {"num_heads": heads} | draw.given(scale=draw.one(0.5, 1.0))
    others = draw.whole(1, 4)
    form = draw.one("apart", "apart", "apart", "heads", "past", "pair", "three")
    bias = weight(draw, 2 * hidden + end) if form == "apart" and draw.rarely(0.5) else None
    x, key = draw.array((batch, places, hidden), "float32", 0.0), draw.array((batch, others, hidden), "float32", 0.0)
    value: Any = draw.array((batch, others, end), "float32", 0.0)
    past: list[Any] = []
    keys, outputs = others, 1
    if form == "heads":
        key, value = (draw.array((batch, heads, others, size), "float32", 0.0) for _ in range(2))
    if form == "past":
        before = draw.whole(0, 3)
        keys, outputs = places + before, 3
        key, value = (draw.array((batch, places, hidden), "float32", 0.0) for _ in range(2))
        past = [draw.array((batch, heads, before, size), "float32", 0.0) for _ in range(2)]
    if form == "pair":
        key, value = draw.array((batch, others, heads, 2, size), "float32", 0.0), None
    if form == "three":
        x, key, value, keys = draw.array((batch, places, heads, 3, size), "float32", 0.0), None, None, places
    settings |= draw.given(unidirectional=draw.whole(0, 1))
    shape = (draw.one(1, batch), draw.one(1, heads), places, keys)
    added = draw.array(shape, "float32", 0.0) if draw.rarely(0.3) else None
    seen = mask(draw, batch, places, keys, square=False)
    return Made(draw.operator, [x, key, value, bias, seen, added, *past], settings, outputs)
