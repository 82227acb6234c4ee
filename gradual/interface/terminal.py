"""The output of commands, the options that all of them share (colour, quiet, verbose, output file), names of files."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import IO, Any

import click

from gradual.interface.progress import DISPLAY, progress
from gradual.record import record
from gradual.report.paint import Paint, painter, plain, shielded
from gradual.source import visible

WAITING = ("repl", "lsp")
"""The commands that wait for the user, or for an editor."""


@record
class Output:
    """A stream with its painter.

    Attributes:
        terminal: whether it is a terminal, where times and progress may be shown.
        quiet: 1 for errors only, 2 for nothing but the exit code.
        verbose: above 0, also show how the answers were found.
        filed: whether the output goes to the file given by `-o`.
    """

    stream: IO[str]
    paint: Paint
    terminal: bool
    quiet: int = 0
    verbose: int = 0
    filed: bool = False

    @property
    def beside(self) -> Output:
        """The output for messages besides the result; standard error if the result goes to a file."""
        return replace(self, stream=sys.stderr, filed=False) if self.filed else self

    def line(self, text: str = "") -> None:
        """Write one line, or several, with terminal control characters escaped."""
        self._before()
        self.stream.write(shielded(text, self.paint) + "\n")

    def program(self, text: str) -> None:
        """Write a program unchanged, so that it can be read again; on a terminal, control characters are escaped."""
        self._before()
        self.stream.write(shielded(text, plain) if self.terminal else text)

    def _before(self) -> None:
        """Clear what shows the progress of the command, if both are on the screen."""
        if self.terminal:
            DISPLAY.hide()


class FileName(click.Path):
    """The name of a file or folder, which a shell completes; the command that reads it finds out whether it can."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name as it was given."""
        return value


FILE = FileName()


def note(text: str) -> None:
    """Write a note to standard error, separate from the result."""
    DISPLAY.hide()
    click.echo(shielded(text, plain), err=True)


def tell_notes(path: str, notes: Sequence[str]) -> None:
    """Write the notes on a model to standard error, unless the running command or its parent is quiet."""
    context = click.get_current_context(silent=True)
    while context is not None and not context.params.get("quiet"):
        context = context.parent
    for text in notes if context is None else ():
        DISPLAY.hide()
        click.echo(f"note: `{path}`: {text}", err=True)


def told(trouble: click.ClickException) -> None:
    """Report an error of the tool or of its usage, with the offending input on one line."""
    DISPLAY.hide()
    trouble.message = visible(trouble.message)  # type: ignore[misc]  # Final is meant for subclasses
    trouble.show()


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `--color`, `-q`, `-v` and `-o`; the command receives an `Output` as `out`.

    The file of `-o` is written after the command has ended, unless it failed without output.
    """

    @functools.wraps(function)
    def command(*, color: str | None, quiet: int, verbose: int, output: str | None, **arguments: Any) -> int | None:
        base = click.get_current_context().find_root().params
        color = color or base.get("color") or "auto"
        quiet, verbose = quiet + (base.get("quiet") or 0), verbose + (base.get("verbose") or 0)
        if output is None:
            out = Output(sys.stdout, painter(colored(color, sys.stdout)), sys.stdout.isatty(), quiet, verbose)
            return _invoked(function, out, arguments)
        stream = StringIO()
        done = _invoked(function, Output(stream, painter(color == "always"), False, quiet, verbose, True), arguments)
        if stream.getvalue() or not done:
            save_text(output, stream.getvalue())
        return done

    return choices(click.option("-o", "--output", metavar="FILE", help="Write to this file instead.")(command))


def choices(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that may be given before or after the name of a command."""
    function = click.option("-v", "--verbose", count=True, help="Also show how obligations were decided.")(function)
    function = click.option("-q", "--quiet", count=True, help="Only errors; -qq only the exit code.")(function)
    return click.option("--color", type=click.Choice(["auto", "always", "never"]), help="Default: auto.")(function)


def colored(choice: str, stream: IO[str]) -> bool:
    """Whether to use colour, decided by the option, NO_COLOR, FORCE_COLOR, and whether the stream is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _invoked(function: Callable[..., Any], out: Output, arguments: dict[str, Any]) -> int | None:
    """Run a command, and show on a terminal that it is still running; not one that waits for the user."""
    name = click.get_current_context().info_name or ""
    with nullcontext() if name in WAITING or arguments.get("watch") else progress(name):
        code: int | None = function(out=out, **arguments)
    return code


def save_text(path: str, text: str) -> None:
    """Write a file of UTF-8 text; raises Trouble if that fails."""
    save_bytes(path, text.encode(errors="backslashreplace"))


def save_bytes(path: str, data: bytes) -> None:
    """Write a file; raises Trouble if that fails."""
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise Trouble("E0701", f"cannot write `{path}`: {error.strerror}") from error


class Trouble(click.ClickException):
    """An error of the tool, not of the program: reported on standard error, exit code 2.

    Attributes:
        reasons: the lines to report instead of the message, if there are several.
        operators: the operators of a model that are among the reasons.
    """

    exit_code = 2

    def __init__(self, code: str, message: str, reasons: Sequence[str] = (), operators: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.reasons = tuple(reasons)
        self.operators = tuple(operators)

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the error, each reason as a line of its own."""
        for line in self.reasons or (self.message,):
            click.echo(visible(f"error[{self.code}]: {line}"), file=file or sys.stderr)
