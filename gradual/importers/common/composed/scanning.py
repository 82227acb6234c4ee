"""Scans: a graph is applied to consecutive slices of tensors along their first axes, and its results are stacked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gradual.dims.term.dim import Dim
from gradual.importers.common.applying import Applying
from gradual.importers.common.branching import repeated
from gradual.importers.common.composed.arithmetic import Term, logaddexp
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value, is_named
from gradual.types.dtype import DType

Turn = Callable[[list[Value], list[Value]], list[Value]]
"""The body of a scan: (carried values, slices at an index) -> new carried values, then the results at that index."""


def scanned(use: Applying, name: str, begun: Sequence[Value], slices: Sequence[Value], turn: Turn) -> list[Value]:
    """The results of a scan: the last carried values, and the stacked further results of all iterations."""
    builder = use.builder
    if not slices:
        raise Unsupported("nothing that it goes along")
    length, zero = use.extent(slices[0], 0), builder.number(0, DType.INT64)
    start = _stacks(use, begun, slices, turn, use.written_size(length))
    count = len(begun)

    def goes_on(values: list[Value]) -> list[Value]:
        return [use.call("less", values[0], length)]

    def step(values: list[Value]) -> list[Value]:
        place, kept, stacks = values[0], values[1 : count + 1], values[count + 1 :]
        made = turn(kept, [use.call("take", one, place, axis=0, mode="fast") for one in slices])
        at = use.call("reshape", place, newshape=[1, 1])
        new = [use.call("expand_dims", one, axis=0) for one in made[count:]]
        written = [use.call("scatter_nd", stack, at, one) for stack, one in zip(stacks, new, strict=True)]
        return [use.call("add", place, builder.number(1, DType.INT64)), *made[:count], *written]

    return repeated(use, name or "scan", [zero, *begun, *start], goes_on, step)[1:]


def running(use: Applying, name: str, x: Value, axis: int, start: Sequence[Value], turn: Turn) -> list[Value]:
    """The stacked results of a scan along an axis; each state begins filled with its `start`.

    The body receives each slice of the tensor, and if there are two states, also the index of the slice.
    """
    order = [axis, *(at for at in range(x.rank) if at != axis)]
    moved = use.call("transpose", x, axes=order) if axis else x
    slice = use.call("take", moved, use.builder.number(0, DType.INT64), axis=0, mode="clip")
    begun = [use.call("full_like", Term(use, slice).to(one.dtype).value, one) for one in start]
    ends = [use.builder.number(0, DType.INT64), use.extent(x, axis), use.builder.number(1, DType.INT64)]
    places = use.call("arange", *ends, dtype=DType.INT64)
    found = scanned(use, name, begun, [moved, places][: len(start)], turn)[len(start) :]
    back = [order.index(at) for at in range(x.rank)]
    return [use.call("transpose", one, axes=back) if axis else one for one in found]


def log_sum_so_far(use: Applying, name: str, x: Value, axis: int) -> Value:
    """The logarithm of the sum of exponentials up to each element along an axis."""

    def turn(kept: list[Value], at: list[Value]) -> list[Value]:
        made = logaddexp(Term(use, kept[0]), Term(use, at[0])).value
        return [made, made]

    return running(use, name, x, axis, [use.like(-math.inf, x)], turn)[0]


def _stacks(
    use: Applying, begun: Sequence[Value], slices: Sequence[Value], turn: Turn, length: int | Value
) -> list[Value]:
    """Zeros with the shapes of the stacked results."""
    first = use.builder.number(0, DType.INT64)
    with use.builder.inside():
        firsts = [use.call("take", one, first, axis=0, mode="fast") for one in slices]
        made = turn(list(begun), firsts)[len(begun) :]
    zeros = []
    for one in made:
        sizes = [_written(use, size, [*begun, *slices]) for size in one.tensor.shape]
        zeros.append(use.call("full", use.like(0, one), shape=[length, *sizes]))
    return zeros


def _written(use: Applying, size: Dim, given: Sequence[Value]) -> int | Value:
    """A size as a number, as a formula of named sizes, or as the size of an axis of a given tensor."""
    if size.value is not None:
        return size.value
    if is_named(size):
        return use.builder.dimension(size)
    for value in given:
        for axis, other in enumerate(value.tensor.shape):
            if other is size:
                return use.extent(value, axis)
    raise Unsupported("results whose sizes depend on data")
