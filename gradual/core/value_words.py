"""Names of core that nobody wrote, in the words of the text: `dim(%_1, 0)` is read as `dim(argwhere(%x), 0)`."""

from __future__ import annotations

import re
from collections.abc import Mapping

UNWRITTEN = re.compile(r"%(?:_[0-9]+|(?:argument|written|read)(?:_[0-9]+)?)(?![A-Za-z0-9_/:])")
"""The names that elaboration makes for values without one."""

Words = Mapping[str, str]
"""The words of an expression, for the name of its value."""


def reworded(text: str, words: Words) -> str:
    """A text in which the names of core are what stands in the program."""
    return UNWRITTEN.sub(lambda match: words.get(match[0], match[0]), text) if words else text
