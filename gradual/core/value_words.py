"""Replace generated names of core by source expressions: `dim(%_1, 0)` becomes `dim(argwhere(%x), 0)`."""

from __future__ import annotations

import re
from collections.abc import Mapping

UNWRITTEN = re.compile(r"%(?:_[0-9]+|(?:argument|written|read)(?:_[0-9]+)?)(?![A-Za-z0-9_/:])")
"""Names that elaboration generates."""

Words = Mapping[str, str]
"""Name of a value -> text of its expression."""


def reworded(text: str, words: Words) -> str:
    """Replace generated names of core in a text by the expressions in the program."""
    return UNWRITTEN.sub(lambda match: words.get(match[0], match[0]), text) if words else text
