"""What is known at a point of a function, told when somebody asks: most passes change nothing and never ask."""

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
    """A constraint that the condition of a branch says."""

    goal: Constraint


@dataclass(frozen=True, slots=True)
class Passed:
    """A constraint that a check let through."""

    goal: Constraint


Told = Dim | Constraint | Path | Passed
"""A size, which is not negative; what is declared; what a branch or a check says."""


@dataclass(slots=True, eq=False)
class DeferredFacts:
    """Facts as a list, taken apart only as far as a question needs them; a branch forgets its own."""

    decider: Decider
    _facts: Facts = field(default_factory=Facts)
    _told: list[Told] = field(default_factory=list)
    _taken: int = 0
    _branches: list[int] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)

    def tell(self, told: Told) -> None:
        """Something holds from here on."""
        self._told.append(told)

    def enter(self) -> None:
        """What is told from here on ends with `leave`."""
        self._branches.append(len(self._told))

    def leave(self) -> None:
        """Forget what was told since the last `enter`."""
        start = self._branches.pop()
        if len(self._marks) > len(self._branches):
            self._facts.rollback(self._marks.pop())
            self._taken = start
        del self._told[start:]

    def decide(self, goal: Constraint) -> Verdict:
        """What is known of a goal here."""
        return self.decider.decide(self.facts(), goal)

    def satisfiable(self, goal: Constraint) -> Answer:
        """Whether a goal can hold together with what is known whatever the path."""
        return self.decider.satisfiable(self.facts(), goal)

    def facts(self) -> Facts:
        """Everything that was told, taken apart."""
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
