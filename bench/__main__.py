"""`python -m bench`: what checking and running cost, how both grow, and how long the command line takes to start."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import editor, growing, passing, running, startup
from bench.growth import HEAD, UNDER, Row, growth, line, measured
from bench.page import filled
from bench.texts import Family, families

SECTIONS = ("checking", "growing", "editor", "passes", "running", "start-up")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, and put them into a page if one is named."""
    asked = _asked(arguments)
    for name, lines in _sections(asked):
        print(f"\n{name}" if name in SECTIONS else name)
        told = []
        for text in lines:
            print(text, flush=True)
            told.append(text)
        if asked.page is not None:
            asked.page.write_text(filled(asked.page.read_text(), name, told))


def _sections(asked: argparse.Namespace) -> Iterator[tuple[str, Iterator[str]]]:
    """Each table with its name."""
    yield "python", iter([f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}"])
    chosen = [family for family in families() if asked.only in (None, "checking") or asked.only in family.name]
    if chosen:
        yield "checking", _checking(chosen, asked)
    if asked.only in (None, "growing"):
        yield "growing", growing.report(asked.quick, asked.timeout)
    if asked.only in (None, "editor"):
        yield "editor", editor.report(asked.quick, asked.timeout)
    if asked.only in (None, "passes"):
        yield "passes", passing.report(asked.quick)
    if asked.only in (None, "running"):
        yield "running", running.report(asked.quick)
    if asked.only in (None, "startup"):
        yield "start-up", startup.report(3 if asked.quick else 9)


def _checking(chosen: Sequence[Family], asked: argparse.Namespace) -> Iterator[str]:
    yield from (HEAD, UNDER)
    for family in chosen:
        yield from _table(family, asked.sizes or (family.quick if asked.quick else family.sizes), asked.timeout)


def _table(family: Family, sizes: Sequence[int], timeout: float) -> Iterator[str]:
    rows: list[Row] = []
    for found in measured(family, sizes, timeout):
        if isinstance(found, Row):
            rows.append(found)
            yield line(found, rows[0])
        else:
            yield found
    if len(rows) > 1:
        yield growth(rows)


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--sizes", type=lambda text: tuple(map(int, text.split(","))), help="for example 1000,5000")
    parser.add_argument(
        "--only",
        metavar="NAME",
        help="`checking`, families whose name contains NAME, `growing`, `editor`, `passes`, `running` or `startup`",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for one program (default 300)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put each table into a Markdown file where it stands")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
