"""The pages for users are true: whoever follows one of them, block by block, sees what it shows (`pages`)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradual.tools.cli import COMMANDS
from tests.material import EXPORTS, ROOT
from tests.tools.pages import Block, Reader, blocks, fits

PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if blocks(page)]
FINDINGS = ROOT / "docs" / "explanation" / "findings.md"
LEFT_OUT = [block for page in PAGES for block in blocks(page) if block.missing]
"""Blocks that need what this machine does not have."""

Console = Callable[[str], str]


def named(found: Path | Block) -> str:
    return found.relative_to(ROOT).as_posix() if isinstance(found, Path) else found.place


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Reader:
    """A reader in an empty folder, for whom `python` is the one that runs the tests."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return Reader(tmp_path)


@pytest.fixture
def console(reader: Reader) -> Console:
    """Runs a command beside the examples and the corpus of exports; `echo $?` gives the exit code of the one before."""
    return reader.run


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_reader_of_a_page_sees_what_it_shows(reader: Reader, page: Path) -> None:
    for block in blocks(page):
        if not block.missing:
            reader.follow(block)


@pytest.mark.parametrize("block", LEFT_OUT, ids=named)
def test_no_block_of_a_page_is_left_out(block: Block) -> None:
    pytest.skip(block.missing)


@pytest.mark.parametrize(
    ("language", "title", "body"),
    [
        ("console", "", "$ echo $?\n1\n"),
        ("console", "", "$ rm file\n"),
        ("diff", "saved.relay", "-def @g\n+def @h\n"),
        ("relay", "examples/head.relay", "def @f(%x: int32) { %x }\n"),
        ("relay", "", "def @f(%x: Tensor[(2,), float32]) -> Tensor[(3,), float32] { %x }\n"),
        ("python", "", "assert 1 == 2\n"),
        ("json", "gradual ops --format json", "{}\n"),
    ],
)
def test_a_page_that_is_wrong_is_found(reader: Reader, language: str, title: str, body: str) -> None:
    reader.follow(Block(ROOT / "page.md", 1, "relay", "saved.relay", "def @f(%x: int32) { %x }\n"))
    with pytest.raises(AssertionError):
        reader.follow(Block(ROOT / "page.md", 1, language, title, body))


def test_only_an_ellipsis_stands_for_other_lines() -> None:
    assert fits("a\nb\nc\n", "a\n…\nc\n") and fits("a\nc\n", "a\n…\nc\n") and fits("a\n", "a\n")
    assert not fits("a\nb\n", "a\n") and not fits("a\nb\nc\n", "a\n…\nb\n") and not fits("a.b\n", "a…b\n")


FOUND = re.findall(r"^\| \[?`(\w+)`.*?\| (\d+) · (\d+) · (\d+) \| ([^|]*) \|", FINDINGS.read_text(), re.MULTILINE)
"""The rows of the table of findings: a model, what is proved, residual and refuted of it, and its guards."""


def test_the_findings_are_about_every_model() -> None:
    if not EXPORTS.is_dir():
        pytest.skip(f"no {EXPORTS.name} under GRADUAL_SHARED")
    assert [name for name, *_ in FOUND] == sorted(path.stem for path in EXPORTS.glob("*.pt2"))


@pytest.mark.parametrize(("name", "proved", "residual", "refuted", "guards"), FOUND)
def test_a_finding_is_what_is_reported(
    console: Console, name: str, proved: str, residual: str, refuted: str, guards: str
) -> None:
    if not EXPORTS.is_dir():
        pytest.skip(f"no {EXPORTS.name} under GRADUAL_SHARED")
    model = f"{EXPORTS.name}/{name}.pt2"
    last = console(f"gradual check --format concise {model}").splitlines()[-1]
    assert last.partition(" · errors")[0] == f"proved {proved} · residual {residual} · refuted {refuted}"
    assert console(f"gradual guards {model}").splitlines()[-1].partition(": ")[2] == guards


def test_every_command_is_in_the_table() -> None:
    table = set(re.findall(r"^\| `gradual ([\w-]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert table == set(COMMANDS)


def test_every_example_is_listed() -> None:
    listed = set(re.findall(r"`(\w+\.relay)`", (ROOT / "examples" / "README.md").read_text()))
    assert listed == {path.name for path in (ROOT / "examples").glob("*.relay")}


REFUTED = ("growing_state_refused.relay", "skip.relay")
"""The examples that are there to be rejected."""


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.relay")), ids=lambda path: path.name)
def test_an_example_is_accepted_unless_it_shows_an_error(console: Console, path: Path) -> None:
    console(f"gradual check -qq examples/{path.name}")
    assert console("echo $?") == ("1\n" if path.name in REFUTED else "0\n")


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"^- \[(.*)\]\((.*)\)$", (folder / "README.md").read_text(), re.MULTILINE)
    pages = sorted(folder.glob("0*.md"))
    assert listed == [(path.read_text().partition("\n")[0].removeprefix("# "), path.name) for path in pages]
