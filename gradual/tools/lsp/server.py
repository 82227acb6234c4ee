"""The language server: requests of the protocol, answered by `features` and `answers`.

A changed text is checked when nothing has been typed for a moment, or when the editor asks for its diagnostics;
requests are answered from the current version, and from the findings of the last version that was checked.
"""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from gradual.interface.input.settings import Given
from gradual.tools.lsp import features
from gradual.tools.lsp.answers.diagnostics import pages_of
from gradual.tools.lsp.requests.actions import add_actions
from gradual.tools.lsp.requests.diagnostics import add_diagnostics
from gradual.tools.lsp.requests.models import add_models
from gradual.tools.lsp.requests.structure import add_structure
from gradual.tools.lsp.session import Server


def serving(given: Given | None = None, documentation: str | None = None) -> Server:
    """A server with all its features; the settings `given` take precedence over every configuration.

    `documentation` is the address of the documentation site, to which diagnostics link.
    """
    server = Server(given, documentation)
    _texts(server)
    _names(server)
    _typing(server)
    add_actions(server)
    add_diagnostics(server)
    add_structure(server)
    add_models(server)
    return server


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.take(params.text_document.uri)
        if not server.is_asked:
            server.check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.take(params.text_document.uri)
        server.check_soon(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        gone = server.texts.pop(uri, None)
        if gone is not None and gone.waiting is not None:
            gone.waiting.cancel()
        if not server.is_asked:
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def format(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        opened = server.at(params.text_document.uri, lsp.Position(0, 0))[0]
        return features.format_edits(opened.document, opened.settings.line_length)

    @server.feature(lsp.INITIALIZE)
    def started(params: lsp.InitializeParams) -> None:
        match params.initialization_options:
            case {"documentation": str(site)}:
                server.pages = pages_of(site)


def _names(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        server.settled(params.text_document.uri)
        opened, offset = server.at(params.text_document.uri, params.position)
        return features.hover(opened.document, opened.findings, offset)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        opened, offset = server.at(params.text_document.uri, params.position)
        return features.definition(opened.document, offset)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        opened, offset = server.at(params.text_document.uri, params.position)
        return features.references(opened.document, offset, params.context.include_declaration)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        opened, offset = server.at(params.text_document.uri, params.position)
        return [lsp.DocumentHighlight(one.range) for one in features.references(opened.document, offset, True)]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        opened, offset = server.at(params.text_document.uri, params.position)
        try:
            return features.rename(opened.document, offset, params.new_name)
        except features.NoName as reason:
            raise JsonRpcInvalidParams(str(reason)) from reason

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        opened, offset = server.at(params.text_document.uri, params.position)
        span = features.renamable(opened.document, offset)
        return None if span is None else features.range_of(opened.document, span)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return features.symbols(server.at(params.text_document.uri, lsp.Position(0, 0))[0].document)

    legend = lsp.SemanticTokensLegend(features.TOKENS, features.MODIFIERS)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        opened, _ = server.at(params.text_document.uri, lsp.Position(0, 0))
        return lsp.SemanticTokens(features.tokens(opened.document))

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        server.settled(params.text_document.uri)
        opened, span = server.span(params.text_document.uri, params.range)
        return features.hints(opened.document, opened.findings, span)


def _typing(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["%", "@", ".", "("]))
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        opened, offset = server.at(params.text_document.uri, params.position)
        return features.completions(opened.document, opened.findings, offset)

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        opened, offset = server.at(params.text_document.uri, params.position)
        return features.signature_help(opened.document, opened.findings, offset)
