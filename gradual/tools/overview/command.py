"""`gradual report`: a program or a model as a page of HTML."""

from __future__ import annotations

import click

from gradual.interface.input.files import Importing
from gradual.interface.terminal import FILE, Output, shared
from gradual.tools.checking.examining import examined
from gradual.tools.commands.alloc import chosen_entry
from gradual.tools.models.options import model_options
from gradual.tools.overview.page import page


@click.command()
@click.argument("file", type=FILE, metavar="FILE|MODEL")
@click.option("--entry", metavar="@NAME", help="The function to draw first (default @main, or the only one).")
@click.option("--bind", "bound", multiple=True, metavar="NAME=NUMBER", help="A number for a size in the memory plan.")
@model_options
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@shared
def report(
    out: Output,
    file: str,
    entry: str | None,
    bound: tuple[str, ...],
    importing: Importing,
    no_smt: bool,
) -> int:
    """Write a page of HTML about a program or a model: `gradual report model.onnx -o page.html`.

    It has the types, errors and warnings, residual checks by cause, the data flow, the memory plan, and the program
    with the types inferred on each line. The page loads nothing. The exit code is that of `gradual check`.
    """
    found = examined(file, importing, not no_smt)
    checked, names = found.checked(), list(found.compilation.core.functions)
    has_entry = entry is not None or len(names) == 1 or "@main" in names
    name = chosen_entry(found.compilation, file, entry) if has_entry else None
    if bound and name is None:
        raise click.UsageError("--bind is for the memory of one function: choose it by --entry")
    out.program(page(found.compilation, checked, name, bound) + "\n")
    return checked.outcome.exit_code
