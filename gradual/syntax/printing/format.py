"""`gradual fmt`: the canonical layout of a text, with its comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradual.limits import LIMITS
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.parsing.blanks import comment_end, line_end
from gradual.syntax.parsing.lexer import END, Lexer
from gradual.syntax.parsing.lexicon import lexicon
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.printing.layout import laid_out
from gradual.syntax.printing.pieces import Piece, Sort

_BLANKS = re.compile(r"[ \t\r\f]*(\n?)")


def formatted(source: Source, width: int | None = LIMITS.line) -> str:
    """The text in canonical layout, every token and comment kept; a text with errors is unchanged.   [syntax.format]

    Lines longer than `width` are broken; if it is None, none.
    """
    _, diagnostics = parse(source, mend=False)
    if any(diagnostic.rule != "syntax.metadata" for diagnostic in diagnostics):
        return source.text
    text = laid_out(_pieces(source.text), width)
    return f"{text}\n" if text else ""


def _pieces(text: str) -> Iterator[Piece]:
    """The tokens and comments of a text in order."""
    sorts = _sorts()
    end = 0
    for kind, _, start, stop in Lexer(text, NO_METADATA).tokens():
        yield from _comments(text, end, start)
        if kind != END:
            sort = sorts.get(kind, Sort.OPERAND)
            yield Piece(_written(text[start:stop], sort), sort, _is_blank(text, end, start))
        end = stop


def _sorts() -> dict[int, Sort]:
    words, signs, number = lexicon().words, lexicon().signs, lexicon().number
    return {
        **dict.fromkeys(words.values(), Sort.KEYWORD),
        **{kind: Sort.SIGN for text, kind in signs.items() if text != "?"},
        signs["match?"]: Sort.KEYWORD,
        number["TENSOR"]: Sort.SIGN,
        number["BOUND"]: Sort.SIGN,
        number["HEADER"]: Sort.HEADER,
        number["METADATA"]: Sort.METADATA,
    }


def _written(token: str, sort: Sort) -> str:
    """A token in its canonical form: no blanks inside except after a comma."""
    if sort is Sort.METADATA:
        mark, body = token[:11], token[11:].strip()
        return f"{mark}\n{body}" if body else mark
    if sort is Sort.HEADER:
        key, _, value = token[2:-1].partition("=")
        return f"#[{key.strip()} = {value.strip()}]"
    if token[0] == '"' or token[-1] == '"':
        return token
    tight = re.sub(r"\s+", "", token)
    return tight if len(tight) == 1 else tight.replace(",", ", ").replace(", )", ",)")


def _comments(text: str, start: int, end: int) -> Iterator[Piece]:
    """The comments between two tokens, classified by the line breaks around them."""
    at = start
    while (found := _next_comment(text, at, end)) is not None:
        first, last = found
        breaks_before = "\n" in text[at:first] or first == 0 or (at == 0 and not text[:first].strip())
        comment = text[first:last].rstrip()
        sort = Sort.INLINE if not _ends_line(text, last) else Sort.ALONE if breaks_before else Sort.TRAILING
        yield Piece(comment, sort, _is_blank(text, at, first))
        at = last


def _ends_line(text: str, at: int) -> bool:
    """Whether nothing but comments follows on the line."""
    while (rest := _BLANKS.match(text, at)) is not None and not rest[1]:
        at = rest.end()
        if text.startswith("//", at):
            return True
        if not text.startswith("/*", at):
            return at == len(text)
        at = comment_end(text, at) or len(text)
    return True


def _next_comment(text: str, start: int, end: int) -> tuple[int, int] | None:
    first = text.find("/", start, end)
    if first < 0:
        return None
    if text.startswith("//", first):
        return first, line_end(text, first)
    return first, comment_end(text, first) or end


def _is_blank(text: str, start: int, end: int) -> bool:
    """Whether an empty line comes directly before `end`."""
    between = text[start:end]
    return between[len(between.rstrip()) :].count("\n") >= 2
