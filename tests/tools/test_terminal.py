"""A session on a terminal: in `tmux`, what is typed and shown is the transcript of a pipe."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradual.tools.session.repl import PROMPT
from tests.tools.conftest import Gradual

TMUX = shutil.which("tmux")
PATIENCE = 60.0
"""How many seconds a machine that is busy may take for one input."""

pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed")


class Terminal:
    """A window of `tmux` in which a command runs."""

    def __init__(self, socket: Path, command: str, **environment: str) -> None:
        self.socket = socket
        given = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        self.tmux("new-session", "-d", "-x", "200", "-y", "100", *given, command)

    def tmux(self, *arguments: str) -> str:
        assert TMUX is not None
        command = [TMUX, "-S", str(self.socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def screen(self) -> str:
        return "\n".join(line.rstrip() for line in self.tmux("capture-pane", "-p").splitlines()).strip()

    def shows(self, wanted: Callable[[str], bool]) -> str:
        """The screen as soon as it is as wanted."""
        end = time.monotonic() + PATIENCE
        while not wanted(screen := self.screen()):
            assert time.monotonic() < end, screen
            time.sleep(0.1)
        return screen

    def prompts(self, count: int) -> str:
        """The screen as soon as it has so many prompts, the last one empty."""
        prompt = PROMPT.strip()
        return self.shows(lambda screen: screen.count(prompt) == count and screen.endswith(prompt))


@pytest.fixture
def repl(tmp_path: Path) -> Iterator[Terminal]:
    """A session on a terminal, whose editor writes `8` for each `7`."""
    command = f"{sys.executable} -m gradual --color never repl; echo ended with $?; cat"
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i s/7/8/ $1\n")
    editor.chmod(0o755)
    environment = {"XDG_STATE_HOME": str(tmp_path), "EDITOR": str(editor), "VISUAL": str(editor)}
    path = str(Path(__file__).parents[2])
    terminal = Terminal(tmp_path / "tmux", command, PYTHONPATH=path, **environment)
    yield terminal
    terminal.tmux("kill-server")


def test_a_terminal_shows_what_a_pipe_shows(repl: Terminal, gradual: Gradual) -> None:
    inputs = (
        "def @f(%x: Tensor[(n,), float32]) { reshape(%x, newshape=[7, -1]) }",
        "@f(float32[14])",
        ":list",
    )
    repl.prompts(1)
    for count, line in enumerate(inputs, 2):
        repl.type(line)
        repl.prompts(count)
    piped = gradual("repl", stdin="".join(f"{line}\n" for line in inputs))
    assert repl.screen() == f"{piped.out}{PROMPT}".strip()
    repl.type(":edit @f")
    edited = repl.prompts(len(inputs) + 2).partition(":edit @f\n")[2]
    assert edited.startswith("def @f(%x: Tensor[(n,), float32]) { reshape(%x, newshape=[8, -1]) }\nerror[E0302]")
    repl.type("exit")
    assert repl.shows(lambda screen: "ended with" in screen).endswith("gradual> exit\nended with 0")
