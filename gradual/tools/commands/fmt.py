"""`gradual fmt`: the canonical form of programs."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gradual.interface.input.files import PROGRAMS, STDIN, Absent, Text, expanded, model_format
from gradual.interface.input.program_text import read
from gradual.interface.input.settings import settings_for
from gradual.interface.reports.accepted import show
from gradual.interface.terminal import FILE, Output, Trouble, shared, told
from gradual.record import record
from gradual.source import Source, visible
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted


@record
class Wanted:
    """What to do with the formatted programs.

    Attributes:
        check: change nothing, name the files that would change.
        diff: change nothing, show what would change.
        width: the width of lines; None for that of each file's configuration.
    """

    check: bool
    diff: bool
    width: int | None

    def width_of(self, source: Source) -> int:
        """The width of the lines of a program."""
        folder = os.curdir if source.name == STDIN else os.path.dirname(source.name)
        return self.width or settings_for(folder).line_length


@click.command()
@click.argument("paths", type=FILE, nargs=-1, metavar="[PATH or -]…", required=True)
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if something would change.")
@click.option("--diff", is_flag=True, help="Change nothing, show what would change; exit 1 if something would change.")
@click.option(
    "--line-length",
    "width",
    type=click.IntRange(min=1),
    metavar="N",
    help="Break lines longer than N columns (default: `line-length` of the configuration, or else 100).",
)
@shared
def fmt(out: Output, paths: tuple[str, ...], check: bool, diff: bool, width: int | None) -> int:
    """Rewrite programs in their canonical form, comments kept; `-` is read from and written to the console."""
    if model := next((path for path in paths if model_format(path) is not None), None):
        raise click.UsageError(f"`{model}` is a model; `gradual import` prints it as a program")
    wanted = Wanted(check, diff, width)
    return max(_one(out, path, wanted) for path in expanded(paths, PROGRAMS))


def _one(out: Output, path: str | Absent, wanted: Wanted) -> int:
    """Format one file; report one that cannot be read, so that the others are still formatted."""
    try:
        if isinstance(path, Absent):
            raise path.trouble
        return _formatted(out, read(path), wanted)
    except Trouble as trouble:
        told(trouble)
        return trouble.exit_code


def _formatted(out: Output, text: Text, wanted: Wanted) -> int:
    """Format one text; return 1 if it has syntax errors, or if nothing may be changed and it is not formatted."""
    source = text.source
    flaws = [text.flaw] if text.flaw else parse(source)[1]
    if flaws:
        show(out, source, flaws)
        return 1
    result = formatted(source, wanted.width_of(source))
    keeps = wanted.check or wanted.diff
    if source.name == STDIN and not keeps:
        out.program(result)
        return 0
    if result == source.text:
        return 0
    if wanted.diff:
        _show_diff(out, source, result)
    if wanted.check or not wanted.diff:
        out.line(f"{'would reformat' if keeps else 'reformatted'} {visible(source.name)}")
    return 1 if keeps else _rewritten(source, result)


def _show_diff(out: Output, source: Source, result: str) -> None:
    from gradual.tools.checking.fixing import difference  # loads difflib and the compiler

    out.program(difference(source, result))


def _rewritten(source: Source, result: str) -> int:
    try:
        Path(source.name).write_text(result, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Trouble("E0701", f"cannot write `{source.name}`: {error.strerror}") from error
    return 0
