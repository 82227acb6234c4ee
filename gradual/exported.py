"""PyTorch programs checked in the process that exported them, such as a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.importers.torch.file.reading import load
from gradual.importers.torch.program import program
from gradual.limits import Options
from gradual.source import Source


def from_torch(
    exported: Any,
    *,
    where: str | Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    empty: Sequence[str] = (),
    guards: bool = False,
    smt: bool = True,
) -> Compilation:
    """Check a PyTorch program; `run("@main", *inputs)` of the result runs it with its own weights.

    The program is saved to memory and read back, exactly as from a `.pt2` file.

    Args:
        exported: what `torch.export.export` returned.
        where: conditions on the sizes of the inputs that callers guarantee, such as `["batch <= 64", "seq % 2 == 0"]`,
            or a single one.
        names: PyTorch's symbols of sizes -> names, such as `{"s77": "batch"}`; others are named after input and axis.
        empty: the sizes that may be 0, by their names; all others are at least 1.
        guards: whether callers guarantee the conditions on sizes that the export assumed.
        smt: whether Z3 is asked where nothing else decides.

    Raises:
        Refused: something of the program cannot be imported; `reasons` lists all of it.
        ValueError: `where` is no condition on the inputs, or one of the names is not that of a size.
        Unreadable: this version of PyTorch saves programs in a format that is not known here.
    """
    import torch

    buffer = BytesIO()
    torch.export.save(exported, buffer)
    buffer.seek(0)
    model, archive = load(buffer, "<exported program>")
    wanted = (where,) if isinstance(where, str) else where
    found = program(model, archive, wanted, empty=empty, called=names, demands=guards)
    options = Options(smt=smt, rigid="error")
    source = Source("<exported program>", found.text, found.origins, demand='`where="')
    compilation = compile_source(source, options)
    return replace(compilation, weights=found.weights)
