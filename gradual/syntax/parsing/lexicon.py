"""The words and signs of the language, and the one regular expression that reads them, from the grammar's terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from gradual.syntax.parsing.blanks import SKIPPED
from gradual.syntax.parsing.tables import tables

# The commonest attributes and tensor types are one token each; a lookahead ensures that the value is complete.
_WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
_SIZE = r"-?[0-9]{1,9}+(?![0-9A-Za-z_.])"
SIMPLE_ATTRIBUTE = (
    rf"{_WORD}(?:\.{_WORD})*=(?:{_SIZE}|\[(?:{_SIZE}(?:, ?{_SIZE})*)?\]|\"[^\"\\\n]*+\"|True|False)(?=[ ]*[,)}}])"
)
SIMPLE_TENSOR = r"Tensor\[\((?:(?:[0-9]{1,9}+|\?)(?:, ?(?:[0-9]{1,9}+|\?))*,?)?\), ?[a-z][a-z0-9]*+\]"

OPERANDS = (
    *("LOCAL", "GRAPH", "GLOBAL", "NAME", "NUMBER", "STRING", "META", "HOLE", "PROJECTION", "RPAR", "RSQB", "RBRACE"),
    "tensor_type",
)

SEPARATOR, OPENER, CLOSER, LOCAL, GRAPH, ATTRIBUTE, TENSOR_TYPE = range(1, 8)
NAME = 11
"""The group numbers of the commonest alternatives, which are listed below."""


def _alternatives(patterns: dict[str, str], signs: Iterable[str]) -> dict[str, str]:
    """The alternatives by name, in the order they are tried."""
    return {
        "separator": r"[,:]|=(?![=>])",
        "opener": r"[(\[{]",
        "closer": r"[;)\]}]",
        "LOCAL": patterns["LOCAL"],
        "GRAPH": patterns["GRAPH"],
        "attribute": SIMPLE_ATTRIBUTE,
        "tensor_type": SIMPLE_TENSOR,
        "META": patterns["META"],
        "TENSOR": patterns["TENSOR"],
        "PARTIAL_MATCH": r"match\?",
        "NAME": patterns["NAME"],
        "NUMBER": patterns["NUMBER"],
        "PROJECTION": patterns["PROJECTION"],
        "STRING": patterns["STRING"],
        "GLOBAL": patterns["GLOBAL"],
        "BOUND": patterns["BOUND"],
        "nested": r"/\*",
        "sign": "|".join(re.escape(text) for text in sorted(signs, key=len, reverse=True)),
        "METADATA": patterns["METADATA"],
        "HEADER": patterns["HEADER"],
        "malformed": r"-?[0-9][A-Za-z0-9_.]*",
        "end": r"\Z",
        "unknown": r"(?s:.)",
    }


class Lexicon(NamedTuple):
    """The compiled expression, and the symbols' numbers by name and by text."""

    expression: re.Pattern[str]
    alternatives: tuple[str, ...]
    number: dict[str, int]
    words: dict[str, int]
    signs: dict[str, int]
    operands: frozenset[int]
    name: re.Pattern[str]


@cache
def lexicon() -> Lexicon:
    """The lexicon of the grammar."""
    grammar = tables()
    number = {name: k for k, name in enumerate(grammar.symbols)}
    literals = {t.pattern: number[t.name] for t in grammar.terminals if t.literal}
    patterns = {t.name: t.pattern for t in grammar.terminals if not t.literal}
    words = {text: k for text, k in literals.items() if text.isidentifier()}
    signs = {text: k for text, k in literals.items() if text not in words}
    rows = _alternatives(patterns, signs)
    expression = re.compile(SKIPPED + "(?:" + "|".join(f"({row})" for row in rows.values()) + ")")
    operands = frozenset(number[name] for name in OPERANDS)
    return Lexicon(expression, ("", *rows), number, words, signs, operands, re.compile(patterns["NAME"]))
