"""Many programs under every law: `python -m tests.properties.campaign --programs 1000`.

At the end it tells what deciding cost, for the generated programs and for the models of `relay-models`.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.generators.programs import generated
from tests.material import models
from tests.properties.case import Case, Law
from tests.properties.compiling import compiled
from tests.properties.laws import LAWS
from tests.properties.shrinking import shrunk
from tests.properties.statistics import Ledger, of_texts

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
        self.ledger.checked(case.text, compare=self.ledger.programs < self.compared)
        found = case.found
        self.counts["programs"] += 1
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


def breaches(
    seeds: Iterable[int], laws: dict[str, Law] = LAWS, tally: Tally | None = None, strict: bool | None = None
) -> Iterator[Breach]:
    """The breaches among the programs of some seeds."""
    for seed in seeds:
        try:
            with _patience(PATIENCE):
                case = Case(generated(seed, compiled, strict), seed)
        except Exception:
            yield Breach("growth", Case(None, seed), traceback.format_exc(limit=-8))  # type: ignore[arg-type]
            continue
        for name, law in laws.items():
            says = broken(law, case, PATIENCE)
            if says:
                yield Breach(name, case, says)
        if tally is not None:
            tally.count(case)


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


def main(write: Callable[[str], object] = print) -> int:
    """Run a campaign; 1 if a law was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--law", choices=sorted(LAWS), action="append")
    parser.add_argument("--plain", action="store_true", help="do not shrink")
    parser.add_argument("--no-models", action="store_true", help="leave out the statistics of relay-models")
    parser.add_argument("--compare", type=int, default=200, help="put the goals of so many programs to Z3 too")
    given = parser.parse_args()
    laws = {name: LAWS[name] for name in given.law or LAWS}
    tally, started, found = Tally(compared=given.compare), time.perf_counter(), 0
    seeds = range(given.start, given.start + given.programs)
    with suppress(KeyboardInterrupt):  # what was found until then is told
        for breach in breaches(seeds, laws, tally):
            found += 1
            small = breach if given.plain or breach.law == "growth" else smallest(breach, laws)
            write(f"--- {small.law}, seed {small.case.seed}: {small.says}\n{small.case.program}")
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
