"""The results of a run as one page of HTML, without scripts and without anything that is loaded.

Programs, names and answers are escaped: the words of an implementation are shown as text, whatever they contain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote

from gradual.conformance.cases.answer import Report
from gradual.conformance.cases.case import Case
from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.coverage import Passed, passed_by_rule
from gradual.conformance.runner.run import LOST, Class, Result
from gradual.interface.document import Cell, Section, bar_cell, count_cell, counted_as, document, name_cell, table
from gradual.source import visible

STYLE = """
pre { border-left: 3px solid var(--line); font: 13px/1.4 ui-monospace, Menlo, Consolas, monospace; margin: .4em 0;
  overflow-x: auto; padding: .2em .8em; white-space: pre }
details { border-bottom: 1px solid var(--line); padding: .35em 0 } summary { cursor: pointer; overflow-wrap: anywhere }
summary b { display: inline-block; min-width: 8em } h3 { font-size: 1em; margin: .8em 0 .2em }
@media print { details > * { display: block } pre { white-space: pre-wrap } }
"""
_GOOD = (Class.PASS, Class.SKIPPED, Class.UNSUPPORTED)
_SHOWN = 200
"""How many lines of an answer are shown."""


def html_report(summary: Summary, spec: str) -> str:
    """The page.

    Args:
        spec: the address of the specification's folder, as seen from the page.
    """
    parts = [
        ("Profiles", _profiles(summary)),
        ("Rules", _rules(summary, spec)),
        ("Cases that did not pass", _cases(summary)),
        ("Skipped cases", _skipped(summary)),
    ]
    sections = [Section(title, "".join(body)) for title, body in parts]
    return document(f"Conformance of {visible(summary.implementation)}", _lead(summary), sections, STYLE)


def _lead(summary: Summary) -> str:
    kinds = Counter(result.kind for result in summary.results)
    counts = ", ".join(f"{kind.value} {kinds[kind]}" for kind in Class if kinds[kind]) or "none"
    level = f"level {summary.level}" if summary.level is not None else "every level"
    suite = f"suite {visible(summary.suite)}" if summary.suite else "a suite without a version"
    return f"<p>{escape(f'Gradual Relay, {suite}, {level}.')} {counted_as(len(summary.results), 'case')}: {counts}.</p>"


def _profiles(summary: Summary) -> Iterator[str]:
    yield "<p>There is a result for each profile, and no overall score. A case that was skipped was not answered.</p>"
    rows = [
        [
            name_cell(profile.value),
            count_cell(tally.passed),
            count_cell(tally.answered),
            count_cell(tally.asked),
            bar_cell(tally.passed, tally.asked),
        ]
        for profile, tally in summary.tallies.items()
    ]
    yield table("Cases by profile", ["profile", "passed", "answered", "cases", ""], rows)


def _rules(summary: Summary, spec: str) -> Iterator[str]:
    found = passed_by_rule(summary.rules, summary.results)
    rows = [_rule(summary, spec, rule, row) for rule, row in found.items() if row.cases]
    yield "<p>A case counts for each rule that it names.</p>"
    yield table("Cases by rule", ["rule", "in the specification", "", "passed", "answered", "cases"], rows)


def _rule(summary: Summary, spec: str, rule: str, row: Passed) -> list[Cell]:
    place = summary.rules.get(rule)
    where = Cell("", "name")
    if place is not None:
        href = f"{spec}/{quote(place.file)}#{rule.replace('.', '')}"
        where = Cell(f'<a href="{escape(href)}">{escape(f"{place.file}:{place.line}")}</a>', "name")
    some = "fails" if row.passed < row.answered else "in part" if row.answered < row.cases else "complete"
    return [
        name_cell(rule),
        where,
        Cell(some if row.answered else "not answered"),
        count_cell(row.passed),
        count_cell(row.answered),
        count_cell(row.cases),
    ]


# ---------------------------------------------------------------------------------------------------------- cases
def _cases(summary: Summary) -> Iterator[str]:
    found = [result for result in summary.results if result.kind not in _GOOD]
    if not found:
        yield '<p class="soft">None.</p>'
    for result in found:
        case = result.case
        said = f"<b>{result.kind.value}</b> {escape(case.id)}"
        place = f'<span class="soft">({escape(case.file)}:{case.line})</span>'
        yield f"<details><summary>{said} {place}</summary>\n{''.join(_case(result))}</details>\n"


def _case(result: Result) -> Iterator[str]:
    case = result.case
    yield f"<p>{escape(visible(case.prose.strip()))}</p>\n"
    for failure in result.failures:
        yield f"<p>Line {failure.line}, {failure.profile.value}: {escape(visible(failure.message))}</p>\n"
    yield from _block("Program", case.request.text.split("\n"))
    yield from _block("Expected", _expected(case))
    if result.kind in LOST:
        yield from _block("No answer", result.trace.split("\n"))
    elif result.report is not None:
        yield from _block("Answered", _answered(result.report))


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [visible(line, "\t") for line in lines]
    if len(shown) > _SHOWN:
        shown = [*shown[:_SHOWN], f"… {len(shown) - _SHOWN} more lines"]
    if shown:
        yield f'<h3>{title}</h3><pre tabindex="0">{escape(chr(10).join(shown))}</pre>\n'


def _expected(case: Case) -> Iterator[str]:
    """The verdict, the diagnostics, and the blocks of a case."""
    wanted = case.expectation
    yield {True: "accepted", False: "rejected", None: "accepted or rejected"}[wanted.accepted]
    for one in wanted.diagnostics:
        at = ", ".join(f"{name}={size}" for name, size in one.witness.items())
        optional = "may " if one.optional else ""
        place = f" {one.place}" if one.place is not None else ""
        yield f"{optional}{one.severity} {one.code}{place}{f' at {at}' if at else ''}"
    for name, fence in case.fences.items():
        if name not in ("relay", "variants"):
            yield from ("", f"{name}:", *fence.lines)


def _answered(report: Report) -> Iterator[str]:
    """What an implementation said about a program."""
    yield "accepted" if report.accepted else "rejected"
    yield from map(str, report.diagnostics)
    lists = {
        "types": [f"{name} : {type}" for name, type in report.functions.items()],
        "checks": list(map(str, report.checks)),
        "core": report.core,
        "static": report.static,
        "plan": report.plan,
        "after": report.after,
        "left": report.left,
        "printed": report.printed.rstrip("\n").split("\n") if report.printed is not None else (),
        "places": list(map(str, report.places)),
    }
    for name, lines in lists.items():
        if lines:
            yield from ("", f"{name}:", *lines)


def _skipped(summary: Summary) -> Iterator[str]:
    reasons = Counter(result.trace.partition("\n")[0] for result in summary.results if result.kind is Class.SKIPPED)
    rows = [[name_cell(reason), count_cell(count)] for reason, count in reasons.most_common()]
    yield table("Skipped cases by reason", ["reason", "cases"], rows)
