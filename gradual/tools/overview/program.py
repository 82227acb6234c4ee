"""The section of the program: each line with the types that are inferred on it, its checks and its errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape

from gradual.compilation import Compilation
from gradual.diagnostic import Diagnostic, Severity
from gradual.report.located import place_of
from gradual.source import NOWHERE, Source, visible

LONGEST = 2_000
"""The most characters of a line that are shown."""
BLOCK = 100
"""How many lines are laid out together; those out of sight are laid out when they are scrolled to."""


def program(compilation: Compilation, found: Sequence[Diagnostic]) -> str:
    """The text, line by line."""
    source = compilation.source
    facts = _facts(compilation)
    marks = _marks(compilation, found)
    lines = source.text.rstrip("\n").split("\n")
    rows = [_row(number, text, facts[number], marks[number]) for number, text in enumerate(lines, 1)]
    blocks = (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))
    return "".join(
        f'<div class="lines" role="list" style="contain-intrinsic-height:auto {len(block) * 1.5:g}em">\n'
        f"{''.join(block)}</div>\n"
        for block in blocks
    )


def _row(number: int, text: str, facts: Sequence[str], marks: Sequence[str]) -> str:
    """A line: its number, which is a link to it, its text, and what is known about it."""
    beside, shown = "".join((*marks, *facts)), escape(visible(_cut(text), "\t")) or " "
    return (
        f'<div class="line{" marked" if marks else ""}" role="listitem" id="L{number}">'
        f'<a class="n" href="#L{number}">{number}</a><code>{shown}</code>'
        f"<span>{beside}</span></div>\n"
    )


def _cut(text: str) -> str:
    text = text.removesuffix("\r")
    more = len(text) - LONGEST
    return text if more <= 0 else f"{text[:LONGEST]}… and {more} more characters"


def _facts(compilation: Compilation) -> dict[int, list[str]]:
    """Line number -> the names that are bound on the line with their types; for a model also what the line is from."""
    found: dict[int, list[str]] = defaultdict(list)
    source, line = compilation.source, compilation.source.position
    places: dict[int, str] = {}
    for one in compilation.bindings:
        known = f" = {one.contents}" if one.contents is not None else ""
        number = line(one.span.start).line
        found[number].append(f'<span class="fact">{escape(visible(f"{one.name} : {one.type}{known}"))}</span>')
        if source.origin(one.span) is not None:
            places[number] = _place(source, place_of(source, one.span))
    for number, place in places.items():
        found[number].append(f'<span class="fact soft">{escape(visible(place))}</span>')
    return found


def _place(source: Source, place: str) -> str:
    """Where a line of a model's program is from: the line of Python, or the node without the file's name."""
    return place.removeprefix(f"{source.name}: ")


def _marks(compilation: Compilation, found: Sequence[Diagnostic]) -> dict[int, list[str]]:
    """Line number -> the errors, warnings and checks on the line, as links to them."""
    marks: dict[int, list[str]] = defaultdict(list)
    line = compilation.source.position
    kinds = {Severity.ERROR: ("error", "✗"), Severity.WARNING: ("warning", "⚠")}
    own = [one for one in found if one.code not in ("E0401", "E0408")]
    for number, one in enumerate(own, 1):
        if one.severity in kinds and one.span != NOWHERE:
            kind, sign = kinds[one.severity]
            says = escape(visible(one.message))
            marks[line(one.span.start).line].append(
                f'<a class="mark {kind}" href="#f{number}">{sign} {one.code}: {says}</a>'
            )
    for check in compilation.checks:
        says = escape(visible(check.shown))
        marks[line(check.span.start).line].append(f'<a class="mark check" href="#{check.id}">◇ {check.id}: {says}</a>')
    return marks
