"""`python -m bench`: what checking costs, how it grows, and how long the command line takes to start."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence

from bench.growth import HEAD, UNDER, Row, growth, line, measured
from bench.startup import report
from bench.texts import Family, families


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    asked = _asked(arguments)
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}\n")
    print(f"{HEAD}\n{UNDER}")
    for family in families():
        if asked.only is None or asked.only in family.name:
            _table(family, asked.sizes or (family.quick if asked.quick else family.sizes), asked.timeout)
    if asked.only is None or asked.only == "startup":
        print("\nstart-up, medians")
        for text in report(3 if asked.quick else 9):
            print(text)


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
    parser.add_argument("--only", metavar="NAME", help="families whose name contains NAME, or `startup`")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for one program (default 300)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
