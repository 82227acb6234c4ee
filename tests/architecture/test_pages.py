"""The pages for newcomers name what is there: floors and rooms, files, and pages that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.sources import ORDER, PACKAGE, ROOMS, ROOT

DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.glob("*.md"), *DOCS.glob("how-to/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"))
FLOOR = re.compile(r"^\| `([\w/]+)` \|([^|]*)\|", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"`((?:gradual|tests|spec|docs|grammar|examples|bench)/[\w./-]*\w)/?`")


def floors() -> dict[str, tuple[str, ...]]:
    """The table of floors: each with its rooms, in the order of the page."""
    _, _, after = (DOCS / "architecture.md").read_text("utf-8").partition("\n## The floors\n")
    table, _, _ = after.partition("\n## ")
    return {name: tuple(re.findall(r"`([\w/]+)`", rooms)) for name, rooms in FLOOR.findall(table)}


def test_the_page_names_every_floor_in_the_order_of_imports() -> None:
    named = [name for name in floors() if "/" not in name]
    assert named == [name for name in ORDER if not name.startswith("__")]


def test_the_page_names_every_room_in_the_order_of_imports() -> None:
    assert {name: rooms for name, rooms in floors().items() if rooms} == ROOMS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_links_and_names_files_that_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    missing = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    missing += [name for name in NAMED.findall(text) if not list(ROOT.glob(name))]
    assert missing == []


def test_the_page_of_the_road_names_files_of_the_package_that_exist() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:\w+/)+\w+(?:\.py)?)`", text)
    names = [name for name in named if not name.startswith(("tests/", "spec/", "docs/", "grammar/", "gradual/"))]
    missing = [name for name in names if "NAME" not in name and not (PACKAGE / name).exists()]
    assert names
    assert missing == []


def test_the_glossary_is_in_alphabetical_order() -> None:
    terms = re.findall(r"^\*\*(.+?)\*\*", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
    plain = [re.sub(r"[`*]", "", term).casefold() for term in terms]
    assert len(plain) > 40
    assert plain == sorted(plain)
