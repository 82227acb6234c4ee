"""Migrate a program to more precise types: try proposals in rounds, until no proposal is accepted.

[check.annotated]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace

from gradual.checker.fixes.suggested import edited
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.limits import Options
from gradual.record import record
from gradual.source import Source, Span
from gradual.tools.migrating.proposals import (
    Proposal,
    Site,
    filled_result,
    named_result,
    proposals,
    sites,
    without_result,
)
from gradual.tools.migrating.unknowns import left_in
from gradual.types.print import shown


@record
class Unwritten:
    """An unknown that stays, with the reason if that is known."""

    span: Span
    says: str


@record
class Migrated:
    """A migrated program.

    Attributes:
        written: how many proposals were accepted.
        left: the remaining unknowns, in the order of the text.
    """

    source: Source
    text: str
    written: int
    left: tuple[Unwritten, ...]


@record(frozen=False)
class _Work:
    """The state of a migration.

    Attributes:
        now: the present program.
        refused: span of an unknown -> why its proposal was refused in the last round.
    """

    options: Options
    everything: bool
    now: Compilation
    written: int = 0
    refused: dict[Span, str] = field(default_factory=dict)

    def checked(self, text: str) -> Compilation:
        return compile_source(Source(self.now.source.name, text), self.options)

    def round(self) -> bool:
        """Accept proposals for each definition until none fits; return whether any was accepted."""
        self.refused, written = {}, self.written
        for name in [site.name for site in sites(self.now, everything=self.everything)]:
            while self._step(name):
                pass
        return self.written > written

    def _step(self, name: str) -> bool:
        """Accept the first proposal for a definition that is not refused; False if there is none."""
        site = next(site for site in sites(self.now, everything=self.everything) if site.name == name)
        for proposal in self._proposed(site):
            after = self.checked(edited(site.text, proposal.edits))
            reason = _refusal(self.now, after, name)
            if reason is None:
                self.now, self.written = after, self.written + 1
                return True
            self.refused |= dict.fromkeys(proposal.at, f"`{proposal.writes}` is refused: {reason}")
        return False

    def _proposed(self, site: Site) -> Iterator[Proposal]:
        yield from proposals(site)
        edit = without_result(site)
        if edit is not None:
            inferred = self.checked(edited(site.text, (edit,))).functions.get(site.name)
            yield from filled_result(site, inferred.result) if inferred is not None else ()
            yield from named_result(site)


def migrated(source: Source, options: Options, *, everything: bool) -> tuple[Migrated | None, Compilation]:
    """The migrated program, and the check of the original; None for the former if the original has errors.

    Args:
        everything: whether to add missing types and clauses too, not just replace written unknowns.
    """
    before = compile_source(source, options)
    if not before.ok:
        return None, before
    quick = replace(options, advise=False, limits=replace(options.limits, least=0))
    work = _Work(quick, everything, compile_source(source, quick))
    while work.round():
        pass
    left = sorted(_unwritten(work), key=lambda one: one.span.start)
    return Migrated(source, work.now.source.text, work.written, tuple(left)), before


def _refusal(before: Compilation, after: Compilation, name: str) -> str | None:
    """Why a changed program is refused: a new error or warning, or more run-time checks; None if it is accepted.

    A check may move from the changed definition to a call of it, but not into the definition.
    """
    error = next((one for one in after.diagnostics if one.severity is Severity.ERROR), None)
    if error is not None:
        return f"{error.code}: {error.message}"
    came = _codes(after.diagnostics) - _codes(before.diagnostics)
    if came:
        warning = next(one for one in after.diagnostics if one.code in came)
        return f"{warning.code}: {warning.message}"
    if after.not_empty > before.not_empty:
        return "a tensor that is passed may be empty"
    own = len(after.elaborations[name].obligations.checks) - len(before.elaborations[name].obligations.checks)
    more = max(own, after.residual - after.not_empty - (before.residual - before.not_empty))
    return f"it leaves {counted(more, 'more check')} to run time" if more > 0 else None


def _codes(found: tuple[Diagnostic, ...]) -> Counter[str]:
    return Counter(one.code for one in found)


def _unwritten(work: _Work) -> Iterator[Unwritten]:
    """The remaining unknowns; without `everything`, only the written ones."""
    for site in sites(work.now, everything=work.everything):
        for left in left_in(site.definition):
            reason = work.refused.get(left.span) or (_of_result(site) if left.span == site.definition.name.span else "")
            if work.everything or left.is_open:
                yield Unwritten(left.span, f"{left.what}{f': {reason}' if reason else ''}")


def _of_result(site: Site) -> str:
    """Why no proposal was made for a missing result type."""
    text = shown(site.function.type.result)
    return "some of it is unknown" if "?" in text or "[*" in text else "it is too long"
