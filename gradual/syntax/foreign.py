"""Notation of Python and of C, and what is written for it here: `%x @ %w` is `nn.matmul(%x, %w)`.  [syntax.token]

Operators, indices and strings of other languages have one meaning each, so that they are written anew with the
program's own operands.  All that stand in one statement are, since each of them would be the next error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gradual.diagnostic import Edit
from gradual.source import Span
from gradual.syntax.errors import CLOSERS
from gradual.syntax.indexing import indexed
from gradual.syntax.lexer import Lexer, line_end
from gradual.syntax.metadata import NO_METADATA

MOST = 16
"""How many foreign operators of one statement are written anew."""

_JOINED = re.compile(r"&&|\|\||\*\*|\.\.\.?")
"""Foreign signs of more than one character."""

_OPERAND = re.compile(r"[%@\w\")\]}]")
_KEYWORDS = frozenset({"let", "if", "else", "fn", "match", "where", "assert", "in", "and", "or", "not", "return", "as"})
_LOOSER = frozenset({",", ";", ":", "=", "->", "=>", "&&", "||", "and", "or", "where", "assert", "let", "?", "else"})


@dataclass(frozen=True, slots=True)
class Anew:
    """What is written for foreign notation, how that is said, and the edit."""

    says: str
    edit: Edit


@dataclass(frozen=True, slots=True)
class _Part:
    """What is replaced by what, and how that is said."""

    start: int
    end: int
    text: str
    said: str

    @property
    def says(self) -> str:
        return f"{self.said} `{_short(self.text)}`"


@dataclass(frozen=True, slots=True)
class _Word:
    """A token: its text, where it stands, and whether sizes are computed with there."""

    text: str
    start: int
    end: int
    arithmetic: bool


def anew(text: str, error: Span) -> Iterator[Anew]:
    """What foreign notation at an error means, with all that is like it in the statement."""
    for kinds in _REWRITES:
        after, shown, at = text, "", error.start
        for _ in range(MOST):
            found = next((one for rewrite in kinds if (one := rewrite(after, at)) is not None), None)
            if found is None:
                break
            after = after[: found.start] + found.text + after[found.end :]
            shown, at = found.says, min(at, found.start)
        if shown:
            yield Anew(shown, _difference(text, after))


def _difference(before: str, after: str) -> Edit:
    """The one edit that makes a text of another: what both begin and end with is left out."""
    shorter, start = min(len(before), len(after)), 0
    while start < shorter and before[start] == after[start]:
        start += 1
    same = 0
    while same < shorter - start and before[len(before) - 1 - same] == after[len(after) - 1 - same]:
        same += 1
    return Edit(Span(start, len(before) - same), after[start : len(after) - same])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


# ------------------------------------------------------------------------------------------------------- words
def _words(text: str) -> list[_Word]:
    """The tokens of a text; signs that no token begins with are tokens of their own."""
    lexer = Lexer(text, NO_METADATA)
    words: list[_Word] = []
    for _, _, start, end in lexer.tokens():
        word = _Word(text[start:end].rstrip(), start, end, lexer.arithmetic)
        if words and words[-1].end == start and _JOINED.fullmatch(words[-1].text + word.text):
            words[-1] = replace(word, text=words[-1].text + word.text, start=words[-1].start)
        elif end > start:
            words.append(word)
    return words


def _is_operand(word: _Word) -> bool:
    """Whether an operand may end with a word."""
    return _OPERAND.search(word.text[-1:]) is not None and word.text not in _KEYWORDS


def _begin(words: Sequence[_Word], last: int) -> int | None:
    """With which word an operand begins that ends with another: calls, indices and projections belong to it."""
    at = last
    while at >= 0 and _is_operand(words[at]):
        text = words[at].text
        if text in (")", "]", "}"):
            opening = _opening(words, at)
            if opening is None or text == "}":
                return None
            if opening == 0 or not _is_operand(words[opening - 1]) or words[opening - 1].end < words[opening].start:
                return opening
            at = opening - 1
        elif text.startswith(".") and at > 0:
            at -= 1
        else:
            return at
    return None


def _end(words: Sequence[_Word], first: int) -> int | None:
    """With which word an operand ends that begins with another."""
    at = first
    while at < len(words) and words[at].text in ("-", "!"):
        at += 1
    if at >= len(words) or words[at].text in _KEYWORDS:
        return None
    close = _closing(words, at) if words[at].text in ("(", "[") else at if _is_operand(words[at]) else None
    while close is not None and close + 1 < len(words):
        follows = words[close + 1]
        if follows.text in ("(", "[") and follows.start == words[close].end:
            close = _closing(words, close + 1)
        elif follows.text.startswith(".") and follows.text[1:].strip().isdigit():
            close += 1
        else:
            break
    return close


def _opening(words: Sequence[_Word], at: int) -> int | None:
    depth = 0
    for place in range(at, -1, -1):
        depth += _closes(words[place]) - _opens(words[place])
        if depth == 0:
            return place
    return None


def _closing(words: Sequence[_Word], at: int) -> int | None:
    depth = 0
    for place in range(at, len(words)):
        depth += _opens(words[place]) - _closes(words[place])
        if depth == 0:
            return place
    return None


def _opens(word: _Word) -> int:
    return word.text[-1:] in CLOSERS


def _closes(word: _Word) -> int:
    return word.text in CLOSERS.values()


def _statement(words: Sequence[_Word], at: int) -> Iterator[int]:
    """The words from an offset to the end of the statement that it stands in."""
    depth = 0
    for place, word in enumerate(words):
        if word.end <= at:
            continue
        depth += _opens(word) - _closes(word)
        if word.text == ";" or (depth < 0 and word.text == "}"):
            return
        yield place


# --------------------------------------------------------------------------------------------------- operators
Rewrite = Callable[[str, int], _Part | None]
"""What is replaced in a text, from an offset on."""


def _product(text: str, at: int) -> _Part | None:
    """`a @ b`: a matrix product, which binds as `*` does."""
    words = _words(text)
    place = next((one for one in _statement(words, at) if words[one].text == "@"), None)
    if place is None:
        return None
    left, right = _begin(words, place - 1), _end(words, place + 1)
    while left is not None and left > 1 and words[left - 1].text in ("*", "/"):
        left = _begin(words, left - 2)
    if left is None or right is None:
        return None
    return _called("nn.matmul", "a matrix product is written", text, words[left], words[place], words[right])


def _power(text: str, at: int) -> _Part | None:
    """`a ** b`, of several in a row the last first."""
    words = _words(text)
    for place in _statement(words, at):
        right = _end(words, place + 1) if words[place].text == "**" else None
        if right is None or (right + 1 < len(words) and words[right + 1].text == "**"):
            continue
        left = _begin(words, place - 1)
        if left is None:
            return None
        return _called("power", "a power is written", text, words[left], words[place], words[right])
    return None


def _logical(text: str, at: int) -> _Part | None:
    """`a && b` and `a || b`: in predicates words, elsewhere operators."""
    words = _words(text)
    for sign, word, operator in (("&&", "and", "logical_and"), ("||", "or", "logical_or")):
        for place in _statement(words, at):
            if words[place].text != sign:
                continue
            if words[place].arithmetic:
                return _Part(words[place].start, words[place].end, word, f"`{sign}` is written")
            left, right = _loose_begin(words, place), _loose_end(words, place)
            if left < place < right:
                said = f"`{sign}` of booleans is written"
                return _called(operator, said, text, words[left], words[place], words[right])
    return None


def _negation(text: str, at: int) -> _Part | None:
    """`!a`: in predicates a word, elsewhere an operator."""
    words = _words(text)
    place = next((one for one in _statement(words, at) if words[one].text == "!"), None)
    if place is None:
        return None
    sign, right = words[place], _end(words, place + 1)
    if sign.arithmetic:
        return _Part(sign.start, sign.end, "not ", "`!` is written")
    if right is None:
        return None
    operand = _bare(text[sign.end : words[right].end].strip())
    return _Part(sign.start, words[right].end, f"logical_not({operand})", "the opposite of a boolean is written")


def _loose_begin(words: Sequence[_Word], place: int) -> int:
    depth = 0
    for at in range(place - 1, -1, -1):
        depth += _closes(words[at]) - _opens(words[at])
        if depth < 0 or (depth == 0 and words[at].text in _LOOSER):
            return at + 1
    return 0


def _loose_end(words: Sequence[_Word], place: int) -> int:
    depth = 0
    for at in range(place + 1, len(words)):
        if depth == 0 and (words[at].text in _LOOSER or words[at].text == "{"):
            return at - 1
        depth += _opens(words[at]) - _closes(words[at])
        if depth < 0:
            return at - 1
    return len(words) - 1


def _called(operator: str, said: str, text: str, left: _Word, sign: _Word, right: _Word) -> _Part:
    first, second = (_bare(text[start:end].strip()) for start, end in ((left.start, sign.start), (sign.end, right.end)))
    return _Part(left.start, right.end, f"{operator}({first}, {second})", said)


def _bare(operand: str) -> str:
    """An operand without the brackets around all of it, which an argument does not need."""
    if not operand.startswith("(") or not operand.endswith(")"):
        return operand
    depth = 0
    for place, mark in enumerate(operand):
        depth += (mark == "(") - (mark == ")")
        if (depth == 0 and place < len(operand) - 1) or (depth == 1 and mark == ","):
            return operand
    return operand[1:-1].strip()


# ------------------------------------------------------------------------------------------------ other notation
def _subscript(text: str, at: int) -> _Part | None:
    """`%x[:, 0]`, `%x[1:]`: what an index with ranges takes."""
    words = _words(text)
    for place in _statement(words, at):
        inside = words[place]
        if inside.text not in (":", "..."):
            continue
        opening = _enclosing(words, place)
        close = None if opening is None else _closing(words, opening)
        begin = None if opening is None else _begin(words, opening - 1)
        if opening is None or close is None or begin is None:
            return None
        base = text[words[begin].start : words[opening].start]
        written = indexed(base, text[words[opening].end : words[close].start])
        if written is None:
            return None
        return _Part(words[begin].start, words[close].end, written, "what an index with ranges takes is written")
    return None


def _enclosing(words: Sequence[_Word], place: int) -> int | None:
    depth = 0
    for at in range(place - 1, -1, -1):
        depth += _closes(words[at]) - _opens(words[at])
        if depth < 0:
            return at if words[at].text == "[" and at > 0 and _is_operand(words[at - 1]) else None
    return None


_QUOTED = re.compile(r"'([^'\"\\\n]*)'")


def _quotes(text: str, at: int) -> _Part | None:
    """`'int64'`: a string has double quotes."""
    end = next((place for place in range(at, len(text)) if text[place] in ";\n"), len(text))
    found = _QUOTED.search(text, at, end)
    if found is None:
        return None
    return _Part(found.start(), found.end(), f'"{found[1]}"', "a string has double quotes:")


def _comment(text: str, at: int) -> _Part | None:
    """`# why`: a comment begins with `//`."""
    if text[at : at + 1] != "#" or text.startswith("#[", at):
        return None
    end = line_end(text, at)
    return _Part(at, end, f"//{text[at + 1 : end]}", "a comment begins with `//`:")


_UPDATE = re.compile(r"(%\w+)\s*([+*/-])=\s*([^;]+)(?=;)")


def _update(text: str, at: int) -> _Part | None:
    """`%x += 1f;`: a new value has a new binding, which may have the same name."""
    start = max(text.rfind(mark, 0, at) for mark in ";{}\n") + 1
    start += len(text[start:at]) - len(text[start:at].lstrip())
    found = _UPDATE.match(text, start)
    if found is None or not found.start(2) <= at <= found.start(3):
        return None
    name, sign, value = found.groups()
    operand = value if sign == "+" or re.fullmatch(r"[%\w.]+(?:\([^()]*\))?", value) else f"({value})"
    return _Part(start, found.end(), f"let {name} = {name} {sign} {operand}", "a new value needs a new binding:")


_CONDITIONAL = re.compile(r"([^;{}=,()]+?)\s+if\s+([^;{}]+?)\s+else\s+([^;{},]+?)(?=\s*[;}])")


def _conditional(text: str, at: int) -> _Part | None:
    """`a if c else b`: the condition stands first."""
    start = max(text.rfind(mark, 0, at) for mark in ";{}=") + 1
    start += len(text[start:]) - len(text[start:].lstrip())
    found = _CONDITIONAL.match(text, start)
    if found is None or not found.start() < at <= found.end(1) + 4:
        return None
    then, condition, orelse = found.groups()
    written = f"if ({_bare(condition)}) {{ {then} }} else {{ {orelse} }}"
    return _Part(found.start(), found.end(), written, "a choice is written")


_REWRITES: tuple[tuple[Rewrite, ...], ...] = (
    (_power, _product, _negation, _logical, _subscript),
    (_quotes,),
    (_comment,),
    (_update,),
    (_conditional,),
)
"""Which of them are written anew together."""
