"""A text that is being edited: its positions, its syntax tree and its names.

The protocol counts columns in UTF-16 code units, the language in code points.
"""

from __future__ import annotations

from functools import cached_property

from gradual.gc_paused import collector_paused
from gradual.source import Source, Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.names import Names
from gradual.tools.lsp.reading import Reading, read


class Document:
    """One version of a text; the trees of what did not change are taken from `before`, an earlier parsed version."""

    def __init__(self, uri: str, text: str, version: int | None, before: Reading | None = None) -> None:
        self.uri = uri
        self.version = version
        self.source = Source(uri, text)
        self._before = before

    def after(self, text: str, version: int | None) -> Document:
        """A later version of the text."""
        return Document(self.uri, text, version, self.__dict__.get("reading", self._before))

    @property
    def text(self) -> str:
        """The text."""
        return self.source.text

    @cached_property
    def reading(self) -> Reading:
        """The definitions of the text, as far as it can be parsed."""
        with collector_paused():
            found, self._before = read(self.source, self._before), None
        return found

    @property
    def module(self) -> ast.Module:
        """The syntax tree of the text, as far as it can be parsed."""
        return self.reading.module

    @cached_property
    def names(self) -> Names:
        """The names in the text, with their definitions."""
        return Names(self.module, self.text)

    def offset(self, line: int, character: int) -> int:
        """The offset of a position of the protocol: 0-based, columns in UTF-16 units; at most the end of the text."""
        start = self.source.start(line + 1)
        count = 0
        for at in range(start, len(self.text)):
            if count >= character or self.text[at] == "\n":
                return at
            count += 1 + (ord(self.text[at]) > 0xFFFF)
        return len(self.text)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of the protocol for an offset."""
        at = self.source.position(offset)
        return at.line - 1, units(self.text[offset - at.column + 1 : offset])

    def lines(self, first: int, last: int) -> Span:
        """The span of the lines `first` to `last`, both included."""
        return Span(self.source.start(first + 1), self.source.start(last + 2))


def units(text: str) -> int:
    """The number of UTF-16 code units of a text."""
    return len(text) if text.isascii() else len(text) + sum(ord(character) > 0xFFFF for character in text)
