"""An implementation in another process, queried over the line protocol."""

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
import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import IO, TypeVar

from gradual.conformance.cases.answer import Crashed, Garbled, NoAnswer, Outcome, Report, TimedOut
from gradual.conformance.cases.case import Request
from gradual.conformance.implementations import protocol
from gradual.conformance.implementations.given import given
from gradual.conformance.implementations.protocol import Greeting, Object
from gradual.interface.input.values import Call
from gradual.limits import LIMITS

Answer = TypeVar("Answer")

_LINGERS = 1.0
"""Seconds to wait for the pipes of an ended process to close; another process that it started may keep them open."""

_ATTENTIVE = 0.5
"""The polling interval, in seconds, for interrupts during a wait for a reply."""

_SHOWN = 2000
"""How many of the last characters of a process's stderr are kept and shown."""

_AHEAD = 4
"""How many unread replies are buffered; a process that writes more is blocked."""


def _words(command: str) -> list[str]:
    """Split a command into words.  Raises FileNotFoundError for an unknown program, ValueError for no words."""
    words = shlex.split(command)
    if not words:
        raise ValueError("the command is empty")
    if shutil.which(words[0]) is None:
        raise FileNotFoundError(f"there is no program `{words[0]}`")
    return words


class Adapter:
    """A command that replies to requests on its stdin; it is restarted if it died, hung or broke the protocol.

    Arguments of calls are made here, so that no implementation generates random elements.

    Attributes:
        seconds: how long a reply may take.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.command = _words(command)
        self.seconds = seconds
        self._process: _Process | None = None
        self._aborted = Event()
        self._seq = 0

    def __enter__(self) -> Adapter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self._process is not None and error is None:
                with contextlib.suppress(NoAnswer):
                    self._asked(self._process, protocol.bye(), lambda reply: None)
                    self._process.leave(self.seconds)
        finally:
            self._end()

    def greet(self) -> Greeting:
        """Start the command and ask for its name and profiles.  Raises OSError if it cannot be run, and NoAnswer."""
        self._process = _Process(self.command)
        if self._aborted.is_set():  # after the assignment: either this thread or the one that aborts sees the other's
            raise self._given_up(self._process, Crashed("the run was stopped"))
        return self._asked(self._process, protocol.hello(), protocol.greeting)

    def check(self, request: Request) -> Report:
        """Have the request's program checked.  Raises NoAnswer."""
        return self._read(protocol.checking(request), protocol.report)

    def run(self, request: Request, call: Call) -> Outcome:
        """Have one call of the request's program run.  Raises NoAnswer."""
        passed = given(request, call)
        return self._read(protocol.running(request, call.function, passed), protocol.outcome)

    def format(self, request: Request) -> str:
        """Have the request's program formatted.  Raises NoAnswer."""
        return self._read(protocol.formatting(request), protocol.formatted)

    def _read(self, request: Object, read: Callable[[Object], Answer]) -> Answer:
        """The reply, parsed by `read`; the process is started first if there is none.  Raises NoAnswer."""
        if self._process is None:
            self.greet()
        assert self._process is not None
        return self._asked(self._process, request, read)

    def _asked(self, process: _Process, request: Object, read: Callable[[Object], Answer]) -> Answer:
        """The reply, parsed by `read`; a process without a valid reply is killed.  Raises NoAnswer."""
        self._seq += 1
        process.send(json.dumps({"seq": self._seq} | request))
        try:
            line = process.reply(self.seconds)
        except NoAnswer as why:
            raise self._given_up(process, why) from None
        try:
            return read(protocol.replied(line, self._seq))
        except Garbled as why:
            raise self._given_up(process, why) from None

    def _given_up(self, process: _Process, why: NoAnswer) -> NoAnswer:
        """Kill the process, and add the end of its stderr to the reason for no answer."""
        self._end()
        return type(why)(f"{why}{process.said.last_words()}")

    def abort(self) -> None:
        """Kill the process and start no other one; called from another thread than the one that waits for a reply."""
        self._aborted.set()
        if (process := self._process) is not None:
            process.end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


class _Process:
    """A running command; threads write and read its lines, so that a hanging command does not block the runner."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self.requests: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.replies: queue.Queue[bytes] = queue.Queue(_AHEAD)
        self.ended = Event()
        assert self.process.stdin is not None and self.process.stdout is not None and self.process.stderr is not None
        self.said = _Said(self.process.stderr)
        self.writer = Thread(target=self._write, args=(self.process.stdin,), daemon=True)
        self.reader = Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.writer.start()
        self.reader.start()

    def send(self, line: str) -> None:
        """Queue a line to be written."""
        self.requests.put(line)

    def reply(self, seconds: float) -> bytes:
        """The next line.  Raises Crashed or TimedOut."""
        line = self._next(seconds)
        if line is None and self.process.poll() is None and not self.ended.is_set():
            raise TimedOut(f"no reply within {seconds:g} s")
        if line is not None and len(line) > LIMITS.message:
            raise Garbled(f"the reply is longer than the limit `message`, {LIMITS.message} bytes")
        if line:
            return line
        try:
            raise Crashed(f"the process ended with exit code {self.process.wait(_LINGERS)}")
        except subprocess.TimeoutExpired:
            raise Crashed("the process closed its output") from None

    def _next(self, seconds: float) -> bytes | None:
        """The next line, None on timeout or after `end`; an interrupt just before a wait is handled only after it."""
        end = time.monotonic() + seconds
        while not self.ended.is_set() and (left := end - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                return self.replies.get(timeout=min(left, _ATTENTIVE))
        return None

    def leave(self, seconds: float) -> None:
        """Close the requests, and wait for the process to exit, with a timeout."""
        self.requests.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def end(self) -> None:
        """Kill the process and all processes that it started."""
        self.requests.put(None)
        self.ended.set()
        _killed(self.process)
        self.said.close()
        for thread, file in ((self.writer, self.process.stdin), (self.reader, self.process.stdout)):
            thread.join(_LINGERS)
            if file is not None and not thread.is_alive():
                with contextlib.suppress(BrokenPipeError):
                    file.close()

    def _write(self, stdin: IO[bytes]) -> None:
        with contextlib.suppress(OSError):  # a process that has ended is noticed by the reader
            while (line := self.requests.get()) is not None:
                stdin.write(line.encode() + b"\n")
                stdin.flush()
            stdin.close()

    def _read(self, stdout: IO[bytes]) -> None:
        while line := stdout.readline(LIMITS.message + 1):
            self._hand(line)
        self._hand(b"")

    def _hand(self, line: bytes) -> None:
        while not self.ended.is_set():
            with contextlib.suppress(queue.Full):
                return self.replies.put(line, timeout=_ATTENTIVE)


def _killed(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and everything in its session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class _Said:
    """A reader of a process's stderr that keeps only the end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._end = b""
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the stream was closed
            while piece := self._stream.read1(_PIECE):  # type: ignore[attr-defined]  # pipes have it
                self._end = (self._end + piece)[-4 * _SHOWN :]

    def close(self) -> None:
        """Read the rest, with a timeout."""
        self._listener.join(_LINGERS)
        if not self._listener.is_alive():
            self._stream.close()

    def last_words(self) -> str:
        """The end of stderr, after a line feed."""
        words = self._end.decode("utf-8", errors="replace")[-_SHOWN:].strip()
        return f"\n{words}" if words else ""


_PIECE = 1 << 16


class OneShot:
    """A command that is run for each program, with the program's file as its last argument: exit 0 accepts, 1 rejects.

    Its only profile is the verdict.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.command = _words(command)
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._aborted = Event()

    def abort(self) -> None:
        """Kill the process and start no other one; called from another thread than the one that waits for its end."""
        self._aborted.set()
        if (process := self._process) is not None:
            _killed(process)

    def check(self, request: Request) -> Report:
        """Have the request's program checked.  Raises NoAnswer."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/program.relay"
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(request.text)
            code, words = self._exit_code(path)
            if code not in (0, 1):
                raise Crashed(f"exit code {code}, neither 0 nor 1{words}")
        return Report(accepted=code == 0)

    def _exit_code(self, path: str) -> tuple[int, str]:
        """The exit code for a file, and the end of stderr."""
        nothing = subprocess.DEVNULL
        if self._aborted.is_set():
            raise Crashed("the run was stopped")
        try:
            process = self._process = subprocess.Popen(
                [*self.command, path], stdin=nothing, stdout=nothing, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise Crashed(f"the command cannot be run: {error}") from error
        assert process.stderr is not None
        said = _Said(process.stderr)
        try:
            if self._aborted.is_set():  # since it was started
                _killed(process)
            code = process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            raise TimedOut(f"no answer within {self.seconds:g} s") from None
        finally:
            _killed(process)
            said.close()
        return code, said.last_words()

    def run(self, request: Request, call: Call) -> Outcome:
        """Unreachable, since the profile RUN is not among its profiles."""
        raise AssertionError(call)

    def format(self, request: Request) -> str:
        """Unreachable, since the profile FMT is not among its profiles."""
        raise AssertionError(request)
