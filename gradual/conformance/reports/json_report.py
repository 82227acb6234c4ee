"""The results of a run as one JSON object."""

from __future__ import annotations

import json
from typing import Any

from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.run import Result, verdicts


def json_report(summary: Summary) -> str:
    """The report: tallies by profile, and of the verdict for either kind of program; then every case."""
    tallies = {
        profile.value: {"passed": tally.passed, "answered": tally.answered, "asked": tally.asked}
        for profile, tally in summary.tallies.items()
    }
    kinds = {
        "accept" if kind else "reject": {"passed": tally.passed, "answered": tally.answered, "asked": tally.asked}
        for kind, tally in verdicts(summary.results).items()
    }
    form = {
        "implementation": summary.implementation,
        "suite": summary.suite,
        "level": summary.level,
        "profiles": tallies,
        "verdicts": kinds,
        "cases": list(map(_case, summary.results)),
    }
    return json.dumps(form, indent=1, ensure_ascii=False) + "\n"


def _case(result: Result) -> dict[str, Any]:
    case = result.case
    failures = [
        {"profile": failure.profile.value, "file": case.file, "line": failure.line, "message": failure.message}
        for failure in result.failures
    ]
    place = {"id": case.id, "file": case.file, "line": case.line, "rules": list(case.rules)}
    return place | {"class": result.kind.value, "failures": failures, "reason": result.trace.rstrip()}
