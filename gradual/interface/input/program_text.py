"""The text of a program from a path: a program's file, an imported model, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from gradual.interface.input.files import STDIN, Importing, Text, bounded, content, decoded, model_format
from gradual.interface.terminal import Trouble
from gradual.source import Source

PLAINLY = Importing()
"""The default way to import a model: as it is, with named sizes of at least 1."""


def read(path: str, importing: Importing = PLAINLY) -> Text:
    """Read a program or import a model; raises Trouble if it cannot be read."""
    if model_format(path) is not None:
        from gradual.interface.input.imported import imported  # the importer is large, and few paths are models

        found = imported(path, importing)
        name = Path(path).as_posix()
        source = Source(name, found.text, found.origins, demand=importing.demand(name))
        return Text(source, None, found.weights, found.notes, found.files)
    if Path(path).suffix == ".py":
        how = "export it first, with `torch.export.export` and `torch.export.save`, and check the `.pt2` file"
        raise Trouble("E0703", f"`{path}` is a Python program: {how}")
    if path == "-":
        return decoded(STDIN, bounded(sys.stdin.buffer, "standard input", "source"))
    return decoded(Path(path).as_posix(), content(path, "source"))
