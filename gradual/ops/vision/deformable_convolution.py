"""Convolutions whose taps are moved by offsets, which differ for each window position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from gradual.dims.term.constraint import divides
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, same_dtype
from gradual.ops.declaration.windows import Window, at_least, fitting, in_range, ordered, places, restored, window
from gradual.ops.linear.products import contracted_dtype, rows
from gradual.ops.nn.convolution import CHANNELS, GROUPED, UNITS, Ints, Sides, cells_of, kernel_needs, placed
from gradual.ops.vision.detection import floats
from gradual.ops.vision.regions import between
from gradual.tensors.index import numel
from gradual.tensors.scalar import dot, kept
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType

_LETTERS, _KERNEL = "NCHW", "OIHW"


def _taps(move: Window[int], counts: Ints) -> Iterator[list[tuple[int, int]]]:
    """For each window position, the positions of its taps before they are moved."""
    (top, _), (left, _) = move.padding
    for row, column in product(*map(range, counts)):
        y, x = row * move.strides[0] - top, column * move.strides[1] - left
        yield [(y + i * move.dilation[0], x + j * move.dilation[1]) for i, j in product(*map(range, move.kernel))]


def _deformable_conv2d(
    data: Tensor, offset: Tensor, weight: Tensor, *, strides: Ints, padding: Ints, dilation: Ints,
    deformable_groups: int, groups: int, channels: int | None, kernel_size: Ints | None, data_layout: str,
    kernel_layout: str, out_layout: str, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    """Multiply the values at the moved taps of each window position, which are interpolated, with every kernel."""
    dtype = out_dtype or data.dtype
    batch, depth, *extents = ordered(data.shape, data_layout, _LETTERS)
    out, into, *kernel = ordered(weight.shape, kernel_layout, _KERNEL)
    move = window(tuple(kernel), strides, dilation, padding, 2)
    counts = move.positions(extents)
    cells = cells_of(data, data_layout, _LETTERS, data.dtype)
    moves = cells_of(offset, data_layout, _LETTERS, offset.dtype)
    kernels = rows(cells_of(weight, kernel_layout, _KERNEL, dtype), out, into * numel(kernel))
    spread, share = depth // deformable_groups, out // groups
    maps: list[list[list[Any]]] = [[[] for _ in range(out)] for _ in range(batch)]
    every = list(_taps(move, counts))
    for sample, (place, taps) in product(range(batch), enumerate(every)):
        patch: list[float] = []
        for channel in range(depth):
            first = ((sample * deformable_groups + channel // spread) * 2 * len(taps)) * len(every) + place
            base = (sample * depth + channel) * numel(extents)
            for number, (y, x) in enumerate(taps):
                at = first + 2 * number * len(every)
                patch.append(_moved(cells, base, extents, y + moves[at], x + moves[at + len(every)]))
        for unit, own in enumerate(kernels):
            start = unit // share * len(own)
            maps[sample][unit].append(dot(own, patch[start : start + len(own)]))
    found = [value for sample in maps for unit in sample for value in unit]
    return restored(kept(dtype, found), (batch, out, *counts), out_layout or data_layout, dtype)


def _moved(cells: Sequence[Any], base: int, extents: Sequence[int], y: float, x: float) -> float:
    """The value at a position, 0 outside of the plane."""
    height, width = extents
    return between(cells, base, (height, width), y, x) if 0 <= y < height and 0 <= x < width else 0.0


@operator("nn.deformable_conv2d", meaning=_deformable_conv2d, family="deforming", onnx="DeformConv")
def deformable_conv2d(
    data: TensorType[Dim],
    offset: TensorType[Dim],
    weight: TensorType[Dim],
    *,
    strides: tuple[Dim, ...] = (ONE, ONE),
    padding: tuple[Dim, ...] = (ZERO, ZERO),
    dilation: tuple[Dim, ...] = (ONE, ONE),
    deformable_groups: Dim = ONE,
    groups: Dim = ONE,
    channels: Dim | None = None,
    kernel_size: tuple[Dim, ...] | None = None,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str = "",
    out_dtype: DType | None = None,
) -> Judgement:
    """A convolution whose taps are moved.

    t[n, c, h, w], t[n, g * kh * kw * 2, h', w'], t[o, c // groups, kh, kw] -> t[n, o, h', w'], g = deformable_groups

        out[n, o, y, x] = sum over i, k, l of tap(n, G * I + i, Y, X) * weight[o, i, k, l]
        Y = y * strides[0] - top + k * dilation[0] + offset[n, 2 * t, y, x]
        X = x * strides[1] - left + l * dilation[1] + offset[n, 2 * t + 1, y, x]
        I = c // groups,  G = o // (O // groups),  t = (G * I + i) // (c // g) * kh * kw + k * kw + l

    O is the number of output channels.  tap(n, j, Y, X) is 0 unless 0 <= Y < h and 0 <= X < w; else it is interpolated
    between the four elements around it, those beyond the last row or column being those of the last:
    (1-u)*(1-v)*data[n, j, a, b] + (1-u)*v*data[n, j, a, b+1] + u*(1-v)*data[n, j, a+1, b] + u*v*data[n, j, a+1, b+1],
    a and b being Y and X rounded down, u = Y - a and v = X - b; elements of weight 0 are not read.

    `offset` has the batch and the height and width of the result, and 2 * g * kh * kw channels [op.deformable.offset];
    g divides c [op.deformable.groups].  As in `nn.conv2d` the weight has c // groups input channels
    [op.conv.channels], and `groups` divides O [op.conv.groups]; `channels` is O [op.conv.units]; `kernel_size` is kh
    and kw [op.conv.kernel_size], at least 1 [op.conv.kernel]; strides, dilation and groups are at least 1, paddings at
    least 0 [op.window.positive] [op.window.padding]; the window is no wider than the padded input [op.window.fits].
    """
    axes, weight_axes = places(data_layout, _LETTERS, "data_layout"), places(kernel_layout, _KERNEL, "kernel_layout")
    given, moves, kernel = floats(data, 0, 4), floats(offset, 1, 4), floats(weight, 2, 4)
    same_dtype(given, moves)
    sides = Sides(given, kernel, axes, weight_axes)
    move = window(sides.kernel, strides, dilation, padding, 2)
    out = sides.weights(0) if channels is None else channels
    counts = move.positions(sides.extents)
    wide = deformable_groups * sides.kernel[0] * sides.kernel[1] * 2
    wanted = (given.shape[axes[0]], wide, *counts)
    says = "the offsets do not have the batch, a pair for each tap of each group, or the size of the result"
    apart = "the channels are not divisible by `deformable_groups`"
    needs = [
        *at_least(ONE, (groups,), "groups"),
        *at_least(ONE, (deformable_groups,), "deformable_groups"),
        *in_range(move),
        *_channels(sides, groups, channels),
        *(
            replace(need, operands=tuple((2, axis) for _, axis in need.operands))
            for need in kernel_needs(sides, kernel_size)
        ),
        *fitting(move, sides.extents, axes[2:]),
        Need(divides(deformable_groups, sides.channels), "op.deformable.groups", apart, ((0, axes[1]),)),
        *(
            agreement(size, moves.shape[axis], "op.deformable.offset", says, (1, axis))
            for size, axis in zip(wanted, axes, strict=True)
        ),
    ]
    dtype = contracted_dtype(given, kernel, out_dtype)
    return placed(sides, out, counts, out_layout or data_layout, dtype, needs)


def _channels(sides: Sides, groups: Dim, channels: Dim | None) -> Iterator[Need]:
    """Needs that data and weight agree on channels, and the groups divide the output channels."""
    outof = (2, sides.weight_axes[0])
    where = (0, sides.data_axes[1]), (2, sides.weight_axes[1])
    says = CHANNELS if groups is ONE else GROUPED
    yield agreement(sides.channels, sides.weights(1) * groups, "op.conv.channels", says, *where)
    if channels is not None:
        yield agreement(channels, sides.weights(0), "op.conv.units", UNITS, outof)
    if groups is not ONE:
        says = f"the output channels are not divisible by groups={groups}"
        yield Need(divides(groups, sides.weights(0)), "op.conv.groups", says, (outof,))
