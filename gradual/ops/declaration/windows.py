"""Sliding windows: layouts, per-axis attributes, padding and extents, shared by convolutions and pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from gradual.dims.term.constraint import FALSE, at_most
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import IllFormed, Need
from gradual.ops.declaration.shapes import ONE, ZERO
from gradual.record import record
from gradual.tensors.index import numel, permuted, strides
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType

V = TypeVar("V")
D = TypeVar("D", Dim, int)
SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
"""The letters of the spatial axes, by their number."""


def places(layout: str, letters: str, attribute: str) -> tuple[int, ...]:
    """The index of each letter in a layout; raises IllFormed unless the layout is a permutation of the letters."""
    if sorted(layout) != sorted(letters):
        says = f'{attribute} has to be a permutation of {letters}, not "{layout}"'
        packed = ", which is packed: `layout_transform` unpacks it" if any(map(str.isdigit, layout)) else ""
        raise IllFormed("op.attribute", says + packed)
    return tuple(layout.index(letter) for letter in letters)


def arranged(values: Sequence[V], layout: Sequence[str], letters: Sequence[str]) -> tuple[V, ...]:
    """Values given in the order of `letters`, rearranged to the order of a layout."""
    return tuple(values[letters.index(letter)] for letter in layout)


def ordered(values: Sequence[V], layout: Sequence[str], letters: Sequence[str]) -> tuple[V, ...]:
    """Values given in the order of a layout, rearranged to the order of `letters`."""
    return tuple(values[layout.index(letter)] for letter in letters)


def per_axis(values: tuple[V, ...], count: int, attribute: str) -> tuple[V, ...]:
    """One value for each spatial axis; a single value is used for all.  Raises IllFormed for any other number."""
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise IllFormed("op.attribute", f"{attribute} has to have 1 or {count} elements, not {len(values)}")
    return values


def paddings(values: tuple[V, ...], count: int) -> tuple[tuple[V, V], ...]:
    """How much is added before and after each spatial axis.   [op.window.padding]

    A single value is used for all sides, a value per axis for both sides of the axis.  Of two values per axis, those
    before all axes come first, then those after them.
    """
    if len(values) == 2 * count:
        return tuple(zip(values[:count], values[count:], strict=True))
    if len(values) not in (1, count):
        raise IllFormed("op.attribute", f"padding has to have 1, {count} or {2 * count} elements, not {len(values)}")
    each = values * count if len(values) == 1 else values
    return tuple((value, value) for value in each)


def at_least(low: Dim, values: Iterable[Dim], attribute: str) -> Iterator[Need]:
    """Needs that an attribute is at least `low`; raises IllFormed if a constant is smaller.   [op.window.positive]"""
    for value in values:
        if value.value is None:
            yield Need(at_most(low, value), "op.window.positive", f"{attribute} has to be at least {low}")
        elif low.value is not None and value.value < low.value:
            raise IllFormed("op.attribute", f"{attribute} has to be at least {low}, not {value}")


@record
class Window(Generic[D]):
    """How a window moves over the spatial axes, one entry for each; of dims for a judgement, of ints for a meaning."""

    kernel: tuple[D, ...]
    strides: tuple[D, ...]
    dilation: tuple[D, ...]
    padding: tuple[tuple[D, D], ...]

    def reach(self) -> tuple[D, ...]:
        """The extent that a dilated window covers."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def padded(self, extents: Sequence[D]) -> tuple[D, ...]:
        """The extents with their padding."""
        return tuple(extent + before + after for extent, (before, after) in zip(extents, self.padding, strict=True))

    def positions(self, extents: Sequence[D], ceil_mode: bool = False) -> tuple[D, ...]:
        """How many positions the window has along each axis; with `ceil_mode` the last one may lie partly outside."""
        rooms = zip(self.padded(extents), self.reach(), self.strides, strict=True)
        return tuple((room - width + (step - 1 if ceil_mode else 0)) // step + 1 for room, width, step in rooms)


def window(
    kernel: tuple[D, ...], strides: tuple[D, ...], dilation: tuple[D, ...], padding: tuple[D, ...], count: int
) -> Window[D]:
    """A window over `count` spatial axes from the attributes as they are written."""
    return Window(
        per_axis(kernel, count, "the kernel"),
        per_axis(strides, count, "strides"),
        per_axis(dilation, count, "dilation"),
        paddings(padding, count),
    )


def owed(move: Window[Dim], extents: Sequence[Dim], axes: Sequence[int], ceil_mode: bool = False) -> Iterator[Need]:
    """Needs that strides and dilation are at least 1, paddings at least 0, and the window fits into each padded axis.

    With `ceil_mode` the window may reach beyond the padded axis by less than a stride.

    [op.window.positive] [op.window.fits]
    """
    yield from in_range(move)
    yield from fitting(move, extents, axes, ceil_mode)


def in_range(move: Window[Dim]) -> Iterator[Need]:
    """Needs that strides and dilation are at least 1, and paddings at least 0.   [op.window.positive]"""
    yield from at_least(ONE, move.strides, "strides")
    yield from at_least(ONE, move.dilation, "dilation")
    yield from at_least(ZERO, (side for pair in move.padding for side in pair), "padding")


def fitting(move: Window[Dim], extents: Sequence[Dim], axes: Sequence[int], ceil_mode: bool = False) -> Iterator[Need]:
    """Needs that the window fits into each padded axis.   [op.window.fits]"""
    for axis, width, extent, step in zip(axes, move.reach(), move.padded(extents), move.strides, strict=True):
        fits = at_most(width, extent + step - 1 if ceil_mode else extent)
        excess = "exceeds the padded input by a stride or more" if ceil_mode else "is wider than the padded input"
        says = f"the window {excess}"
        says += f": a window of {width}, an input of {extent}" if fits is FALSE else ""
        yield Need(fits, "op.window.fits", says, ((0, axis),))


@record
class Volume:
    """The elements of all channels of a padded input, in one list; each channel has the spatial extents `shape`."""

    cells: list[Any]
    shape: tuple[int, ...]


def surrounded(
    cells: Sequence[Any], shape: tuple[int, ...], padding: Sequence[tuple[int, int]], fill: Any, count: int
) -> Volume:
    """`count` channels with `fill` around each; a negative padding removes elements."""
    wide = tuple(extent + before + after for extent, (before, after) in zip(shape, padding, strict=True))
    if not any(map(any, padding)):
        return Volume(list(cells), shape)
    found = [fill] * (count * numel(wide))
    first = [max(-before, 0) for before, _ in padding]
    last = [min(extent, extent + after) for extent, (_, after) in zip(shape, padding, strict=True)]
    width = last[-1] - first[-1]
    if min((stop - start for start, stop in zip(first, last, strict=True)), default=0) <= 0:
        return Volume(found, wide)
    befores = [before for before, _ in padding]
    sources = _row_starts(count, shape, first, last, [0] * len(shape))
    for source, target in zip(sources, _row_starts(count, wide, first, last, befores), strict=True):
        found[target : target + width] = cells[source : source + width]
    return Volume(found, wide)


def _row_starts(
    count: int, shape: tuple[int, ...], first: Sequence[int], last: Sequence[int], shift: Sequence[int]
) -> list[int]:
    """The offset at which each innermost row between `first` and `last` starts, moved by `shift`."""
    steps = strides(shape)
    starts = [channel * numel(shape) + first[-1] + shift[-1] for channel in range(count)]
    for step, low, high, move in zip(steps[:-1], first, last, shift, strict=False):
        starts = [start + (i + move) * step for start in starts for i in range(low, high)]
    return starts


def tap_offsets(shape: tuple[int, ...], taps: Sequence[Sequence[int]]) -> list[int]:
    """The offset of each tap, an element of a window, from the first; `taps` has the positions along each axis."""
    found = [0]
    for step, along in zip(strides(shape), taps, strict=True):
        found = [base + tap * step for base in found for tap in along]
    return found


def patches(
    volume: Volume, taps: Sequence[int], channel: int, starts: Sequence[int], count: int, step: int
) -> Iterator[list[tuple[Any, ...]]]:
    """For each row of `count` window positions, `step` apart, the patch at each position: its elements at all taps.

    Offsets are counted from the beginning of the channel.
    """
    for row in tap_rows(volume, taps, channel, starts, count, step):
        yield list(zip(*row, strict=True)) if row else [()] * count


def blocks(rows: Iterator[list[tuple[Any, ...]]], size: int = 256) -> Iterator[list[tuple[Any, ...]]]:
    """The patches of all rows in blocks of `size`: large enough for fast passes over a block, and of bounded memory."""
    each = chain.from_iterable(rows)
    return iter(lambda: list(islice(each, size)), [])


def tap_rows(
    volume: Volume, taps: Sequence[int], channel: int, starts: Sequence[int], count: int, step: int
) -> Iterator[list[list[Any]]]:
    """As `patches`, but transposed: for each tap, its elements along the row."""
    cells, span, base = volume.cells, (count - 1) * step + 1, channel * numel(volume.shape)
    for start in starts:
        yield [cells[base + start + tap : base + start + tap + span : step] for tap in taps]


def tap_planes(
    volume: Volume, taps: Sequence[int], channel: int, starts: Sequence[int], count: int, step: int
) -> list[list[Any]]:
    """As `tap_rows`, but for each tap its elements along all rows."""
    cells, span, base = volume.cells, (count - 1) * step + 1, channel * numel(volume.shape)
    places = [base + start for start in starts]
    return [
        list(chain.from_iterable([cells[place + tap : place + tap + span : step] for place in places])) for tap in taps
    ]


def origins(shape: tuple[int, ...], counts: Sequence[int], steps: Sequence[int]) -> list[int]:
    """The first offset of each row of window positions: one for each position along the axes before the last."""
    found = [0]
    for width, count, step in zip(strides(shape)[:-1], counts, steps, strict=False):
        found = [base + i * step * width for base in found for i in range(count)]
    return found


def restored(elements: Any, shape: tuple[int, ...], layout: str, dtype: DType) -> Tensor:
    """The tensor in its layout, from elements in the order batch, channels, space."""
    letters = "NC" + SPATIAL[len(shape) - 2]
    axes = [letters.index(letter) for letter in layout]
    return tensor_of(tuple(shape[axis] for axis in axes), dtype, permuted(elements, shape, axes))
