"""Unpacking: a `?` is named by a variable where its value enters a scope; packing: variables become `?` on the way out.

An unpacked `?` is an existential: a variable with a witness, the part of a run-time value that has its number.
A value inside a tuple is addressed by a path, `%t#0#1` for `%t.0.1`; `#` occurs in no variable's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gradual.dims.term.constraint import Constraint, at_least, equal
from gradual.dims.term.dim import ContentOf, Dim, Kind, NumelOf, RankOf, SizeOf, Variable, constant, product, variable
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    UnrankedType,
)


@record
class Opened:
    """One unpacked unknown: its existential as a dim, the hole, and the path of the value whose size it is.

    `axis` is None for the rank and the number of elements of `*`.
    """

    existential: Dim
    hole: Hole
    path: str
    axis: int | None

    def facts(self) -> Iterator[Constraint]:
        """The facts about the size: it is not negative, and within the bounds of its hole."""
        yield at_least(self.existential, constant(0))
        yield from self.hole.bounds(self.existential)


def spelled(path: str) -> str:
    """A value's path as users write it: `%t.0` for `%t#0`."""
    return path.replace("#", ".")


def base_of(variable: Variable) -> str | None:
    """The core variable whose run-time value a size variable is read from; None for a rigid name."""
    return None if variable.witness is None else variable.witness.value.split("#", 1)[0]


def part_at(types: Mapping[str, Any], path: str) -> Any:
    """The type of the part of a value at a path, None where there is no such part."""
    base, *fields = path.split("#")
    part = types.get(base)
    for field in fields:
        part = part.fields[int(field)] if isinstance(part, TupleType) else None
    return part


@lru_cache(maxsize=4096)
def size_of(path: str, axis: int) -> Dim:
    """The existential `dim(%x, axis)` of the value at a path.  [type.open]"""
    return variable(f"dim({spelled(path)}, {axis})", Kind.EXISTENTIAL, SizeOf(path, axis))


def rank_of(path: str) -> Dim:
    """The existential `ndim(%x)` of the value at a path.  [type.unranked]"""
    return variable(f"ndim({spelled(path)})", Kind.EXISTENTIAL, RankOf(path))


def numel_of(path: str) -> Dim:
    """The existential `numel(%x)` of the value at a path.  [type.unranked]"""
    return variable(f"numel({spelled(path)})", Kind.EXISTENTIAL, NumelOf(path))


def counted(origin: str, rank: int) -> Constraint:
    """For a value whose rank is known: its number of elements is the product of its sizes.  [type.unranked]"""
    return equal(numel_of(origin), product([size_of(origin, axis) for axis in range(rank)]))


def rank_stated(goal: Constraint) -> tuple[str, int] | None:
    """The path of a value and its rank, if a goal is the equation `ndim(%x) == rank`; else None.  [type.unranked]"""
    unknown, rank = goal.solution or (None, None)
    if unknown is None or rank is None or rank.value is None or not isinstance(unknown.witness, RankOf):
        return None
    return unknown.witness.value, rank.value


def ranked(type: UnrankedType, rank: int) -> TensorType[Dim]:
    """An unranked type at a rank that is now known; its sizes are the existentials of its value.  [type.unranked]"""
    assert type.origin is not None
    return TensorType(tuple(size_of(type.origin, axis) for axis in range(rank)), type.dtype)


def shapes_unknown(type: OpenedType) -> tuple[str, ...]:
    """The paths of the parts of unknown rank in the type of a value in scope, each once."""
    match type:
        case UnrankedType(origin=str(origin)):
            return (origin,)
        case TupleType():
            return _unknown_in(type)
        case _:
            return ()


def _unknown_in(type: TupleType[Dim]) -> tuple[str, ...]:
    try:
        return type._shapes
    except AttributeError:
        found = tuple(dict.fromkeys(origin for field in type.fields for origin in shapes_unknown(field)))
        object.__setattr__(type, "_shapes", found)
        return found


def at_rank(type: OpenedType, origin: str, rank: int) -> OpenedType:
    """The type with the rank filled in at each unranked part that has the path `origin`.  [type.unranked]"""
    return all_at_rank({"": type}, origin, rank)[""]


def all_at_rank(types: Mapping[str, OpenedType], origin: str, rank: int) -> dict[str, OpenedType]:
    """As `at_rank`, for many types at once; tuples that several of them share are converted once."""
    images: dict[int, OpenedType] = {}

    def image(type: OpenedType) -> OpenedType:
        match type:
            case UnrankedType(origin=found) if found == origin:
                return ranked(type, rank)
            case TupleType(fields) if origin in shapes_unknown(type):
                if id(type) not in images:
                    images[id(type)] = TupleType(tuple(map(image, fields)))
                return images[id(type)]
            case _:
                return type

    return {name: image(type) for name, type in types.items()}


def content_of(path: str, index: tuple[int, ...], kind: Kind = Kind.EXISTENTIAL) -> Dim:
    """The existential `%s[i]`, or `%n` for a scalar: an element of an integer tensor.  [type.contents]"""
    name = spelled(path) + "".join(f"[{i}]" for i in index)
    return variable(name, kind, ContentOf(path, index))


Known = Callable[[str, int, Hole], Dim | None]


def opened(type: GradualType, path: str, known: Known) -> tuple[OpenedType, list[Opened]]:
    """The type with an existential for each `?`, and the new existentials; `known` may give one that exists already.

    Function, data and reference types are not changed: nothing inside them is a value in scope.  [type.open]
    """
    new: list[Opened] = []
    return _opened(type, path, known, new), new


def _opened(type: GradualType, path: str, known: Known, new: list[Opened]) -> OpenedType:
    match type:
        case TensorType(shape, dtype, contents, numbers):
            found = tuple(
                _opened_extent(extent, path, axis, known, new) if isinstance(extent, Hole) else extent
                for axis, extent in enumerate(shape)
            )
            whole: Any = type  # without a hole it is unpacked already
            return whole if found == shape and numbers is None else TensorType(found, dtype, contents)
        case TupleType(fields):
            return TupleType(tuple(_opened(field, f"{path}#{i}", known, new) for i, field in enumerate(fields)))
        case UnrankedType(dtype, None):
            new.extend(Opened(existential, Hole(), path, None) for existential in (rank_of(path), numel_of(path)))
            return UnrankedType(dtype, path)
        case _:
            return type


def _opened_extent(hole: Hole, path: str, axis: int, known: Known, new: list[Opened]) -> Dim:
    existential = known(path, axis, hole)
    if existential is None:
        existential = size_of(path, axis)
        new.append(Opened(existential, hole, path, axis))
    return existential


def closed(type: GradualType, visible: Callable[[Variable], bool]) -> GradualType:
    """The type outside the scope: a dim that mentions an invisible variable becomes `?`.  [type.close]"""

    def inside(type: GradualType) -> GradualType:
        return closed(type, visible)

    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(_closed_extent(extent, visible) for extent in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(map(inside, fields)))
        case UnrankedType(dtype):
            return UnrankedType(dtype)
        case DataType(name, arguments):
            return DataType(name, tuple(map(inside, arguments)))
        case ReferenceType(content):
            return ReferenceType(inside(content))
        case FunctionType():
            return _closed_function(type, visible)
        case _:
            return type


def without_dims(type: FunctionType, dims: Set[Variable]) -> FunctionType:
    """The function type with `?` for some dims that it binds, and without the clauses on them.  [type.agree]"""
    if not dims:
        return type
    binders = tuple(one for one in type.binders if one not in dims)
    inside = replace(type, binders=binders, order=tuple(one for one in type.order if one not in dims))
    return _closed_function(inside, lambda variable: variable not in dims)


def _closed_extent(extent: Dim | Hole, visible: Callable[[Variable], bool]) -> Dim | Hole:
    if isinstance(extent, Hole):
        bound = extent.bound
        hidden = bound is not None and not all(v is extent.binder or visible(v) for v in bound.variables())
        return Hole() if hidden else extent
    return extent if all(map(visible, extent.variables())) else Hole()


def _closed_function(type: FunctionType, visible: Callable[[Variable], bool]) -> FunctionType:
    """The function type with `?` for dims neither bound nor visible; clauses that mention such dims are dropped."""

    def seen(variable: Variable) -> bool:
        return base_of(variable) in type.names or variable in type.binders or visible(variable)

    return FunctionType(
        type.names,
        tuple(closed(param, seen) for param in type.params),
        closed(type.result, seen),
        type.binders,
        tuple(clause for clause in type.where if all(map(seen, clause.variables()))),
        type.types,
        type.order,
    )


def tracked_length(type: OpenedType, limit: int, read: bool = False) -> int | None:
    """How many elements of a tensor are tracked; None if they are not tracked.

    Tracked tensors have rank 0, or rank 1 and a known small length.  Their elements are int32, int64 or booleans; with
    `read`, for a rule that uses elements as sizes, integers of any type.
    """
    if not isinstance(type, TensorType):
        return None
    if not (type.dtype.counts or type.dtype is DType.BOOL or (read and type.dtype.is_integer)):
        return None
    if type.rank == 0:
        return 1
    length = type.shape[0].value if type.rank == 1 else None
    return length if length is not None and 0 <= length <= limit else None


def with_contents(type: TensorType[Dim], path: str) -> TensorType[Dim]:
    """The tensor type with contents: its constant numbers, or an existential for each element.  [type.contents]"""
    if type.numbers is not None:
        return TensorType(type.shape, type.dtype, tuple(constant(int(number)) for number in type.numbers))
    if type.rank == 0:
        return TensorType(type.shape, type.dtype, (content_of(path, ()),))
    length = type.shape[0].value
    assert length is not None, type
    return TensorType(type.shape, type.dtype, tuple(content_of(path, (i,)) for i in range(length)))


def sizes(type: OpenedType) -> Iterator[Dim]:
    """Every size of a value of the type, left to right; only tensors of known rank and tuples have any."""
    for _, size in placed_sizes(type):
        yield size


def placed_sizes(type: OpenedType, path: str = "") -> Iterator[tuple[tuple[str, int], Dim]]:
    """Each size of a value of the type, as `((path, axis), size)`; the path is relative to the value."""
    match type:
        case TensorType(shape):
            for axis, size in enumerate(shape):
                yield (path, axis), size
        case TupleType(fields):
            for i, field in enumerate(fields):
                yield from placed_sizes(field, f"{path}#{i}")


def paired_sizes(left: OpenedType, right: OpenedType) -> Iterator[tuple[Dim, Dim]]:
    """The pairs of sizes at the same path and axis of two types."""
    others = dict(placed_sizes(right))
    yield from ((size, others[place]) for place, size in placed_sizes(left) if place in others)
