"""Facts of a definition with their provenance.

Given facts come from declarations, sizes and operator results, and hold wherever they can be stated. Accepted goals
hold only after a run has passed them. A hypothetical scope, which converts a field of data or is a part of a proxy, may
never run, so there the goals accepted outside are treated as path conditions: they prove goals but refute none.
[check.apart]

Goals accepted in a branch or function literal are facts only inside it, and must not simplify sizes that are used
outside. The facts that hold outside of branches too are also kept separately (`lasting`).   [type.if.join]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from gradual.dims.store.facts import Facts, Mark
from gradual.dims.term.constraint import FALSE, Constraint, any_of, negated
from gradual.verdict import Proved, Refuted, Unknown, Verdict


class TracedFacts(Facts):
    """Facts that also record, in order, which were given and which are accepted ("learnt") goals.

    Attributes:
        ending: whether goals accepted now are facts only up to the end of a branch or a function literal.
    """

    def __init__(self) -> None:
        super().__init__()
        self._given: dict[Constraint, None] = {}
        self._learnt: dict[tuple[int, Constraint], None] = {}
        self._astray: dict[Constraint, None] = {}
        self._learns: int | None = None
        self.ending = False
        self._lasts: dict[int, Constraint] = {}
        self._ends: dict[int, Constraint] = {}
        self._failing: dict[Constraint, None] = {}
        self._certain: dict[Constraint, None] = {}
        self._behind: dict[Constraint, None] = {}
        self._lasting = Facts()
        self._marks: list[Mark] = []

    @property
    def learnt(self) -> int:
        """The number of goals accepted so far."""
        return len(self._learnt)

    @property
    def astray(self) -> bool:
        """Whether an accepted goal contradicts goals accepted before.  [check.apart]"""
        return bool(self._astray)

    def assume(self, constraint: Constraint, learnt: bool = False, ended: bool = False) -> None:
        """Add a fact; `learnt` if it holds only as long as an accepted goal does.  [dim.facts.assume]

        What is known since a branch `ended` is certain only if no goal has failed before.   [check.strict]
        """
        kept = self._ends if self.ending and (learnt or self._learns is not None) else self._lasts
        self._trail.put(kept, len(kept), constraint)
        if self._learns is not None:
            self._note(self._learns, constraint)
        elif constraint not in self._given and not (ended and self._failing):
            self._trail.put(self._given, constraint, None)
        super().assume(constraint)

    def _note(self, before: int, goal: Constraint) -> None:
        """Record an accepted goal; `before` goals were accepted outside, and may include the same one."""
        if (before, goal) not in self._learnt:
            self._trail.put(self._learnt, (before, goal), None)

    def learn(
        self,
        goal: Constraint,
        verdict: Verdict,
        before: int | None = None,
        astray: bool = False,
        failing: bool = False,
        asserted: bool = False,
    ) -> None:
        """Add an accepted goal to the facts; `before`: in code that may never run, how many were accepted outside.

        A goal implied by the facts is recorded too: `apart` may turn the facts that imply it into path conditions, and
        then only the recorded goal can refute another one. An `astray` goal contradicts the facts, but may hold without
        the goals from outside. A goal `failing` for some sizes is an error if the definition is strict, unless it is
        `asserted`.   [dim.facts.learn]
        """
        if failing and not asserted:
            self._trail.put(self._failing, goal, None)
        if asserted or not self._failing:  # a goal proved after a failing goal may depend on it
            self._trail.put(self._certain, goal, None)
        self._learns = before or 0
        super().learn(goal, _implausible(verdict) if astray else verdict)
        self._learns = None
        if before is not None and isinstance(verdict, Proved | Unknown) and verdict.plausible:
            self._note(before, goal)
        if astray:
            self._trail.put(self._astray, goal, None)

    def refuted(self) -> None:
        """Record that a goal was refuted here, so that code after it is never reached.  [check.strict]"""
        self._trail.put(self._failing, FALSE, None)

    def passed(self, condition: Constraint, goals: Iterable[Constraint]) -> None:
        """Record goals of a branch that fail for some sizes; code after the branch passed them if `condition` holds.

        A refuted goal of the branch is a mistake of its own, and hides none after the branch.  [check.strict]
        """
        for goal in (goal for goal in goals if goal is not FALSE):
            self._trail.put(self._behind, any_of(negated(condition), goal), None)

    @contextmanager
    def behind(self) -> Iterator[None]:
        """Assume the goals of earlier branches inside the `with` block; only for reports, never to accept a goal.

        [check.strict]
        """
        mark = self.mark()
        for goal in self._behind:
            self.suppose(goal)
        yield
        self.rollback(mark)

    @property
    def failing(self) -> tuple[Constraint, ...]:
        """The goals accepted here or in earlier branches although they fail for some sizes."""
        return *self._behind, *self._failing

    def certain(self) -> Facts | None:
        """The facts without goals that fail for some sizes; None if there are no such goals.  [check.strict]"""
        if not self._failing:
            return None
        facts = Facts()
        for constraint in (*self._given, *self._certain):
            facts.assume(constraint)
        return facts

    def rollback(self, mark: Mark) -> None:
        """Remove all facts, conditions and goals added since the mark."""
        super().rollback(mark)
        count = len(self._lasts)
        if len(self._marks) > count:
            self._lasting.rollback(self._marks[count])
            del self._marks[count:]

    def lasting(self) -> Facts:
        """The facts that hold outside of branches: no path conditions, no goals of branches.  [type.if.join]"""
        if not self._ends and not self._path:
            return self
        for index in range(len(self._marks), len(self._lasts)):
            self._marks.append(self._lasting.mark())
            self._lasting.assume(self._lasts[index])
        return self._lasting

    def apart(self, learnt: int) -> Facts:
        """The facts, with the first `learnt` accepted goals as path conditions, which only prove.  [check.apart]"""
        facts, goals = Facts(), [goal for _, goal in self._learnt]
        for constraint in (*self._given, *goals[learnt:]):
            facts.assume(constraint)
        for constraint in (*self.path, *goals[:learnt]):
            facts.suppose(constraint)
        return facts


def _implausible(verdict: Verdict) -> Verdict:
    return verdict if isinstance(verdict, Refuted) else replace(verdict, plausible=False)
