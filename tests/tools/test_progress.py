"""How far a command has come is shown on a terminal, and neither in a pipe nor to who wants it quiet."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradual.interface import progress as shown
from gradual.interface.progress import DISPLAY, Display, progress
from gradual.interface.terminal import Output
from gradual.report.paint import plain
from gradual.tools.checking.watching import CLEARED, watching
from tests.tools.conftest import Done, Gradual

Write = Callable[[str, str], str]
PROGRAM = "def @f(%x: Tensor[(n,), float32]) { %x }\n"


@pytest.fixture
def on_terminal(gradual: Gradual, monkeypatch: pytest.MonkeyPatch) -> Gradual:
    """Runs a command whose standard error is a terminal, as if it took long."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(Display, "_appear_in", lambda display, seconds: display._draw())

    def run(*arguments: str, stdin: str | bytes = "") -> Done:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        return gradual(*arguments, stdin=stdin)

    return run


def check(gradual: Gradual, write: Write, *options: str) -> Done:
    return gradual("check", *options, "--no-cache", write("a.relay", PROGRAM), write("b.relay", PROGRAM))


def test_a_terminal_shows_how_many_files_are_checked(on_terminal: Gradual, write: Write) -> None:
    done = check(on_terminal, write)
    assert re.search(r"checking.*2 of 2", done.err) and "checking" not in done.out
    assert done.err.rpartition("2 of 2")[2].endswith("\x1b[2K"), "the line is cleared at the end"
    assert not DISPLAY.tasks


@pytest.mark.parametrize("option", ["-q", "-qq"])
def test_a_quiet_command_shows_no_progress(on_terminal: Gradual, write: Write, option: str) -> None:
    assert check(on_terminal, write, option).err == ""


def test_a_pipe_shows_no_progress(gradual: Gradual, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Display, "_appear_in", lambda display, seconds: display._draw())
    assert check(gradual, write).err == ""


def test_a_suite_and_a_census_show_how_far_they_are(on_terminal: Gradual, write: Write) -> None:
    case = on_terminal("conformance", "run", "syntax/print/shapes")
    assert re.search(r"running cases.*1 of 1", case.err) and "1 cases: pass 1" in case.out
    assert re.search(r"checking.*1 of 1.*0 not ok", on_terminal("census", "--jobs", "1", write("a.relay", PROGRAM)).err)


def test_outside_of_commands_nothing_is_counted_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted() -> int:
        raise AssertionError("counted for nothing")

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("checking", counted) as report:
        report(1, 2)
        assert not DISPLAY.tasks


def test_what_is_written_stands_above_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []

    class Bars:
        task_ids: tuple[int, ...] = (0,)
        tasks = (type("Task", (), {"start_time": 0.0})(),)

        def __getattr__(self, name: str) -> Callable[..., None]:
            return lambda *_, **__: events.append(name)

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            events.append(text)
            return len(text)

    display = Display()
    monkeypatch.setattr(shown, "_bars", Bars)
    monkeypatch.setattr(shown, "SILENT", 0)
    monkeypatch.setattr(shown, "PAUSE", 0)
    monkeypatch.setattr("gradual.interface.terminal.DISPLAY", display)
    task = shown.Task("checking")
    display.begin(task)
    waited(events, "start")
    Output(Stream(), plain, True).line("found")
    waited(events, "start", times=2)
    display.end(task)
    assert [event for event in events if event not in ("add_task", "update")] == [
        *("start", "stop", "found\n", "start", "stop")
    ]


def waited(events: list[str], event: str, times: int = 1) -> None:
    end = time.monotonic() + 30
    while events.count(event) < times:
        assert time.monotonic() < end, events
        time.sleep(0.01)


def test_watching_clears_the_terminal_and_shows_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, looks = tmp_path / "a.relay", iter(range(2))
    path.write_text(PROGRAM)

    def look() -> None:
        out.line(f"look {next(looks)}")

    def changes(seconds: float) -> None:
        if next(pauses) == 1:
            raise KeyboardInterrupt
        path.write_text(PROGRAM * 2)

    pauses: Iterator[int] = iter(range(2))
    monkeypatch.setattr("gradual.tools.checking.watching.time.sleep", changes)
    monkeypatch.setattr("gradual.tools.checking.watching.time.strftime", lambda form: "12:34:56")
    out = Output(io.StringIO(), plain, True)
    with pytest.raises(KeyboardInterrupt):
        watching(out, [str(path)], [".relay"], look)
    status = "12:34:56 · watching 1 file · Ctrl-C ends\n"
    assert isinstance(out.stream, io.StringIO)
    assert out.stream.getvalue() == f"{CLEARED}look 0\n{status}{CLEARED}look 1\n{status}"
