"""`gradual smt`: the queries to the SMT solver."""

from __future__ import annotations

import click

from gradual.interface.input.files import Importing
from gradual.interface.reports.accepted import accepted
from gradual.interface.terminal import FILE, Output, shared
from gradual.limits import Options
from gradual.tools.models.options import model_options


@click.command()
@click.argument("file", type=FILE)
@click.option("--check", "wanted", metavar="ID", multiple=True, help="Only this residual check, such as c1.")
@model_options
@shared
def smt(out: Output, file: str, wanted: tuple[str, ...], importing: Importing) -> int:
    """Print the SMT-LIB query for each residual check."""
    compilation = accepted(out, file, Options(), importing)
    if compilation is None:
        return 1
    known = [check.id for check in compilation.checks]
    for missing in (id_ for id_ in wanted if id_ not in known):
        raise click.UsageError(f"`{file}` has no residual check {missing}; it has {', '.join(known) or 'none'}")
    for id_ in wanted or known:
        out.line(compilation.question(id_).rstrip("\n"))
    return 0
