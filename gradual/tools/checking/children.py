"""Child processes in which functions are called, with limits of time and memory for each call.

A call that exceeds a limit, or ends its process, has no value and does not disturb the others.
"""

from __future__ import annotations

import mmap
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread, local
from typing import Any

from gradual.record import record
from gradual.tools.checking.child import Ended

START = (
    "import pickle, sys; sys.path[:], arguments = pickle.load(sys.stdin.buffer); "
    "from gradual.tools.checking.child import main; main(*arguments)"
)
"""The program of a child, which finds modules where its parent finds them."""
OFTEN = 0.05
"""After how many seconds the limits are tested again."""
CAN_LIMIT_MEMORY = sys.platform == "linux"
"""Whether the memory of another process can be read."""
PAGE = mmap.PAGESIZE


@record
class Bounds:
    """The limits for one call: seconds, and megabytes of memory that its process uses; None for no limit."""

    seconds: float | None = None
    megabytes: int | None = None

    def exceeded(self, process: int, began: float) -> Ended | None:
        """The limit that a process exceeds with a call that began at a time."""
        if self.seconds is not None and time.monotonic() > began + self.seconds:
            return Ended.TIMEOUT
        return Ended.MEMORY if self.megabytes is not None and _megabytes(process) > self.megabytes else None


UNBOUNDED = Bounds()


class Child:
    """A process that answers one request after another.

    Attributes:
        usable: whether it can be asked again.
    """

    def __init__(self, place: str | None, errors: int | None) -> None:
        pipe, command = subprocess.PIPE, [sys.executable, "-c", START]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, start_new_session=True)
        self._lock = Lock()
        self._began: float | None = None
        self._exceeded: Ended | None = None
        self.usable = True
        self._send(pickle.dumps((sys.path, (place,))))

    def ask(self, request: bytes) -> Any:
        """The answer to a request, or why there is none."""
        self._began = time.monotonic()
        self._send(request)
        answer = self._receive()
        with self._lock:  # from here on it is not killed
            self._began = None
        self.usable = self._exceeded is None and not isinstance(answer, Ended)
        return self._exceeded or answer if answer is Ended.KILLED else answer

    def limit(self, bounds: Bounds) -> None:
        """Kill the process if its call exceeds a limit."""
        with self._lock:
            if self._began is not None and self._exceeded is None:
                self._exceeded = bounds.exceeded(self._process.pid, self._began)
                if self._exceeded is not None:
                    self._process.kill()

    def kill(self) -> None:
        """End the process; a request on its way is answered by `KILLED`."""
        self._process.kill()

    def close(self) -> None:
        """End the process and close its pipes; no request may be on its way."""
        self._process.kill()
        self._process.communicate()

    def _send(self, request: bytes) -> None:
        """Send a request; if the child is dead, the answer will be `KILLED`."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(request)
            self._process.stdin.flush()

    def _receive(self) -> Any:
        """The next answer; `KILLED` if the output ends before it is complete."""
        assert self._process.stdout is not None
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return Ended.KILLED


def _megabytes(process: int) -> int:
    """The memory that a process uses; 0 if it has ended."""
    try:
        with open(f"/proc/{process}/statm") as stream:
            return int(stream.read().split()[1]) * PAGE >> 20
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Children:
    """A child for each thread that asks, in the folder `place`; `errors` is where their standard error goes."""

    def __init__(self, bounds: Bounds = UNBOUNDED, place: str | None = None, errors: int | None = None) -> None:
        self.bounds = bounds
        self._place, self._errors = place, errors
        self._mine, self._all, self._lock, self._ended = local(), list[Child](), Lock(), Event()
        if bounds != UNBOUNDED:
            Thread(target=self._watch, daemon=True).start()

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The value of a call, or an `Ended`.

        A call that ends its child, or runs out of memory, is made once more in a fresh child: the first one may have
        been killed from outside, or may have kept memory of earlier calls.
        """
        request = pickle.dumps((function, arguments))
        answer = self._asked(request)
        return self._asked(request) if answer in (Ended.KILLED, Ended.MEMORY) else answer

    def kill(self) -> None:
        """End all children; calls on their way and later calls have no value."""
        with self._lock:
            self._ended.set()
            for child in self._all:
                child.kill()

    def close(self) -> None:
        """End all children; no call may be on its way."""
        self.kill()
        for child in self._all:
            child.close()

    def _asked(self, request: bytes) -> Any:
        child: Child | None = getattr(self._mine, "child", None)
        child = self._mine.child = child or self._new()
        answer = child.ask(request)
        if not child.usable:
            del self._mine.child
            with self._lock:
                self._all.remove(child)
            child.close()
        return answer

    def _watch(self) -> None:
        """Look at the children again and again, until they are ended."""
        while not self._ended.wait(OFTEN):
            with self._lock:
                children = list(self._all)
            for child in children:
                child.limit(self.bounds)

    def _new(self) -> Child:
        """A new child.  Raises Stopped after `kill`."""
        with self._lock:
            if self._ended.is_set():
                raise Stopped
            child = Child(self._place, self._errors)
            self._all.append(child)
        return child


class Stopped(Exception):
    """Raised for a call that is made after all children were ended."""


@contextmanager
def threads(jobs: int, children: Children) -> Iterator[Executor]:
    """Threads that ask children; at the end of the context, what is still on its way is given up."""
    pool = ThreadPoolExecutor(jobs)
    try:
        yield pool
    finally:
        children.kill()
        pool.shutdown(cancel_futures=True)
        children.close()
