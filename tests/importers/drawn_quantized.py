"""Drawn nodes of quantized tensors: to codes and back, and products, convolutions and sums of codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.importers.drawn import Draw, Made, Setting, draws
from tests.importers.drawn_networks import windows

EIGHT = "int8", "uint8"


def codes(draw: Draw, shape: Sequence[int], dtype: str) -> Any:
    """Elements all over the range of a type."""
    bounds = np.iinfo(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([draw.whole(int(bounds.min), int(bounds.max)) for _ in range(count)], dtype).reshape(shape)


def point(draw: Draw, shape: Sequence[int], dtype: str) -> Setting:
    """A zero point, or several, mostly near the middle of the range."""
    bounds = np.iinfo(dtype)
    middle = (int(bounds.min) + int(bounds.max) + 1) // 2
    found = np.full(shape, middle, np.int64) + np.array(codes(draw, shape, "int8"), np.int64) // 8
    return Setting(codes(draw, shape, dtype) if draw.rarely(0.2) else found.astype(dtype), 0.8)


def step(draw: Draw, shape: Sequence[int] = (), dtype: str = "float32") -> Setting:
    """A scale, or several; mostly one with few digits, so that halves are met."""
    count = int(np.prod(shape, dtype=np.int64))
    found = [draw.one(0.5, 0.25, 1.0, 2.0, 0.1, 0.37, draw.random.uniform(0.01, 2.0)) for _ in range(count)]
    return Setting(np.array(found, dtype).reshape(shape), 0.8)


def number(draw: Draw) -> tuple[int, ...]:
    """The shape of what is a number: a scalar, or a vector of one element."""
    return (1,) if draw.rarely(0.15) else ()


@draws("QuantizeLinear", "DequantizeLinear", "com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear")
def linear(draw: Draw) -> Made:
    name = draw.operator.rpartition(".")[2]
    wide = (*EIGHT, "int16", "uint16") if draw.opset >= 21 else EIGHT
    back = name == "DequantizeLinear"
    code = draw.one(*wide, *(["int32"] if back else []))
    dtype = draw.one("float32", "float32", "float16") if draw.opset >= 19 else "float32"
    given = draw.shape(0, 4)
    shape, settings = number(draw), {}
    if given and draw.opset >= 13 and draw.rarely(0.5):
        axis = draw.axis(len(given), 0.0)
        settings = {"axis": axis} if axis != 1 or draw.rarely(0.5) else {}
        shape = (given[axis] if draw.rarely(0.95) else draw.size(),)
        if draw.opset >= 21 and draw.rarely(0.4):
            size = draw.whole(1, 3)
            settings |= {"block_size": size, "axis": axis}
            count = -(-given[axis] // size) if draw.rarely(0.95) else draw.size()
            shape = tuple(count if at == axis % len(given) else one for at, one in enumerate(given))
    x = codes(draw, given, code) if back else draw.array(given, dtype, 0.0) * np.array(draw.one(1, 10, 100), dtype)
    zero: Any = point(draw, shape, code)
    if back and code == "int32":
        zero = Setting(np.zeros(shape, "int32"), 0.8)
    return Made(draw.operator, [x, step(draw, shape, dtype), None if draw.rarely(0.2) else zero], settings)


@draws("DynamicQuantizeLinear")
def dynamic(draw: Draw) -> Made:
    x = draw.array(draw.shape(), "float32", 0.0) * np.float32(draw.one(0, 1, 1, 0.3))
    return Made(draw.operator, [x], outputs=3)


@draws("MatMulInteger", "QLinearMatMul")
def matrices(draw: Draw) -> Made:
    i, j, k = draw.size(), draw.size(), draw.size()
    batch = draw.shape(0, 2)
    left = (k,) if draw.rarely(0.1) else (*draw.broadcast(batch), i, k)
    right = (k,) if draw.rarely(0.1) else (*draw.broadcast(batch), k, j)
    kinds = draw.one(*EIGHT), draw.one(*EIGHT)
    a, b = (codes(draw, shape, kind) for shape, kind in zip((left, right), kinds, strict=True))
    columns = (j,) if draw.rarely(0.4) and len(right) > 1 else number(draw)
    zeros = [point(draw, number(draw), kinds[0]), point(draw, columns, kinds[1])]
    if draw.operator == "MatMulInteger":
        return Made(draw.operator, [a, b, *(None if draw.rarely(0.3) else zero for zero in zeros)])
    end = draw.one(*EIGHT) if draw.rarely(0.2) else kinds[0]
    result = [step(draw), point(draw, number(draw), end)]
    return Made(draw.operator, [a, step(draw), zeros[0], b, step(draw, columns), zeros[1], *result])


@draws("ConvInteger", "QLinearConv")
def convolution(draw: Draw) -> Made:
    count = draw.one(1, 2, 2, 3) if draw.operator.endswith("QLinearConv") else 2
    kernel, settings = windows(draw, count)
    groups, each = draw.one(1, 1, 2), draw.whole(1, 2)
    out = groups * draw.whole(1, 2)
    kinds = ["uint8", draw.one(*EIGHT)] if draw.operator == "ConvInteger" else [draw.one(*EIGHT), draw.one(*EIGHT)]
    x = codes(draw, (draw.size(), groups * each, *(draw.whole(1, 6) for _ in kernel)), kinds[0])
    w = codes(draw, (out, each, *kernel), kinds[1])
    settings |= ({"group": groups} if groups > 1 else {}) | draw.given(kernel_shape=kernel)
    channels = (out,) if draw.rarely(0.4) else number(draw)
    zeros = [point(draw, number(draw), kinds[0]), point(draw, channels, kinds[1])]
    if draw.operator == "ConvInteger":
        return Made(draw.operator, [x, w, *(None if draw.rarely(0.3) else zero for zero in zeros)], settings)
    bias = Setting(np.array([draw.whole(-500, 500) for _ in range(out)], "int32"), 0.8) if draw.rarely(0.5) else None
    data, weight = [x, step(draw), zeros[0]], [w, step(draw, channels), zeros[1]]
    return Made(draw.operator, [*data, *weight, step(draw), point(draw, number(draw), kinds[0]), bias], settings)
