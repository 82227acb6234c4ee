"""A page of the documentation as its reader uses it: its blocks, from the first to the last, in one empty folder.

| block | what happens |
|---|---|
| `console` | its commands are run, and print what is shown; a line `…` stands for any lines |
| `relay`, `python`, `toml`, … with `title="name"` | the reader saves it as this file |
| the same with a title that has a folder | it is this file of the repository |
| `diff` with a title | its lines with `-` are replaced by those with `+` in the file |
| `relay` without a title | it is checked, and has no error |
| `python` without a title | it is run |
| `json` with a command as its title | it is one of the lines that the command prints |
| `sh`, `text` and others | nothing: a command that installs something, or no program |
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

import gradual
from gradual.tools.cli import entry
from tests.material import EXPORTS, ROOT

FENCE = re.compile(r"^( *)(`{3,})(\w+)[ ]?([^\n]*)\n(.*?)^\1\2$", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r'title="(.*)"')
GATE = ("make try", "make test")
"""Commands of a checkout, which `.ci/run` runs."""

KEPT = Path(__file__).parent / "exports"
"""What PyTorch wrote when it ran the scripts of the pages, for machines without it: `skip.1.pt2` in the first run."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    title: str
    body: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def missing(self) -> str:
        """What this block needs and this machine does not have, or nothing."""
        if f"{EXPORTS.name}/" in self.body and not EXPORTS.is_dir():
            return f"no {EXPORTS.name} under GRADUAL_SHARED"
        if self.language != "python" or self.title:
            return ""
        wanted = re.findall(r"^(?:import|from) (torch|tensorflow)\b", self.body, re.MULTILINE)
        return next((f"{name} is not installed" for name in wanted if not importlib.util.find_spec(name)), "")


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = page.read_text("utf-8")
    return [
        Block(
            page,
            text.count("\n", 0, found.start()) + 1,
            found[3],
            title[1] if (title := TITLE.fullmatch(found[4])) else found[4],
            textwrap.dedent(found[5]),
        )
        for found in FENCE.finditer(text)
    ]


def steps(body: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown under it."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def fits(printed: str, shown: str) -> bool:
    """Whether an output is what is shown of it; a line `…` stands for any lines."""
    parts = (re.escape(part) for part in re.split(r"^…\n", shown, flags=re.MULTILINE))
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


@dataclass
class Reader:
    """Somebody who follows a page in a folder, which has the examples and the corpus of exports in it."""

    folder: Path
    code: int = 0
    runs: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "examples").symlink_to(ROOT / "examples")
        (self.folder / EXPORTS.name).symlink_to(EXPORTS)

    def follow(self, block: Block) -> None:
        """Do what a block of the page says; an assertion fails where the page is wrong."""
        match block:
            case Block(language="console"):
                for command, output in steps(block.body):
                    printed = self.run(command)
                    assert fits(printed, output), f"{block.place}: $ {command}\n{printed}"
            case Block(language="json", title=command) if command:
                rows = [json.loads(line) for line in self.run(command).splitlines()]
                assert json.loads(block.body) in rows, block.place
            case Block(language="diff", title=name) if name:
                self.write(name, changed((self.folder / name).read_text("utf-8"), block))
            case Block(title=name) if "/" in name:
                assert (ROOT / name).read_text("utf-8") == block.body, f"{block.place}: not {name}"
            case Block(title=name) if name:
                self.write(name, block.body)
            case Block(language="relay"):
                report = gradual.check(block.body, block.place)
                assert report.ok, str(report)
            case Block(language="python"):
                with chdir(self.folder), redirect_stdout(StringIO()):
                    exec(compile(block.body, block.place, "exec"), {})

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def run(self, line: str) -> str:
        """What a terminal shows for a command of the page, output and errors as they come; keep its exit code."""
        command, _, target = line.partition(" > ")
        shown = StringIO()
        with chdir(self.folder), redirect_stderr(shown), redirect_stdout(StringIO() if target else shown) as out:
            self._do(*shlex.split(command))
        if target:
            self.write(target, out.getvalue())
        return shown.getvalue()

    def _do(self, name: str, *arguments: str) -> None:
        match name, arguments:
            case "echo", ("$?",):
                print(self.code)
            case "cat", (file,):
                print(Path(file).read_text("utf-8"), end="")
            case "gradual", _:
                self._gradual(*arguments)
            case "python", (script, *rest):
                self._python(script, *rest)
            case _:
                assert f"{name} {' '.join(arguments)}" in GATE, f"the tests cannot run `{name}`"
                assert f"step {name} {arguments[0]}\n" in (ROOT / ".ci" / "run").read_text("utf-8")

    def _gradual(self, *arguments: str) -> None:
        try:
            self.code = entry(arguments)
        except SystemExit as end:
            self.code = int(end.code or 0)

    def _python(self, script: str, *arguments: str) -> None:
        """Run a script; one that needs PyTorch, where that is missing, leaves what PyTorch wrote."""
        number = self.runs[script] = self.runs.get(script, 0) + 1
        if missing(Path(script), "torch"):
            stand_in(Path(script), number)
            return
        command = [sys.executable, script, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.code = done.returncode
        print(done.stdout + done.stderr, end="")


def stand_in(script: Path, number: int) -> None:
    """Put beside a script what PyTorch wrote when it ran it; the lines that PyTorch recorded are those of the page."""
    export = script.with_suffix(".pt2")
    kept = KEPT / f"{script.stem}.{number}.pt2"
    with ZipFile(kept) as archive:
        model = archive.read(f"{script.stem}/models/model.json").decode("utf-8")
    lines = script.read_text("utf-8").splitlines()
    recorded = re.findall(rf'File \\"{script}\\", line (\d+), in \w+\\n +(.*?)(?:\\n|")', model)
    assert recorded and all(lines[int(line) - 1].strip() == text for line, text in recorded), recorded
    export.write_bytes(kept.read_bytes())


def missing(script: Path, library: str) -> bool:
    """Whether a script needs a library that is not installed."""
    return f"import {library}" in script.read_text("utf-8") and not importlib.util.find_spec(library)


def changed(text: str, block: Block) -> str:
    """A file after a diff of the page: the old lines, which occur once in it, are replaced by the new ones."""
    old, new = (
        "".join(line[1:] for line in block.body.splitlines(keepends=True) if line[0] in kept) for kept in ("- ", "+ ")
    )
    assert text.count(old) == 1, f"{block.place}: the file does not have these lines once:\n{old}"
    return text.replace(old, new)
