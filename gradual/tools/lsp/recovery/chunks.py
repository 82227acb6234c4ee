"""Divide a stretch of text with syntax errors into definitions: each begins with `def`, `type` or the like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, takewhile

from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.lexer import Lexer
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.parsing.tables import tables

OPENERS = {"LPAR": ")", "LSQB": "]", "TENSOR": "]", "LBRACE": "}", "BOUND": "}"}
"""The name of a token that opens a bracket -> the bracket that closes it."""
CLOSERS = {"RPAR": ")", "RSQB": "]", "RBRACE": "}"}
_STARTS = frozenset({"DEF", "TYPE", "EXTERN", "OPERATOR"})


@record
class Word:
    """A token: the name of its kind, which is empty for one that the language does not have, and its place."""

    kind: str
    start: int
    end: int


@record
class Chunk:
    """A part of a text from the first word of a definition to the last one before the next definition.

    Attributes:
        name: what it defines; empty if that cannot be read, and for the part before the first definition.
        is_function: whether it begins with `def`.
    """

    start: int
    end: int
    name: str
    is_function: bool


@cache
def _kinds() -> tuple[str, ...]:
    return tables().symbols


def words(text: str) -> Iterator[Word]:
    """The tokens of a text, without its end."""
    kinds = _kinds()
    for kind, _, start, end in Lexer(text, NO_METADATA).tokens():
        if kind:
            yield Word(kinds[kind] if kind > 0 else "", start, end)


def follow(open: list[str], word: Word) -> None:
    """Update the closers of the open brackets after a token: a closer closes the innermost bracket of its kind."""
    if word.kind in OPENERS:
        open.append(OPENERS[word.kind])
    elif word.kind in CLOSERS:
        del open[kept(open, CLOSERS[word.kind]) :]


def kept(open: Sequence[str], closer: str) -> int:
    """How many brackets stay open at a closer: all of them if it closes none."""
    return next((at for at in reversed(range(len(open))) if open[at] == closer), len(open))


def chunks(text: str, span: Span) -> Iterator[Chunk]:
    """The definitions in a stretch of a text, and what is before the first one.

    As for the parser, a definition begins where no bracket is open, or at the beginning of a line.  Headers and the
    metadata section belong to no definition.
    """
    part = text[span.start : span.end]
    yield from [_chunk(part, only, span.start)] if (only := _only_function(part)) else _told_apart(part, span.start)


_BEGINS = re.compile(r"(?:\s|//[^\n]*\n)*(?=def\b)")
_OTHERS = re.compile(r"\b(?:def|type|extern|operator)\b|/\*|#\[")


def _only_function(part: str) -> list[Word]:
    """The first tokens and the last character of a stretch that has one function, if that is seen without its tokens.

    Of a long function, reading all tokens takes longer than the rest of what is done after a change.
    """
    begins = _BEGINS.match(part)
    if begins is None or len(_OTHERS.findall(part)) != 1:
        return []
    end = len(part.rstrip())
    while part.startswith("//", at := len(part) - len(part[part.rfind("\n", 0, end) + 1 :].lstrip())):
        end = len(part[:at].rstrip())
    if "//" in part[part.rfind("\n", 0, end) + 1 : end]:
        return []
    start = begins.end()
    first = [Word(one.kind, start + one.start, start + one.end) for one in islice(words(part[start:end]), 2)]
    return [*first, Word("", end - 1, end)]


def _told_apart(part: str, by: int) -> Iterator[Chunk]:
    some = list(takewhile(lambda word: word.kind != "METADATA", words(part)))
    first = sum(1 for _ in takewhile(lambda word: word.kind == "HEADER", some))
    for at in (*_beginnings(part, some), len(some)):
        if some[first:at]:
            yield _chunk(part, some[first:at], by)
        first = at


def _beginnings(text: str, some: Sequence[Word]) -> Iterator[int]:
    """The indices of the tokens with which definitions begin."""
    open: list[str] = []
    before = ""
    for at, word in enumerate(some):
        if word.kind in _STARTS and before != "EXTERN" and (not open or begins_line(text, word.start)):
            open.clear()
            yield at
        follow(open, word)
        before = word.kind


def begins_line(text: str, at: int) -> bool:
    """Whether only blanks are before an offset on its line."""
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _chunk(text: str, some: Sequence[Word], by: int) -> Chunk:
    match [word.kind for word in some[:3]]:
        case ["DEF", "GLOBAL", *_] | ["TYPE" | "OPERATOR", "NAME", *_]:
            name = text[some[1].start : some[1].end]
        case ["EXTERN", "TYPE", "NAME"]:
            name = text[some[2].start : some[2].end]
        case _:
            name = ""
    return Chunk(some[0].start + by, some[-1].end + by, name, some[0].kind == "DEF")


def names_in(text: str, chunk: Chunk) -> set[str]:
    """The names that a broken definition may define: a function its own, a type those of its constructors too."""
    if chunk.is_function or not chunk.name:
        return {chunk.name} - {""}
    part = text[chunk.start : chunk.end]
    return {part[word.start : word.end] for word in words(part) if word.kind == "NAME"}


def headers_end(text: str) -> int:
    """Where the headers of a text end."""
    header = _kinds().index("HEADER")
    some = takewhile(lambda token: token[0] == header, Lexer(text, NO_METADATA).tokens())
    return max((end for _, _, _, end in some), default=0)
