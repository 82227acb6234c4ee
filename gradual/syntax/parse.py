"""The door of reading: the tree that a text spells, and what is wrong with it, with a change that lets it be read."""

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
    """The module that a text spells, as far as it can be read, and every syntax error.   [syntax.token]

    Changes with which it could be read are looked for where `mend` says so.
    """
    text = source.text
    section = _section(text)
    metadata, broken = _decoded(text, section)
    reading = read(text, "module", metadata)
    module = reading.value or ast.Module(None, (), ())
    if reading.section != section:  # the words stood in a comment, or the section begins inside a line
        metadata, broken = _decoded(text, reading.section)
    diagnostics = (_helped(text, "module", metadata, reading) if mend else reading.diagnostics) + broken
    return replace(module, metadata=metadata.constants), _in_order(diagnostics)


def parse_fragment(source: Source) -> tuple[Fragment, list[Diagnostic]]:
    """What was typed into a session: definitions, items (the last may lack its `;`), or an expression."""
    reading = read(source.text, "fragment", NO_METADATA)
    return reading.value or (), _in_order(_helped(source.text, "fragment", NO_METADATA, reading))


def parse_incomplete(text: str) -> bool:
    """Whether nothing is wrong with a text of a session but that it stops too early."""
    return read(text, "fragment", NO_METADATA).incomplete


def _in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.span.start)


# ----------------------------------------------------------------------------------------------- metadata
_SECTION = re.compile(r"^#\[metadata\]", re.MULTILINE)


def _section(text: str) -> int | None:
    """Where the metadata section begins; it is needed before the keys that stand for sizes are met."""
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
"""For how many syntax errors of a text a change is looked for."""


def _helped(text: str, start: str, metadata: Metadata, reading: Reading) -> list[Diagnostic]:
    """What is wrong, with a change that lets it be read where one is found.  [syntax.token]"""
    if not reading.failures:
        return reading.diagnostics
    from gradual.syntax.repair.suggestions import mending

    def reach(changed: str, cut: bool) -> int | None:
        found = read(changed, start, metadata)
        return None if not found.diagnostics or (cut and found.incomplete) else found.diagnostics[0].span.start

    broken = [failure for failure in reading.failures[:MENDED] if "comment" not in failure.diagnostic.data]
    helps = {id(found): mending(text, begin, at, reach) for found, begin, at in broken}
    return [replace(one, help=(found,)) if (found := helps.get(id(one))) else one for one in reading.diagnostics]
