"""The command line: the table of commands, each imported when it is used, and the exit codes.

Exit codes: 0 no error, 1 errors in the program, 2 usage or a file that cannot be read, 3 a check blamed someone,
101 an internal error, 130 interrupted.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches

import click

from gradual import __version__
from gradual.interface.terminal import choices, note, told

PLACE = "gradual.tools.commands"
COMMANDS = {
    "check": f"{PLACE}.check:check",
    "census": "gradual.tools.census.command:census",
    "annotate": f"{PLACE}.annotating:annotate",
    "core": f"{PLACE}.core:core",
    "clean": f"{PLACE}.clean:clean",
    "run": f"{PLACE}.run:run",
    "pass": f"{PLACE}.passes:passing",
    "alloc": f"{PLACE}.alloc:alloc",
    "graph": "gradual.tools.graph.command:graph",
    "report": "gradual.tools.overview.command:report",
    "shape-function": "gradual.tools.shape_function:shaping",
    "import": "gradual.tools.models.importing:import_",
    "guards": "gradual.tools.models.guards:guards",
    "smt": f"{PLACE}.smt:smt",
    "fmt": f"{PLACE}.fmt:fmt",
    "explain": f"{PLACE}.explain:explain",
    "ops": f"{PLACE}.ops:ops",
    "grammar": f"{PLACE}.grammar:grammar",
    "repl": f"{PLACE}.repl:repl",
    "lsp": f"{PLACE}.lsp:lsp",
    "conformance": "gradual.conformance.cli:conformance",
}

EXITS = """\b
Exit codes:
  0    no error (residual checks are not errors)
  1    diagnostics of severity error; `run`: a fault of the program
  2    usage, or a file that cannot be read
  3    `run`: a check failed and blamed a party
  101  internal error, with a report
  130  interrupted
"""

INTERNAL, INTERRUPTED, PIPE_CLOSED = 101, 130, 141


class Commands(click.Group):
    """Commands by name; only the one that is used is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the documentation."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; the error for an unknown one names similar commands."""
        name = args[0]
        if name not in COMMANDS and (near := get_close_matches(name, COMMANDS, n=3)):
            ctx.fail(f"there is no command `{name}`; near: {', '.join(near)}")
        return super().resolve_command(ctx, args)


@click.command(cls=Commands, epilog=EXITS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@choices
def root(color: str | None, quiet: int, verbose: int) -> None:
    """Check and run tensor programs whose sizes are proved, refuted, or left to run-time checks with blame."""


def entry(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; no exception escapes except SystemExit."""
    _prepare_streams()
    try:
        code = root.main(arguments, prog_name="gradual", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as trouble:
        told(trouble)
        return 2
    except (click.Abort, KeyboardInterrupt):
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except MemoryError:
        note("error[E0704]: out of memory")
        return 2
    except Exception:
        note(_report())
        return INTERNAL


def _prepare_streams() -> None:
    """Use UTF-8 and plain line feeds on every machine."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _report() -> str:
    """The report of an internal error, for the authors."""
    python = ".".join(map(str, sys.version_info[:3]))
    return (
        f"{traceback.format_exc()}\n"
        f"error[E0900]: this is a bug in gradual (version {__version__}, Python {python}), "
        "not of the program; please report it with the lines above"
    )
