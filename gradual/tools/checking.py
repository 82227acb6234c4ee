"""Texts checked one by one or side by side: what is said of each, in a form that another process can send."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Thread, current_thread, main_thread

import click

from gradual.compiler import Compilation, Options, compile_source
from gradual.diagnostic import Diagnostic, Severity
from gradual.report.residual import residual
from gradual.report.summary import types_shown
from gradual.source import Source
from gradual.tools import report_json
from gradual.tools.annotate import annotated
from gradual.tools.files import Text


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options ask for."""

    format: str
    annotate: bool
    checks: bool
    deny: tuple[str, ...]
    shown: int | None
    options: Options
    complete: bool = False
    static: bool = False
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """One text and all that is said about it.

    Attributes:
        head: what stands before the diagnostics in the wanted format; nothing where the text is none.
        rungs: how many obligations each rung decided.
    """

    source: Source
    diagnostics: tuple[Diagnostic, ...]
    head: tuple[str, ...] = ()
    proved: int = 0
    residual: int = 0
    refuted: int = 0
    rungs: Mapping[str, int] = field(default_factory=dict)


def checked_all(texts: Sequence[Text], wanted: Wanted, jobs: int) -> Iterator[Checked]:
    """Every text checked, in order, by so many processes."""
    check = partial(checked_text, wanted=wanted)
    if min(jobs, len(texts)) < 2:
        yield from map(check, texts)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    done, pool = 0, ProcessPoolExecutor(min(jobs, len(texts)), get_context("spawn"), _beside)
    try:
        with _deaf():  # so are the processes that are begun here
            asked = [pool.submit(check, text) for text in texts]
        for future in asked:
            yield future.result()
            done += 1
    except BrokenProcessPool:  # a process was ended, perhaps for want of memory: one is enough
        yield from map(check, texts[done:])
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Interrupts are not heard."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _beside() -> None:
    """What a process does that checks for another: it ends with that one."""
    from multiprocessing import parent_process

    def ends() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=ends, daemon=True).start()


def checked_text(text: Text, wanted: Wanted) -> Checked:
    """One text checked; residual checks and warnings as grave as the options make them."""
    if text.flaw is not None:
        return Checked(text.source, (text.flaw,))
    compilation = compile_source(text.source, wanted.options)
    said = [_graver(d) if "warnings" in wanted.deny else d for d in compilation.diagnostics]
    if wanted.checks or "residual" in wanted.deny:
        severity = Severity.ERROR if "residual" in wanted.deny else Severity.NOTE
        said += [residual(check, severity, help) for check, help in compilation.helps()]
    if wanted.complete and compilation.ok:
        said += compilation.unknowns()
    if wanted.static and compilation.ok:
        said += _obstacles(compilation, wanted.entry)
    return Checked(
        text.source,
        tuple(sorted(said, key=lambda d: d.span.start)),
        tuple(_head(compilation, wanted)),
        compilation.proved,
        compilation.residual,
        compilation.refuted,
        compilation.rungs,
    )


def _head(compilation: Compilation, wanted: Wanted) -> Iterator[str]:
    match wanted.format:
        case "full":
            if wanted.annotate:
                yield from (annotated(compilation), "")
            yield from types_shown(compilation.types)
        case "json":
            yield from map(report_json.line, report_json.compiled(compilation, wanted.annotate))


def _obstacles(compilation: Compilation, entry: str | None) -> Iterator[Diagnostic]:
    """What keeps the function, or each function of a text without `@main`, from being static."""
    names = list(compilation.core.functions)
    if entry is not None and entry not in names:
        raise click.UsageError(f"`{compilation.source.name}` has no function `{entry}`")
    for name in [entry] if entry is not None else ["@main"] if "@main" in names else names:
        yield from compilation.obstacles(name)


def _graver(found: Diagnostic) -> Diagnostic:
    return replace(found, severity=Severity.ERROR) if found.severity is Severity.WARNING else found
