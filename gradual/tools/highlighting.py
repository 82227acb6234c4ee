"""Colours for Relay in documents, notebooks and terminals: a lexer for Pygments, which finds it by the name `relay`.

The tokens are those of the parser, and the names of operators and element types come from their tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pygments.lexer import Lexer as PygmentsLexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from gradual.ops.catalogue import CATALOGUE
from gradual.syntax.parsing.blanks import comment_end, line_end, skipped
from gradual.syntax.parsing.lexer import END, ERROR, LITERAL_WORDS, Lexer
from gradual.syntax.parsing.lexicon import lexicon
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.types.dtype import DType

Piece = tuple[int, _TokenType, str]

OPERATORS = frozenset({"and", "or", "not"})
DECLARING = frozenset({"def", "fn", "let", "type", "extern", "operator", "free_var"})
_TYPES = frozenset({*map(str, DType), "Tensor"})
_KINDS = {
    "LOCAL": Name.Variable,
    "GRAPH": Name.Variable,
    "GLOBAL": Name.Function,
    "NUMBER": Number,
    "STRING": String,
    "PROJECTION": Number,
    "META": Name.Constant,
    "HEADER": Comment.Preproc,
    "METADATA": Literal,
    "error": Error,
}
_ASSIGNED = re.compile(r"=(?![=>])")
_PART = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|-?[0-9]\w*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|.', re.DOTALL)
PHRASES = frozenset({"attribute", "tensor_type", "TENSOR", "BOUND"})
"""Tokens that consist of several pieces, such as `padding=[1, 1]` and `Tensor[(1, ?), float32]`."""

KEYED = frozenset({"(", ",", "{"})
"""What a name stands after if it is the key of an attribute."""


class RelayLexer(PygmentsLexer):  # type: ignore[misc]  # Pygments has no types
    """Gradual Relay, and the text format of TVM's Relay."""

    name = "Gradual Relay"
    aliases = ("relay", "rly", "gradual")
    filenames = ("*.relay", "*.rly")
    mimetypes = ("text/x-relay",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[Piece]:
        """Every piece of the text with its offset and kind, in order and without gaps."""
        symbols = _symbols()
        end, before = 0, ""
        for kind, _, start, stop in Lexer(text, NO_METADATA).tokens():
            yield from _between(text, end, start)
            symbol = symbols[kind]
            if symbol in PHRASES:
                yield from _parts(text, start, stop, keyed=symbol == "attribute")
            elif kind != END:
                keyed = before in KEYED and _ASSIGNED.match(text, skipped(text, stop)) is not None
                yield start, _kind(symbol, text[start:stop], keyed), text[start:stop]
            end, before = stop, symbol


def _symbols() -> dict[int, str]:
    """The names of the tokens' kinds; words and signs are their own."""
    found = lexicon()
    named = {number: name for name, number in found.number.items()}
    return {**named, ERROR: "error", **{number: text for text, number in (found.words | found.signs).items()}}


def _between(text: str, start: int, end: int) -> Iterator[Piece]:
    """The blanks and comments between two tokens."""
    at = start
    while at < end:
        first = text.find("/", at, end)
        if at < (blank := end if first < 0 else first):
            yield at, Whitespace, text[at:blank]
        if first < 0:
            return
        single = text.startswith("//", first)
        at = line_end(text, first) if single else comment_end(text, first) or end
        yield first, Comment.Single if single else Comment.Multiline, text[first:at]


def _parts(text: str, start: int, end: int, keyed: bool) -> Iterator[Piece]:
    """The pieces of a token that consists of several."""
    for part in _PART.finditer(text, start, end):
        yield part.start(), _of_part(part[0], keyed and part.start() == start), part[0]


def _of_part(part: str, keyed: bool) -> _TokenType:
    if part.isspace():
        return Whitespace
    if part[0] == '"':
        return String
    if part.lstrip("-")[:1].isdigit():
        return Number
    return _kind("NAME" if part[0].isidentifier() else part, part, keyed)


def _kind(symbol: str, written: str, keyed: bool) -> _TokenType:
    """The kind of a token."""
    if written in LITERAL_WORDS:
        return Keyword.Constant
    if symbol == "NAME":
        return Name.Attribute if keyed else _name(written)
    if symbol.rstrip("?") in lexicon().words:
        return Operator.Word if symbol in OPERATORS else Keyword.Declaration if symbol in DECLARING else Keyword
    return _KINDS.get(symbol) or (Punctuation if symbol in "()[]{},;:" else Operator)


def _name(written: str) -> _TokenType:
    if written in _TYPES:
        return Keyword.Type
    return Name.Builtin if written in CATALOGUE else Name
