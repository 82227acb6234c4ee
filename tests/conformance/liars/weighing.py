"""Which cases tell a liar: each case is compiled once, and put to the liars that too few cases have told so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from gradual.conformance.cases.case import Case, ExpectedValue
from gradual.conformance.runner.judge import EVERY, WRITING, Profile
from gradual.conformance.runner.run import Class, examined
from gradual.record import record
from tests.conformance.liars.arithmetic import ARITHMETIC
from tests.conformance.liars.kernels import LIES, Change, kernel_liars, traced
from tests.conformance.liars.outcomes import OUTCOMES
from tests.conformance.liars.reports import REPORTS
from tests.conformance.liars.truth import Liar, Lying, Truth, reported

GENERAL: tuple[Liar, ...] = (*REPORTS, *OUTCOMES, *ARITHMETIC)
"""All liars that are not about one operator."""

RUNS = frozenset({Profile.RUN})
ONCE = EVERY - WRITING
"""No liar writes programs: lies about what is written are in `test_written.py`."""


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


def weighed(
    cases: Iterable[Case],
    general: Sequence[Liar] = GENERAL,
    enough: int = 2,
    lies: Mapping[str, Change] = LIES,
) -> Weighed:
    """The first `enough` cases that tell each liar, and each lie about an operator's elements.

    Variants are left out: only their verdicts are compared.
    """
    found = Weighed({liar.name: [] for liar in general})
    for case in cases:
        if case.expectation.variant:
            continue
        truth, seen = Truth(), dict[str, int]()
        with traced(seen):
            if examined(case, Lying(Liar("truth"), truth), ONCE).kind is not Class.PASS:
                continue
        _weigh_general(case, truth, general, found.general, enough)
        if any(isinstance(wanted, ExpectedValue) for wanted in case.expectation.outcomes):
            _weigh_kernels(case, truth, seen, lies, found.kernels, enough)
    return found


def _weigh_general(case: Case, truth: Truth, liars: Sequence[Liar], told: dict[str, list[str]], enough: int) -> None:
    runs = bare(case)
    for liar in liars:
        if len(told[liar.name]) >= enough:
            continue
        of_reports = liar.check is not reported
        if of_reports and liar.check(truth, case.request) == truth.check(case.request):
            continue
        if examined(case if of_reports else runs, Lying(liar, truth), ONCE).kind is Class.FAIL:
            told[liar.name].append(case.id)


def _weigh_kernels(
    case: Case,
    truth: Truth,
    seen: Mapping[str, int],
    lies: Mapping[str, Change],
    told: dict[str, dict[str, list[str]]],
    enough: int,
) -> None:
    """Put the case to liars about the operators that its runs evaluate."""
    runs = bare(case)
    for operator, parts in seen.items():
        for lie, liar in kernel_liars(operator, parts, lies).items():
            tally = told.setdefault(operator, {}).setdefault(lie, [])
            if len(tally) < enough and examined(runs, Lying(liar, truth), RUNS).kind is Class.FAIL:
                tally.append(case.id)


def bare(case: Case) -> Case:
    """The case with only its outcomes expected, and what decides how calls are run."""
    optional = tuple(replace(one, optional=True) for one in case.expectation.diagnostics)
    only = replace(case.expectation, diagnostics=optional, types=(), checks=None, core=None, after=None, left=None)
    return replace(case, expectation=only)
