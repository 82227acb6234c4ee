"""`gradual repl`: a session on a terminal or in a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gradual.interface.input.files import too_long
from gradual.interface.terminal import FILE, Output, Trouble, shared
from gradual.limits import LIMITS, Options
from gradual.tools.session.repl import BANNER, Ask, Session


@click.command()
@click.argument("file", type=FILE, required=False)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of tensors that are drawn.")
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@shared
def repl(out: Output, file: str | None, seed: int, no_smt: bool) -> None:
    """Check and run definitions and expressions as they are typed; `:help` lists the commands.

    `float32[2, 3]` in an expression is a random tensor, `_` is the last value.
    """
    on_terminal = out.terminal and sys.stdin.isatty()
    session = Session(out, Options(smt=not no_smt), seed, editor=_edited if on_terminal else None)
    if not out.quiet:
        out.line(BANNER)
    if file is not None:
        session.answer(f":load {file}")
    session.loop(_typed(session) if on_terminal else _piped(out))


def _edited(text: str) -> str | None:
    """What the user's editor makes of a text; None if it is not saved."""
    try:
        return click.edit(f"{text}\n", extension=".relay")
    except click.ClickException as error:
        raise Trouble("E0701", error.message) from error


def _piped(out: Output) -> Ask:
    """Lines of standard input, echoed after their prompts as a terminal would show them."""

    def ask(prompt: str) -> str:
        line = sys.stdin.readline(LIMITS.message + 1)
        if not line:
            raise EOFError
        if len(line) > LIMITS.message:
            raise too_long("a line of the session", "message")
        out.line((prompt + line.rstrip("\n")).rstrip())
        return line.rstrip("\n")

    return ask


def _typed(session: Session) -> Ask:
    """Lines typed on a terminal, with history and completion."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory

    from gradual.tools.session.completion import Names

    history = _history()
    prompts: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)) if history else None, completer=Names(session)
    )
    return lambda prompt: prompts.prompt(prompt)


def _history() -> Path | None:
    """The file of the history; None if its folder cannot be made."""
    place = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "gradual"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return place / "history"
