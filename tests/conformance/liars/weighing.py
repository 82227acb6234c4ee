"""Which cases tell a liar: each case is compiled once, and put to the liars that too few cases have told so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from gradual.conformance.cases.case import Case, ExpectedValue, Expectation
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import Class, examined
from gradual.record import record
from tests.conformance.liars.arithmetic import ARITHMETIC
from tests.conformance.liars.kernels import kernel_liars, traced
from tests.conformance.liars.outcomes import OUTCOMES
from tests.conformance.liars.reports import REPORTS
from tests.conformance.liars.truth import Liar, Lying, Truth

GENERAL: tuple[Liar, ...] = (*REPORTS, *OUTCOMES, *ARITHMETIC)
"""All liars that are not about one operator."""

RUNS = frozenset({Profile.RUN})


@record(frozen=False)
class Weighed:
    """What a suite tells.

    Attributes:
        general: a general liar's name -> the first cases that tell it.
        kernels: an operator, and a lie about its results -> the first cases that tell it.
    """

    general: dict[str, list[str]] = field(default_factory=dict)
    kernels: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def short_of(self, lie: str, enough: int, operators: Iterable[str]) -> dict[str, int]:
        """The operators for which fewer cases than `enough` tell a lie, with the number of those that do."""
        counts = {name: len(self.kernels.get(name, {}).get(lie, ())) for name in operators}
        return {name: count for name, count in counts.items() if count < enough}


def weighed(cases: Iterable[Case], general: Sequence[Liar] = GENERAL, enough: int = 2) -> Weighed:
    """The first `enough` cases that tell each liar."""
    found = Weighed({liar.name: [] for liar in general})
    for case in cases:
        truth, seen = Truth(), dict[str, int]()
        with traced(seen):
            if examined(case, Lying(Liar("truth"), truth)).kind is not Class.PASS:
                continue
        _weigh_general(case, truth, general, found.general, enough)
        if any(isinstance(wanted, ExpectedValue) for wanted in case.expectation.outcomes):
            _weigh_kernels(case, truth, seen, found.kernels, enough)
    return found


def _weigh_general(
    case: Case, truth: Truth, liars: Sequence[Liar], told: dict[str, list[str]], enough: int
) -> None:
    for liar in liars:
        if len(told[liar.name]) < enough and examined(case, Lying(liar, truth)).kind is Class.FAIL:
            told[liar.name].append(case.id)


def _weigh_kernels(
    case: Case, truth: Truth, seen: dict[str, int], told: dict[str, dict[str, list[str]]], enough: int
) -> None:
    """Put the case to liars about the operators that its runs evaluate; only outcomes are compared."""
    only = replace(case.expectation, types=(), checks=None, core=None, after=None, left=None)
    bare = replace(case, expectation=only)
    for operator, parts in seen.items():
        for lie, liar in kernel_liars(operator, parts).items():
            tally = told.setdefault(operator, {}).setdefault(lie, [])
            if len(tally) < enough and examined(bare, Lying(liar, truth), RUNS).kind is Class.FAIL:
                tally.append(case.id)
