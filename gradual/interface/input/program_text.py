"""The text of a program from a path: a program's file, an imported model, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gradual.interface.input.files import MODEL, STDIN, Text, bounded, content, decoded
from gradual.source import Source


def read(path: str, empty: Sequence[str] = ()) -> Text:
    """Read a program or import a model, whose sizes in `empty` may be 0; raises Trouble if it cannot be read."""
    if path.endswith(MODEL):
        from gradual.interface.input.imported import imported  # the importer is large, and few paths are models

        return Text(Source(Path(path).as_posix(), imported(path, empty=empty).text), None)
    if path == "-":
        return decoded(STDIN, bounded(sys.stdin.buffer, "standard input", "source"))
    return decoded(Path(path).as_posix(), content(path, "source"))
