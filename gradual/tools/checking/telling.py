"""The output of `gradual check` in each format, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.interface.reports import json_lines
from gradual.interface.terminal import Output, note
from gradual.record import record
from gradual.report import render
from gradual.report.located import generated
from gradual.report.totals import totals
from gradual.source import Source, visible
from gradual.tools.checking.results import Checked, Wanted, file_row


@record(frozen=False)
class Tally:
    """Totals over all files.

    Attributes:
        of_models: the residual checks of imported models, without those that only require that something is not empty.
        known: the findings that are left out because a baseline has them; None without a baseline.
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
    known: int | None = None

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

    def further(self) -> dict[str, int]:
        """The counts that only some runs have."""
        counts = {"known": self.known, "unchecked": self.unchecked or None}
        return {name: count for name, count in counts.items() if count is not None}


def limited(checked: Checked, wanted: Wanted, tally: Tally) -> list[Diagnostic]:
    """The diagnostics to show: all but the errors beyond the limit."""
    kept = []
    for found in checked.diagnostics:
        is_error = found.severity is Severity.ERROR
        if not is_error or wanted.shown is None or tally.shown < wanted.shown:
            kept.append(found)
            tally.shown += is_error
    return kept


def loud(found: Iterable[Diagnostic], out: Output) -> list[Diagnostic]:
    """The diagnostics to show at this level of quietness."""
    return [d for d in found if not out.quiet or (out.quiet == 1 and d.severity is Severity.ERROR)]


# -------------------------------------------------------------------------------------------------------- formats
def _full(checked: Checked, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """The program or its functions' types, then every diagnostic with its excerpt."""
    name = [out.paint(visible(checked.source.name), "strong")] if many else []
    if not out.quiet and (head := "\n".join([*name, *checked.head])):
        yield head + "\n"
    locate = render.within(checked.source)
    for diagnostic in loud(found, out):
        yield render.full(diagnostic, locate, out.paint) + "\n"
        if out.verbose and checked.source.origin(diagnostic.span) is not None:
            yield "in the program made from the model:\n"
            yield render.full(diagnostic, generated(checked.source), out.paint) + "\n"


def _concise(checked: Checked, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """One line for each diagnostic; it ends with the name of the model if it begins with that of another file."""
    locate, model = render.within(checked.source), visible(checked.source.name)
    for diagnostic in loud(found, out):
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

    yield from (annotation(checked.source, diagnostic) for diagnostic in loud(found, out))


FORMATS = {"full": _full, "concise": _concise, "json": _json, "github": _github}
"""Format -> function that gives the output for one file."""

DOCUMENTS = ("sarif", "junit")
"""The formats with one document for all files."""


def document(told: list[tuple[Source, list[Diagnostic]]], format: str) -> str:
    """The document for all files, in one of these formats."""
    from gradual.interface.reports.ci import junit, sarif

    return sarif(told) if format == "sarif" else junit(told)


_FURTHER = {"known": "in the baseline", "unchecked": "not checked"}


def last_line(out: Output, tally: Tally, wanted: Wanted, seconds: float) -> None:
    """Write the totals; the time only on a terminal, so that output files are reproducible."""
    if wanted.format == "json":
        out.line(json_lines.line(json_lines.summary(tally.counts() | tally.further())))
    elif not out.quiet:
        if tally.errors > tally.shown:
            out.line(f"{tally.errors - tally.shown} more errors are not shown (--max-errors)")
        if out.verbose:
            out.line("decided by " + (" · ".join(f"{k} {n}" for k, n in sorted(tally.stages.items())) or "nothing"))
        took = f"   in {seconds:.2f} s" if out.terminal else ""
        rest = "".join(f" · {_FURTHER[name]} {count}" for name, count in tally.further().items())
        out.line(totals(**tally.counts()) + rest + took)
        if wanted.format == "full" and tally.of_models and not wanted.checks:
            note(f"note: --checks shows {counted(tally.of_models, 'residual check')}")
