"""The second checker and the reference on random programs: `python -m tests.second.compare --programs 5000 --seed 0`.

Both are asked in one process.  Compared are the verdict, the codes and lines of errors and warnings, and, of accepted
programs, the types of functions and the residual checks: rule, place, blamed places, and the condition by its meaning,
as the judge of the conformance suite compares them.  Programs that the second checker declines, and goals at which one
of the two gave up, are counted apart.  A disagreement is made smaller as long as it persists.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import Pool
from pathlib import Path

from gradual.compiler import compile_source
from gradual.conformance.cases.answer import FoundCheck, Report
from gradual.conformance.cases.condition import same_condition
from gradual.conformance.implementations import protocol
from gradual.conformance.implementations.reference import reported
from gradual.limits import Options
from gradual.source import Source
from tests.generators.program_terms import Program
from tests.properties.shrinking import shrunk
from tests.second.__main__ import check
from tests.second.drawing import family

PATIENCE = 60.0
"""Seconds of processor time for making one disagreement smaller."""

CRASHED = "E0000"
"""The code that stands for an exception of the second checker, so that it is a disagreement of its own kind."""

TOLD = 250
"""After how many answered programs a line of progress is written."""


def reference(text: str) -> Report:
    """The answer of the reference."""
    return reported(compile_source(Source("p.relay", text), Options(advise=False)))


def second(text: str) -> Report | str:
    """The answer of the second checker, or why there is none; an exception is a rejection with a code of its own."""
    try:
        reply = check(text)
    except Exception as crash:  # it is counted as a disagreement of its own kind
        place = {"line": 1, "column": 1}
        crashed = {"code": CRASHED, "severity": "error", "span": {"start": place, "end": place}}
        crashed |= {"rule": "", "message": repr(crash), "related": []}
        reply = {"accepted": False, "diagnostics": [crashed], "functions": [], "bindings": [], "checks": []}
    return str(reply["skipped"]) if "skipped" in reply else protocol.report(reply)


def differing(text: str) -> str | None:
    """In what the two answers differ: empty if in nothing, None if there are no two answers."""
    mine = second(text)
    if isinstance(mine, str):
        return None
    theirs = reference(text)
    if any(d.code == "E0501" for d in (*mine.diagnostics, *theirs.diagnostics)):
        return None
    return difference(mine, theirs)


def difference(mine: Report, theirs: Report) -> str:
    """The first respect in which two answers differ; empty if there is none."""
    if mine.accepted != theirs.accepted:
        return f"verdict: {_codes(_reports(mine))} here, {_codes(_reports(theirs))} there"
    one, other = _reports(mine), _reports(theirs)
    if one != other:
        return f"codes and lines: {_codes(one - other)} here, {_codes(other - one)} there"
    if mine.accepted and dict(mine.functions) != dict(theirs.functions):
        return "types"
    return "checks" if mine.accepted and not _same_checks(mine.checks, theirs.checks) else ""


def _reports(report: Report) -> Counter[tuple[str, int]]:
    return Counter((d.code, d.place.line) for d in report.diagnostics if d.severity in ("error", "warning"))


def _codes(reports: Counter[tuple[str, int]]) -> str:
    return " ".join(sorted({code for code, _ in reports})) or "nothing"


def _same_checks(mine: tuple[FoundCheck, ...], theirs: tuple[FoundCheck, ...]) -> bool:
    left = list(theirs)
    for one in mine:
        found = next((other for other in left if _same_check(one, other)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _same_check(one: FoundCheck, other: FoundCheck) -> bool:
    if (one.place, one.rule, set(one.blames)) != (other.place, other.rule, set(other.blames)):
        return False
    return same_condition(one.condition, other.condition)


def told(report: Report | str) -> str:
    """An answer in lines."""
    if isinstance(report, str):
        return f"  declined: {report}"
    lines = ["accepted" if report.accepted else "rejected"]
    lines += [str(d) for d in report.diagnostics if d.severity in ("error", "warning")]
    lines += [f"{name} : {text}" for name, text in report.functions.items()]
    lines += [str(check) for check in report.checks] if report.accepted else []
    return "\n".join("  " + line for line in lines)


@dataclass
class Comparison:
    """What was met.

    Attributes:
        counts: answered programs, and how many of them were accepted or rejected.
        declined: the reasons of the second checker, and goals at which one of the two gave up.
        found: the disagreements, each with the smallest program.
    """

    counts: Counter[str] = field(default_factory=Counter)
    declined: Counter[str] = field(default_factory=Counter)
    found: list[dict[str, str]] = field(default_factory=list)

    def ask(self, program: Program, plain: bool) -> None:
        """Compare the answers about one program; the disagreement, if there is one."""
        text = str(program)
        mine = second(text)
        if isinstance(mine, str):
            self.declined[mine] += 1
            return
        theirs = reference(text)
        if any(d.code == "E0501" for d in (*mine.diagnostics, *theirs.diagnostics)):
            self.declined["a goal at which one of the two gave up"] += 1
            return
        self.counts["answered"] += 1
        self.counts["accepted" if theirs.accepted else "rejected"] += 1
        self.counts["with checks"] += theirs.accepted and bool(theirs.checks)
        what = difference(mine, theirs)
        if what:
            small = str(program if plain else smallest(program, what))
            self.found.append({"differs": what, "program": small, "drawn": text})


def smallest(program: Program, what: str) -> Program:
    """The program without what it can lose while the answers differ in the same respect."""
    until = time.process_time() + PATIENCE

    def fails(candidate: Program) -> bool:
        return time.process_time() < until and differing(str(candidate)) == what

    return shrunk(program, fails)


def shown(found: dict[str, str]) -> str:
    """A disagreement with both answers."""
    text = found["program"]
    mine, theirs = told(second(text)), told(reference(text))
    return f"differs in {found['differs']}:\n{text}second:\n{mine}\nreference:\n{theirs}\n"


def of_family(seed: int, number: int, plain: bool) -> Comparison:
    """The comparison of one family of programs."""
    met = Comparison()
    for program in family(seed, number):
        met.ask(program, plain)
    return met


def compared(programs: int, seed: int, plain: bool, jobs: int = 1) -> Iterator[Comparison]:
    """Comparisons, family by family, until so many programs were answered."""
    numbers, answered = count(), 0
    with Pool(jobs) as pool:
        running = deque(pool.apply_async(of_family, (seed, next(numbers), plain)) for _ in range(2 * jobs))
        while answered < programs:
            met = running.popleft().get()
            running.append(pool.apply_async(of_family, (seed, next(numbers), plain)))
            answered += met.counts["answered"]
            yield met


def main(write: Callable[[str], object] = print) -> int:
    """Compare; 1 if there was a disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=5000, help="how many have to be answered")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--plain", action="store_true", help="do not make disagreements smaller")
    parser.add_argument(
        "--log", type=Path, help="add the disagreements, then the counts, to this file as lines of JSON"
    )
    given = parser.parse_args()
    started, whole = time.perf_counter(), Comparison()
    for met in compared(given.programs, given.seed, given.plain, given.jobs):
        before = whole.counts["answered"] // TOLD
        whole.counts.update(met.counts)
        if whole.counts["answered"] // TOLD > before:
            print(f"{dict(whole.counts)}; {len(whole.found)} disagreements so far", file=sys.stderr, flush=True)
        whole.declined.update(met.declined)
        whole.found += met.found
        for found in met.found:
            write(shown(found))
        if given.log is not None:
            _logged(given.log, met.found)
    seconds = time.perf_counter() - started
    if given.log is not None:
        _logged(given.log, [{**whole.counts, "declined": dict(whole.declined), "seed": given.seed}])
    for reason, times in whole.declined.most_common():
        write(f"declined {times}: {reason}")
    write(f"{dict(whole.counts)}; {len(whole.found)} disagreements; {seconds:.0f} s")
    return 1 if whole.found else 0


def _logged(log: Path, lines: Iterable[Mapping[str, object]]) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
