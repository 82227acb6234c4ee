"""How each rule is covered: how many cases name it, and in how many it is proved, refuted or residual."""

from __future__ import annotations

from collections.abc import Iterable

from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import Collection
from gradual.conformance.runner.run import Class, Result
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


@record
class Passed:
    """What an implementation makes of the cases that name a rule."""

    passed: int
    answered: int
    cases: int


def passed_by_rule(rules: Iterable[str], results: Iterable[Result]) -> dict[str, Passed]:
    """Rule -> how many of its cases passed, were answered, and exist; a known failure has not passed."""
    found = {rule: [0, 0, 0] for rule in rules}
    for result in results:
        for rule in result.case.rules:
            count = found.setdefault(rule, [0, 0, 0])
            count[0] += result.kind is Class.PASS
            count[1] += result.kind not in (Class.SKIPPED, Class.UNSUPPORTED)
            count[2] += 1
    return {rule: Passed(*count) for rule, count in found.items()}
