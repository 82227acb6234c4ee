"""Child processes in which functions are called, with limits of time and memory for each call.

A call that exceeds a limit, or ends its process, has no value and does not disturb the others.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock, Timer, local
from typing import Any

from gradual.record import record
from gradual.tools.checking.child import Ended

START = (
    "import pickle, sys; sys.path[:], arguments = pickle.load(sys.stdin.buffer); "
    "from gradual.tools.checking.child import main; main(*arguments)"
)
"""The program of a child, which finds modules where its parent finds them."""


@record
class Bounds:
    """The limits for one call: `seconds`, and megabytes of address space, libraries included; None for no limit."""

    seconds: float | None = None
    megabytes: int | None = None


class Child:
    """A process that answers one request after another.

    Attributes:
        usable: whether it can be asked again.
    """

    def __init__(self, place: str | None, bounds: Bounds, errors: int | None) -> None:
        pipe, command = subprocess.PIPE, [sys.executable, "-c", START]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, start_new_session=True)
        self._seconds, self._is_late = bounds.seconds, False
        self.usable = True
        self._send(pickle.dumps((sys.path, (place, bounds.megabytes))))

    def ask(self, request: bytes) -> Any:
        """The answer to a request, or why there is none."""
        timer = Timer(self._seconds or 0, self._expire)
        if self._seconds is not None:
            timer.start()
        self._send(request)
        answer = self._receive()
        if self._seconds is not None:
            timer.cancel()
            timer.join()  # from here on it kills no more
        self.usable = not (self._is_late or isinstance(answer, Ended))
        return Ended.TIMEOUT if self._is_late and answer is Ended.KILLED else answer

    def kill(self) -> None:
        """End the process; a request on its way is answered by `KILLED`."""
        self._process.kill()

    def close(self) -> None:
        """End the process and close its pipes; no request may be on its way."""
        self._process.kill()
        self._process.communicate()

    def _expire(self) -> None:
        self._is_late = True
        self._process.kill()

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


class Children:
    """A child for each thread that asks, in the folder `place`; `errors` is where their standard error goes."""

    def __init__(self, bounds: Bounds | None = None, place: str | None = None, errors: int | None = None) -> None:
        self.bounds = bounds or Bounds()
        self._place, self._errors = place, errors
        self._mine, self._all, self._lock, self._is_ended = local(), list[Child](), Lock(), False

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
            self._is_ended = True
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

    def _new(self) -> Child:
        """A new child.  Raises Stopped after `kill`."""
        with self._lock:
            if self._is_ended:
                raise Stopped
            child = Child(self._place, self.bounds, self._errors)
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
