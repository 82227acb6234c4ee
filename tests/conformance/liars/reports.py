"""Liars that change the report on a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

from gradual.conformance.cases.answer import FoundDiagnostic, Report
from gradual.conformance.cases.case import Place, Request
from gradual.conformance.runner.witness import substituted
from tests.conformance.liars.truth import Liar, Truth

FURTHER = 4
"""How far from the least counterexample another one is looked for."""


def report_lie(name: str, change: Callable[[Report], Report]) -> Liar:
    """A liar that changes reports."""
    return Liar(name, check=lambda truth, request: change(truth.check(request)))


def diagnostics_lie(name: str, change: Callable[[FoundDiagnostic], FoundDiagnostic]) -> Liar:
    """A liar that changes each diagnostic."""
    return report_lie(name, lambda report: replace(report, diagnostics=tuple(map(change, report.diagnostics))))


def types_lie(name: str, pattern: str, put: Callable[[re.Match[str]], str]) -> Liar:
    """A liar that changes each type of a binding."""

    def changed(text: str) -> str:
        return re.sub(pattern, put, text)

    return report_lie(
        name,
        lambda report: replace(
            report,
            functions={name: changed(text) for name, text in report.functions.items()},
            bindings=tuple((owner, name, changed(text)) for owner, name, text in report.bindings),
        ),
    )


def lines_lie(name: str, block: str, pattern: str, put: Callable[[re.Match[str]], str]) -> Liar:
    """A liar that changes the lines of a block."""

    def change(report: Report) -> Report:
        lines: tuple[str, ...] = getattr(report, block)
        return replace(report, **{block: tuple(re.sub(pattern, put, line) for line in lines)})

    return report_lie(name, change)


def _errors_dropped(report: Report) -> Report:
    kept = tuple(one for one in report.diagnostics if one.severity != "error")
    return replace(report, accepted=True, diagnostics=kept)


def _moved(place: Place) -> Place:
    return replace(place, column=max(place.column - 1, 1), end_column=place.end_column + 1)


def _code_after(found: FoundDiagnostic) -> FoundDiagnostic:
    return replace(found, code=f"E{(int(found.code[1:]) + 1) % 10000:04}")


def _another_witness(truth: Truth, request: Request) -> Report:
    """The report with counterexamples that are valid, and not the least."""
    report = truth.check(request)
    return replace(report, diagnostics=tuple(_greater(truth, request, found) for found in report.diagnostics))


def _greater(truth: Truth, request: Request, found: FoundDiagnostic) -> FoundDiagnostic:
    names = list(found.witness)
    for more in product(range(FURTHER), repeat=min(len(names), 2)):
        sizes = dict(found.witness) | {
            name: found.witness[name] + step for name, step in zip(names, more, strict=False)
        }
        if sizes != dict(found.witness) and _valid(truth, request, found, sizes):
            return replace(found, witness=sizes)
    return found


def _valid(truth: Truth, request: Request, found: FoundDiagnostic, sizes: Mapping[str, int]) -> bool:
    text = substituted(request.text, found.place.line, sizes)
    if text is None:
        return False
    told = truth.check(replace(request, text=text)).diagnostics
    return any(one.place.line == found.place.line and one.severity == "error" for one in told)


def _unchecked(report: Report) -> Report:
    return replace(report, checks=())


def _checks_moved(report: Report) -> Report:
    return replace(report, checks=tuple(replace(check, place=_moved(check.place)) for check in report.checks))


def _checks_unblamed(report: Report) -> Report:
    return replace(report, checks=tuple(replace(check, blames=()) for check in report.checks))


def _blames_swapped(report: Report) -> Report:
    """Each check blames its own place."""
    return replace(report, checks=tuple(replace(check, blames=(check.place,)) for check in report.checks))


def _all_static(truth: Truth, request: Request) -> Report:
    report = truth.check(request)
    return replace(report, static=tuple(f"{name}  static" for name in request.static)) if report.static else report


REPORTS: tuple[Liar, ...] = (
    report_lie("accepts everything", _errors_dropped),
    report_lie("rejects everything", lambda report: replace(report, accepted=False)),
    report_lie(
        "reports no warnings",
        lambda report: replace(report, diagnostics=tuple(one for one in report.diagnostics if one.severity == "error")),
    ),
    diagnostics_lie("errors have another code", _code_after),
    diagnostics_lie("errors are one column too wide", lambda found: replace(found, place=_moved(found.place))),
    diagnostics_lie("errors have no related places", lambda found: replace(found, related=())),
    diagnostics_lie("errors cite the rule `op`", lambda found: replace(found, rule="op")),
    diagnostics_lie("no counterexamples", lambda found: replace(found, witness={})),
    diagnostics_lie("counterexamples are all 1", lambda found: replace(found, witness=dict.fromkeys(found.witness, 1))),
    Liar("counterexamples are not the least", check=_another_witness),
    report_lie("no checks are reported", _unchecked),
    report_lie("checks are one column too wide", _checks_moved),
    report_lie("checks blame nobody", _checks_unblamed),
    report_lie("checks blame their own place", _blames_swapped),
    report_lie("checks are reported twice", lambda report: replace(report, checks=report.checks * 2)),
    types_lie("types with `?` in place of sizes", r"(?<=[(, ])\d+(?=[,)])", lambda found: "?"),
    types_lie("types with sizes off by one", r"(?<=[(, ])\d+(?=[,)])", lambda found: str(int(found[0]) + 1)),
    types_lie("types with float64 in place of float32", "float32", lambda found: "float64"),
    types_lie("types without contents", r" = \[.*", lambda found: ""),
    Liar("everything is static", check=_all_static),
    lines_lie("a peak that is too small", "plan", r"(peak  )(\d+)", lambda found: f"{found[1]}{int(found[2]) // 2}"),
    lines_lie("buffers that live too briefly", "plan", r"(\d+)-(\d+)", lambda found: f"{found[1]}-{found[1]}"),
    report_lie(
        "the program is not changed by passes",
        lambda report: replace(report, after=report.core) if report.after else report,
    ),
    report_lie("passes leave no messages", lambda report: replace(report, left=())),
    report_lie(
        "core without checks",
        lambda report: replace(report, core=tuple(line for line in report.core if "check" not in line)),
    ),
)
"""Liars about reports."""
