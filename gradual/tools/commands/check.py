"""`gradual check`: types, proved, refuted and residual obligations, diagnostics."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gradual.diagnostic import Diagnostic, counted
from gradual.interface.input.files import MODELS, PROGRAMS, STDIN, Importing, Text, expanded
from gradual.interface.input.levels import Level, Levels, NoLevel
from gradual.interface.input.program_text import read
from gradual.interface.input.settings import RIGID, Given, on_command_line, settings_for
from gradual.interface.progress import progress
from gradual.interface.terminal import FILE, Output, note, shared
from gradual.limits import Options
from gradual.source import Source, visible
from gradual.tools.checking.cached import result_of
from gradual.tools.checking.results import Checked, Unit, Wanted, by_settings
from gradual.tools.checking.telling import DOCUMENTS, FORMATS, Tally, document, last_line, limited, loud
from gradual.tools.models.options import model_options

if TYPE_CHECKING:
    from gradual.tools.checking.baseline import Baseline
    from gradual.tools.checking.fixing import Fixed

ENDINGS = (*PROGRAMS, *MODELS)
"""The endings of the files that are checked in a folder."""
SHOWN = 20
"""The default of `--max-errors`: how many errors are shown."""


@click.command()
@click.argument("paths", type=FILE, nargs=-1, metavar="[PATH or -]…")
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
@model_options
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help=f"Show N errors (0: all; default {SHOWN}).")
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Check N files in parallel.")
@click.option("--cache/--no-cache", envvar="GRADUAL_CACHE", default=True, help="Keep results of unchanged files.")
@click.option("--baseline", metavar="FILE", help="Report only findings that are not in this baseline.")
@click.option("--write-baseline", "to_write", metavar="FILE", help="Write the present findings as a baseline.")
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
    importing: Importing,
    max_errors: int | None,
    jobs: int,
    cache: bool,
    baseline: str | None,
    to_write: str | None,
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
    if max_errors is not None and format in DOCUMENTS:
        raise click.UsageError(f"a report as {format} has every error: --max-errors does not go with it")
    if (diff or unsafe) and not fix:
        raise click.UsageError("--diff and --unsafe-fixes go with --fix")
    if watch and fix:
        raise click.UsageError("--watch follows files and changes none: --fix does not go with it")
    if watch and (out.filed or "-" in paths):
        raise click.UsageError("--watch follows files on the screen: neither `-o` nor `-` goes with it")
    if to_write is not None and (watch or fix or baseline):
        raise click.UsageError("--write-baseline goes with none of --watch, --fix and --baseline")
    given = _given({Level.ALLOW: allow, Level.WARN: warn, Level.DENY: deny}, smt, rigid, baseline)
    if show_config:
        from gradual.interface.reports.settings_table import shown_settings

        return shown_settings(out, paths, given, format)
    paths = paths or settings_for(os.curdir).paths
    if not paths:
        raise click.UsageError("nothing to check: name a file or a folder, or set `paths` in `gradual.toml`")
    wanted = Wanted(format, annotate, checks, shown or None, Options(), Levels(), complete, static, entry, importing)
    wanted = replace(wanted, entire=out.verbose > 0, cached=cache)
    if watch:
        from gradual.tools.checking.watching import watching

        watching(out, paths, ENDINGS, lambda: _told(out, _units(paths), wanted, given, jobs))
    units = _units(paths)
    if to_write is not None:
        from gradual.tools.checking.baseline import write_findings

        return write_findings(out, to_write, _results(units, wanted, given, jobs))
    done = _fixed(out, units, wanted, given, unsafe, diff) if fix else None
    return done if done is not None else _told(out, units, wanted, given, jobs)


def _given(levels: dict[Level, tuple[str, ...]], smt: bool | None, rigid: str | None, baseline: str | None) -> Given:
    try:
        return on_command_line(levels, smt, rigid, baseline)
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
    began, tally, many = time.perf_counter(), Tally(), len(units) > 1
    baseline = _baseline(given)
    told: list[tuple[Source, list[Diagnostic]]] = []
    for checked in _results(units, wanted, given, jobs):
        if baseline is not None:
            checked, known = baseline.without_known(checked)
            tally.known = known + (tally.known or 0)
        tally.add(checked)
        if not checked.checked and not out.terminal:
            for found in checked.diagnostics:
                note("\n".join([f"error[{found.code}]: {visible(found.message)}", *found.notes]))
        if wanted.format in DOCUMENTS:
            told.append((checked.source, loud(checked.diagnostics, out)))
            continue
        kept = limited(checked, wanted, tally)
        for block in FORMATS[wanted.format](checked, out, kept, many):
            out.line(block)
        out.stream.flush()
    if wanted.format in DOCUMENTS:
        if out.quiet < 2:
            out.line(document(told, wanted.format))
    else:
        last_line(out, tally, wanted, time.perf_counter() - began)
    if baseline is not None and (gone := baseline.gone()):
        note(f"note: {counted(gone, 'finding')} of the baseline did not occur; --write-baseline writes a new one")
    return tally.worst


def _results(units: Sequence[Unit], wanted: Wanted, given: Given, jobs: int) -> Iterator[Checked]:
    """Check every file; of several files, a failure to read one is its result, else it ends the run."""
    tasks = [(unit, by_settings(wanted, given, unit)) for unit in units]
    if len(tasks) == 1:
        yield result_of(*tasks[0])
        return
    from gradual.tools.checking.checking_many import checked_all

    with progress("checking", len(tasks)) as report:
        for done, checked in enumerate(checked_all(tasks, jobs), 1):
            report(done)
            yield checked


def _baseline(given: Given) -> Baseline | None:
    """The baseline of the command line, or else of the configuration of the working directory."""
    path = given.over(settings_for(os.curdir)).baseline
    if path is None:
        return None
    from gradual.tools.checking.baseline import read as read_baseline

    return read_baseline(path)
