"""The results of a run as one JSON object."""

from __future__ import annotations

import json
from typing import Any

from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.run import Result


def json_report(summary: Summary) -> str:
    """The report: the tallies of each profile, then every case with its class, failures and reason."""
    tallies = {
        profile.value: {"passed": tally.passed, "answered": tally.answered, "asked": tally.asked}
        for profile, tally in summary.tallies.items()
    }
    form = {
        "implementation": summary.implementation,
        "suite": summary.suite,
        "level": summary.level,
        "profiles": tallies,
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
