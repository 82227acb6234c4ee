"""Facts added lazily: they are processed only when a query is made, since most passes never make one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts, Mark
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import Dim, constant
from gradual.record import record

_ZERO = constant(0)


@record
class _Supposed:
    """A constraint from the condition of a branch."""

    goal: Constraint


@record
class _Learnt:
    """A constraint that a check established."""

    goal: Constraint


_Told = Dim | Constraint | _Supposed | _Learnt
"""A size, which is not negative; a declared constraint; a constraint from a branch or from a check."""


@record(frozen=False, eq=False)
class DeferredFacts:
    """A list of facts, processed only when a query needs them.

    As in `Facts`, an assumed fact is unconditional, a supposed one holds on this path, a learnt one after its check.
    """

    decider: Decider
    _facts: Facts = field(default_factory=Facts)
    _told: list[_Told] = field(default_factory=list)
    _taken: int = 0
    _branches: list[int] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)

    def natural(self, sizes: Iterable[Dim]) -> None:
        """Add the facts that some sizes are not negative."""
        self._told += [size for size in sizes if size.value is None]

    def assume(self, constraint: Constraint) -> None:
        """Add an unconditional fact."""
        self._told.append(constraint)

    def suppose(self, condition: Constraint) -> None:
        """Add a fact of this path."""
        self._told.append(_Supposed(condition))

    def learn(self, goal: Constraint) -> None:
        """Add a goal that was checked."""
        self._told.append(_Learnt(goal))

    def mark(self) -> int:
        """The present point, for `rollback`, which is called once for each mark, the latest first."""
        self._branches.append(len(self._told))
        return len(self._told)

    def rollback(self, mark: int) -> None:
        """Remove the facts added since the latest mark."""
        self._branches.pop()
        if len(self._marks) > len(self._branches):
            self._facts.rollback(self._marks.pop())
            self._taken = mark
        del self._told[mark:]

    def store(self) -> Facts:
        """Process all pending facts, and return the store."""
        while self._taken < len(self._told):
            self._mark()
            self._take(self._told[self._taken])
            self._taken += 1
        self._mark()
        return self._facts

    def _mark(self) -> None:
        while len(self._marks) < len(self._branches) and self._branches[len(self._marks)] <= self._taken:
            self._marks.append(self._facts.mark())

    def _take(self, told: _Told) -> None:
        match told:
            case Dim():
                self._facts.assume(at_least(told, _ZERO))
            case _Supposed(goal):
                self.decider.suppose(self._facts, goal)
            case _Learnt(goal):
                self._facts.learn(goal, self.decider.decide(self._facts, goal))
            case _:
                self._facts.assume(told)
