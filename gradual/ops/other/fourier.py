"""Fourier transforms of real and imaginary parts, computed in binary64 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from gradual.dims.term.constraint import at_most
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, of_dtype, same_dtype, tensor
from gradual.ops.declaration.windows import at_least
from gradual.tensors.scalar import dot, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType, TupleType, Type

Pair = tuple[float, float]


def _circle(count: int) -> list[Pair]:
    """Cosine and sine of each of `count` equal steps around the circle."""
    return [(math.cos(2 * math.pi * i / count), math.sin(2 * math.pi * i / count)) for i in range(count)]


def _frequency(real: Sequence[float], imaginary: Sequence[float], k: int, circle: Sequence[Pair], sign: int) -> Pair:
    """One frequency of a line: the sum of its elements, each turned by k steps more than the one before."""
    turned = [circle[sign * i * k % len(circle)] for i in range(len(real))]
    cosines, sines = [cosine for cosine, _ in turned], [sine for _, sine in turned]
    return (
        dot(real, cosines) - dot(imaginary, sines),
        dot(real, sines) + dot(imaginary, cosines),
    )


def floats(given: Type[Dim], operand: int, least: int = 0) -> TensorType[Dim]:
    """The argument as a tensor of floats; raises IllFormed if it is not."""
    found = tensor(given, operand, least=least)
    of_dtype(found, operand, lambda dtype: dtype.is_float, "a tensor of floats")
    return found


# -------------------------------------------------------------------------------------------------------------- dft
def _dft(re_data: Tensor, im_data: Tensor, *, inverse: bool) -> tuple[Tensor, Tensor]:
    if not re_data.size:
        return re_data, im_data
    count, dtype = re_data.shape[-1], re_data.dtype
    circle, scale, sign = _circle(count), count if inverse else 1, 1 if inverse else -1
    found: list[Pair] = []
    for start in range(0, re_data.size, count):
        real, imaginary = (part.elements[start : start + count] for part in (re_data, im_data))
        found += [_frequency(real, imaginary, k, circle, sign) for k in range(count)]
    parts = ([pair[which] / scale for pair in found] for which in (0, 1))
    real, imaginary = (tensor_of(re_data.shape, dtype, kept(dtype, part)) for part in parts)
    return real, imaginary


@operator("dft", meaning=_dft, family="transforming", onnx="DFT")
def dft(re_data: TensorType[Dim], im_data: TensorType[Dim], *, inverse: bool = False) -> Judgement:
    """The discrete Fourier transform along the last axis, or with `inverse` the inverse transform.

    t[.., n], t[.., n] -> (t[.., n], t[.., n])

        out.0[.., k] = sum over i of re_data[.., i] * cos(z) - sum over i of im_data[.., i] * sin(z)
        out.1[.., k] = sum over i of re_data[.., i] * sin(z) + sum over i of im_data[.., i] * cos(z)

    z is -2 * pi * i * k / n; with `inverse` it is 2 * pi * i * k / n, and both results are divided by n.  i * k is
    taken modulo n first.  Real and imaginary parts have the same shape [op.dft.agree].
    """
    left, right = floats(re_data, 0, least=1), tensor(im_data, 1)
    tensor(right, 1, rank=left.rank)
    same_dtype(left, right)
    says = "real and imaginary parts differ in shape"
    needs = tuple(
        agreement(left.shape[i], right.shape[i], "op.dft.agree", says, (0, i), (1, i)) for i in range(left.rank)
    )
    part = TensorType(left.shape, left.dtype)
    return Judgement(TupleType((part, part)), needs)


# ------------------------------------------------------------------------------------------------------------- stft
def _stft(
    data: Tensor,
    window: Tensor,
    *,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    normalized: bool,
    onesided: bool,
) -> Tensor:
    """For each frequency, counted from 0, and each frame, the real and the imaginary part."""
    step = hop_length if hop_length is not None else n_fft // 4
    width = data.shape[-1]
    frames, bins = (width - n_fft) // step + 1, n_fft // 2 + 1 if onesided else n_fft
    before = (n_fft - window.size) // 2
    weights = [*[0.0] * before, *window.elements, *[0.0] * (n_fft - window.size - before)]
    circle, scale = _circle(n_fft), math.sqrt(n_fft) if normalized else 1.0
    found: list[float] = []
    for signal in _lines(data):
        cut = [list(map(float.__mul__, weights, signal[i * step : i * step + n_fft])) for i in range(frames)]
        nothing = [0.0] * n_fft
        pairs = (_frequency(frame, nothing, k, circle, -1) for k in range(bins) for frame in cut)
        found.extend(part / scale for part in chain.from_iterable(pairs))
    return tensor_of((*data.shape[:-1], bins, frames, 2), data.dtype, kept(data.dtype, found))


def _lines(data: Tensor) -> Iterator[Any]:
    """Each signal of a batch, or the only one."""
    width = data.shape[-1]
    for row in range(data.shape[0] if data.rank > 1 else 1):
        yield data.elements[row * width : (row + 1) * width]


@operator("stft", meaning=_stft, family="transforming", onnx="STFT")
def stft(
    data: TensorType[Dim],
    window: TensorType[Dim],
    *,
    n_fft: Dim,
    hop_length: Dim | None = None,
    win_length: Dim | None = None,
    normalized: bool = False,
    onesided: bool = True,
) -> Judgement:
    """The Fourier transforms of frames of n_fft samples, `hop_length` apart, each weighted by a window.

    t[..b, n], t[w] -> t[..b, n_fft // 2 + 1, (n - n_fft) // hop_length + 1, 2]

        out[..b, k, m] = (sum over i of s(i) * cos(z), sum over i of s(i) * sin(z)),  z = -2 * pi * i * k / n_fft
        s(i) = data[..b, m * hop_length + i] * window[i - (n_fft - w) // 2],  i from 0 to n_fft - 1

    The window is 0 beyond its ends.  All n_fft frequencies k are given unless `onesided`; `normalized` divides by the
    square root of n_fft.  The signal has at least n_fft samples [op.window.fits].  `n_fft` is at least 1, and so is
    `hop_length`, which is n_fft // 4 by default [op.window.positive].  The window has `win_length` weights, by default
    n_fft, and no more than n_fft [op.stft.window].
    """
    given, weights = floats(data, 0, least=1), tensor(window, 1, rank=1)
    if given.rank > 2:
        tensor(given, 0, rank=2)
    same_dtype(given, weights)
    step, length, width = hop_length if hop_length is not None else n_fft // 4, win_length, given.shape[-1]
    needs = [*at_least(ONE, (n_fft,), "n_fft"), *at_least(ONE, (step,), "hop_length")]
    says = "the signal is shorter than a frame"
    needs.append(Need(at_most(n_fft, width), "op.window.fits", says, ((0, given.rank - 1),)))
    says = "the window does not have the length of a frame"
    needs.append(agreement(weights.shape[0], n_fft if length is None else length, "op.stft.window", says, (1, 0)))
    says = "the window is longer than a frame"
    needs.append(Need(at_most(weights.shape[0], n_fft), "op.stft.window", says, ((1, 0),)))
    bins = n_fft // 2 + 1 if onesided else n_fft
    frames = (width - n_fft) // (ONE if step is ZERO else step) + 1
    return judged((*given.shape[:-1], bins, frames, constant(2)), given.dtype, needs)
