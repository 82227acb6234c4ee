"""Each divergence from Relay 0.12 is shown by a case, or by a test where a case cannot show it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from gradual.conformance.cases.read import load
from gradual.resources import folder

ROOT = Path(__file__).parents[1]
ROWS = [
    line
    for line in (ROOT / "spec" / "13-divergences.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| Relay 0.12")
]
SHOWN = re.compile(r"`([^`]+)`|(tests/\S+\.py)")


def shown(row: str) -> list[str]:
    """What the last cell of a row names."""
    return [case or test for case, test in SHOWN.findall(row.split("|")[-2])]


@cache
def cases() -> frozenset[str]:
    """The ids of all cases; variants by the id that they share."""
    return frozenset(case.id.partition("#")[0] for case in load(folder("spec")).cases)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_names_what_shows_it(row: str) -> None:
    named = shown(row)
    assert named, "nothing shows it"
    assert [name for name in named if name not in cases() and not (ROOT / name).is_file()] == []


def test_every_program_that_relay_runs_wrongly_has_a_row() -> None:
    numbers = {int(number) for row in ROWS for number in re.findall(r"\bU(\d+)", row)}
    assert numbers == set(range(1, 15))


def test_each_case_of_the_suite_is_named_in_a_row() -> None:
    named = {name for row in ROWS for name in shown(row)}
    assert {id for id in cases() if id.startswith("divergence/")} <= named
