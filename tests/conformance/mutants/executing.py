"""Which case executes which function: collected once for a state of the sources, and kept in a file."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from gradual.conformance.cases.case import Case
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.run import Class, examined
from tests.conformance.mutants.changing import PACKAGE, Where
from tests.conformance.mutants.planting import where_of

KEPT = PACKAGE.parent / "build" / "mutants.json"


class Index:
    """The functions that each passing case executes."""

    def __init__(self, functions: Sequence[Sequence[str]]) -> None:
        self.sizes = [len(names) for names in functions]
        self.cases: dict[str, list[int]] = {}
        for number, names in enumerate(functions):
            for name in names:
                self.cases.setdefault(name, []).append(number)

    def executing(self, where: Where) -> list[int]:
        """The numbers of the cases that execute a function, in the order in which they are asked.

        Cases that execute little else are asked first; every second one is drawn from the others, for variety.
        """
        found = self.cases.get(_named(where), [])
        small, drawn = sorted(found, key=lambda number: self.sizes[number]), list(found)
        random.Random(0).shuffle(drawn)
        return list(dict.fromkeys(number for pair in zip(small, drawn, strict=True) for number in pair))


def indexed(cases: Sequence[Case], told: Callable[[int], None], kept: Path | None = KEPT) -> Index:
    """The index, read if it was kept for these sources and cases."""
    digest = _digest(cases)
    if kept is not None and kept.exists():
        read = json.loads(kept.read_text(encoding="utf-8"))
        if read["digest"] == digest:
            return _index(read["names"], read["functions"])
    numbers: dict[str, int] = {}
    functions = []
    for done, case in enumerate(cases):
        names = in_a_process(lambda case=case: _executed(case)) or []  # type: ignore[misc]
        functions.append([numbers.setdefault(name, len(numbers)) for name in names])
        told(done)
    if kept is not None:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps({"digest": digest, "names": list(numbers), "functions": functions}), "utf-8")
    return _index(list(numbers), functions)


def _index(names: Sequence[str], functions: Sequence[Sequence[int]]) -> Index:
    return Index([[names[number] for number in case] for case in functions])


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
    """What a function returns in a fork of this process, through JSON; None if the process dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            with os.fdopen(writing, "w", encoding="utf-8") as file:
                json.dump(work(), file)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else None


def _digest(cases: Sequence[Case]) -> str:
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    for case in cases:
        digest.update(repr((case.id, case.request, case.expectation)).encode())
    return digest.hexdigest()
