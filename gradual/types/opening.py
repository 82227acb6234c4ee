"""Opening and closing: a `?` gets a name where its value enters a scope, and loses it where the value leaves.

An opened `?` is a ghost: a variable with a witness, the place in a run-time value where its number stands.
A value inside a tuple is addressed by a path, `%t#0#1` for `%t.0.1`; `#` occurs in no variable's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradual.dims.constraint import Constraint, at_least
from gradual.dims.dim import ContentOf, Dim, Kind, SizeOf, Variable, constant, variable
from gradual.types.dtype import DType
from gradual.types.type import FunctionType, GradualType, Hole, OpenedType, TensorType, TupleType


@dataclass(frozen=True, slots=True)
class Opened:
    """One opened `?`: its ghost as a dim, the hole, and the path of the value that bears it."""

    ghost: Dim
    hole: Hole
    path: str
    axis: int

    def facts(self) -> Iterator[Constraint]:
        """What holds of the size: it is not negative, and its bounds."""
        yield at_least(self.ghost, constant(0))
        yield from self.hole.bounds(self.ghost)


def spelled(path: str) -> str:
    """A value's path as users write it: `%t.0` for `%t#0`."""
    return path.replace("#", ".")


def size_of(path: str, axis: int) -> Dim:
    """The ghost `dim(%x, axis)` of the value at a path.  [type.open]"""
    return variable(f"dim({spelled(path)}, {axis})", Kind.GHOST, SizeOf(path, axis))


def content_of(path: str, index: tuple[int, ...], kind: Kind = Kind.GHOST) -> Dim:
    """The ghost `%s[i]`, or `%n` for a scalar, that stands for an element of an integer tensor.  [type.contents]"""
    name = spelled(path) + "".join(f"[{i}]" for i in index)
    return variable(name, kind, ContentOf(path, index))


Known = Callable[[str, int, Hole], Dim | None]


def opened(type: GradualType, path: str, known: Known) -> tuple[OpenedType, list[Opened]]:
    """The type with a ghost for every `?`, and the ghosts made; `known` may name a hole by an existing one.

    A function type stays as it is: nothing inside it is a value in scope.  [type.open]
    """
    new: list[Opened] = []

    def extent(hole: Dim | Hole, path: str, axis: int) -> Dim:
        if not isinstance(hole, Hole):
            return hole
        ghost = known(path, axis, hole)
        if ghost is None:
            ghost = size_of(path, axis)
            new.append(Opened(ghost, hole, path, axis))
        return ghost

    def inside(type: GradualType, path: str) -> OpenedType:
        match type:
            case TensorType(shape, dtype, contents):
                return TensorType(tuple(extent(h, path, i) for i, h in enumerate(shape)), dtype, contents)
            case TupleType(fields):
                return TupleType(tuple(inside(field, f"{path}#{i}") for i, field in enumerate(fields)))
            case FunctionType():
                return type

    return inside(type, path), new


def closed(type: OpenedType, visible: Callable[[Variable], bool]) -> GradualType:
    """The type as it is seen outside: a dim that mentions an invisible ghost becomes `?`.  [type.close]"""
    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(d if all(map(visible, d.variables())) else Hole() for d in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(closed(field, visible) for field in fields))
        case FunctionType():
            return type


def tracked_length(type: OpenedType, limit: int) -> int | None:
    """How many elements of a tensor are tracked: of an integer of rank 0, or of rank 1 and known small length."""
    if not isinstance(type, TensorType) or not (type.dtype.counts or type.dtype is DType.BOOL):
        return None
    if type.rank == 0:
        return 1
    length = type.shape[0].value if type.rank == 1 else None
    return length if length is not None and 0 <= length <= limit else None


def with_contents(type: TensorType[Dim], path: str) -> TensorType[Dim]:
    """An integer tensor of tracked length whose unknown elements are opened.  [type.contents]"""
    if type.rank == 0:
        return TensorType(type.shape, type.dtype, (content_of(path, ()),))
    length = type.shape[0].value
    assert length is not None, type
    return TensorType(type.shape, type.dtype, tuple(content_of(path, (i,)) for i in range(length)))


def sizes(type: OpenedType) -> Iterator[Dim]:
    """Every size of a value of the type, left to right; a function has none."""
    match type:
        case TensorType(shape):
            yield from shape
        case TupleType(fields):
            for field in fields:
                yield from sizes(field)
        case FunctionType():
            return
