"""Semantic comparison of the conditions of checks: they are equivalent if they agree at all sampled valuations.

A text is parsed into a function of a valuation.  Sizes are drawn from small numbers and the numbers in the texts with
their neighbours; valuations at which one side divides by less than 1 are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import permutations
from random import Random

Term = Callable[[Mapping[str, int]], int]

_TOKEN = re.compile(
    r"\s*(?:(?P<size>(?:n?dim|numel)\([^()]*\))|(?P<name>%?[A-Za-z_][\w.]*(?:\[\d+\])?|%\d[\w.]*(?:\[\d+\])?)|(?P<number>\d+)"
    r"|(?P<mark>//|==|!=|<=|>=|[-+*%<>(),]))"
)
_WORDS = frozenset(
    {"if", "then", "else", "and", "or", "not", "min", "max", "True", "False"} | {"broadcast", "broadcasts", "divides"}
)
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("or",),
    ("and",),
    ("==", "!=", "<=", ">=", "<", ">"),
    ("+", "-"),
    ("*", "//", "%"),
)
SAMPLES = 600
_INVENTED = re.compile(r"%_\d+(?:_\d+)*")
"""A variable that the program has no name for; an implementation may number it in another way.   [core.print]"""


class Undefined(Exception):
    """A divisor is less than 1."""


def _divided(left: int, right: int) -> int:
    if right < 1:
        raise Undefined
    return left // right


_MEANINGS: dict[str, Callable[[int, int], int]] = {
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": _divided,
    "%": lambda a, b: a - b * _divided(a, b),
}

_FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "broadcast": lambda a, b: b if a == 1 else a,
    "broadcasts": lambda a, b: a == b or 1 in (a, b),
    "divides": lambda a, b: b - a * _divided(b, a) == 0,
}


class _Reader:
    """A cursor over the tokens of a condition, with the variables found so far."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.variables: set[str] = set()

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def skip(self, mark: str) -> bool:
        if self.peek() != mark:
            return False
        self.at += 1
        return True

    def expect(self, mark: str) -> None:
        if not self.skip(mark):
            raise ValueError(f"expected `{mark}`, found `{self.peek()}`")

    def term(self, level: int = 0) -> Term:
        if level == len(_LEVELS):
            return self.unary()
        left = self.term(level + 1)
        while (mark := self.peek()) in _LEVELS[level]:
            self.at += 1
            left = _joined(_MEANINGS[mark], left, self.term(level + 1))
        return left

    def unary(self) -> Term:
        if self.skip("-"):
            inner = self.unary()
            return lambda sizes: -inner(sizes)
        if self.skip("not"):
            negated = self.unary()
            return lambda sizes: not negated(sizes)
        return self.atom()

    def atom(self) -> Term:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "the end")
        self.at += 1
        if text == "(":
            inner = self.choice() if self.skip("if") else self.term()
            self.expect(")")
            return inner
        if text == "if":
            return self.choice()
        if text in ("min", "max"):
            return self.extreme(min if text == "min" else max)
        if text in _FUNCTIONS:
            return self.function(_FUNCTIONS[text])
        if text in ("True", "False"):
            return lambda sizes: text == "True"
        if kind == "number":
            return lambda sizes: int(text)
        if kind not in ("name", "size"):
            raise ValueError(f"unexpected `{text}`")
        self.variables.add(text)
        return lambda sizes: sizes[text]

    def choice(self) -> Term:
        condition = self.term()
        self.expect("then")
        then = self.term()
        self.expect("else")
        orelse = self.term()
        return lambda sizes: then(sizes) if condition(sizes) else orelse(sizes)

    def extreme(self, of: Callable[[list[int]], int]) -> Term:
        self.expect("(")
        parts = [self.term()]
        while self.skip(","):
            parts.append(self.term())
        self.expect(")")
        return lambda sizes: of([part(sizes) for part in parts])

    def function(self, meaning: Callable[[int, int], int]) -> Term:
        self.expect("(")
        left = self.term()
        self.expect(",")
        right = self.term()
        self.expect(")")
        return _joined(meaning, left, right)


def _joined(meaning: Callable[[int, int], int], left: Term, right: Term) -> Term:
    return lambda sizes: meaning(left(sizes), right(sizes))


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        if not (match := _TOKEN.match(text, at)):
            raise ValueError(f"unexpected `{text[at:]}`")
        kind, word = str(match.lastgroup), match[0].strip()
        found.append(("word" if word in _WORDS else kind, word))
        at = match.end()
    return found


def read_condition(text: str) -> tuple[Term, set[str]]:
    """The truth of a condition as a function of a valuation, and its variables; raises ValueError if malformed."""
    reader = _Reader(text)
    term = reader.term()
    if reader.peek():
        raise ValueError(f"unexpected `{reader.peek()}`")
    return term, reader.variables


def same_condition(left: str, right: str) -> bool:
    """Whether two conditions agree at all sampled valuations."""
    if left == right:
        return True
    try:
        (one, names), (other, others) = read_condition(left), read_condition(right)
    except ValueError:
        return False
    told = [_told(one, other, sizes) for sizes in _valuations(sorted(names | others), left + " " + right)]
    decided = [agree for agree in told if agree is not None]
    return bool(decided) and all(decided)


def same_up_to_invented_names(left: str, right: str) -> bool:
    """Whether two conditions agree, each invented name of one being some invented name of the other."""
    if same_condition(left, right):
        return True
    ours, theirs = invented(left), invented(right)
    if not ours or len(ours) != len(theirs):
        return False
    exchanged = (dict(zip(theirs, chosen, strict=True)) for chosen in permutations(ours))
    return any(same_condition(left, _renamed(right, names)) for names in exchanged)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _INVENTED.sub(lambda name: names[name[0]], text)


def invented(text: str) -> tuple[str, ...]:
    """The invented names in a text, each once, in order."""
    return tuple(dict.fromkeys(_INVENTED.findall(text)))


def renumbered(text: str) -> str:
    """The text with its invented names numbered from 1 in the order in which they occur."""
    return _renamed(text, {name: f"%_{place}" for place, name in enumerate(invented(text), 1)})


def _told(one: Term, other: Term, sizes: Mapping[str, int]) -> bool | None:
    try:
        return bool(one(sizes)) == bool(other(sizes))
    except Undefined:
        return None


def _valuations(names: list[str], text: str) -> list[dict[str, int]]:
    """Pseudo-random valuations, the same in every run: small sizes, and elements that may be negative."""
    numbers = {int(number) + step for number in re.findall(r"(?<![\w\[])\d+", text) for step in (-1, 0, 1)}
    sizes = sorted({0, 1, 2, 3, 4, 5, 6, 7} | {number for number in numbers if number >= 0})
    elements = [-2, -1, *sizes]
    draw = Random(1)
    return [{name: draw.choice(elements if name.startswith("%") else sizes) for name in names} for _ in range(SAMPLES)]
