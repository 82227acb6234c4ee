"""What can be folded: definitions, blocks and matches, comments, and the metadata section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from lsprotocol import types as lsp

from gradual.record import record
from gradual.syntax.parsing.blanks import comment_end, line_end
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.pieces import Piece
from gradual.tools.lsp.recovery.chunks import Word, words


@record
class Fold:
    """A part of a text: what is folded of its last line stays visible if it ends with a bracket."""

    start: int
    end: int
    kind: lsp.FoldingRangeKind | None = None


_KNOWN: WeakKeyDictionary[Piece, list[Fold]] = WeakKeyDictionary()
"""The folds of a definition, from its start."""


def folds(document: Document) -> list[lsp.FoldingRange]:
    """The parts of a text that can be folded, each of several lines; of those that begin on one line the longest."""
    found: dict[int, lsp.FoldingRange] = {}
    for fold in _folds(document):
        first, _ = document.place(fold.start)
        last, _ = document.place(max(fold.start, fold.end - 1))
        last -= fold.kind is None
        if last > first and (first not in found or found[first].end_line < last):
            found[first] = lsp.FoldingRange(first, last, kind=fold.kind)
    return [found[line] for line in sorted(found)]


def _folds(document: Document) -> Iterator[Fold]:
    """The folds of each definition, and of what is between two of them."""
    text, at = document.text, 0
    for place in document.reading.places:
        yield from _moved(_folds_in(text[at : place.start]), at)
        if place.piece not in _KNOWN:
            _KNOWN[place.piece] = [Fold(0, len(place.piece.text)), *_folds_in(place.piece.text)]
        yield from _moved(_KNOWN[place.piece], place.start)
        at = place.end
    yield from _moved(_folds_in(text[at:]), at)


def _moved(some: Sequence[Fold], by: int) -> Iterator[Fold]:
    return (Fold(one.start + by, one.end + by, one.kind) for one in some)


def _folds_in(text: str) -> list[Fold]:
    """The braces, comments and metadata of a part of a text."""
    some = list(words(text)) if text.strip() else []
    metadata = [Fold(word.start, word.end, lsp.FoldingRangeKind.Region) for word in some if word.kind == "METADATA"]
    return [*_braces(some), *_comments(text, some), *metadata]


def _braces(some: Sequence[Word]) -> Iterator[Fold]:
    open: list[int] = []
    for word in some:
        if word.kind in ("LBRACE", "BOUND"):
            open.append(word.start)
        elif word.kind == "RBRACE" and open:
            yield Fold(open.pop(), word.end)


def _comments(text: str, some: Sequence[Word]) -> Iterator[Fold]:
    """Block comments, and line comments on lines that follow each other."""
    starts, ends = (0, *(word.end for word in some)), (*(word.start for word in some), len(text))
    for start, end in zip(starts, ends, strict=True):
        first = last = -1  # of line comments without anything else between them
        at = start
        while (at := text.find("/", at, end)) >= 0:
            if text.startswith("//", at):
                stop = line_end(text, at)
                first = at if first < 0 or text.count("\n", last, at) > 1 else first
                last = at = stop
                yield Fold(first, last, lsp.FoldingRangeKind.Comment)
            else:
                stop = comment_end(text, at) or end
                yield Fold(at, stop, lsp.FoldingRangeKind.Comment)
                first, at = -1, stop
