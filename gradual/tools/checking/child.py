"""A child process that calls functions: requests arrive on standard input, answers leave by standard output, pickled.

It ends when standard input does, so that it does not outlive its parent, however that ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from enum import StrEnum
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

Request = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


class Ended(StrEnum):
    """Why a call has no value: it took too long, memory ran out, or the process was killed."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    KILLED = "killed"


def main(place: str | None) -> None:
    """Answer requests in a folder until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = _answers()
    if place is not None:
        os.chdir(place)
    requests = SimpleQueue[Request]()
    Thread(target=_read, args=(requests,), daemon=True).start()
    while True:
        function, arguments = requests.get()
        try:
            answer = function(*arguments)
        except MemoryError:
            answer = Ended.MEMORY
        _write(answers, answer)


def _answers() -> IO[bytes]:
    """Standard output for answers alone; what is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _write(stream: IO[bytes], answer: object) -> None:
    stream.write(pickle.dumps(answer))
    stream.flush()


def _read(requests: SimpleQueue[Request]) -> None:
    """Read requests; at the end of the input, end the process, even in the middle of a call."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(1)
