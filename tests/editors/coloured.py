"""Prints programs with the kinds of their tokens, as JSON, for the test of the TextMate grammar."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from gradual.tools.highlighting import RelayLexer
from tests.editors.accepted import own, printed_by_tvm

LONGEST = 200_000
"""Longer texts are models with their constants, which take minutes to colour in an editor too."""


def rows() -> Iterator[tuple[str, str, Any]]:
    """Every program by name with its tokens; offsets in JavaScript count characters beyond U+FFFF twice."""
    for read in (own, printed_by_tvm):
        for name, text in read():
            if len(text) <= LONGEST and max(text, default="") <= "\uffff":
                pieces = RelayLexer().get_tokens_unprocessed(text)
                yield name, text, [(at, at + len(one), _named(kind)) for at, kind, one in pieces if not one.isspace()]


def _named(kind: Any) -> str:
    return str(kind).removeprefix("Token.").removeprefix("Literal.")


if __name__ == "__main__":
    json.dump(list(rows()), sys.stdout)
