"""`gradual fmt`: the canonical form of programs."""

from __future__ import annotations

from pathlib import Path

import click

from gradual.interface.input.files import PROGRAM, STDIN, Absent, Text, expanded, model_format
from gradual.interface.input.program_text import read
from gradual.interface.reports.accepted import show
from gradual.interface.terminal import FILE, Output, Trouble, shared, told
from gradual.source import Source, visible
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted


@click.command()
@click.argument("paths", type=FILE, nargs=-1, metavar="[PATH or -]…", required=True)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit 1 if something would change.")
@shared
def fmt(out: Output, paths: tuple[str, ...], only_check: bool) -> int:
    """Rewrite programs in their canonical form, comments kept; `-` is read from and written to the console."""
    if model := next((path for path in paths if model_format(path) is not None), None):
        raise click.UsageError(f"`{model}` is a model; `gradual import` prints it in canonical form")
    return max(_one(out, path, only_check) for path in expanded(paths, [PROGRAM]))


def _one(out: Output, path: str | Absent, only_check: bool) -> int:
    """Format one file; report one that cannot be read, so that the others are still formatted."""
    try:
        if isinstance(path, Absent):
            raise path.trouble
        return _formatted(out, read(path), only_check)
    except Trouble as trouble:
        told(trouble)
        return trouble.exit_code


def _formatted(out: Output, text: Text, only_check: bool) -> int:
    """Format one text; return 1 if it has syntax errors, or if `only_check` is set and it is not formatted."""
    source = text.source
    flaws = [text.flaw] if text.flaw else parse(source)[1]
    if flaws:
        show(out, source, flaws)
        return 1
    result = formatted(source)
    if source.name == STDIN and not only_check:
        out.program(result)
        return 0
    if result == source.text:
        return 0
    out.line(f"{'would reformat' if only_check else 'reformatted'} {visible(source.name)}")
    return 1 if only_check else _rewritten(source, result)


def _rewritten(source: Source, result: str) -> int:
    try:
        Path(source.name).write_text(result, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Trouble("E0701", f"cannot write `{source.name}`: {error.strerror}") from error
    return 0
