"""Source texts and the spans that point into them.

Offsets count code points from the start of the text; lines and columns are 1-based; a span is half-open.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import field

from gradual.origin import Origin, Origins
from gradual.record import record


@record
class Span:
    """A half-open range of code points of one source."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers this one and `other`."""
        return Span(min(self.start, other.start), max(self.end, other.end))


NOWHERE = Span(0, 0)


@record
class Position:
    """A place in a text: 1-based line and column, 0-based offset, all in code points."""

    line: int
    column: int
    offset: int


@record(eq=False)
class Source:
    """A named text.

    Attributes:
        origins: for the program of a model, which node each piece of the text was made from.
        demand: the start of the command by which a user of a model adds a condition, up to the condition's quote.
        is_numbered: whether reports show its line numbers; False for the single line that describes a node of a model.
    """

    name: str
    text: str = field(repr=False)
    origins: Origins | None = field(default=None, repr=False)
    is_numbered: bool = True
    demand: str = "`gradual check --where '"
    _starts: list[int] = field(default_factory=list, repr=False)

    def position(self, offset: int) -> Position:
        """The line and column of `offset`; lines end with a line feed only."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1, offset)

    def start(self, number: int) -> int:
        """The offset at which a 1-based line begins; the end of the text if it has fewer lines."""
        starts = self._line_starts()
        return starts[number - 1] if number <= len(starts) else len(self.text)

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its line ending."""
        starts = self._line_starts()
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].removesuffix("\r")

    def origin(self, span: Span) -> Origin | None:
        """The node of a model that the span's text was made from, if any."""
        return None if self.origins is None or span == NOWHERE else self.origins.at(span.start)

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts.append(0)
            find, at = self.text.find, 0
            while (at := find("\n", at) + 1) > 0:
                self._starts.append(at)
        return self._starts


def visible(text: str, keep: str = "") -> str:
    """The text on one line, with an escape for each character that could control a terminal or hide text.

    These are control and format characters (bidirectional overrides among them), line and paragraph separators, lone
    surrogates, and unassigned code points; those in `keep` are not escaped.
    """
    if text.isprintable():
        return text
    if keep:
        return keep[0].join(visible(part, keep[1:]) for part in text.split(keep[0]))
    return "".join(one if one.isprintable() or not _steers(one) else _escape(one) for one in text)


def _steers(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp")


def _escape(character: str) -> str:
    """The escape that Python writes: `\\n`, `\\x1b`, `\\u202e`."""
    return character.encode("unicode_escape").decode("ascii")
