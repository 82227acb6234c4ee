"""Unknowns in results of declared operators: the language is pure, so that equal operands give equal sizes.

[type.declared]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.dims.term.dim import Dim
from gradual.types.type import GradualType, Hole, OpenedType, TensorType, TupleType


def keyed(type: GradualType, operator: str, operands: Sequence[OpenedType], path: str = "") -> GradualType:
    """The result type of an operator with each `?` named by what it depends on: the operator and all its operands.

    An operand that is no tensor may be a cell or a function that reads one: nothing is shared then.
    """
    if not all(map(_is_pure, operands)):
        return type
    match type:
        case TensorType(shape, dtype):
            everything = tuple(range(len(operands)))
            extents = (
                replace(extent, key=(f"{operator}{path}:{axis}", everything)) if isinstance(extent, Hole) else extent
                for axis, extent in enumerate(shape)
            )
            return TensorType(tuple(extents), dtype)
        case TupleType(fields):
            return TupleType(tuple(keyed(part, operator, operands, f"{path}#{i}") for i, part in enumerate(fields)))
        case _:
            return type


def _is_pure(type: OpenedType) -> bool:
    match type:
        case TensorType():
            return True
        case TupleType(fields):
            return all(map(_is_pure, fields))
        case _:
            return False


def identities(operands: Sequence[str], types: Sequence[OpenedType]) -> tuple[str, ...]:
    """What tells operands apart: two integer scalars of one content are one value."""
    return tuple(_identity(*pair) for pair in zip(operands, types, strict=True))


def _identity(operand: str, type: OpenedType) -> str:
    match type:
        case TensorType((), dtype, (Dim() as content,)):
            return f"{content} : {dtype}"
        case _:
            return operand
