"""Watch files, and check them again when they change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from gradual.interface.input.files import expanded
from gradual.interface.terminal import Output, told

PAUSE = 0.2
"""Seconds between two looks at the files."""

CLEARED = "\x1b[2J\x1b[3J\x1b[H"
"""What empties a terminal."""

State = dict[str, tuple[int, int] | None]
"""When each file was changed last, in nanoseconds, and its size in bytes; None where it cannot be read."""


def watching(out: Output, paths: Sequence[str], endings: Sequence[str], look: Callable[[], object]) -> None:
    """Look at once, and again whenever a file changes, comes or goes, until interrupted.  Troubles are told.

    Of folders, the files with such endings are looked at.
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
            look()
        except click.ClickException as trouble:
            told(trouble)
        out.stream.flush()


def _state(paths: Sequence[str], endings: Sequence[str]) -> State:
    return {path: _file(path) for path in expanded(paths, endings) if isinstance(path, str)}


def _file(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
