"""Every syntax error: its code, its rule and its message.

Expected tokens are named in the user's terms, and an unclosed bracket is pointed out.
"""

from __future__ import annotations

import re

from gradual.diagnostic import Diagnostic, Related
from gradual.limits import LIMITS
from gradual.source import Span


class Refused(Exception):
    """A phrase that the grammar accepts and the language rejects; carries its diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


CLOSERS = {"(": ")", "[": "]", "{": "}"}


def too_deep(span: Span) -> Diagnostic:
    """The error E0105 at the bracket or phrase that is one too deep.  [syntax.nesting]"""
    return Diagnostic("E0105", "syntax.nesting", f"nesting is deeper than {LIMITS.nesting} levels", span)


def bad_number(text: str, span: Span, why: str) -> Diagnostic:
    """The error E0104, with the reason why a number is invalid."""
    shown = text if len(text) <= 40 else text[:37] + "…"
    return Diagnostic("E0104", "syntax.number", f"`{shown}` is not a number literal: {why}", span)


def unterminated(what: str, closer: str, span: Span) -> Diagnostic:
    """The error E0102 for a comment or a string that does not end.  [syntax.comment]"""
    return Diagnostic("E0102", "syntax.comment", f"unterminated {what}: `{closer}` is missing", span)


def unknown_character(letter: str, span: Span) -> Diagnostic:
    """The error E0102, which names the character, by its code point if it is not printable."""
    shown = f"`{letter}`" if letter.isprintable() else f"U+{ord(letter):04X}"
    return Diagnostic("E0102", "syntax.token", f"unknown character {shown}", span)


def unknown_header(span: Span) -> Diagnostic:
    """The error E0102 for a `#[` that begins no header."""
    message = 'this is not a header: a header is `#[key = "value"]` or `#[metadata]`'
    return Diagnostic("E0102", "syntax.token", message, span)


def unsupported_version(version: str, span: Span) -> Diagnostic:
    """The error E0103, which names the version.  [syntax.version]"""
    return Diagnostic("E0103", "syntax.version", f"version {version} of the text format is not supported", span)


# -------------------------------------------------------------------------------------------- expected tokens
STARTERS = frozenset(
    {
        *("LOCAL", "GRAPH", "GLOBAL", "NAME", "NUMBER", "STRING", "META", "HOLE", "BOUND", "LPAR", "LSQB", "LBRACE"),
        *("FN", "IF", "MATCH", "PARTIAL_MATCH", "REF", "REF_READ", "REF_WRITE", "MINUS", "NOT"),
    }
)
OPERATORS = frozenset(
    {
        *("PLUS", "MINUS", "TIMES", "OVER", "FLOOR", "MODULO", "LESS", "AT_MOST", "GREATER", "AT_LEAST"),
        *("EQUAL", "DIFFERS", "AND", "OR"),
    }
)
PHRASES: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("an expression", STARTERS - {"IF", "NOT", "MINUS"}, STARTERS | {"LET", "FREE_VAR", "ASSERT", "TENSOR"}),
    ("a type", frozenset({"NAME", "TENSOR", "LPAR", "FN"}), frozenset({"NAME", "TENSOR", "LPAR", "FN", "REF", "META"})),
    ("a pattern", frozenset({"NAME", "LOCAL", "LPAR"}), frozenset({"NAME", "LOCAL", "LPAR"})),
    ("a definition", frozenset({"DEF", "TYPE"}), frozenset({"DEF", "TYPE", "EXTERN", "OPERATOR"})),
    ("an operator", OPERATORS, OPERATORS | {"LPAR", "LSQB", "PROJECTION", "AS"}),
)
"""Phrases for sets of tokens: if all tokens of the first set are expected, the phrase replaces the second set."""

WORDS = {
    "NAME": "a name",
    "LOCAL": "a variable",
    "GRAPH": "a variable",
    "GLOBAL": "a function name like `@f`",
    "NUMBER": "an integer",
    "STRING": "a string",
    "PROJECTION": "a projection",
    "META": "a metadata key",
    "HEADER": "a header",
    "METADATA": "metadata",
    "TENSOR": "`Tensor[`",
    "BOUND": "`?{`",
    "$END": "the end of the text",
}
TEXTS = {
    "RPAR": ")",
    "RSQB": "]",
    "RBRACE": "}",
    "COMMA": ",",
    "SEMICOLON": ";",
    "COLON": ":",
    "BECOMES": "=",
    "ARROW": "->",
    "GIVES": "=>",
    "LPAR": "(",
    "LSQB": "[",
    "LBRACE": "{",
    "PLUS": "+",
    "MINUS": "-",
    "TIMES": "*",
    "OVER": "/",
    "FLOOR": "//",
    "MODULO": "%",
    "LESS": "<",
    "AT_MOST": "<=",
    "GREATER": ">",
    "AT_LEAST": ">=",
    "EQUAL": "==",
    "DIFFERS": "!=",
    "HOLE": "?",
    "PARTIAL_MATCH": "match?",
}
ENDING = frozenset({"", ")", "]", "def", "type", "extern", "operator"})
CLOSING = ("RPAR", "RSQB", "RBRACE")
SEPARATING = ("COMMA", "SEMICOLON", "COLON", "BECOMES", "ARROW", "GIVES")


FOREIGN = re.compile(r"=\s*(primfn\b|meta\[(?:ExternalFunc|tir\.PrimFunc)\])")
"""How TVM prints TIR functions and external functions."""


DIVISION = "a comment starts here"


def unexpected(
    wanted: set[str],
    text: str,
    found: Span,
    place: Span,
    open: list[tuple[int, str, bool]],
    division: Span | None = None,
) -> Diagnostic:
    """The error E0101 at a token, with the innermost open bracket if its closer was expected.   [syntax.token]

    A comment that may be meant as a `division` is pointed out, and its offset is kept in `data`.   [syntax.comment]
    """
    token = text[found.start : found.end]
    message = f"expected {_listed(_phrases(wanted))}, found {_shown(token)}"
    before = [(at, bracket) for at, bracket, _ in open if at < place.start or not token]
    related = _unclosed(wanted, token, *before[-1]) if before else ()
    if division is not None:
        related = (Related(division, DIVISION), *related)
    foreign = FOREIGN.match(text, found.start)
    notes = (f"`{foreign[1]}` is not written in Relay; declare an `operator`",) if foreign else ()
    data = {} if division is None else {"comment": division.start}
    return Diagnostic("E0101", "syntax.token", message, place, related=related, notes=notes, data=data)


def _unclosed(wanted: set[str], found: str, at: int, bracket: str) -> tuple[Related, ...]:
    """The open bracket if its closer was expected; a `{` only before a token that cannot continue a block."""
    if CLOSERS[bracket] not in {TEXTS[name] for name in wanted & set(CLOSING)}:
        return ()
    if bracket == "{" and found not in ENDING:
        return ()
    return (Related(Span(at, at + 1), f"unclosed `{bracket}`"),)


def _phrases(wanted: set[str]) -> list[str]:
    """The expected tokens in words: closers first, then separators, then whole phrases, operators last."""
    left, words = set(wanted), []
    for phrase, needed, covered in PHRASES:
        if needed <= left:
            words.append(phrase)
            left -= covered
    operators = [word for word in words if word == "an operator"]
    first = [name for name in (*CLOSING, *SEPARATING) if name in left]
    rest = sorted(left - set(first) - {"METADATA", "HEADER"})
    signs = [_word(name) for name in rest if name in OPERATORS]
    others = [_word(name) for name in rest if name not in OPERATORS]
    phrases = [*map(_word, first), *(word for word in words if word not in operators), *others, *signs, *operators]
    return list(dict.fromkeys(phrases))


def _word(name: str) -> str:
    return WORDS.get(name) or f"`{TEXTS.get(name, name.lower())}`"


def _listed(phrases: list[str]) -> str:
    if len(phrases) < 2:
        return phrases[0] if phrases else "the end of the text"
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _shown(token: str) -> str:
    if not token:
        return "the end of the text"
    line = token.split("\n", 1)[0]
    return f"`{line if len(line) <= 30 else line[:29] + '…'}`"
