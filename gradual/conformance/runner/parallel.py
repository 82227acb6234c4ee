"""Running cases on several implementations at once; results come in the order of the cases, as from one."""

from __future__ import annotations

import atexit
import gc
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from queue import SimpleQueue
from typing import TypeVar

from gradual.conformance.cases.answer import Implementation
from gradual.conformance.cases.case import Case
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import Result, examined, run

Task = TypeVar("Task")
Done = TypeVar("Done")
_AHEAD = 64
"""So many tasks for each worker wait, enough that no worker is idle while another is at a long one."""

_TOGETHER = 8
"""So many cases are one task of a process: neighbours often have the same program, which is compiled once."""


def run_by_all(
    cases: Iterable[Case],
    implementations: Sequence[Implementation],
    profiles: frozenset[Profile],
    stop: Callable[[], None],
) -> Iterator[Result]:
    """The result of each case, in order; each implementation is asked one case at a time, in a thread of its own.

    `stop` ends the implementations if the run is interrupted.
    """
    if len(implementations) == 1:
        yield from run(cases, implementations[0], profiles)
        return
    idle: SimpleQueue[Implementation] = SimpleQueue()
    for implementation in implementations:
        idle.put(implementation)

    def asked(case: Case) -> Result:
        free = idle.get()
        try:
            return examined(case, free, profiles)
        finally:
            idle.put(free)

    pool = ThreadPoolExecutor(len(implementations))
    try:
        yield from _in_order(pool, asked, cases, len(implementations))
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def run_in_processes(
    cases: Sequence[Case], made: Callable[[], Implementation], profiles: frozenset[Profile], jobs: int
) -> Iterator[Result]:
    """The result of each case, in order, by implementations that `made` makes, one in each of some processes."""
    if jobs == 1:
        yield from run(cases, made(), profiles)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (made, profiles))
    try:
        tasks = (cases[at : at + _TOGETHER] for at in range(0, len(cases), _TOGETHER))
        for results in _in_order(pool, _examined_there, tasks, jobs):
            yield from results
    finally:
        pool.shutdown(cancel_futures=True)


_HERE: list[Callable[[Case], Result]] = []
"""In a process of the pool, how a case is examined there."""


def _begin(made: Callable[[], Implementation], profiles: frozenset[Profile]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process stops the run
    atexit.register(gc.freeze)  # else the collector walks all that the cases left, a second at the end
    _HERE.append(partial(examined, implementation=made(), profiles=profiles))


def _examined_there(cases: Sequence[Case]) -> list[Result]:
    (examine,) = _HERE
    return [examine(case) for case in cases]


def _in_order(pool: Executor, work: Callable[[Task], Done], tasks: Iterable[Task], workers: int) -> Iterator[Done]:
    waiting: deque[Future[Done]] = deque()
    for task in tasks:
        waiting.append(pool.submit(work, task))
        if len(waiting) > workers * _AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
