"""Names of values in texts: rename them, or replace generated ones by source expressions.

So `dim(%_1, 0)` becomes `dim(argwhere(%x), 0)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

UNWRITTEN = re.compile(r"%(?:_[0-9]+|(?:argument|written|read)(?:_[0-9]+)?)(?![A-Za-z0-9_/:])")
"""Names that elaboration generates."""

_NAME = re.compile(r"%(?:[0-9]+|[A-Za-z_]\w*(?:(?:\.[0-9]+)*\.[A-Za-z_]\w*|::\w+|/[A-Za-z_]\w*|:[0-9]+)*)", re.ASCII)
"""A variable; in `%t.0`, without the field."""

Words = Mapping[str, str]
"""Name of a value -> text of its expression."""


def reworded(text: str, words: Words) -> str:
    """Replace generated names of core in a text by the expressions in the program."""
    return UNWRITTEN.sub(lambda match: words.get(match[0], match[0]), text) if words else text


def renamed(text: str, name: Callable[[str], str]) -> str:
    """Replace every variable in a text by the name given to it."""
    return _NAME.sub(lambda match: name(match[0]), text)
