"""A model checked from the editor: diagnostics appear in the Python files that the model was exported from."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

from lsprotocol import types as lsp

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.diagnostic import Diagnostic
from gradual.interface.input.program_text import read
from gradual.limits import Options
from gradual.report.located import within
from gradual.source import NOWHERE, Source, Span
from gradual.tools.lsp.answers.diagnostics import Pages, shown
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.features import range_of

Published = dict[str, list[lsp.Diagnostic]]
"""URI of a file -> the diagnostics shown in it."""


def checked_model(path: str, options: Options, pages: Pages) -> tuple[Compilation, Published]:
    """Check a model; its diagnostics by the files they are shown in.  Raises Trouble where it cannot be imported.

    A diagnostic is shown at the line of the user's own code, if the model recorded it and the file is there, found from
    the folder of the model or one above it; else in the model's own file.
    """
    compilation = compile_source(read(path).source, options)
    found: Published = defaultdict(list)
    for one in compilation.diagnostics:
        uri, range = _placed(compilation.source, one.span, path)
        found[uri].append(_diagnostic(compilation.source, one, range, path, pages))
    return compilation, dict(found)


def _diagnostic(source: Source, found: Diagnostic, range: lsp.Range, path: str, pages: Pages) -> lsp.Diagnostic:
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(*_placed(source, one.span, path)), one.label or "here")
        for one in found.related
        if one.span != NOWHERE
    ]
    return shown(found, range, related, pages)


def _placed(source: Source, span: Span, path: str) -> tuple[str, lsp.Range]:
    """The file in which a span of a model is shown, and where in it."""
    text, where = within(source)(span)
    file = _file(text.name, path) if text.is_numbered and text is not source else None
    if file is None:
        return Path(path).absolute().as_uri(), lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    uri = file.as_uri()
    return uri, range_of(Document(uri, text.text, None), where)


def _file(name: str, model: str) -> Path | None:
    """The file of a frame: as it was recorded, or below the model's folder or one above it."""
    if os.path.isabs(name):
        return Path(name) if os.path.isfile(name) else None
    folder = Path(model).absolute().parent
    return next((one / name for one in (folder, *folder.parents) if (one / name).is_file()), None)
