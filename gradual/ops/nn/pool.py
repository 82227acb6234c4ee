"""Pools: the greatest element or the mean of each window, over one to three spatial axes.

A mean is the sum from left to right of the window's elements, floats in binary64, divided and then rounded once;
integers divide toward zero.  A maximum is NaN if the window contains a NaN; padding is never the maximum, and the
maximum of nothing is the least value of the type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import chain, product, repeat
from operator import ne, not_
from typing import Any, TypeVar, Unpack

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.facts import Facts, Faults
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, Operator, operator
from gradual.ops.declaration.padding import Padding, images
from gradual.ops.declaration.shapes import ONE, ZERO, judged, not_negative, of_dtype, tensor
from gradual.ops.declaration.windows import (
    SPATIAL,
    Window,
    arranged,
    at_least,
    ordered,
    origins,
    owed,
    surrounded,
    tap_offsets,
    tap_planes,
    window,
)
from gradual.ops.nn import fast_pool
from gradual.ops.nn.pool_windows import Ints, canonical, least, order_of, overhanging, restored, tap_counts
from gradual.ops.shape.layout import Layout, inner_needs
from gradual.ops.shape.layout import layout as layout_of
from gradual.record import record
from gradual.tensors import reals
from gradual.tensors.index import numel, strides
from gradual.tensors.integers import dividing, trunc_divide
from gradual.tensors.scalar import total
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType

V = TypeVar("V")
Dims = tuple[Dim, ...]
Fold = Callable[[Sequence[Any], Window[int], Ints, Ints], Iterable[Any]]


# ------------------------------------------------------------------------------------------------------ judgements
@record
class Pooled:
    """The data of a pool, taken apart by its layout.

    Attributes:
        given: the data.
        source, target: the layouts of data and result.
        outer: the extents of the axes that are not spatial, in the order in which the pool visits them.
        space: the extents of the spatial axes.
        needs: the needs of a packed layout.
    """

    given: TensorType[Dim]
    source: Layout
    target: Layout
    outer: Dims
    space: Dims
    needs: tuple[Need, ...]

    def judgement(self, space: Sequence[Dim], needs: Iterable[Need]) -> Judgement:
        """The result with these spatial extents."""
        shape = arranged((*self.outer, *space), self.target.letters, order_of(self.target))
        return judged(shape, self.given.dtype, (*self.needs, *needs))


def _pooled(count: int, data: TensorType[Dim], layout: str, out_layout: str) -> Pooled:
    """The data in its layout, in which batch and channels may be blocked.   [op.layout_transform.factor]"""
    source, target = _layout(layout, count, "layout"), _layout(out_layout or layout, count, "out_layout")
    if set(source.letters) != set(target.letters) or source.factors != target.factors:
        raise IllFormed("op.attribute", f'out_layout "{out_layout}" has different axes from layout "{layout}"')
    given = tensor(data, 0, rank=len(source.letters))
    of_dtype(given, 0, lambda dtype: dtype is not DType.BOOL, "a tensor of numbers")
    shape = ordered(given.shape, source.letters, order_of(source))
    return Pooled(given, source, target, shape[:-count], shape[-count:], tuple(inner_needs(given, source)))


def _layout(text: str, count: int, attribute: str) -> Layout:
    """A layout with `count` spatial axes, none of them blocked."""
    found, letters = layout_of(text, attribute), "NC" + SPATIAL[count]
    if set(found.whole) != set(letters) or not found.factors.keys() <= {"N", "C"}:
        says = f"a permutation of {letters}, perhaps with an inner part of N or C"
        raise IllFormed("op.attribute", f'{attribute} has to be {says}, not "{text}"')
    return found


def sliding(
    count: int, data: TensorType[Dim], pool_size: Dims, steps: Dims, dilation: Dims, padding: Dims, layout: str,
    out_layout: str, ceil_mode: bool,
) -> Judgement:  # fmt: skip
    """The judgement of a pool whose window slides.   [op.window.positive] [op.window.fits]"""
    read = _pooled(count, data, layout, out_layout)
    move = window(pool_size, steps, dilation, padding, count)
    axes = [read.source.letters.index(letter) for letter in SPATIAL[count]]
    needs = (*at_least(ONE, move.kernel, "pool_size"), *owed(move, read.space, axes, ceil_mode))
    return read.judgement(move.positions(read.space, ceil_mode), needs)


def _adaptive(count: int, data: TensorType[Dim], output_size: Dims | None, layout: str, out_layout: str) -> Judgement:
    read = _pooled(count, data, layout, out_layout)
    needs = not_negative(output_size or (), "op.adaptive.size", "a size of the result is negative")
    return read.judgement(_sizes(output_size, read.space), needs)


def _sizes(output_size: tuple[V, ...] | None, extents: tuple[V, ...]) -> tuple[V, ...]:
    """The spatial extents of an adaptive pool's result: by default those of the data."""
    if not output_size:
        return extents
    if len(output_size) not in (1, len(extents)):
        raise IllFormed("op.attribute", f"output_size has to have 1 or {len(extents)} elements, not {len(output_size)}")
    return output_size * len(extents) if len(output_size) == 1 else output_size


# ---------------------------------------------------------------------------------------------- reference semantics
def _is_plain(cells: Sequence[Any]) -> bool:
    """Whether `>` decides every maximum: no element is NaN or a negative zero."""
    zeros = filter(not_, cells)
    return not any(map(ne, cells, cells)) and -1.0 not in map(math.copysign, repeat(1.0), zeros)


def _greater(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    """The greater of each two plain numbers."""
    return [y if y > x else x for x, y in zip(left, right, strict=True)]


def _greater_float(left: Iterable[float], right: Iterable[float]) -> list[float]:
    return list(map(reals.maximum, left, right))


def _slide(
    data: Tensor, fill: Any, fold: Fold, *, pool_size: Ints, strides: Ints, dilation: Ints, padding: Ints, layout: str,
    out_layout: str, ceil_mode: bool,
) -> Tensor:  # fmt: skip
    """A pool with a sliding window; `fold` computes the results from the elements at each tap, channel by channel."""
    cells, outer, extents = canonical(data, layout)
    move = window(pool_size, strides, dilation, padding, len(extents))
    counts = move.positions(extents, ceil_mode)
    volume = surrounded(cells, extents, overhanging(move, extents, counts), fill, numel(outer))
    reached = [range(0, size * apart, apart) for size, apart in zip(move.kernel, move.dilation, strict=True)]
    taps, starts = tap_offsets(volume.shape, reached), origins(volume.shape, counts, move.strides)
    planes = [
        tap_planes(volume, taps, channel, starts, counts[-1], move.strides[-1]) for channel in range(numel(outer))
    ]
    found = fold(planes, move, extents, counts)
    return restored(found, (*outer, *counts), out_layout or layout, data.dtype)


def _max_pool(data: Tensor, **attributes: Any) -> Tensor:
    """The greatest element of each window."""
    greater = _greater if _is_plain(data.elements) else _greater_float

    def fold(planes: Sequence[Any], move: Window[int], extents: Ints, counts: Ints) -> Iterator[Any]:
        return chain.from_iterable(reduce(greater, plane) for plane in planes)

    return _slide(data, least(data.dtype), fold, **attributes)


def _avg_pool(data: Tensor, *, count_include_pad: bool, **attributes: Any) -> Tensor:
    """The mean of each window, over the taps inside the input, or also over those in the padding."""
    quotient = reals.divide if data.dtype.is_float else trunc_divide

    def fold(planes: Sequence[Any], move: Window[int], extents: Ints, counts: Ints) -> Iterator[Any]:
        sums = (total(patch) for plane in planes for patch in zip(*plane, strict=True))
        return map(quotient, sums, tap_counts(move, extents, counts, count_include_pad) * len(planes))

    return _slide(data, 0, fold, **attributes)


def _parts(extent: int, count: int) -> list[range]:
    """`count` parts of an axis, as equal as can be, overlapping where they must."""
    return [range(i * extent // count, -(-(i + 1) * extent // count)) for i in range(count)]


def _pool_parts(
    data: Tensor, fold: Callable[[list[Any]], Any], output_size: Ints | None, layout: str, out_layout: str
) -> Tensor:
    """The pool of each of `output_size` parts."""
    cells, outer, extents = canonical(data, layout)
    sizes = _sizes(output_size, extents)
    blocks = list(product(*map(_parts, extents, sizes)))
    area, steps = numel(extents), strides(extents)
    found = [fold(_block(cells, channel * area, steps, block)) for channel in range(numel(outer)) for block in blocks]
    return restored(found, (*outer, *sizes), out_layout or layout, data.dtype)


def _block(cells: list[Any], base: int, steps: Ints, block: Sequence[range]) -> list[Any]:
    starts, last = [base], block[-1]
    for step, part in zip(steps[:-1], block, strict=False):
        starts = [start + i * step for start in starts for i in part]
    return list(chain.from_iterable(cells[start + last.start : start + last.stop] for start in starts))


def _adaptive_max(data: Tensor, *, output_size: Ints | None, layout: str, out_layout: str) -> Tensor:
    """The greatest element of each part."""
    lowest = least(data.dtype)
    plain = partial(max, default=lowest)
    fold = plain if _is_plain(data.elements) else lambda block: reduce(reals.maximum, block, lowest)
    return _pool_parts(data, fold, output_size, layout, out_layout)


def _adaptive_avg(data: Tensor, *, output_size: Ints | None, layout: str, out_layout: str) -> Tensor:
    """The mean of each part."""
    quotient = reals.divide if data.dtype.is_float else _quotient
    return _pool_parts(data, lambda block: quotient(total(block), len(block)), output_size, layout, out_layout)


_quotient = dividing(trunc_divide)


def _global_max(data: Tensor, *, layout: str, out_layout: str) -> Tensor:
    return _adaptive_max(data, output_size=(1,), layout=layout, out_layout=out_layout)


def _global_avg(data: Tensor, *, layout: str, out_layout: str) -> Tensor:
    return _adaptive_avg(data, output_size=(1,), layout=layout, out_layout=out_layout)


# -------------------------------------------------------------------------------------------------------- operators
_OWED = """`pool_size`, strides and dilation are at least 1, paddings at least 0 [op.window.positive]
[op.window.padding]; the window is no wider than the padded input, or with `ceil_mode` than it and a stride less 1
[op.window.fits]."""
_PACKED = """In a packed layout such as NCHW4c the inner part has the size of the factor that the layout gives
[op.layout_transform.factor]."""


def _window_words(count: int, fold: str) -> str:
    """The equation of a pool with a sliding window: what it folds, where, and the size of the result."""
    taps = "ijk"[:count]
    reads = [
        f"{axis.upper()} = {axis} * strides[{i}] - before[{i}] + {tap} * dilation[{i}]"
        for i, (axis, tap) in enumerate(zip(_AXES[count], taps, strict=True))
    ]
    result, places = ", ".join(_AXES[count]), ", ".join(axis.upper() for axis in _AXES[count])
    size = "w' = (w + before + after - ((size - 1) * dilation + 1)) // stride + 1, rounded up with ceil_mode"
    first = f"out[n, c, {result}] = {fold.format(taps=', '.join(taps), cell=f'data[n, c, {places}]')}"
    return "\n".join(f"    {line}" for line in (first, *reads, size))


_AXES = {1: "x", 2: "yx", 3: "zyx"}


def _fold_words(kind: str) -> tuple[str, str]:
    """What a pool computes of a window, and what that is of an empty one."""
    if kind == "avg":
        return "mean", "Integers are divided toward zero; the mean of nothing is NaN, of integers a fault."
    return kind, "The maximum of nothing is the least value of the type, for floats -inf."


def _shape_words(count: int) -> str:
    space = ", ".join(SPATIAL[count].lower())
    result = ", ".join(f"{letter}'" for letter in SPATIAL[count].lower())
    return f"t[n, c, {space}] -> t[n, c, {result}]"


def _max_pool_operator(count: int) -> Operator:
    unit, nothing = (ONE,) * count, (ZERO,) * count

    def judge(
        data: TensorType[Dim],
        *,
        pool_size: tuple[Dim, ...],
        strides: tuple[Dim, ...] = unit,
        dilation: tuple[Dim, ...] = unit,
        padding: tuple[Dim, ...] = nothing,
        layout: str = "NC" + SPATIAL[count],
        out_layout: str = "",
        ceil_mode: bool = False,
    ) -> Judgement:
        return sliding(count, data, pool_size, strides, dilation, padding, layout, out_layout, ceil_mode)

    equation = _window_words(count, "max over {taps} of {cell}")
    judge.__doc__ = f"""The greatest element of each window.   {_shape_words(count)}

{equation}

Only elements of the data count; the maximum of none is the least value of the type, for floats -inf.
{_OWED}
{_PACKED}"""
    return operator(
        f"nn.max_pool{count}d",
        meaning=_max_pool,
        family="pooling",
        padding=Padding(images),
        onnx="MaxPool",
        fast=fast_pool.max_pool,
    )(judge)


def _avg_pool_operator(count: int) -> Operator:
    unit, nothing = (ONE,) * count, (ZERO,) * count

    def judge(
        data: TensorType[Dim],
        *,
        pool_size: tuple[Dim, ...],
        strides: tuple[Dim, ...] = unit,
        dilation: tuple[Dim, ...] = unit,
        padding: tuple[Dim, ...] = nothing,
        layout: str = "NC" + SPATIAL[count],
        out_layout: str = "",
        ceil_mode: bool = False,
        count_include_pad: bool = False,
    ) -> Judgement:
        return sliding(count, data, pool_size, strides, dilation, padding, layout, out_layout, ceil_mode)

    equation = _window_words(count, "(sum over {taps} of {cell}) / m")
    judge.__doc__ = f"""The mean of each window.   {_shape_words(count)}

{equation}

Elements outside of the data are 0.  m is the number of those in the data, or with `count_include_pad` of those in the
data or its padding, in both cases at least 1; integers are divided toward zero.
{_OWED}
{_PACKED}"""
    return operator(
        f"nn.avg_pool{count}d",
        meaning=_avg_pool,
        family="pooling",
        padding=Padding(images),
        onnx="AveragePool",
        fast=fast_pool.avg_pool,
    )(judge)


def _adaptive_operator(
    kind: str, says: str, count: int, meaning: Callable[..., Tensor], **facts: Unpack[Facts]
) -> Operator:
    def judge(
        data: TensorType[Dim],
        *,
        output_size: tuple[Dim, ...] | None = (),
        layout: str = "NC" + SPATIAL[count],
        out_layout: str = "",
    ) -> Judgement:
        return _adaptive(count, data, output_size, layout, out_layout)

    axes, (fold, nothing) = ", ".join(_AXES[count]), _fold_words(kind)
    judge.__doc__ = f"""{says} of each of `output_size` windows, which cover the data.   {_shape_words(count)}

    out[n, c, {axes}] = {fold} over {axes.upper()} of data[n, c, {axes.upper()}]
    X from x * w // w' up to ((x + 1) * w + w' - 1) // w', excluded,  and so along each spatial axis

{nothing}
`output_size` is not negative [op.adaptive.size]; without it, or with an empty list, it is the size of the data, and one
number is used for all axes.
{_PACKED}"""
    return operator(f"nn.adaptive_{kind}_pool{count}d", meaning=meaning, family="pooling", **facts)(judge)


def _global_operator(kind: str, says: str, meaning: Callable[..., Tensor], **facts: Unpack[Facts]) -> Operator:
    def judge(data: TensorType[Dim], *, layout: str = "NCHW", out_layout: str = "") -> Judgement:
        return _pooled(2, data, layout, out_layout).judgement((ONE, ONE), ())

    fold, nothing = _fold_words(kind)
    judge.__doc__ = f"""{says} of each channel.   t[n, c, h, w] -> t[n, c, 1, 1]

    out[n, c, 0, 0] = {fold} over y, x of data[n, c, y, x]

{nothing}
{_PACKED}"""
    return operator(f"nn.global_{kind}_pool2d", meaning=meaning, family="pooling", **facts)(judge)


def _is_of_floats(types: Sequence[Any]) -> bool:
    """Whether the data are floats, for which the mean of no elements is no fault."""
    return bool(types[0].dtype.is_float)


_AVERAGE = Facts(faults=Faults.OTHERWISE, padding=Padding(images, safe=_is_of_floats))
"""Facts about means of windows that may be empty: dividing integers by 0 is a fault."""

OPERATORS = (
    *map(_max_pool_operator, SPATIAL),
    *map(_avg_pool_operator, SPATIAL),
    _global_operator("max", "The greatest element", _global_max, padding=Padding(images), onnx="GlobalMaxPool"),
    _global_operator("avg", "The mean", _global_avg, **Facts(**_AVERAGE, onnx="GlobalAveragePool")),
    *(
        _adaptive_operator("max", "The greatest element", count, _adaptive_max, padding=Padding(images))
        for count in SPATIAL
    ),
    *(_adaptive_operator("avg", "The mean", count, _adaptive_avg, **_AVERAGE) for count in SPATIAL),
)
