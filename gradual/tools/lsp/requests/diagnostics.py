"""Diagnostics that the editor asks for, of a text or of all programs in its folders."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import to_fs_path

from gradual.tools.lsp.answers.diagnostics import diagnostics, result_id
from gradual.tools.lsp.answers.programs import programs_in
from gradual.tools.lsp.session import Server


def add_diagnostics(server: Server) -> None:
    """Answer an editor that asks for diagnostics."""

    @server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, lsp.DiagnosticOptions(False, True, identifier="gradual"))
    def of_text(params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        found = _of_text(server, params.text_document.uri)
        known = result_id(found)
        if known == params.previous_result_id:
            return lsp.RelatedUnchangedDocumentDiagnosticReport(known)
        return lsp.RelatedFullDocumentDiagnosticReport(found, result_id=known)

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        before = {one.uri: one.value for one in params.previous_result_ids}
        items: list[lsp.WorkspaceDocumentDiagnosticReport] = []
        for path in programs_in(server.folders()):
            items.append(_report(server, path, before))
            await asyncio.sleep(0)  # other requests are answered between two files
        return lsp.WorkspaceDiagnosticReport(items)


def _of_text(server: Server, uri: str) -> list[lsp.Diagnostic]:
    """The diagnostics of a text, which is checked again if it or its settings have changed."""
    opened = server.texts.get(uri)
    if opened is None:
        path = to_fs_path(uri)
        return [] if path is None else server.programs.diagnostics(Path(path), server.settings(uri), server.pages)
    if opened.checked is not opened.document or opened.settings != server.settings(uri):
        server.check(uri)
    return diagnostics(opened.document, opened.findings, server.pages)


def _report(server: Server, path: Path, before: dict[str, str]) -> lsp.WorkspaceDocumentDiagnosticReport:
    """The report on a program, which may be open."""
    uri = next((uri for uri in server.texts if to_fs_path(uri) == str(path.absolute())), path.absolute().as_uri())
    opened, found = server.texts.get(uri), _of_text(server, uri)
    known, version = result_id(found), None if opened is None else opened.document.version
    if known == before.get(uri):
        return lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri, known, version)
    return lsp.WorkspaceFullDocumentDiagnosticReport(uri, found, version, result_id=known)
