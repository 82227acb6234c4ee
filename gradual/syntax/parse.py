"""The entry point of the parser: a text becomes a tree and its syntax errors, with edits that fix them."""

from __future__ import annotations

import re
from dataclasses import replace

from gradual.diagnostic import Diagnostic
from gradual.source import Source, Span
from gradual.syntax.parsing.lexer import METADATA_MARK
from gradual.syntax.parsing.metadata import NO_METADATA, Metadata, Undecodable, decoded
from gradual.syntax.parsing.reader import Reading, read
from gradual.syntax.tree import ast

Fragment = tuple[ast.Definition | ast.Item | ast.Expr, ...]


def parse(source: Source, mend: bool = True) -> tuple[ast.Module, list[Diagnostic]]:
    """Parse a module as far as possible, and collect every syntax error.   [syntax.token]

    With `mend`, an edit that fixes each error is searched for.
    """
    text = source.text
    section = _section(text)
    metadata, broken = _decoded(text, section)
    reading = read(text, "module", metadata)
    if reading.section != section:  # `#[metadata]` was in a comment, or not at the start of its line
        metadata, broken = _decoded(text, reading.section)
        reading = read(text, "module", metadata)
    module = reading.value or ast.Module(None, (), ())
    diagnostics = (_helped(text, "module", metadata, reading) if mend else reading.diagnostics) + broken
    return replace(module, metadata=metadata.constants), _in_order(diagnostics)


def parse_fragment(source: Source) -> tuple[Fragment, list[Diagnostic]]:
    """Parse the input of an interactive session: definitions, items (the last may lack its `;`), or an expression."""
    reading = read(source.text, "fragment", NO_METADATA)
    return reading.value or (), _in_order(_helped(source.text, "fragment", NO_METADATA, reading))


def parse_incomplete(text: str) -> bool:
    """Whether the only error in the input of a session is that it ends too early."""
    return read(text, "fragment", NO_METADATA).incomplete


def _in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.span.start)


# ----------------------------------------------------------------------------------------------- metadata
_SECTION = re.compile(r"^#\[metadata\]", re.MULTILINE)


def _section(text: str) -> int | None:
    """The offset of the metadata section.

    The section is decoded before the text is parsed, since the lexer replaces a reference `meta[kind][i]` whose entry
    is a size by that size.
    """
    match = _SECTION.search(text)
    return match and match.start()


def _decoded(text: str, section: int | None) -> tuple[Metadata, list[Diagnostic]]:
    if section is None:
        return NO_METADATA, []
    start = section + len(METADATA_MARK)
    try:
        return decoded(text[start:]), []
    except Undecodable as problem:
        message = f"the metadata cannot be read: {problem}"
        return NO_METADATA, [Diagnostic("E0106", "syntax.metadata", message, Span(section, start))]


# ----------------------------------------------------------------------------------------------- repair
MENDED = 8
"""For how many syntax errors of a text an edit is searched for."""


def _helped(text: str, start: str, metadata: Metadata, reading: Reading) -> list[Diagnostic]:
    """The syntax errors, each with an edit that fixes it if one is found.  [syntax.token]"""
    if not reading.failures:
        return reading.diagnostics
    from gradual.syntax.repair.suggestions import mending

    def reach(changed: str, cut: bool) -> int | None:
        found = read(changed, start, metadata)
        return None if not found.diagnostics or (cut and found.incomplete) else found.diagnostics[0].span.start

    broken = [failure for failure in reading.failures[:MENDED] if "comment" not in failure.diagnostic.data]
    helps = {id(found): mending(text, begin, at, reach) for found, begin, at in broken}
    return [replace(one, help=(found,)) if (found := helps.get(id(one))) else one for one in reading.diagnostics]
