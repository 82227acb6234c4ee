"""Inference of a callee's dim arguments from the shapes of a call's arguments.

Every binder must be determined by an argument: by a bare occurrence, or by one that can be solved (`n + 1`,
`2 * n`).  When a run enters a function, the interpreter computes the binders by the solutions that the same algorithm
finds for the sizes of the function's own parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from gradual.dims.term.constraint import Constraint, at_least, divides
from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable, constant, product, variable
from gradual.record import record
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
from gradual.types.unpacking import base_of, content_of, size_of


@record
class Measured:
    """The dim arguments inferred for a call.

    Attributes:
        mapping: binder, or size or element of a parameter -> its value in the caller's terms.
        owed: the constraints that solving occurrences such as `2 * n` requires, each with the index of its parameter.
        unsolved: binders, and sizes or elements of parameters, that no argument determines.
    """

    mapping: Mapping[Variable, Dim]
    owed: tuple[tuple[int, Constraint], ...]
    unsolved: tuple[Variable, ...]


def measured(type: FunctionType, arguments: Sequence[OpenedType]) -> Measured:
    """Infer the callee's binders from the arguments: the first bare occurrence decides.  [type.call.dims]"""
    sizes = [
        (index, extent, size)
        for index, (param, argument) in enumerate(zip(type.params, arguments, strict=True))
        for extent, size in _paired(param, argument)
        if extent.value is None
    ]
    own = named_parts(type)
    mapping: dict[Variable, Dim] = read_off(own, type, arguments)
    shown: dict[Variable | None, Dim] = {}
    for _, extent, size in sizes:
        shown.setdefault(bare(extent), size)
    waiting = dict.fromkeys(variable for variable in (*type.binders, *own) if variable not in mapping)
    for binder in tuple(waiting):
        if binder.witness is None and binder in shown:  # a binder with a witness is a size of its own argument
            mapping[binder] = shown[binder]
            del waiting[binder]
    owed = _solve(waiting, sizes, mapping) if waiting else ()
    return Measured(mapping, tuple(owed), tuple(waiting))


def _solve(
    waiting: dict[Variable, None], sizes: Sequence[tuple[int, Dim, Dim]], mapping: dict[Variable, Dim]
) -> Iterator[tuple[int, Constraint]]:
    """Solve occurrences that are linear in a single unsolved binder, until none is left; yield their constraints.

    It works in rounds, each from left to right; an occurrence is visited again only after one of its binders was
    solved.
    """
    places: dict[Variable, list[int]] = {}
    for place, (_, extent, _) in enumerate(sizes):
        for binder in extent.variables() & waiting.keys():
            places.setdefault(binder, []).append(place)
    queue = [(0, place) for place in sorted({place for found in places.values() for place in found})]
    while queue:
        turn, place = heappop(queue)
        index, extent, size = sizes[place]
        open_here = tuple(extent.variables() & waiting.keys())
        linear = _linear(extent, open_here[0]) if len(open_here) == 1 and open_here[0].witness is None else None
        if linear is None:
            continue
        (binder,), (factor, rest) = open_here, linear
        difference = (size - rest.substitute(mapping)) * (1 if factor > 0 else -1)
        solution = difference // abs(factor)
        mapping[binder] = solution
        yield index, divides(constant(abs(factor)), difference)
        yield index, at_least(solution, constant(0))
        del waiting[binder]
        for other in places[binder]:
            heappush(queue, (turn + (other <= place), other))


def bare(extent: Dim) -> Variable | None:
    """The variable if the dim is just a variable, else None."""
    match extent.terms:
        case (((Variable() as variable,), 1),):
            return variable
        case _:
            return None


def _linear(extent: Dim, unknown: Variable) -> tuple[int, Dim] | None:
    """`factor` and `rest` such that the dim is `factor * unknown + rest`, and `rest` does not mention it."""
    factor = dict(extent.terms).get((unknown,))
    if factor is None:
        return None
    rest = extent - factor * variable(unknown.name, unknown.kind, unknown.witness)
    return None if unknown in rest.variables() else (factor, rest)


def named_parts(type: FunctionType) -> tuple[Variable, ...]:
    """The sizes and elements of its parameters that a function type mentions, as `dim(%x, 0)` or `%n`."""
    found = [variable for clause in type.where for variable in clause.variables()]
    found += [variable for part in (*type.params, type.result) for variable in unbound(part)]
    names = frozenset(type.names)
    return tuple(one for one in dict.fromkeys(found) if one.witness is not None and base_of(one) in names)


def unbound(type: GradualType) -> Iterator[Variable]:
    """The variables in a type, except those read from the parameters of a function type inside it."""
    match type:
        case FunctionType(params=params, result=result, where=where):
            inside = [variable for part in (*params, result) for variable in unbound(part)]
            inside += [variable for clause in where for variable in clause.variables()]
            names = frozenset(type.names)
            yield from (variable for variable in inside if base_of(variable) not in names)
        case TupleType(parts) | DataType(_, parts):
            for part in parts:
                yield from unbound(part)
        case ReferenceType(content):
            yield from unbound(content)
        case _:
            for extent in extents(type):
                yield from extent.variables()


def at_values(type: FunctionType, values: Sequence[str]) -> dict[Variable, Dim]:
    """Map each size or element of a parameter that a function type mentions to the same of its argument in `values`."""
    places = dict(zip(type.names, values, strict=True))
    mapping: dict[Variable, Dim] = {}
    for part in named_parts(type):
        assert part.witness is not None
        base, *fields = part.witness.value.split("#")
        path = "#".join((places[base], *fields))
        match part.witness:
            case SizeOf(axis=axis):
                mapping[part] = size_of(path, axis)
            case ContentOf(index=index):
                mapping[part] = content_of(path, index)
    return mapping


def read_off(
    own: Sequence[Variable], type: FunctionType, arguments: Sequence[OpenedType | None]
) -> dict[Variable, Dim]:
    """Size, rank, number of elements or element of a parameter -> its value in the arguments, where it is known."""
    places = {name: index for index, name in enumerate(type.names)}
    mapping: dict[Variable, Dim] = {}
    for name in own:
        match name.witness:
            case SizeOf(value=path, axis=axis) if (part := _part(path, places, arguments)) and axis < part.rank:
                mapping[name] = part.shape[axis]
            case ContentOf(value=path, index=index) if (part := _part(path, places, arguments)) is not None:
                content = part.contents[index[0] if index else 0] if part.contents else None
                if isinstance(content, Dim):
                    mapping[name] = content
            case RankOf(value=path) if (part := _part(path, places, arguments)) is not None:
                mapping[name] = constant(part.rank)
            case NumelOf(value=path) if (part := _part(path, places, arguments)) is not None:
                mapping[name] = product(part.shape)
    return mapping


def _part(path: str, places: Mapping[str, int], arguments: Sequence[OpenedType | None]) -> TensorType[Dim] | None:
    base, *fields = path.split("#")
    if base not in places:
        return None
    part = arguments[places[base]]
    for index in map(int, fields):
        if not isinstance(part, TupleType) or index >= len(part.fields):
            return None
        part = part.fields[index]
    return part if isinstance(part, TensorType) else None


def extents(type: GradualType) -> Iterator[Dim | Constraint]:
    """The dims, bounds and clauses written in a type, left to right; inside function, data and reference types too."""
    match type:
        case TensorType(shape):
            for extent in shape:
                if not isinstance(extent, Hole):
                    yield extent
                elif extent.bound is not None:
                    yield extent.bound
        case TupleType(fields):
            for field in fields:
                yield from extents(field)
        case FunctionType(params=params, result=result, where=where):
            for part in (*params, result):
                yield from extents(part)
            yield from where
        case DataType(_, arguments):
            for argument in arguments:
                yield from extents(argument)
        case ReferenceType(content):
            yield from extents(content)


def _paired(param: GradualType, argument: OpenedType) -> Iterator[tuple[Dim, Dim]]:
    """Each written dim of a parameter with the argument's dim at the same position."""
    match param, argument:
        case TensorType(shape), TensorType(sizes) if len(shape) == len(sizes):
            yield from ((e, size) for e, size in zip(shape, sizes, strict=True) if not isinstance(e, Hole))
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            for field, other in zip(fields, others, strict=True):
                yield from _paired(field, other)


def unmeasured(type: FunctionType, arguments: Sequence[OpenedType]) -> set[Variable]:
    """The binders in parameters whose arguments have unknown rank: their sizes may differ from the inferred values."""
    pairs = zip(type.params, arguments, strict=True)
    return {variable for pair in pairs for variable in _hidden(*pair)} & set(type.binders)


def _hidden(param: GradualType, argument: OpenedType) -> Iterator[Variable]:
    match param, argument:
        case TensorType(), UnrankedType():
            yield from unbound(param)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            for field, other in zip(fields, others, strict=True):
                yield from _hidden(field, other)


def measuring(type: GradualType, path: str) -> OpenedType:
    """A parameter's type, with each size and each tracked scalar as the variable that is read from the argument."""
    match type:
        case TensorType(shape, dtype):
            scalar = (content_of(path, ()),) if not shape and dtype.counts else None
            return TensorType(tuple(size_of(path, axis) for axis in range(len(shape))), dtype, scalar)
        case TupleType(fields):
            return TupleType(tuple(measuring(field, f"{path}#{i}") for i, field in enumerate(fields)))
        case UnrankedType(dtype):
            return UnrankedType(dtype, path)
        case _:
            return type


def requirements(type: GradualType, path: str) -> Iterator[tuple[Dim | Hole, Dim, str, int]]:
    """Each written extent of a parameter with the existential for that size, and the value's path and axis."""
    match type:
        case TensorType(shape):
            for axis, extent in enumerate(shape):
                yield extent, size_of(path, axis), path, axis
        case TupleType(fields):
            for i, field in enumerate(fields):
                yield from requirements(field, f"{path}#{i}")
