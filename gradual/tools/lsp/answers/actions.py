"""Quick fixes: tried helps, comments that allow a warning, and all safe helps at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types as lsp

from gradual.codes import LINTS
from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.allowed import allowing
from gradual.interface.input.levels import switchable
from gradual.limits import Options
from gradual.source import Span
from gradual.tools.checking.fixing import fixed
from gradual.tools.lsp.answers.diagnostics import Pages, diagnostic_of
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.features import changes
from gradual.tools.lsp.trees import alike

FIX_ALL = "source.fixAll.gradual"
"""The kind of the code action that applies all safe helps; editors can apply such an action when a file is saved."""
KINDS = (lsp.CodeActionKind.QuickFix, FIX_ALL)


def is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor that asks for some kinds of actions asks for this one; a kind has the kinds below it."""
    return only is None or any(kind == one or kind.startswith(one + ".") for one in only)


def fixes(document: Document, found: Iterable[Diagnostic], wanted: Span, pages: Pages) -> Iterator[lsp.CodeAction]:
    """The quick fixes for findings in a range.

    Each help was tried; a safe one may be applied automatically.  A warning or a residual check can also be allowed.
    """
    inside = [one for one in found if one.span.start <= wanted.end and wanted.start <= one.span.end]
    for one in inside:
        for help in one.help:
            if help.edits:
                edits = [(edit.span, edit.text) for edit in help.edits]
                yield _fix(document, help.text, edits, diagnostic_of(document, one, pages), help.safe)
    for one in inside:
        if one.code in switchable() and (one.severity is not Severity.ERROR or one.code in LINTS):
            at, comment = allowing(document.source, one.code, one.span.start)
            title = f"allow {one.code} here, by a comment"
            yield _fix(document, title, [(Span(at, at), comment)], diagnostic_of(document, one, pages), False)


def _fix(
    document: Document, title: str, edits: Sequence[tuple[Span, str]], found: lsp.Diagnostic, safe: bool
) -> lsp.CodeAction:
    return lsp.CodeAction(
        title=title,
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[found],
        is_preferred=safe,
        edit=changes(document, edits),
    )


def fix_all(document: Document, options: Options) -> Iterator[lsp.CodeAction]:
    """The action that applies all safe helps, as `gradual check --fix` does; none if there are none."""
    after = fixed(document.source, options, unsafe=False)
    if after.applied:
        same, rest = alike(document.text, after.text)
        span = Span(same, len(document.text) - rest)
        edit = changes(document, [(span, after.text[same : len(after.text) - rest])])
        yield lsp.CodeAction(title="apply all safe helps", kind=FIX_ALL, edit=edit)
