"""The verifier for values of unknown rank.

Some facts determine a rank.  A dimension that a size mentions has to exist at every possible rank.   [core.verify]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradual.core.verify.environment import Ground
from gradual.dims.term.constraint import FALSE, And, Constraint, Or, all_of, any_of, at_least, equal, negated
from gradual.dims.term.dim import ContentOf, Dim, Ite, RankOf, SizeOf, Variable, constant
from gradual.limits import LIMITS
from gradual.ops.declaration.rank_cases import at_size
from gradual.types.binder_solving import extents, unbound
from gradual.types.type import FunctionType, GradualType, Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import at_rank, counted, numel_of, part_at, rank_of, shapes_unknown, size_of, sizes


def rank_known(ground: Ground, origin: str, rank: int) -> None:
    """Assume the rank of the value `origin`; the types of all values of its shape become types of that rank."""
    facts = ground.facts
    facts.assume(equal(rank_of(origin), constant(rank)))
    facts.assume(counted(origin, rank))
    for axis in range(rank):
        facts.assume(at_least(size_of(origin, axis), constant(0)))
    for name, type in ground.types.items():
        if origin in shapes_unknown(type):
            ground.types[name] = at_rank(type, origin, rank)


def learnt(ground: Ground, goal: Constraint) -> None:
    """Record the rank of a value if a goal states it."""
    solution = goal.solution
    witness = solution[0].witness if solution is not None else None
    if solution is not None and isinstance(witness, RankOf) and solution[1].value is not None:
        rank_known(ground, witness.value, solution[1].value)


def settle(ground: Ground, operands: tuple[str, ...]) -> None:
    """Record the ranks of operands that follow from the facts."""
    for operand in operands:
        for origin in tuple(shapes_unknown(ground.types[operand])) if operand in ground.types else ():
            _settle(ground, origin)


def _settle(ground: Ground, origin: str) -> None:
    rank = ground.facts.rewrite(rank_of(origin)).value
    if rank is not None and 0 <= rank <= LIMITS.rank:
        rank_known(ground, origin, rank)


def define(ground: Ground, type: OpenedType, path: str) -> None:
    """Assume that the rank and the number of elements of a value of unknown rank are natural."""
    match type:
        case UnrankedType(origin=None):
            ground.found.append(f"{path}: an unknown shape that belongs to no value")
        case UnrankedType(origin=origin) if origin == path:
            for existential in (rank_of(path), numel_of(path)):
                ground.facts.assume(at_least(existential, constant(0)))
        case TupleType(fields):
            for index, field in enumerate(fields):
                define(ground, field, f"{path}#{index}")


def read_always(node: Any) -> Iterator[Variable]:
    """The variables whose numbers every evaluation needs.

    Of an if-then-else these are the variables of its condition; of `and` and `or`, those that all parts need.
    """
    match node:
        case And(parts=parts) | Or(parts=parts):
            first, *others = (dict.fromkeys(read_always(part)) for part in parts)
            yield from (variable for variable in first if all(variable in other for other in others))
        case Variable():
            yield node
        case Ite(condition=condition):
            yield from read_always(condition)
        case Dim():
            for atom in node.atoms():
                yield from read_always(atom)
        case _:
            for child in node.children:
                yield from read_always(child)


def read(ground: Ground, node: Dim | Constraint, what: str) -> None:
    """Require that each dimension and element exists that every evaluation of a size or a goal needs.

    Where a branch of an if-then-else mentions a dimension that exists whenever the branch is taken, assume that its
    size is not negative then.
    """
    for variable in read_always(node):
        readable(ground, variable, what)
    for variable, unless in _reads(node, FALSE):
        match variable.witness:
            case SizeOf(value=path, axis=axis) if (part := _part(ground.types, path)) is not None:
                if ground.holds(any_of(unless, at_least(rank_of(part), constant(axis + 1)))):
                    ground.facts.assume(any_of(unless, at_least(size_of(path, axis), constant(0))))
            case _:
                pass


def readable(ground: Ground, variable: Variable, what: str) -> None:
    """Require that the dimension or the element exists that a variable is read from."""
    match variable.witness:
        case SizeOf(value=path, axis=axis) if (part := _part(ground.types, path)) is not None:
            ground.prove(at_least(rank_of(part), constant(axis + 1)), f"{what} reads dimension {axis} of {path}")
            ground.facts.assume(at_least(size_of(path, axis), constant(0)))
            _settle(ground, part)
        case ContentOf(value=path, index=index) if (part := _part(ground.types, path)) is not None:
            least = constant((*index, 0)[0] + 1)
            ranked = equal(rank_of(part), constant(len(index)))
            there = all_of(ranked, *(at_least(size_of(part, axis), least) for axis in range(len(index))))
            goal = any_of(at_least(numel_of(part), least), there)
            ground.prove(goal, f"{what} reads an element of {path}")
        case ContentOf(value=path, index=(index,)) if (length := _length(ground.types, path)) is not None:
            ground.prove(at_least(length, constant(index + 1)), f"{what} reads an element of {path}")
        case _:
            pass


def seen(ground: Ground, type: OpenedType) -> None:
    """Assume that the dimensions and elements that the type of a defined value mentions exist."""
    inside = ((variable, FALSE) for variable in read_by_calls(type))
    for reads in (*(_reads(size, FALSE) for size in sizes(type)), inside):
        for variable, unless in reads:
            match variable.witness:
                case SizeOf(value=path, axis=axis) if (part := _part(ground.types, path)) is not None:
                    ground.facts.assume(any_of(unless, at_least(rank_of(part), constant(axis + 1))))
                    ground.facts.assume(any_of(unless, at_least(size_of(path, axis), constant(0))))
                case ContentOf(value=path, index=index) if (part := _part(ground.types, path)) is not None:
                    ground.facts.assume(any_of(unless, at_least(numel_of(part), constant((*index, 0)[0] + 1))))
                case ContentOf(value=path, index=(index,)) if (length := _length(ground.types, path)) is not None:
                    ground.facts.assume(any_of(unless, at_least(length, constant(index + 1))))
                case _:
                    pass


def called(ground: Ground, type: GradualType, what: str) -> None:
    """Require that the dimensions and elements of outer values exist that each call of the function needs.

    They have to exist where the function is defined.

    For the other dimensions of outer values that its type mentions: if one is proved to exist, assume that its size is
    not negative.
    """
    for variable in read_by_calls(type):
        readable(ground, variable, what)
    for variable in unbound(type):
        match variable.witness:
            case SizeOf(value=path, axis=axis) if (part := _part(ground.types, path)) is not None:
                if ground.holds(at_least(rank_of(part), constant(axis + 1))):
                    ground.facts.assume(at_least(size_of(path, axis), constant(0)))
            case _:
                pass


def read_by_calls(type: GradualType) -> Iterator[Variable]:
    """The variables of outer values that a call needs to check its arguments against the parameter types."""
    match type:
        case TupleType(fields):
            for field in fields:
                yield from read_by_calls(field)
        case FunctionType(params=params):
            around = set(unbound(type))
            for extent in (extent for param in params for extent in extents(param)):
                yield from (variable for variable in read_always(extent) if variable in around)


def _reads(node: Any, unless: Constraint) -> Iterator[tuple[Variable, Constraint]]:
    """The variables that a size mentions, each with the constraint under which the branch with it is not taken."""
    match node:
        case Variable():
            yield node, unless
        case Dim():
            for atom in node.atoms():
                yield from _reads(atom, unless)
        case Ite(condition=condition, then=then, orelse=orelse):
            yield from ((variable, unless) for variable in read_always(condition))
            yield from _reads(then, any_of(unless, negated(condition)))
            yield from _reads(orelse, any_of(unless, condition))
        case _:
            for child in node.children:
                yield from _reads(child, unless)


def dims_of(value: Any) -> Iterator[Dim]:
    """The sizes in an attribute."""
    if isinstance(value, Dim):
        yield value
    for part in value if isinstance(value, tuple) else ():
        yield from dims_of(part)


def _part(types: Mapping[str, OpenedType], path: str) -> str | None:
    """The value whose shape the part at a path has, if its rank is unknown."""
    part = part_at(types, path)
    return part.origin if isinstance(part, UnrankedType) else None


def _length(types: Mapping[str, OpenedType], path: str) -> Dim | None:
    """The size of the vector at a path."""
    part: OpenedType | None = part_at(types, path)
    match part:
        case TensorType((length,)):
            return length
        case _:
            return None


def recorded(ground: Ground, judged: TensorType[Dim | Hole], origin: str, path: str) -> None:
    """Check a value that is recorded to have the shape of the value `origin`, with the type that was judged for it.

    The judged rank and sizes have to be those of `origin`. For `origin` itself they are assumed.
    """
    sizes = [(axis, extent) for axis, extent in enumerate(judged.shape) if isinstance(extent, Dim)]
    goals = [equal(rank_of(origin), constant(judged.rank))]
    goals += [equal(size_of(origin, axis), size) for axis, size in sizes]
    if origin == path:
        for goal in goals:
            ground.facts.assume(goal)
        return
    if len(sizes) < judged.rank:
        ground.wrong(f"{path} is recorded to have the shape of {origin}")
    for goal in goals:
        ground.prove(goal, f"{path} is recorded to have the shape of {origin}: {goal}")


def settle_length(ground: Ground, name: str) -> None:
    """Record the length of a vector of integers, if it follows from the facts."""
    type = ground.types.get(name)
    if isinstance(type, TensorType) and type.rank == 1 and type.dtype.is_integer and type.shape[0].value is None:
        value = ground.decider.simplified(ground.facts, type.shape[0]).value
        if value is not None and 0 <= value <= LIMITS.contents:
            ground.types[name] = at_size(type, type.shape[0], value)
