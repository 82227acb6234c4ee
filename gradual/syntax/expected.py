"""The message of a syntax error: what was expected, in the user's words, and the bracket that is still open."""

from __future__ import annotations

from gradual.diagnostic import Diagnostic, Related
from gradual.source import Span
from gradual.syntax.lexer import CLOSERS

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
    ("an expression", STARTERS - {"IF", "NOT", "MINUS"}, STARTERS | {"LET", "FREE_VAR", "ASSERT"}),
    ("a type", frozenset({"NAME", "TENSOR", "LPAR", "FN"}), frozenset({"NAME", "TENSOR", "LPAR", "FN", "REF", "META"})),
    ("a pattern", frozenset({"NAME", "LOCAL", "LPAR"}), frozenset({"NAME", "LOCAL", "LPAR"})),
    ("a definition", frozenset({"DEF", "TYPE"}), frozenset({"DEF", "TYPE", "EXTERN", "OPERATOR"})),
    ("an operator", OPERATORS, OPERATORS | {"LPAR", "PROJECTION", "AS"}),
)
"""Words for sets of tokens: all of the first set must be welcome, then the second is left out."""

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


def unexpected(wanted: set[str], text: str, place: tuple[int, int], open: list[tuple[int, str, bool]]) -> Diagnostic:
    """E0101 at a token, with the innermost open bracket if its closer was welcome.   [syntax.token]"""
    start, end = place
    message = f"expected {_listed(_phrases(wanted))}, found {_found(text[start:end])}"
    return Diagnostic("E0101", "syntax.token", message, Span(start, end), related=_unclosed(wanted, text[start:end], start, open))


def _unclosed(
    wanted: set[str], found: str, start: int, open: list[tuple[int, str, bool]]
) -> tuple[Related, ...]:
    """The innermost open bracket, if its closer was welcome; a `{` only if nothing else can have been meant."""
    before = [(at, bracket) for at, bracket, _ in open if at < start]
    if not before or not any(TEXTS[name] == CLOSERS[before[-1][1]] for name in wanted & set(CLOSING)):
        return ()
    at, bracket = before[-1]
    if bracket == "{" and found not in ENDING:
        return ()
    return (Related(Span(at, at + 1), f"unclosed `{bracket}`"),)


def _phrases(wanted: set[str]) -> list[str]:
    """Closers first, then separators, then words for whole phrases, operators last."""
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


def _found(token: str) -> str:
    if not token:
        return "the end of the text"
    line = token.split("\n", 1)[0]
    return f"`{line if len(line) <= 30 else line[:29] + '…'}`"
