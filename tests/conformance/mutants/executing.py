"""Which case executes which function: collected once for a state of the sources, and kept in a file."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path
from threading import Lock
from types import CodeType, FrameType
from typing import Any, TypeVar

from gradual.conformance.cases.case import Case
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.run import Class, examined
from tests.conformance.mutants.changing import PACKAGE, Where
from tests.conformance.mutants.planting import where_of

A = TypeVar("A")
_FORKING = Lock()

KEPT = PACKAGE.parent / "build" / "mutants.jsonl"


class Index:
    """The functions that each passing case executes, for the cases that were collected."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.cases: dict[int, list[str]] = {}

    def add(self, case: str, new: Sequence[str], functions: Sequence[int]) -> None:
        """Add a case: the functions that no case before it executed, and the numbers of all that it executes."""
        for name in new:
            self.names[name] = len(self.names)
        self.sizes[case] = len(functions)
        for number in functions:
            self.cases.setdefault(number, []).append(case)

    def numbered(self, executed: Sequence[str]) -> tuple[list[str], list[int]]:
        """The functions that no case before executed, and the numbers of all; a case that does not pass has none."""
        new = [name for name in executed if name not in self.names]
        numbers = self.names | {name: len(self.names) + k for k, name in enumerate(new)}
        return new, [numbers[name] for name in executed]

    def of(self, cases: Mapping[str, Case]) -> Index:
        """The index of these cases alone, by their names in place of their digests."""
        found = Index()
        found.names = self.names
        found.sizes = {case.id: self.sizes[name] for name, case in cases.items() if name in self.sizes}
        found.cases = {
            number: [cases[name].id for name in names if name in cases] for number, names in self.cases.items()
        }
        return found

    def executing(self, where: Where) -> list[str]:
        """The cases that execute a function, in the order in which they are asked.

        Cases that execute little else are asked first; every second one is drawn from the others, for variety.
        """
        found = self.cases.get(self.names.get(_named(where), -1), [])
        small, drawn = sorted(found, key=lambda case: (self.sizes[case], case)), sorted(found)
        random.Random(0).shuffle(drawn)
        return list(dict.fromkeys(case for pair in zip(small, drawn, strict=True) for case in pair))


def indexed(cases: Sequence[Case], told: Callable[[int], None], kept: Path, part: int = 0, jobs: int = 1) -> Index:
    """The index of the cases, in an order that makes a part of it a sample.

    What the file has for these sources and cases is read, and the rest is collected and added to the file, so that a
    run that was stopped can be continued.  With `part` so many cases are enough.
    """
    index, digest, digests = Index(), _digest(), {_digest_of(case): case for case in cases}
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    if lines[:1] != [digest]:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(f"{digest}\n", encoding="utf-8")
        lines = []
    for line in lines[1:]:
        index.add(*json.loads(line))
    order = sorted(digests)
    random.Random(0).shuffle(order)
    left = [name for name in order[: part or None] if name not in index.sizes]
    with kept.open("a", encoding="utf-8") as file:
        for name, executed in zip(left, in_processes(_executed, [digests[name] for name in left], jobs), strict=True):
            line = (name, *index.numbered(executed or []))
            index.add(*line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            told(len(index.sizes))
    return index.of(digests)


def _named(where: Where) -> str:
    return f"{where.file} {where.name} {where.line}"


def _executed(case: Case) -> list[str]:
    """The functions that a case executes, in a process whose caches are empty; none if it does not pass."""
    codes: set[CodeType] = set()

    def entered(frame: FrameType, event: str, arg: Any) -> None:
        codes.add(frame.f_code)

    sys.settrace(entered)
    try:
        passes = examined(case, Reference()).kind is Class.PASS
    finally:
        sys.settrace(None)
    return sorted({_named(where) for code in codes if (where := where_of(code)) is not None}) if passes else []


def in_a_process(work: Callable[[], Any]) -> Any:
    """What a function returns in a fork of this process, through JSON; None if a signal ends the process.

    Raises RuntimeError if the function raises an exception, so that a fault of these tests is no killed mutant.
    """
    with _FORKING:  # so that no other child inherits the end for writing
        reading, writing = os.pipe()
        child = os.fork()
        if child != 0:
            os.close(writing)
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w", encoding="utf-8") as file:
            try:
                reply = {"value": work()}
            except BaseException:
                reply = {"trouble": traceback.format_exc()}
            json.dump(reply, file)
        os._exit(0)
    with os.fdopen(reading, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    reply = json.loads(text)
    if "trouble" in reply:
        raise RuntimeError(reply["trouble"])
    return reply["value"]


def in_processes(work: Callable[[A], Any], arguments: Sequence[A], jobs: int) -> Iterator[Any]:
    """What a function returns for each argument, in order, each in a fork of its own, so many at once."""
    with ThreadPool(jobs) as pool:
        yield from pool.imap(lambda argument: in_a_process(partial(work, argument)), arguments)


def _digest() -> str:
    """Changes with every change of the package."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _digest_of(case: Case) -> str:
    """Changes with every change of a case."""
    return hashlib.sha256(repr((case.id, case.ulps, case.fences)).encode()).hexdigest()[:16]
