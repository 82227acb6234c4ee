"""The programs in the folders of a workspace that are not open: their definitions and diagnostics, kept while a file is
unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from lsprotocol import types as lsp

from gradual.interface.input.files import PROGRAMS, Text, expanded
from gradual.interface.input.program_text import read
from gradual.interface.input.settings import Settings
from gradual.interface.terminal import Trouble
from gradual.record import record
from gradual.syntax.tree.names import outline
from gradual.tools.lsp.answers.diagnostics import Pages, diagnostics
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.features import SYMBOLS, range_of
from gradual.tools.lsp.findings import at_levels

Stamp = tuple[int, int]
"""When a file was last written, and its size."""


def programs_in(folders: Iterable[str]) -> Iterator[Path]:
    """The programs in some folders, except in hidden folders of these."""
    return (Path(path) for path in expanded(folders, PROGRAMS) if isinstance(path, str))


@record(eq=False)
class Programs:
    """What is known of closed files."""

    _symbols: dict[Path, tuple[Stamp, list[lsp.WorkspaceSymbol]]] = field(default_factory=dict)
    _found: dict[Path, tuple[Stamp, Settings, list[lsp.Diagnostic]]] = field(default_factory=dict)

    def symbols(self, path: Path) -> list[lsp.WorkspaceSymbol]:
        """The definitions of a file; none if it cannot be read."""
        stamp, known = _stamp(path), self._symbols.get(path)
        if known is None or known[0] != stamp:
            document = _document(path)
            known = self._symbols[path] = stamp, [] if document is None else symbols_of(document)
        return known[1]

    def diagnostics(self, path: Path, settings: Settings, pages: Pages) -> list[lsp.Diagnostic]:
        """The diagnostics of a file by some settings; none if it cannot be read."""
        stamp, known = _stamp(path), self._found.get(path)
        if known is None or known[:2] != (stamp, settings):
            document = _document(path)
            found = [] if document is None else _checked(document, settings, pages)
            known = self._found[path] = stamp, settings, found
        return known[2]


def _stamp(path: Path) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _document(path: Path) -> Document | None:
    try:
        text: Text = read(str(path))
    except Trouble:
        return None
    return Document(path.absolute().as_uri(), text.source.text, None)


def _checked(document: Document, settings: Settings, pages: Pages) -> list[lsp.Diagnostic]:
    found = Checker(settings.options).check(document)
    return diagnostics(document, at_levels(found, document.source, settings.levels), pages)


def symbols_of(document: Document) -> list[lsp.WorkspaceSymbol]:
    """The definitions of a text and the constructors of its types."""
    file = document.uri.rpartition("/")[2]
    found = []
    for name, kind, span, inner in outline(document.module):
        for one, its, place in ((name, kind, span), *inner):
            location = lsp.Location(document.uri, range_of(document, place))
            found.append(lsp.WorkspaceSymbol(location, one, SYMBOLS[its], container_name=file))
    return found


def is_like(name: str, query: str) -> bool:
    """Whether a name has the letters of a query in this order, in any case."""
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower())
