"""The pieces of a text: its tokens and comments, by the kinds that its layout distinguishes."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple


class Sort(Enum):
    """The kind of a piece of text, by which the blanks around it are chosen."""

    OPERAND = auto()  # a name, variable, literal, key or hole
    SIGN = auto()
    KEYWORD = auto()
    HEADER = auto()
    METADATA = auto()
    INLINE = auto()  # a comment between two tokens of a line
    TRAILING = auto()  # a comment at the end of a line
    ALONE = auto()  # a comment on lines of its own


class Piece(NamedTuple):
    """A token or a comment; with `blank`, an empty line is put before it where one is allowed."""

    text: str
    sort: Sort
    blank: bool = False


COMMENTS = frozenset({Sort.INLINE, Sort.TRAILING, Sort.ALONE})
DEFINING = frozenset({"def", "type", "extern", "operator"})
OPENERS = frozenset({"(", "[", "{", "Tensor["})
CLOSERS = frozenset({")", "]", "}"})
