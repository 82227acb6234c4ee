"""The obligations of a definition that were not proved: postponed, left as checks, or passed on to callers."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradual.checker.program.program import Latent
from gradual.core.check import Check
from gradual.diagnostic import Diagnostic
from gradual.dims.store.facts import Cone
from gradual.dims.term.constraint import Constraint
from gradual.verdict import Refuted, Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Postponed:
    """A goal that was not proved: an error after all if the definition turns out strict.

    Attributes:
        error: what is told if the definition is strict.
        goal: the goal, which is known from there on; None for sizes that disagree, of which nothing is known.
        check: the check that it is otherwise.
        follows: whether it only follows from an error that is told already.
        everywhere: whether every way through the definition meets it.
        never: what is told in a gradual definition, where the goal fails for all sizes that pass the checks before.
    """

    verdict: Unknown | Refuted
    error: Diagnostic
    rigid: bool
    goal: Constraint | None = None
    check: Check | None = None
    follows: bool = False
    never: Diagnostic | None = None
    everywhere: bool = False

    @property
    def fails(self) -> bool:
        """Whether a valuation is known at which the goal fails."""
        return isinstance(self.verdict, Refuted) or fails(self.verdict)


def fails(verdict: Unknown) -> bool:
    """Whether a valuation is known at which a goal fails that is not proved."""
    return bool(verdict.witness) and not verdict.gave_up


@dataclass(slots=True, eq=False)
class Obligations:
    """What a definition owes.

    Attributes:
        proved: how many obligations were proved.
        postponed: goals that were not proved, in order.
        checks: those that are left to run time.
        cones: what was known about the goal of each check.
        deferred: errors about doubtful values: reported unless the definition is strict.
        latent: what callees will check of this definition's parameters.  [type.call.latent]
    """

    proved: int = 0
    postponed: list[Postponed] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    cones: dict[Check, Cone] = field(default_factory=dict)
    deferred: list[Diagnostic] = field(default_factory=list)
    latent: list[Latent] = field(default_factory=list)
