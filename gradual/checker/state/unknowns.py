"""The unknown sizes of a definition: the party to blame for each, and which values share one."""

from __future__ import annotations

from dataclasses import field

from gradual.core.check import Promise
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
from gradual.source import Span


@record(frozen=False, eq=False)
class Unknowns:
    """The size variables of a definition.

    Attributes:
        existentials: unknown -> its promise: the place in the text that it comes from, and the party to blame.
        rigids: rigid name, chosen by the caller -> the span of its binding.
        shared: key of a data-dependent unknown (operator label, operands) -> the unknown.
        forgotten: unknown -> the size that an annotation's `?` forgot; used only to warn of checks that never pass.
        alternatives: unknown of a join -> the sizes that it is one of.
        sized: the dims known to be sizes, hence not negative.
    """

    existentials: dict[Variable, Promise] = field(default_factory=dict)
    rigids: dict[Variable, Span] = field(default_factory=dict)
    shared: dict[object, Dim] = field(default_factory=dict)
    forgotten: dict[Variable, Dim] = field(default_factory=dict)
    alternatives: dict[Variable, tuple[Dim, ...]] = field(default_factory=dict)
    sized: dict[Dim, bool] = field(default_factory=dict)

    def remembered(self, goal: Constraint) -> Constraint:
        """The goal with the sizes that annotations forgot substituted."""
        for _ in range(len(self.forgotten)):
            if goal.variables().isdisjoint(self.forgotten):
                break
            goal = goal.substitute(self.forgotten)
        return goal


def single(dim: Dim) -> Variable:
    """The only variable of a dim."""
    (variable,) = dim.variables()
    return variable


def mentions_existential(goal: Dim | Constraint) -> bool:
    """Whether a goal mentions an unknown."""
    return any(variable.is_existential for variable in goal.variables())
