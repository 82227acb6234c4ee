"""The index of notation: each entry names rules that have a heading, or chapters, whose text has the entry's words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pytest

from gradual.resources import folder

CHAPTERS = {path.name[:2]: path.read_text() for path in sorted(folder("spec").glob("[0-9][0-9]-*.md"))}
"""Number -> text; of chapters in two files, the last one."""
HEADING = re.compile(r"^#{2,4} `?([a-z]+(?:\.[a-z0-9_-]+)+)`?$", re.M)
DEFINED = re.compile(r"`([^`]+)`|chapter (\d+)")


def sections() -> dict[str, str]:
    """Rule -> its text, heading excluded."""
    found: dict[str, str] = {}
    for path in sorted(folder("spec").glob("[0-9][0-9]-*.md")):
        _, *rest = HEADING.split(path.read_text())
        found.update(zip(rest[::2], rest[1::2], strict=True))
    return found


def rows(title: str) -> Iterator[tuple[str, str]]:
    """The first and the last cell of each row of a table of chapter 1."""
    _, _, after = CHAPTERS["01"].partition(f"\n## {title}\n")
    for line in after.partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and not set(cells[0]) <= {"-"} and cells[-1] != "defined in":
            yield cells[0], cells[-1]


SECTIONS = sections()
JUDGEMENTS, TERMS = list(rows("Judgements")), list(rows("Terms"))


def places(cell: str) -> list[str]:
    """The texts that a cell of `defined in` names."""
    found = [SECTIONS[rule] if rule else CHAPTERS[f"{int(chapter):02}"] for rule, chapter in DEFINED.findall(cell)]
    assert found, cell
    return found


def test_both_indexes_have_entries() -> None:
    assert len(JUDGEMENTS) > 15
    assert len(TERMS) > 30


@pytest.mark.parametrize(("entry", "defined"), JUDGEMENTS)
def test_a_judgement_is_defined_where_the_index_says(entry: str, defined: str) -> None:
    assert places(defined)


def words(entry: str) -> list[str]:
    """The words of a term, without grammatical endings: a term may be written in the plural."""
    return [word[: max(3, len(word) - 3)].lower() for word in re.findall(r"[A-Za-z]{3,}", entry)]


@pytest.mark.parametrize(("entry", "defined"), TERMS)
def test_a_term_is_used_where_the_index_says(entry: str, defined: str) -> None:
    text = " ".join(places(defined)).lower() + defined
    for term in entry.split(", "):
        assert any(word in text for word in words(term)), f"`{term}` is not in {defined}"


@pytest.mark.parametrize("index", [JUDGEMENTS, TERMS])
def test_entries_are_unique(index: list[tuple[str, str]]) -> None:
    assert len({entry for entry, _ in index}) == len(index)


FORMAL = re.compile(r"^```text\n(.*?)^```", re.M | re.S)
LETTERS = set("0123456789′″⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉ₐᵢⱼₖₗₘₙ₋₊ᵏ…─=̄")
"""Indices, primes and lists, which are no notation of their own."""
ARITHMETIC = set("\u0338≥≤≠·∏√∞∅∈ℤ∘∪↦⟹⟺→−¬")
"""Usual mathematics."""


def symbols() -> list[str]:
    """The characters beyond ASCII in the formal parts of chapters 4 to 6 and 8 to 11, usual mathematics apart."""
    parts = [part for number, text in CHAPTERS.items() if number not in ("07", "03") for part in FORMAL.findall(text)]
    return sorted(
        {c for part in parts for c in unicodedata.normalize("NFD", part) if ord(c) > 127} - LETTERS - ARITHMETIC
    )


def test_each_symbol_in_a_formal_part_is_explained_in_the_first_chapter() -> None:
    assert not [symbol for symbol in symbols() if symbol not in CHAPTERS["01"]]
