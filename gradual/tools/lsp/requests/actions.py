"""Quick fixes, and the action that applies all safe helps."""

from __future__ import annotations

from lsprotocol import types as lsp

from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic
from gradual.report.residual import residual
from gradual.source import Span
from gradual.tools.lsp.answers.actions import FIX_ALL, KINDS, fix_all, fixes, is_wanted
from gradual.tools.lsp.session import Opened, Server


def add_actions(server: Server) -> None:
    """Answer requests for actions at a range."""

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(KINDS))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        server.settled(params.text_document.uri)
        opened, span = server.span(params.text_document.uri, params.range)
        only, found = params.context.only, list[lsp.CodeAction]()
        if is_wanted(lsp.CodeActionKind.QuickFix, only):
            some = [*opened.findings.diagnostics, *_checks(opened, span)]
            found += fixes(opened.document, some, span, server.pages)
        if is_wanted(FIX_ALL, only) and (only is not None or _has_safe(opened)):
            found += fix_all(opened.document, opened.settings.options)
        return found


def _has_safe(opened: Opened) -> bool:
    """Whether something was found that has a safe help."""
    return any(help.safe and help.edits for one in opened.findings.diagnostics for help in one.help)


def _checks(opened: Opened, span: Span) -> list[Diagnostic]:
    """The residual checks in a range with the annotations that would prove them, computed on request."""
    if not any(one.span.start <= span.end and span.start <= one.span.end for one in opened.findings.checks):
        return []
    compilation = compile_source(opened.document.source, opened.settings.options)
    return [
        residual(check, help=compilation.help(check))
        for check in compilation.checks
        if check.span.start <= span.end and span.start <= check.span.end
    ]
