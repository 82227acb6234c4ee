"""The README and the pages of examples are true: every program in them is the file, every console block is run.

A line `…` in a console block stands for any lines of the output."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gradual.tools.cli import COMMANDS, entry
from tests.material import EXPORTS

ROOT = Path(__file__).parents[2]
EXPLAINED = ROOT / "docs" / "explanation"
HOW_TO = sorted((ROOT / "docs" / "how-to").glob("*.md"))
EXAMPLES = ROOT / "examples" / "README.md"
FINDINGS = EXPLAINED / "findings.md"
PAGES = [
    ROOT / "README.md",
    EXAMPLES,
    *(EXPLAINED / f"{name}.md" for name in ("runtimes", "codegen", "roads")),
    *HOW_TO,
]
PAGES.append(FINDINGS)
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
    """Runs a command beside the examples and the corpus of exports; `echo $?` gives the exit code of the one before."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / EXPORTS.name).symlink_to(EXPORTS)
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
    if f"{EXPORTS.name}/" in body and not EXPORTS.is_dir():
        pytest.skip(f"no {EXPORTS.name} under GRADUAL_SHARED")
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


@pytest.mark.parametrize(("path", "body"), [*blocks("relay"), *(one for one in blocks("python") if one[0])])
def test_a_program_that_is_shown_is_the_file(path: str, body: str) -> None:
    assert (ROOT / path).read_text() == body


@pytest.mark.parametrize("body", [body for _, body in blocks("python")])
def test_python_that_is_shown_runs(body: str) -> None:
    for name in ("torch", "tensorflow"):
        if f"import {name}" in body:
            pytest.importorskip(name)
    exec(compile(body, "README.md", "exec"), {})


@pytest.mark.parametrize(("command", "body"), blocks("json"))
def test_a_row_that_is_shown_is_printed(console: Console, command: str, body: str) -> None:
    assert json.loads(body) in map(json.loads, console(command).splitlines())


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
