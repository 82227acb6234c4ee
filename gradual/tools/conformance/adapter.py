"""An implementation in another process, asked by the protocol."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from threading import Thread
from types import TracebackType
from typing import IO, TypeVar

from gradual.tools.conformance import protocol
from gradual.tools.conformance.answer import Crashed, Garbled, NoAnswer, Outcome, Report, TimedOut
from gradual.tools.conformance.case import Request
from gradual.tools.conformance.protocol import Greeting, Object
from gradual.tools.conformance.reference import Reference
from gradual.tools.conformance.values import Call

Answer = TypeVar("Answer", Report, Outcome)

_LONGEST = 1 << 26
"""How many characters a reply may have."""

_LINGERS = 1.0
"""Seconds in which the pipes of an ended process close, unless something that it started elsewhere holds them."""

_SHOWN = 2000
"""How many of the last characters are shown of what a process said on stderr."""


def _words(command: str) -> list[str]:
    """A command in words.  Raises FileNotFoundError where there is no such program, ValueError where there are none."""
    words = shlex.split(command)
    if not words:
        raise ValueError("the command is empty")
    if shutil.which(words[0]) is None:
        raise FileNotFoundError(f"there is no program `{words[0]}`")
    return words


class Adapter:
    """A command that replies to requests on its stdin; it is begun anew after it died, hung or broke the protocol.

    Arguments of calls are made here, so that no implementation draws elements.

    Attributes:
        seconds: how long a reply may take.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.command = _words(command)
        self.seconds = seconds
        self.greeting: Greeting | None = None
        self._process: _Process | None = None
        self._reference = Reference()
        self._seq = 0

    def __enter__(self) -> Adapter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            with contextlib.suppress(NoAnswer, subprocess.TimeoutExpired):
                self._asked(self._process, protocol.bye())
                self._process.process.wait(self.seconds)
        self._end()

    def greet(self) -> Greeting:
        """Who answers.  Raises OSError where the command cannot be run, and NoAnswer."""
        self._ready()
        assert self.greeting is not None
        return self.greeting

    def check(self, request: Request) -> Report:
        """Have the request's program checked.  Raises NoAnswer."""
        return self._read(protocol.checking(request), protocol.report)

    def run(self, request: Request, call: Call) -> Outcome:
        """Have one call of the request's program run.  Raises NoAnswer."""
        given = self._reference.given(request, call)
        return self._read(protocol.running(request, call.function, given), protocol.outcome)

    def _read(self, request: Object, read: Callable[[Object], Answer]) -> Answer:
        """The reply as it is read; a process that broke the protocol is not asked again."""
        try:
            return read(self._asked(self._ready(), request))
        except Garbled:
            self._end()
            raise

    def _ready(self) -> _Process:
        """The process, begun and greeted if there is none."""
        if self._process is None:
            self._process = _Process(self.command)
            try:
                self.greeting = protocol.greeting(self._asked(self._process, protocol.hello()))
            except NoAnswer:
                self._end()
                raise
        return self._process

    def _asked(self, process: _Process, request: Object) -> Object:
        """The reply to a request; a process that gave none is not asked again.  Raises NoAnswer."""
        self._seq += 1
        process.send(json.dumps({"seq": self._seq} | request))
        try:
            line = process.reply(self.seconds)
        except NoAnswer:
            self._end()
            raise
        return protocol.replied(line, self._seq)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


class _Process:
    """A running command, its lines written and read by threads, so that it can hang at either."""

    def __init__(self, command: list[str]) -> None:
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the process
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self.requests: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.replies: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert self.process.stdin is not None and self.process.stdout is not None
        self.threads = [
            Thread(target=self._write, args=(self.process.stdin,), daemon=True),
            Thread(target=self._read, args=(self.process.stdout,), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def send(self, line: str) -> None:
        """Write a line, some time."""
        self.requests.put(line)

    def reply(self, seconds: float) -> str:
        """The next line.  Raises Crashed or TimedOut."""
        try:
            line = self.replies.get(timeout=seconds)
        except queue.Empty:
            raise TimedOut(f"no reply within {seconds:g} s") from None
        if line:
            return line
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Crashed("the process closed its output") from None
        raise Crashed(f"the process ended with exit code {code}{self._last_words()}")

    def end(self) -> None:
        """End the process, and what it started, whatever they do."""
        self.requests.put(None)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.said.close()
        for thread, file in zip(self.threads, (self.process.stdin, self.process.stdout), strict=True):
            thread.join(_LINGERS)
            if file is not None and not thread.is_alive():
                with contextlib.suppress(BrokenPipeError):
                    file.close()

    def _write(self, stdin: IO[str]) -> None:
        with contextlib.suppress(OSError):  # a process that is gone shows in what is read
            while (line := self.requests.get()) is not None:
                stdin.write(line + "\n")
                stdin.flush()

    def _read(self, stdout: IO[str]) -> None:
        while line := stdout.readline(_LONGEST):
            self.replies.put(line)
        self.replies.put("")

    def _last_words(self) -> str:
        self.said.seek(0)
        words = self.said.read().decode("utf-8", errors="replace")[-_SHOWN:].strip()
        return f"\n{words}" if words else ""


class OneShot:
    """A command that is run for each program, with the program's file as its last argument: exit 0 accepts, 1 rejects.

    It answers about nothing but the verdict.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.command = _words(command)
        self.seconds = seconds

    def check(self, request: Request) -> Report:
        """Have the request's program checked.  Raises OSError and NoAnswer."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/program.relay"
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(request.text)
            try:
                ended = subprocess.run([*self.command, path], capture_output=True, timeout=self.seconds)
            except subprocess.TimeoutExpired:
                raise TimedOut(f"no answer within {self.seconds:g} s") from None
        if ended.returncode not in (0, 1):
            words = ended.stderr.decode("utf-8", errors="replace")[-_SHOWN:].strip()
            raise Crashed(f"exit code {ended.returncode}, neither 0 nor 1\n{words}".rstrip())
        return Report(accepted=ended.returncode == 0)

    def run(self, request: Request, call: Call) -> Outcome:
        """Nothing is run."""
        raise AssertionError(call)
