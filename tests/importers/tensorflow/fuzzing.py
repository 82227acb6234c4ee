"""`python -m tests.importers.tensorflow.fuzzing --graphs 20000`: damaged graphs, in processes that may be lost.

Each is refused in plain words, or becomes a program that is checked, and some that are accepted are run: in bounded
time and memory, and an exception of any other kind is a bug.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from gradual import compiler
from gradual.importers.common.refusals import Misused, Refused, Unreadable
from gradual.importers.tensorflow.file.reading import load
from gradual.importers.tensorflow.program import program
from gradual.source import Source
from tests.fuzz.trial import Failure, Hang, alarm, innermost
from tests.importers.tensorflow.mutants import mutant
from tests.importers.torch.fuzzing import SAMPLE, SECONDS, campaigned, flaws, ran, told

PLACE = Path(tempfile.gettempdir())


def attempted(seed: int, number: int) -> Failure | str:
    """What is wrong with the answer to a graph, or in a word what the answer is."""
    path = PLACE / f"{os.getpid()}.graphdef"
    path.write_bytes(mutant(seed, number))
    try:
        return tried(str(path), number % SAMPLE == 0)
    finally:
        path.unlink()


def tried(path: str, is_run: bool = True) -> Failure | str:
    """The answer to the graph in a file."""
    try:
        with alarm(SECONDS):
            return _answer(path, is_run)
    except Hang as hang:
        return Failure(f"hang in {innermost(hang)}", f"more than {SECONDS} s")
    except Exception as error:  # whatever the importer or the checker dies of is what is looked for
        return Failure(f"{type(error).__name__} at {innermost(error)}", f"{error}"[:300])


def _answer(path: str, is_run: bool) -> Failure | str:
    try:
        found = program(load(path))
    except Unreadable as error:
        return told(f"unreadable {error.code}", str(error))
    except Misused as error:
        return told("misused", str(error))
    except Refused as refused:
        return next((bad for one in refused.reasons if not isinstance(bad := told("", one), str)), "refused")
    compilation = compiler.compile_source(Source("model.graphdef", found.text, found.origins))
    failure = next(flaws(compilation), None)
    if failure is not None or not compilation.ok:
        return failure or "rejected"
    return ran(compilation, found) if is_run else "accepted"


if __name__ == "__main__":
    sys.exit(campaigned("tests.importers.tensorflow.fuzzing", "graphs", attempted, __doc__))
