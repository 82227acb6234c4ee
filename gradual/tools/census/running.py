"""Run a census: the files that have no valid row are checked, each row is written to the journal and passed on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from subprocess import DEVNULL

from gradual.interface.input.files import Absent
from gradual.tools.census.journal import Journal
from gradual.tools.census.row import Answer, Row, Task, answered, is_valid, timeless
from gradual.tools.checking.checking_many import AHEAD
from gradual.tools.checking.children import Bounds, Children, threads

Engine = Callable[[Iterable[Task]], Iterator[Answer]]
"""What answers tasks, in the order of completion; it takes a task when there is room for one."""


def rows(units: Iterable[str | Absent], engine: Engine, journal: Journal | None, bounds: Bounds) -> Iterator[Row]:
    """The row of each file, as soon as it is known."""
    earlier: dict[str, Row] = {}

    def tasks() -> Iterator[Task]:
        for unit in units:
            task = Task(unit)
            row = None if journal is None else journal.row(task.file)
            if row is not None:
                earlier[task.file] = row
                task = Task(unit, row["key"], tuple(row["others"])) if is_valid(row, bounds) else task
            yield task

    for answer in engine(tasks()):
        before = earlier.pop(answer.file, None)
        row = answer.row or before
        assert row is not None, answer.file
        if journal is not None and (before is None or timeless(row) != timeless(before)):
            journal.append(row)
        yield row


def here(jobs: int, bounds: Bounds) -> Engine:
    """Check files with processes of this machine."""

    def answers(tasks: Iterable[Task]) -> Iterator[Answer]:
        children = Children(bounds, os.getcwd(), DEVNULL)
        with threads(jobs, children) as pool:
            yield from completed((pool.submit(answered, children, task) for task in tasks), AHEAD * jobs)

    return answers


def completed(futures: Iterable[Future[Answer]], ahead: int) -> Iterator[Answer]:
    """The results of futures in the order of completion; at most `ahead` of them are on their way at any time."""
    running: set[Future[Answer]] = set()
    for future in futures:
        running.add(future)
        if len(running) == ahead:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (one.result() for one in done)
