"""Diagnostics as text: in full, laid out as rustc does, or one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.diagnostic import Diagnostic
from gradual.report.excerpt import Mark, excerpt, last_line
from gradual.report.located import Locate, within
from gradual.report.paint import Paint, plain
from gradual.source import NOWHERE, Source, Span, visible

__all__ = ["Locate", "concise", "full", "place", "within"]


def full(diagnostic: Diagnostic, locate: Locate, paint: Paint = plain) -> str:
    """Message, excerpt with labels, notes (the counterexample first), help, and where to read more."""
    shown = list(_by_source(diagnostic, locate))
    margin = _margin(shown)
    rows = [_headline(diagnostic, paint)]
    if not shown:
        rows.append(f" {paint('-->', 'frame')} {visible(locate(diagnostic.span)[0].name)}")
    rows.extend(_excerpts(shown, paint, margin))
    rows.append(paint(" " * margin + " |", "frame"))
    rows.extend(_footer(diagnostic, paint, margin))
    return "\n".join(rows)


def excerpts(diagnostic: Diagnostic, locate: Locate, paint: Paint = plain) -> str:
    """The excerpts alone, each below its place; empty if the diagnostic has no place."""
    shown = list(_by_source(diagnostic, locate))
    return "\n".join(_excerpts(shown, paint, _margin(shown)))


def _margin(shown: Sequence[tuple[Source, list[Mark]]]) -> int:
    """The width of the line numbers."""
    return max((len(str(last_line(source, marks))) for source, marks in shown), default=1)


def _excerpts(shown: Sequence[tuple[Source, list[Mark]]], paint: Paint, margin: int) -> Iterator[str]:
    for index, (source, marks) in enumerate(shown):
        arrow = ":::" if index else "-->"
        yield f"{' ' * margin}{paint(arrow, 'frame')} {place(source, marks[0].span)}"
        yield from excerpt(source, marks, paint, margin)


def concise(diagnostic: Diagnostic, locate: Locate, paint: Paint = plain) -> str:
    """The diagnostic on one line: `file:line:column: error[E0302]: message [rule]`."""
    source, span = locate(diagnostic.span)
    at = place(source, span) if diagnostic.span != NOWHERE else visible(source.name)
    return f"{at}: {_headline(diagnostic, paint)}" + (f" [{diagnostic.rule}]" if diagnostic.rule else "")


def place(source: Source, span: Span) -> str:
    """`file:line:column` of a span's start; for a node of a model the file and the node."""
    if not source.is_numbered:
        return visible(source.name)
    start = source.position(span.start)
    return f"{visible(source.name)}:{start.line}:{start.column}"


def _headline(diagnostic: Diagnostic, paint: Paint) -> str:
    head = paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    return f"{head}{paint(': ' + visible(diagnostic.message), 'strong')}"


def _by_source(diagnostic: Diagnostic, locate: Locate) -> Iterator[tuple[Source, list[Mark]]]:
    """The marks of a diagnostic by source, the primary one's first; spans without a position have no mark.

    Spans that are shown at one place, such as two sizes of a model's input, have one mark for the same label.
    """
    primary = Mark(diagnostic.span, diagnostic.label, True, diagnostic.severity)
    related = [Mark(r.span, r.label, False, "related") for r in diagnostic.related]
    marks = [mark for mark in (primary, *related) if mark.span != NOWHERE]
    found: dict[int, tuple[Source, list[Mark]]] = {}
    for mark in marks:
        source, span = locate(mark.span)
        shown = Mark(span, visible(mark.label), mark.primary, mark.style)
        beside = found.setdefault(id(source), (source, []))[1]
        if shown not in beside:
            beside.append(shown)
    yield from found.values()


def _footer(diagnostic: Diagnostic, paint: Paint, margin: int) -> Iterator[str]:
    nowhere = [related.label for related in diagnostic.related if related.span == NOWHERE]
    for note in (*diagnostic.notes, *nowhere):
        yield _item("note", note, paint, margin)
    if diagnostic.rule and not any(diagnostic.rule in note for note in diagnostic.notes):
        yield _item("rule", diagnostic.rule, paint, margin)
    for help_ in diagnostic.help:
        yield _item("help", help_.text, paint, margin)
    yield _item("explain", f"gradual explain {diagnostic.code}", paint, margin)


def _item(kind: str, text: str, paint: Paint, margin: int) -> str:
    """The line ` = kind: text`; further lines of the text are aligned with its first line."""
    head = f"{' ' * margin} {paint('=', 'frame')} {paint(kind, 'strong')}: "
    return head + visible(text, "\n").replace("\n", "\n" + " " * (margin + len(kind) + 5))
