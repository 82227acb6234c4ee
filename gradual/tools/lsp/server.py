"""The language server: requests of the protocol, answered by `features`.

A changed text is checked when nothing has been typed for a moment; requests are answered from the current version, and
from the findings of the last version that was checked.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import field
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from gradual import __version__
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic
from gradual.interface.input.settings import Given, Settings, settings_for
from gradual.interface.terminal import Trouble
from gradual.record import record
from gradual.report.residual import residual
from gradual.source import Span
from gradual.tools.lsp import features
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings, at_levels
from gradual.tools.lsp.models import checked_model

CHECK_MODEL = "gradual.checkModel"
"""The command that checks a model."""
PAUSE = 0.1
"""Seconds without a change after which a text is checked."""


@record(frozen=False, slots=False)
class Opened:
    """A text that is open in the editor.

    Attributes:
        checked: the version to which the findings belong.
        settings: the settings of its folder.
    """

    document: Document
    checker: Checker
    settings: Settings
    findings: Findings = field(default_factory=Findings)
    checked: Document | None = None
    waiting: asyncio.Task[None] | None = None


class Server(LanguageServer):
    """The language server, with the texts that are open, and the files that diagnostics of models are shown in."""

    def __init__(self, given: Given | None = None) -> None:
        super().__init__("gradual", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
        self.given = given or Given()
        self.texts: dict[str, Opened] = {}
        self.troubles: set[str] = set()
        self.models: dict[str, tuple[str, ...]] = {}

    def take(self, uri: str) -> Opened:
        """Read the current version of a text."""
        held = self.workspace.get_text_document(uri)
        if (opened := self.texts.get(uri)) is not None:
            opened.document = opened.document.after(held.source, held.version)
        else:
            settings = self.settings(uri)
            self.texts[uri] = Opened(Document(uri, held.source, held.version), Checker(settings.options), settings)
        return self.texts[uri]

    def settings(self, uri: str) -> Settings:
        """The settings for a text; a malformed configuration is reported once and ignored."""
        path = to_fs_path(uri)
        try:
            return self.given.over(Settings() if path is None else settings_for(os.path.dirname(path)))
        except Trouble as trouble:
            if trouble.message not in self.troubles:
                self.troubles.add(trouble.message)
                self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, trouble.message))
            return self.given.over(Settings())

    def check(self, uri: str) -> None:
        """Check a text and publish the findings."""
        if (opened := self.texts.get(uri)) is None:
            return
        document, settings = opened.document, self.settings(uri)
        if settings.options != opened.settings.options:
            opened.checker = Checker(settings.options)
        opened.settings = settings
        found_now = opened.checker.check(document)
        opened.findings, opened.checked = at_levels(found_now, document.source, settings.levels), document
        found = features.diagnostics(document, opened.findings)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, document.version))

    def check_soon(self, uri: str) -> None:
        """Check a text once no more changes arrive."""
        opened = self.texts[uri]
        if opened.waiting is not None:
            opened.waiting.cancel()
        opened.waiting = asyncio.ensure_future(self._later(uri))

    async def _later(self, uri: str) -> None:
        await asyncio.sleep(PAUSE)
        self.check(uri)

    def settled(self, uri: str) -> None:
        """Check a text now if it has changed since the last check, so that spans and edits fit the current version."""
        opened = self.texts.get(uri)
        if opened is not None and opened.checked is not opened.document:
            self.check(uri)

    def at(self, uri: str, position: lsp.Position) -> tuple[Opened, int]:
        """A text, and the offset of a position in it."""
        opened = self.texts[uri] if uri in self.texts else self.take(uri)
        return opened, opened.document.offset(position.line, position.character)

    def span(self, uri: str, wanted: lsp.Range) -> tuple[Opened, Span]:
        """A text, and a range in it."""
        opened, start = self.at(uri, wanted.start)
        return opened, Span(start, opened.document.offset(wanted.end.line, wanted.end.character))


def serving(given: Given | None = None) -> Server:
    """A server with all its features; the settings `given` take precedence over every configuration."""
    server = Server(given)
    _texts(server)
    _names(server)
    _typing(server)
    _models(server)
    return server


def _models(server: Server) -> None:
    @server.command(CHECK_MODEL)
    def check_model(path: str) -> str:
        """Check a model, given by path or URI, and publish its diagnostics in the files it was exported from."""
        path = to_fs_path(path) or path
        for uri in server.models.pop(path, ()):
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        try:
            compilation, found = checked_model(path, server.settings(Path(path).absolute().as_uri()).of_models)
        except Trouble as trouble:
            server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, trouble.message))
            return trouble.message
        server.models[path] = tuple(found)
        for uri, diagnostics in found.items():
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics))
        return compilation.totals


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.take(params.text_document.uri)
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
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def format(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        opened = server.at(params.text_document.uri, lsp.Position(0, 0))[0]
        return features.format_edits(opened.document, opened.settings.line_length)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        server.settled(params.text_document.uri)
        opened, span = server.span(params.text_document.uri, params.range)
        found = [*opened.findings.diagnostics, *_helped(server, opened, span)]
        return features.actions(opened.document, found, span)


def _helped(server: Server, opened: Opened, span: Span) -> list[Diagnostic]:
    """The residual checks in a range with the annotations that would prove them, computed on request."""
    if not any(one.span.start <= span.end and span.start <= one.span.end for one in opened.findings.checks):
        return []
    compilation = compile_source(opened.document.source, opened.settings.options)
    return [
        residual(check, help=compilation.help(check))
        for check in compilation.checks
        if check.span.start <= span.end and span.start <= check.span.end
    ]


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
