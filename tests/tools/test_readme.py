"""The README and the pages of examples are true: every program in them is the file, every console block is run.

A line `…` in a console block stands for any lines of the output."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gradual.tools.cli import COMMANDS, entry

ROOT = Path(__file__).parents[2]
EXPLAINED = ROOT / "docs" / "explanation"
HOW_TO = sorted((ROOT / "docs" / "how-to").glob("*.md"))
EXAMPLES = ROOT / "examples" / "README.md"
PAGES = [ROOT / "README.md", EXAMPLES, EXPLAINED / "runtimes.md", EXPLAINED / "codegen.md", *HOW_TO]
FENCE = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GATE = ("make try", "make test")
"""Set-up commands, which `.ci/run` runs from a clean checkout."""

Console = Callable[[str], str]


def blocks(language: str) -> list[tuple[str, str]]:
    """The blocks of a language with what stands behind its name."""
    return [
        (info, body) for page in PAGES for found, info, body in FENCE.findall(page.read_text()) if found == language
    ]


def steps(body: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown under it."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.fixture
def console(capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Console:
    """Runs a command beside a copy of the examples; `echo $?` gives the exit code of the one before."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    code = 0

    def run(command: str) -> str:
        nonlocal code
        if command == "echo $?":
            return f"{code}\n"
        name, *arguments = shlex.split(command)
        assert name == "gradual", command
        try:
            code = entry(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        return str(capsys.readouterr().out)

    return run


@pytest.mark.parametrize("body", [body for _, body in blocks("console")])
def test_a_console_block_shows_what_its_commands_print(console: Console, body: str) -> None:
    for command, output in steps(body):
        if command in GATE:
            assert f"step {command}\n" in (ROOT / ".ci" / "run").read_text()
        else:
            assert fits(console(command), output), command


def fits(printed: str, shown: str) -> bool:
    """Whether an output is what is shown of it; a line `…` stands for any lines."""
    parts = (re.escape(part) for part in re.split(r"^…\n", shown, flags=re.MULTILINE))
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


def test_only_an_ellipsis_stands_for_other_lines() -> None:
    assert fits("a\nb\nc\n", "a\n…\nc\n") and fits("a\nc\n", "a\n…\nc\n") and fits("a\n", "a\n")
    assert not fits("a\nb\n", "a\n") and not fits("a\nb\nc\n", "a\n…\nb\n") and not fits("a.b\n", "a…b\n")


@pytest.mark.parametrize(("path", "body"), blocks("relay"))
def test_a_program_that_is_shown_is_the_file(path: str, body: str) -> None:
    assert (ROOT / path).read_text() == body


@pytest.mark.parametrize("body", [body for _, body in blocks("python")])
def test_python_that_is_shown_runs(body: str) -> None:
    exec(compile(body, "README.md", "exec"), {})


def test_every_command_is_in_the_table() -> None:
    table = set(re.findall(r"^\| `gradual (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
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
