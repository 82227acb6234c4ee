"""The sections of errors and warnings, and of residual checks, which are grouped by what leaves them open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from gradual.codes import LOST
from gradual.compilation import Compilation
from gradual.core.check import Check, Promise
from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.interface.input.levels import RESIDUAL
from gradual.report import render
from gradual.report.html import coloured, quoted
from gradual.report.located import place_of
from gradual.report.paint import painter, shielded
from gradual.source import NOWHERE, Source, Span, visible

SIGNS = {Severity.ERROR: "✗", Severity.WARNING: "⚠", Severity.NOTE: "◇"}
"""The sign of a severity."""

Cause = tuple[tuple[Span, str], ...]
"""The places that leave sizes unknown, each with its words."""


def findings(source: Source, found: Sequence[Diagnostic]) -> str:
    """All findings but those about residual checks, in the order in which one would fix them."""
    said = [one for one in found if one.code not in (RESIDUAL, LOST)]
    if not said:
        return "<p>None.</p>"
    return "".join(_finding(source, one, f"f{number}") for number, one in enumerate(said, 1))


def _finding(source: Source, one: Diagnostic, id: str) -> str:
    """One finding: message, excerpts, notes with the counterexample first, helps."""
    title = f"{SIGNS[one.severity]} {one.severity}[{one.code}]: {quoted(visible(one.message))}"
    paint = painter(True)
    excerpts = coloured(shielded(render.excerpts(one, render.within(source), paint), paint))
    shown = f'<pre class="excerpt" tabindex="0" role="region" aria-label="excerpt {id}">{excerpts}</pre>'
    return (
        f'<article class="finding {one.severity}" id="{id}"><h3>{title}</h3>\n{shown if excerpts else ""}'
        f"<ul>{''.join(_notes(source, one))}</ul></article>\n"
    )


def _notes(source: Source, one: Diagnostic) -> Iterator[str]:
    """The notes, the rule, the helps, and the line of the program."""
    for note in one.notes:
        kind, colon, text = note.partition(": ")
        head = f"<strong>{quoted(visible(kind))}</strong>: " if colon and " " not in kind else ""
        yield f"<li>{head}{_lines(text if head else note)}</li>"
    for help_ in one.help:
        yield f'<li class="help"><strong>help</strong>: {_lines(help_.text)}</li>'
    if one.span != NOWHERE:
        yield f"<li>{_line(source, one.span)}</li>"
    if one.rule:
        yield f'<li class="soft">rule {escape(one.rule)}; <code>gradual explain {one.code}</code></li>'


def _lines(text: str) -> str:
    return quoted(visible(text, "\n")).replace("\n", "<br>")


def _line(source: Source, span: Span) -> str:
    """A link to the line of the program in which a span begins."""
    number = source.position(span.start).line
    return f'<a href="#L{number}">line {number} of the program</a>'


# --------------------------------------------------------------------------------------------------------------- checks
def checks(compilation: Compilation, found: Sequence[Diagnostic]) -> str:
    """The residual checks by cause: first the causes of most checks, last the checks that something is not empty."""
    if not compilation.checks:
        return "<p>None: every requirement is proved or refuted.</p>"
    notes = {str(one.data["check"]): one for one in found if one.code == RESIDUAL}
    lost = {tuple(_ids(one)): one for one in found if one.code == LOST}
    groups: dict[Cause, list[Check]] = {}
    for check in compilation.checks:
        if not check.not_empty:
            groups.setdefault(_cause(check.blame.promises), []).append(check)
    ranked = sorted(groups.items(), key=lambda one: -len(one[1]))
    parts = [_group(compilation.source, cause, some, notes, lost) for cause, some in ranked]
    empty = [check for check in compilation.checks if check.not_empty]
    if empty:
        shown = "".join(_check(compilation.source, check, notes.get(check.id)) for check in empty)
        title = f"{counted(len(empty), 'check')} that something is not empty"
        parts.append(f"<details><summary>{title}</summary>{shown}</details>\n")
    return "".join(parts)


def _ids(lost: Diagnostic) -> list[str]:
    ids = lost.data["checks"]
    assert isinstance(ids, list), ids
    return ids


def _cause(promises: Sequence[Promise]) -> Cause:
    return tuple(dict.fromkeys((promise.span, promise.says) for promise in promises))


def _group(
    source: Source,
    cause: Cause,
    some: Sequence[Check],
    notes: Mapping[str, Diagnostic],
    lost: Mapping[tuple[str, ...], Diagnostic],
) -> str:
    """The checks of one cause under its words and its places."""
    says = " and ".join(dict.fromkeys(words for _, words in cause)) or "sizes of the program's own names"
    places = ", ".join(dict.fromkeys(_line(source, span) for span, _ in cause if span != NOWHERE))
    known = lost.get(tuple(check.id for check in some))
    note = "".join(f"<p>{_lines(text)}</p>" for text in (known.notes[1:] if known is not None else ()))
    shown = "".join(_check(source, check, notes.get(check.id)) for check in some)
    head = f"{counted(len(some), 'check')}, left open by {quoted(visible(says))}"
    return f'<section class="cause"><h3>{head}</h3><p>{places}</p>{note}{shown}</section>\n'


def _check(source: Source, check: Check, note: Diagnostic | None) -> str:
    """One check: what it requires and guards against, why it is not proved, who is blamed, what would prove it."""
    blame, denied = check.blame, note is not None and note.severity is Severity.ERROR
    rows = [
        ("guards against", f"{quoted(visible(blame.says))}, by rule {escape(blame.rule)}"),
        ("not proved", quoted(visible(blame.because))),
        ("if it fails, blame goes to", quoted(visible(blame.blamed))),
        *(("where", _lines(term)) for term in blame.terms),
        *(("help", _lines(help_.text)) for help_ in (note.help if note is not None else ())),
        ("see", "the warning about the same requirement" if note is None else ""),
        ("at", f"{_line(source, check.span)} ({escape(visible(place_of(source, check.span)))})"),
    ]
    listed = "".join(f"<div><dt>{term}</dt><dd>{text}</dd></div>" for term, text in rows if text)
    sign = SIGNS[Severity.ERROR if denied else Severity.NOTE]
    title = f"{sign} {check.id}: <code>{escape(visible(check.shown))}</code>"
    return f'<article class="check" id="{check.id}"><h4>{title}</h4><dl>{listed}</dl></article>\n'
