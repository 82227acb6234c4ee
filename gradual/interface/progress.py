"""On a terminal, how far a command has come: a line for each of its tasks, from two seconds on.

In a pipe, under `-q` and outside of commands nothing is shown.  What a command writes meanwhile stands above the lines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from threading import RLock, Timer
from time import monotonic
from typing import TYPE_CHECKING

import click

from gradual.record import record
from gradual.source import visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

SILENT, PAUSE = 2.0, 0.3
"""After how many seconds the lines appear, and after how many when something was written."""


Report = Callable[..., None]
"""What a task calls: `report(done, total, says="…")`, where the total may be left out if it is known already."""


@record(frozen=False)
class Task:
    """A task that is shown: what is done, how many of how many parts are done, a remark, and when it began."""

    title: str
    done: int = 0
    total: int | None = None
    says: str = ""
    began: float = field(default_factory=monotonic)


class Display:
    """The lines of all tasks that are on their way.

    Attributes:
        tasks: the tasks, the outermost first.
    """

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self._lock = RLock()
        self._bars: Bars | None = None
        self._timer: Timer | None = None

    def begin(self, task: Task) -> None:
        """Add a task; with the first one, begin to wait."""
        with self._lock:
            self.tasks.append(task)
            if len(self.tasks) == 1:
                self._appear_in(SILENT)
            elif self._bars is not None:
                self._draw()

    def end(self, task: Task) -> None:
        """Remove a task; with the last one, clear the lines."""
        with self._lock:
            self.tasks.remove(task)
            if not self.tasks:
                self._clear()
            elif self._bars is not None:
                self._draw()

    def hide(self) -> None:
        """Clear the lines, since something is written; they come back soon."""
        with self._lock:
            if self._bars is not None:
                self._clear()
                self._appear_in(PAUSE)

    def report(self) -> None:
        """Show how far the tasks are now."""
        with self._lock:
            if self._bars is not None:
                self._update(self._bars)

    def _appear_in(self, seconds: float) -> None:
        self._timer = Timer(seconds, self._draw)
        self._timer.daemon = True
        self._timer.start()

    def _draw(self) -> None:
        """Draw a line for each task; the outermost, which is the command, only if it is alone."""
        with self._lock:
            self._clear()
            if not self.tasks:
                return
            bars = self._bars = _bars()
            for task in self.tasks[1:] or self.tasks:
                bars.add_task(visible(task.title), total=task.total, parts="", says="")
                bars.tasks[-1].start_time = task.began
            self._update(bars)
            bars.start()

    def _update(self, bars: Bars) -> None:
        for id, task in zip(bars.task_ids, self.tasks[1:] or self.tasks, strict=True):
            parts = "" if task.total is None else f"{task.done} of {task.total}"
            bars.update(id, completed=task.done, total=task.total, parts=parts, says=visible(task.says))

    def _clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


DISPLAY = Display()
"""The display of this process."""


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    texts = [TextColumn(f"{{task.{text}}}", markup=False) for text in ("description", "fields[parts]", "fields[says]")]
    columns = SpinnerColumn(), texts[0], BarColumn(), texts[1], TimeElapsedColumn(), texts[2]
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)


def is_shown() -> bool:
    """Whether a command runs on a terminal, and is not quiet."""
    context = click.get_current_context(silent=True)
    if context is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return False
    while context is not None:
        if context.params.get("quiet"):
            return False
        context = context.parent
    return True


@contextmanager
def progress(title: str, total: Callable[[], int] | int | None = None) -> Iterator[Report]:
    """A task that is shown while the context lasts; a total that has to be counted is counted only if it is shown."""
    if not is_shown():
        yield _unreported
        return
    task = Task(title, 0, total() if callable(total) else total)

    def report(done: int, total: int | None = None, says: str = "") -> None:
        task.done, task.total, task.says = done, total or task.total, says
        DISPLAY.report()

    DISPLAY.begin(task)
    try:
        yield report
    finally:
        DISPLAY.end(task)


def _unreported(done: int, total: int | None = None, says: str = "") -> None:
    pass
