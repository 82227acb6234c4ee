"""Parse and check programs of growing size, each in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench.fit import exponent
from bench.texts import Family

HEAD = (
    f"{'program':24}{'size':>8}{'operators':>10}{'parse s':>9}{'check s':>9}{'ops/s':>9}{'ops/s':>9}"
    f"{'peak MB':>9}{'KB/op':>7}{'Z3':>5}{'checks':>8}{'ratio':>7}"
)
UNDER = f"{'':24}{'':>8}{'':>10}{'':>9}{'':>9}{'all':>9}{'check':>9}{'':>9}{'held':>7}{'':>5}{'':>8}{'per op':>7}"


@dataclass(frozen=True, slots=True)
class Row:
    """One program checked."""

    family: Family
    size: int
    figures: dict[str, Any]

    @property
    def seconds(self) -> float:
        """To parse and check."""
        return float(self.figures["parse"] + self.figures["check"])

    @property
    def operators(self) -> int:
        """How many operators the checked program applies."""
        return int(self.figures["operators"])


def measured(family: Family, sizes: Sequence[int], timeout: float) -> Iterator[Row | str]:
    """A row for each size, or why there is none."""
    for size in sizes:
        command = [sys.executable, "-m", "bench.child", family.name, str(size)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            yield f"{family.name:24}{size:8}  more than {timeout:.0f} s"
            return
        if done.returncode:
            yield f"{family.name:24}{size:8}  {(done.stderr.strip().splitlines() or ['died'])[-1]}"
        else:
            yield Row(family, size, json.loads(done.stdout))


def line(row: Row, first: Row) -> str:
    """A row of the table; the ratio is the time per operator against the smallest size."""
    got, operators = row.figures, max(row.operators, 1)
    ratio = (row.seconds / operators) / (first.seconds / max(first.operators, 1))
    text = (
        f"{row.family.name:24}{row.size:8}{row.operators:10}{got['parse']:9.3f}{got['check']:9.3f}"
        f"{operators / row.seconds:9.0f}{operators / got['check']:9.0f}{got['peak'] / 2**20:9.0f}"
        f"{got['held'] / 1024 / operators:7.1f}{got['queries']:5}{got['residual']:8}{ratio:7.2f}"
    )
    return text + "".join(f"\n  ! {problem}" for problem in got["errors"])


def growth(rows: Sequence[Row]) -> str:
    """The fitted exponents of one family."""
    sizes = [row.size for row in rows]
    parts = {
        "parse": [row.figures["parse"] for row in rows],
        "check": [row.figures["check"] for row in rows],
        "all": [row.seconds for row in rows],
    }
    fitted = ", ".join(f"{name} {exponent(sizes, costs):.2f}" for name, costs in parts.items())
    return f"{'':24}grows with size to the power: {fitted}"
