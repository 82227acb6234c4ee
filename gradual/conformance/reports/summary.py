"""A run, as its reports tell it: who was asked, by which suite, and the outcome of each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from gradual.conformance.cases.case import Problem
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
        rules: the rules of the specification, each with its position.
    """

    implementation: str
    suite: str
    level: str | None
    results: Sequence[Result]
    profiles: frozenset[Profile] = EVERY
    rules: Mapping[str, Problem] = field(default_factory=dict)

    @property
    def tallies(self) -> dict[Profile, Tally]:
        """The counts for each profile."""
        return tallied(self.results, self.profiles)
