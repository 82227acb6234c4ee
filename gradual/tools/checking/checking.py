"""Check one file; the result can be sent between processes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import StrEnum

from gradual.codes import LINTS
from gradual.compilation import Compilation, Options
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.allowed import allowed
from gradual.interface.input.files import Absent, Importing, Text, model_format
from gradual.interface.input.levels import RESIDUAL, Levels
from gradual.interface.input.program_text import PLAINLY, read
from gradual.interface.input.settings import Given, settings_for
from gradual.interface.reports import json_lines
from gradual.interface.reports.annotate import annotated
from gradual.interface.terminal import Trouble
from gradual.record import record
from gradual.report.known_sizes import Sizes, known_sizes
from gradual.report.located import of_model
from gradual.report.lost import lost
from gradual.report.residual import residual, with_checks
from gradual.report.summary import in_order, types_shown
from gradual.source import NOWHERE, Source

NO_SIZES = Sizes()
Unit = str | Text | Absent
"""The path of a file, a text that was read, or a path that cannot be accessed."""


@record
class Wanted:
    """The requested output, from the command's options; `entire` is whether types show the weights of models."""

    format: str
    annotate: bool
    checks: bool
    shown: int | None
    options: Options
    levels: Levels = field(default_factory=Levels)
    complete: bool = False
    static: bool = False
    entry: str | None = None
    importing: Importing = PLAINLY
    entire: bool = False


class Outcome(StrEnum):
    """The outcome for one file: it was checked (OK, ERRORS), or why it was not."""

    OK = "ok"
    ERRORS = "errors"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"

    @property
    def exit_code(self) -> int:
        """The exit code of a run over this file alone."""
        return {Outcome.OK: 0, Outcome.ERRORS: 1, Outcome.CRASHED: 101}.get(self, 2)


@record
class Checked:
    """The result of checking one file.

    Attributes:
        not_empty: how many residual checks require only that something is not empty.
        diagnostics: the findings if the program was checked; otherwise why it was not.
        head: the output before the diagnostics in the wanted format; empty if there is no program.
        stages: how many obligations each stage decided.
        rules: how many residual checks each rule left.
        sizes: the sizes of the program's values, if the format is "census".
        operators: the operators for which a model was not imported.
        checked: whether there was a program to check.
    """

    source: Source
    diagnostics: tuple[Diagnostic, ...]
    head: tuple[str, ...] = ()
    proved: int = 0
    residual: int = 0
    refuted: int = 0
    not_empty: int = 0
    stages: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    sizes: Sizes = NO_SIZES
    operators: tuple[str, ...] = ()
    outcome: Outcome = Outcome.OK

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(one.severity is Severity.ERROR for one in self.diagnostics)

    @property
    def checked(self) -> bool:
        """Whether there was a program, and it was checked."""
        return self.outcome in (Outcome.OK, Outcome.ERRORS)


def file_row(checked: Checked) -> json_lines.Object:
    """The outcome for one of several files: `ok`, `errors`, or why it was not checked; with its counts."""
    row: json_lines.Object = {"kind": "file", "file": checked.source.name, "outcome": str(checked.outcome)}
    row["proved"] = checked.proved
    row |= {"residual": checked.residual, "refuted": checked.refuted, "errors": checked.errors}
    return row | {"not_empty": checked.not_empty}


def checked_file(path: str | Text, wanted: Wanted) -> Checked:
    """Check a file, or a text that was read.  Raises Trouble if the file cannot be read."""
    return checked_text(read(path, wanted.importing) if isinstance(path, str) else path, wanted)


def checked_text(text: Text, wanted: Wanted) -> Checked:
    """Check and lint a text; residual checks and warnings have the severities that the options give."""
    if text.flaw is not None:
        return Checked(text.source, (text.flaw,), outcome=Outcome.ERRORS)
    compilation = compile_source(text.source, wanted.options)
    comments = allowed(text.source)
    said = [*compilation.diagnostics, *comments.unknown]
    if wanted.levels.tells(LINTS):
        said += compilation.lints(names=text.source.origins is None)
    if wanted.levels.tells((RESIDUAL,)):
        said += [of_model(text.source, residual(check, help=help)) for check, help in compilation.helps()]
    elif wanted.checks:
        said = [*with_checks(said, compilation.helps(), text.source), *lost(compilation.checks)]
    said = list(wanted.levels.graded(comments.kept(text.source, said)))
    if wanted.complete and compilation.ok:
        said += compilation.unknowns()
    if wanted.static and compilation.ok:
        said += _obstacles(compilation, wanted.entry)
    found = Checked(
        text.source,
        tuple(in_order(said)),
        tuple(_head(replace(compilation, weights=text.weights), wanted)),
        compilation.proved,
        compilation.residual,
        compilation.refuted,
        compilation.not_empty,
        compilation.stages,
        Counter(check.blame.rule for check in compilation.checks),
        _sizes(compilation) if wanted.format == "census" and compilation.ok else NO_SIZES,
    )
    return replace(found, outcome=Outcome.ERRORS) if found.errors else found


def unchecked(unit: Unit, outcome: Outcome, code: str, *reasons: str) -> Checked:
    """The result for a file that was not checked: the reasons are its errors, without a span."""
    name = unit.source.name if isinstance(unit, Text) else unit.path if isinstance(unit, Absent) else unit
    return Checked(Source(name, ""), tuple(Diagnostic(code, "", one, NOWHERE) for one in reasons), outcome=outcome)


def troubled(unit: Unit, trouble: Trouble) -> Checked:
    """The result for a file that could not be read or imported."""
    outcome = Outcome.UNSUPPORTED if trouble.reasons else Outcome.UNREADABLE
    found = unchecked(unit, outcome, trouble.code, *(trouble.reasons or [trouble.message]))
    return replace(found, operators=trouble.operators)


def _sizes(compilation: Compilation) -> Sizes:
    return known_sizes(compilation.source, compilation.core.functions, compilation.elaborations)


def by_settings(wanted: Wanted, given: Given, unit: Unit) -> Wanted:
    """The options for a file by the settings of its folder; standard input has those of the current folder."""
    path = unit.path if isinstance(unit, Absent) else unit
    settings = given.over(settings_for(os.curdir if isinstance(path, Text) else os.path.dirname(path)))
    is_model = not isinstance(path, Text) and model_format(path) is not None
    return replace(wanted, options=settings.of_models if is_model else settings.options, levels=settings.levels)


def _head(compilation: Compilation, wanted: Wanted) -> Iterator[str]:
    match wanted.format:
        case "full":
            if wanted.annotate:
                yield from (annotated(compilation), "")
            weights = 0 if wanted.entire else len(compilation.weights)
            yield from types_shown(compilation.functions, weights, compilation.source.origins is not None)
        case "json":
            yield from map(json_lines.line, json_lines.compiled(compilation, wanted.annotate))


def _obstacles(compilation: Compilation, entry: str | None) -> Iterator[Diagnostic]:
    """What keeps the function, or each function of a text without `@main`, from being static."""
    names = list(compilation.core.functions)
    if entry is not None and entry not in names:
        has = ", ".join(names) or "none"
        raise Trouble("E0702", f"`{compilation.source.name}` has no function `{entry}`; it has {has}")
    for name in [entry] if entry is not None else ["@main"] if "@main" in names else names:
        yield from compilation.obstacles(name)
