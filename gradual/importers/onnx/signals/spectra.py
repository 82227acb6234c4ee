"""Fourier transforms of signals, and weights that sum frequencies into bands."""

from __future__ import annotations

import math

from gradual.importers.common.applying import positive
from gradual.importers.common.composed.arithmetic import Term, counted, exp, extent, floor, log, numbered, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.reading import dtype_of
from gradual.importers.onnx.importers import Use, imports
from gradual.types.dtype import DType

Size = int | Value

Parts = tuple[Value, Value | None]
"""The real parts and the imaginary parts of complex numbers; None if all imaginary parts are 0."""


@imports("DFT")
def fourier(use: Use) -> Value:
    """The discrete Fourier transform along an axis, or its inverse; with `onesided` for real signals."""
    x, inverse = use[0], bool(use.attribute("inverse", 0))
    axis = _axis(use, x.rank)
    real, imaginary = _parts(use, x)
    real = _last(use, real, axis)
    imaginary = None if imaginary is None else _last(use, imaginary, axis)
    onesided = bool(use.attribute("onesided", 0))
    size = _length(use, real, onesided and inverse)
    if onesided and inverse:
        return _back(use, _real_of_half(use, (real, imaginary), size), axis)
    if onesided and imaginary is not None:
        raise Unsupported("onesided=1 of complex numbers")
    fitted = (_fitted(use, real, size), None if imaginary is None else _fitted(use, imaginary, size))
    parts = [_half(use, part, size) if onesided else part for part in _transformed(use, fitted, inverse)]
    return _joined(use, [_first(use, part, axis) for part in parts])


def _axis(use: Use, rank: int) -> int:
    """The axis of the transform; the last axis, of real and imaginary parts, is refused."""
    if use.opset < 20:
        axis = use.attribute("axis", 1)
    else:
        given = use.optional(2)
        axis = -2 if given is None else _scalar(given).numbers("the axis")[0]
    if positive(axis, rank) == rank - 1:
        raise Unsupported("a transform along the axis of real and imaginary parts")
    return positive(axis, rank)


def _parts(use: Use, x: Value) -> Parts:
    """The real and imaginary parts, which are along the last axis."""
    count = x.extent(x.rank - 1)
    if count not in (1, 2):
        raise Unsupported("a last axis of neither real parts nor real and imaginary parts")
    real, *others = (
        use.call("take", x, use.builder.number(at, DType.INT64), axis=x.rank - 1, mode="fast") for at in range(count)
    )
    return real, (others[0] if others else None)


def _last(use: Use, x: Value, axis: int) -> Value:
    """The tensor with an axis moved to the end."""
    order = [*(at for at in range(x.rank) if at != axis), axis]
    return x if axis == x.rank - 1 else use.call("transpose", x, axes=order)


def _first(use: Use, x: Value, axis: int) -> Value:
    """The tensor with its last axis moved back."""
    order = list(range(x.rank - 1))
    order.insert(axis, x.rank - 1)
    return x if axis == x.rank - 1 else use.call("transpose", x, axes=order)


def _length(use: Use, x: Value, is_half: bool) -> Size:
    """The length of the transform; by default from the last axis, which has half of the frequencies if `is_half`."""
    given = use.optional(1)
    if given is None:
        size = extent(use, x, x.rank - 1)
        return use.written_size(((size - 1) * 2).value if is_half else size.value)
    length = _scalar(given)
    length = length if length.dtype is DType.INT64 else use.call("cast", length, dtype=DType.INT64)
    some = use.call("greater_equal", length, use.like(1, length))
    return use.written_size(use.demanded(length, some, "dft_length is not at least 1"))


def _fitted(use: Use, x: Value, size: Size) -> Value:
    """The tensor truncated or padded with zeros to a given size of its last axis."""
    more = use.written_size((counted(use, size) - extent(use, x, x.rank - 1)).value)
    widths: list[list[Size]] = [[0, 0] for _ in range(x.rank - 1)]
    widths.append([0, more])
    return x if more == 0 else use.call("nn.pad", x, use.like(0.0, x), pad_width=widths)


def _transformed(use: Use, parts: Parts, inverse: bool) -> list[Value]:
    """The transform along the last axis."""
    real, imaginary = parts
    imaginary = use.call("zeros_like", real) if imaginary is None else imaginary
    return use.counted(use.call("dft", real, imaginary, inverse=inverse), 2)


def _half(use: Use, x: Value, size: Size) -> Value:
    """The frequencies up to half of the size; the others are their conjugates."""
    end = use.written_size((counted(use, size) // 2 + 1).value)
    return use.builder.field(use.call("split", x, indices_or_sections=[end], axis=x.rank - 1), 0)


def _joined(use: Use, parts: list[Value]) -> Value:
    """Stack the parts along a new last axis."""
    return use.call("stack", use.builder.tuple(parts), axis=parts[0].rank)


def _real_of_half(use: Use, parts: Parts, size: Size) -> Value:
    """The real signal with these frequencies; those beyond the half are the conjugates of the given ones."""
    real, imaginary = parts
    half = counted(use, size) // 2 + 1
    steps = numbered(use, size)
    is_given = steps < half
    places = where(is_given, steps, counted(use, size) - steps).value
    taken = [
        use.call("take", _fitted(use, part, use.written_size(half.value)), places, axis=part.rank - 1, mode="fast")
        for part in (real, imaginary)
        if part is not None
    ]
    if len(taken) > 1:
        sign = where(is_given, 1.0, -1.0, Term(use, real)).value
        taken[1] = use.call("multiply", taken[1], sign)
    return _transformed(use, (taken[0], taken[1] if len(taken) > 1 else None), True)[0]


def _back(use: Use, real: Value, axis: int) -> Value:
    """Real numbers with the axis moved back, and a last axis of size 1 for the real part."""
    moved = _first(use, real, axis)
    return use.call("expand_dims", moved, axis=moved.rank)


# -------------------------------------------------------------------------------------------------------------- frames
@imports("STFT")
def short_time_fourier(use: Use) -> Value:
    """The Fourier transform of each frame of a signal, after multiplying the frame by a window."""
    x = use[0]
    real, imaginary = _parts(use, x) if x.rank == 3 else (x, None)
    if real.rank != 2:
        raise Unsupported(f"a signal of rank {x.rank}")
    onesided = bool(use.attribute("onesided", 1))
    if onesided and imaginary is not None:
        raise Unsupported("onesided=1 of complex numbers")
    window, step = use.optional(2), _size(use, use[1])
    length = _frame_length(use, real, window)
    if window is not None:
        window = use.exactly(window, 0, length)

    def frames(part: Value) -> Value:
        found = use.call("sliding_window", part, axis=1, window_shape=[length], strides=[step])
        return found if window is None else use.call("multiply", found, window)

    parts = _transformed(use, (frames(real), None if imaginary is None else frames(imaginary)), False)
    return _joined(use, [_half(use, part, length) if onesided else part for part in parts])


def _scalar(value: Value) -> Value:
    """The value, which has to be a scalar; a vector is refused."""
    if value.rank:
        raise Unsupported("a vector where a number has to be")
    return value


def _size(use: Use, value: Value) -> Size:
    """A scalar as a size."""
    scalar = _scalar(value)
    return use.written_size(scalar if scalar.dtype is DType.INT64 else use.call("cast", scalar, dtype=DType.INT64))


def _frame_length(use: Use, signal: Value, window: Value | None) -> Size:
    """The length of a frame: the third input, else the length of the window, else that of the signal."""
    given = use.optional(3)
    if given is not None:
        return _size(use, given)
    return use.written_size(use.extent(signal, 1) if window is None else use.extent(window, 0))


# --------------------------------------------------------------------------------------------------------------- bands
@imports("MelWeightMatrix")
def mel_weights(use: Use) -> Value:
    """The weight of each frequency in triangular bands that have equal width on the mel scale."""
    count, size, rate = (_size(use, use[at]) for at in range(3))
    low, high = (_mel(Term(use, _scalar(use[at])).to(DType.FLOAT64)) for at in (3, 4))
    steps = numbered(use, use.written_size((counted(use, count) + 2).value)).to(DType.FLOAT64)
    mels = steps * ((high - low) / (counted(use, count) + 2).to(DType.FLOAT64)) + low
    hertz = (exp(mels * (math.log(10) / 2595)) - 1.0) * 700.0
    wide = (counted(use, size) + 1).to(DType.FLOAT64)
    places = floor(wide * hertz / counted(use, rate).to(DType.FLOAT64)).to(DType.INT64)
    bins = counted(use, size) // 2 + 1
    within = use.call("all", (places <= bins).value)
    places = Term(use, use.demanded(places.value, within, "a band above half of the sample rate"))
    weights = _triangles(use, places, use.written_size(bins.value))
    return weights.to(dtype_of(use.attribute("output_datatype", 1), "the result")).value


def _mel(hertz: Term) -> Term:
    return log(hertz / 700.0 + 1.0) * (2595 / math.log(10))


def _triangles(use: Use, places: Term, bins: Size) -> Term:
    """Triangular weights, a column for each band: from 0 at a place to 1 at the next, and back to 0 at the third."""
    ends = [(0, -2), (1, -1), (2, 2**31 - 1)]
    left, centre, right = (
        Term(use, use.call("strided_slice", places.value, begin=[begin], end=[end])) for begin, end in ends
    )
    row = Term(use, use.call("expand_dims", numbered(use, bins).value, axis=1))
    zero = Term(use, use.builder.number(0.0, DType.FLOAT64))
    ahead, behind = centre - left, right - centre
    rising = where((row >= left) & (row <= centre), _quotient(row - left, ahead), zero)
    sharp = where(row.equals(centre), 1.0, 0.0, zero)
    rising = where(ahead.equals(0), sharp, rising)
    return where((row >= centre) & (row < right), _quotient(right - row, behind), rising)


def _quotient(above: Term, below: Term) -> Term:
    """A quotient of integers as a float; a divisor 0 is replaced by 1."""
    divisor = where(below.equals(0), 1, below)
    return above.to(DType.FLOAT64) / divisor.to(DType.FLOAT64)
