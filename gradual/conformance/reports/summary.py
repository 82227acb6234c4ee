"""A run, as its reports tell it: who was asked, by which suite, and the outcome of each case."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.conformance.runner.judge import EVERY, Profile
from gradual.conformance.runner.run import Result, Tally, tallied
from gradual.record import record


@record
class Summary:
    """A finished run.

    Attributes:
        implementation: the name and version by which it greeted.
        suite: the version of the suite.
        level: the level whose cases were asked; None for every case.
        profiles: those that were compared.
    """

    implementation: str
    suite: str
    level: str | None
    results: Sequence[Result]
    profiles: frozenset[Profile] = EVERY

    @property
    def tallies(self) -> dict[Profile, Tally]:
        """The counts for each profile."""
        return tallied(self.results, self.profiles)
