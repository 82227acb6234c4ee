"""The reference evaluator, without NumPy and with it: contractions against naive loops, a model at growing images."""

from __future__ import annotations

import math
import os
import re
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul
from pathlib import Path
from typing import Any

import gradual
from bench import naive
from bench.fit import exponent
from bench.texts import transformer
from gradual.compilation import Compilation
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, random_tensor, tensor_of
from gradual.types.dtype import DType

BAR = 10
"""How many times faster the evaluator has to be than the naive loops, and a run with NumPy than one without."""
MODEL_BAR = 180.0
"""Seconds for the model at an image of 32 x 32."""
IMAGES = (32, 64, 128, 224)
SHARE = 16
"""The naive convolution computes one of so many output channels."""

MODELS = Path(os.environ.get("GRADUAL_SHARED", Path(__file__).parents[2] / "shared"), "corpus", "relay-models")


@dataclass(frozen=True, slots=True)
class Work:
    """A program with its arguments and its peers.

    Attributes:
        naive: computes the first `1 / share` of the result's elements.
        other: another peer, which computes in its own way.
        barred: whether the bar is about it.
    """

    name: str
    text: str
    values: tuple[Tensor, ...]
    naive: Callable[[], array[Any]]
    share: int = 1
    other: Callable[[], object] | None = None
    barred: bool = True


def report(quick: bool) -> Iterator[str]:
    """A line for each piece of work, then the model; processor time, the least of a few runs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, as without NumPy
    ratio = f"{'ratio':>8}  {f'bar {BAR} ×':10}"
    yield f"{'':38}{'ours':>9}{'naive loops':>15}{ratio}{'--fast':>9}{ratio}{'onnx.reference':>15}"
    sizes, ours = (64, 128) if quick else (32, 64, 128, 256), []
    for work in map(matmul, sizes):
        seconds, line = _compared(work)
        ours.append(seconds)
        yield line
    fitted = exponent([size**3 for size in sizes], ours)
    yield f"{'':38}grows with the number of multiplications to the power {fitted:.2f}"
    for work in (conv(), layer(16), layer(128)):
        yield _compared(work)[1]
    yield from _model(IMAGES[:2] if quick else IMAGES)


def _compared(work: Work) -> tuple[float, str]:
    """Our seconds, and the line; the naive elements and those with NumPy are ours to the bit."""
    compilation = gradual.check(work.text)
    assert compilation.ok, compilation.diagnostics
    seconds, found = _timed(partial(compilation.run, "@main", *work.values))
    fast, same = _timed(partial(compilation.run, "@main", *work.values, fast=True))
    slow, expected = _timed(work.naive, 3)
    assert found.elements[: len(expected)].tobytes() == expected.tobytes(), work.name
    assert same.elements.tobytes() == found.elements.tobytes(), work.name
    slow *= work.share
    other = f"{_timed(work.other)[0] * 1000:12.2f} ms" if work.other is not None else ""
    return seconds, (
        f"{work.name:38}{seconds * 1000:6.1f} ms{slow * 1000:12.0f} ms{_ratio(slow, seconds, work.barred)}"
        f"{fast * 1000:6.1f} ms{_ratio(seconds, fast, work.barred)}{other}"
    )


def _ratio(slow: float, seconds: float, barred: bool) -> str:
    """How many times faster, and whether it is within the bar."""
    verdict = ("within" if slow >= BAR * seconds else "over") if barred else ""
    return f"{slow / seconds:6.1f} ×  {verdict:10}"


def _timed(run: Callable[[], Any], times: int = 5) -> tuple[float, Any]:
    """The fewest seconds of processor time of a few runs, and the last value."""
    best, value = float("inf"), None
    for _ in range(times):
        began = time.process_time()
        value = run()
        best = min(best, time.process_time() - began)
    return best, value


# -------------------------------------------------------------------------------------------------- contractions
def matmul(size: int) -> Work:
    """The product of two square matrices."""
    type = f"Tensor[({size}, {size}), float32]"
    text = f"def @main(%a: {type}, %b: {type}) {{ nn.matmul(%a, %b) }}"
    values = drawn((size, size), (size, size))
    loops = partial(naive.matmul, _elements(values), size)
    other = naive.onnx_reference("MatMul", values)
    return Work(f"matmul {size} × {size} × {size}", text, values, loops, 1, other, barred=size == 128)


def conv() -> Work:
    """A convolution as ResNet has it."""
    text = """def @main(%x: Tensor[(1, 64, 28, 28), float32], %w: Tensor[(64, 64, 3, 3), float32]) {
  nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=64, kernel_size=[3, 3])
}
"""
    values = drawn((1, 64, 28, 28), (64, 64, 3, 3))
    loops = partial(naive.conv2d, _elements(values), 64 // SHARE, 64, 28)
    other = naive.onnx_reference("Conv", values, pads=[1, 1, 1, 1])
    return Work("conv2d 3 × 3, 64 channels, 28 × 28", text, values, loops, SHARE, other)


def layer(tokens: int) -> Work:
    """A layer as BERT-tiny has it: 128 wide, two heads, 512 inside."""
    text = transformer(1, "1", str(tokens), 128, 2)
    values = drawn(*map(_shape, gradual.check(text).functions["@main"].params))
    loops = partial(naive.layer, _elements(values), tokens, 128, 2)
    return Work(f"transformer layer, {tokens} tokens of 128", text, values, loops, barred=tokens == 128)


def _elements(values: Sequence[Tensor]) -> list[Any]:
    return [value.elements for value in values]


def drawn(*shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Random tensors of float32."""
    return tuple(random_tensor(shape, DType.FLOAT32, seed) for seed, shape in enumerate(shapes))


def _shape(type: Any) -> tuple[int, ...]:
    return tuple(size.value for size in type.shape)


# --------------------------------------------------------------------------------------------------------- model
def resized(text: str, size: int) -> str:
    """The printed ResNet for other images: the type of its one input is replaced, all others are inferred."""
    found, count = re.subn(r"(def @main\(%data: Tensor\[\(1, 3), 224, 224\)", rf"\1, {size}, {size})", text)
    assert count == 1, "the model has no input %data of 1 × 3 × 224 × 224"
    return found


def _model(images: Sequence[int]) -> Iterator[str]:
    path = MODELS / "resnet18.relay"
    if not path.is_file():
        yield "resnet18: there is no relay-models/resnet18.relay under GRADUAL_SHARED"
        return
    seconds = []
    for size in images:
        compilation = gradual.check(resized(path.read_text(), size))
        assert compilation.ok, compilation.diagnostics
        given = list(parameters(compilation))
        seconds.append(_timed(partial(compilation.run, "@main", *given), 1)[0])
        fast = _timed(partial(compilation.run, "@main", *given, fast=True), 3)[0]
        verdict = (
            f"{'within' if seconds[-1] < MODEL_BAR else 'over'} the bar of {MODEL_BAR:.0f} s" if size == 32 else ""
        )
        told = f"{f'resnet18, image {size} × {size}':38}{seconds[-1]:6.1f} s   {verdict:32}"
        yield f"{told}{fast:6.2f} s {_ratio(seconds[-1], fast, size == 32)}"
    yield f"{'':38}grows with the number of pixels to the power {exponent([n * n for n in images], seconds):.2f}"


def parameters(compilation: Compilation) -> Iterator[Tensor]:
    """Random arguments, as a network starts with them: variances positive, weights by their number of inputs.

    He, Zhang, Ren and Sun, Delving deep into rectifiers, ICCV 2015.
    """
    for seed, param in enumerate(compilation.core.functions["@main"].params):
        value = random_tensor(_shape(param.type), DType.FLOAT32, seed)
        if "var" in param.name:
            yield _mapped(lambda element: abs(element) + 0.5, value)
        elif "weight" in param.name:
            scale = math.sqrt(6.0 / math.prod(value.shape[1:]))
            yield _mapped(partial(mul, scale), value)
        else:
            yield value


def _mapped(function: Callable[[float], float], value: Tensor) -> Tensor:
    return tensor_of(value.shape, value.dtype, kept(value.dtype, map(function, value.elements)))
