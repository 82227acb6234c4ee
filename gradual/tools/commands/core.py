"""`gradual core`: the elaborated program."""

from __future__ import annotations

import click

from gradual.compiler import Options
from gradual.core.print import printed
from gradual.tools.accepted import accepted
from gradual.tools.output import Output, shared


@click.command()
@click.argument("file")
@click.option("--no-smt", is_flag=True, help="Decide with the normative rungs only, without Z3.")
@shared
def core(out: Output, file: str, no_smt: bool) -> int:
    """The elaborated program with its `check` statements."""
    compilation = accepted(out, file, Options(smt=not no_smt))
    if compilation is None:
        return 1
    out.program(printed(compilation.core).rstrip("\n") + "\n")
    return 0
