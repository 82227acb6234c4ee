"""The text of a session's program, with the place in the user's text that each part comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gradual.diagnostic import Diagnostic, Edit, Help, Related
from gradual.record import record
from gradual.source import Source, Span

_GENERATED = re.compile(r"`?([@%]_\w+_of_this_session\w*)`?")
_LINE = re.compile(r", line ([0-9]+)$")
HIDDEN = "@_input_of_this_session"
"""The function that holds an input."""


@record
class Piece:
    """A part of the typed or loaded text; `name` is the name that it defines."""

    name: str
    source: Source
    span: Span

    @property
    def text(self) -> str:
        """The text of the part."""
        return self.source.text[self.span.start : self.span.end]


@record
class Stand:
    """Generated text that stands for a piece of the user's text."""

    text: str
    piece: Piece


Part = str | Piece | Stand
"""Generated text without a place, the user's text, or generated text with the place of a piece."""


class Program:
    """The text of a session, with the origin of each part.

    Attributes:
        names: generated name -> the user's words for it.
    """

    def __init__(self) -> None:
        self.text = ""
        self.names: dict[str, str] = {HIDDEN: "the input"}
        self._regions: list[tuple[int, int, Piece | Stand]] = []

    def add(self, *parts: Part) -> None:
        """Append parts as a line."""
        for part in parts:
            text = part if isinstance(part, str) else part.text
            if not isinstance(part, str):
                self._regions.append((len(self.text), len(self.text) + len(text), part))
            self.text += text
        self.text += "\n"

    def locate(self, span: Span) -> tuple[Source, Span]:
        """The source that the user typed or loaded, and the corresponding span in it."""
        first, last = self._region(span.start), self._region(max(span.start, span.end - 1))
        if first is None:
            return Source("<session>", self.text), span
        source, start, _ = _placed(first, span.start)
        if last is None:
            return source, Span(start, _placed(first, first[1])[2])
        other, _, end = _placed(last, span.end)
        return source, Span(start, end if other is source else start)

    def edits(self, help: Help, source: Source) -> tuple[Edit, ...]:
        """The edits of a help as edits of one of the user's texts; none if one of them is elsewhere."""
        found = [(*self.locate(edit.span), self._words(edit.text)) for edit in help.edits]
        if any(place is not source or _GENERATED.search(text) for place, _, text in found):
            return ()
        return tuple(Edit(span, text) for _, span, text in found)

    def told(self, found: Diagnostic) -> Diagnostic:
        """A diagnostic in the user's words."""
        return replace(
            found,
            message=self._words(found.message),
            label=self._words(found.label),
            notes=tuple(map(self._words, found.notes)),
            related=tuple(self._related(found)),
            help=tuple(replace(one, text=self._words(one.text)) for one in found.help),
        )

    def _related(self, found: Diagnostic) -> Iterator[Related]:
        """The related spans, but for generated text that stands where the diagnostic has a span already."""
        seen = [self.locate(found.span)]
        for one in found.related:
            region, place = self._region(one.span.start), self.locate(one.span)
            if place not in seen or region is None or not isinstance(region[2], Stand):
                yield replace(one, label=self._words(one.label))
            seen.append(place)

    def _words(self, text: str) -> str:
        return _GENERATED.sub(self._named, _LINE.sub(self._line, text))

    def _line(self, match: re.Match[str]) -> str:
        """A line of the program as a line of the user's text."""
        start = sum(len(line) + 1 for line in self.text.split("\n")[: int(match[1]) - 1])
        source, span = self.locate(Span(start, start))
        return f", line {source.position(span.start).line}"

    def _named(self, match: re.Match[str]) -> str:
        name = self.names.get(match[1], match[1])
        return name if match[1] == HIDDEN else match[0].replace(match[1], name)

    def _region(self, at: int) -> tuple[int, int, Piece | Stand] | None:
        inside = [region for region in self._regions if region[0] <= at <= region[1]]
        return next((region for region in inside if at < region[1]), inside[-1] if inside else None)


def _placed(region: tuple[int, int, Piece | Stand], at: int) -> tuple[Source, int, int]:
    """The source of a region, and where its text at an offset starts and ends in it."""
    start, _, part = region
    if isinstance(part, Stand):
        return part.piece.source, part.piece.span.start, part.piece.span.end
    return part.source, part.span.start + at - start, part.span.start + at - start
