"""The rows of a census added up one by one, in memory that does not depend on their number."""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from gradual import __version__
from gradual.record import record
from gradual.tools.census.row import Row
from gradual.tools.checking.results import Outcome

LISTED = 20
"""How many files a list has."""
TIMES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""The bounds, in seconds, between the classes of times."""
SHARES = 10
"""The number of classes of shares of known sizes, besides the class of files all of whose sizes are known."""
NO_FORMAT = "none"
"""The format of a path that is no file."""

Listed = tuple[Any, ...]
"""An entry of a list, which is kept in ascending order: `(-seconds, file)`, or `(file, message)`."""


@record(frozen=False)
class Counts:
    """The sums over some files: how many they are, their sizes, obligations and seconds."""

    files: int = 0
    sizes: int = 0
    known: int = 0
    proved: int = 0
    residual: int = 0
    refuted: int = 0
    errors: int = 0
    seconds: float = 0.0
    cpu: float = 0.0

    def add(self, row: Row) -> None:
        """Add a row."""
        self.files += 1
        self.sizes += row["sizes"]
        self.known += row["known"]
        self.proved += row["proved"]
        self.residual += row["residual"]
        self.refuted += row["refuted"]
        self.errors += row["errors"]
        self.seconds += row["seconds"]
        self.cpu += row["cpu"]


@record(frozen=False)
class Tally:
    """How often something occurs, and in how many files."""

    times: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)

    def add(self, found: Mapping[str, int]) -> None:
        """Add what occurs in a file."""
        self.times.update(found)
        self.files.update(found.keys())

    def ranked(self) -> list[tuple[str, int, int]]:
        """What occurs, with the times and the files; what occurs in most files first."""
        names = sorted(self.times, key=lambda name: (-self.files[name], -self.times[name], name))
        return [(name, self.times[name], self.files[name]) for name in names]


@record(frozen=False)
class Census:
    """Everything that the report says.

    Attributes:
        all: the sums over all files; `formats` has those over the files of each format.
        outcomes: format -> outcome -> files.
        operators: the operators that block imports, with the number of models.
        blocked: how many models are not imported; `otherwise` counts those that no operator prevents from it.
        rules: the residual checks by the rule that requires them.
        codes: the errors by code.
        slowest: the slowest files.
        unwell: outcome -> the first files with it, and why.
        shares: accepted files by their share of known sizes, in tenths; `SHARES` for those that are known entirely.
        times: files by their time, by the classes between `TIMES`.
    """

    all: Counts = field(default_factory=Counts)
    formats: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    operators: Tally = field(default_factory=Tally)
    blocked: int = 0
    otherwise: int = 0
    rules: Tally = field(default_factory=Tally)
    codes: Tally = field(default_factory=Tally)
    slowest: list[Listed] = field(default_factory=list)
    unwell: dict[str, list[Listed]] = field(default_factory=lambda: defaultdict(list))
    shares: Counter[int] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)

    def add(self, row: Row) -> None:
        """Add a row; the order in which rows are added makes no difference."""
        format, outcome = row["format"] or NO_FORMAT, row["outcome"]
        self.all.add(row)
        self.formats[format].add(row)
        self.outcomes[format][outcome] += 1
        self.rules.add(row["rules"])
        self.codes.add(row["codes"])
        self.operators.add(dict.fromkeys(row["operators"], 1))
        if outcome == Outcome.UNSUPPORTED:
            self.blocked += 1
            self.otherwise += not row["operators"]
        if row["sizes"]:
            self.shares[row["known"] * SHARES // row["sizes"]] += 1
        self.times[sum(bound <= row["seconds"] for bound in TIMES)] += 1
        _keep(self.slowest, (-row["seconds"], row["file"], outcome))
        if outcome != Outcome.OK:
            _keep(self.unwell[outcome], (row["file"], row["says"]))

    def by_outcome(self) -> dict[str, int]:
        """The number of files with each outcome."""
        found = Counter[str]()
        for counts in self.outcomes.values():
            found.update(counts)
        return {str(outcome): found[outcome] for outcome in Outcome}

    def form(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "kind": "census",
            "version": __version__,
            "files": self.all.files,
            "outcomes": self.by_outcome(),
            "totals": _summed(self.all),
            "formats": {
                name: {"outcomes": {str(one): self.outcomes[name][one] for one in Outcome}} | _summed(counts)
                for name, counts in sorted(self.formats.items())
            },
            "shares": [self.shares[one] for one in range(SHARES + 1)],
            "not_imported": {"models": self.blocked, "without_operator": self.otherwise},
            "operators": [{"operator": name, "models": files} for name, _, files in self.operators.ranked()],
            "rules": [{"rule": name, "checks": times, "files": files} for name, times, files in self.rules.ranked()],
            "codes": [{"code": name, "errors": times, "files": files} for name, times, files in self.codes.ranked()],
            "times": {"bounds": list(TIMES), "files": [self.times[one] for one in range(len(TIMES) + 1)]},
            "slowest": [{"file": file, "outcome": how, "seconds": -late} for late, file, how in self.slowest],
            "listed": {
                str(outcome): [{"file": file, "says": says} for file, says in self.unwell[outcome]]
                for outcome in Outcome
                if outcome in self.unwell
            },
        }


def _summed(counts: Counts) -> dict[str, Any]:
    found = {one.name: getattr(counts, one.name) for one in fields(Counts)}
    return found | {"seconds": round(counts.seconds, 3), "cpu": round(counts.cpu, 3)}


def _keep(listed: list[Listed], entry: Listed) -> None:
    """Insert an entry into a list, of which the first `LISTED` are kept."""
    if len(listed) < LISTED or entry < listed[-1]:
        insort(listed, entry)
        del listed[LISTED:]
