"""Print which liars the suite tells from the reference: `python -m tests.conformance.liars`.

A liar is an implementation that lies in one way. `truth` is the reference, which remembers its answers, and a `Liar` on
top of it. `reports` and `outcomes` change answers; `arithmetic` changes how elements are rounded and wrapped; `kernels`
makes the result of one operator wrong, in the right shape. `weighing` finds the cases that tell each liar; `adapter` is
a liar in a process of its own.
"""

from __future__ import annotations

from gradual.conformance.cases.read import load
from gradual.ops.catalogue import gathered
from gradual.resources import folder
from tests.conformance.liars.kernels import LIES
from tests.conformance.liars.weighing import Weighed, weighed

ENOUGH = 2


def main() -> None:
    """Weigh the whole suite."""
    found = weighed(load(folder("spec")).cases, enough=ENOUGH)
    names = sorted({operator.name for operator in gathered().values()})
    for line in (*shown_general(found), *shown_kernels(found, names)):
        print(line)


def shown_general(found: Weighed) -> list[str]:
    """A line for each general liar."""
    lines = [
        f"  {name:50} {'told by ' + ', '.join(cases) if cases else 'NOT TOLD'}" for name, cases in found.general.items()
    ]
    count = sum(1 for cases in found.general.values() if cases)
    return ["liars about everything", *lines, f"{count} of {len(lines)} are told", ""]


def shown_kernels(found: Weighed, names: list[str]) -> list[str]:
    """A line for each operator, and the operators that too few cases tell."""
    lines = [f"liars about one operator, and how many cases tell them (up to {ENOUGH})"]
    for name in names:
        tallies = found.kernels.get(name, {})
        counts = "  ".join(f"{lie} {len(cases)}" for lie, cases in tallies.items()) or "never evaluated"
        lines.append(f"  {name:38} {counts}")
    for lie in LIES:
        short = found.short_of(lie, ENOUGH, names)
        lines.append(f"{lie}: {len(names) - len(short)} of {len(names)} operators are told by {ENOUGH} cases")
        lines.append("  " + (", ".join(f"{name} ({count})" for name, count in short.items()) or "all"))
    parts = [
        f"{name} {lie} ({len(cases)})"
        for name, tallies in sorted(found.kernels.items())
        for lie, cases in tallies.items()
        if lie not in LIES and len(cases) < ENOUGH
    ]
    return [*lines, f"parts of results told by fewer than {ENOUGH} cases: {', '.join(parts) or 'none'}"]


if __name__ == "__main__":
    main()
