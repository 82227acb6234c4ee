"""Lookups: the indices that an operator looks up in an axis, and the constraints required of known indices.

The operator faults at an index out of bounds, so nothing is required of an index known only at run time.
[op.index.bounds]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gradual.dims.term.constraint import FALSE, TRUE, AtMost, Constraint, any_of, at_least, at_most, equal
from gradual.dims.term.dim import Dim, constant, polynomial
from gradual.dims.term.print import brief
from gradual.ops.declaration.element_ranges import Range, data_of
from gradual.record import record
from gradual.types.type import Content

RULE = "op.index.bounds"
_ZERO = constant(0)


@record
class Bound:
    """The constraint required of a known index.

    Attributes:
        goal: the constraint that the index is within bounds.
        empty: conditions under which nothing is looked up, so that the goal may fail.
        index: the index.
        exact: whether a lookup is out of bounds wherever the goal fails; if not, a goal that fails is no error.
    """

    goal: Constraint
    empty: tuple[Constraint, ...]
    index: Dim
    exact: bool

    def owed(self, possible: Callable[[Constraint], bool]) -> Constraint:
        """The goal, in disjunction with the `empty` conditions that are possible."""
        return any_of(self.goal, *filter(possible, self.empty)) if self.empty else self.goal


@record
class Lookup:
    """Indices that an operator looks up in an axis.

    Attributes:
        indices: the operand that has the indices, or the field of a tuple operand.
        size: the size of the axis.
        axis: the operand and the axis that have this size, if there is one.
        count: sizes whose product is the number of indices looked up.
        part: the index of the operand's only element that is looked up; None for all elements.
        alone: whether all elements of the operand are looked up in this axis; if not, its range is not used.
        negative: whether -1 is the last index of the axis.
        ignored: an index that is not looked up.
    """

    indices: tuple[int, ...]
    size: Dim
    axis: tuple[int, ...] | None
    count: tuple[Dim, ...]
    part: int | None = None
    alone: bool = True
    negative: bool = True
    ignored: int | None = None

    def bounds(self, contents: Sequence[Content] | None, known: Callable[[], Range | None]) -> Iterator[Bound]:
        """The required constraints.

        If all indices are known, there are constraints for each index; else for the range of all indices, if the range
        is known; else for each index that is known.
        """
        one_by_one = contents is not None and not data_of(*contents)
        together = None if one_by_one or not self.alone else known()
        if together is None:
            yield from self._of_each(contents or ())
        else:
            yield from self._of_ends(together.least, together.greatest, together.attained)

    def _of_each(self, contents: Sequence[Content]) -> Iterator[Bound]:
        """Bounds for each symbolic index, and for the least and the greatest of the numbers."""
        named = contents if self.part is None else contents[self.part : self.part + 1]
        parts = dict.fromkeys(part for part in named if isinstance(part, Dim) and not data_of(part))
        numbers = [part.value for part in parts if part.value is not None and part.value != self.ignored]
        if numbers and not self._has(min(numbers), max(numbers)):
            yield from self._of_ends(constant(min(numbers)), constant(max(numbers)), True)
        elif numbers:
            yield Bound(TRUE, (), constant(numbers[0]), True)
        for part in parts:
            if part.value is None:
                yield from self._of_ends(part, part, True)

    def _has(self, least: int, greatest: int) -> bool:
        """Whether the numbers from `least` to `greatest` are all indices of an axis of known size."""
        size = self.size.value
        return size is not None and (-size if self.negative else 0) <= least and greatest < size

    def _of_ends(self, least: Dim, greatest: Dim, exact: bool) -> Iterator[Bound]:
        """Bounds for a range.

        No lower bound is needed if `least` is a number of at least 0, and no upper bound if indices may be negative
        and `greatest` is a negative number.
        """
        exact = exact and (self.ignored is None or (least.value is not None and least.value > self.ignored))
        if not self.negative or greatest.value is None or greatest.value >= 0:
            yield self._bound(greatest, _at_most(greatest, self.size - 1), exact)
        if least.value is None or least.value < 0:
            yield self._bound(least, _at_most(-self.size if self.negative else _ZERO, least), exact)

    def _bound(self, index: Dim, goal: Constraint, exact: bool) -> Bound:
        if goal is TRUE or not exact:
            return Bound(goal, (), index, exact)
        empty = (equal(size, _ZERO) for size in self.count)
        return Bound(goal, tuple(one for one in empty if self._adds_to(goal, one)), index, exact)

    def says(self, index: Dim) -> str:
        """The message if the goal fails."""
        where = "a size of" if self.axis is None else f"dimension {self.axis[-1]} with size"
        return f"index {brief(index)} is out of bounds for {where} {brief(self.size)}"

    def _adds_to(self, goal: Constraint, empty: Constraint) -> bool:
        """Whether the goal may fail where there is no index: not for `arange(0, t)`, as `t <= n` holds if t is 0."""
        if empty is FALSE:
            return False
        if empty.solution is not None:
            none = dict([empty.solution])
            left = goal.substitute(none)
            return left is not TRUE and left is not at_least(self.size.substitute(none), _ZERO)
        if isinstance(goal, AtMost) and isinstance(empty, AtMost):
            slack = (goal.difference - empty.difference).value
            return slack is None or slack < 0
        return True


def _at_most(low: Dim, high: Dim) -> Constraint:
    """`low <= high` with common terms cancelled: `p + t <= n`, and not `n * (b - 1) + p + t <= b * n`."""
    difference = high - low
    taken = polynomial({monomial: -count for monomial, count in difference.terms if count < 0})
    return at_most(taken, difference + taken)


Lookups = Callable[..., Sequence[Lookup]]
"""`(*argument types, **attributes) -> the lookups of an application`."""
