"""The command that checks a model."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import to_fs_path

from gradual.interface.terminal import Trouble
from gradual.tools.lsp.answers.models import checked_model
from gradual.tools.lsp.session import Server

CHECK_MODEL = "gradual.checkModel"


def add_models(server: Server) -> None:
    """Let the editor check models; what is found is published, since no editor asks for it."""

    @server.command(CHECK_MODEL)
    def check_model(path: str) -> str:
        """Check a model, given by path or URI, and publish its diagnostics in the files it was exported from."""
        path = to_fs_path(path) or path
        for uri in server.models.pop(path, ()):
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        try:
            compilation, found = checked_model(
                path, server.settings(Path(path).absolute().as_uri()).of_models, server.pages
            )
        except Trouble as trouble:
            server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, trouble.message))
            return trouble.message
        server.models[path] = tuple(found)
        for uri, diagnostics in found.items():
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics))
        return compilation.totals
