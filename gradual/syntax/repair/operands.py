"""The operands around a token of a text that cannot be parsed; found by matching brackets, without the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gradual.record import record
from gradual.syntax.parsing.errors import CLOSERS
from gradual.syntax.parsing.lexer import Lexer
from gradual.syntax.parsing.metadata import NO_METADATA

_JOINED = re.compile(r"&&|\|\||\*\*|\.\.\.?")
"""Foreign signs of more than one character."""

_OPERAND = re.compile(r"[%@\w\")\]}]")
_KEYWORDS = frozenset({"let", "if", "else", "fn", "match", "where", "assert", "in", "and", "or", "not", "return", "as"})


@record
class Part:
    """A replacement of part of a text, with its description for the user."""

    start: int
    end: int
    text: str
    said: str

    @property
    def says(self) -> str:
        """The description, with the new text."""
        return f"{self.said} `{short(self.text)}`"


@record
class Word:
    """A token: its text, its span, and whether it is in a size or predicate, where arithmetic is allowed."""

    text: str
    start: int
    end: int
    arithmetic: bool


Rewrite = Callable[[str, int], Part | None]
"""Text and offset -> the first replacement from the offset on, None if there is none."""


# ------------------------------------------------------------------------------------------------------- words
def words_of(text: str) -> list[Word]:
    """The tokens of a text; characters that begin no token are tokens of their own."""
    lexer = Lexer(text, NO_METADATA)
    words: list[Word] = []
    for _, _, start, end in lexer.tokens():
        word = Word(text[start:end].rstrip(), start, end, lexer.arithmetic)
        if words and words[-1].end == start and _JOINED.fullmatch(words[-1].text + word.text):
            words[-1] = replace(word, text=words[-1].text + word.text, start=words[-1].start)
        elif end > start:
            words.append(word)
    return words


def is_operand(word: Word) -> bool:
    """Whether an operand may end with a word."""
    return _OPERAND.search(word.text[-1:]) is not None and word.text not in _KEYWORDS


def begins(words: Sequence[Word], last: int) -> int | None:
    """The index of the first word of the operand that ends at `last`, with its calls, indices and projections."""
    at = last
    while at >= 0 and is_operand(words[at]):
        text = words[at].text
        if text in (")", "]", "}"):
            opening = opening_of(words, at)
            if opening is None or text == "}":
                return None
            if opening == 0 or not is_operand(words[opening - 1]) or words[opening - 1].end < words[opening].start:
                return opening
            at = opening - 1
        elif text.startswith(".") and at > 0:
            at -= 1
        else:
            return at
    return None


def ends(words: Sequence[Word], first: int) -> int | None:
    """The index of the last word of the operand that begins at `first`."""
    at = first
    while at < len(words) and words[at].text in ("-", "!"):
        at += 1
    if at >= len(words) or words[at].text in _KEYWORDS:
        return None
    close = closing_of(words, at) if words[at].text in ("(", "[") else at if is_operand(words[at]) else None
    while close is not None and close + 1 < len(words):
        follows = words[close + 1]
        if follows.text in ("(", "[") and follows.start == words[close].end:
            close = closing_of(words, close + 1)
        elif follows.text.startswith(".") and follows.text[1:].strip().isdigit():
            close += 1
        else:
            break
    return close


def opening_of(words: Sequence[Word], at: int) -> int | None:
    """The index of the word that opens the bracket closed at `at`."""
    depth = 0
    for place in range(at, -1, -1):
        depth += closes(words[place]) - opens(words[place])
        if depth == 0:
            return place
    return None


def closing_of(words: Sequence[Word], at: int) -> int | None:
    """The index of the word that closes the bracket opened at `at`."""
    depth = 0
    for place in range(at, len(words)):
        depth += opens(words[place]) - closes(words[place])
        if depth == 0:
            return place
    return None


def opens(word: Word) -> int:
    """1 for a word that opens a bracket, else 0."""
    return word.text[-1:] in CLOSERS


def closes(word: Word) -> int:
    """1 for a word that closes a bracket, else 0."""
    return word.text in CLOSERS.values()


def statement(words: Sequence[Word], at: int) -> Iterator[int]:
    """The indices of the words from an offset to the end of its statement."""
    depth = 0
    for place, word in enumerate(words):
        if word.end <= at:
            continue
        depth += opens(word) - closes(word)
        if word.text == ";" or (depth < 0 and word.text == "}"):
            return
        yield place


def bare(operand: str) -> str:
    """An operand without parentheses around the whole, which an argument does not need."""
    if not operand.startswith("(") or not operand.endswith(")"):
        return operand
    depth = 0
    for place, mark in enumerate(operand):
        depth += (mark == "(") - (mark == ")")
        if (depth == 0 and place < len(operand) - 1) or (depth == 1 and mark == ","):
            return operand
    return operand[1:-1].strip()


def short(text: str) -> str:
    """A text on one line, truncated to 100 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
