"""The line comments of a text, `// …`, with their spans."""

from __future__ import annotations

from collections.abc import Iterator

from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.blanks import comment_end, line_end
from gradual.syntax.parsing.lexer import Lexer
from gradual.syntax.parsing.lexicon import lexicon
from gradual.syntax.parsing.metadata import NO_METADATA


@record
class Comment:
    """A comment.

    Attributes:
        after: the end of the previous token; 0 if there is none.
        before: the start of the next token; the end of the text if there is none.
        leads: whether only headers come before it, no definition.
    """

    span: Span
    after: int
    before: int
    leads: bool


def comments(text: str) -> Iterator[Comment]:
    """Every line comment, in order; `//` inside a string begins none.  [syntax.comment]"""
    end, leads = 0, True
    header = lexicon().number["HEADER"]
    for kind, _, start, stop in Lexer(text, NO_METADATA).tokens():
        yield from (Comment(span, end, start, leads) for span in _between(text, end, start))
        leads = leads and kind == header
        end = stop


def _between(text: str, start: int, end: int) -> Iterator[Span]:
    """The line comments between two tokens."""
    at = start
    while (first := text.find("/", at, end)) >= 0:
        if text.startswith("//", first):
            at = line_end(text, first)
            yield Span(first, at)
        else:
            at = comment_end(text, first) or end
