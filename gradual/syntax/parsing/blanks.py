"""Blanks and comments, which may stand between any two tokens."""

from __future__ import annotations

import re

SKIPPED = r"(?:[ \t\r\n\f\ufeff]++|/\*[^*/]*+(?:\*(?!/)[^*/]*+|/(?!\*)[^*/]*+)*\*/)*"
"""Blanks and block comments that do not nest; nested ones are read by `comment_end`.

Only single characters are repeated possessively: for groups that is wrong before Python 3.11.5 (CPython issue 106052).
"""

_SKIPPED = re.compile(SKIPPED)
_BLOCK_COMMENT_EDGE = re.compile(r"/\*|\*/")


def skipped(text: str, start: int) -> int:
    """The offset after the blanks and comments that start at `start`."""
    at, before = start, -1
    while at != before:
        before = at
        if (blank := _SKIPPED.match(text, at)) is not None:
            at = blank.end()
        if text.startswith("//", at):
            at = line_end(text, at)
        elif text.startswith("/*", at):
            at = comment_end(text, at) or at
    return at


def line_end(text: str, start: int) -> int:
    """Where the line ends, before its line feed."""
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def comment_end(text: str, start: int) -> int | None:
    """The end of the block comment that starts at `start`, which may nest; None if it is unterminated."""
    depth = 0
    for edge in _BLOCK_COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return None
