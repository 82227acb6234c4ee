"""Where a command writes, and how: colour, quiet and verbose, the choices that all commands share."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import IO, Any

import click

from gradual.report.paint import Paint, painter, plain, shielded
from gradual.source import visible


@dataclass(frozen=True, slots=True)
class Output:
    """A stream with its painter.

    Attributes:
        terminal: a person reads along: times and progress may be shown, which no file may hold.
        quiet: only errors; twice: nothing but the exit code.
        verbose: also how the answers were found.
        filed: what is written goes to a file that `-o` names.
    """

    stream: IO[str]
    paint: Paint
    terminal: bool
    quiet: int = 0
    verbose: int = 0
    filed: bool = False

    @property
    def beside(self) -> Output:
        """Where stands what is not the result that was asked for: no file of a program holds its errors."""
        return replace(self, stream=sys.stderr, filed=False) if self.filed else self

    def line(self, text: str = "") -> None:
        """Write one line, or several; whatever is in it, nothing of it steers a terminal."""
        self.stream.write(shielded(text, self.paint) + "\n")

    def program(self, text: str) -> None:
        """Write a program to the last byte, so that it can be read again; for a person as any text."""
        self.stream.write(shielded(text, plain) if self.terminal else text)


def note(text: str) -> None:
    """Write a note to standard error, separate from the result."""
    click.echo(shielded(text, plain), err=True)


def told(trouble: click.ClickException) -> None:
    """Tell a trouble of the tool, or wrong usage; what was given is shown on one line."""
    trouble.message = visible(trouble.message)  # type: ignore[misc]  # final to those who inherit, not to who shows it
    trouble.show()


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options `--color`, `-q`, `-v` and `-o`; the command receives an `Output` as `out`.

    A file is written when the command is done, and not at all where it failed and has nothing to say.
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
    """The options that may be given before or after a command."""
    function = click.option("-v", "--verbose", count=True, help="Also show how obligations were decided.")(function)
    function = click.option("-q", "--quiet", count=True, help="Only errors; -qq only the exit code.")(function)
    return click.option("--color", type=click.Choice(["auto", "always", "never"]), help="Default: auto.")(function)


def colored(choice: str, stream: IO[str]) -> bool:
    """Whether to colour: the option, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _invoked(function: Callable[..., Any], out: Output, arguments: dict[str, Any]) -> int | None:
    code: int | None = function(out=out, **arguments)
    return code


def save_text(path: str, text: str) -> None:
    """Write a file of UTF-8 text; raises Trouble where that cannot be done."""
    save_bytes(path, text.encode(errors="backslashreplace"))


def save_bytes(path: str, data: bytes) -> None:
    """Write a file; raises Trouble where that cannot be done."""
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise Trouble("E0701", f"cannot write `{path}`: {error.strerror}") from error


class Trouble(click.ClickException):
    """A trouble of the tool, not of the program: told on standard error, exit 2.

    Attributes:
        reasons: what makes up the trouble, a line each, where there may be several.
    """

    exit_code = 2

    def __init__(self, code: str, message: str, reasons: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.reasons = tuple(reasons)

    def show(self, file: IO[Any] | None = None) -> None:
        """Write it, each reason as a line of its own."""
        for line in self.reasons or (self.message,):
            click.echo(visible(f"error[{self.code}]: {line}"), file=file or sys.stderr)
