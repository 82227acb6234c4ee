"""The definitions of a text that is being edited: after a change only the text around it is parsed again.

A definition keeps its tree while its text is unchanged.  The spans of a tree count from where the text began that it
was parsed from, so a place says by how much they have to be moved.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import cache, cached_property
from typing import Any

from gradual.diagnostic import Diagnostic
from gradual.gc_paused import collector_paused
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.parsing.lexer import METADATA_MARK
from gradual.syntax.parsing.tables import tables
from gradual.syntax.tree import ast
from gradual.tools.lsp.trees import Change, moved, parts_of, with_statements


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
        """Where the names in a part of the tree are that are bound with a written type."""
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
    """Whether a node has something in a span; one that has no span itself may have parts there."""
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
        """A span of the text, as spans of the tree count."""
        return Span(span.start - self.by, span.end - self.by)


@record(eq=False, slots=False)
class Reading:
    """A text, parsed.

    Attributes:
        head: the module without its definitions.
        places: the definitions, in order.
        errors: the syntax errors.
    """

    text: str
    head: ast.Module
    places: Sequence[Place]
    errors: Sequence[Diagnostic]

    @cached_property
    def module(self) -> ast.Module:
        """The tree of the whole text, with its own spans."""
        with collector_paused():
            definitions = tuple(moved(place.piece.tree, place.by) for place in self.places)
        head = self.head
        return ast.Module(head.version, head.settings, definitions, head.metadata, head.metadata_text)

    @property
    def is_plain(self) -> bool:
        """Whether each definition can be parsed without the others."""
        if self.errors or METADATA_MARK in self.text:
            return False
        return not any(isinstance(one.piece.tree, ast.Def) and one.piece.tree.implicit for one in self.places)


def read(source: Source, before: Reading | None = None) -> Reading:
    """A text, parsed; what is the same as in a text that was read before is not parsed again."""
    if before is not None and before.is_plain:
        again = _changed(source, before)
        if again is not None:
            return again
    module, errors = parse(source)
    return Reading(source.text, _head(module), tuple(_placed(module, source.text, 0)), errors)


def _placed(module: ast.Module, text: str, at: int) -> Iterator[Place]:
    """The definitions of a module that was parsed from a text that begins at an offset."""
    for one in module.definitions:
        yield Place(Piece(one, text[one.span.start : one.span.end]), at + one.span.start)


def _changed(source: Source, before: Reading) -> Reading | None:
    """The text, of which only what is around the change is parsed; None if that cannot be parsed alone."""
    text = source.text
    same, rest = _alike(before.text, text)
    change = Change(same, len(before.text) - rest, len(text) - rest)
    return _with_statements(text, before, change) or _with_definitions(source, before, change)


def _with_statements(text: str, before: Reading, change: Change) -> Reading | None:
    """The text after a change inside the body of a function."""
    at = bisect_right(before.places, change.start, key=lambda place: place.start) - 1
    place = before.places[at] if at >= 0 else None
    if place is None or not isinstance(place.piece.tree, ast.Def) or METADATA_MARK in text:
        return None
    tree = with_statements(place.piece.tree, text, place.by, change)
    if tree is None:
        return None
    changed = Place(Piece(tree, text[place.start : place.end + change.grown]), place.start)
    after = (Place(one.piece, one.start + change.grown) for one in before.places[at + 1 :])
    return Reading(text, before.head, (*before.places[:at], changed, *after), ())


def _with_definitions(source: Source, before: Reading, change: Change) -> Reading | None:
    """The text after a change that is parsed again from the definition before it to the one after it."""
    text, places = source.text, before.places
    first = sum(place.end < change.start for place in places)
    while first and places[first - 1].piece.text[-1] not in "};":  # what comes next might be a part of it
        first -= 1
    last = first
    while last < len(places) and not _is_after(places[last], before.text, change):
        last += 1
    start = places[first - 1].end if first else 0
    end = places[last].start + change.grown if last < len(places) else len(text)
    part = text[start:end]
    module, errors = parse(Source(source.name, part), mend=False)
    found = Reading(text, _head(module), (*places[:first], *_placed(module, part, start)), errors)
    if not found.is_plain or (start and (module.version is not None or module.settings)):
        return None
    kept = (Place(place.piece, place.start + change.grown) for place in places[last:])
    return Reading(text, before.head if start else found.head, (*found.places, *kept), ())


def _is_after(place: Place, old: str, change: Change) -> bool:
    """Whether a definition begins a line after a change, so that no comment before it on its line can swallow it."""
    return place.start > change.old and old.startswith("\n", place.start - 1)


def _head(module: ast.Module) -> ast.Module:
    return ast.Module(module.version, module.settings, (), module.metadata, module.metadata_text)


def _alike(old: str, new: str) -> tuple[int, int]:
    """The lengths of the longest common prefix and of the longest common suffix of what then remains."""
    most = min(len(old), len(new))
    same = _longest(most, lambda size: old.startswith(new[:size]))
    return same, _longest(most - same, lambda size: old.endswith(new[len(new) - size :]))


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The greatest number up to `most` for which a condition holds that holds for all numbers below it."""
    return bisect_left(range(1, most + 1), True, key=lambda size: not holds(size))
