"""Facts of a definition that know where they come from.

What a declaration, a size or an operator's result says holds wherever it can be said.  An accepted goal holds because a
run passed it, on the way to what follows.  The fields of a structure and the calls of a function may be on no way at
all, so there what was learnt before is like a condition: it proves, and refutes nothing.   [check.apart]
"""

from __future__ import annotations

from dataclasses import replace

from gradual.dims.constraint import Constraint
from gradual.dims.facts import Facts
from gradual.verdict import Proved, Refuted, Unknown, Verdict


class Learning(Facts):
    """Facts beside which stands what was given and which goals were learnt, each in order."""

    def __init__(self) -> None:
        super().__init__()
        self._given: dict[Constraint, None] = {}
        self._learnt: dict[Constraint, None] = {}
        self._astray: dict[Constraint, None] = {}
        self._learns = False

    @property
    def learnt(self) -> int:
        """How many goals were learnt until here."""
        return len(self._learnt)

    @property
    def astray(self) -> bool:
        """Whether something was learnt that what was learnt before excludes.  [check.apart]"""
        return bool(self._astray)

    def assume(self, constraint: Constraint) -> None:
        """Know a constraint unconditionally.  [dim.facts.assume]"""
        table = self._learnt if self._learns else self._given
        if constraint not in table:
            self._trail.put(table, constraint, None)
        super().assume(constraint)

    def learn(self, goal: Constraint, verdict: Verdict, apart: bool = False, astray: bool = False) -> None:
        """Know a goal that was accepted.  [dim.facts.learn]

        One that follows from what is known says nothing more, but `apart` from what it followed from it does; one that
        leads `astray` cannot hold together with what is known, and may hold apart from it.
        """
        self._learns = True
        super().learn(goal, _implausible(verdict) if astray else verdict)
        self._learns = False
        if apart and isinstance(verdict, Proved | Unknown) and verdict.plausible and goal not in self._learnt:
            self._trail.put(self._learnt, goal, None)
        if astray:
            self._trail.put(self._astray, goal, None)

    def apart(self, learnt: int) -> Facts:
        """The same facts, of which the first goals that were learnt are known for proofs only.  [check.apart]"""
        facts, goals = Facts(), list(self._learnt)
        for constraint in (*self._given, *goals[learnt:]):
            facts.assume(constraint)
        for constraint in (*self.path, *goals[:learnt]):
            facts.suppose(constraint)
        return facts


def _implausible(verdict: Verdict) -> Verdict:
    return verdict if isinstance(verdict, Refuted) else replace(verdict, plausible=False)
