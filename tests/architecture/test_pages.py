"""What newcomers read names what is there: each folder's docstring, floors and rooms, files and pages that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.sources import ORDER, PACKAGE, ROOMS, ROOT, Module, modules

DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"))
FLOOR = re.compile(r"^\| `([\w/]+)` \|([^|]*)\|", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#:\s]*\.md|)#([^)\s]+)\)")
NAMED = re.compile(r"`((?:gradual|tests|spec|docs|grammar|examples|bench)/[\w./-]*\w)/?`")


CODE = re.compile(r"^( *)(`{3,}).*?^\1\2$|`(?:[^`\n]|\n(?!\n))+`", re.DOTALL | re.MULTILINE)


def prose(page: Path) -> str:
    """A page without its code, in which `](` is no link."""
    return CODE.sub("", page.read_text("utf-8"))


def named(page: Path) -> str:
    """A page by its path."""
    return page.relative_to(ROOT).as_posix()


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


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_links_to_headings_that_exist(page: Path) -> None:
    links = ANCHOR.findall(prose(page))
    assert [link for link in links if link[1] not in anchors((page.parent / link[0]) if link[0] else page)] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_links_and_names_files_that_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    missing = [link for link in LINK.findall(prose(page)) if not (page.parent / link).exists()]
    missing += [name for name in NAMED.findall(text) if not list(ROOT.glob(name))]
    assert missing == []


def test_no_page_and_no_docstring_counts_codes_from_one_to_another() -> None:
    """A range such as "E0101 to E0105" is out of date with the next code; a phase or a group is not."""
    ranges = re.compile(r"\bE0\d{3}\W{0,3}(?: to | through |-|–)\W{0,3}E?\d")
    texts = {path: path.read_text("utf-8") for path in (*DOCS.rglob("*.md"), *ROOT.glob("spec/**/*.md"), *PAGES)}
    texts |= {one.path: one.path.read_text("utf-8") for one in modules()}
    assert [path.as_posix() for path, text in texts.items() if ranges.search(text)] == []
    assert ranges.search("codes `E0101` to `E0105`") and ranges.search("E0101-E0105") and ranges.search("E0101–5")


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


# ------------------------------------------------------------------------------------------------------------ folders
INIT_CODE = ("gradual", "gradual/core", "gradual/dims/term", "gradual/types")
"""The folders whose `__init__.py` may have code behind its docstring; that of every other one is a docstring alone."""

FROM_ELSEWHERE = {"Blame", "Use"}
"""Names that a folder's docstring may mention though another folder defines them."""


def folders() -> Iterator[Module]:
    """The `__init__.py` of every folder below the package."""
    return (one for one in modules() if one.path.name == "__init__.py" and one.path.parent != PACKAGE)


def test_each_folder_opens_with_a_docstring_and_nothing_else() -> None:
    wrong = [one.name for one in folders() if ast.get_docstring(one.tree) is None]
    wrong += [
        one.name for one in folders() if len(one.tree.body) > 1 and Path(one.name).parent.as_posix() not in INIT_CODE
    ]
    assert wrong == []


def test_a_folder_names_types_that_exist() -> None:
    wrong = []
    for folder in folders():
        inside = [one for one in modules() if one.path.is_relative_to(folder.path.parent)]
        known = {name for one in inside for node in one.tree.body for name in defined(node)} | FROM_ELSEWHERE
        words = re.findall(r"`([A-Z]\w+)", ast.get_docstring(folder.tree) or "")
        wrong += [f"{folder.name}: nothing in this folder is called `{word}`" for word in words if word not in known]
    assert wrong == []


def defined(node: ast.stmt) -> tuple[str, ...]:
    """The names that a statement of a module defines, functions aside."""
    match node:
        case ast.ClassDef(name=name):
            return (name,)
        case ast.Assign(targets=targets):
            return tuple(map(ast.unparse, targets))
        case ast.AnnAssign(target=target):
            return (ast.unparse(target),)
        case _:
            return ()
