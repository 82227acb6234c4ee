"""Residual checks as diagnostics: notes, or errors if they are denied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gradual.core.check import Check
from gradual.diagnostic import Diagnostic, Help, Related, Severity
from gradual.report.located import of_model
from gradual.source import Source


def residual(check: Check, severity: Severity = Severity.NOTE, help: Help | None = None) -> Diagnostic:
    """A note: the check's condition, the origin of its unknowns, the blame, and how to prove it.  [check.residual]"""
    blame = check.blame
    notes = [f"guards against: {blame.says}, by rule {blame.rule}"]
    notes += [f"not proved: {blame.because}"] if blame.because else []
    notes += blame.terms
    return Diagnostic(
        code="E0401",
        rule="check.residual",
        severity=severity,
        message=f"residual check {check.id}: {check.shown}",
        span=check.span,
        label="checked here, at run time",
        related=tuple(Related(promise.span, promise.says) for promise in blame.promises),
        notes=(*notes, f"if it fails, blame goes to {blame.blamed}"),
        help=() if help is None else (help,),
        data={"check": check.id, "condition": check.shown, "goal": check.condition, "not_empty": check.not_empty},
    )


_WARNED = ("E0402", "E0403")
"""The warnings about requirements that are left as checks."""


def with_checks(
    said: Sequence[Diagnostic], helped: Iterable[tuple[Check, Help | None]], source: Source
) -> list[Diagnostic]:
    """Diagnostics, with a note for each residual check of a program.

    If a warning is about the same requirement, the check is named in the warning instead of a note.  [check.residual]
    """
    warned = {(one.span, goal): place for place, one in enumerate(said) if one.code in _WARNED for goal in one.goals}
    found, notes = list(said), []
    for check, help in helped:
        place = warned.get((check.span, str(check.blame.owed)))
        if place is None:
            notes.append(of_model(source, residual(check, help=help)))
        else:
            told = f"residual check {check.id}: if it fails, blame goes to {check.blame.blamed}"
            helps = found[place].help or (() if help is None else (help,))
            found[place] = replace(found[place], notes=(*found[place].notes, told), help=helps)
    return [*found, *notes]
