"""On a terminal, how far a long import or a census has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gradual.importers.common.progress import Progress
from gradual.source import visible

_SILENT, _PAUSE = 2.0, 0.1
"""After how many seconds the line appears, and how often it changes."""


@contextmanager
def progress_of(path: str) -> Iterator[Progress]:
    """Report the nodes of a model that are done, once the import has taken two seconds; in a pipe, nothing."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    next_at, is_shown = time.monotonic() + _SILENT, False

    def report(done: int, total: int) -> None:
        nonlocal next_at, is_shown
        if time.monotonic() >= next_at:
            sys.stderr.write(f"\r\x1b[Kimporting {visible(path)}: {done} of {total} nodes")
            sys.stderr.flush()
            next_at, is_shown = time.monotonic() + _PAUSE, True

    try:
        yield report
    finally:
        if is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def bar_of(count: Callable[[], int]) -> Iterator[Callable[[str], None]]:
    """Show a bar for a number of files; each call reports that one more file is done, with a text to show.

    In a pipe, nothing is shown, and the files are not counted.
    """
    if not sys.stderr.isatty():
        yield lambda says: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=Console(stderr=True)) as shown:
        bar = shown.add_task("", total=count())
        yield lambda says: shown.update(bar, advance=1, description=says)
