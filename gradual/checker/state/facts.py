"""Facts of a definition that know where they come from.

What a declaration, a size or an operator's result says holds wherever it can be said.  An accepted goal holds because a
run passed it, on the way to what follows.  The fields of a structure and the calls of a function may be on no way at
all, so there what was learnt before is like a condition: it proves, and refutes nothing.   [check.apart]

What is learnt inside a branch or a function literal is over at its end, and no size that leaves it is written by it.
Beside the facts are those that last.   [type.if.join]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from gradual.dims.store.facts import Facts, Mark
from gradual.dims.term.constraint import FALSE, Constraint, any_of, negated
from gradual.verdict import Proved, Refuted, Unknown, Verdict


class TracedFacts(Facts):
    """Facts beside which stands what was given and which goals were learnt, each in order.

    Attributes:
        ending: whether what is learnt now ends with a branch or a literal.
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
        """How many goals were learnt until here."""
        return len(self._learnt)

    @property
    def astray(self) -> bool:
        """Whether something was learnt that what was learnt before excludes.  [check.apart]"""
        return bool(self._astray)

    def assume(self, constraint: Constraint, learnt: bool = False) -> None:
        """Know a constraint unconditionally; `learnt` if it holds as long as a goal that was.  [dim.facts.assume]"""
        kept = self._ends if self.ending and (learnt or self._learns is not None) else self._lasts
        self._trail.put(kept, len(kept), constraint)
        if self._learns is not None:
            self._note(self._learns, constraint)
        elif constraint not in self._given:
            self._trail.put(self._given, constraint, None)
        super().assume(constraint)

    def _note(self, before: int, goal: Constraint) -> None:
        """A goal was learnt, where so many were learnt on another way: one of them may have been the same."""
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
        """Know a goal that was accepted, `before` which so many were learnt on another way.  [dim.facts.learn]

        One that follows from what is known says nothing more, but apart from what it followed from it does; one that
        leads `astray` cannot hold together with what is known, and may hold apart from it.  One that is `failing` for
        some sizes is an error if the definition is strict, unless it is `asserted`.
        """
        if failing and not asserted:
            self._trail.put(self._failing, goal, None)
        if asserted or not self._failing:  # what is proved after a failing goal may be proved by it
            self._trail.put(self._certain, goal, None)
        self._learns = before or 0
        super().learn(goal, _implausible(verdict) if astray else verdict)
        self._learns = None
        if before is not None and isinstance(verdict, Proved | Unknown) and verdict.plausible:
            self._note(before, goal)
        if astray:
            self._trail.put(self._astray, goal, None)

    def refuted(self) -> None:
        """A goal holds for no sizes that come here: none pass it.  [check.strict]"""
        self._trail.put(self._failing, FALSE, None)

    def passed(self, condition: Constraint, goals: Iterable[Constraint]) -> None:
        """Goals that fail for some sizes stand where a condition holds: what comes behind has passed them."""
        for goal in goals:
            self._trail.put(self._behind, any_of(negated(condition), goal), None)

    @contextmanager
    def behind(self) -> Iterator[None]:
        """Where the goals of branches before were passed: for what is reported, never for what is accepted.

        [check.strict]
        """
        mark = self.mark()
        for goal in self._behind:
            self.suppose(goal)
        yield
        self.rollback(mark)

    @property
    def failing(self) -> tuple[Constraint, ...]:
        """The goals that were learnt, or passed, though they fail for some sizes, in order."""
        return *self._behind, *self._failing

    def certain(self) -> Facts | None:
        """What is known without the goals that fail for some sizes; None if there are no such.  [check.strict]"""
        if not self._failing:
            return None
        facts = Facts()
        for constraint in (*self._given, *self._certain):
            facts.assume(constraint)
        return facts

    def rollback(self, mark: Mark) -> None:
        """Forget everything assumed, supposed or learnt since the mark."""
        super().rollback(mark)
        count = len(self._lasts)
        if len(self._marks) > count:
            self._lasting.rollback(self._marks[count])
            del self._marks[count:]

    def lasting(self) -> Facts:
        """The same facts without conditions, and without what was learnt where it ends.  [type.if.join]"""
        if not self._ends and not self._path:
            return self
        for index in range(len(self._marks), len(self._lasts)):
            self._marks.append(self._lasting.mark())
            self._lasting.assume(self._lasts[index])
        return self._lasting

    def apart(self, learnt: int) -> Facts:
        """The same facts, of which the first goals that were learnt are known for proofs only.  [check.apart]"""
        facts, goals = Facts(), [goal for _, goal in self._learnt]
        for constraint in (*self._given, *goals[learnt:]):
            facts.assume(constraint)
        for constraint in (*self.path, *goals[:learnt]):
            facts.suppose(constraint)
        return facts


def _implausible(verdict: Verdict) -> Verdict:
    return verdict if isinstance(verdict, Refuted) else replace(verdict, plausible=False)
