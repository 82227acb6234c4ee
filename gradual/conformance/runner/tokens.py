"""The tokens and comments of a text, which formatting keeps.  [syntax.format]"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from gradual.syntax.parsing.blanks import comment_end, line_end
from gradual.syntax.parsing.lexer import Lexer
from gradual.syntax.parsing.metadata import NO_METADATA

_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+', re.DOTALL)
"""Strings, which are kept, and blanks outside of them."""

_SHOWN = 60
"""How many characters of a differing part are shown."""


def difference(text: str, other: str) -> tuple[str, str] | None:
    """The first part in which two texts differ, from each; None if they have the same tokens and comments in order.

    The parts of a text are its comments, and what stands between them without its blanks.
    """
    for one, two in zip_longest(_parts(text), _parts(other), fillvalue=""):
        if one != two:
            at = next((k for k, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
            start = max(at - _SHOWN // 2, 0)
            return one[start : start + _SHOWN], two[start : start + _SHOWN]
    return None


def _parts(text: str) -> Iterator[str]:
    """The comments of a text, and the tokens before, between and after them, joined without blanks."""
    end, joined = 0, ""
    for _, _, start, stop in Lexer(text, NO_METADATA).tokens():
        for comment in _comments(text, end, start):
            yield joined
            yield comment
            joined = ""
        joined += _BLANKS.sub(lambda found: found[1] or "", text[start:stop])
        end = stop
    yield joined


def _comments(text: str, start: int, end: int) -> Iterator[str]:
    """The comments between two tokens, without blanks at their end."""
    at = start
    while (first := text.find("/", at, end)) >= 0:
        at = line_end(text, first) if text.startswith("//", first) else comment_end(text, first) or end
        yield text[first:at].rstrip()
