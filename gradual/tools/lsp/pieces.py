"""The definitions of a text that is being edited.

A definition keeps its tree while its text is unchanged.  The spans of the tree are offsets in the text from which it
was parsed; a `Place` says where the definition is now, and by how much the spans have to be moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache, cached_property
from typing import Any

from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.tables import tables
from gradual.syntax.tree import ast
from gradual.tools.lsp.trees import parts_of

_DECLARATION = re.compile(r"%[\w.:/]*[./][0-9][\w./]*[ \t]*:(?!:)")


@cache
def _function_name() -> re.Pattern[str]:
    """A name of a function, as the grammar has it."""
    return re.compile(next(one.pattern for one in tables().terminals if one.name == "GLOBAL"))


@record(eq=False, slots=False)
class Piece:
    """A definition: its tree, its text, and what follows from these alone."""

    tree: ast.Definition
    text: str

    @cached_property
    def name(self) -> str:
        """The name that it defines."""
        return self.tree.name if isinstance(self.tree.name, str) else self.tree.name.name

    @cached_property
    def mentions(self) -> frozenset[str]:
        """The functions that it mentions, also in comments and strings: a few too many, but found without its tree."""
        return frozenset(found[0] for found in _function_name().finditer(self.text)) - {self.name}

    @cached_property
    def declares(self) -> bool:
        """Whether it declares a name such as `%input.1`: after the declaration, `%input.1` is a name, no projection."""
        return _DECLARATION.search(self.text) is not None

    @cached_property
    def is_separate(self) -> bool:
        """Whether functions do not depend on its body, nor on its uses: all types of its parameters are written."""
        match self.tree:
            case ast.Def(function=function, implicit=False):
                return not any(is_open(param.annotation) for param in function.params)
            case ast.OperatorDef(body=body):
                return body is None
            case ast.Def():
                return False
            case _:
                return True

    def typed(self, span: Span) -> Iterator[int]:
        """The offsets of the names that are bound with a written type, in a part of the tree."""
        waiting: list[object] = [self.tree]
        while waiting:
            part = waiting.pop()
            if isinstance(part, tuple):
                waiting += part
            elif is_dataclass(part) and _meets(part, span):
                waiting += [getattr(part, name) for name in parts_of(part.__class__)]
                if isinstance(part, ast.Let | ast.Param | ast.FreeVar) and part.annotation is not None:
                    yield (part.name or part).span.start


def _meets(node: Any, span: Span) -> bool:
    """Whether a node overlaps a span; a node that has no span itself counts, since it may have parts that overlap."""
    own = getattr(node, "span", span)
    return own.start < span.end and span.start < own.end


def is_open(type: ast.Type | None) -> bool:
    """Whether a type, or a part of it, is omitted."""
    match type:
        case None | ast.Omitted():
            return True
        case ast.TupleType(fields=parts):
            return any(map(is_open, parts))
        case ast.RefType(content):
            return is_open(content)
        case ast.NamedType(_, arguments):
            return any(map(is_open, arguments))
        case ast.FnType(_, params, result):
            return any(map(is_open, (*params, result)))
        case _:
            return False


@record
class Place:
    """A piece, and where it begins in the text."""

    piece: Piece
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.piece.text)

    @property
    def by(self) -> int:
        """By how much the spans of its tree have to be moved."""
        return self.start - self.piece.tree.span.start

    def back(self, span: Span) -> Span:
        """A span of the text, converted to the offsets that the spans of the tree use."""
        return Span(span.start - self.by, span.end - self.by)
