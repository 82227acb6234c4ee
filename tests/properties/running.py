"""Runs: accepted programs are never stuck, have the types they claim, and only owe what was left to check."""

from __future__ import annotations

from gradual.source import Span
from tests.properties.case import Case, errors
from tests.properties.compiling import outcome, same


def soundness(case: Case) -> str | None:
    """An accepted program is never stuck, and every value is what its type says.  [T5] [T6]"""
    for values, ended in zip(case.inputs, case.outcomes, strict=True) if case.found.ok else ():
        if ended.kind == "stuck":
            return f"stuck on {values}: {ended.says}"
    return None


def elimination(case: Case) -> str | None:
    """Leaving out the checks that were proved changes nothing, not even which check fails.  [T7]"""
    if not case.found.ok:
        return None
    if not case.doubtful.ok:
        return f"rejected with every goal left to run time: {errors(case.doubtful)}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True):
        other = outcome(case.doubtful.core, values)
        if not same(ended, other):
            return f"on {values}: {ended}, with all checks {other}"
    return None


def blame_safety(case: Case) -> str | None:
    """Only a residual check or the entry contract ever blames.  [T12]"""
    labels = {(check.blame.rule, check.span) for check in case.found.checks}
    for ended in case.outcomes if case.found.ok else ():
        if ended.kind == "blame" and ended.label is not None and not ended.at_entry:
            rule, span = ended.label[1], Span(*ended.label[2:])
            if (rule, span) not in labels:
                return f"blame without a residual check: {ended}"
    return None
