"""`gradual check`: types, proved, refuted and residual obligations, diagnostics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import click

from gradual.compiler import Compilation, Options, compile_source
from gradual.diagnostic import Diagnostic, Severity
from gradual.source import Source
from gradual.tools import render, report_json
from gradual.tools.annotate import annotated
from gradual.tools.files import Text, texts
from gradual.tools.output import Output, shared
from gradual.tools.residual import residual

SHOWN = 20
"""How many errors are shown unless `--max-errors` says otherwise."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options ask for."""

    format: str
    annotate: bool
    checks: bool
    deny: tuple[str, ...]
    shown: int | None
    options: Options
    static: bool = False
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """One text and all that is said about it; without a compilation where the text is none."""

    source: Source
    compilation: Compilation | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class Tally:
    """Totals over all texts."""

    proved: int = 0
    residual: int = 0
    refuted: int = 0
    errors: int = 0
    shown: int = 0
    rungs: dict[str, int] = field(default_factory=dict)

    def add(self, checked: Checked) -> None:
        """Count one more text."""
        self.errors += sum(d.severity is Severity.ERROR for d in checked.diagnostics)
        if (compilation := checked.compilation) is not None:
            self.proved += compilation.proved
            self.residual += compilation.residual
            self.refuted += compilation.refuted
            for rung, count in compilation.rungs.items():
                self.rungs[rung] = self.rungs.get(rung, 0) + count

    def counts(self) -> dict[str, int]:
        """The numbers of the last line."""
        return {"proved": self.proved, "residual": self.residual, "refuted": self.refuted, "errors": self.errors}


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH or -]…", required=True)
@click.option(
    "--format",
    type=click.Choice(["full", "concise", "json", "sarif", "github", "junit"]),
    default="full",
    show_default=True,
)
@click.option("--annotate", is_flag=True, help="The program with every inferred type beside its line.")
@click.option("--checks", is_flag=True, help="The residual checks, one by one.")
@click.option("--deny", multiple=True, type=click.Choice(["residual", "warnings"]), help="Make these errors.")
@click.option("--no-smt", is_flag=True, help="Decide with the normative rungs only, without Z3.")
@click.option("--rigid", type=click.Choice(["warning", "error"]), default="warning", show_default=True)
@click.option("--require-static", "static", is_flag=True, help="Report what keeps a function from being static.")
@click.option("--entry", metavar="@NAME", help="Of which function (default @main, or all where there is none).")
@click.option("--max-errors", type=click.IntRange(min=0), metavar="N", help=f"Show N errors (0: all; default {SHOWN}).")
@shared
def check(
    out: Output,
    paths: tuple[str, ...],
    format: str,
    annotate: bool,
    checks: bool,
    deny: tuple[str, ...],
    no_smt: bool,
    rigid: str,
    static: bool,
    entry: str | None,
    max_errors: int | None,
) -> int:
    """Check programs; `-` is standard input, a folder all `.relay` files under it."""
    began = time.perf_counter()
    shown = max_errors if max_errors is not None else SHOWN if format in ("full", "concise") else 0
    if entry is not None and not static:
        raise click.UsageError("--entry goes with --require-static")
    if max_errors is not None and format in _DOCUMENTS:
        raise click.UsageError(f"a report as {format} has every error: --max-errors does not go with it")
    options = Options(smt=not no_smt, rigid=rigid)
    wanted = Wanted(format, annotate, checks, deny, shown or None, options, static, entry)
    tally = Tally()
    found = texts(paths)
    told: list[tuple[Source, list[Diagnostic]]] = []
    for text in found:
        checked = checked_text(text, wanted)
        tally.add(checked)
        if format in _DOCUMENTS:
            told.append((checked.source, _loud(checked.diagnostics, out)))
            continue
        kept = _limited(checked, wanted, tally)
        for block in _FORMATS[format](checked, wanted, out, kept, len(found) > 1):
            out.line(block)
    if format in _DOCUMENTS:
        if out.quiet < 2:
            out.line(_document(told, format))
    else:
        _last_line(out, tally, wanted, time.perf_counter() - began)
    return 1 if tally.errors else 0


def checked_text(text: Text, wanted: Wanted) -> Checked:
    """One text checked; residual checks and warnings as grave as the options make them."""
    if text.flaw is not None:
        return Checked(text.source, None, (text.flaw,))
    compilation = compile_source(text.source, wanted.options)
    said = [_graver(d) if "warnings" in wanted.deny else d for d in compilation.diagnostics]
    if wanted.checks or "residual" in wanted.deny:
        severity = Severity.ERROR if "residual" in wanted.deny else Severity.NOTE
        said += [residual(check, severity, help) for check, help in compilation.helps()]
    if wanted.static and compilation.ok:
        said += _obstacles(compilation, wanted.entry)
    return Checked(text.source, compilation, tuple(sorted(said, key=lambda d: d.span.start)))


def _obstacles(compilation: Compilation, entry: str | None) -> Iterator[Diagnostic]:
    """What keeps the function, or each function of a text without `@main`, from being static."""
    names = list(compilation.core.functions)
    if entry is not None and entry not in names:
        raise click.UsageError(f"`{compilation.source.name}` has no function `{entry}`")
    for name in [entry] if entry is not None else ["@main"] if "@main" in names else names:
        yield from compilation.obstacles(name)


def _graver(found: Diagnostic) -> Diagnostic:
    return replace(found, severity=Severity.ERROR) if found.severity is Severity.WARNING else found


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
    """What is shown at this quietness."""
    return [d for d in found if not out.quiet or (out.quiet == 1 and d.severity is Severity.ERROR)]


# -------------------------------------------------------------------------------------------------------- formats
def _full(checked: Checked, wanted: Wanted, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """The program or its functions' types, then every diagnostic with its excerpt."""
    if not out.quiet and (head := _head(checked, wanted, out, many)):
        yield head + "\n"
    locate = render.within(checked.source)
    for diagnostic in _loud(found, out):
        yield render.full(diagnostic, locate, out.paint) + "\n"


def _head(checked: Checked, wanted: Wanted, out: Output, many: bool) -> str:
    rows = [out.paint(checked.source.name, "strong")] if many else []
    if checked.compilation is not None:
        if wanted.annotate:
            rows += [annotated(checked.compilation), ""]
        rows += [f"{name} : {type_}" for name, type_ in checked.compilation.types.items()]
    return "\n".join(rows)


def _concise(checked: Checked, wanted: Wanted, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """A line a diagnostic."""
    locate = render.within(checked.source)
    yield from (render.concise(diagnostic, locate, out.paint) for diagnostic in _loud(found, out))


def _json(checked: Checked, wanted: Wanted, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """An object a line."""
    if checked.compilation is not None:
        yield from map(report_json.line, report_json.compiled(checked.compilation, wanted.annotate))
    yield from (report_json.line(report_json.diagnostic(checked.source, each)) for each in found)


def _github(checked: Checked, wanted: Wanted, out: Output, found: list[Diagnostic], many: bool) -> Iterator[str]:
    """A workflow command a diagnostic."""
    from gradual.tools.report_ci import annotation

    yield from (annotation(checked.source, diagnostic) for diagnostic in _loud(found, out))


_FORMATS = {"full": _full, "concise": _concise, "json": _json, "github": _github}
"""What is written of each text."""

_DOCUMENTS = ("sarif", "junit")
"""What is written of all texts together."""


def _document(told: list[tuple[Source, list[Diagnostic]]], format: str) -> str:
    from gradual.tools.report_ci import junit, sarif

    return sarif(told) if format == "sarif" else junit(told)


def _last_line(out: Output, tally: Tally, wanted: Wanted, seconds: float) -> None:
    """The totals; the time only where a person reads along, so that files are the same on every machine."""
    if wanted.format == "json":
        out.line(report_json.line(report_json.summary(tally.counts())))
    elif not out.quiet:
        if tally.errors > tally.shown:
            out.line(f"{tally.errors - tally.shown} more errors are not shown (--max-errors)")
        if out.verbose:
            out.line("decided by " + (" · ".join(f"{k} {n}" for k, n in sorted(tally.rungs.items())) or "nothing"))
        took = f"   in {seconds:.2f} s" if out.terminal else ""
        out.line(totals(tally) + took)


def totals(tally: Tally) -> str:
    """`proved 14 · residual 3 · refuted 0`, and the number of errors if there are any."""
    counts = [f"proved {tally.proved}", f"residual {tally.residual}", f"refuted {tally.refuted}"]
    return " · ".join([*counts, *([f"errors {tally.errors}"] if tally.errors else [])])
