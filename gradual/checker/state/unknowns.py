"""The unknown sizes of a definition: who left each open, and which values share one."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradual.core.check import Promise
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.source import Span


@dataclass(slots=True, eq=False)
class Unknowns:
    """The variables of sizes that a definition meets.

    Attributes:
        existentials: who left each unknown open.
        rigids: where each name is bound that a caller chooses.
        shared: unknowns that depend on data, by what they depend on.
        forgotten: the size that an annotation's `?` forgot; never used in a verdict.
        alternatives: of some of these, the sizes that they are one of.
        sized: the dims of which it is known that they are sizes.
    """

    existentials: dict[Variable, Promise] = field(default_factory=dict)
    rigids: dict[Variable, Span] = field(default_factory=dict)
    shared: dict[object, Dim] = field(default_factory=dict)
    forgotten: dict[Variable, Dim] = field(default_factory=dict)
    alternatives: dict[Variable, tuple[Dim, ...]] = field(default_factory=dict)
    sized: dict[Dim, bool] = field(default_factory=dict)

    def remembered(self, goal: Constraint) -> Constraint:
        """The goal with what annotations forgot put back."""
        for _ in range(len(self.forgotten)):
            if goal.variables().isdisjoint(self.forgotten):
                break
            goal = goal.substitute(self.forgotten)
        return goal


def single(dim: Dim) -> Variable:
    """The one variable of a existential."""
    (variable,) = dim.variables()
    return variable


def mentions_existential(goal: Dim | Constraint) -> bool:
    """Whether an unknown takes part."""
    return any(variable.is_existential for variable in goal.variables())
