"""Relations of types: consistency, precision and join are three operations, never one "unify".

Consistency is checked where a value flows into a written type, and yields goals, whose facts are the meet; precision
orders written types; a join combines them.  None of the three changes a written type.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

from gradual.dims.term.constraint import TRUE, Constraint, equal
from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.record import record
from gradual.types.binder_solving import measured, measuring
from gradual.types.positive import required
from gradual.types.print import shown
from gradual.types.substitution import around, clear_of, renamed
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import rank_of, ranked, without_dims


@record
class Demand:
    """One size that must fit: `goal` is required at an axis of the value at a path below the flowing value.

    `size` is the size of the value, `wanted` that in the type (None if the type has only a bound); the goal may have
    been simplified.  `axis` is None for the rank of a value of unknown rank.
    """

    goal: Constraint
    path: str
    axis: int | None
    size: Dim
    wanted: Dim | None


@record
class Mismatch:
    """Two types that are inconsistent whatever the sizes are; `rule` is the violated rule."""

    rule: str
    message: str


@record
class Coercion:
    """The value at a path flows into another function, data or reference type: the caller of `demands` converts it."""

    source: FunctionType | DataType | ReferenceType
    target: FunctionType | DataType | ReferenceType
    path: str


def demands(source: OpenedType, target: GradualType, path: str = "") -> Iterator[Demand | Mismatch | Coercion]:
    """What is required for `source` to flow into `target`, left to right, depth first.

    For a value of unknown rank, the rank is required first: the sizes exist only if the rank is right.
    [type.consistent] [type.structure] [type.dtype]
    """
    match source, target:
        case TensorType(), TensorType():
            yield from _tensor_demands(source, target, path)
        case TensorType() | UnrankedType(), TensorType() | UnrankedType() if source.dtype is not target.dtype:
            yield Mismatch("type.dtype", f"element type {source.dtype} is not {target.dtype}")
        case UnrankedType(origin=str(origin)), TensorType():
            rank, wanted = rank_of(origin), constant(target.rank)
            yield Demand(equal(rank, wanted), path, None, rank, wanted)
            yield from _tensor_demands(ranked(source, target.rank), target, path)
        case TensorType() | UnrankedType(), UnrankedType():
            return
        case TupleType(fields), TupleType(wanted):
            if len(fields) != len(wanted):
                yield Mismatch("type.structure", f"a tuple of {len(fields)} is not a tuple of {len(wanted)}")
                return
            for i, (field, want) in enumerate(zip(fields, wanted, strict=True)):
                yield from demands(field, want, f"{path}#{i}")
        case FunctionType(), FunctionType():
            yield Coercion(source, target, path)
        case DataType(), DataType() if source.name == target.name:
            if not is_same(source, target):
                yield Coercion(source, target, path)
        case ReferenceType(), ReferenceType():
            if not is_same(source, target):
                yield Coercion(source, target, path)
        case (TypeVariable(), TypeVariable()) if source == target:
            return
        case NeverType(), _:
            return
        case _:
            yield Mismatch("type.structure", f"`{shown(source)}` is not `{shown(target)}`")


def _tensor_demands(source: TensorType[Dim], target: TensorType[Dim | Hole], path: str) -> Iterator[Demand | Mismatch]:
    if source.dtype is not target.dtype:
        yield Mismatch("type.dtype", f"element type {source.dtype} is not {target.dtype}")
    elif source.rank != target.rank:
        yield Mismatch("op.rank", f"rank {source.rank} is not rank {target.rank}")
    else:
        for axis, (size, want) in enumerate(zip(source.shape, target.shape, strict=True)):
            if not isinstance(want, Hole):
                yield Demand(equal(size, want), path, axis, size, want)
                continue
            for bound in want.bounds(size):
                yield Demand(bound, path, axis, size, None)


Holds = Callable[[Constraint], bool]
"""Whether a predicate on sizes is known to hold."""


def is_written(goal: Constraint) -> bool:
    """Whether a predicate is trivially true; an equation is, if both sides are the same dim."""
    return goal is TRUE


def precise(left: GradualType, right: GradualType, holds: Holds = is_written) -> bool:
    """Whether `left` says at least as much as `right` everywhere: dim ⊑ `?`.  [type.precision]"""
    every = itertools.repeat(holds)
    match left, right:
        case TensorType(), TensorType():
            return (
                left.dtype is right.dtype
                and left.rank == right.rank
                and all(_precise_extent(a, b, holds) for a, b in zip(left.shape, right.shape, strict=True))
            )
        case TensorType() | UnrankedType(), UnrankedType():
            return left.dtype is right.dtype
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others) and all(map(precise, fields, others, every))
        case DataType(), DataType():
            return left.name == right.name and all(map(precise, left.arguments, right.arguments, every))
        case ReferenceType(content), ReferenceType(other):
            return precise(content, other, holds)
        case TypeVariable(), TypeVariable():
            return left == right
        case NeverType(), _:
            return True
        case FunctionType(), FunctionType() if left == right:
            return True
        case FunctionType(), FunctionType():
            apart = renamed(left, left, right)
            same = renamed(right, left, right)
            return (
                apart is not None
                and same is not None
                and required(apart) == required(same)
                and all(map(precise, apart.params, same.params, every))
                and precise(apart.result, same.result, holds)
            )
        case _:
            return False


def is_same(left: GradualType, right: GradualType, holds: Holds = is_written) -> bool:
    """Whether two types are equal up to renaming of function parameters and binders."""
    match left, right:
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others) and all(map(is_same, fields, others, itertools.repeat(holds)))
        case FunctionType() | DataType() | ReferenceType(), _:
            return left == right or (precise(left, right, holds) and precise(right, left, holds))
        case _:
            return left == right


def _precise_extent(left: Dim | Hole, right: Dim | Hole, holds: Holds = is_written) -> bool:
    if not isinstance(right, Hole):
        return left is right or (isinstance(left, Dim) and holds(equal(left, right)))
    bounds = right.bounds(left if isinstance(left, Dim) else ANY)
    if isinstance(left, Hole):
        return not bounds or (left.key == right.key and left.bounds(ANY) == bounds)
    return all(map(holds, bounds))


ANY = variable("u", Kind.EXISTENTIAL)


def join(left: GradualType, right: GradualType) -> GradualType | None:
    """The least upper bound of two types: sizes that are not the same become `?`.  [type.join]"""
    match left, right:
        case TensorType(), TensorType() if left.dtype is right.dtype and left.rank == right.rank:
            return TensorType(tuple(map(_joined_extent, left.shape, right.shape)), left.dtype)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            parts = tuple(map(join, fields, others))
            return None if None in parts else TupleType(tuple(p for p in parts if p is not None))
        case TensorType() | UnrankedType(), TensorType() | UnrankedType() if left.dtype is right.dtype:
            return UnrankedType(left.dtype)
        case DataType(name, arguments), DataType(other, others) if name == other:
            parts = tuple(map(join, arguments, others))
            return None if None in parts else DataType(name, tuple(p for p in parts if p is not None))
        case ReferenceType(content), ReferenceType(other):
            held = join(content, other)
            return None if held is None else ReferenceType(held)
        case _ if precise(left, right):
            return right
        case _ if precise(right, left):
            return left
        case FunctionType(), FunctionType():
            return _joined_functions(left, right)
        case _:
            return None


def _joined_extent(left: Dim | Hole, right: Dim | Hole) -> Dim | Hole:
    if left == right:
        return left
    whole = right if _precise_extent(left, right) else left if _precise_extent(right, left) else Hole()
    return replace(whole, key=None) if isinstance(whole, Hole) else whole


def _joined_functions(left: FunctionType, right: FunctionType) -> FunctionType | None:
    """The join of two function types; dims that they bind become `?`."""
    left, right = (without_dims(type, set(type.binders)) for type in (left, right))
    left = clear_of(left, around(right))
    like = renamed(right, left)
    if like is None:
        return None
    *params, result = map(join, (*left.params, left.result), (*like.params, like.result))
    if result is None or None in params:
        return None
    return joined_function(left, like, tuple(param for param in params if param is not None), result)


def joined_function(
    left: FunctionType, right: FunctionType, params: tuple[GradualType, ...], result: GradualType
) -> FunctionType:
    """A function type from joined parts; binders that no parameter determines any more become `?`.  [type.agree]"""
    where = tuple(clause for clause in left.where if clause in right.where)
    joined = replace(left, params=params, result=result, where=where)
    shown = measured(joined, [measuring(*param) for param in zip(params, left.names, strict=True)])
    return without_dims(joined, set(shown.unsolved))
