"""Watch files, and check them again when they change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from gradual.diagnostic import counted
from gradual.interface.input.files import expanded
from gradual.interface.progress import progress
from gradual.interface.terminal import Output, told

PAUSE = 0.2
"""Seconds between two checks for changed files."""

CLEARED = "\x1b[2J\x1b[3J\x1b[H"
"""The escape sequence that clears a terminal."""

State = dict[str, tuple[int, int] | None]
"""File -> its modification time in nanoseconds and its size in bytes; None if it cannot be accessed."""


def watching(out: Output, paths: Sequence[str], endings: Sequence[str], look: Callable[[], object]) -> None:
    """Call `look` now, and whenever a file changes, appears or disappears, until interrupted.  Errors are reported.

    In folders, the files with one of the endings are watched.  A terminal is cleared before each look; its last line
    shows the time, and how many files are watched.
    """
    seen: State | None = None
    while True:
        now = _state(paths, endings)
        if now == seen:
            time.sleep(PAUSE)
            continue
        seen = now
        if out.terminal:
            out.stream.write(CLEARED)
        try:
            with progress("checking"):
                look()
        except click.ClickException as trouble:
            told(trouble)
        if out.terminal and not out.quiet:
            status = f"{time.strftime('%H:%M:%S')} · watching {counted(len(now), 'file')} · Ctrl-C ends"
            out.line(out.paint(status, "frame"))
        out.stream.flush()


def _state(paths: Sequence[str], endings: Sequence[str]) -> State:
    return {path: _file(path) for path in expanded(paths, endings) if isinstance(path, str)}


def _file(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
