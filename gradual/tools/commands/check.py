"""`gradual check`: types, proved, refuted and residual obligations, diagnostics."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import click

from gradual.compilation import Options
from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.interface.input.files import MODELS, PROGRAM, STDIN, Absent, Importing, Text, expanded
from gradual.interface.input.levels import Level, Levels, NoLevel
from gradual.interface.input.program_text import read
from gradual.interface.input.settings import RIGID, Given, on_command_line, settings_for
from gradual.interface.reports import json_lines
from gradual.interface.terminal import Output, note, shared
from gradual.record import record
from gradual.report import render
from gradual.report.located import generated
from gradual.report.summary import totals
from gradual.source import Source, visible
from gradual.tools.checking.checking import Checked, Unit, Wanted, by_settings, checked_file, file_row
from gradual.tools.models.options import named_sizes, signature, sizes_called

if TYPE_CHECKING:
    from gradual.tools.checking.fixing import Fixed

ENDINGS = PROGRAM, *MODELS
"""The endings of the files that are checked in a folder."""
SHOWN = 20
"""The default of `--max-errors`: how many errors are shown."""


@record(frozen=False)
class Tally:
    """Totals over all files.

    Attributes:
        of_models: the residual checks of models, but for those that something is not empty.
    """

    proved: int = 0
    residual: int = 0
    refuted: int = 0
    not_empty: int = 0
    errors: int = 0
    shown: int = 0
    unchecked: int = 0
    of_models: int = 0
    worst: int = 0
    stages: dict[str, int] = field(default_factory=dict)

    def add(self, checked: Checked) -> None:
        """Add the counts of a file."""
        self.errors += checked.errors
        self.proved += checked.proved
        self.residual += checked.residual
        self.refuted += checked.refuted
        self.not_empty += checked.not_empty
        self.of_models += 0 if checked.source.origins is None else checked.residual - checked.not_empty
        self.unchecked += not checked.checked
        self.worst = max(self.worst, checked.outcome.exit_code)
        for stage, count in checked.stages.items():
            self.stages[stage] = self.stages.get(stage, 0) + count

    def counts(self) -> dict[str, int]:
        """The totals for the last line."""
        decided = {"proved": self.proved, "residual": self.residual, "refuted": self.refuted}
        return decided | {"errors": self.errors, "not_empty": self.not_empty}


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH or -]…")
@click.option(
    "--format",
    type=click.Choice(["full", "concise", "json", "sarif", "github", "junit"]),
    default="full",
    show_default=True,
)
@click.option("--annotate", is_flag=True, help="Print the program with inferred types as comments after the lines.")
@click.option("--checks", is_flag=True, help="List the residual checks.")
@click.option("--allow", multiple=True, metavar="NAMES", help="Do not report these warnings: codes or groups.")
@click.option("--warn", multiple=True, metavar="NAMES", help="Report these as warnings.")
@click.option(
    "--deny", multiple=True, metavar="NAMES", help="Report these as errors; `warnings`, `residual`, `lints`, …"
)
@click.option("--smt/--no-smt", default=None, help="Use Z3 (default), or the built-in procedures only.")
@click.option("--rigid", type=click.Choice(RIGID), help="Severity of E0402 (default: warning; for models: error).")
@click.option("--show-config", is_flag=True, help="Show the settings and where each comes from; check nothing.")
@click.option("--require-complete", "complete", is_flag=True, help="Report every size and rank that stays unknown.")
@click.option("--require-static", "static", is_flag=True, help="Report why a function does not have static shapes.")
@click.option("--entry", metavar="@NAME", help="The function for --require-static (default @main, or else all).")
@click.option("--empty", multiple=True, metavar="NAME", help="Allow this named size of a model's inputs to be 0.")
@click.option(
    "--where", multiple=True, metavar="CONDITION", help="A condition that a model's inputs meet, such as 'seq <= 512'."
)
@named_sizes
@signature
@click.option("--guards", is_flag=True, help="Require the conditions on input sizes that torch.export assumed.")
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help=f"Show N errors (0: all; default {SHOWN}).")
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Check N files in parallel.")
@click.option("--fix", is_flag=True, help="Apply every help that is safe, then check.")
@click.option("--diff", is_flag=True, help="With --fix: change nothing, show what would change; exit 1 if something.")
@click.option("--unsafe-fixes", "unsafe", is_flag=True, help="With --fix: also apply helps that change the meaning.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until interrupted.")
@shared
def check(
    out: Output,
    paths: tuple[str, ...],
    format: str,
    annotate: bool,
    checks: bool,
    allow: tuple[str, ...],
    warn: tuple[str, ...],
    deny: tuple[str, ...],
    smt: bool | None,
    rigid: str | None,
    show_config: bool,
    complete: bool,
    static: bool,
    entry: str | None,
    empty: tuple[str, ...],
    where: tuple[str, ...],
    called: tuple[str, ...],
    signature: str,
    guards: bool,
    max_errors: int | None,
    jobs: int,
    fix: bool,
    diff: bool,
    unsafe: bool,
    watch: bool,
) -> int:
    """Check programs and models: files, folders with these, SavedModel folders, or `-` for standard input.

    Each file is checked, even if others cannot be read; the exit code is the greatest one of all files.
    Without a path the `paths` of the configuration are checked, which is `gradual.toml`, or `[tool.gradual]` in
    `pyproject.toml`, in the folder of a file or above it.
    """
    shown = max_errors if max_errors is not None else SHOWN if format in ("full", "concise") else 0
    if entry is not None and not static:
        raise click.UsageError("--entry goes with --require-static")
    if max_errors is not None and format in _DOCUMENTS:
        raise click.UsageError(f"a report as {format} has every error: --max-errors does not go with it")
    if (diff or unsafe) and not fix:
        raise click.UsageError("--diff and --unsafe-fixes go with --fix")
    if watch and fix:
        raise click.UsageError("--watch follows files and changes none: --fix does not go with it")
    if watch and (out.filed or "-" in paths):
        raise click.UsageError("--watch follows files on the screen: neither `-o` nor `-` goes with it")
    given = _given({Level.ALLOW: allow, Level.WARN: warn, Level.DENY: deny}, smt, rigid)
    if show_config:
        from gradual.interface.reports.settings_table import shown_settings

        return shown_settings(out, paths, given, format)
    paths = paths or settings_for(os.curdir).paths
    if not paths:
        raise click.UsageError("nothing to check: name a file or a folder, or set `paths` in `gradual.toml`")
    importing = Importing(where, False, empty, sizes_called(called), guards, signature=signature)
    wanted = Wanted(format, annotate, checks, shown or None, Options(), Levels(), complete, static, entry, importing)
    wanted = replace(wanted, entire=out.verbose > 0)
    if watch:
        from gradual.tools.checking.watching import watching

        watching(out, paths, ENDINGS, lambda: _told(out, _units(paths), wanted, given, jobs))
    units = _units(paths)
    done = _fixed(out, units, wanted, given, unsafe, diff) if fix else None
    return done if done is not None else _told(out, units, wanted, given, jobs)


def _given(levels: dict[Level, tuple[str, ...]], smt: bool | None, rigid: str | None) -> Given:
    try:
        return on_command_line(levels, smt, rigid)
    except NoLevel as reason:
        raise click.UsageError(str(reason)) from reason


def _fixed(out: Output, units: Sequence[Unit], wanted: Wanted, given: Given, unsafe: bool, diff: bool) -> int | None:
    """Fix every program; return an exit code if that is all, None if the fixed programs are still to be checked.

    For standard input the program is written to stdout, and its report to stderr.
    """
    from gradual.tools.checking.fixing import save

    changed, hidden = 0, 0
    for result in _each_fixed(units, wanted, given, unsafe):
        changed, hidden = changed + bool(result.applied), hidden + result.hidden
        if diff:
            out.program(result.diff)
        elif result.source.name == STDIN:
            out.program(result.text)
            return _told(replace(out, stream=sys.stderr), [Text(Source(STDIN, result.text), None)], wanted, given, 1)
        else:
            save(result)
            _tell_fixed(out, result, wanted)
    if hidden and wanted.format == "full" and not out.quiet:
        note(f"{counted(hidden, 'more help')} can be applied with --unsafe-fixes")
    return int(changed > 0) if diff else None


def _each_fixed(units: Sequence[Unit], wanted: Wanted, given: Given, unsafe: bool) -> Iterator[Fixed]:
    from gradual.tools.checking.fixing import fixed_all

    for unit in units:
        yield from fixed_all([unit], by_settings(wanted, given, unit).options, unsafe=unsafe)


def _tell_fixed(out: Output, result: Fixed, wanted: Wanted) -> None:
    """Report the changes applied to a file; only in the formats `full` and `concise`."""
    if not result.applied or wanted.format not in ("full", "concise") or out.quiet:
        return
    out.line(f"fixed {visible(result.source.name)}: {counted(len(result.applied), 'change')}")
    if out.verbose:
        for said in result.applied:
            out.line(f"  {visible(said)}")


def _units(paths: Sequence[str]) -> list[Unit]:
    return [read(unit) if unit == "-" else unit for unit in expanded(paths, ENDINGS)]


def _told(out: Output, units: Sequence[Unit], wanted: Wanted, given: Given, jobs: int) -> int:
    """Check every file once, report the findings, and return the exit code."""
    began, tally = time.perf_counter(), Tally()
    tasks = [(unit, by_settings(wanted, given, unit)) for unit in units]
    many = len(units) > 1
    told: list[tuple[Source, list[Diagnostic]]] = []
    for checked in _many(tasks, jobs) if many else [_only(*tasks[0])]:
        tally.add(checked)
        if not checked.checked and not out.terminal:
            for found in checked.diagnostics:
                note("\n".join([f"error[{found.code}]: {visible(found.message)}", *found.notes]))
        if wanted.format in _DOCUMENTS:
            told.append((checked.source, _loud(checked.diagnostics, out)))
            continue
        kept = _limited(checked, wanted, tally)
        for block in _FORMATS[wanted.format](checked, out, kept, many):
            out.line(block)
        out.stream.flush()
    if wanted.format in _DOCUMENTS:
        if out.quiet < 2:
            out.line(_document(told, wanted.format))
    else:
        _last_line(out, tally, wanted, time.perf_counter() - began)
    return tally.worst


def _many(tasks: Sequence[tuple[Unit, Wanted]], jobs: int) -> Iterator[Checked]:
    """Check every file; a failure to read a file is the file's result."""
    from gradual.tools.checking.checking_many import checked_all

    return checked_all(tasks, jobs)


def _only(unit: Unit, wanted: Wanted) -> Checked:
    """Check the only file; a failure to read it ends the run."""
    if isinstance(unit, Absent):
        raise unit.trouble
    return checked_file(unit, wanted)


def _limited(checked: Checked, wanted: Wanted, tally: Tally) -> list[Diagnostic]:
    """The diagnostics to show: all but the errors beyond the limit."""
    kept = []
    for found in checked.diagnostics:
        is_error = found.severity is Severity.ERROR
        if not is_error or wanted.shown is None or tally.shown < wanted.shown:
            kept.append(found)
            tally.shown += is_error
    return kept


def _loud(found: Iterable[Diagnostic], out: Output) -> list[Diagnostic]:
    """The diagnostics to show at this level of quietness."""
    return [d for d in found if not out.quiet or (out.quiet == 1 and d.severity is Severity.ERROR)]


# -------------------------------------------------------------------------------------------------------- formats
def _full(checked: Checked, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """The program or its functions' types, then every diagnostic with its excerpt."""
    name = [out.paint(visible(checked.source.name), "strong")] if many else []
    if not out.quiet and (head := "\n".join([*name, *checked.head])):
        yield head + "\n"
    locate = render.within(checked.source)
    for diagnostic in _loud(found, out):
        yield render.full(diagnostic, locate, out.paint) + "\n"
        if out.verbose and checked.source.origin(diagnostic.span) is not None:
            yield "in the program made from the model:\n"
            yield render.full(diagnostic, generated(checked.source), out.paint) + "\n"


def _concise(checked: Checked, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """One line for each diagnostic; it ends with the name of the model if it begins with that of another file."""
    locate, model = render.within(checked.source), visible(checked.source.name)
    for diagnostic in _loud(found, out):
        text = render.concise(diagnostic, locate, out.paint)
        yield text if checked.source.origins is None or text.startswith(f"{model}:") else f"{text} in {model}"


def _json(checked: Checked, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """One JSON object on each line."""
    yield from checked.head
    yield from (json_lines.line(json_lines.diagnostic(checked.source, each)) for each in found)
    if many:
        yield json_lines.line(file_row(checked))


def _github(checked: Checked, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """One GitHub workflow command for each diagnostic."""
    from gradual.interface.reports.ci import annotation

    yield from (annotation(checked.source, diagnostic) for diagnostic in _loud(found, out))


_FORMATS = {"full": _full, "concise": _concise, "json": _json, "github": _github}
"""Format -> function that gives the output for one file."""

_DOCUMENTS = ("sarif", "junit")
"""The formats with one document for all files."""


def _document(told: list[tuple[Source, list[Diagnostic]]], format: str) -> str:
    from gradual.interface.reports.ci import junit, sarif

    return sarif(told) if format == "sarif" else junit(told)


def _last_line(out: Output, tally: Tally, wanted: Wanted, seconds: float) -> None:
    """Write the totals; the time only on a terminal, so that output files are reproducible."""
    if wanted.format == "json":
        unchecked = {"unchecked": tally.unchecked} if tally.unchecked else {}
        out.line(json_lines.line(json_lines.summary(tally.counts() | unchecked)))
    elif not out.quiet:
        if tally.errors > tally.shown:
            out.line(f"{tally.errors - tally.shown} more errors are not shown (--max-errors)")
        if out.verbose:
            out.line("decided by " + (" · ".join(f"{k} {n}" for k, n in sorted(tally.stages.items())) or "nothing"))
        took = f"   in {seconds:.2f} s" if out.terminal else ""
        rest = f" · not checked {tally.unchecked}" if tally.unchecked else ""
        out.line(totals(**tally.counts()) + rest + took)
        if wanted.format == "full" and tally.of_models and not wanted.checks:
            note(f"note: --checks shows {counted(tally.of_models, 'residual check')}")
