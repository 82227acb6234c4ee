"""Images resized by weighted means: each element of the result has a weight for each element along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable

from gradual.importers.common.composed.arithmetic import (
    Term,
    absolute,
    extent,
    greater,
    lesser,
    numbered,
    sin,
    where,
)
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType

Kernel = Callable[[Term], Term]
"""Distance, at least 0 -> weight, which is 0 beyond the radius of the kernel."""


def _grid(use: Use, x: Value, axis: int, size: int | Value) -> tuple[Term, Term]:
    """The indices of the elements of the result as a column, and those along an axis of the image as a row."""
    target, source = numbered(use, size), numbered(use, use.written_size(use.extent(x, axis)))
    column = Term(use, use.call("expand_dims", target.value, axis=1))
    return column.to(DType.FLOAT32), source.to(DType.FLOAT32)


def _averaged(use: Use, x: Value, rows: Term, columns: Term) -> Value:
    """The weighted sums of the image's elements, given weights for its rows and its columns."""
    for axis, weights in ((1, rows), (2, columns)):
        letters = "nhwc"
        parts = use.builder.tuple([weights.value, x])
        x = use.call("einsum", parts, equation=f"a{letters[axis]},nhwc->{letters.replace(letters[axis], 'a')}")
    return x


@imports("ResizeArea")
def resize_area(use: Use) -> Value:
    """The images in another size: each element is the mean over the part of the image that it covers."""
    use.only("align_corners", False)
    x, sizes = use.as_type(use.ranked(0, 4), DType.FLOAT32), use.sizes(use[1])
    if len(sizes) != 2:
        raise Unsupported("sizes that are not two")
    return _averaged(use, x, *(_covered(use, x, axis, size) for axis, size in zip((1, 2), sizes, strict=True)))


def _covered(use: Use, x: Value, axis: int, size: int | Value) -> Term:
    """For each element of the result, the share of each element of the image in the part that it covers."""
    target, source = _grid(use, x, axis, size)
    count = use.builder.number(size, DType.INT64) if isinstance(size, int) else size
    scale = extent(use, x, axis).to(DType.FLOAT32) / Term(use, count).to(DType.FLOAT32)
    start, end = target * scale, (target + 1.0) * scale
    return greater(lesser(end, source + 1.0) - greater(start, source), 0.0) / scale


# ----------------------------------------------------------------------------------------------------------- kernels
def _lanczos(radius: float) -> Kernel:
    def kernel(x: Term) -> Term:
        turn = x * math.pi
        wave = sin(turn) * sin(turn / radius) * radius / (turn * turn)
        return where(x > radius, 0.0, where(x <= 1e-3, 1.0, wave))

    return kernel


def _keys(x: Term) -> Term:
    near = ((x * 1.5) - 2.5) * x * x + 1.0
    far = ((x * -0.5 + 2.5) * x - 4.0) * x + 2.0
    return where(x >= 2.0, 0.0, where(x >= 1.0, far, near))


def _mitchell(x: Term) -> Term:
    near = ((x * (7.0 / 6.0)) - 2.0) * x * x + 16.0 / 18.0
    far = ((x * (-7.0 / 18.0) + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return where(x >= 2.0, 0.0, where(x >= 1.0, far, near))


def _triangle(x: Term) -> Term:
    return greater(1.0 - x, 0.0)


def _gaussian(x: Term) -> Term:
    return where(x >= 1.5, 0.0, (x * x * -2.0).applied("exp"))


def _box(x: Term) -> Term:
    return where(x < 0.5, 1.0, where(x.equals(0.5), 0.5, 0.0), x)


KERNELS: dict[str, Kernel] = {
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "lanczos1": _lanczos(1.0),
    "keyscubic": _keys,
    "mitchellcubic": _mitchell,
    "triangle": _triangle,
    "gaussian": _gaussian,
    "box": _box,
}
"""TensorFlow's name -> the kernel (`tensorflow/core/kernels/image/sampling_kernels.h`)."""


@imports("ScaleAndTranslate")
def scale_and_translate(use: Use) -> Value:
    """The images scaled and moved: each element is a weighted mean of the image around its place."""
    kernel = KERNELS[use.only("kernel_type", *KERNELS)]
    x, sizes = use.as_type(use.ranked(0, 4), DType.FLOAT32), use.sizes(use[1])
    if len(sizes) != 2:
        raise Unsupported("sizes that are not two")
    places = (use.builder.number(at, DType.INT64) for at in range(2))
    moves = [[Term(use, use.call("take", use[at], place, axis=0)) for at in (2, 3)] for place in places]
    each = zip((1, 2), sizes, moves, strict=True)
    return _averaged(use, x, *(_weights(use, x, axis, size, kernel, move) for axis, size, move in each))


def _weights(use: Use, x: Value, axis: int, size: int | Value, kernel: Kernel, move: list[Term]) -> Term:
    """For each element of the result, weights by the distance from its place in the image; 0 if that is outside."""
    target, source = _grid(use, x, axis, size)
    step = 1.0 / move[0]
    place = (target + 0.5) * step - step * move[1]
    width = greater(step, 1.0) if use.flag("antialias", True) else 0.0 * step + 1.0
    have = extent(use, x, axis).to(DType.FLOAT32)
    found = kernel(absolute(source + 0.5 - place) / width)
    total = Term(use, use.call("sum", found.value, axis=[1], keepdims=True))
    is_outside = (place < 0.0) | (place > have) | (absolute(total) < 1e-4)
    return where(is_outside, 0.0, found / total)
