"""`gradual core`: the elaborated program."""

from __future__ import annotations

import click

from gradual.core.print import printed
from gradual.interface.input.files import Importing
from gradual.interface.reports.accepted import accepted
from gradual.interface.terminal import FILE, Output, shared
from gradual.limits import Options
from gradual.tools.models.options import model_options


@click.command()
@click.argument("file", type=FILE)
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@model_options
@shared
def core(out: Output, file: str, no_smt: bool, importing: Importing) -> int:
    """Print the elaborated program with its `check` statements."""
    compilation = accepted(out, file, Options(smt=not no_smt), importing)
    if compilation is None:
        return 1
    out.program(printed(compilation.core).rstrip("\n") + "\n")
    return 0
