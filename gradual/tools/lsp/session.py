"""The texts that are open in an editor, each with what was last found in it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from dataclasses import field
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from gradual import __version__
from gradual.interface.input.settings import Given, Settings, settings_for
from gradual.interface.terminal import Trouble
from gradual.record import record
from gradual.source import Span
from gradual.tools.lsp.answers.diagnostics import diagnostics, pages_of
from gradual.tools.lsp.answers.programs import Programs
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.findings import Findings, at_levels

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


class _Protocol(LanguageServerProtocol):
    """The protocol with columns in UTF-16 code units, which every client supports, whatever else one offers."""

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        """Answer the first request."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        result: lsp.InitializeResult = yield from super().lsp_initialize(params)
        return result


class Server(LanguageServer):
    """The language server, with the texts that are open, and the files that diagnostics of models are shown in."""

    def __init__(self, given: Given | None = None, documentation: str | None = None) -> None:
        super().__init__(
            "gradual",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            protocol_cls=_Protocol,
        )
        self.given = given or Given()
        self.pages = pages_of(documentation)
        self.texts: dict[str, Opened] = {}
        self.troubles: set[str] = set()
        self.models: dict[str, tuple[str, ...]] = {}
        self.programs = Programs()

    @property
    def is_asked(self) -> bool:
        """Whether the editor asks for diagnostics, so that none are published."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    def folders(self) -> list[str]:
        """The folders that the editor has opened."""
        uris = [one.uri for one in self.workspace.folders.values()] or [self.workspace.root_uri]
        return [path for uri in uris if uri is not None and (path := to_fs_path(uri)) is not None]

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
        """Check a text, and publish the findings if the editor does not ask for them."""
        if (opened := self.texts.get(uri)) is None:
            return
        document, settings = opened.document, self.settings(uri)
        if settings.options != opened.settings.options:
            opened.checker = Checker(settings.options)
        opened.settings = settings
        found_now = opened.checker.check(document)
        opened.findings, opened.checked = at_levels(found_now, document.source, settings.levels), document
        if not self.is_asked:
            found = diagnostics(document, opened.findings, self.pages)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, document.version))

    def check_soon(self, uri: str) -> None:
        """Check a text once no more changes arrive; if the editor asks for diagnostics, when it does."""
        opened = self.texts[uri]
        if self.is_asked:
            return
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
