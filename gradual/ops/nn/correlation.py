"""Correlation: how similar two images are if one of them is shifted."""

from __future__ import annotations

from typing import Any

from gradual.dims.term.constraint import all_of, at_least, equal
from gradual.dims.term.dim import Dim
from gradual.ops.declaration import windows
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, of_dtype, same_dtype, tensor
from gradual.tensors.index import coordinates, numel
from gradual.tensors.reals import divide
from gradual.tensors.scalar import dot, kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType

Sizes = tuple[int, ...]


def _border(kernel_size: Any, max_displacement: Any) -> Any:
    """The least distance of a patch's centre from the edge."""
    return max_displacement + (kernel_size - 1) // 2


def _count(padded: Any, border: Any, stride: Any) -> Any:
    """At how many positions along an axis a patch is compared."""
    return (padded - 2 * border + stride - 1) // stride


def _patch(volume: windows.Volume, channels: int, top: int, left: int, kernel: int) -> list[Any]:
    """The elements of all channels in a square, row by row."""
    height, width = volume.shape
    found: list[Any] = []
    for channel in range(channels):
        for row in range(top, top + kernel):
            start = (channel * height + row) * width + left
            found += volume.cells[start : start + kernel]
    return found


def _correlation(
    data1: Tensor,
    data2: Tensor,
    *,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    padding: Sizes,
    is_multiply: bool,
    layout: str,
) -> Tensor:
    """For each shift and each position, the mean product or distance of the elements of the two patches."""
    batch, channels, *extents = data1.shape
    sides = windows.paddings(padding or (0,), 2)
    reach = max_displacement // stride2
    border = _border(kernel_size, max_displacement)
    counts = [_count(extent + sum(side), border, stride1) for extent, side in zip(extents, sides, strict=True)]
    shifts = [(y * stride2, x * stride2) for y in range(-reach, reach + 1) for x in range(-reach, reach + 1)]
    size, area = float(kernel_size * kernel_size * channels), numel(data1.shape[1:])
    found: list[float] = []
    for image in range(batch):
        cut = slice(image * area, (image + 1) * area)
        one, other = (
            windows.surrounded(part.elements[cut], tuple(extents), sides, 0.0, channels) for part in (data1, data2)
        )
        for down, right in shifts:
            for row, column in coordinates(counts):
                top, left = row * stride1 + max_displacement, column * stride1 + max_displacement
                patch = _patch(one, channels, top, left, kernel_size)
                shifted = _patch(other, channels, top + down, left + right, kernel_size)
                found.append(divide(_alike(patch, shifted, is_multiply), size))
    shape = (batch, len(shifts), *counts)
    return tensor_of(shape, data1.dtype, kept(data1.dtype, found))


def _alike(left: list[Any], right: list[Any], is_multiply: bool) -> float:
    if is_multiply:
        return float(dot(left, right))
    return float(total(abs(one - other) for one, other in zip(left, right, strict=True)))


@operator("nn.correlation", meaning=_correlation, family="correlating")
def correlation(
    data1: TensorType[Dim],
    data2: TensorType[Dim],
    *,
    kernel_size: Dim = ONE,
    max_displacement: Dim = ONE,
    stride1: Dim = ONE,
    stride2: Dim = ONE,
    padding: tuple[Dim, ...] = (),
    is_multiply: bool = True,
    layout: str = "NCHW",
) -> Judgement:
    """The mean product of each patch of one image and the shifted patches of another; without `is_multiply` the mean
    distance.

    t[n, c, h, w], t[n, c, h, w] -> t[n, d * d, h', w'], d = 2 * r + 1, r = max_displacement // stride2

        out[n, p * d + q, y, x] = (sum over c, k, l of P) / s
        P = data1[n, c, Y + k, X + l] * data2[n, c, Y + k + dy, X + l + dx]
        Y = y * stride1 + max_displacement - top,  X = x * stride1 + max_displacement - left
        dy = (p - r) * stride2,  dx = (q - r) * stride2,  s = kernel_size * kernel_size * c
        h' = (h + pad - 2 * border + stride1 - 1) // stride1,  border = max_displacement + (kernel_size - 1) // 2

    k and l run from 0 to kernel_size - 1; elements outside of the image are 0; where there are no channels the mean is
    NaN. Without `is_multiply` it is the mean of abs(data1[..] - data2[..]).  `kernel_size` is odd
    [op.nn.correlation.kernel]. Both images have the same shape [op.nn.correlation.agree], are padded with zeros
    [op.window.padding], and have padded height and width of at least 2 * border + 1 [op.window.fits].  Strides are at
    least 1, padding and displacement at least 0 [op.window.positive].
    """
    left, right = tensor(data1, 0, rank=4), tensor(data2, 1, rank=4)
    of_dtype(left, 0, lambda dtype: dtype.is_float, "a tensor of floats")
    if layout != "NCHW":
        raise IllFormed("op.attribute", f'layout has to be "NCHW", not "{layout}"')
    sides = windows.paddings(padding or (ZERO,), 2)
    says, rule = "the images differ in shape", "op.nn.correlation.agree"
    needs = [agreement(left.shape[i], right.shape[i], rule, says, (0, i), (1, i)) for i in range(4)]
    needs += windows.at_least(ONE, (stride1, stride2), "a stride")
    needs += windows.at_least(ZERO, (max_displacement, *(side for pair in sides for side in pair)), "padding")
    odd = all_of(at_least(kernel_size, ONE), equal(kernel_size % 2, ONE))
    needs.append(Need(odd, "op.nn.correlation.kernel", "the size of a patch must be odd"))
    border, counts = _border(kernel_size, max_displacement), []
    for axis, extent, (before, after) in zip((2, 3), left.shape[2:], sides, strict=True):
        padded = extent + before + after
        says = "a patch and its shifts are wider than the padded image"
        needs.append(Need(at_least(padded, 2 * border + 1), "op.window.fits", says, ((0, axis),)))
        counts.append(_count(padded, border, stride1))
    width = 2 * (max_displacement // stride2) + 1
    return judged((left.shape[0], width * width, *counts), same_dtype(left, right), needs)
