"""Rewriting expectations from the answers: spans, types, checks and values, never a verdict or a code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from gradual.conformance.cases.annotation import is_annotation, rewritten
from gradual.conformance.cases.answer import FoundDiagnostic, GotBlame, GotFault, GotValue, Outcome, Report
from gradual.conformance.cases.case import (
    Case,
    ExpectedBlame,
    ExpectedDiagnostic,
    ExpectedFault,
    ExpectedOutcome,
    ExpectedRelated,
    ExpectedValue,
)
from gradual.conformance.runner.judge import Profile, outcome_judged
from gradual.interface.input.values import Built, Drawn, Fields, Literal, Values, written

Blocks = Mapping[str, list[str]]


class Refused(Exception):
    """Raised if the answer differs in what only an author may change: a verdict, a code, the kind of an outcome."""


def blessed(case: Case, report: Report, outcomes: list[Outcome], formatted: str = "") -> dict[str, list[str]]:
    """Block -> its new lines, for blocks that change; raises Refused if a verdict or a code would change."""
    if case.expectation.variant:
        raise Refused("a variant says only verdicts and codes")
    pairs = _paired(case, report)
    blocks = {
        "relay": _program(case, pairs),
        "types": _types(case, report),
        "checks": _checks(case, report),
        "core": [line.rstrip() for line in report.core],
        "static": list(report.static),
        "plan": list(report.plan),
        "after": [line.rstrip() for line in report.after],
        "left": list(report.left),
        "run": _runs(case, outcomes),
        "fmt": formatted.rstrip("\n").split("\n"),
        "places": _places(case, report),
    }
    kept = {name: lines for name, lines in blocks.items() if name in case.fences}
    if case.expectation.checks is not None and "checks" not in case.fences and blocks["checks"]:
        raise Refused("checks are left that the case does not expect: write a `checks` block")
    return {name: lines for name, lines in kept.items() if lines != list(case.fences[name].lines)}


def _paired(case: Case, report: Report) -> list[tuple[ExpectedDiagnostic, FoundDiagnostic | None]]:
    """Each expected diagnostic with the found one of its code, in order."""
    wanted = case.expectation
    if wanted.accepted is not None and wanted.accepted != report.accepted:
        raise Refused("the verdict differs")
    found = sorted((d for d in report.diagnostics if d.severity in ("error", "warning")), key=lambda d: d.place)
    needed = Counter((d.severity, d.code) for d in wanted.diagnostics if not d.optional)
    allowed = Counter((d.severity, d.code) for d in wanted.diagnostics)
    codes = Counter((d.severity, d.code) for d in found)
    if needed - codes or codes - allowed:
        raise Refused("the codes differ")
    return [(d, _taken(d, found)) for d in sorted(wanted.diagnostics, key=lambda d: d.line)]


def _taken(wanted: ExpectedDiagnostic, found: list[FoundDiagnostic]) -> FoundDiagnostic | None:
    fitting = [d for d in found if (d.severity, d.code) == (wanted.severity, wanted.code)]
    exact = next((d for d in fitting if d.place == wanted.place), fitting[0] if fitting else None)
    if exact is not None:
        found.remove(exact)
    return exact


def _program(case: Case, pairs: list[tuple[ExpectedDiagnostic, FoundDiagnostic | None]]) -> list[str]:
    program = [line for line in case.fences["relay"].lines if not is_annotation(line)]
    all_moved = [
        wanted if found is None else replace(wanted, place=found.place, related=_related(wanted, found))
        for wanted, found in pairs
    ]
    if all_moved == [wanted for wanted, _ in pairs]:
        return list(case.fences["relay"].lines)
    below: dict[int, list[str]] = {}
    for moved in all_moved:
        if moved.place is not None:
            below.setdefault(moved.place.line, []).extend(rewritten(moved, program[moved.place.line - 1]))
    lines: list[str] = []
    for number, line in enumerate(program, 1):
        lines += [line, *below.get(number, ())]
    return lines


def _related(wanted: ExpectedDiagnostic, found: FoundDiagnostic) -> tuple[ExpectedRelated, ...]:
    """The expected related spans; one that was not found is replaced by the next found span that is not expected."""
    listed = {related.place for related in wanted.related}
    free = [place for place in found.related if place not in listed]
    kept = []
    for related in wanted.related:
        if related.place in found.related:
            kept.append(related)
        elif free:
            kept.append(replace(related, place=free.pop(0)))
    return tuple(kept)


def _types(case: Case, report: Report) -> list[str]:
    lines, seen = [], Counter[tuple[str | None, str]]()
    for wanted in case.expectation.types:
        key = (wanted.function, wanted.name)
        found = (
            [report.functions[wanted.name]]
            if wanted.name in report.functions
            else [t for f, n, t in report.bindings if n == wanted.name and wanted.function in (None, f)]
        )
        if seen[key] >= len(found):
            raise Refused(f"{wanted.name} has no type")
        prefix = f"{wanted.function} " if wanted.function else ""
        lines.append(f"{prefix}{wanted.name} : {found[seen[key]]}")
        seen[key] += 1
    return lines


def _checks(case: Case, report: Report) -> list[str]:
    """The checks as found; lines with `may` are kept."""
    optional = {(c.condition, c.rule): c for c in case.expectation.checks or () if c.optional}
    found = [("may " if (c.condition, c.rule) in optional else "") + str(c) for c in report.checks]
    left = {(c.condition, c.rule) for c in report.checks}
    fence = case.fences.get("checks")
    kept = [fence.lines[c.line - fence.line] for key, c in optional.items() if key not in left and fence]
    return found + kept


def _places(case: Case, report: Report) -> list[str]:
    """The places of all functions and checks, and of the variables that the case lists."""
    listed = {one.name for one in case.expectation.places or () if one.kind == "type"}
    found = {one for one in report.places if not one.is_of_variable or one.name in listed}
    return [str(one) for one in sorted(found, key=lambda one: (one.place, one.kind, one.name))]


def _runs(case: Case, outcomes: list[Outcome]) -> list[str]:
    if "run" not in case.fences:
        return []
    fence = case.fences["run"]
    lines = list(fence.lines)
    for wanted, found in zip(case.expectation.outcomes, outcomes, strict=True):
        call = lines[wanted.line - fence.line].partition(" => ")[0]
        if not _same(wanted, found):
            lines[wanted.line - fence.line] = f"{call} => {_outcome(wanted, found)}"
    return lines


def _same(wanted: ExpectedOutcome, found: Outcome) -> bool:
    return all(failure.profile is Profile.RULES for failure in outcome_judged(wanted, found, ()))


def _outcome(wanted: ExpectedOutcome, found: Outcome) -> str:
    match wanted, found:
        case ExpectedValue(value), GotValue(got):
            return written(_like(value, got))
        case ExpectedBlame(code), GotBlame(got_code, _, blames) if code == got_code:
            return f"blame {code} {', '.join(map(str, blames))}"
        case ExpectedFault(code), GotFault(got_code) if code == got_code:
            return f"fault {code}"
    raise Refused("an outcome differs in kind or code")


def _like(wanted: Values, got: Values) -> Values:
    """A value in as much detail as the expectation: without elements where the expectation is random (`Drawn`)."""
    match wanted, got:
        case Drawn(), Literal(dtype, shape) if dtype is not None:
            return Drawn(dtype, shape)
        case Fields(items), Fields(found) if len(items) == len(found):
            return Fields(tuple(map(_like, items, found)))
        case Built(), Built(constructor, found) if len(wanted.items) == len(found):
            return Built(constructor, tuple(map(_like, wanted.items, found)))
    return got


def replaced(text: str, case: Case, blocks: Blocks) -> str:
    """The text of the case's file with new lines in some of its blocks; an empty block is removed with its fences."""
    lines = text.split("\n")
    for name in sorted(blocks, key=lambda name: -case.fences[name].line):
        first = case.fences[name].line - 1
        after = first + len(case.fences[name].lines)
        if not blocks[name]:
            first, after = first - 1, after + 1
        lines[first:after] = blocks[name]
    return "\n".join(lines)
