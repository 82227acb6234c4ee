"""Whether the arms of a `match` cover every value, and whether each of them can be reached.

The matrix algorithm of Luc Maranget, "Warnings for pattern matching", Journal of Functional Programming 17(3), 2007:
rows are patterns, columns are parts of the value.   [type.match.exhaustive] [type.match.redundant]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradual.types.declared import Constructor, Data
from gradual.types.relate import instantiated
from gradual.types.type import DataType, GradualType, TupleType


@dataclass(frozen=True, slots=True)
class Anything:
    """`_`, or a variable."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A constructor (None for a tuple) with a pattern for each field."""

    constructor: str | None
    fields: tuple[Covering, ...]


Covering = Anything | Shape
"""A pattern without its names."""

Row = tuple[Covering, ...]
ANYTHING = Anything()


class Entangled(Exception):
    """The patterns take too many steps to compare."""


@dataclass(slots=True)
class Matrix:
    """The patterns of a file's types compared.

    Attributes:
        data: the declared types.
        room: how many comparisons are left.
    """

    data: Mapping[str, Data]
    room: int

    def missing(self, patterns: Sequence[Covering], type: GradualType) -> Covering | None:
        """A pattern that none of the given ones covers, None if there is none.  Raises Entangled."""
        found = self._missing([(pattern,) for pattern in patterns], (type,))
        return None if found is None else found[0]

    def reaches(self, before: Sequence[Covering], pattern: Covering, type: GradualType) -> bool:
        """Whether a value fits the pattern and none of those before it.  Raises Entangled."""
        return self._useful([(row,) for row in before], (pattern,), (type,))

    def _missing(self, rows: list[Row], types: tuple[GradualType, ...]) -> Row | None:
        self._step()
        if not types:
            return None if rows else ()
        heads = {row[0].constructor for row in rows if isinstance(row[0], Shape)}
        every = self._shapes(types[0])
        if heads and all(shape.constructor in heads for shape, _ in every):
            for shape, inside in every:
                width = len(inside)
                found = self._missing(list(_under(rows, shape)), (*inside, *types[1:]))
                if found is not None:
                    return Shape(shape.constructor, found[:width]), *found[width:]
            return None
        found = self._missing(_rest(rows), types[1:])
        if found is None:
            return None
        other = next((shape for shape, _ in every if shape.constructor not in heads), None)
        return (other if heads and other is not None else ANYTHING), *found

    def _useful(self, rows: list[Row], row: Row, types: tuple[GradualType, ...]) -> bool:
        self._step()
        if not types:
            return not rows
        head = row[0]
        every = self._shapes(types[0])
        if isinstance(head, Shape):
            every = [pair for pair in every if pair[0].constructor == head.constructor]
        else:
            heads = {other[0].constructor for other in rows if isinstance(other[0], Shape)}
            if not heads or not all(shape.constructor in heads for shape, _ in every):
                return self._useful(_rest(rows), row[1:], types[1:])
        return any(
            self._useful(list(_under(rows, shape)), next(_under([row], shape)), (*inside, *types[1:]))
            for shape, inside in every
        )

    def _shapes(self, type: GradualType) -> list[tuple[Shape, tuple[GradualType, ...]]]:
        """The shapes of the type's values, with the types of their fields; none where no pattern looks inside."""
        match type:
            case TupleType(fields):
                return [(Shape(None, (ANYTHING,) * len(fields)), fields)]
            case DataType(name, arguments):
                chosen = dict(zip(self.data[name].types, arguments, strict=True))
                return [
                    (_shape(constructor), tuple(instantiated(field, chosen) for field in constructor.fields))
                    for constructor in self.data[name].constructors.values()
                ]
            case _:
                return []

    def _step(self) -> None:
        self.room -= 1
        if self.room < 0:
            raise Entangled


def _shape(constructor: Constructor) -> Shape:
    return Shape(constructor.name, (ANYTHING,) * len(constructor.fields))


def _under(rows: Sequence[Row], shape: Shape) -> Iterator[Row]:
    """The rows that a value of a shape may fit, its fields in front."""
    for head, *rest in rows:
        match head:
            case Anything():
                yield *shape.fields, *rest
            case Shape(constructor, fields) if constructor == shape.constructor:
                yield *fields, *rest


def _rest(rows: Sequence[Row]) -> list[Row]:
    """The rows that fit whatever stands first, without it."""
    return [row[1:] for row in rows if isinstance(row[0], Anything)]


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
