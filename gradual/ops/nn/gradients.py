"""Gradients that automatic differentiation emits: of a convolution by its weight, of pools by their data.

Every element is a sum from left to right, floats in binary64 rounded once, integers exact and wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gradual.dims.term.constraint import divides
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, same_dtype, tensor
from gradual.ops.declaration.windows import (
    Window,
    arranged,
    at_least,
    ordered,
    origins,
    owed,
    places,
    surrounded,
    tap_offsets,
    tap_planes,
    window,
)
from gradual.ops.linear.products import contracted_dtype
from gradual.ops.nn.convolution import UNITS, cells_of
from gradual.ops.nn.pool import sliding
from gradual.ops.nn.pool_windows import canonical, overhanging, restored, tap_counts
from gradual.tensors import reals
from gradual.tensors.index import numel, permuted
from gradual.tensors.integers import trunc_divide
from gradual.tensors.scalar import dot, kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Ints = tuple[int, ...]
Dims = tuple[Dim, ...]
Share = Callable[[list[Any], int, int, Any], None]
"""Adds a window's gradient to the sums of its elements: `(sums, offset of the window, its number, its gradient)`."""
Sharing = Callable[[list[Any], Sequence[int], Window[int], Ints, Ints], Share]


def _reached(move: Window[int]) -> list[range]:
    """The positions of the taps along each axis."""
    return [range(0, size * apart, apart) for size, apart in zip(move.kernel, move.dilation, strict=True)]


def _about(operand: int, needs: Iterable[Need]) -> Iterator[Need]:
    """Turn needs about the first operand into needs about another one."""
    return (replace(need, operands=tuple((operand, *place[1:]) for place in need.operands)) for need in needs)


# --------------------------------------------------------------------------------------------- of a convolution
def _conv2d_backward_weight(
    grad: Tensor, data: Tensor, *, strides: Ints, padding: Ints, dilation: Ints, groups: int, channels: int | None,
    kernel_size: Ints, data_layout: str, kernel_layout: str, out_layout: str, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    """For each tap, the inner product of the gradient and the elements that the tap reads, over all samples."""
    dtype = out_dtype or grad.dtype
    batch, outs, *counts = ordered(grad.shape, data_layout, "NCHW")
    depth, *extents = ordered(data.shape, kernel_layout, "NCHW")[1:]
    move = window(kernel_size, strides, dilation, padding, 2)
    pulls, cells = cells_of(grad, data_layout, "NCHW", dtype), cells_of(data, kernel_layout, "NCHW", dtype)
    volume = surrounded(cells, tuple(extents), move.padding, 0, batch * depth)
    taps, starts = tap_offsets(volume.shape, _reached(move)), origins(volume.shape, counts, move.strides)
    planes = [tap_planes(volume, taps, place, starts, counts[-1], move.strides[-1]) for place in range(batch * depth)]
    area, share, each = numel(counts), depth // groups, max(outs // groups, 1)
    found = [
        total(
            dot(pulls[(sample * outs + out) * area :][:area], planes[sample * depth + into][tap])
            for sample in range(batch)
        )
        for out in range(outs)
        for into in range(out // each * share, (out // each + 1) * share)
        for tap in range(len(taps))
    ]
    shape = (outs, share, *move.kernel)
    axes = ["OIHW".index(letter) for letter in out_layout]
    return tensor_of(arranged(shape, out_layout, "OIHW"), dtype, permuted(kept(dtype, found), shape, axes))


@operator("nn.conv2d_backward_weight", meaning=_conv2d_backward_weight, family="gradients")
def conv2d_backward_weight(
    grad: TensorType[Dim],
    data: TensorType[Dim],
    *,
    strides: tuple[Dim, ...] = (ONE, ONE),
    padding: tuple[Dim, ...] = (ZERO, ZERO),
    dilation: tuple[Dim, ...] = (ONE, ONE),
    groups: Dim = ONE,
    channels: Dim | None = None,
    kernel_size: tuple[Dim, ...],
    data_layout: str = "NCHW",
    kernel_layout: str = "NCHW",
    out_layout: str = "OIHW",
    out_dtype: DType | None = None,
) -> Judgement:
    """The gradient of a convolution by its weight.   t[n, o, h', w'], t[n, c, h, w] -> t[o, c // groups, ..kernel_size]

        out[o, i, k, l] = sum over n of sum over y, x of grad[n, o, y, x] * data[n, g * I + i, Y, X]
        Y = y * strides[0] - top + k * dilation[0],  X = x * strides[1] - left + l * dilation[1]
        I = c // groups,  g = o // (O // groups),  O the number of channels of grad

    Elements outside of the data are 0.  The attributes are those of `nn.conv2d`, but `data_layout` is the layout of
    the first argument, `kernel_layout` that of the data, and `out_layout` that of the result.  The first argument has
    the batch n of the data, and the height and width of the result of `nn.conv2d`
    [op.nn.conv2d_backward_weight.agree]; `channels` is the number O of its channels [op.conv.units]; `groups` divides
    O and c [op.conv.groups]; strides, dilation, kernel_size and groups are at least 1, paddings at least 0
    [op.window.positive] [op.window.padding]; the window is no wider than the padded input [op.window.fits].
    """
    axes, data_axes = places(data_layout, "NCHW", "data_layout"), places(kernel_layout, "NCHW", "kernel_layout")
    places(out_layout, "OIHW", "out_layout")
    pull, given = tensor(grad, 0, rank=4), tensor(data, 1, rank=4)
    move = window(kernel_size, strides, dilation, padding, 2)
    outs, depth = pull.shape[axes[1]], given.shape[data_axes[1]]
    extents = [given.shape[axis] for axis in data_axes[2:]]
    wanted = (given.shape[data_axes[0]], *move.positions(extents))
    says = "the gradient does not have the batch or the extents of the convolution's result"
    needs = [
        *at_least(ONE, move.kernel, "kernel_size"),
        *at_least(ONE, (groups,), "groups"),
        *_about(1, owed(move, extents, data_axes[2:])),
        *(
            agreement(pull.shape[axis], size, "op.nn.conv2d_backward_weight.agree", says, (0, axis), (1, other))
            for axis, other, size in zip((axes[0], *axes[2:]), (data_axes[0], *data_axes[2:]), wanted, strict=True)
        ),
    ]
    if channels is not None:
        needs.append(agreement(channels, outs, "op.conv.units", UNITS, (0, axes[1])))
    if groups is not ONE:
        apart = "the channels are not divisible by `groups`"
        needs.append(Need(divides(groups, depth), "op.conv.groups", apart, ((1, data_axes[1]),)))
        needs.append(Need(divides(groups, outs), "op.conv.groups", apart, ((0, axes[1]),)))
    shape = arranged((outs, depth // groups, *move.kernel), out_layout, "OIHW")
    return judged(shape, contracted_dtype(pull, given, out_dtype), needs)


# ------------------------------------------------------------------------------------------------------- of pools
def _pulled(
    out_grad: Tensor, data: Tensor, fill: Any, sharing: Sharing,
    *, pool_size: Ints, strides: Ints, dilation: Ints, padding: Ints, layout: str, out_layout: str, ceil_mode: bool,
) -> Tensor:  # fmt: skip
    """For each element of the data, the sum of its shares in the gradients of the windows that contain it."""
    cells, outer, extents = canonical(data, layout)
    pulls, _, counts = canonical(out_grad, out_layout or layout)
    move = window(pool_size, strides, dilation, padding, len(extents))
    around = overhanging(move, extents, counts)
    volume = surrounded(cells, extents, around, fill, numel(outer))
    rows = origins(volume.shape, counts, move.strides)
    starts = [row + i * move.strides[-1] for row in rows for i in range(counts[-1])]
    share = sharing(volume.cells, tap_offsets(volume.shape, _reached(move)), move, extents, counts)
    found: list[Any] = [0] * len(volume.cells)
    for channel in range(numel(outer)):
        base = channel * numel(volume.shape)
        for place, start in enumerate(starts):
            share(found, base + start, place, pulls[channel * len(starts) + place])
    inside = surrounded(found, volume.shape, [(-before, -after) for before, after in around], 0, numel(outer))
    return restored(inside.cells, (*outer, *extents), layout, data.dtype)


def _max_pool2d_grad(out_grad: Tensor, data: Tensor, **attributes: Any) -> Tensor:
    """A window's gradient goes to the first of its greatest elements, which is never in the padding."""

    def sharing(cells: list[Any], taps: Sequence[int], move: Window[int], extents: Ints, counts: Ints) -> Share:
        def share(found: list[Any], first: int, place: int, pull: Any) -> None:
            inside = [first + tap for tap in taps if cells[first + tap] is not None]
            if inside:
                found[max(inside, key=cells.__getitem__)] += pull

        return share

    return _pulled(out_grad, data, None, sharing, **attributes)


def _avg_pool2d_grad(out_grad: Tensor, data: Tensor, *, count_include_pad: bool, **attributes: Any) -> Tensor:
    """A window's gradient is divided equally among the elements that the window's mean counts."""
    quotient = reals.divide if data.dtype.is_float else trunc_divide

    def sharing(cells: list[Any], taps: Sequence[int], move: Window[int], extents: Ints, counts: Ints) -> Share:
        sizes = tap_counts(move, extents, counts, count_include_pad)

        def share(found: list[Any], first: int, place: int, pull: Any) -> None:
            each = quotient(pull, sizes[place])
            for tap in taps:
                found[first + tap] += each

        return share

    return _pulled(out_grad, data, 0, sharing, **attributes)


def _pool_grad(out_grad: TensorType[Dim], data: TensorType[Dim], *pool: Any) -> Judgement:
    """The judgement of a pool's gradient: the data's type; needs that `out_grad` has the shape of the pool's result."""
    pull = tensor(out_grad, 0)
    try:
        forward = sliding(2, data, *pool)
    except IllFormed as problem:
        raise IllFormed(problem.rule, problem.message, None if problem.operand is None else 1) from problem
    result = forward.result
    if not isinstance(result, TensorType) or result.rank != pull.rank:
        raise IllFormed("op.rank", f"argument 1 has to have the rank of the pool's result, not {pull.rank}", 0)
    says = "the gradient does not have the sizes of the pool's result"
    agree = [
        agreement(extent, size, "op.pool_grad.agree", says, (0, axis))
        for axis, (extent, size) in enumerate(zip(pull.shape, result.shape, strict=True))
        if isinstance(size, Dim)
    ]
    given = tensor(data, 1)
    return judged(given.shape, same_dtype(pull, given), (*_about(1, forward.needs), *agree))


@operator("nn.max_pool2d_grad", meaning=_max_pool2d_grad, family="gradients")
def max_pool2d_grad(
    out_grad: TensorType[Dim],
    data: TensorType[Dim],
    *,
    pool_size: tuple[Dim, ...],
    strides: tuple[Dim, ...] = (ONE, ONE),
    dilation: tuple[Dim, ...] = (ONE, ONE),
    padding: tuple[Dim, ...] = (ZERO, ZERO),
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
) -> Judgement:
    """The gradient of `nn.max_pool2d` by its data.   t[n, c, h', w'], t[n, c, h, w] -> t[n, c, h, w]

        out[n, c, i, j] = sum over y, x of out_grad[n, c, y, x]  where i, j is the greatest of the window at y, x

    The greatest element is found in row-major order: an element replaces the one found so far if it is greater by `>`;
    those of the padding do not count. The first argument has the sizes of the pool's result [op.pool_grad.agree];
    `pool_size`, strides and dilation are at least 1, paddings at least 0 [op.window.positive] [op.window.padding]; the
    window is no wider than the padded input, or with `ceil_mode` than it and a stride less 1 [op.window.fits].  In a
    packed layout such as NCHW4c the inner part has the size of the factor that the layout gives
    [op.layout_transform.factor].
    """
    return _pool_grad(out_grad, data, pool_size, strides, dilation, padding, layout, out_layout, ceil_mode)


@operator("nn.avg_pool2d_grad", meaning=_avg_pool2d_grad, family="gradients")
def avg_pool2d_grad(
    out_grad: TensorType[Dim],
    data: TensorType[Dim],
    *,
    pool_size: tuple[Dim, ...],
    strides: tuple[Dim, ...] = (ONE, ONE),
    dilation: tuple[Dim, ...] = (ONE, ONE),
    padding: tuple[Dim, ...] = (ZERO, ZERO),
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Judgement:
    """The gradient of `nn.avg_pool2d` by its data.   t[n, c, h', w'], t[n, c, h, w] -> t[n, c, h, w]

        out[n, c, i, j] = sum over y, x of out_grad[n, c, y, x] / m(y, x)  where the window at y, x has the element i, j

    m(y, x) is the number by which `nn.avg_pool2d` divides, as `count_include_pad` says; integers are divided toward
    zero.  The first argument has the sizes of the pool's result [op.pool_grad.agree]; `pool_size`, strides and
    dilation are at least 1, paddings at least 0 [op.window.positive] [op.window.padding]; the window is no wider than
    the padded input, or with `ceil_mode` than it and a stride less 1 [op.window.fits].  In a packed layout such as
    NCHW4c the inner part has the size of the factor that the layout gives [op.layout_transform.factor].
    """
    return _pool_grad(out_grad, data, pool_size, strides, dilation, padding, layout, out_layout, ceil_mode)
