"""A shell completes commands, options and files, by the line for its start-up file that the landing page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradual.tools.cli import entry
from tests.material import ROOT

LANDING = (ROOT / "docs" / "index.md").read_text("utf-8")
LINES = re.findall(r"^(.*_GRADUAL_COMPLETE=(\w+)_source gradual.*?) +# ", LANDING, re.MULTILINE)


def test_the_landing_page_has_a_line_for_each_shell() -> None:
    assert [shell for _, shell in LINES] == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_its_script(shell: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GRADUAL_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit) as end:
        entry([])
    assert end.value.code == 0
    assert "_gradual_completion" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("gradual ch", ["plain,check"]),
        ("gradual check --fo", ["plain,--format"]),
        ("gradual check --format co", ["plain,concise"]),
        ("gradual check examples/sk", ["file,examples/sk"]),
        ("gradual run examples/sk", ["file,examples/sk"]),
        ("gradual conformance r", ["plain,run"]),
    ],
)
def test_words_are_completed(words: str, completed: list[str], capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GRADUAL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    with pytest.raises(SystemExit):
        entry([])
    assert capsys.readouterr().out.split() == completed


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
def test_bash_completes_a_command_after_the_line_of_the_landing_page() -> None:
    asked = 'COMP_WORDS=(gradual annot); COMP_CWORD=1; _gradual_completion gradual; echo "${COMPREPLY[@]}"'
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--norc", "-c", f"{LINES[0][0]}; {asked}"]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True)
    assert done.stdout == "annotate\n"
