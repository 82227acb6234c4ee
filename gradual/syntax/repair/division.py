"""Repair of a `//` that begins a comment but was meant as a division, of sizes or of integer tensors.

In an expression `//` begins a comment as in Relay, so `repeats=n // m` ends after `n`; `dim[n // m]` is that size as a
value, and `floor_divide(%a, %b)` divides tensors.  [syntax.comment]
"""

from __future__ import annotations

from collections.abc import Iterator

from gradual.diagnostic import Edit, Help
from gradual.source import Span

OPENING, CLOSING = "([{", ")]}"
ENDING = ",;=\n"
"""Characters that end an expression on either side, outside brackets."""
LOOSER = "+-<>!"
"""Operators of lower precedence than division."""


def divisions(text: str, at: int) -> Iterator[Help]:
    """The helps that rewrite a comment at an offset as a division; the caller has to try them."""
    left, right = _left(text, at, ENDING), _right(text, at + 2, ENDING)
    if not text[left:at].strip() or not text[at + 2 : right].strip():
        return
    yield _help(text, left, at, right, "dim[", " // ", "]")
    left, right = _left(text, at, ENDING + LOOSER), _right(text, at + 2, ENDING + LOOSER)
    yield _help(text, left, at, right, "floor_divide(", ", ", ")")


def _help(text: str, left: int, at: int, right: int, before: str, between: str, after: str) -> Help:
    dividend, divisor = text[left:at].strip(), text[at + 2 : right].strip()
    start = left + len(text[left:at]) - len(text[left:at].lstrip())
    end = right - len(text[at + 2 : right]) + len(text[at + 2 : right].rstrip())
    written = f"{before}{dividend}{between}{divisor}{after}"
    return Help(f"in an expression `//` begins a comment; write `{written}`", (Edit(Span(start, end), written),))


def _left(text: str, at: int, ending: str) -> int:
    """The start of the operand that ends at an offset."""
    depth = 0
    for place in range(at - 1, -1, -1):
        mark = text[place]
        depth += (mark in CLOSING) - (mark in OPENING)
        if depth < 0 or (depth == 0 and mark in ending):
            return place + 1
    return 0


def _right(text: str, at: int, ending: str) -> int:
    """The end of the operand that begins at an offset; a prefix operator belongs to the operand."""
    depth, begun = 0, False
    for place in range(at, len(text)):
        mark = text[place]
        depth += (mark in OPENING) - (mark in CLOSING)
        if depth < 0 or mark == "\n" or (depth == 0 and begun and mark in ending):
            return place
        begun = begun or not mark.isspace()
    return len(text)
