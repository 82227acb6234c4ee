"""How types relate: consistency, precision, meet and join are four operations, never one "unify".

Consistency is asked where a value flows into a written type and answers with goals; precision orders written
types; meet and join combine them.  None of them changes a type that somebody wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gradual.dims.constraint import TRUE, Constraint, equal
from gradual.dims.dim import Dim, Kind, Variable, constant, variable
from gradual.types.opening import rank_of, ranked
from gradual.types.text import shown
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


@dataclass(frozen=True, slots=True)
class Demand:
    """One size that must fit: `goal` at an axis of the value at a path below the flowing value.

    `size` is what is there, `wanted` what the type says (None for a bound); the goal may have been folded.
    `axis` is None for the rank of a value of unknown rank.
    """

    goal: Constraint
    path: str
    axis: int | None
    size: Dim
    wanted: Dim | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Two types that no size could reconcile; `rule` says in which respect."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Coercion:
    """The value at a path flows into another type of functions, data or references: the caller converts it."""

    source: FunctionType | DataType | ReferenceType
    target: FunctionType | DataType | ReferenceType
    path: str


def demands(source: OpenedType, target: GradualType, path: str = "") -> Iterator[Demand | Mismatch | Coercion]:
    """What `source` owes to flow into `target`, left to right, depth first.

    The rank of a value of unknown rank is demanded before its sizes, which exist only if it holds.
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
            if not precise(source, target):
                yield Coercion(source, target, path)
        case ReferenceType(), ReferenceType():
            if source != target:
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


def precise(left: GradualType, right: GradualType) -> bool:
    """Whether `left` says at least as much as `right` everywhere: dim ⊑ `?`.  [type.precision]"""
    match left, right:
        case TensorType(), TensorType():
            return (
                left.dtype is right.dtype
                and left.rank == right.rank
                and all(_precise_extent(a, b) for a, b in zip(left.shape, right.shape, strict=True))
            )
        case TensorType() | UnrankedType(), UnrankedType():
            return left.dtype is right.dtype
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others) and all(map(precise, fields, others))
        case DataType(), DataType():
            return left.name == right.name and all(map(precise, left.arguments, right.arguments))
        case ReferenceType(content), ReferenceType(other):
            return precise(content, other)
        case TypeVariable(), TypeVariable():
            return left == right
        case NeverType(), _:
            return True
        case FunctionType(), FunctionType():
            same = renamed(right, left)
            return (
                same is not None
                and left.where == same.where
                and all(map(precise, left.params, same.params))
                and precise(left.result, same.result)
            )
        case _:
            return False


def _precise_extent(left: Dim | Hole, right: Dim | Hole) -> bool:
    if not isinstance(right, Hole):
        return left is right
    if isinstance(left, Hole):
        return left == right or not right.bounds(_ANY)
    return all(bound is TRUE for bound in right.bounds(left))


_ANY = variable("u", Kind.GHOST)


def meet(left: GradualType, right: GradualType) -> GradualType | None:
    """The least precise type below both, None if their sizes are written differently.  [type.meet]"""
    match left, right:
        case TensorType(), TensorType() if left.dtype is right.dtype and left.rank == right.rank:
            shape = tuple(map(_met, left.shape, right.shape))
            return None if None in shape else TensorType(tuple(d for d in shape if d is not None), left.dtype)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            parts = tuple(map(meet, fields, others))
            return None if None in parts else TupleType(tuple(p for p in parts if p is not None))
        case _:
            return left if precise(left, right) else right if precise(right, left) else None


def _met(left: Dim | Hole, right: Dim | Hole) -> Dim | Hole | None:
    if isinstance(left, Hole):
        return right
    return left if isinstance(right, Hole) or left is right else None


def join(left: GradualType, right: GradualType) -> GradualType | None:
    """The most precise type above both: what is written alike stays, other sizes become `?`.  [type.join]"""
    match left, right:
        case TensorType(), TensorType() if left.dtype is right.dtype and left.rank == right.rank:
            extents = zip(left.shape, right.shape, strict=True)
            return TensorType(tuple(a if a == b else Hole() for a, b in extents), left.dtype)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            parts = tuple(map(join, fields, others))
            return None if None in parts else TupleType(tuple(p for p in parts if p is not None))
        case TensorType() | UnrankedType(), TensorType() | UnrankedType() if left.dtype is right.dtype:
            return UnrankedType(left.dtype)
        case DataType(name, arguments), DataType(other, others) if name == other:
            parts = tuple(map(join, arguments, others))
            return None if None in parts else DataType(name, tuple(p for p in parts if p is not None))
        case _:
            return right if precise(left, right) else left if precise(right, left) else None


def renamed(type: FunctionType, like: FunctionType) -> FunctionType | None:
    """The function type with the other's names for its parameters and binders, None if their numbers differ."""
    numbers = (len(type.params), len(type.binders), len(type.types))
    if numbers != (len(like.params), len(like.binders), len(like.types)):
        return None
    mapping = {
        mine: variable(theirs.name, theirs.kind, theirs.witness)
        for mine, theirs in zip(type.binders, like.binders, strict=True)
    }
    chosen: dict[TypeVariable, GradualType] = dict(zip(type.types, like.types, strict=True))
    return FunctionType(
        like.names,
        tuple(instantiated(substituted(param, mapping), chosen) for param in type.params),
        instantiated(substituted(type.result, mapping), chosen),
        like.binders,
        tuple(goal.substitute(mapping) for goal in type.where),
        like.types,
    )


def substituted(type: GradualType, mapping: Mapping[Variable, Dim]) -> GradualType:
    """A type with dims for variables."""
    match type:
        case TensorType(shape, dtype, contents):
            sizes = tuple(
                _substituted_hole(d, mapping) if isinstance(d, Hole) else d.substitute(mapping) for d in shape
            )
            return TensorType(sizes, dtype, contents and tuple(c.substitute(mapping) for c in contents))
        case TupleType(fields):
            return TupleType(tuple(substituted(field, mapping) for field in fields))
        case FunctionType(names, params, result, binders, where, types):
            inner = {v: d for v, d in mapping.items() if v not in binders}
            return FunctionType(
                names,
                tuple(substituted(param, inner) for param in params),
                substituted(result, inner),
                binders,
                tuple(goal.substitute(inner) for goal in where),
                types,
            )
        case DataType(name, arguments):
            return DataType(name, tuple(substituted(argument, mapping) for argument in arguments))
        case ReferenceType(content):
            return ReferenceType(substituted(content, mapping))
        case _:
            return type


def instantiated(type: GradualType, chosen: Mapping[TypeVariable, GradualType]) -> GradualType:
    """A type with types for type variables.  [type.parameter]"""
    if not chosen:
        return type
    match type:
        case TypeVariable():
            return chosen.get(type, type)
        case TupleType(fields):
            return TupleType(tuple(instantiated(field, chosen) for field in fields))
        case FunctionType(types=own):
            inner = {name: choice for name, choice in chosen.items() if name not in own}
            params = tuple(instantiated(param, inner) for param in type.params)
            return replace(type, params=params, result=instantiated(type.result, inner))
        case DataType(name, arguments):
            return DataType(name, tuple(instantiated(argument, chosen) for argument in arguments))
        case ReferenceType(content):
            return ReferenceType(instantiated(content, chosen))
        case _:
            return type


def _substituted_hole(hole: Hole, mapping: Mapping[Variable, Dim]) -> Hole:
    if hole.bound is None:
        return hole
    return replace(hole, bound=hole.bound.substitute({v: d for v, d in mapping.items() if v is not hole.binder}))
