"""Substitution for dims and type variables in types, and renaming apart.

A function type binds names; substitution into it is capture-avoiding.   [type.parameter]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gradual.dims.term.dim import Dim, Kind, Variable, of_atom, variable
from gradual.types.binder_solving import extents
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
)
from gradual.types.unpacking import base_of


def around(type: FunctionType) -> list[GradualType | Dim]:
    """The free dim and type variables of a function type."""
    dims = (one for one in mentioned(type) if one not in type.binders and base_of(one) not in type.names)
    return [*map(of_atom, dims), *(one for one in type_variables(type) if one not in type.types)]


def renamed(type: FunctionType, like: FunctionType, *apart: FunctionType) -> FunctionType | None:
    """The function type with `like`'s names for parameters and binders; None if the numbers of these differ.

    With `apart`, the names are new ones that occur in none of the types. If two function types are renamed so, each
    apart from the other, the results are equal iff the types are alpha-equivalent.
    """
    numbers = (len(type.params), len(type.binders), len(type.types))
    if numbers != (len(like.params), len(like.binders), len(like.types)):
        return None
    names, dims, types = like.names, like.binders, like.types
    if apart:
        names, dims, types = _unused(like, (type, like, *apart))
    mapping = _of_parameters(type, names)
    for binder, other in zip(type.binders, dims, strict=True):
        mapping[binder] = variable(other.name, other.kind, other.witness)
    chosen: dict[TypeVariable, GradualType] = dict(zip(type.types, types, strict=True))
    mine: tuple[Variable | TypeVariable, ...] = (*type.binders, *type.types)
    theirs: tuple[Variable | TypeVariable, ...] = (*dims, *types)
    others = dict(zip(mine, theirs, strict=True))
    return FunctionType(
        names,
        tuple(instantiated(substituted(param, mapping), chosen) for param in type.params),
        instantiated(substituted(type.result, mapping), chosen),
        dims,
        tuple(goal.substitute(mapping) for goal in type.where),
        types,
        tuple(others.get(one, one) for one in type.order),
    )


def _unused(
    type: FunctionType, among: Sequence[FunctionType]
) -> tuple[tuple[str, ...], tuple[Variable, ...], tuple[TypeVariable, ...]]:
    """Fresh parameters, dims and type variables, as many as a function type binds, that occur in none of `among`."""
    every = [variable for one in among for variable in (*mentioned(one), *one.binders)]
    taken = {variable.name for variable in every} | {base for one in every if (base := base_of(one)) is not None}
    taken |= {variable.name for one in among for variable in (*type_variables(one), *one.types)}
    names = (f"%?{count}" for count in itertools.count() if f"%?{count}" not in taken)
    dims = (_rigid(f"n{count}") for count in itertools.count() if f"n{count}" not in taken)
    types = (TypeVariable(f"A{count}") for count in itertools.count() if f"A{count}" not in taken)
    return (
        tuple(itertools.islice(names, len(type.params))),
        tuple(itertools.islice(dims, len(type.binders))),
        tuple(itertools.islice(types, len(type.types))),
    )


def _of_parameters(type: FunctionType, names: Sequence[str]) -> dict[Variable, Dim]:
    """Size or element of a parameter that a function type mentions -> the same under the parameter's new name."""
    fresh = dict(zip(type.names, names, strict=True))
    mapping: dict[Variable, Dim] = {}
    for own in set(mentioned(type)):
        if own.witness is not None and base_of(own) in fresh:
            base, *path = own.witness.value.split("#")
            witness = replace(own.witness, value="#".join((fresh[base], *path)))
            mapping[own] = variable(own.name.replace(base, fresh[base]), own.kind, witness)
    return mapping


def _rigid(name: str) -> Variable:
    (made,) = variable(name, Kind.RIGID).variables()
    return made


def mentioned(type: GradualType) -> Iterator[Variable]:
    """The variables of the dims in a type, including those that a function type inside binds."""
    for extent in extents(type):
        yield from extent.variables()
    if isinstance(type, FunctionType):
        for clause in type.where:
            yield from clause.variables()


def type_variables(type: GradualType) -> Iterator[TypeVariable]:
    """The type variables in a type, including those that a function type inside binds."""
    match type:
        case TypeVariable():
            yield type
        case TupleType(parts) | DataType(_, parts):
            for part in parts:
                yield from type_variables(part)
        case FunctionType(_, params, result):
            for part in (*params, result):
                yield from type_variables(part)
        case ReferenceType(content):
            yield from type_variables(content)


def clear_of(type: FunctionType, inner: Iterable[GradualType | Dim]) -> FunctionType:
    """The function type with each bound name renamed that occurs in the given types or dims."""
    dims: set[Variable] = set()
    types: set[TypeVariable] = set()
    for part in inner:
        if isinstance(part, Dim):
            dims |= part.variables()
        else:
            dims.update(mentioned(part))
            types.update(type_variables(part))
    if any(base_of(variable) in type.names for variable in dims):
        type = other_parameters(type, dims)
    if dims.isdisjoint(type.binders) and types.isdisjoint(type.types):
        return type
    taken = {v.name for v in dims | set(mentioned(type))} | {v.name for v in types | set(type_variables(type))}
    binders = tuple(_rigid(_other(v.name, taken)) if v in dims else v for v in type.binders)
    variables = tuple(TypeVariable(_other(v.name, taken)) if v in types else v for v in type.types)
    clear = renamed(type, replace(type, binders=binders, types=variables))
    assert clear is not None
    return clear


def other_parameters(type: FunctionType, dims: Iterable[Variable]) -> FunctionType:
    """The function type with fresh names for its parameters, which occur neither in the dims nor in the type."""
    read = (base_of(variable) for variable in (*dims, *mentioned(type)))
    taken = {*type.names, *(base for base in read if base is not None)}
    names = tuple(_other(name, taken) for name in type.names)
    return replace(substituted_within(type, _of_parameters(type, names)), names=names)


def substituted_within(type: FunctionType, mapping: Mapping[Variable, Dim]) -> FunctionType:
    """Substitute dims for variables in a function type, also for variables read from its own parameters."""
    return replace(
        type,
        params=tuple(substituted(param, mapping) for param in type.params),
        result=substituted(type.result, mapping),
        where=tuple(clause.substitute(mapping) for clause in type.where),
    )


def _other(name: str, taken: set[str]) -> str:
    fresh = next(f"{name}_{count}" for count in itertools.count(1) if f"{name}_{count}" not in taken)
    taken.add(fresh)
    return fresh


def substituted(type: GradualType, mapping: Mapping[Variable, Dim]) -> GradualType:
    """The type with dims substituted for variables."""
    match type:
        case TensorType(shape, dtype, contents):
            sizes = tuple(
                _substituted_hole(d, mapping) if isinstance(d, Hole) else d.substitute(mapping) for d in shape
            )
            return TensorType(sizes, dtype, contents and tuple(c.substitute(mapping) for c in contents))
        case TupleType(fields):
            return TupleType(tuple(substituted(field, mapping) for field in fields))
        case FunctionType():
            outside = set(mentioned(type)) & mapping.keys() - set(type.binders)
            inner = {v: mapping[v] for v in outside if base_of(v) not in type.names}
            if not inner:
                return type
            return substituted_within(clear_of(type, inner.values()), inner)
        case DataType(name, arguments):
            return DataType(name, tuple(substituted(argument, mapping) for argument in arguments))
        case ReferenceType(content):
            return ReferenceType(substituted(content, mapping))
        case _:
            return type


def instantiated(type: GradualType, chosen: Mapping[TypeVariable, GradualType]) -> GradualType:
    """The type with types substituted for type variables.  [type.parameter]"""
    if not chosen:
        return type
    match type:
        case TypeVariable():
            return chosen.get(type, type)
        case TupleType(fields):
            return TupleType(tuple(instantiated(field, chosen) for field in fields))
        case FunctionType():
            inner = {name: chosen[name] for name in set(type_variables(type)) & chosen.keys() - set(type.types)}
            if not inner:
                return type
            clear = clear_of(type, inner.values())
            params = tuple(instantiated(param, inner) for param in clear.params)
            return replace(clear, params=params, result=instantiated(clear.result, inner))
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
