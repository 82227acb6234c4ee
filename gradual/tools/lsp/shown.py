"""Findings in a text with stand-ins, as they are shown in the text with the broken definitions.

Of a stand-in only the types of names are shown, at the places of the same names in the broken definition.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gradual.codes import SYNTAX
from gradual.diagnostic import Diagnostic, Edit, Help, Related
from gradual.report.bindings import Named
from gradual.source import Span
from gradual.tools.lsp.findings import Bindings, Findings, Group, Located
from gradual.tools.lsp.reading import Reading

_UNKNOWN = frozenset({"E0201", "E0203", "E0205"})
"""The codes for names of operators, functions and types that are not defined."""
_NAME = re.compile(r"@?[\w.]*\w")


def in_text(found: Findings, reading: Reading, syntax: tuple[Diagnostic, ...]) -> Findings:
    """The findings in a text and its stand-ins as they are shown, with the syntax errors of the text."""
    if reading.broken is None:
        return found
    diagnostics = [one for one in _shown(found.diagnostics, reading) if one.code not in SYNTAX]
    kept = (one for one in diagnostics if not _follows(one, reading))
    checks = tuple(_shown(found.checks, reading))
    return replace(found, diagnostics=(*kept, *syntax), checks=checks, bindings=_bindings(found.bindings, reading))


def _follows(one: Diagnostic, reading: Reading) -> bool:
    """Whether an error is about a name that a broken definition may define."""
    if one.code not in _UNKNOWN:
        return False
    name = _NAME.match(reading.text, one.span.start)
    return name is not None and name[0] in reading.unknown


def _shown(found: Iterable[Diagnostic], reading: Reading) -> Iterator[Diagnostic]:
    for one in found:
        if one.span.end <= reading.end:
            places = ((other, reading.shown(other.span)) for other in one.related)
            related = tuple(Related(span, other.label) for other, span in places if span is not None)
            yield replace(one, related=related, help=tuple(_helps(one.help, reading)))


def _helps(helps: Iterable[Help], reading: Reading) -> Iterator[Help]:
    """The helps whose edits are possible."""
    for one in helps:
        edits = tuple((reading.shown(edit.span), edit.text) for edit in one.edits)
        placed = tuple(Edit(span, text) for span, text in edits if span is not None)
        if len(placed) == len(edits):
            yield replace(one, edits=placed)


def _bindings(found: Bindings, reading: Reading) -> Bindings:
    """The names in the text; each group of names is in one function, or there is one group for the whole text."""
    groups: list[Located] = []
    for one in found.groups:
        at = bisect_left(one.group.names, reading.end - one.by, key=lambda name: name.span.start)
        inside, outside = one.group.names[:at], one.group.names[at:]
        moved = [name for other in outside for name in _moved(other, one.by, reading)]
        if not moved:
            groups.append(replace(one, group=Group(inside)) if outside else one)
        else:
            names = [*(name for other in inside for name in _moved(other, one.by, reading)), *moved]
            names.sort(key=lambda name: name.span.start)
            groups.append(Located(names[0].span.start, 0, Group(names)))
    return Bindings(tuple(sorted(groups, key=lambda one: one.start)))


def _moved(name: Named, by: int, reading: Reading) -> Iterator[Named]:
    span = reading.shown(Span(name.span.start + by, name.span.end + by))
    if span is not None:
        yield replace(name, span=span)
