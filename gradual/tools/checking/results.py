"""The result of checking one file, which can be sent between processes, and what it was asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum

from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.files import Absent, Importing, Text, model_format
from gradual.interface.input.levels import Levels
from gradual.interface.input.program_text import PLAINLY
from gradual.interface.input.settings import Given, settings_for
from gradual.interface.reports import json_lines
from gradual.interface.terminal import Trouble
from gradual.limits import Options
from gradual.record import record
from gradual.source import NOWHERE, Source

Unit = str | Text | Absent
"""The path of a file, a text that was read, or a path that cannot be accessed."""


@record
class Wanted:
    """The requested output, from the command's options.

    Attributes:
        entire: whether types show the weights of models.
        cached: whether a kept result may be used, and a new one is kept.
    """

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
    cached: bool = False


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
        sizes: how many sizes the values of an accepted program have, if the format is "census".
        known: how many of them are known.
        operators: the operators for which a model was not imported.
        notes: what was said on standard error when the model was imported.
        files: the other files that were read for it, and those that were looked for and not found.
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
    sizes: int = 0
    known: int = 0
    operators: tuple[str, ...] = ()
    outcome: Outcome = Outcome.OK
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

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


def unchecked(unit: Unit, outcome: Outcome, code: str, *reasons: str) -> Checked:
    """The result for a file that was not checked: the reasons are its errors, without a span."""
    name = unit.source.name if isinstance(unit, Text) else unit.path if isinstance(unit, Absent) else unit
    return Checked(Source(name, ""), tuple(Diagnostic(code, "", one, NOWHERE) for one in reasons), outcome=outcome)


def troubled(unit: str | Text, trouble: Trouble) -> Checked:
    """The result for a file that could not be read or imported."""
    outcome = Outcome.UNSUPPORTED if trouble.reasons else Outcome.UNREADABLE
    found = unchecked(unit, outcome, trouble.code, *(trouble.reasons or [trouble.message]))
    return replace(found, operators=trouble.operators)


def by_settings(wanted: Wanted, given: Given, unit: Unit) -> Wanted:
    """The options for a file by the settings of its folder; standard input has those of the current folder."""
    path = unit.path if isinstance(unit, Absent) else unit
    settings = given.over(settings_for(os.curdir if isinstance(path, Text) else os.path.dirname(path)))
    is_model = not isinstance(path, Text) and model_format(path) is not None
    return replace(wanted, options=settings.of_models if is_model else settings.options, levels=settings.levels)
