"""Convolutions over one to three spatial axes, and what transposed convolutions share with them.

A result is computed in `out_dtype`, else in the operands' element type: the products of a window are summed over
input channels, then along its axes from front to back, floats in binary64 rounded once at the end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from gradual.dims.term.constraint import FALSE, Constraint, all_of, any_of, at_most, divides, equal, more
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Judgement, Need, Operator, operator
from gradual.ops.declaration.padding import Padding, batch_of
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, tensor
from gradual.ops.declaration.windows import (
    SPATIAL,
    Volume,
    Window,
    arranged,
    at_least,
    blocks,
    fitting,
    in_range,
    ordered,
    origins,
    patches,
    per_axis,
    places,
    restored,
    surrounded,
    tap_offsets,
    window,
)
from gradual.ops.linear.products import Rows, contracted_dtype, factors, numbers, rows
from gradual.record import record
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.windows import correlated, windows
from gradual.tensors.index import numel, permuted
from gradual.tensors.inner_products import products
from gradual.tensors.scalar import TYPECODES, Elements
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]
Dims = tuple[Dim, ...]


# ------------------------------------------------------------------------------------------------------ judgements
@record
class Sides:
    """Data and weight with their axes in canonical order.

    The data's axes are batch, channels, space; the weight's are output channels, input channels, kernel.
    """

    data: TensorType[Dim]
    weight: TensorType[Dim]
    data_axes: Ints
    weight_axes: Ints

    @property
    def channels(self) -> Dim:
        """Channels of the data."""
        return self.data.shape[self.data_axes[1]]

    @property
    def extents(self) -> Dims:
        """Spatial extents of the data."""
        return tuple(self.data.shape[axis] for axis in self.data_axes[2:])

    @property
    def kernel(self) -> Dims:
        """Spatial extents of the weight."""
        return tuple(self.weight.shape[axis] for axis in self.weight_axes[2:])

    def weights(self, letter: int) -> Dim:
        """The weight's output channels (0) or input channels (1)."""
        return self.weight.shape[self.weight_axes[letter]]


def sides_of(data: TensorType[Dim], weight: TensorType[Dim], count: int, data_layout: str, kernel_layout: str) -> Sides:
    """Both arguments as tensors with `count` spatial axes, and their axes by the layouts."""
    axes = places(data_layout, "NC" + SPATIAL[count], "data_layout")
    weight_axes = places(kernel_layout, "OI" + SPATIAL[count], "kernel_layout")
    return Sides(tensor(data, 0, rank=count + 2), tensor(weight, 1, rank=count + 2), axes, weight_axes)


def kernel_needs(sides: Sides, kernel_size: Dims | None) -> Iterator[Need]:
    """Needs that the kernel is not empty and fits `kernel_size`.   [op.conv.kernel] [op.conv.kernel_size]"""
    for axis, extent in zip(sides.weight_axes[2:], sides.kernel, strict=True):
        if extent.value is None or extent.value < 1:
            yield Need(at_most(ONE, extent), "op.conv.kernel", "the kernel is empty", ((1, axis),))
    if kernel_size is not None:
        wanted = per_axis(kernel_size, len(sides.kernel), "kernel_size")
        for axis, size, extent in zip(sides.weight_axes[2:], wanted, sides.kernel, strict=True):
            says = "the weight does not have the sizes of `kernel_size`"
            yield agreement(size, extent, "op.conv.kernel_size", says, (1, axis))


def placed(sides: Sides, out: Dim, extents: Sequence[Dim], layout: str, dtype: DType, needs: list[Need]) -> Judgement:
    """The judgement of a result with these channels and spatial extents, in its layout."""
    letters = "NC" + SPATIAL[len(extents)]
    places(layout, letters, "out_layout")
    batch = sides.data.shape[sides.data_axes[0]]
    return judged(arranged((batch, out, *extents), layout, letters), dtype, needs)


def _channel_needs(sides: Sides, groups: Dim, channels: Dim | None) -> Iterator[Need]:
    """Needs that data and weight agree on channels, and the groups divide the output channels.

    [op.conv.channels] [op.conv.groups] [op.conv.units]
    """
    into, outof = (1, sides.weight_axes[1]), (1, sides.weight_axes[0])
    given = (0, sides.data_axes[1])
    depthwise = _is_multiplied(sides, groups, channels)
    if depthwise is not FALSE and channels is not None:
        plain = all_of(equal(sides.channels, sides.weights(1) * groups), equal(channels, sides.weights(0)))
        yield Need(any_of(plain, depthwise), "op.conv.channels", CHANNELS, (given, into, outof))
    else:
        says = CHANNELS if groups is ONE else GROUPED
        yield agreement(sides.channels, sides.weights(1) * groups, "op.conv.channels", says, given, into)
        if channels is not None:
            yield agreement(channels, sides.weights(0), "op.conv.units", UNITS, outof)
    if groups is not ONE:
        total = sides.weights(0) if channels is None else channels
        yield Need(
            divides(groups, total),
            "op.conv.groups",
            f"the output channels are not divisible by groups={groups}",
            (outof,),
        )


CHANNELS = "the channels of data and weight do not agree"
GROUPED = "the channels of the data are not those of the weight times `groups`"
UNITS = "the weight does not have `channels` output channels"


def _is_multiplied(sides: Sides, groups: Dim, channels: Dim | None) -> Constraint:
    """The condition that a depthwise convolution has a weight of (channels, multiplier), as Relay allows."""
    if channels is None or groups is ONE or channels is groups:
        return FALSE
    shared = equal(sides.channels, groups), equal(sides.weights(0), groups)
    return all_of(more(groups, ONE), *shared, equal(sides.weights(1) * groups, channels))


# ---------------------------------------------------------------------------------------------- reference semantics
@record
class Plan:
    """A convolution's operands in canonical order, ready to be computed.

    Attributes:
        cells: the data's elements in the order batch, channels, space.
        extents: the data's spatial extents.
        batch, groups, into: the numbers of samples, of groups, and of input channels of a group.
        kernels: for each output channel, its weights in the order input channels, space.
    """

    cells: Elements
    extents: Ints
    batch: int
    groups: int
    into: int
    kernels: Rows

    def volume(self, padding: Sequence[tuple[int, int]]) -> Volume:
        """All channels of all samples, padded with zeros."""
        return surrounded(self.cells, self.extents, padding, 0, self.batch * self.groups * self.into)

    def shares(self) -> Iterator[tuple[int, Rows]]:
        """For each sample and each group: its first channel in the volume, and its kernels."""
        share = len(self.kernels) // self.groups
        for place in range(self.batch * self.groups):
            first = place % self.groups * share
            yield place * self.into, self.kernels[first : first + share]


def cells_of(given: Tensor, layout: str, letters: str, dtype: DType) -> Elements:
    """The elements in the order of `letters`, as numbers of the type to compute in."""
    axes = [layout.index(letter) for letter in letters]
    shape = tuple(given.shape[axis] for axis in axes)
    return numbers(tensor_of(shape, given.dtype, permuted(given.elements, given.shape, axes)), dtype)


def _steps(kernel: Sequence[int], dilation: Sequence[int]) -> list[range]:
    return [range(0, extent * step, step) for extent, step in zip(kernel, dilation, strict=True)]


def _convolve(
    data: Tensor, weight: Tensor, *, strides: Ints, padding: Ints, dilation: Ints, groups: int, channels: int | None,
    kernel_size: Ints | None, data_layout: str, kernel_layout: str, out_layout: str, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    """Multiply the window at each position with each output channel's kernel."""
    spatial, dtype = SPATIAL[data.rank - 2], out_dtype or data.dtype
    batch, depth, *extents = ordered(data.shape, data_layout, "NC" + spatial)
    out, into, *kernel = ordered(weight.shape, kernel_layout, "OI" + spatial)
    if depth != into * groups:
        out, into = out * into, 1
    move = window(tuple(kernel), strides, dilation, padding, len(spatial))
    weights = cells_of(weight, kernel_layout, "OI" + spatial, dtype)
    kernels = rows(weights, out, into * numel(kernel))
    plan = Plan(cells_of(data, data_layout, "NC" + spatial, dtype), tuple(extents), batch, groups, into, kernels)
    counts = move.positions(extents)
    return restored(_correlated(plan, move, counts, dtype), (batch, out, *counts), out_layout or data_layout, dtype)


def _correlated(plan: Plan, move: Window[int], counts: Ints, dtype: DType) -> array[Any]:
    """The inner products, in the order of batch, channels, space."""
    found, volume = array(TYPECODES[dtype]), plan.volume(move.padding)
    taps = tap_offsets((plan.into, *volume.shape), [range(plan.into), *_steps(move.kernel, move.dilation)])
    starts = origins(volume.shape, counts, move.strides)
    for base, kernels in plan.shares():
        for held in maps(kernels, patches(volume, taps, base, starts, counts[-1], move.strides[-1]), dtype):
            found += held
    return found


def _fast_convolve(
    data: Tensor, weight: Tensor, *, strides: Ints, padding: Ints, dilation: Ints, groups: int, channels: int | None,
    kernel_size: Ints | None, data_layout: str, kernel_layout: str, out_layout: str, out_dtype: DType | None,
) -> Tensor | None:  # fmt: skip
    letters, dtype = "NC" + SPATIAL[data.rank - 2], out_dtype or data.dtype
    sides = factors(dtype, data, weight)
    if sides is None:
        return None
    cells = sides[0].transpose(places(data_layout, letters, "data_layout"))
    weights = sides[1].transpose(places(kernel_layout, letters.replace("NC", "OI"), "kernel_layout"))
    into, (out, depth, *kernel) = cells.shape[1] // groups, weights.shape
    move = window(tuple(kernel), strides, dilation, padding, len(kernel))
    view = windows(cells, move.kernel, move.strides, move.dilation, move.padding)
    share = (out if into == depth else out * depth) // groups
    found = correlated(view, weights.reshape(groups, share, into * numel(kernel)), dtype)
    turned = found.transpose([letters.index(letter) for letter in out_layout or data_layout])
    return tensor_of(turned.shape, dtype, kept_array(dtype, turned))


def maps(kernels: Rows, patches: Iterator[Rows], dtype: DType) -> list[array[Any]]:
    """For each kernel its inner products with all patches, which come in rows."""
    found = [array(TYPECODES[dtype]) for _ in kernels]
    for block in blocks(patches):
        cut = products(kernels, block, dtype)
        for place, held in enumerate(found):
            held += cut[place * len(block) : (place + 1) * len(block)]
    return found


# -------------------------------------------------------------------------------------------------------- operators
_AXES = {1: "x", 2: "yx", 3: "zyx"}


def _equation(count: int) -> str:
    """The equation over these spatial axes."""
    axes, taps = _AXES[count], "klm"[:count]
    result, places, kernel = ", ".join(axes), ", ".join(axes.upper()), ", ".join(taps)
    reads = [
        f"{axis.upper()} = {axis} * strides[{i}] - before[{i}] + {tap} * dilation[{i}]"
        for i, (axis, tap) in enumerate(zip(axes, taps, strict=True))
    ]
    lines = (
        f"out[n, o, {result}] = sum over i, {kernel} of data[n, g * I + i, {places}] * weight[o, i, {kernel}]",
        *reads,
        "I = c // groups,  g = o // (O // groups),  O the number of output channels",
        "w' = (w + before + after - ((k - 1) * dilation + 1)) // stride + 1",
    )
    return "\n".join(f"        {line}" for line in lines)


def _operator(count: int) -> Operator:
    unit, spatial = (ONE,) * count, SPATIAL[count]

    def judge(
        data: TensorType[Dim],
        weight: TensorType[Dim],
        *,
        strides: tuple[Dim, ...] = unit,
        padding: tuple[Dim, ...] = (ZERO,) * max(count, 2),
        dilation: tuple[Dim, ...] = unit,
        groups: Dim = ONE,
        channels: Dim | None = None,
        kernel_size: tuple[Dim, ...] | None = None,
        data_layout: str = "NC" + spatial,
        kernel_layout: str = "OI" + spatial,
        out_layout: str = "",
        out_dtype: DType | None = None,
    ) -> Judgement:
        sides = sides_of(data, weight, count, data_layout, kernel_layout)
        move = window(sides.kernel, strides, dilation, padding, count)
        needs = [
            *at_least(ONE, (groups,), "groups"),
            *in_range(move),
            *_channel_needs(sides, groups, channels),
            *kernel_needs(sides, kernel_size),
            *fitting(move, sides.extents, sides.data_axes[2:]),
        ]
        out = sides.weights(0) if channels is None else channels
        dtype = contracted_dtype(sides.data, sides.weight, out_dtype)
        return placed(sides, out, move.positions(sides.extents), out_layout or data_layout, dtype, needs)

    extents = ", ".join(spatial.lower())
    result = ", ".join(f"{letter}'" for letter in spatial.lower())
    judge.__doc__ = f"""A convolution.   t[n, c, {extents}], t[o, c // groups, ..k] -> t[n, o, {result}]

{_equation(count)}

    Elements outside of the data are 0, and multiplied as the others.  The result has the type `out_dtype`, to which
    integers are first converted, or that of the operands.  The weight has I = c // groups input channels
    [op.conv.channels]; `channels`, where it is given, is the number O of output channels [op.conv.units], and `groups`
    divides it [op.conv.groups]; `kernel_size` has the sizes of the kernel [op.conv.kernel_size], which are at least 1
    [op.conv.kernel]; strides, dilation and groups are at least 1, paddings at least 0 [op.window.positive]
    [op.window.padding]; the window, (k - 1) * dilation + 1, is no wider than the padded input [op.window.fits].
    With groups = c the weight may have the axes (c, m), `channels` being c * m; then output channel o has the kernel
    weight[o // m, o % m]."""
    return operator(
        f"nn.conv{count}d",
        meaning=_convolve,
        family="convolving",
        padding=Padding(batch_of("data_layout")),
        onnx="Conv",
        fast=_fast_convolve,
    )(judge)


OPERATORS = tuple(map(_operator, SPATIAL))
