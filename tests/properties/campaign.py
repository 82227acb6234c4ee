"""Many programs under every law: `python -m tests.properties.campaign --programs 1000`.

The programs have numbers (`families.member`).  With `--log FILE` they are taken in chunks of a thousand, and every
chunk that is finished adds a line to the file; chunks that stand there already, of the same sources, are not taken
again, so that a campaign may be stopped, and the counts of several sittings are added.

At the end it tells what deciding cost, for the generated programs and for the models of `relay-models`.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import signal
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, takewhile
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from tests.generators.families import MEMBERS, member
from tests.material import models
from tests.properties.case import Case, Law
from tests.properties.compiling import compiled
from tests.properties.laws import LAWS
from tests.properties.shrinking import shrunk
from tests.properties.statistics import Ledger, of_texts

CHUNK = 250
"""How many numbers of programs a line of the log stands for."""

_SWEPT = 40
"""After how many numbers of programs what nobody needs is given back."""

ROOT = Path(__file__).resolve().parents[2]

PATIENCE = 60.0
"""Seconds of processor time that a law has for one program."""


@dataclass(frozen=True)
class Breach:
    """A program that breaks a law."""

    law: str
    case: Case
    says: str


@dataclass
class Tally:
    """What a campaign met.

    Attributes:
        ledger: the goals of the programs, each program decided by a decider of its own.
        compared: how many of the programs have their goals put to Z3 for comparison.
    """

    counts: Counter[str] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    compared: int = 0

    def count(self, case: Case) -> None:
        """Take note of a program, its goals and its runs."""
        if self.ledger.programs < self.compared:
            self.ledger.checked(case.text)
        found = case.found
        self.counts["programs"] += 1
        self.counts["grown"] += case.seed % MEMBERS == 0
        self.counts["accepted"] += found.ok
        self.counts["strict"] += found.ok and all(f.strict for f in found.core.functions.values())
        self.counts["proved"] += found.proved
        self.counts["residual"] += found.residual
        self.counts["gave up"] += case.gave_up
        for ended in case.outcomes if found.ok else ():
            self.counts["runs"] += 1
            self.counts[ended.kind] += 1


def broken(law: Law, case: Case, seconds: float = 0) -> str | None:
    """What is wrong under a law; an exception is wrong under every law, and so is a long silence, if `seconds` say."""
    try:
        with _patience(seconds):
            return law(case)
    except Exception:
        return traceback.format_exc(limit=-6)


class Slow(Exception):
    """A law that took longer than it may."""


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Raises Slow in the midst of what takes longer than these seconds of processor time; 0 waits for ever."""

    def interrupted(signum: int, frame: object) -> None:
        raise Slow(f"more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, interrupted)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def breaches(numbers: Iterable[int], laws: dict[str, Law], tally: Tally) -> Iterator[Breach]:
    """The breaches among the programs of some numbers."""
    with _sweeping() as swept:
        for number in numbers:
            if number % _SWEPT == 0:
                swept()
            try:
                with _patience(PATIENCE):
                    program = member(number, compiled)
            except Exception:  # whatever the compiler dies of is what is looked for; there is no program to show then
                yield Breach("growth", Case(None, number), traceback.format_exc(limit=-8))  # type: ignore[arg-type]
                continue
            if program is None:
                continue
            case = Case(program, number)
            for name, law in laws.items():
                says = broken(law, case, PATIENCE)
                if says:
                    yield Breach(name, case, says)
            tally.count(case)


@contextmanager
def _sweeping() -> Iterator[Callable[[], object]]:
    """No garbage is looked for but when it is asked for, and never among what is there now.

    Compilations are cyclic, and what a compiler leaves behind counts as old at once.
    """
    collecting = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield gc.collect
    finally:
        gc.unfreeze()
        if collecting:
            gc.enable()


def enough(programs: int, start: int, tally: Tally) -> Iterator[int]:
    """Numbers from a start on, until so many programs were counted: not every number has one."""
    return takewhile(lambda _: tally.counts["programs"] < programs, count(start))


def smallest(breach: Breach, laws: dict[str, Law] = LAWS) -> Breach:
    """The breach by a program that cannot be made smaller, as far as patience goes."""
    law = laws[breach.law]
    signature, until = _signature(breach.says), time.process_time() + PATIENCE

    def fails(case: Case) -> bool:
        if time.process_time() > until:
            return False
        says = broken(law, case, PATIENCE)
        return says is not None and _signature(says) == signature

    program = shrunk(breach.case.program, lambda program: fails(Case(program, breach.case.seed)))
    case = Case(program, breach.case.seed)
    return Breach(breach.law, case, broken(law, case) or breach.says)


def _signature(says: str) -> str:
    """What kind of breach it is, so that shrinking does not wander off to another one."""
    return says.splitlines()[-1].split(":")[0] if says.startswith("Traceback") else says.split(":")[0][:24]


def told(breach: Breach, plain: bool) -> str:
    """A breach in words, its program made small unless `plain`."""
    small = breach if plain or breach.law == "growth" else smallest(breach)
    return f"--- {small.law}, number {small.case.seed}: {small.says}\n{small.case.program}"


# ----------------------------------------------------------------------------------------------------------- chunks
@dataclass(frozen=True)
class Chunk:
    """The numbers of a line of the log, under some laws."""

    start: int
    length: int
    laws: tuple[str, ...]
    plain: bool

    def line(self) -> dict[str, object]:
        """What the log says of it: its programs, their runs, the breaches, and the seconds of processor time.

        Breaches are printed as they are found.
        """
        tally, started, found = Tally(), time.process_time(), []
        numbers = range(self.start, self.start + self.length)
        for breach in breaches(numbers, {law: LAWS[law] for law in self.laws}, tally):
            found.append(told(breach, self.plain))
            print(found[-1], flush=True)
        return {
            "sources": sources(),
            "laws": list(self.laws),
            "start": self.start,
            "length": self.length,
            **tally.counts,
            "seconds": round(time.process_time() - started, 1),
            "breaches": found,
        }


def sources() -> str:
    """A digest of everything that decides what a campaign finds: neither tools, importers nor other tests do."""
    digest = hashlib.blake2b(digest_size=8)
    folders = ("gradual", "tests/generators", "tests/properties", "tests/passes", "tests/core")
    rim = {ROOT / "gradual/tools", ROOT / "gradual/importers"}
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        if not path.name.startswith("test_") and rim.isdisjoint(path.parents):
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def lines_of(log: Path) -> list[dict[str, Any]]:
    """The lines of a log; none if there is no such file."""
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def chunked(log: Path, chunks: Iterator[Chunk], programs: int, jobs: int) -> None:
    """Take chunks until there are enough programs, those that the log has among them, and write a line for each."""
    now, running, counted = sources(), deque[Any](), 0
    done = {_key(line["start"], line["length"], line["laws"]): line for line in lines_of(log) if line["sources"] == now}
    with Pool(jobs, maxtasksperchild=1) as pool:
        while running or counted < programs:
            if counted < programs and len(running) < jobs:
                chunk = next(chunks)
                old = done.get(_key(chunk.start, chunk.length, chunk.laws))
                if old is None:
                    running.append(pool.apply_async(chunk.line))
                else:
                    counted += old.get("programs", 0)
                continue
            line = running.popleft().get()
            if sources() != now:
                raise SystemExit("the sources have changed since the campaign began: nothing more is counted")
            counted += line.get("programs", 0)
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _key(*parts: object) -> str:
    return json.dumps(parts)


def summed(log: Path) -> Iterator[str]:
    """The counts of a log, for each state of the sources."""
    totals: dict[str, Counter[str]] = {}
    for line in lines_of(log):
        total = totals.setdefault(str(line["sources"]), Counter())
        total.update({key: value for key, value in line.items() if isinstance(value, int | float) and key != "start"})
        total["breaches"] += len(line["breaches"])
    for digest, total in totals.items():
        counts = {key: round(value) for key, value in total.items() if key != "length"}
        rate = total["programs"] / max(total["seconds"], 0.1)
        yield f"sources {digest}: {counts}; {rate:.1f} programs/s of a processor"


def main(write: Callable[[str], object] = print) -> int:
    """Run a campaign; 1 if a law was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--law", choices=sorted(LAWS), action="append")
    parser.add_argument("--plain", action="store_true", help="do not shrink")
    parser.add_argument("--log", type=Path, help="take chunks, and add a line for each to this file")
    parser.add_argument("--jobs", type=int, default=1, help="processes, with --log")
    parser.add_argument("--no-models", action="store_true", help="leave out the statistics of relay-models")
    parser.add_argument("--compare", type=int, default=200, help="put the goals of so many programs to Z3 too")
    given = parser.parse_args()
    laws = {name: LAWS[name] for name in given.law or LAWS}
    if given.log is not None:
        chunks = (Chunk(start, CHUNK, tuple(laws), given.plain) for start in count(given.start, CHUNK))
        with suppress(KeyboardInterrupt):
            chunked(given.log, chunks, given.programs, given.jobs)
        write("\n".join(summed(given.log)))
        return 1 if any(line["breaches"] for line in lines_of(given.log)) else 0
    tally, started, found = Tally(compared=given.compare), time.perf_counter(), 0
    with suppress(KeyboardInterrupt):  # what was found until then is told
        for breach in breaches(enough(given.programs, given.start, tally), laws, tally):
            found += 1
            write(told(breach, given.plain))
            sys.stdout.flush()
    seconds = time.perf_counter() - started
    write(f"{dict(tally.counts)}\n{found} breaches; {tally.counts['programs'] / seconds:.1f} programs/s\n")
    ledgers = {"generated programs": tally.ledger}
    if models() and not given.no_models:
        texts = ((path.name, path.read_text("utf-8")) for path in models().values())
        ledgers["relay-models"] = of_texts(texts)
    for title, ledger in ledgers.items():
        write("\n".join(ledger.report(title)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
