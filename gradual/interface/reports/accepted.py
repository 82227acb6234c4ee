"""Compilation of programs that a command needs without errors; otherwise the errors are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.files import Importing
from gradual.interface.input.program_text import PLAINLY, read
from gradual.interface.reports import json_lines
from gradual.interface.terminal import Output
from gradual.limits import Options
from gradual.report import render
from gradual.source import Source


def compiled(path: str, options: Options, importing: Importing = PLAINLY) -> tuple[Compilation, tuple[Diagnostic, ...]]:
    """The compilation of a program or model, and its errors."""
    text = read(path, importing)
    compilation = replace(compile_source(text.source, options), weights=text.weights)
    return compilation, (text.flaw,) if text.flaw else errors(compilation)


def errors(compilation: Compilation) -> tuple[Diagnostic, ...]:
    """The diagnostics of severity error."""
    return tuple(d for d in compilation.diagnostics if d.severity is Severity.ERROR)


def accepted(
    out: Output, path: str, options: Options, importing: Importing = PLAINLY, as_json: bool = False
) -> Compilation | None:
    """The compilation of a program; if it has errors, write them and return None."""
    compilation, found = compiled(path, options, importing)
    if as_json:
        for each in found:
            out.line(json_lines.line(json_lines.diagnostic(compilation.source, each)))
    else:
        show(out.beside, compilation.source, found)
    return None if found else compilation


def show(out: Output, source: Source, found: Iterable[Diagnostic]) -> None:
    """Write diagnostics in full."""
    locate = render.within(source)
    for diagnostic in found:
        out.line(render.full(diagnostic, locate, out.paint) + "\n")
