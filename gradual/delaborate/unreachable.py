"""Branches whose sizes or ranks never agree, which elaboration would refuse.  [pass.surface.never]"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import combinations

from gradual.delaborate.demands import Demands
from gradual.dims.term.constraint import Constraint, any_of, at_least, equal
from gradual.dims.term.dim import Dim, constant, ite
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.type import GradualType, Hole, NeverType, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import at_rank, base_of, rank_of, size_of


def agreeing(types: Sequence[OpenedType], outside: Set[str], demands: Demands) -> list[GradualType]:
    """Forget the sizes and ranks in the results of branches that never agree, in tuples too.

    The run-time value is that of the branch taken.  Only sizes visible outside are compared.

    [pass.surface.never]
    """
    tensors = [type for type in types if isinstance(type, TensorType)]
    tuples = [type for type in types if isinstance(type, TupleType)]
    if len(tuples) == len(types):
        columns = zip(*(type.fields for type in tuples), strict=True)
        parts = [agreeing(column, outside, demands) for column in columns]
        return [TupleType(tuple(part[i] for part in parts)) for i in range(len(types))]
    if len(tensors) < len(types):
        return list(types)
    if len({type.rank for type in tensors}) != 1:
        return [UnrankedType(type.dtype) for type in tensors]
    sizes = zip(*(type.shape for type in tensors), strict=True)
    never = [_never_agree([demands.read(size) for size in column], outside, demands) for column in sizes]
    return [_forgetting(type, never) if any(never) else type for type in tensors]


def in_doubt(types: Sequence[GradualType], outside: Set[str], demands: Demands) -> bool:
    """Whether branch sizes that are visible outside may differ.

    If so, the text has to contain a `?`: without one the definition would be strict, and in a strict definition sizes
    that may differ are an error, not a check.
    """
    match types[0]:
        case TupleType():
            columns = zip(*(type.fields for type in types if isinstance(type, TupleType)), strict=True)
            return any(in_doubt(column, outside, demands) for column in columns)
        case TensorType():
            pass
        case _:
            return False
    tensors = [type for type in types if isinstance(type, TensorType)]
    for column in zip(*(type.shape for type in tensors), strict=True):
        sizes = dict.fromkeys(demands.read(size) for size in column if isinstance(size, Dim))
        seen = [size for size in sizes if _is_seen(size, outside)]
        if any(not demands.holds(equal(*pair)) for pair in combinations(seen, 2)):
            return True
    return False


def _is_seen(size: Dim, outside: Set[str]) -> bool:
    return all(base is None or base in outside for base in map(base_of, size.variables()))


def _never_agree(sizes: Sequence[Dim], outside: Set[str], demands: Demands) -> bool:
    seen = dict.fromkeys(size for size in sizes if _is_seen(size, outside))
    return any(demands.never(equal(*pair)) for pair in combinations(seen, 2))


def _forgetting(type: TensorType[Dim], never: Sequence[bool]) -> GradualType:
    shape = tuple(Hole() if gone else size for size, gone in zip(type.shape, never, strict=True))
    return TensorType(shape, type.dtype)


def makeable(type: GradualType, demands: Demands) -> GradualType:
    """Replace sizes that are always negative by `?`, as no value could have them.

    [pass.surface.stop]
    """
    match type:
        case TensorType(shape, dtype):
            return TensorType(tuple(Hole() if _is_negative(size, demands) else size for size in shape), dtype)
        case TupleType(fields):
            return TupleType(tuple(makeable(field, demands) for field in fields))
        case NeverType():  # never read, so that any type will do
            return TensorType((), DType.BOOL)
        case _:
            return type


def _is_negative(size: Dim | Hole, demands: Demands) -> bool:
    return isinstance(size, Dim) and demands.never(at_least(size, constant(0)))


def read_joined(
    type: OpenedType,
    path: str,
    truth: Constraint | None,
    types: Sequence[GradualType],
    outside: Set[str],
    demands: Demands,
) -> OpenedType:
    """The type that elaboration infers for a join: unknown ranks and sizes in core become what the branches give.

    Record in `demands` what each unknown is inferred as.  A size that core
    records, but that a pass found from facts inside the branches, also becomes what the branches give, since
    elaboration does not use such facts.  [type.if.join]
    """
    tensors = [one for one in types if isinstance(one, TensorType)]
    match type:
        case TupleType(fields) if all(isinstance(one, TupleType) for one in types):
            columns = zip(*(one.fields for one in types if isinstance(one, TupleType)), strict=True)
            each = enumerate(zip(fields, columns, strict=True))
            return TupleType(
                tuple(read_joined(field, f"{path}#{i}", truth, column, outside, demands) for i, (field, column) in each)
            )
        case UnrankedType(origin=origin) if origin == path and len({one.rank for one in tensors}) == 1:
            if len(tensors) < len(types):
                return type
            rank, (number,) = tensors[0].rank, rank_of(path).variables()
            demands.reads[number] = constant(rank)
            ranked = at_rank(type, path, rank)
            return read_joined(ranked, path, truth, types, outside, demands)
        case TensorType(shape) if len(tensors) == len(types):
            read = list(shape)
            for axis, (own, *sizes) in enumerate(zip(shape, *(one.shape for one in tensors), strict=True)):
                known = [demands.read(size) for size in sizes if isinstance(size, Dim)]
                if len(known) < len(types) or not all(_is_seen(size, outside) for size in known):
                    continue
                found, variable = _one(known, truth), bare(own)
                if own is not size_of(path, axis):
                    read[axis] = found if found is not None else own
                elif variable is not None and found is not None:
                    demands.reads[variable] = found
                else:
                    demands.facts.assume(any_of(*(equal(own, size) for size in dict.fromkeys(known))))
            return replace(type, shape=tuple(read))
    return type


def _one(sizes: Sequence[Dim], truth: Constraint | None) -> Dim | None:
    """The size of all branches, or the ite of two under a known condition; None otherwise."""
    if all(size is sizes[0] for size in sizes):
        return sizes[0]
    return ite(truth, *sizes) if truth is not None and len(sizes) == 2 else None
