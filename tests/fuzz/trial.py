"""One input through the whole checker, and what must hold whatever the input is."""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from gradual import compiler
from gradual.compilation import Compilation
from gradual.core.print import printed as core_printed
from gradual.core.verify.function import violations
from gradual.diagnostic import Diagnostic, Severity
from gradual.dims.solver.decide import Decider
from gradual.interface.reports import json_lines
from gradual.report import render
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.printing.print import printed
from gradual.syntax.tree.ast import Def
from tests.fuzz.runs import breaches
from tests.syntax.structure import structure

SECONDS = 5
"""Processor time for one input, so that a busy machine finds nothing that an idle one does not."""

CODE = re.compile(r"E0[1-7]\d\d")


@dataclass(frozen=True)
class Failure:
    """What went wrong; failures with one signature have one cause."""

    signature: str
    message: str


class Hang(BaseException):
    """The input took more than SECONDS; not an Exception, so that nothing on the way holds it up."""


def trial(text: str, seconds: float = SECONDS) -> Failure | None:
    """What is wrong with the checker's answer to a text, or with what an accepted program does."""
    try:
        with alarm(seconds):
            compilation = compiler.compile_source(Source("fuzz.relay", text))
            found = next(_flaws(compilation), None)
    except Hang as hang:
        return Failure(f"hang in {innermost(hang)}", f"more than {seconds} s")
    except Exception as error:
        return Failure(f"{type(error).__name__} at {innermost(error)}", f"{error}"[:300])
    return found or (_run(compilation, seconds / 2) if compilation.ok else None)


def _run(compilation: Compilation, seconds: float) -> Failure | None:
    """What is wrong with the runs; one that takes too much time or memory is the program's own affair."""
    try:
        with alarm(seconds):
            breach = next(breaches(compilation, compilation.source.text), None)
    except (Hang, MemoryError):
        return None
    except Exception as error:
        return Failure(f"run: {type(error).__name__} at {innermost(error)}", f"{error}"[:300])
    return Failure("run: a value of another type", breach) if breach else None


def _flaws(compilation: Compilation) -> Iterator[Failure]:
    text = compilation.source.text
    for found in compilation.diagnostics:
        yield from _of_diagnostic(found, compilation.source)
    for check in compilation.checks:
        if not _lies_inside(check.span, text):
            yield Failure(f"span of a check by {check.blame.rule}", f"{check.span} of {len(text)} characters")
        compilation.question(check.id)
    list(json_lines.compiled(compilation, annotate=True))
    if not any(found.code.startswith("E01") for found in compilation.diagnostics):
        yield from _of_printing(text)
    if compilation.ok:
        lost = {
            each.name.name for each in compilation.surface.definitions if isinstance(each, Def)
        } - compilation.types.keys()
        if lost:
            yield Failure("a function is lost without a word", ", ".join(sorted(lost)))
        core_printed(compilation.core, compilation.source)
        for violation in violations(compilation.core, Decider()):
            yield Failure(f"core: {_shape(violation.message)}", violation.message)


def _shape(message: str) -> str:
    """A message without its names and numbers."""
    return re.sub(r"[%@]?\b[\w.]*\d\w*|[%@][\w.]+", "_", message)[:40]


def _of_diagnostic(found: Diagnostic, source: Source) -> Iterator[Failure]:
    place = f"{found.code} {found.rule}"
    if not CODE.fullmatch(found.code) or not found.rule or not found.message:
        yield Failure(f"form of {place}", found.message)
    if "\n" in found.message:
        yield Failure(f"lines of {place}", found.message)
    edits = (edit.span for help_ in found.help for edit in help_.edits)
    for span in (found.span, *(related.span for related in found.related), *edits):
        if not _lies_inside(span, source.text):
            yield Failure(f"span of {place}", f"{span} of {len(source.text)} characters: {found.message}")
    if found.severity is Severity.ERROR and found.span == Span(0, 0) and source.text.strip():
        yield Failure(f"no place for {place}", found.message)
    render.full(found, render.within(source))
    render.concise(found, render.within(source))


def _of_printing(text: str) -> Iterator[Failure]:
    module, _ = parse(Source("fuzz.relay", text))
    again = printed(module)
    other, problems = parse(Source("printed.relay", again))
    if problems:
        yield Failure("what is printed does not parse", f"{problems[0].message} in {again[:200]!r}")
    elif structure(other) != structure(module):
        yield Failure("what is printed parses as something else", repr(again[:300]))


def _lies_inside(span: Span, text: str) -> bool:
    return 0 <= span.start <= span.end <= len(text)


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise Hang in the body when it has taken so much processor time."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, ring)
    # It rings again and again: an exception that is raised inside a callback of the interpreter is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def innermost(error: BaseException) -> str:
    """The last place in the project where an exception passed: for a recursion or a hang, without its line."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/gradual/" in frame.filename]
    if not frames:
        return "nowhere in gradual/"
    frame = frames[-1]
    file = frame.filename[frame.filename.rindex("/gradual/") + 1 :]
    return file if isinstance(error, RecursionError | Hang) else f"{file}:{frame.lineno}"
