"""Compare two sizes for all arguments of a function.   [plan.slot]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from random import Random

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import Dim, Undefined, Variable
from gradual.limits import LIMITS
from gradual.record import record
from gradual.verdict import Proved

_EQUAL = (0, 1, 2, 3, 5, 8, 17, 64, 1000)
_DIFFERENT = (1, 2, 3, 7, 32, 225)
_SAMPLES = 16
"""How many samples are evaluated before a proof is tried."""

_PATIENCE = 16


@record(frozen=False, eq=False)
class Comparing:
    """Compares formulas, with a memo table and without an SMT solver.

    Attributes:
        goals: constraints that the arguments satisfy; a stack, with the goals of passed checks on top.
        decider: proves comparisons that no sample contradicts.
        patience: how many more proofs may fail before no more are tried.
    """

    goals: list[Constraint] = field(default_factory=list)
    decider: Decider = field(default_factory=lambda: Decider(LIMITS, smt=False))
    patience: int = _PATIENCE
    _answers: dict[tuple[Dim, Dim, int], bool] = field(default_factory=dict)
    _drawn: dict[Variable, tuple[int, ...]] = field(default_factory=dict)

    def at_most(self, low: Dim, high: Dim, facts: Facts, point: int = 0) -> bool:
        """Whether `low <= high` is proved from the facts at a point of the function; 0 is its entry.

        Both sizes are formulas over what is known on entry; no proof is tried if a sample contradicts it.
        """
        difference = (high - low).value
        if difference is not None:
            return difference >= 0
        key = low, high, point
        if key not in self._answers:
            self._answers[key] = not self._fails(low, high) and self.proved(low, high, facts)
        return self._answers[key]

    def proved(self, low: Dim, high: Dim, facts: Facts) -> bool:
        """Whether `low <= high` is proved; both may mention any variables. False once the patience is used up."""
        if not self.patience:
            return False
        found = isinstance(self.decider.decide(facts, at_least(high, low)), Proved)
        self.patience -= not found
        return found

    def _fails(self, low: Dim, high: Dim) -> bool:
        """Whether `low > high` for one of the samples that satisfy the goals."""
        names = sorted(low.variables() | high.variables())
        for sample in range(_SAMPLES):
            env = {name: self._number(name, sample) for name in names}
            if self._admitted(env) and _value(low, env) > _value(high, env):
                return True
        return False

    def _number(self, name: Variable, sample: int) -> int:
        """The number of a variable in a sample: the first samples give all variables the same number."""
        if name not in self._drawn:
            draw = Random(name.name).choice
            self._drawn[name] = (*_EQUAL, *(draw(_DIFFERENT) for _ in range(_SAMPLES - len(_EQUAL))))
        return self._drawn[name][sample]

    def _admitted(self, env: Mapping[Variable, int]) -> bool:
        """Whether no goal about these unknowns alone is violated."""
        return all(_holds(goal, env) for goal in self.goals if goal.variables() <= env.keys())


def _value(dim: Dim, env: Mapping[Variable, int]) -> int:
    try:
        return dim.evaluate(env)
    except Undefined:
        return 0


def _holds(goal: Constraint, env: Mapping[Variable, int]) -> bool:
    try:
        return goal.evaluate(env)
    except Undefined:
        return False
