"""Import of ONNX models as programs, for every command that reads one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from gradual.importers.onnx.file.model import Unreadable, Unsupported
from gradual.importers.onnx.file.reading import load
from gradual.importers.onnx.program import Program, Refused, program
from gradual.interface.input.files import regular
from gradual.interface.terminal import Trouble
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted


def _not_imported(path: str, reasons: Sequence[str]) -> Trouble:
    """The error for a model with unsupported parts; it lists them all."""
    return Trouble("E0703", f"`{path}`: {'; '.join(reasons)}", [f"`{path}`: {reason}" for reason in reasons])


def imported(path: str, where: str | None = None, opens: bool = False, empty: Sequence[str] = ()) -> Program:
    """Import a model as a program in canonical form, and print its notes; raises Trouble if it cannot be imported."""
    try:
        regular(path, "file")
        found = program(load(path), where, opens, empty)
    except Unreadable as trouble:
        raise Trouble(trouble.code, str(trouble)) from trouble
    except Refused as refused:
        raise _not_imported(path, refused.reasons) from refused
    except Unsupported as reason:
        raise _not_imported(path, [str(reason)]) from reason
    for note in () if _is_quiet() else found.notes:
        click.echo(f"note: `{path}`: {note}", err=True)
    source = Source(path, found.text)
    if where is not None and parse(source)[1]:
        raise click.UsageError(f"`{where}` is not a condition")
    return replace(found, text=formatted(source))


def _is_quiet() -> bool:
    """Whether the running command, or an enclosing one, has the option `--quiet`."""
    context = click.get_current_context(silent=True)
    while context is not None and not context.params.get("quiet"):
        context = context.parent
    return context is not None
