"""`python -m bench`: what checking costs, how it grows, and how long the command line takes to start."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterable, Sequence

from bench import running, startup
from bench.growth import HEAD, UNDER, Row, growth, line, measured
from bench.texts import Family, families


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    asked = _asked(arguments)
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}\n")
    chosen = [family for family in families() if asked.only is None or asked.only in family.name]
    if chosen:
        print(f"{HEAD}\n{UNDER}")
    for family in chosen:
        _table(family, asked.sizes or (family.quick if asked.quick else family.sizes), asked.timeout)
    if asked.only in (None, "running"):
        _lines("running, best of three", running.report())
    if asked.only in (None, "startup"):
        _lines("start-up, medians", startup.report(3 if asked.quick else 9))


def _lines(title: str, lines: Iterable[str]) -> None:
    print(f"\n{title}")
    for text in lines:
        print(text, flush=True)


def _table(family: Family, sizes: Sequence[int], timeout: float) -> None:
    rows: list[Row] = []
    for found in measured(family, sizes, timeout):
        if isinstance(found, Row):
            rows.append(found)
            print(line(found, rows[0]), flush=True)
        else:
            print(found, flush=True)
    if len(rows) > 1:
        print(growth(rows), flush=True)


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--sizes", type=lambda text: tuple(map(int, text.split(","))), help="for example 1000,5000")
    parser.add_argument("--only", metavar="NAME", help="families whose name contains NAME, `running` or `startup`")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for one program (default 300)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
