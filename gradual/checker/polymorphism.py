"""Type parameters: a call chooses them by matching its arguments, and every choice is a closed type.

[type.parameter] [type.call.types]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.types.opening import closed
from gradual.types.relate import instantiated, join
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    NeverType,
    OpenedType,
    ReferenceType,
    TupleType,
    TypeVariable,
)


def instance(type: FunctionType, arguments: Sequence[OpenedType], result: GradualType | None = None) -> FunctionType:
    """The function type at the type arguments that its arguments (and a wanted result) show; `_` where none does."""
    if not type.types:
        return type
    chosen: dict[TypeVariable, GradualType] = {}
    for param, argument in zip(type.params, arguments, strict=True):
        match_types(param, settled_type(argument), set(type.types), chosen)
    if result is not None:
        match_types(type.result, result, set(type.types) - set(chosen), chosen)
    every = {variable: chosen.get(variable, NeverType()) for variable in type.types}
    params = tuple(instantiated(param, every) for param in type.params)
    return replace(type, params=params, result=instantiated(type.result, every), types=())


def settled_type(type: OpenedType) -> GradualType:
    """The type as a type argument: no unknown is named in it."""
    return closed(type, lambda variable: not variable.is_ghost)


def match_types(
    pattern: GradualType, found: GradualType, among: set[TypeVariable], chosen: dict[TypeVariable, GradualType]
) -> None:
    """Choose the type variables of a pattern such that what was found fits, the least precise where several do."""
    match pattern, found:
        case TypeVariable(), _ if pattern in among:
            before = chosen.get(pattern)
            joined = found if before is None else join(before, found)
            chosen[pattern] = joined if joined is not None else before or found
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            for field, other in zip(fields, others, strict=True):
                match_types(field, other, among, chosen)
        case DataType(name, arguments), DataType(other, others) if name == other:
            for argument, theirs in zip(arguments, others, strict=True):
                match_types(argument, theirs, among, chosen)
        case ReferenceType(content), ReferenceType(theirs):
            match_types(content, theirs, among, chosen)
        case FunctionType(), FunctionType() if len(pattern.params) == len(found.params):
            for param, theirs in zip(pattern.params, found.params, strict=True):
                match_types(param, theirs, among, chosen)
            match_types(pattern.result, found.result, among, chosen)
