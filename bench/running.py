"""The reference evaluator against the loops that anyone would write first."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import gradual
from bench.texts import transformer
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType

BAR = 10
"""How many times faster than the naive loops the evaluator has to be."""

MATMUL = """def @main(%a: Tensor[(128, 128), float32], %b: Tensor[(128, 128), float32]) { nn.matmul(%a, %b) }"""
CONV = """def @main(%x: Tensor[(1, 64, 28, 28), float32], %w: Tensor[(64, 64, 3, 3), float32]) {
  nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=64, kernel_size=[3, 3])
}
"""


@dataclass(frozen=True, slots=True)
class Work:
    """A program with its arguments; `naive` does one part in `share` of the same work, None where nothing compares."""

    name: str
    text: str
    values: tuple[Tensor, ...]
    naive: Callable[..., object] | None = None
    share: int = 1


def report() -> Iterator[str]:
    """A line for each piece of work."""
    for work in _works():
        compilation = gradual.check(work.text)
        assert compilation.ok, compilation.diagnostics
        seconds = _seconds(partial(compilation.run, "@main", *work.values))
        line = f"{work.name:38}{seconds * 1000:9.0f} ms"
        if work.naive is not None:
            naive = _seconds(partial(work.naive, *(value.elements for value in work.values)), 1) * work.share
            verdict = "within" if naive >= BAR * seconds else "over"
            line += f"   naive {naive * 1000:7.0f} ms, {naive / seconds:5.1f} ×, {verdict} the bar of {BAR} ×"
        yield line


def _works() -> Iterator[Work]:
    yield Work("matmul 128 × 128 × 128", MATMUL, _random((128, 128), (128, 128)), naive_matmul)
    yield Work("conv2d 3 × 3, 64 channels, 28 × 28", CONV, _random((1, 64, 28, 28), (64, 64, 3, 3)), naive_conv, 16)
    yield _layer()


def _layer() -> Work:
    text = transformer(1, "1", "16", 128, 2)
    params = gradual.check(text).functions["@main"].params
    shapes = [tuple(size.value or 0 for size in param.shape) for param in params]  # type: ignore[union-attr]
    return Work("transformer layer, 16 tokens of 128", text, _random(*shapes))


def _random(*shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    return tuple(random_tensor(shape, DType.FLOAT32, seed) for seed, shape in enumerate(shapes))


def _seconds(run: Callable[[], object], times: int = 3) -> float:
    """The fastest of a few runs."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return best


def naive_matmul(a: array[float], b: array[float]) -> list[float]:
    """128³ multiplications."""
    out = [0.0] * (128 * 128)
    for i in range(128):
        for j in range(128):
            total = 0.0
            for k in range(128):
                total += a[i * 128 + k] * b[k * 128 + j]
            out[i * 128 + j] = total
    return out


def naive_conv(x: array[float], w: array[float]) -> list[float]:
    """Four of the 64 output channels."""
    out = []
    for channel in range(4):
        for row in range(28):
            for column in range(28):
                total = 0.0
                for depth in range(64):
                    for i in range(3):
                        for j in range(3):
                            y, z = row + i - 1, column + j - 1
                            if 0 <= y < 28 and 0 <= z < 28:
                                total += x[(depth * 28 + y) * 28 + z] * w[((channel * 64 + depth) * 3 + i) * 3 + j]
                out.append(total)
    return out
