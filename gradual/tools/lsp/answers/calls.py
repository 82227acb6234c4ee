"""The call hierarchy: which functions mention a function, and which functions it mentions."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from gradual.source import Span
from gradual.syntax.tree.names import outline
from gradual.syntax.tree.scopes import Kind, Symbol
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.features import SYMBOLS, range_of

_CALLED = (Kind.FUNCTION, Kind.OPERATOR)


def item_at(document: Document, offset: int) -> lsp.CallHierarchyItem | None:
    """The function, or the operator that the file declares, whose name is at a position."""
    symbol = _symbol_at(document, offset)
    return None if symbol is None else _item(document, symbol)


def _symbol_at(document: Document, offset: int) -> Symbol | None:
    found = document.names.at(offset)
    if found is None or found.symbol.kind not in _CALLED or found.symbol.span is None:
        return None
    return found.symbol


def _item(document: Document, symbol: Symbol) -> lsp.CallHierarchyItem | None:
    """The definition of a symbol."""
    if symbol.span is None:
        return None
    whole = next(
        (span for _, _, span, _ in outline(document.module) if span.start <= symbol.span.start < span.end), None
    )
    name, kind = range_of(document, symbol.span), SYMBOLS[symbol.kind]
    return lsp.CallHierarchyItem(symbol.name, kind, document.uri, range_of(document, whole or symbol.span), name)


def incoming(document: Document, offset: int) -> list[lsp.CallHierarchyIncomingCall]:
    """The functions that mention the function at a position, with the places."""
    symbol = _symbol_at(document, offset)
    if symbol is None:
        return []
    uses = [one.span for one in document.names.uses(symbol) if one.span != symbol.span]
    return [
        lsp.CallHierarchyIncomingCall(item, [range_of(document, span) for span in inside])
        for caller, whole in _definitions(document)
        if (inside := [span for span in uses if whole.start <= span.start < whole.end])
        if (item := _item(document, caller)) is not None
    ]


def outgoing(document: Document, offset: int) -> list[lsp.CallHierarchyOutgoingCall]:
    """The functions of the file that the function at a position mentions, with the places."""
    symbol = _symbol_at(document, offset)
    whole = next((span for one, span in _definitions(document) if one is symbol), Span(0, 0))
    places: dict[Symbol, list[lsp.Range]] = {}
    for one in document.names.occurrences:
        if one.symbol.kind in _CALLED and one.symbol.span not in (None, one.span) and _inside(one.span, whole):
            places.setdefault(one.symbol, []).append(range_of(document, one.span))
    items = ((_item(document, called), ranges) for called, ranges in places.items())
    return [lsp.CallHierarchyOutgoingCall(item, ranges) for item, ranges in items if item is not None]


def _inside(span: Span, whole: Span) -> bool:
    return whole.start <= span.start < whole.end


def _definitions(document: Document) -> Iterator[tuple[Symbol, Span]]:
    """The functions and operators of a file, each with the span of its definition."""
    named = {one.span.start: one for one in document.names.symbols if one.kind in _CALLED and one.span is not None}
    starts = sorted(named)
    for _, kind, span, _ in outline(document.module):
        at = next((start for start in starts if span.start <= start < span.end), None)
        if kind in _CALLED and at is not None:
            yield named[at], span
