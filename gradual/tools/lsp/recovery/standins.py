"""What stands for broken definitions, so that the others can be checked as before.

For a function whose header is as it was, and for a definition whose header is broken, that is the definition as it last
could be parsed.  A function with a new header is what can be parsed of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field

from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.tools.lsp.pieces import Piece
from gradual.tools.lsp.recovery.chunks import Chunk
from gradual.tools.lsp.recovery.drafts import MANY, Draft, Drafted, drafted
from gradual.tools.lsp.trees import Change, alike, without_statements


@record(eq=False)
class Standin:
    """What stands for a broken definition.

    Attributes:
        start: where the broken definition begins.
        draft: how the stand-in was made of the broken definition; None for the definition as it last could be parsed.
        same: the length of what both begin with.
        rest: the length of what both end with.
        grown: by how much the broken definition is longer.
    """

    piece: Piece
    start: int
    draft: Draft | None
    same: int = 0
    rest: int = 0
    grown: int = 0

    def shown(self, span: Span) -> Span | None:
        """Where a span of the stand-in is in the text; None if the broken definition does not have that part."""
        if self.draft is not None:
            found = self.draft.original(span)
            kept = found is not None and found.end - found.start == span.end - span.start
            return Span(self.start + found.start, self.start + found.end) if found is not None and kept else None
        if span.end <= self.same:
            return Span(self.start + span.start, self.start + span.end)
        by = self.start + self.grown
        is_after = span.start >= len(self.piece.text) - self.rest
        return Span(span.start + by, span.end + by) if is_after else None

    def covering(self, span: Span) -> Span:
        """A span of the stand-in with everything that is in a span of the text."""
        if self.draft is not None:
            return Span(0, len(self.piece.text))
        return Span(span.start - self.start - max(self.grown, 0), span.end - self.start - min(self.grown, 0))

    def shortened(self) -> ast.Def | None:
        """The function without the statements that are broken now; None if more is broken than statements."""
        tree, by = self.piece.tree, self.piece.tree.span.start
        if self.draft is not None or not isinstance(tree, ast.Def):
            return None
        end = len(self.piece.text) - self.rest + by
        return without_statements(tree, Change(self.same + by, end, end + self.grown))


@record(eq=False)
class Memory:
    """The definitions of a text before its last change.

    Attributes:
        known: those that could be parsed, as they then were.
        drafts: what was left of functions that have never been parsed.
        near: the names of those around the change.
    """

    known: Mapping[str, Piece] = field(default_factory=dict)
    drafts: Mapping[str, Piece] = field(default_factory=dict)
    near: Set[str] = frozenset()

    def after(self, places: Mapping[str, Piece], standins: Iterable[Standin], near: Set[str]) -> Memory:
        """The memory after a change of a text with these definitions and stand-ins."""
        standing = list(standins)
        known = {one.piece.name: one.piece for one in standing if one.draft is None}
        drafts = {one.piece.name: one.piece for one in standing if one.draft is not None}
        return Memory({**known, **places}, drafts, near | known.keys())


EMPTY = Memory()


def standins_for(text: str, broken: Sequence[Chunk], good: Set[str], memory: Memory) -> Sequence[Standin]:
    """What stands for the broken definitions of a text, and for those near a change whose names were broken."""
    found: dict[str, Standin] = {}
    for number, chunk in enumerate(broken):
        if chunk.name and chunk.name not in good and chunk.name not in found:
            found.update((chunk.name, one) for one in _standin(text, chunk, memory, number < MANY))
    if not all(chunk.name in good or chunk.name in found for chunk in broken):
        lost = sorted(memory.near & memory.known.keys() - good - found.keys())
        found.update((name, Standin(memory.known[name], 0, None)) for name in lost)
    return tuple(found.values())


def _standin(text: str, chunk: Chunk, memory: Memory, drafts: bool) -> Iterator[Standin]:
    part, last = text[chunk.start : chunk.end], memory.known.get(chunk.name)
    is_new = chunk.is_function and (last is None or not part.startswith(_header(last)))
    made = drafted(part) if drafts and is_new else None
    if made is not None:
        yield Standin(_piece(made), chunk.start, made.draft)
    elif (piece := last or memory.drafts.get(chunk.name)) is not None:
        same, rest = alike(piece.text, part)
        yield Standin(piece, chunk.start, None, same, rest, len(part) - len(piece.text))


def _header(piece: Piece) -> str:
    """What a function begins with, up to the brace before its body."""
    assert isinstance(piece.tree, ast.Def), piece.name
    return piece.text[: piece.tree.function.body.span.start + 1 - piece.tree.span.start]


def _piece(made: Drafted) -> Piece:
    span = made.tree.span
    return Piece(made.tree, made.draft.text[span.start : span.end])
