"""Shapes where axes of size 1 are removed or added, at positions that may be computed."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.dims.term.constraint import Constraint, all_of, at_most, differs, equal, less
from gradual.dims.term.dim import Dim, constant, ite
from gradual.ops.declaration.operator import IllFormed
from gradual.ops.declaration.shapes import ONE, ZERO, Shape


def _front(axis: Dim, rank: int) -> Dim:
    """An axis counted from the front; raises IllFormed if it is a constant out of range."""
    if axis.value is None:
        return ite(less(axis, ZERO), axis + rank, axis)
    if not -rank <= axis.value < rank:
        raise IllFormed("op.axis", f"axis {axis} is out of range for rank {rank}", 0)
    return constant(axis.value % rank)


def is_axis(axis: Dim, rank: int) -> Constraint:
    """The condition that a number is an axis, counted from the front or from the back."""
    return all_of(at_most(constant(-rank), axis), less(axis, constant(rank)))


def removed(shape: Shape, axis: Sequence[Dim] | None) -> tuple[Dim, ...]:
    """The axes to remove: those of size 1 if none are given."""
    if axis is not None:
        return tuple(_front(place, len(shape)) for place in axis)
    return tuple(constant(place) for place, extent in enumerate(shape) if extent is ONE)


def is_constant(shape: Shape) -> bool:
    """Whether all sizes are known."""
    return all(extent.value is not None for extent in shape)


def without(shape: Shape, gone: Sequence[Dim]) -> Shape:
    """The extents of the axes that are left."""
    count = len(shape) - len(gone)
    return tuple(_choice(shape, gone, place) for place in range(count))


def _choice(shape: Shape, gone: Sequence[Dim], place: int) -> Dim:
    """The extent of the axis that has index `place` after the removal, as an if-then-else over the axes."""
    found = shape[place + len(gone)]
    for axis in range(place + len(gone) - 1, place - 1, -1):
        before = all_of(*(differs(one, constant(axis)) for one in gone), _counted(gone, axis, axis - place))
        found = ite(before, shape[axis], found)
    return found


def _counted(gone: Sequence[Dim], axis: int, count: int) -> Constraint:
    """The condition that `count` of the removed axes come before an axis."""
    total = ZERO
    for one in gone:
        total += ite(less(one, constant(axis)), 1, 0)
    return equal(total, constant(count))


def expanded(shape: Shape, axis: Dim, count: int) -> Shape:
    """The shape with new axes of size 1."""
    front = ite(less(axis, ZERO), axis + len(shape) + 1, axis)
    if front.value is not None:
        return (*shape[: front.value], *[ONE] * count, *shape[front.value :])
    return tuple(_expanded_at(shape, front, count, place) for place in range(len(shape) + count))


def _expanded_at(shape: Shape, front: Dim, count: int, place: int) -> Dim:
    """The extent at index `place`: of an old axis before or after the new ones, or 1."""
    behind = shape[place - count] if place >= count else ONE
    before = shape[place] if place < len(shape) else ONE
    return ite(less(constant(place), front), before, ite(less(constant(place), front + count), ONE, behind))
