"""Facts added lazily: they are processed only when a query is made, since most passes never make one."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradual.dims.solver.decide import Answer, Decider
from gradual.dims.store.facts import Facts, Mark
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import Dim, constant
from gradual.verdict import Verdict

_ZERO = constant(0)


@dataclass(frozen=True, slots=True)
class Path:
    """A constraint from the condition of a branch."""

    goal: Constraint


@dataclass(frozen=True, slots=True)
class Passed:
    """A constraint that a check established."""

    goal: Constraint


Told = Dim | Constraint | Path | Passed
"""A size, which is not negative; a declared constraint; a constraint from a branch or from a check."""


@dataclass(slots=True, eq=False)
class DeferredFacts:
    """A list of facts, processed only when a query needs them; those of a branch are dropped when it is left."""

    decider: Decider
    _facts: Facts = field(default_factory=Facts)
    _told: list[Told] = field(default_factory=list)
    _taken: int = 0
    _branches: list[int] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)

    def tell(self, told: Told) -> None:
        """Add a fact, which holds from here on."""
        self._told.append(told)

    def enter(self) -> None:
        """Enter a branch: facts added from here on are dropped by `leave`."""
        self._branches.append(len(self._told))

    def leave(self) -> None:
        """Leave a branch: drop the facts added since its `enter`."""
        start = self._branches.pop()
        if len(self._marks) > len(self._branches):
            self._facts.rollback(self._marks.pop())
            self._taken = start
        del self._told[start:]

    def decide(self, goal: Constraint) -> Verdict:
        """The verdict on a goal under the facts."""
        return self.decider.decide(self.facts(), goal)

    def satisfiable(self, goal: Constraint) -> Answer:
        """Whether a goal can hold together with the unconditional facts."""
        return self.decider.satisfiable(self.facts(), goal)

    def facts(self) -> Facts:
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

    def _take(self, told: Told) -> None:
        match told:
            case Dim():
                self._facts.assume(at_least(told, _ZERO))
            case Path(goal):
                self.decider.suppose(self._facts, goal)
            case Passed(goal):
                self._facts.learn(goal, self.decider.decide(self._facts, goal))
            case _:
                self._facts.assume(told)
