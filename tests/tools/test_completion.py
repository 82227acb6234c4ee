"""Completion in the shell is what the page on installation says: its lines, in each shell that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gradual.tools.cli import entry
from tests.material import ROOT
from tests.tools.pages import blocks

PAGE = ROOT / "docs" / "install.md"
LINES = {found[1]: block.body for block in blocks(PAGE) if (found := re.search(r"=(\w+)_source ", block.body))}
"""The line of the page for each shell."""

LOADED = {
    "bash": "complete -p gradual",
    "zsh": "echo $_comps[gradual]",
    "fish": "complete --do-complete 'gradual che'",
}
BEFORE = {"zsh": "autoload -Uz compinit && compinit -D\n"}


def completed(monkeypatch: pytest.MonkeyPatch, capsys: Any, *words: str) -> list[str]:
    """The completions that a shell gets for the last of these words."""
    monkeypatch.setenv("_GRADUAL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    with pytest.raises(SystemExit):
        entry([])
    return str(capsys.readouterr().out).split()


@pytest.mark.parametrize("shell", LOADED)
def test_the_line_of_the_page_gives_a_script(monkeypatch: pytest.MonkeyPatch, capsys: Any, shell: str) -> None:
    assert "gradual" in LINES[shell]
    monkeypatch.setenv("_GRADUAL_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit) as end:
        entry([])
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (0, "")
    assert "_gradual_completion" in out and f"_GRADUAL_COMPLETE={shell}_complete" in out


@pytest.mark.parametrize("shell", LOADED)
def test_a_shell_that_runs_the_line_completes_the_command(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, "-c", f"{BEFORE.get(shell, '')}{LINES[shell]}{LOADED[shell]}"],
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("check" if shell == "fish" else ("complete", "_gradual_completion"))


def test_commands_options_values_and_files_are_completed(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert completed(monkeypatch, capsys, "gradual", "che") == ["plain,check"]
    assert completed(monkeypatch, capsys, "gradual", "check", "--form") == ["plain,--format"]
    assert completed(monkeypatch, capsys, "gradual", "check", "--format", "j") == ["plain,json", "plain,junit"]
    for command in ("check", "run", "pass", "alloc"):
        assert completed(monkeypatch, capsys, "gradual", command, "net.re") == ["file,net.re"]


def test_the_page_names_extras_that_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    table = re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert table and set(table) <= set(extras)
