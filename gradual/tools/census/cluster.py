"""A census on many machines, by Dask: each file is a task of a cluster.  The only module that imports `distributed`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from subprocess import DEVNULL
from typing import Any

from gradual import __version__
from gradual.interface.terminal import Trouble
from gradual.tools.census.row import Answer, Task, answered, dead
from gradual.tools.checking.checking_many import AHEAD
from gradual.tools.checking.children import Bounds, Children

LOCAL = "local"
"""The address that stands for a cluster of this machine, which is started and ended with the census."""
INSTALL = "pip install 'gradual[cluster]'"
LEAST = 32
"""How many tasks the scheduler has at least, so that workers that join find some."""
LOST = "the connection to the scheduler is lost; with a journal, run the census again"
OFTEN = 100
"""After how many answers the threads of the cluster are counted again."""


def cluster(address: str, jobs: int, bounds: Bounds) -> Callable[[Iterable[Task]], Iterator[Answer]]:
    """Check files with the workers of a cluster; each opens them itself, in the same folder as the client.

    Raises Trouble if `distributed` is not installed, or the cluster cannot be reached or is lost.
    """

    def answers(tasks: Iterable[Task]) -> Iterator[Answer]:
        with _client(address, jobs) as client:
            yield from _completed(client, tasks, bounds)

    return answers


@contextmanager
def _client(address: str, jobs: int) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise Trouble("E0703", f"--cluster needs the package distributed: {INSTALL}") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it reports becomes a row, or the end of the run
    if address != LOCAL:
        try:
            client = Client(address)
        except (OSError, ValueError) as error:
            raise Trouble("E0701", f"no scheduler at `{address}`: {error}") from error
        with client:
            yield client
        return
    options = {"threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=jobs, **options) as local, Client(local) as client:
        yield client


def _completed(client: Any, tasks: Iterable[Task], bounds: Bounds) -> Iterator[Answer]:
    """The answers in the order of completion; the scheduler has some tasks for each thread at any time."""
    from distributed import as_completed

    running, waiting = as_completed(), iter(tasks)
    asked, ahead, count = dict[str, Task](), 0, 0
    while True:
        if count % OFTEN == 0:
            ahead = max(LEAST, AHEAD * sum(client.nthreads().values()))
        while len(asked) < ahead and (task := next(waiting, None)) is not None:
            future = client.submit(_answer, task, bounds, os.getcwd(), __version__, pure=False)
            asked[future.key] = task
            running.add(future)
        if not asked:
            return
        future = next(running)
        yield _result(future, asked.pop(future.key))
        future.release()
        count += 1


def _result(future: Any, task: Task) -> Answer:
    """The answer of a task; a file whose workers died has a row too."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    if future.status == "finished":
        try:
            answer: Answer = future.result()
        except CommClosedError as closed:
            raise Trouble("E0701", LOST) from closed
        return answer
    if future.status != "error":
        raise Trouble("E0701", LOST)
    error = future.exception()
    if isinstance(error, KilledWorker):
        return dead(task)
    raise Trouble("E0701", f"the workers cannot check: {type(error).__name__}: {error}") from error


# --------------------------------------------------------------------------------------------------- in the worker
def _answer(task: Task, bounds: Bounds, place: str, version: str) -> Answer:
    """The answer for a task, in the child of this thread of the worker."""
    if version != __version__:
        raise RuntimeError(f"a worker has version {__version__} of gradual, and not {version}")
    if not os.path.isdir(place):
        raise RuntimeError(f"a worker has no folder `{place}`")
    return answered(_children(bounds, place), task)


@cache
def _children(bounds: Bounds, place: str) -> Children:
    return Children(bounds, place, DEVNULL)
