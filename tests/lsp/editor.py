"""An editor: the client of pygls, which reads every message by the protocol's types, and a server as its child."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

T = TypeVar("T")

PULLS = lsp.ClientCapabilities(
    general=lsp.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"]),
    text_document=lsp.TextDocumentClientCapabilities(diagnostic=lsp.DiagnosticClientCapabilities()),
)
"""What an editor can that asks for diagnostics, and would count columns in bytes."""


class Editor:
    """Starts a server, opens one text in it, and asks."""

    def __init__(
        self,
        uri: str = "file:///a.relay",
        can: lsp.ClientCapabilities | None = None,
        folder: Path | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.text = lsp.TextDocumentIdentifier(uri)
        self._can = can or lsp.ClientCapabilities()
        self._folder = folder
        self._options = options
        self._version = 0
        self._loop = asyncio.new_event_loop()
        self.client = LanguageClient("tests", "1")
        self.published: list[lsp.PublishDiagnosticsParams] = []
        self.shown: list[str] = []
        self.errors: list[Exception] = []

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.append(params)

        @self.client.feature(lsp.WINDOW_SHOW_MESSAGE)
        def shown(params: lsp.ShowMessageParams) -> None:
            self.shown.append(params.message)

    def __enter__(self) -> Editor:
        self.run(self.client.start_io(sys.executable, "-m", "gradual", "lsp"))
        folder = None if self._folder is None else self._folder.as_uri()
        asked = lsp.InitializeParams(self._can, root_uri=folder, initialization_options=self._options)
        self.server = self.run(self.client.initialize_async(asked)).capabilities
        self.client.initialized(lsp.InitializedParams())
        return self

    def __exit__(self, *error: object) -> None:
        self.run(self.client.shutdown_async(None))
        self.client.exit(None)
        self.run(self.client.stop())
        self._loop.close()

    def run(self, asked: Coroutine[Any, Any, T]) -> T:
        """The answer to a request; raises the error that the server gave instead."""
        return self._loop.run_until_complete(asyncio.wait_for(asked, 60))

    def write(self, text: str) -> None:
        """Open the text, or replace it."""
        self._version += 1
        if self._version == 1:
            item = lsp.TextDocumentItem(self.text.uri, "relay", 1, text)
            self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        else:
            version = lsp.VersionedTextDocumentIdentifier(self._version, self.text.uri)
            change = lsp.TextDocumentContentChangeWholeDocument(text)
            self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(version, [change]))

    def hints(self, first: int, last: int) -> list[tuple[int, int, object]]:
        """The inlay hints of some lines: line, column, label."""
        wanted = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        found = self.run(self.client.text_document_inlay_hint_async(lsp.InlayHintParams(self.text, wanted)))
        return [(one.position.line, one.position.character, one.label) for one in found or ()]

    def pulled(self, before: str | None = None) -> lsp.DocumentDiagnosticReport:
        """The diagnostics that the server gives when it is asked."""
        asked = lsp.DocumentDiagnosticParams(self.text, previous_result_id=before)
        return self.run(self.client.text_document_diagnostic_async(asked))

    def codes(self) -> list[object]:
        """The codes of the diagnostics."""
        found = self.pulled()
        assert isinstance(found, lsp.RelatedFullDocumentDiagnosticReport)
        return [one.code for one in found.items]
