"""Every name of a program with its symbol: definitions and uses by their spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.scopes import Kind, Scopes, Symbol


@record
class Occurrence:
    """A name in the text."""

    span: Span
    symbol: Symbol


class Names(Scopes):
    """The names of a module."""

    def __init__(self, module: ast.Module, text: str) -> None:
        self.occurrences: list[Occurrence] = []
        self.symbols: list[Symbol] = []
        super().__init__(module, text)
        self.occurrences.sort(key=lambda one: one.span.start)

    def defined(self, symbol: Symbol, span: Span) -> None:
        """Record a symbol and its definition."""
        self.symbols.append(symbol)
        self.occurrences.append(Occurrence(span, symbol))

    def used(self, symbol: Symbol, start: int) -> None:
        """Record a use."""
        self.occurrences.append(Occurrence(Span(start, start + len(symbol.name)), symbol))

    def at(self, offset: int) -> Occurrence | None:
        """The occurrence at an offset, or one that ends there."""
        found = None
        for one in self.occurrences:
            if one.span.start > offset:
                break
            if offset <= one.span.end:
                found = one
        return found

    def uses(self, symbol: Symbol) -> list[Occurrence]:
        """Every occurrence of a symbol, its definition included."""
        return [one for one in self.occurrences if one.symbol is symbol]


def outline(module: ast.Module) -> Iterator[tuple[str, Kind, Span, list[tuple[str, Kind, Span]]]]:
    """The definitions of a file, and the constructors of its types."""
    for definition in module.definitions:
        match definition:
            case ast.Def(name=ast.Global(name), span=span):
                yield name, Kind.FUNCTION, span, []
            case ast.OperatorDef(name=ast.Name(name), span=span):
                yield name, Kind.OPERATOR, span, []
            case ast.TypeDef(name, _, constructors, span):
                yield name, Kind.TYPE, span, [(one.name, Kind.CONSTRUCTOR, one.span) for one in constructors]
            case ast.ExternType(name, _, span):
                yield name, Kind.TYPE, span, []


def everything(node: object) -> Iterator[object]:
    """A node and all nodes inside it, in no particular order."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part
        elif is_dataclass(part) and not isinstance(part, Span):
            yield part
            waiting += [getattr(part, one.name) for one in fields(part)]
