"""The gradual guarantees: less precise annotations are accepted, and change no value.  [T9] [T10]"""

from __future__ import annotations

from tests.properties.case import Case, errors
from tests.properties.compiling import Outcome, alike, outcome


def static_guarantee(case: Case) -> str | None:
    """A less precise program is accepted too.  [T9]"""
    if not case.found.ok or case.gave_up:
        return None
    for program, found in case.less_precise:
        if not found.ok:
            return f"rejected when less precise: {errors(found)}\n{program}"
    return None


def dynamic_guarantee(case: Case) -> str | None:
    """A less precise program ends with the same value, and blames only where the other does.  [T10]"""
    if not case.found.ok:
        return None
    for program, found in case.less_precise:
        for values, ended in zip(case.inputs, case.outcomes, strict=True) if found.ok else ():
            wrong = _less_precise(ended, outcome(found.core, values))
            if wrong:
                return f"on {values}: {wrong}\n{program}"
    return None


def _less_precise(ended: Outcome, other: Outcome) -> str:
    """What speaks against `other` being the outcome of a less precise program; a trap may go with its contents."""
    if ended.kind == "value" and (other.kind != "value" or not alike(ended.value, other.value)):
        return f"{ended}, less precise {other}"
    if other.kind == "blame" and ended.kind != "blame":
        return f"{ended}, less precise {other}"
    if ended.kind == "fault" and ended.label is not None and ended.label[0] != "E0605" and not _alike(ended, other):
        return f"{ended}, less precise {other}"
    return f"less precise {other}" if other.kind == "stuck" else ""


def _alike(ended: Outcome, other: Outcome) -> bool:
    return other.label is not None and ended.label is not None and other.label[0] == ended.label[0]
