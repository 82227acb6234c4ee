"""Many files checked, one after the other or side by side: each has its row, whatever happens to another.

A file is read, imported if it is a model, and checked where it is checked: in a process beside, if there are several.
A process that ends, perhaps for want of memory, costs the file that it was about, and no other.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from threading import Thread, current_thread, main_thread

from gradual.interface.input.files import Absent, Text
from gradual.interface.terminal import Trouble
from gradual.tools.checking.checking import Checked, Outcome, Wanted, checked_file, troubled, unchecked

AHEAD = 4
"""How many files for each process are handed out before their turn to be told."""

Unit = str | Text | Absent
"""The path of a file, a text that was read, or what is neither."""

Task = tuple[Unit, Wanted]
"""What to check, and how."""


def checked_all(tasks: Sequence[Task], jobs: int) -> Iterator[Checked]:
    """Every file checked, in order, by so many processes."""
    if min(jobs, len(tasks)) < 2:
        yield from (_guarded(*task) for task in tasks)
        return
    rest = deque(tasks)
    while rest:
        for found in _beside(tuple(rest), jobs):
            rest.popleft()
            yield found
        suspects = [rest.popleft() for _ in range(min(AHEAD * jobs, len(rest)))]
        yield from _one_by_one(suspects)


def _one_by_one(tasks: Sequence[Task]) -> Iterator[Checked]:
    """Files of which one ended its process, by one process: where that ends too, it is clear by which of them."""
    rest = deque(tasks)
    while rest:
        for found in _beside(tuple(rest), 1):
            rest.popleft()
            yield found
        if rest:
            why = "the process that checked it was killed, perhaps because memory ran out"
            yield unchecked(rest.popleft()[0], Outcome.MEMORY, "E0704", why)


def _beside(tasks: Sequence[Task], jobs: int) -> Iterator[Checked]:
    """The files in order, until there are no more or a process has ended."""
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn"), _follow)
    waiting, asked = iter(tasks), deque[Future[Checked]]()
    try:
        while True:
            with _deaf():  # so are the processes that are begun here
                while len(asked) < AHEAD * jobs and (task := next(waiting, None)) is not None:
                    asked.append(pool.submit(_guarded, *task))
            if not asked:
                return
            yield asked.popleft().result()
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _guarded(unit: Unit, wanted: Wanted) -> Checked:
    """One file checked; whatever goes wrong with it is what is said of it."""
    if isinstance(unit, Absent):
        return unchecked(unit, Outcome.UNREADABLE, unit.trouble.code, unit.says)
    try:
        return checked_file(unit, wanted)
    except Trouble as trouble:
        return troubled(unit, trouble)
    except MemoryError:
        return unchecked(unit, Outcome.MEMORY, "E0704", "out of memory")
    except Exception:  # the boundary of a file, as `cli.entry` is that of a run over one
        why = "a bug in gradual, not in the program; please report it with the lines below"
        crashed = unchecked(unit, Outcome.CRASHED, "E0900", why)
        return replace(crashed, diagnostics=(replace(crashed.diagnostics[0], notes=(traceback.format_exc(),)),))


@contextmanager
def _deaf() -> Iterator[None]:
    """Interrupts are not heard."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _follow() -> None:
    """What a process does that checks for another: it ends with that one."""
    from multiprocessing import parent_process

    def ends() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=ends, daemon=True).start()
