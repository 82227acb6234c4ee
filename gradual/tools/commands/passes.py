"""`gradual pass`: the program after passes."""

from __future__ import annotations

from collections.abc import Sequence

import click

from gradual.compiler import apply
from gradual.core.print import printed
from gradual.interface.input.files import Importing
from gradual.interface.reports.accepted import accepted
from gradual.interface.terminal import FILE, Output, note, shared
from gradual.limits import Options
from gradual.passes.catalogue import PASSES
from gradual.passes.framework.pass_ import Note, Unusable
from gradual.source import Source
from gradual.tools.models.options import model_options

LISTED = "\n".join(f"  {one.name} {one.takes}".rstrip() + f"\n      {one.summary}" for one in PASSES.values())


@click.command("pass", epilog=f"\b\nPasses:\n{LISTED}")
@click.argument("words", type=FILE, nargs=-1, required=True, metavar="NAME [ARGUMENT=VALUE]… FILE")
@click.option("--core", "as_core", is_flag=True, help="Print the core, with its checks, not a program.")
@click.option(
    "--report", is_flag=True, help="Report on standard error what a pass left unchanged, the reason, and the cost."
)
@click.option("--no-verify", is_flag=True, help="Do not verify the core after each pass.")
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@model_options
@shared
def passing(
    out: Output, words: Sequence[str], as_core: bool, report: bool, no_verify: bool, no_smt: bool, importing: Importing
) -> int:
    """Print the program after one or more passes.

    Exit 1 if the program has errors, 2 if a pass cannot be applied as requested.
    """
    *names, file = words
    if not names:
        raise click.UsageError("the name of a pass stands before the file")
    compilation = accepted(out, file, Options(smt=not no_smt), importing)
    if compilation is None:
        return 1
    try:
        after = apply(compilation, *names, verify=not no_verify)
    except Unusable as trouble:
        raise click.UsageError(_placed(trouble, compilation.source)) from trouble
    out.program((printed(after.core) if as_core else after.text).rstrip("\n") + "\n")
    if report:
        for left in after.notes:
            note(_told(left, compilation.source))
    return 0


def _placed(trouble: Unusable, source: Source) -> str:
    if trouble.span is None:
        return trouble.message
    at = source.position(trouble.span.start)
    return f"{source.name}:{at.line}:{at.column}: {trouble.message}"


def _told(note: Note, source: Source) -> str:
    at = source.position(note.span.start)
    kind = "left" if note.left else "note"
    return f"{source.name}:{at.line}:{at.column}: {kind}: {note.says} (in {note.function})"
