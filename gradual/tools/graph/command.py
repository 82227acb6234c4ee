"""`gradual graph`: the data flow of a function as a picture."""

from __future__ import annotations

import click

from gradual.diagnostic import counted
from gradual.interface.input.files import Importing
from gradual.interface.terminal import FILE, Output, note, shared
from gradual.tools.checking.examining import examined
from gradual.tools.commands.alloc import chosen_entry
from gradual.tools.graph.building import flow_of
from gradual.tools.graph.dot import dot
from gradual.tools.graph.svg import picture
from gradual.tools.models.options import model_options


@click.command()
@click.argument("file", type=FILE, metavar="FILE|MODEL")
@click.option("--entry", metavar="@NAME", help="The function (default @main, or the only one).")
@click.option("--format", type=click.Choice(["svg", "dot"]), default="svg", show_default=True)
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@model_options
@shared
def graph(out: Output, file: str, entry: str | None, format: str, no_smt: bool, importing: Importing) -> int:
    """Draw the data flow of a function: its operators, the shapes between them, its residual checks and errors.

    `dot` is the language of Graphviz. A function with errors is drawn as far as it could be checked; exit 1.
    """
    compilation = examined(file, importing, not no_smt).compilation
    flow = flow_of(compilation, chosen_entry(compilation, file, entry))
    out.program(dot(flow) if format == "dot" else picture(flow, compilation.source))
    if not compilation.ok and not out.quiet:
        note(f"note: `{file}` has {counted(compilation.errors, 'error')}; `gradual check` reports them")
    return 0 if compilation.ok else 1
