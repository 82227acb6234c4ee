"""How each rule is covered: how many cases name it, and in how many it is proved, refuted or residual."""

from __future__ import annotations

from collections.abc import Iterable

from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import Collection
from gradual.conformance.runner.run import Result
from gradual.record import record


@record(frozen=False)
class Covered:
    """How many cases name a rule.

    Attributes:
        refuted: the cases in which an error cites the rule.
        residual: the other cases in which a residual check cites the rule.
        proved: the remaining cases, if their program is accepted.
    """

    cases: int = 0
    proved: int = 0
    refuted: int = 0
    residual: int = 0


def covered(collection: Collection, results: Iterable[Result]) -> dict[str, Covered]:
    """The counts of every rule that a heading or a case names."""
    rows = {rule: Covered() for rule in collection.rules}
    for result in results:
        for rule in result.case.rules:
            _count(rows.setdefault(rule, Covered()), rule, result)
    return rows


def _count(row: Covered, rule: str, result: Result) -> None:
    report = result.report
    row.cases += 1
    if report is None:
        return
    if any(d.rule == rule and d.severity == "error" for d in report.diagnostics):
        row.refuted += 1
    elif any(check.rule == rule for check in report.checks):
        row.residual += 1
    elif report.accepted:
        row.proved += 1


def rules_of(cases: Iterable[Case]) -> set[str]:
    """Every rule that some case names."""
    return {rule for case in cases for rule in case.rules}
