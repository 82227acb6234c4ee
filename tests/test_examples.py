"""Each example is a case of the suite, letter for letter, so that the suite runs it; with good and with bad input."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from gradual.conformance.cases.case import Case, ExpectedValue
from gradual.conformance.cases.read import load
from gradual.resources import folder
from gradual.source import Source
from gradual.syntax.printing.format import formatted

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = sorted(EXAMPLES.glob("*.relay"))


@cache
def cases() -> dict[str, Case]:
    found = {case.id: case for case in load(folder("spec")).cases}
    return {id.removeprefix("example/"): case for id, case in found.items() if id.startswith("example/")}


def program(path: Path) -> str:
    """The text without the comment at its head."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = next(index for index, line in enumerate(lines) if not line.startswith("//"))
    assert head, "no comment says what the example shows"
    return "\n".join(lines[head:])


def test_every_example_is_a_case_and_every_case_an_example() -> None:
    assert sorted(cases()) == [path.stem for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_case_says_what_the_file_says(path: Path) -> None:
    assert cases()[path.stem].request.text.rstrip("\n") == program(path)


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.relay")), ids=lambda path: path.stem)
def test_an_example_is_in_canonical_layout(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert formatted(Source(path.name, text)) == text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_is_refused_or_runs_with_good_and_bad_input(path: Path) -> None:
    expected = cases()[path.stem].expectation
    good = [isinstance(outcome, ExpectedValue) for outcome in expected.outcomes]
    assert not expected.accepted or (any(good) and not all(good))
