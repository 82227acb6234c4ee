"""What may have been meant by a `//` that begins a comment: a division of sizes, or one of integer tensors.

An expression has Relay's comments, so `repeats=n // m` ends behind `n`; `dim[n // m]` is that size as a value, and
`floor_divide(%a, %b)` divides tensors.  [syntax.comment]
"""

from __future__ import annotations

from collections.abc import Iterator

from gradual.diagnostic import Edit, Help
from gradual.source import Span

OPENING, CLOSING = "([{", ")]}"
ENDING = ",;=\n"
"""What ends an expression on either side, outside brackets."""
LOOSER = "+-<>!"
"""Signs that bind their operands less than a division does."""


def divisions(text: str, at: int) -> Iterator[Help]:
    """The ways to write the division that a comment at an offset may have been meant as, none of them tried."""
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
    """Where the operand begins that ends at an offset."""
    depth = 0
    for place in range(at - 1, -1, -1):
        mark = text[place]
        depth += (mark in CLOSING) - (mark in OPENING)
        if depth < 0 or (depth == 0 and mark in ending):
            return place + 1
    return 0


def _right(text: str, at: int, ending: str) -> int:
    """Where the operand ends that begins at an offset; a sign in front belongs to it."""
    depth, begun = 0, False
    for place in range(at, len(text)):
        mark = text[place]
        depth += (mark in OPENING) - (mark in CLOSING)
        if depth < 0 or mark == "\n" or (depth == 0 and begun and mark in ending):
            return place
        begun = begun or not mark.isspace()
    return len(text)
