"""Put a mutant into a fork of this process, and ask cases until one fails."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from multiprocessing.pool import ThreadPool

from gradual.conformance.cases.case import Case
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.run import Class, examined
from tests.conformance.mutants.changing import Mutant
from tests.conformance.mutants.executing import Index, in_a_process
from tests.conformance.mutants.planting import Nothing, plant

HANGS = 10
"""A case that needs so many more seconds of processor time than all cases of a mutant may take does not end."""


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    HANGS = "killed: it hangs, or the process dies"
    SURVIVED = "survived"
    UNDECIDED = "survived the cases that there was time for"
    UNEXECUTED = "never executed"
    NOTHING = "not planted"


@dataclass(frozen=True)
class Hunt:
    """A mutant's fate, how many cases were asked and execute its function, and the case that failed."""

    mutant: Mutant
    fate: Fate
    asked: int
    executing: int
    by: str = ""

    @property
    def is_killed(self) -> bool:
        """Whether a case fails with the mutant."""
        return self.fate in (Fate.KILLED, Fate.HANGS)


def hunted(mutant: Mutant, index: Index, cases: Mapping[str, Case], seconds: float) -> Hunt:
    """Hunt a mutant for so many seconds of processor time."""
    names = index.executing(mutant.where)
    if not names:
        return Hunt(mutant, Fate.UNEXECUTED, 0, 0)
    found = in_a_process(partial(_hunted, mutant, [cases[name] for name in names], seconds))
    fate, asked, by = found if found is not None else (Fate.HANGS, 0, "")
    return Hunt(mutant, Fate(fate), asked, len(names), by)


def all_hunted(
    mutants: Sequence[Mutant], index: Index, cases: Mapping[str, Case], seconds: float, jobs: int
) -> Iterator[Hunt]:
    """Hunt each mutant, so many at once."""
    with ThreadPool(jobs) as pool:
        yield from pool.imap(lambda mutant: hunted(mutant, index, cases, seconds), mutants)


def _hunted(mutant: Mutant, cases: Sequence[Case], seconds: float) -> tuple[str, int, str]:
    """The fate, the number of cases asked, and the case that failed; ends the process if a case does not end."""
    try:
        plant(mutant)
    except Nothing:
        return Fate.NOTHING, 0, ""
    start = time.process_time()
    limit = int(seconds) + HANGS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    for asked, case in enumerate(cases, 1):
        if examined(case, Reference()).kind is not Class.PASS:
            return Fate.KILLED, asked, case.id
        if time.process_time() - start > seconds and asked < len(cases):
            return Fate.UNDECIDED, asked, ""
    return Fate.SURVIVED, len(cases), ""


def score(hunts: Iterable[Hunt], equivalent: Mapping[str, str]) -> tuple[int, int]:
    """How many mutants are killed, of how many that were planted and are not known to be equivalent."""
    asked = [hunt for hunt in hunts if hunt.fate is not Fate.NOTHING and hunt.mutant.key not in equivalent]
    return sum(hunt.is_killed for hunt in asked), len(asked)
