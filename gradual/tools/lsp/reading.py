"""A text that is being edited, parsed: after a change only the text around it is parsed again.

A definition with syntax errors is broken: it has no place, and something else stands for it (`recovery.standins`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from gradual.diagnostic import Diagnostic
from gradual.record import record
from gradual.source import NOWHERE, Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.parsing.blanks import line_end
from gradual.syntax.parsing.lexer import METADATA_MARK
from gradual.syntax.tree import ast
from gradual.tools.lsp.pieces import Piece, Place
from gradual.tools.lsp.recovery.chunks import Chunk, chunks, names_in
from gradual.tools.lsp.recovery.drafts import LONG, MANY, drafted, named_only
from gradual.tools.lsp.recovery.standins import EMPTY, Memory, Standin, standins_for
from gradual.tools.lsp.trees import Change, alike, moved, with_statements


@record(eq=False, slots=False)
class Reading:
    """A text, parsed.

    Attributes:
        code: the text, in which a comment that does not end is blank up to the end of its line.
        head: the module without its definitions.
        places: the definitions without syntax errors, in order.
        broken: the stretch with all syntax errors, outside of which each definition could be parsed without the others.
        memory: what the broken definitions were before.
    """

    text: str
    code: str
    head: ast.Module
    places: Sequence[Place]
    broken: Span | None
    memory: Memory = EMPTY

    @cached_property
    def module(self) -> ast.Module:
        """The tree of the whole text, with its own spans; of broken functions, what is left of them."""
        places = sorted((*self.places, *self._drafts), key=lambda place: place.start)
        definitions = tuple(moved(place.piece.tree, place.by) for place in places)
        head = self.head
        return ast.Module(head.version, head.settings, definitions, head.metadata, head.metadata_text)

    @cached_property
    def _chunks(self) -> Sequence[Chunk]:
        """The broken definitions."""
        if self.broken is None:
            return ()
        inside = [place for place in self.places if self.broken.start <= place.start < self.broken.end]
        starts = (self.broken.start, *(place.end for place in inside))
        ends = (*(place.start for place in inside), self.broken.end)
        return [one for gap in map(Span, starts, ends) for one in chunks(self.code, gap)]

    @cached_property
    def _drafts(self) -> Sequence[Place]:
        """What is left of the broken definitions, at least their names."""
        found = []
        for number, one in enumerate(self._chunks):
            text = self.code[one.start : one.end]
            tree = (self._left_of(one, text) if number < MANY else None) or named_only(text, one)
            found += [] if tree is None else [Place(Piece(tree, self.text[one.start : one.end]), one.start)]
        return found

    def _left_of(self, chunk: Chunk, text: str) -> ast.Def | None:
        """What is left of a broken function; of a long one, what is as it was when it last could be parsed."""
        if not chunk.is_function:
            return None
        some = self.standins if len(text) >= LONG else ()
        kept = next((one.shortened() for one in some if one.piece.name == chunk.name), None)
        made = drafted(text) if kept is None else None
        return kept if made is None else made.original

    @cached_property
    def standins(self) -> Sequence[Standin]:
        """What the other definitions are checked against, in place of the broken ones."""
        good = {place.piece.name for place in self.places}
        return standins_for(self.code, self._chunks, good, self.memory) if self._chunks else ()

    @cached_property
    def unknown(self) -> frozenset[str]:
        """The names that broken definitions may define, for which nothing stands."""
        known = {place.piece.name for place in self.placed}
        return frozenset(name for one in self._chunks if one.name not in known for name in names_in(self.code, one))

    # ------------------------------------------------------------------------- the text with the stand-ins at its end
    @cached_property
    def end(self) -> int:
        """Where the definitions end; after it there can only be metadata."""
        last = self.places[-1].end if self.places else 0
        section = self.text.find(METADATA_MARK, last)
        return section if section >= 0 else max(last, 0 if self.broken is None else self.broken.end)

    @cached_property
    def extended(self) -> str:
        """The text with the stand-ins inserted at its end, each on a line of its own."""
        inserted = "".join(f"\n{one.piece.text}\n" for one in self.standins)
        return self.text[: self.end] + inserted + self.text[self.end :]

    @cached_property
    def placed(self) -> Sequence[Place]:
        """The definitions and stand-ins in the extended text."""
        at, found = self.end, list(self.places)
        for one in self.standins:
            found.append(Place(one.piece, at + 1))
            at = found[-1].end + 1
        return found

    def shown(self, span: Span) -> Span | None:
        """A span of the extended text in the text; None in a part of a stand-in that the text does not have."""
        if span.end <= self.end or span == NOWHERE:
            return span
        at = bisect_right(self.placed, span.start, key=lambda place: place.start) - 1
        if at < len(self.places) or span.start >= self.placed[at].end:
            return None
        start = self.placed[at].start
        return self.standins[at - len(self.places)].shown(Span(span.start - start, span.end - start))

    def typed(self, wanted: Span) -> set[int]:
        """The offsets of names that are bound with a written type, among them all in a part of the text."""
        found = {start + place.by for place in self.places for start in place.piece.typed(place.back(wanted))}
        for one in self.standins:
            tree = one.piece.tree.span
            part = one.covering(wanted)
            inside = one.piece.typed(Span(part.start + tree.start, part.end + tree.start))
            names = (one.shown(Span(at - tree.start, at - tree.start + 1)) for at in inside)
            found |= {span.start for span in names if span is not None}
        return found

    @property
    def is_plain(self) -> bool:
        """Whether the text has only definitions, so that what is around a change can be parsed alone."""
        return METADATA_MARK not in self.text and not any(_is_script(place.piece.tree) for place in self.places)


def read(source: Source, before: Reading | None = None) -> Reading:
    """A text, parsed; what is the same as in a text that was read before is not parsed again."""
    if before is None:
        return _whole(source)
    change = _between_texts(before.text, source.text)
    found = (_changed(source.text, before, change) if before.is_plain else None) or _whole(source)
    return found if found.broken is None else replace(found, memory=_memory(before, change))


def _memory(before: Reading, change: Change) -> Memory:
    """The definitions of the text before a change, and which of them are near it."""
    named = {place.piece.name: place for place in reversed(before.places) if not _is_script(place.piece.tree)}
    near = {name for name, place in named.items() if place.start <= change.old and change.start <= place.end}
    pieces = {name: place.piece for name, place in named.items()}
    return before.memory.after(pieces, before.standins, near)


def _whole(source: Source) -> Reading:
    text = code = source.text
    module, errors = parse(source, mend=False)
    while (open := next((one.span.start for one in errors if _is_open_comment(one, code)), None)) is not None:
        end = line_end(code, open)
        code = code[:open] + " " * (end - open) + code[end:]
        module, others = parse(Source(source.name, code), mend=False)
        errors = sorted([*errors, *others], key=lambda one: one.span.start)
    places = tuple(_placed(module, text, 0, errors))
    return Reading(text, code, _head(module), places, _broken(text, places, errors, 0))


def _is_open_comment(error: Diagnostic, text: str) -> bool:
    return error.rule == "syntax.comment" and text.startswith("/*", error.span.start)


def _placed(module: ast.Module, text: str, at: int, errors: Sequence[Diagnostic]) -> Iterator[Place]:
    """The definitions without errors of a module that was parsed from a text that begins at an offset."""
    wrong = [one.span.start for one in errors]
    for one in module.definitions:
        start, end = one.span.start, one.span.end
        inside = bisect_right(wrong, start)  # an error at its first word is one of what is before it
        if inside == len(wrong) or wrong[inside] >= end:
            yield Place(Piece(one, text[at + start : at + end]), at + start)


def _broken(text: str, places: Sequence[Place], errors: Sequence[Diagnostic], by: int) -> Span | None:
    """The stretch of a text from the last definition before its syntax errors to the first one after them.

    The spans of the errors have to be moved by `by`.
    """
    if not errors:
        return None
    start, end = min(one.span.start for one in errors) + by, max(one.span.end for one in errors) + by
    first, last = _around(places, text, Change(start, end, end))
    return _between(places, first, last, len(text))


def _between_texts(before: str, text: str) -> Change:
    """The stretch that was replaced."""
    same, rest = alike(before, text)
    return Change(same, len(before) - rest, len(text) - rest)


def _changed(text: str, before: Reading, change: Change) -> Reading | None:
    """The text, of which only what is around the change is parsed; None if that cannot be parsed alone."""
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
    return Reading(text, text, before.head, (*before.places[:at], changed, *after), None)


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
    by = start - len(lead)
    new = (*places[:first], *_placed(part, text, by, errors), *kept)
    return Reading(text, text, before.head if first else _head(module), new, _broken(text, new, errors, by))


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
    is_script = any(map(_is_script, found))
    if is_script or (fails and text.count("/*") != text.count("*/")):
        return False
    spans, size = {one.span for one in found}, len(_OTHER)
    return (not leads or Span(0, size) in spans) and (not goes_on or Span(len(text) - size, len(text)) in spans)


def _is_script(tree: ast.Definition) -> bool:
    """Whether a definition is a text that is one expression."""
    return isinstance(tree, ast.Def) and tree.implicit


def _head(module: ast.Module) -> ast.Module:
    return ast.Module(module.version, module.settings, (), module.metadata, module.metadata_text)
