"""Requests about the structure of texts: folding, calls, and the definitions in all folders of the editor."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.uris import to_fs_path

from gradual.tools.lsp.answers import calls
from gradual.tools.lsp.answers.folding import folds
from gradual.tools.lsp.answers.programs import is_like, programs_in, symbols_of
from gradual.tools.lsp.session import Server


def add_structure(server: Server) -> None:
    """Answer requests about the structure of texts."""

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        return folds(server.at(params.text_document.uri, lsp.Position(0, 0))[0].document)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    def prepare(params: lsp.CallHierarchyPrepareParams) -> list[lsp.CallHierarchyItem] | None:
        opened, offset = server.at(params.text_document.uri, params.position)
        item = calls.item_at(opened.document, offset)
        return None if item is None else [item]

    @server.feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)
    def incoming(params: lsp.CallHierarchyIncomingCallsParams) -> list[lsp.CallHierarchyIncomingCall]:
        opened, offset = server.at(params.item.uri, params.item.selection_range.start)
        return calls.incoming(opened.document, offset)

    @server.feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)
    def outgoing(params: lsp.CallHierarchyOutgoingCallsParams) -> list[lsp.CallHierarchyOutgoingCall]:
        opened, offset = server.at(params.item.uri, params.item.selection_range.start)
        return calls.outgoing(opened.document, offset)

    @server.feature(lsp.WORKSPACE_SYMBOL)
    def symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        open_paths = {to_fs_path(uri) for uri in server.texts}
        found = [one for opened in server.texts.values() for one in symbols_of(opened.document)]
        for path in programs_in(server.folders()):
            if str(path.absolute()) not in open_paths:
                found += server.programs.symbols(path)
        return [one for one in found if is_like(one.name, params.query)]
