"""Check one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from gradual.codes import LINTS
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic
from gradual.interface.input.allowed import allowed
from gradual.interface.input.files import Text
from gradual.interface.input.levels import RESIDUAL
from gradual.interface.input.program_text import read
from gradual.interface.reports import json_lines
from gradual.interface.reports.annotate import annotated
from gradual.interface.terminal import Trouble
from gradual.report.known_sizes import known_sizes
from gradual.report.located import of_model
from gradual.report.lost import lost
from gradual.report.residual import residual, with_checks
from gradual.report.summary import in_order, types_shown
from gradual.tools.checking.results import Checked, Outcome, Wanted


def checked_file(path: str | Text, wanted: Wanted) -> Checked:
    """Check a file, or a text that was read.  Raises Trouble if the file cannot be read."""
    return checked_text(read(path, wanted.importing) if isinstance(path, str) else path, wanted)


def checked_text(text: Text, wanted: Wanted) -> Checked:
    """Check and lint a text; residual checks and warnings have the severities that the options give."""
    if text.flaw is not None:
        return Checked(text.source, (text.flaw,), outcome=Outcome.ERRORS)
    return reported(text, compile_source(text.source, wanted.options), wanted)


def reported(text: Text, compilation: Compilation, wanted: Wanted) -> Checked:
    """What is reported about a text that was compiled."""
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
        dict(Counter(check.blame.rule for check in compilation.checks)),
    )
    if wanted.format == "census" and compilation.ok:
        sizes = known_sizes(compilation.source, compilation.core.functions, compilation.elaborations)
        found = replace(found, sizes=sizes.total, known=sizes.known)
    outcome = Outcome.ERRORS if found.errors else Outcome.OK
    return replace(found, outcome=outcome, notes=text.notes, files=text.files)


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
