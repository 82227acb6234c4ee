"""Which case executes which function: collected once for a state of the sources, and kept in a file."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from gradual.conformance.cases.case import Case
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.run import Class, examined
from tests.conformance.mutants.changing import PACKAGE, Where
from tests.conformance.mutants.planting import where_of

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

    def executing(self, where: Where) -> list[str]:
        """The cases that execute a function, in the order in which they are asked.

        Cases that execute little else are asked first; every second one is drawn from the others, for variety.
        """
        found = self.cases.get(self.names.get(_named(where), -1), [])
        small, drawn = sorted(found, key=lambda case: (self.sizes[case], case)), sorted(found)
        random.Random(0).shuffle(drawn)
        return list(dict.fromkeys(case for pair in zip(small, drawn, strict=True) for case in pair))


def indexed(cases: Sequence[Case], told: Callable[[int], None], kept: Path, part: int = 0) -> Index:
    """The index of the cases, in an order that makes a part of it a sample.

    What the file has for these sources is read, and the rest is collected and added to the file, so that a run that
    was stopped can be continued.  With `part` so many cases are enough.
    """
    index, digest = Index(), _digest(cases)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    if lines[:1] != [digest]:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(f"{digest}\n", encoding="utf-8")
    else:
        for line in lines[1:]:
            index.add(*json.loads(line))
    order = list(cases)
    random.Random(0).shuffle(order)
    with kept.open("a", encoding="utf-8") as file:
        for case in order[: part or None]:
            if case.id in index.sizes:
                continue
            line = _collected(case, index)
            index.add(*line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            told(len(index.sizes))
    return index


def _collected(case: Case, index: Index) -> tuple[str, list[str], list[int]]:
    """What a case adds to the index; a case that does not pass executes nothing."""
    executed = in_a_process(partial(_executed, case)) or []
    new = [name for name in executed if name not in index.names]
    numbers = index.names | {name: len(index.names) + k for k, name in enumerate(new)}
    return case.id, new, [numbers[name] for name in executed]


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
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w", encoding="utf-8") as file:
            try:
                reply = {"value": work()}
            except BaseException:
                reply = {"trouble": traceback.format_exc()}
            json.dump(reply, file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    reply = json.loads(text)
    if "trouble" in reply:
        raise RuntimeError(reply["trouble"])
    return reply["value"]


def _digest(cases: Sequence[Case]) -> str:
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    for case in cases:
        digest.update(repr((case.id, case.ulps, case.fences)).encode())
    return digest.hexdigest()
