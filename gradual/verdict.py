"""The three verdicts on a goal about sizes, each with its evidence.

A verdict has no truth value: `if verdict:` raises, so that "unknown" can never be taken for "yes" or "no".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NoReturn

from gradual.record import record


class _Verdict:
    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has no truth value: match it")


@record
class Proved(_Verdict):
    """The goal holds at every size that the facts admit.

    Attributes:
        by: the stage that proved it.
        plausible: as for `Unknown`; False only if path conditions prove the goal, and no such valuation is known.
    """

    by: str
    plausible: bool = True


@record
class Refuted(_Verdict):
    """The goal holds at no size that the facts admit; `witness` is a sample valuation of its variables by name."""

    because: str
    witness: Mapping[str, int] = field(default_factory=dict)


@record
class Unknown(_Verdict):
    """The goal may hold and may fail, or could not be decided.

    Attributes:
        because: why it is not proved, in the user's words.
        witness: the least valuation found at which the goal fails, by variable name; empty if none was found.
        fails_if_reached: the goal contradicts the path condition (but not the unconditional facts).
        gave_up: the solver's budget ran out before an answer.
        plausible: whether a valuation is known at which the goal holds with the unconditional facts; if not, the goal
            is a fact for proofs only after its check has passed.
    """

    because: str
    witness: Mapping[str, int] = field(default_factory=dict)
    fails_if_reached: bool = False
    gave_up: bool = False
    plausible: bool = True


Verdict = Proved | Refuted | Unknown
