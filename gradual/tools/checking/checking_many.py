"""Check many files, sequentially or in parallel; each has its own result, whatever happens to the others.

With several jobs, a file is read, imported if it is a model, and checked all in one child process.
If a child dies, perhaps because memory ran out, only the file that it was checking is lost.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace

from gradual.interface.input.files import Absent
from gradual.interface.terminal import Trouble
from gradual.tools.checking.cached import result_of
from gradual.tools.checking.child import Ended
from gradual.tools.checking.children import UNBOUNDED, Bounds, Children, threads
from gradual.tools.checking.results import Checked, Outcome, Unit, Wanted, troubled, unchecked

AHEAD = 4
"""How many files for each process are submitted ahead of the one to be reported next."""

Task = tuple[Unit, Wanted]
"""What to check, and how."""


def checked_all(tasks: Sequence[Task], jobs: int) -> Iterator[Checked]:
    """Check every file with `jobs` processes; yield the results in order."""
    jobs = min(jobs, len(tasks))
    if jobs < 2:
        yield from (_alone(*task) for task in tasks)
        return
    children, asked = Children(), deque[tuple[Unit, Future[Checked | Ended]]]()
    with threads(jobs, children) as pool:
        for unit, wanted in tasks:
            asked.append((unit, pool.submit(children.ask, checked_anyhow, unit, wanted)))
            if len(asked) == AHEAD * jobs:
                yield _answered(*asked.popleft())
        while asked:
            yield _answered(*asked.popleft())


def _answered(unit: Unit, answer: Future[Checked | Ended]) -> Checked:
    found = answer.result()
    return ended(unit, found) if isinstance(found, Ended) else found


def ended(unit: Unit, why: Ended, bounds: Bounds = UNBOUNDED) -> Checked:
    """The result for a file whose check exceeded a limit or ended its process."""
    match why:
        case Ended.TIMEOUT:
            return unchecked(unit, Outcome.TIMEOUT, "E0704", f"not checked within {bounds.seconds:g} s")
        case Ended.MEMORY:
            says = "out of memory" if bounds.megabytes is None else f"not checked within {bounds.megabytes} MB"
            return unchecked(unit, Outcome.MEMORY, "E0704", says)
        case Ended.KILLED:
            says = "the process that checked it was killed, perhaps because memory ran out"
            return unchecked(unit, Outcome.MEMORY, "E0704", says)


def _alone(unit: Unit, wanted: Wanted) -> Checked:
    try:
        return checked_anyhow(unit, wanted)
    except MemoryError:
        return ended(unit, Ended.MEMORY)


def checked_anyhow(unit: Unit, wanted: Wanted) -> Checked:
    """Check one file; any exception except MemoryError becomes its result."""
    if isinstance(unit, Absent):
        return unchecked(unit, Outcome.UNREADABLE, unit.trouble.code, unit.says)
    try:
        return result_of(unit, wanted)
    except Trouble as trouble:
        return troubled(unit, trouble)
    except MemoryError:
        raise
    except Exception:  # report it and go on, as `cli.entry` does for a single file
        why = "a bug in gradual, not in the program; please report it with the lines below"
        crashed = unchecked(unit, Outcome.CRASHED, "E0900", why)
        return replace(crashed, diagnostics=(replace(crashed.diagnostics[0], notes=(traceback.format_exc(),)),))
