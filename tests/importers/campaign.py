"""Single nodes drawn at random, here and in ONNX Runtime with its optimisations off.

    python -m tests.importers.campaign [--nodes 5000] [--seed 0] [OPERATOR]...

Both give the same values or both refuse.  What differs is explained in `differences.txt`, one line for each kind;
a difference that no line explains fails the run, and a line that explains none is told.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from onnx import checker

import gradual
from gradual.importers.common.refusals import Refused, Unsupported
from gradual.importers.onnx.file.reading import read
from gradual.importers.onnx.program import program
from gradual.run.value import Blame, Fault
from tests.importers import (
    drawn_elements,
    drawn_microsoft,
    drawn_networks,
    drawn_quantized,
    drawn_shapes,
    drawn_signals,
)
from tests.importers.drawn import FAMILIES, Drawn, drawn
from tests.importers.node_tests import tensor
from tests.ops.onnx_runtime import Declined, Died, Runtime
from tests.ops.onnx_runtime import Refused as NotAdmitted

DRAWING = drawn_elements, drawn_microsoft, drawn_networks, drawn_quantized, drawn_shapes, drawn_signals
"""The modules whose families are in `FAMILIES`."""
LISTED = Path(__file__).with_name("differences.txt")
NEAR = {"float16": 1e-2, "float32": 2e-4, "float64": 1e-6}

RUNTIME = Runtime()


@dataclass(frozen=True)
class Outcome:
    """What became of a node here and there.

    Attributes:
        kind: `same`, `refused` by both, `no kernel`, or how they differ: `value`, `stricter` or `looser` here.
        says: the node in words, and how they differ.
    """

    kind: str
    operator: str
    says: str


@dataclass(frozen=True)
class Failure:
    """That there are no values, and why."""

    says: str


def outcome(one: Drawn) -> Outcome:
    """Both answers compared."""
    operator = one.says.split("-")[0]
    theirs = _theirs(one)
    if isinstance(theirs, Failure) and "NOT_IMPLEMENTED" in theirs.says:
        return Outcome("no kernel", operator, "")
    ours = _ours(one)
    match ours, theirs:
        case Failure(), Failure():
            return Outcome("refused", operator, "")
        case Failure(says), _:
            return Outcome("stricter", operator, f"{one.says}: {says}")
        case _, Failure(says):
            return Outcome("looser", operator, f"{one.says}: {says}")
    difference = _difference(ours, theirs)
    return Outcome("value" if difference else "same", operator, f"{one.says}: {difference}")


def _theirs(one: Drawn) -> Failure | list[Any]:
    try:
        return RUNTIME.run(one.model.SerializeToString(), one.feed)
    except (Declined, NotAdmitted) as failure:
        return Failure(" ".join(str(failure).split()))
    except Died as death:
        return Failure(f"died: {death}")


def _ours(one: Drawn) -> Failure | list[gradual.Tensor]:
    try:
        imported = program(read(one.model))
    except (Refused, Unsupported, checker.ValidationError) as refused:
        return Failure(f"not imported: {refused}")
    compilation = gradual.check(imported.text)
    if not compilation.ok:
        return Failure(
            "rejected: " + "; ".join(str(d.message) for d in compilation.diagnostics if d.severity == "error")
        )
    try:
        found = compilation.run("@main", *map(tensor, one.feed.values()), *imported.weights.values())
    except (Blame, Fault) as stop:
        return Failure(f"stopped: {stop}")
    return list(found) if isinstance(found, tuple) else [found]


def _difference(ours: Sequence[gradual.Tensor], theirs: Sequence[Any]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs, not {len(theirs)}"
    for one, other in zip(ours, theirs, strict=True):
        array = np.asarray(other)
        if (one.shape, str(one.dtype)) != (array.shape, str(array.dtype)):
            return f"{one.dtype}{list(one.shape)}, not {array.dtype}{list(array.shape)}"
        found = np.array(one.flat(), dtype=array.dtype).reshape(array.shape)
        near = NEAR.get(str(array.dtype))
        if not (
            np.array_equal(found, array) if near is None else np.allclose(found, array, near, near, equal_nan=True)
        ):
            return f"{found.ravel()[:8].tolist()}, not {array.ravel()[:8].tolist()}"
    return ""


@dataclass(frozen=True)
class Explained:
    """A line of the list: differences of a kind, of operators, of which a pattern is found in what is said."""

    kind: str
    operators: frozenset[str]
    pattern: re.Pattern[str]
    why: str

    def explains(self, one: Outcome) -> bool:
        """Whether it speaks of this difference."""
        named = "*" in self.operators or one.operator in self.operators
        return self.kind == one.kind and named and self.pattern.search(one.says) is not None


def listed() -> list[Explained]:
    """The list: kind, operators, pattern and reason, in columns that ` | ` parts."""
    found = []
    for line in LISTED.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, operators, pattern, why = (part.strip() for part in line.split(" | "))
            found.append(Explained(kind, frozenset(operators.split()), re.compile(pattern), why))
    return found


@dataclass
class Report:
    """What a run found.

    Attributes:
        counts: outcomes by kind.
        met: how many differences each line of the list explained.
        strange: the differences that none explains.
    """

    counts: Counter[str]
    met: Counter[Explained]
    strange: list[Outcome]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], lines: Sequence[Explained]) -> Report:
        """The report of some outcomes."""
        report = cls(Counter(), Counter(), [])
        for one in outcomes:
            report.counts[one.kind] += 1
            if one.kind not in ("value", "stricter", "looser"):
                continue
            line = next((line for line in lines if line.explains(one)), None)
            if line is None:
                report.strange.append(one)
            else:
                report.met[line] += 1
        return report


def outcomes(seeds: Iterable[int], operators: Sequence[str] = ()) -> Iterable[Outcome]:
    """What became of the nodes of some numbers, of these operators in turn or of any."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy's, about infinities
        for seed in seeds:
            yield outcome(drawn(seed, operators[seed % len(operators)] if operators else None))


def main() -> int:
    """Draw, compare, and tell; the exit status says whether a difference has no explanation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="all where none is named")
    given = parser.parse_args()
    if unknown := set(given.operators) - set(FAMILIES):
        parser.error(f"nothing draws {', '.join(sorted(unknown))}")
    began, lines = time.monotonic(), listed()
    report = Report.of(outcomes(range(given.seed, given.seed + given.nodes), given.operators), lines)
    for one in report.strange:
        print(f"{one.kind:8} {one.says}")
    for line in lines:
        print(f"{report.met[line]:6} explained: {line.kind} {' '.join(sorted(line.operators))}: {line.why}")
    told = ", ".join(f"{count} {kind}" for kind, count in report.counts.most_common())
    seconds, operators = time.monotonic() - began, given.operators or FAMILIES
    print(f"{given.nodes} nodes of {len(operators)} operators in {seconds:.0f} s: {told}")
    print(f"{len(report.strange)} differences without an explanation")
    return bool(report.strange)


if __name__ == "__main__":
    sys.exit(main())
