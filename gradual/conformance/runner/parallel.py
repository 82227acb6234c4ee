"""Running cases on several implementations at once; results come in the order of the cases, as from one."""

from __future__ import annotations

import atexit
import gc
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context
from queue import SimpleQueue
from typing import TypeVar

from gradual.conformance.cases.answer import Implementation, Report
from gradual.conformance.cases.case import Case, Request
from gradual.conformance.runner.judge import Failure, Profile
from gradual.conformance.runner.run import Class, Result, examined, run

Task = TypeVar("Task")
Done = TypeVar("Done")
_AHEAD = 64
"""So many tasks for each worker wait, enough that no worker is idle while another is at a long one."""

_TOGETHER = 8
"""So many cases are one task of a process: neighbours often have the same program, which is compiled once."""

_MANY = 64
"""So many cases are worth the start of processes."""


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


class Processes:
    """Some processes in which cases are examined, each by an implementation of its own that `made` makes."""

    def __init__(self, made: Callable[[], Implementation], jobs: int) -> None:
        self.made, self.jobs = made, jobs
        self.pool: ProcessPoolExecutor | None = None

    def start(self) -> None:
        """Start the processes; they get ready while the suite is read."""
        if self.jobs > 1 and self.pool is None:
            self.pool = ProcessPoolExecutor(self.jobs, get_context("spawn"), _begin, (self.made,))
            for _ in range(self.jobs):  # a process of the pool is started by the first task for which none is idle
                self.pool.submit(_warmed)

    def run(self, cases: Sequence[Case], profiles: frozenset[Profile]) -> Iterator[Result]:
        """The result of each case, in order; a few cases stay in this process if no other one has been started."""
        if self.pool is None and len(cases) >= _MANY:
            self.start()
        if self.pool is None:
            yield from run(cases, self.made(), profiles)
            return
        tasks = (cases[at : at + _TOGETHER] for at in range(0, len(cases), _TOGETHER))
        found = _in_order(self.pool, partial(_examined_there, profiles=profiles), tasks, self.jobs)
        for case, result in zip(cases, chain.from_iterable(found), strict=True):
            yield Result(case, *result)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *error: object) -> None:
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)


_Found = tuple[Class, tuple[Failure, ...], str, Report | None]

_HERE: list[Implementation] = []
"""In a process of the pool, the implementation that is asked there."""


def _begin(made: Callable[[], Implementation]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process stops the run
    gc.set_threshold(500_000)  # at the usual 700, collecting takes a fifth of the time
    atexit.register(gc.freeze)  # else the collector walks all that the cases left, a second at the end
    _HERE.append(made())


_FIRST = """
def @f(%x: Tensor[(n, ?), float32], %c: bool) { if (%c) { nn.relu(%x) } else { reshape(%x, newshape=[-1, 4]) } }
"""


def _warmed() -> None:
    """Check a first program, which loads what is loaded on demand."""
    _HERE[0].check(Request("first.relay", _FIRST))


def _examined_there(cases: Sequence[Case], profiles: frozenset[Profile]) -> list[_Found]:
    """The results without their cases, which would take as long to be sent back."""
    (implementation,) = _HERE
    results = [examined(case, implementation, profiles) for case in cases]
    return [(one.kind, one.failures, one.trace, one.report) for one in results]


def _in_order(pool: Executor, work: Callable[[Task], Done], tasks: Iterable[Task], workers: int) -> Iterator[Done]:
    waiting: deque[Future[Done]] = deque()
    for task in tasks:
        waiting.append(pool.submit(work, task))
        if len(waiting) > workers * _AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
