"""The definitions of a text that is being edited: after a change only the text around it is parsed again.

A definition keeps its tree while its text is unchanged.  The spans of the tree are offsets in the text from which it
was parsed; a `Place` says where the definition is now, and by how much the spans have to be moved.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from functools import cache, cached_property
from typing import Any

from gradual.diagnostic import Diagnostic
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.parsing.lexer import METADATA_MARK
from gradual.syntax.parsing.tables import tables
from gradual.syntax.tree import ast
from gradual.tools.lsp.trees import Change, moved, parts_of, with_statements

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


@record(eq=False, slots=False)
class Reading:
    """A text, parsed.

    Attributes:
        head: the module without its definitions.
        places: the definitions that could be parsed, in order.
        broken: the stretch with all syntax errors, outside of which each definition could be parsed without the others.
    """

    text: str
    head: ast.Module
    places: Sequence[Place]
    broken: Span | None

    @cached_property
    def module(self) -> ast.Module:
        """The tree of the whole text, with its own spans."""
        definitions = tuple(moved(place.piece.tree, place.by) for place in self.places)
        head = self.head
        return ast.Module(head.version, head.settings, definitions, head.metadata, head.metadata_text)

    @property
    def is_plain(self) -> bool:
        """Whether the text has only definitions, so that what is around a change can be parsed alone."""
        trees = (place.piece.tree for place in self.places)
        return METADATA_MARK not in self.text and not any(isinstance(one, ast.Def) and one.implicit for one in trees)


def read(source: Source, before: Reading | None = None) -> Reading:
    """A text, parsed; what is the same as in a text that was read before is not parsed again."""
    again = _changed(source.text, before) if before is not None and before.is_plain else None
    if again is not None:
        return again
    text = source.text
    module, errors = parse(source, mend=False)
    places = tuple(_placed(module, text, 0))
    return Reading(text, _head(module), places, _broken(text, places, errors))


def _placed(module: ast.Module, text: str, at: int) -> Iterator[Place]:
    """The definitions of a module that was parsed from a text that begins at an offset."""
    for one in module.definitions:
        start, end = at + one.span.start, at + one.span.end
        yield Place(Piece(one, text[start:end]), start)


def _broken(text: str, places: Sequence[Place], errors: Sequence[Diagnostic]) -> Span | None:
    """The stretch of a text from the last definition before its syntax errors to the first one after them."""
    if not errors:
        return None
    change = Change(min(one.span.start for one in errors), *2 * (max(one.span.end for one in errors),))
    first, last = _around(places, text, change)
    return _between(places, first, last, len(text))


def _changed(text: str, before: Reading) -> Reading | None:
    """The text, of which only what is around the change is parsed; None if that cannot be parsed alone."""
    same, rest = _alike(before.text, text)
    change = Change(same, len(before.text) - rest, len(text) - rest)
    if before.broken is not None:
        return _with_definitions(text, before, change.with_stretch(before.broken))
    return _with_statements(text, before, change) or _with_definitions(text, before, change)


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
    if place.piece.declares or changed.piece.declares:
        return None
    after = (Place(one.piece, one.start + change.grown) for one in before.places[at + 1 :])
    return Reading(text, before.head, (*before.places[:at], changed, *after), None)


_OTHER = "def @_() { 0 }"
"""What is parsed before and after a part of a text, in place of the definitions there."""


def _with_definitions(text: str, before: Reading, change: Change) -> Reading | None:
    """The text after a change that is parsed again from the definition before it to the one after it."""
    places = before.places
    first, last = _around(places, before.text, change)
    old = _between(places, first, last, len(before.text))
    start, end = old.start, old.end + change.grown
    lead, rest = _OTHER if first else "", _OTHER if last < len(places) else ""
    whole = lead + text[start:end] + rest
    module, errors = parse(Source("", whole), mend=False)
    found = module.definitions
    if METADATA_MARK in text or not _is_apart(whole, found, bool(lead), bool(rest), bool(errors)):
        return None
    part = replace(module, definitions=found[bool(lead) : len(found) - bool(rest)])
    kept = (Place(place.piece, place.start + change.grown) for place in places[last:])
    new = (*places[:first], *_placed(part, text, start - len(lead)), *kept)
    return Reading(text, before.head if first else _head(module), new, Span(start, end) if errors else None)


def _around(places: Sequence[Place], text: str, change: Change) -> tuple[int, int]:
    """The number of definitions before a change, and of those up to the end of the change.

    A definition after it begins its line, so that no comment before it on the line can swallow it.
    """
    first = sum(place.end < change.start for place in places)
    while first and places[first - 1].piece.text[-1] not in "};":  # the text after such a definition may continue it
        first -= 1
    last = first
    while last < len(places) and not (places[last].start > change.old and text[places[last].start - 1] == "\n"):
        last += 1
    return first, last


def _between(places: Sequence[Place], first: int, last: int, end: int) -> Span:
    """The stretch between two definitions of a text."""
    return Span(places[first - 1].end if first else 0, places[last].start if last < len(places) else end)


def _is_apart(text: str, found: Sequence[ast.Definition], leads: bool, goes_on: bool, fails: bool) -> bool:
    """Whether a part of a text between two other definitions is parsed as it is in the whole text."""
    is_script = any(isinstance(one, ast.Def) and one.implicit for one in found)
    if is_script or (fails and text.count("/*") != text.count("*/")):
        return False
    spans, size = {one.span for one in found}, len(_OTHER)
    return (not leads or Span(0, size) in spans) and (not goes_on or Span(len(text) - size, len(text)) in spans)


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
