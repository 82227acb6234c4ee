"""`gradual annotate`: write the inferred types and constraints into the program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from gradual.interface.input.files import STDIN, model_format
from gradual.interface.input.program_text import read
from gradual.interface.reports.accepted import errors, show
from gradual.interface.terminal import FILE, Output, note, shared
from gradual.source import Source, visible

if TYPE_CHECKING:
    from gradual.tools.migrating.rounds import Migrated


@click.command()
@click.argument("file", type=FILE, metavar="FILE or -")
@click.option("--only", type=click.Choice(["?"]), help="Sizes and ranks that are unknown; no missing type, no `where`.")
@click.option("--diff", is_flag=True, help="What would change, as a diff; exit 1 if something would.")
@shared
def annotate(out: Output, file: str, only: str | None, diff: bool) -> int:
    """Write inferred sizes, result types and `where` clauses into a program.

    Each annotation is tried: the program stays accepted, has no new run-time checks, and refuses no run that returned
    a value, except runs in which a size is 0 that is named now. Comments and layout stay. Unknown sizes that remain
    are listed on standard error. The program is printed, or written to `-o FILE`, which may be the same file.
    """
    from gradual.interface.input.settings import settings_for
    from gradual.tools.checking.fixing import difference
    from gradual.tools.migrating.rounds import migrated

    if model_format(file) is not None:
        raise click.UsageError(f"`{file}` is a model; `gradual import` makes a program of it")
    text = read(file)
    if text.flaw is not None:
        show(out.beside, text.source, [text.flaw])
        return 1
    settings = settings_for(os.curdir if text.source.name == STDIN else os.path.dirname(file))
    result, before = migrated(text.source, settings.options, everything=only is None)
    if result is None:
        show(out.beside, text.source, errors(before))
        return 1
    _tell_left(out, result)
    out.program(difference(text.source, result.text) if diff else result.text)
    return int(diff and result.text != text.source.text)


def _tell_left(out: Output, result: Migrated) -> None:
    """Report the remaining unknowns, one per line, with their positions in the annotated program."""
    after = Source(result.source.name, result.text)
    for left in result.left if not out.quiet else ():
        place = after.position(left.span.start)
        note(f"{visible(after.name)}:{place.line}:{place.column}: {left.says}")
