"""Group the checks caused by one unknown: report the unknown, its origin, and the checks that knowing it would save."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from gradual.codes import LOST
from gradual.core.check import Check, Promise
from gradual.diagnostic import Diagnostic, Severity
from gradual.source import Span

MANY = 3
"""The least number of checks about one unknown that are reported together."""


def lost(checks: Iterable[Check]) -> Iterator[Diagnostic]:
    """A note for every unknown that many checks are about, in the order of the text.  [check.residual]"""
    about: dict[tuple[Span, str], list[tuple[Check, Promise]]] = defaultdict(list)
    for check in checks:
        if any(variable.is_existential for variable in check.goal.variables()):
            for promise in check.blame.promises:
                about[promise.span, promise.says].append((check, promise))
    for (span, says), found in sorted(about.items(), key=lambda item: item[0][0].start):
        if len(found) >= MANY:
            names = {check.blame.worded(name) for check, promise in found for name in promise.names}
            yield _diagnostic(span, f"`{names.pop()}`" if len(names) == 1 else says, [check for check, _ in found])


def _diagnostic(span: Span, says: str, found: list[Check]) -> Diagnostic:
    ids, alone = [check.id for check in found], [check.id for check in found if _is_about_one(check)]
    some = "all of them" if len(alone) == len(ids) else _listed(alone)
    notes = [f"they are {_listed(ids)}", *([f"a number known here would decide {some}"] if alone else [])]
    return Diagnostic(
        LOST,
        "check.residual",
        f"{len(ids)} residual checks are about {says}",
        span,
        Severity.NOTE,
        "not known before the program runs",
        notes=tuple(notes),
        data={"checks": ids, "alone": alone},
    )


def _is_about_one(check: Check) -> bool:
    """Whether all variables in the check's condition are unknowns, with a single origin."""
    return len(check.blame.promises) == 1 and all(variable.is_existential for variable in check.goal.variables())


def _listed(ids: list[str]) -> str:
    return ", ".join(ids[:-1]) + " and " + ids[-1] if len(ids) > 1 else "".join(ids)
