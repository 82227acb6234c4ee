"""Transposed convolutions over one to three spatial axes.

Each input element spreads its kernel over the result, a stride apart.  It is computed as convolutions are, by gathering
for each result element the input elements that reach it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from gradual.dims.term.constraint import at_most, divides
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Judgement, Need, Operator, operator
from gradual.ops.declaration.padding import Padding, batch_of
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, said
from gradual.ops.declaration.windows import (
    SPATIAL,
    D,
    Volume,
    Window,
    at_least,
    in_range,
    ordered,
    origins,
    patches,
    per_axis,
    places,
    restored,
    tap_offsets,
    window,
)
from gradual.ops.linear.products import contracted_dtype, factors
from gradual.ops.nn.convolution import CHANNELS, UNITS, Plan, Sides, cells_of, kernel_needs, maps, placed, sides_of
from gradual.record import record
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.arrays.windows import correlated, picked
from gradual.tensors.index import numel, strides
from gradual.tensors.scalar import TYPECODES, Elements, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]
Dims = tuple[Dim, ...]


def _extents(move: Window[D], extents: Sequence[D], extra: tuple[D, ...]) -> tuple[D, ...]:
    """The extents that a window with these numbers of positions moves over: the inverse of `Window.positions`."""
    spans = ((extent - 1) * step for extent, step in zip(extents, move.strides, strict=True))
    each = zip(spans, move.reach(), move.padding, extra, strict=True)
    return tuple(span + width - before - after + more for span, width, (before, after), more in each)


def _channel_needs(sides: Sides, groups: Dim, channels: Dim | None, out: Dim) -> Iterator[Need]:
    """Needs that data, weight and groups agree on channels.   [op.conv.channels] [op.conv.groups] [op.conv.units]"""
    given, (outof, into) = (0, sides.data_axes[1]), sides.weight_axes[:2]
    yield agreement(sides.channels, sides.weights(1), "op.conv.channels", CHANNELS, given, (1, into))
    if groups is not ONE:
        yield Need(
            divides(groups, sides.channels),
            "op.conv.groups",
            f"the channels are not divisible by groups={groups}",
            (given,),
        )
    if channels is not None:
        yield agreement(channels, out, "op.conv.units", UNITS, (1, outof))


def _extent_needs(extents: Dims, axes: Ints) -> Iterator[Need]:
    """Needs that no size of the result is negative.   [op.conv.transposed]"""
    says = "the padding is larger than the result"
    for axis, extent in zip(axes, extents, strict=True):
        yield Need(at_most(ZERO, extent), "op.conv.transposed", says, ((0, axis),))


@record
class Spread:
    """One axis of a transposed convolution: how result elements depend on input elements and taps."""

    extent: int
    kernel: int
    stride: int
    dilation: int
    before: int
    result: int

    def margins(self) -> tuple[int, int]:
        """How far beyond both ends of the input the result reaches."""
        low = ((self.kernel - 1) * self.dilation - self.before) // self.stride
        return max(low, 0), max((self.result - 1 + self.before) // self.stride - (self.extent - 1), 0)

    def taps(self, residue: int) -> dict[int, int]:
        """Tap -> index in the padded input at j = 0, for taps that reach result indices `residue + stride * j`."""
        low, _ = self.margins()
        reached = ((tap, residue + self.before - tap * self.dilation) for tap in range(self.kernel))
        return {tap: place // self.stride + low for tap, place in reached if place % self.stride == 0}

    def count(self, residue: int) -> int:
        """How many result indices have this residue."""
        return max(-(-(self.result - residue) // self.stride), 0)


def _convolve_transposed(
    data: Tensor, weight: Tensor, *, channels: int | None, kernel_size: Ints | None, strides: Ints,
    output_padding: Ints, padding: Ints, dilation: Ints, groups: int, data_layout: str, kernel_layout: str,
    out_layout: str, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    """For each residue modulo the stride, compute an ordinary convolution with the taps that reach it."""
    spatial, dtype = SPATIAL[data.rank - 2], out_dtype or data.dtype
    batch, depth, *extents = ordered(data.shape, data_layout, "NC" + spatial)
    share, _, *kernel = ordered(weight.shape, kernel_layout, "OI" + spatial)
    axes = _spreads(extents, window(tuple(kernel), strides, dilation, padding, len(spatial)), output_padding)
    results = [axis.result for axis in axes]
    cells = cells_of(data, data_layout, "NC" + spatial, dtype)
    weights = cells_of(weight, kernel_layout, "IO" + spatial, dtype)
    plan = Plan(cells, tuple(extents), batch, groups, depth // groups, [])
    found = _spread_all(plan, weights, share, axes, dtype)
    return restored(found, (batch, groups * share, *results), out_layout or data_layout, dtype)


def _spreads(extents: Sequence[int], move: Window[int], output_padding: Ints) -> list[Spread]:
    extra = per_axis(output_padding, len(extents), "output_padding")
    befores = [before for before, _ in move.padding]
    results = _extents(move, extents, extra)
    each = zip(extents, move.kernel, move.strides, move.dilation, befores, results, strict=True)
    return [Spread(*along) for along in each]


def _spread_all(plan: Plan, weights: Elements, share: int, axes: Sequence[Spread], dtype: DType) -> array[Any]:
    """The result's elements in the order batch, channels, space."""
    volume = plan.volume([axis.margins() for axis in axes])
    area = numel([axis.result for axis in axes])
    found = kept(dtype, (0,)) * (plan.batch * plan.groups * share * area)
    for residues in product(*(range(min(axis.stride, axis.result)) for axis in axes)):
        _spread_residue(plan, volume, weights, share, axes, residues, found, dtype)
    return found


def _spread_residue(
    plan: Plan, volume: Volume, weights: Elements, share: int, axes: Sequence[Spread], residues: Ints,
    found: array[Any], dtype: DType,
) -> None:  # fmt: skip
    """Write the result elements of one residue, if a tap reaches it along every axis."""
    taps = [axis.taps(residue) for axis, residue in zip(axes, residues, strict=True)]
    if not all(taps):
        return
    into, kernel = plan.into, tuple(axis.kernel for axis in axes)
    offsets = tap_offsets((into, *volume.shape), [range(into), *(list(along.values()) for along in taps)])
    chosen = tap_offsets(kernel, [list(along) for along in taps])
    counts = [axis.count(residue) for axis, residue in zip(axes, residues, strict=True)]
    starts = origins(volume.shape, counts, [1] * len(axes))
    results = tuple(axis.result for axis in axes)
    area, size, last, width = numel(results), numel(kernel), axes[-1].stride, counts[-1]
    targets = _targets(results, axes, residues, counts)
    for place in range(plan.batch * plan.groups):
        first = place % plan.groups * into
        planes = [[((first + i) * share + o) * size for i in range(into)] for o in range(share)]
        kernels = [tuple([weights[plane + tap] for plane in along for tap in chosen]) for along in planes]
        held = maps(kernels, patches(volume, offsets, place * into, starts, width, 1), dtype)
        for (o, cells), (row, target) in product(enumerate(held), enumerate(targets)):
            start = (place * share + o) * area + target
            found[start : start + (width - 1) * last + 1 : last] = cells[row * width : (row + 1) * width]


def _targets(results: Ints, axes: Sequence[Spread], residues: Ints, counts: Sequence[int]) -> list[int]:
    """The offset in the result at which each row of a residue's elements starts."""
    found = [residues[-1]]
    outer = zip(strides(results)[:-1], axes, residues, counts, strict=False)
    for width, axis, residue, count in outer:
        found = [base + (residue + j * axis.stride) * width for base in found for j in range(count)]
    return found


def _fast_convolve_transposed(
    data: Tensor, weight: Tensor, *, channels: int | None, kernel_size: Ints | None, strides: Ints,
    output_padding: Ints, padding: Ints, dilation: Ints, groups: int, data_layout: str, kernel_layout: str,
    out_layout: str, out_dtype: DType | None,
) -> Tensor | None:  # fmt: skip
    letters, dtype = "NC" + SPATIAL[data.rank - 2], out_dtype or data.dtype
    sides = factors(dtype, data, weight)
    if sides is None:
        return None
    cells = sides[0].transpose(places(data_layout, letters, "data_layout"))
    weights = sides[1].transpose(places(kernel_layout, letters.replace("NC", "IO"), "kernel_layout"))
    move = window(weights.shape[2:], strides, dilation, padding, len(letters) - 2)
    axes = _spreads(cells.shape[2:], move, output_padding)
    padded = numpy().pad(cells, ((0, 0), (0, 0), *(axis.margins() for axis in axes)))
    results = [axis.result for axis in axes]
    found = numpy().zeros((cells.shape[0], groups * weights.shape[1], *results), TYPECODES[dtype])
    for residues in product(*(range(min(axis.stride, axis.result)) for axis in axes)):
        taps = [axis.taps(residue) for axis, residue in zip(axes, residues, strict=True)]
        if all(taps):
            counts = [axis.count(residue) for axis, residue in zip(axes, residues, strict=True)]
            view = picked(padded, [list(along.values()) for along in taps], counts)
            here = (slice(residue, None, axis.stride) for axis, residue in zip(axes, residues, strict=True))
            found[(..., *here)] = correlated(view, _kernels(weights, taps, groups), dtype)
    turned = found.transpose([letters.index(letter) for letter in out_layout or data_layout])
    return tensor_of(turned.shape, dtype, kept_array(dtype, turned))


def _kernels(weights: Array, taps: Sequence[dict[int, int]], groups: int) -> Array:
    """The weights of some taps of each axis, with the axes groups, output channels of a group, elements of a window."""
    chosen = weights[(..., *numpy().ix_(*map(list, taps)))]
    depth, share, *counts = chosen.shape
    into, size = depth // groups, numel(counts)
    return chosen.reshape(groups, into, share, size).swapaxes(1, 2).reshape(groups, share, into * size)


# -------------------------------------------------------------------------------------------------------- operators
_AXES = {1: "x", 2: "yx", 3: "zyx"}
_TAPS = {1: "k", 2: "k and l", 3: "k, l and m"}


def _equation(count: int) -> str:
    """The equation over these spatial axes."""
    axes, taps = _AXES[count], "klm"[:count]
    result, places, kernel = ", ".join(axes), ", ".join(axes.upper()), ", ".join(taps)
    reads = [
        f"{axis.upper()} = ({axis} + before[{i}] - {tap} * dilation[{i}]) / strides[{i}]"
        for i, (axis, tap) in enumerate(zip(axes, taps, strict=True))
    ]
    lines = (
        f"out[n, o, {result}] = sum over i, {kernel} of data[n, j, {places}] * weight[j, o % S, {kernel}]",
        *reads,
        "j = o // S * I + i,  I = c // groups,  S = o' // groups the second size of the weight, o' output channels",
        "w' = (w - 1) * stride + (k - 1) * dilation + 1 - before - after + output_padding",
    )
    return "\n".join(f"        {line}" for line in lines)


def _operator(count: int) -> Operator:
    unit, nothing, spatial = (ONE,) * count, (ZERO,) * count, SPATIAL[count]

    def judge(
        data: TensorType[Dim],
        weight: TensorType[Dim],
        *,
        channels: Dim | None = None,
        kernel_size: tuple[Dim, ...] | None = None,
        strides: tuple[Dim, ...] = unit,
        output_padding: tuple[Dim, ...] = nothing,
        padding: tuple[Dim, ...] = nothing,
        dilation: tuple[Dim, ...] = unit,
        groups: Dim = ONE,
        data_layout: str = "NC" + spatial,
        kernel_layout: str = "IO" + spatial,
        out_layout: str = "",
        out_dtype: DType | None = None,
    ) -> Judgement:
        sides = sides_of(data, weight, count, data_layout, kernel_layout)
        move = window(sides.kernel, strides, dilation, padding, count)
        extra = per_axis(output_padding, count, "output_padding")
        extents = _extents(move, sides.extents, extra)
        out = sides.weights(0) * groups
        needs = [
            *at_least(ONE, (groups,), "groups"),
            *in_range(move),
            *at_least(ZERO, extra, "output_padding"),
            *_channel_needs(sides, groups, channels, out),
            *kernel_needs(sides, kernel_size),
            *_extent_needs(extents, sides.data_axes[2:]),
        ]
        dtype = contracted_dtype(sides.data, sides.weight, out_dtype)
        return placed(sides, said(out, channels), extents, out_layout or data_layout, dtype, needs)

    space = ", ".join(spatial.lower())
    result = ", ".join(f"{letter}'" for letter in spatial.lower())
    judge.__doc__ = f"""A transposed convolution.   t[n, c, {space}], t[c, o // groups, ..k] -> t[n, o, {result}]

{_equation(count)}

    The sum is over those {_TAPS[count]} for which the divisions are exact; elements outside of the data are 0.  The
    result has the type `out_dtype`, to which integers are first converted, or that of the operands.  Its sizes w' are
    not negative [op.conv.transposed].  The weight has as many input channels as the data, c [op.conv.channels]; groups
    divides c [op.conv.groups]; `channels`, where it is given, is the number S * groups of output channels
    [op.conv.units], and `kernel_size` has the sizes of the kernel [op.conv.kernel_size], which are at least 1
    [op.conv.kernel]; strides, dilation and groups are at least 1, paddings and output_padding at least 0
    [op.window.positive] [op.window.padding]."""
    return operator(
        f"nn.conv{count}d_transpose",
        meaning=_convolve_transposed,
        family="deconvolving",
        padding=Padding(batch_of("data_layout")),
        onnx="ConvTranspose",
        fast=_fast_convolve_transposed,
    )(judge)


OPERATORS = tuple(map(_operator, SPATIAL))
