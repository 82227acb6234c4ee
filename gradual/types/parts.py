"""How large a type is: types double where each step pairs what it is given."""

from __future__ import annotations

from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TupleType


def has_more_parts(type: GradualType, limit: int) -> bool:
    """Whether a type has more than so many parts; no more of them are looked at."""
    waiting, found = [type], 0
    while waiting and found <= limit:
        found += 1
        match waiting.pop():
            case TupleType(parts) | DataType(_, parts):
                waiting += parts
            case FunctionType(_, params, result):
                waiting += (*params, result)
            case ReferenceType(content):
                waiting.append(content)
    return found > limit
