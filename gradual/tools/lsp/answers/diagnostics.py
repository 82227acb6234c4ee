"""Diagnostics as the protocol has them, with links to the pages of their codes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, metadata

from lsprotocol import types as lsp

from gradual.diagnostic import Diagnostic, Severity
from gradual.record import record
from gradual.source import NOWHERE
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.features import range_of
from gradual.tools.lsp.findings import Findings

SOURCE = "gradual"
SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}


@record
class Pages:
    """The documentation site; its address is empty if none is known."""

    site: str = ""

    def of(self, code: str) -> lsp.CodeDescription | None:
        """The link to the page of a code."""
        return lsp.CodeDescription(f"{self.site.rstrip('/')}/reference/codes/{code}/") if self.site else None


def pages_of(site: str | None) -> Pages:
    """The site at an address; without one, at the address that the package's metadata has for its documentation."""
    if site is not None:
        return Pages(site)
    with suppress(PackageNotFoundError):
        for entry in metadata("gradual").get_all("Project-URL") or ():
            label, _, address = entry.partition(", ")
            if label.lower() == "documentation":
                return Pages(address)
    return Pages()


def diagnostics(document: Document, found: Findings, pages: Pages) -> list[lsp.Diagnostic]:
    """All diagnostics of the checker, with residual checks as information."""
    return [diagnostic_of(document, one, pages) for one in (*found.diagnostics, *found.checks)]


def diagnostic_of(document: Document, found: Diagnostic, pages: Pages) -> lsp.Diagnostic:
    """A diagnostic of a text."""
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(document.uri, range_of(document, one.span)), one.label or "here")
        for one in found.related
        if one.span != NOWHERE
    ]
    return shown(found, range_of(document, found.span), related, pages)


def shown(
    found: Diagnostic, range: lsp.Range, related: list[lsp.DiagnosticRelatedInformation], pages: Pages
) -> lsp.Diagnostic:
    """A diagnostic at a range, with its notes and helps in its message."""
    notes = [*found.notes, *(f"help: {help.text}" for help in found.help)]
    return lsp.Diagnostic(
        range=range,
        message="\n".join([found.message, *notes]),
        severity=SEVERITIES[found.severity],
        code=found.code,
        code_description=pages.of(found.code),
        source=SOURCE,
        related_information=related,
        data={"rule": found.rule},
    )


def result_id(found: Sequence[lsp.Diagnostic]) -> str:
    """An identifier that is the same for the same diagnostics only."""
    return sha256(repr(found).encode()).hexdigest()[:32]
