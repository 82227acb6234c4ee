"""Check that the arms of a `match` are exhaustive and that every arm is reachable.

The matrix algorithm of Luc Maranget, "Warnings for pattern matching", Journal of Functional Programming 17(3), 2007:
rows are patterns, columns are components of the value.   [type.match.exhaustive] [type.match.redundant]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice

from gradual.record import record
from gradual.types.declared import Data
from gradual.types.substitution import instantiated
from gradual.types.type import DataType, GradualType, TupleType


@record
class Anything:
    """A wildcard pattern: `_`, or a variable."""


@record
class Shape:
    """A constructor (None for a tuple) with a pattern for each field."""

    constructor: str | None
    fields: tuple[Covering, ...]


Covering = Anything | Shape
"""A pattern without its variable names."""

Row = tuple[Covering, ...]
ANYTHING = Anything()
ELSE = Shape("", ())
"""A pseudo-constructor for all constructors that no row names: specializing by it gives the default matrix."""


class Entangled(Exception):
    """The comparison of the patterns exceeds its step limit."""


class Rows:
    """A pattern matrix, indexed by the constructor in the first column; rows can be appended.

    Attributes:
        shaped: constructor -> the rows whose first pattern has that constructor.
        open: the rows whose first pattern is a wildcard.
    """

    __slots__ = ("_parts", "open", "shaped")

    def __init__(self) -> None:
        self.shaped: dict[str | None, list[Row]] = {}
        self.open: list[Row] = []
        self._parts: dict[str | None, _Part] = {}

    def __bool__(self) -> bool:
        return bool(self.shaped or self.open)

    def add(self, row: Row) -> None:
        """Append a row."""
        match row:
            case (Shape(constructor), *_):
                self.shaped.setdefault(constructor, []).append(row)
            case _:
                self.open.append(row)

    def under(self, shape: Shape, again: bool = False) -> Rows:
        """The matrix specialized by a shape, whose fields become the first columns.

        With `again`, the result is cached, and extended at the next call.
        """
        part = self._parts.get(shape.constructor) or _Part(Rows())
        if again:
            self._parts[shape.constructor] = part
        part.take(self.shaped.get(shape.constructor, []), self.open, shape.fields)
        return part.rows


@record(frozen=False)
class _Part:
    """A specialized matrix, and how many `shaped` and `open` rows of the original it already includes."""

    rows: Rows
    shaped: int = 0
    open: int = 0

    def take(self, shaped: list[Row], open: list[Row], fields: Row) -> None:
        """Append the rows that `shaped` and `open` gained since the last call.

        A wildcard in the first column expands to `fields`.
        """
        for head, *rest in islice(shaped, self.shaped, None):
            self.rows.add((*(head.fields if isinstance(head, Shape) else fields), *rest))
        for _, *rest in islice(open, self.open, None):
            self.rows.add((*fields, *rest))
        self.shaped, self.open = len(shaped), len(open)


Inside = Mapping[str | None, tuple[Shape, tuple[GradualType, ...]]]
"""Constructor -> its shape and the types of its fields."""


@record(frozen=False)
class Matrix:
    """Checks patterns for exhaustiveness and redundancy.

    Attributes:
        data: the declared types.
        room: how many comparison steps are left.
    """

    data: Mapping[str, Data]
    room: int
    _known: dict[DataType, Inside] = field(default_factory=dict)

    def missing(self, patterns: Sequence[Covering], type: GradualType) -> Covering | None:
        """A pattern that none of the given patterns covers; None if they are exhaustive.  Raises Entangled."""
        rows = Rows()
        for pattern in patterns:
            rows.add((pattern,))
        found = self._missing(rows, (type,))
        return None if found is None else found[0]

    def unreached(self, patterns: Sequence[Covering], type: GradualType) -> Iterator[int]:
        """The indices of redundant patterns: every value they match is matched by an earlier one.  Raises Entangled."""
        before = Rows()
        for place, pattern in enumerate(patterns):
            if not self._useful(before, (pattern,), (type,), True):
                yield place
            before.add((pattern,))

    def _missing(self, rows: Rows, types: tuple[GradualType, ...]) -> Row | None:
        self._step()
        if not types:
            return None if rows else ()
        every = self._shapes(types[0]) if rows.shaped else {}
        if every and len(rows.shaped) == len(every):
            for shape, inside in every.values():
                width = len(inside)
                found = self._missing(rows.under(shape), (*inside, *types[1:]))
                if found is not None:
                    return Shape(shape.constructor, found[:width]), *found[width:]
            return None
        found = self._missing(rows.under(ELSE), types[1:])
        if found is None:
            return None
        others = (shape for constructor, (shape, _) in every.items() if constructor not in rows.shaped)
        return next(others, ANYTHING), *found

    def _useful(self, rows: Rows, row: Row, types: tuple[GradualType, ...], again: bool) -> bool:
        """Whether some value matches `row` but none of `rows`; `again` caches the specialized matrices for later rows.

        The matrices into which a wildcard head is split are not cached.
        """
        self._step()
        if not types:
            return not rows
        head, *rest = row
        if isinstance(head, Shape):
            shape, inside = self._shapes(types[0])[head.constructor]
            return self._useful(rows.under(shape, again), (*head.fields, *rest), (*inside, *types[1:]), again)
        every = self._shapes(types[0]) if rows.shaped else {}
        if not every or len(rows.shaped) < len(every):
            return self._useful(rows.under(ELSE, again), row[1:], types[1:], again)
        return any(
            self._useful(rows.under(shape), (*shape.fields, *rest), (*inside, *types[1:]), False)
            for shape, inside in every.values()
        )

    def _shapes(self, type: GradualType) -> Inside:
        """The constructors of a type; empty for a type that patterns cannot take apart."""
        match type:
            case TupleType(fields):
                return {None: (Shape(None, (ANYTHING,) * len(fields)), fields)}
            case DataType():
                if type not in self._known:
                    self._known[type] = dict(self._declared(type))
                return self._known[type]
            case _:
                return {}

    def _declared(self, type: DataType) -> Iterator[tuple[str, tuple[Shape, tuple[GradualType, ...]]]]:
        declared = self.data[type.name]
        chosen = dict(zip(declared.types, type.arguments, strict=True))
        for constructor in declared.constructors.values():
            fields = tuple(instantiated(field, chosen) for field in constructor.fields)
            yield constructor.name, (Shape(constructor.name, (ANYTHING,) * len(fields)), fields)

    def _step(self) -> None:
        self.room -= 1
        if self.room < 0:
            raise Entangled


def shown_pattern(pattern: Covering) -> str:
    """A pattern as a program writes it."""
    match pattern:
        case Anything():
            return "_"
        case Shape(None, fields):
            comma = "," if len(fields) == 1 else ""
            return f"({', '.join(map(shown_pattern, fields))}{comma})"
        case Shape(constructor, ()):
            return str(constructor)
        case Shape(constructor, fields):
            return f"{constructor}({', '.join(map(shown_pattern, fields))})"
