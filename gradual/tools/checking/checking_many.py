"""Check many files, sequentially or in parallel; each has its own result, whatever happens to the others.

With several jobs, a file is read, imported if it is a model, and checked all in one worker process.
If a worker dies, perhaps because memory ran out, only the file that it was checking is lost.
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

from gradual.interface.input.files import Absent
from gradual.interface.terminal import Trouble
from gradual.tools.checking.cached import result_of
from gradual.tools.checking.results import Checked, Outcome, Unit, Wanted, troubled, unchecked

AHEAD = 4
"""How many files for each process are submitted ahead of the one to be reported next."""

Task = tuple[Unit, Wanted]
"""What to check, and how."""


def checked_all(tasks: Sequence[Task], jobs: int) -> Iterator[Checked]:
    """Check every file with `jobs` processes; yield the results in order."""
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
    """Check files with a single process, to find the one among them that kills its process."""
    rest = deque(tasks)
    while rest:
        for found in _beside(tuple(rest), 1):
            rest.popleft()
            yield found
        if rest:
            why = "the process that checked it was killed, perhaps because memory ran out"
            yield unchecked(rest.popleft()[0], Outcome.MEMORY, "E0704", why)


def _beside(tasks: Sequence[Task], jobs: int) -> Iterator[Checked]:
    """Check the files in worker processes, in order, until all are done or a worker dies."""
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn"), _follow)
    waiting, asked = iter(tasks), deque[Future[Checked]]()
    try:
        while True:
            with _deaf():  # worker processes started here inherit this
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
    """Check one file; any exception becomes its result."""
    if isinstance(unit, Absent):
        return unchecked(unit, Outcome.UNREADABLE, unit.trouble.code, unit.says)
    try:
        return result_of(unit, wanted)
    except Trouble as trouble:
        return troubled(unit, trouble)
    except MemoryError:
        return unchecked(unit, Outcome.MEMORY, "E0704", "out of memory")
    except Exception:  # report it and go on, as `cli.entry` does for a single file
        why = "a bug in gradual, not in the program; please report it with the lines below"
        crashed = unchecked(unit, Outcome.CRASHED, "E0900", why)
        return replace(crashed, diagnostics=(replace(crashed.diagnostics[0], notes=(traceback.format_exc(),)),))


@contextmanager
def _deaf() -> Iterator[None]:
    """Ignore SIGINT inside the context."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _follow() -> None:
    """Initializer of a worker process: make it exit when its parent does."""
    from multiprocessing import parent_process

    def ends() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=ends, daemon=True).start()
