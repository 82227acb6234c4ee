"""The obligations of a definition that were not proved: postponed, left as checks, or passed on to callers."""

from __future__ import annotations

from dataclasses import field

from gradual.checker.program.program import Latent
from gradual.core.check import Check
from gradual.diagnostic import Diagnostic
from gradual.dims.store.facts import Cone
from gradual.dims.term.constraint import Constraint
from gradual.record import record
from gradual.verdict import Refuted, Unknown


@record(eq=False)
class Postponed:
    """A goal that was not proved; if it fails for some sizes, it is an error if the definition turns out strict.

    Attributes:
        error: the error if the definition is strict.
        rigid: whether the goal is undecided and mentions no unknown; it is then a warning in a gradual definition.
        goal: the goal, a fact in the code after it; None for sizes that disagree, which give no fact.
        check: the run-time check if the definition is gradual.
        follows: whether the error only follows from one that is reported already.
        never: the error if the definition is gradual but the goal fails for all sizes that pass the checks before it.
        everywhere: whether the goal is on every path through the definition.
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
        """Whether the goal is refuted or has a counterexample."""
        return isinstance(self.verdict, Refuted) or fails(self.verdict)


def fails(verdict: Unknown) -> bool:
    """Whether an undecided goal has a counterexample."""
    return bool(verdict.witness) and not verdict.gave_up


@record(frozen=False, eq=False)
class Obligations:
    """The obligations of a definition.

    Attributes:
        proved: the number of obligations proved.
        postponed: goals that were not proved, in order.
        checks: the goals left to run time.
        cones: check -> the facts relevant to its goal.
        deferred: errors about values made from sizes that may differ. In a strict definition the differing sizes are
            an error themselves, from which these would only follow, so they are dropped; else they are reported.
        latent: requirements of callees on this definition's parameters.  [type.call.latent]
    """

    proved: int = 0
    postponed: list[Postponed] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    cones: dict[Check, Cone] = field(default_factory=dict)
    deferred: list[Diagnostic] = field(default_factory=list)
    latent: list[Latent] = field(default_factory=list)
