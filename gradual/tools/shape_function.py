"""`gradual shape-function`: the shapes and the memory of a call, as code that computes them from sizes."""

from __future__ import annotations

from collections.abc import Callable

import click

from gradual.compilation import Compilation
from gradual.dims.solver.decide import Decider
from gradual.interface.input.files import Importing
from gradual.interface.reports.accepted import accepted
from gradual.interface.terminal import FILE, Output, shared
from gradual.limits import Options
from gradual.report.located import place_of
from gradual.shape_functions import c, python, relay
from gradual.shape_functions.build import Refused, Subject, shape_function
from gradual.shape_functions.form import ShapeFunction
from gradual.tools.commands.alloc import chosen_entry
from gradual.tools.models.options import model_options

PRINTERS: dict[str, Callable[[ShapeFunction, Decider], str]] = {
    "relay": relay.printed,
    "python": lambda made, _: python.printed(made),
    "c": lambda made, _: c.printed(made),
}


@click.command("shape-function")
@click.argument("file", type=FILE)
@click.option("--lang", type=click.Choice(list(PRINTERS)), required=True, help="The language of the code.")
@click.option("--entry", metavar="@NAME", help="The function (default @main, or the only one).")
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@model_options
@shared
def shaping(out: Output, file: str, lang: str, entry: str | None, no_smt: bool, importing: Importing) -> int:
    """Print code that computes, from the sizes of the arguments, the shapes of the results and the memory of a call.

    The code takes the sizes of each argument, and the elements of an integer argument if sizes depend on them. It
    decides the checks that depend on nothing else, then gives the shapes of the results, and the offset and the bytes
    of each buffer of the plan (`gradual alloc`). A size that depends on data is given as an upper bound, and marked as
    one. Exit 1 if the program has errors, 2 if an argument does not have a fixed number of sizes.
    """
    compilation = accepted(out, file, Options(smt=not no_smt), importing)
    if compilation is None:
        return 1
    try:
        made = shape_function(_subject(compilation, chosen_entry(compilation, file, entry)), compilation.decider())
    except Refused as refused:
        raise click.UsageError(str(refused)) from refused
    out.program(PRINTERS[lang](made, compilation.decider()))
    return 0


def _subject(found: Compilation, entry: str) -> Subject:
    weights = tuple(found.weights.values()) if entry == "@main" else ()
    return Subject(found.core, entry, found.source.name, lambda span: place_of(found.source, span), weights)
