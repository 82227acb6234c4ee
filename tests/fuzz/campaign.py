"""`python -m tests.fuzz.campaign --inputs 100000 --seed 0`: many inputs, in worker processes that may be lost."""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from tests.fuzz.inputs import text_of
from tests.fuzz.minimise import minimised
from tests.fuzz.trial import SECONDS, Failure, trial

MEMORY = 4 << 30
"""Bytes of address space of a worker: an input that needs more fails, the machine does not."""

MINIMISING = 20
"""Seconds spent on making one input smaller."""

PATIENCE = 8 * SECONDS
"""Seconds without a word after which a worker is lost: it hangs where no alarm reaches it."""

FORK = multiprocessing.get_context("fork")

Attempt = Callable[[int, int], Failure | str]
"""Seed and number of an input -> what is wrong with the answer to it, or in a word what the answer was."""


def attempted(seed: int, number: int) -> Failure | str:
    """Put a text through the checker."""
    return trial(text_of(seed, number)) or "answered"


@dataclass(frozen=True)
class Found:
    """An input that fails."""

    number: int
    failure: Failure


@dataclass
class Worker:
    """A process that takes every so-many-th input; `at` is the number of the one it is trying."""

    process: BaseProcess
    pipe: Connection
    at: Any
    heard: float


def campaign(
    seed: int, numbers: range, jobs: int, attempt: Attempt = attempted, patience: float = PATIENCE
) -> Iterator[Found | Counter[str]]:
    """Every failure, and now and then the answers to the inputs that went by since the last time, counted."""
    workers = [_started(attempt, seed, numbers[job::jobs]) for job in range(jobs)]
    while workers:
        told: list[Found | Counter[str]] = []
        ready = wait([worker.pipe for worker in workers], timeout=1)
        for worker in list(workers):
            if worker.pipe in ready and (word := _heard(worker)) is not None:
                told.append(word)
                continue
            lost = _lost(worker, patience)
            if worker.process.exitcode is None and lost is None:
                continue
            workers.remove(worker)
            if lost is not None:
                told.append(Found(worker.at.value, lost))
                workers.append(_started(attempt, seed, range(worker.at.value + jobs, numbers.stop, jobs)))
        began = time.monotonic()
        yield from told
        for worker in workers:  # what the caller does meanwhile is not their silence
            worker.heard += time.monotonic() - began


def _lost(worker: Worker, patience: float) -> Failure | None:
    """Why a worker does not go on, if it should."""
    if worker.process.exitcode:
        return Failure("death", f"the worker ended with {worker.process.exitcode}")
    if worker.process.exitcode is None and time.monotonic() - worker.heard > patience:
        worker.process.kill()
        return Failure("hang", f"nothing was heard for {patience} s")
    return None


def _started(attempt: Attempt, seed: int, numbers: range) -> Worker:
    ours, theirs = FORK.Pipe(duplex=False)
    at = FORK.Value("q", numbers.start, lock=False)
    process = FORK.Process(target=_work, args=(attempt, seed, numbers, at, theirs), daemon=True)
    process.start()
    theirs.close()
    return Worker(process, ours, at, time.monotonic())


def _heard(worker: Worker) -> Found | Counter[str] | None:
    """What a worker tells; None if it has gone."""
    worker.heard = time.monotonic()
    try:
        told: Found | Counter[str] = worker.pipe.recv()
    except EOFError:
        worker.process.join()
        return None
    return told


def _work(attempt: Attempt, seed: int, numbers: range, at: Any, pipe: Connection) -> None:
    """Try inputs; tell every failure at once, and once a second the answers to those that went by."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    done, told = Counter[str](), time.monotonic()
    for at.value in numbers:
        answer = attempt(seed, at.value)
        done[answer if isinstance(answer, str) else "failed"] += 1
        if not isinstance(answer, str):
            pipe.send(Found(at.value, answer))
        if time.monotonic() - told > 1:
            pipe.send(done)
            done, told = Counter(), time.monotonic()
    pipe.send(done)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign, print each cause once with a small input, and tell how fast it went."""
    asked = _asked(arguments)
    began, done, counts = time.monotonic(), 0, dict[str, int]()
    for found in campaign(asked.seed, range(asked.start, asked.start + asked.inputs), asked.jobs):
        if isinstance(found, Counter):
            done += found.total()
            if sys.stderr.isatty():
                print(f"\r{done} of {asked.inputs}", end="", file=sys.stderr)
            continue
        signature = found.failure.signature
        counts[signature] = counts.get(signature, 0) + 1
        if counts[signature] == 1:
            _show(asked.seed, found)
    seconds = time.monotonic() - began
    print(f"{done} inputs in {seconds:.0f} s, {done / seconds:.0f} a second with {asked.jobs} processes")
    for signature, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        print(f"{count:6} × {signature}")
    return 1 if counts else 0


def _show(seed: int, found: Found) -> None:
    text, signature = text_of(seed, found.number), found.failure.signature
    if signature not in ("death", "hang"):
        text = _smaller(text, signature)
    print(f"== seed {seed}, input {found.number}: {signature}\n   {found.failure.message}\n{text}\n", flush=True)


def _smaller(text: str, signature: str) -> str:
    """The input minimised in a process of its own, since what is tried on the way may be worse than what was found."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_minimise, args=(text, signature, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        return str(ours.recv()) if ours.poll(MINIMISING + PATIENCE) else text
    except EOFError:  # it died
        return text
    finally:
        process.kill()
        process.join()


def _minimise(text: str, signature: str, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    pipe.send(minimised(text, lambda smaller: _signature(smaller) == signature, MINIMISING))


def _signature(text: str) -> str | None:
    failure = trial(text)
    return failure.signature if failure else None


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.campaign", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
