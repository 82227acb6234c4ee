"""`python -m tests.importers.torch.fuzzing --archives 20000 --seed 0`: damaged archives, in processes that may be lost.

Each is refused in plain words, or becomes a program that is checked, and some that are accepted are run: in bounded
time and memory, and an exception of any other kind is a bug.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gradual import compiler
from gradual.compilation import Compilation
from gradual.importers.common.refusals import Refused, Unreadable, Unsupported
from gradual.importers.common.text import Program
from gradual.importers.torch.file.reading import load
from gradual.importers.torch.program import program
from gradual.interface.reports import ci, json_lines
from gradual.report import render
from gradual.source import Source
from tests.fuzz.campaign import Attempt, campaign
from tests.fuzz.runs import breaches
from tests.fuzz.trial import Failure, Hang, alarm, innermost
from tests.importers.torch.mutants import mutant

SECONDS = 10
"""Processor time for one archive."""
PATIENCE = 30 * SECONDS
"""Seconds without a word after which a process is lost, on a machine that has much else to do."""
RUNNING = 3
"""The same for the runs of a program; one that takes longer is the program's own affair."""
SAMPLE = 4
"""Of so many accepted programs, one is run."""
WEIGHT = 1 << 20
"""Weights of more elements are not read."""

PLACE = Path(tempfile.gettempdir())
NO_PROGRAM = "E01", "E0201", "E0202", "E0203", "E0204", "E0205", "E0206", "E0900"
"""Codes of diagnostics that are never about a model, but about what the importer wrote."""


def attempted(seed: int, number: int) -> Failure | str:
    """What is wrong with the answer to an archive, or in a word what the answer is."""
    path = PLACE / f"{os.getpid()}.pt2"
    path.write_bytes(mutant(seed, number))
    try:
        return tried(str(path), number % SAMPLE == 0)
    finally:
        path.unlink()


def tried(path: str, is_run: bool = True) -> Failure | str:
    """The answer to the archive in a file."""
    try:
        with alarm(SECONDS):
            return _answer(path, is_run)
    except Hang as hang:
        return Failure(f"hang in {innermost(hang)}", f"more than {SECONDS} s")
    except Exception as error:  # whatever the importer or the checker dies of is what is looked for
        return Failure(f"{type(error).__name__} at {innermost(error)}", f"{error}"[:300])


def _answer(path: str, is_run: bool) -> Failure | str:
    try:
        model, archive = load(path)
    except Unreadable as error:
        return told(f"unreadable {error.code}", str(error))
    try:
        found = program(model, archive)
    except Unreadable as error:
        return told(f"unreadable {error.code}", str(error))
    except Refused as refused:
        return next((bad for one in refused.reasons if not isinstance(bad := told("", one), str)), "refused")
    compilation = compiler.compile_source(Source("model.pt2", found.text, found.origins))
    failure = next(flaws(compilation), None)
    if failure is not None or not compilation.ok:
        return failure or "rejected"
    return ran(compilation, found) if is_run else "accepted"


def told(answer: str, says: str) -> Failure | str:
    """The answer, if what it says is one line for people."""
    is_plain = says.strip() and "Error" not in says and "object at 0x" not in says and len(says) < 2_000
    return answer if is_plain else Failure("what is said", says[:300])


def flaws(compilation: Compilation) -> Iterator[Failure]:
    """What is wrong with the reports on a program."""
    for found in compilation.diagnostics:
        if found.code.startswith(NO_PROGRAM):
            yield Failure(f"{found.code} in what was imported", found.message)
        render.full(found, render.within(compilation.source))
        ci.annotation(compilation.source, found)
    list(json_lines.compiled(compilation, annotate=True))
    ci.sarif([(compilation.source, compilation.diagnostics)])


def ran(compilation: Compilation, found: Program) -> Failure | str:
    """The answer to a run with random inputs, after all weights have been read."""
    try:
        with alarm(RUNNING):
            for name in found.weights:
                found.weights[name]
            breach = next(breaches(compilation, compilation.source.text), None)
    except (Unreadable, Unsupported):
        return "accepted, weights unreadable"
    except (Hang, MemoryError):
        return "accepted, slow"
    return Failure("run: a value of another type", breach) if breach else "accepted and run"


def campaigned(module: str, files: str, attempt: Attempt, says: str | None) -> int:
    """The command of a campaign of damaged files: each cause is printed once, and how often each answer was given.

    Returns 1 if there was a failure, else 0.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=says)
    parser.add_argument(f"--{files}", dest="count", metavar="COUNT", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first file")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    began, answers, causes = time.monotonic(), Counter[str](), Counter[str]()
    numbers = range(asked.start, asked.start + asked.count)
    for found in campaign(asked.seed, numbers, asked.jobs, attempt, PATIENCE):
        if isinstance(found, Counter):
            answers += found
            continue
        causes[found.failure.signature] += 1
        if causes[found.failure.signature] == 1:
            at = f"seed {asked.seed}, number {found.number}"
            print(f"== {at}: {found.failure.signature}\n   {found.failure.message}", flush=True)
    print(f"{answers.total()} {files} in {time.monotonic() - began:.0f} s with {asked.jobs} processes")
    for answer, count in [*answers.most_common(), *causes.most_common()]:
        print(f"{count:6} × {answer}")
    return int(bool(causes))


if __name__ == "__main__":
    sys.exit(campaigned("tests.importers.torch.fuzzing", "archives", attempted, __doc__))
