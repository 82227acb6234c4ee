"""How large a type is: if each step of a program pairs a value with itself, its type doubles each time."""

from __future__ import annotations

from gradual.types.type import Composite, DataType, FunctionType, GradualType, ReferenceType, TupleType


def parts_of(type: GradualType) -> int:
    """How many parts a type has, counting itself and, recursively, the parts of its parts."""
    if not isinstance(type, Composite):
        return 1
    try:
        return type._parts
    except AttributeError:
        found = 1 + sum(map(parts_of, _inside(type)))
        object.__setattr__(type, "_parts", found)
        return found


def _inside(type: GradualType) -> tuple[GradualType, ...]:
    match type:
        case TupleType(parts) | DataType(_, parts):
            return parts
        case FunctionType(_, params, result):
            return (*params, result)
        case ReferenceType(content):
            return (content,)
        case _:
            return ()
