"""Unknown sizes in results of declared operators: operators are pure, so equal operands give equal sizes.

[type.declared]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.dims.term.dim import Dim
from gradual.types.type import GradualType, Hole, OpenedType, TensorType, TupleType


def keyed(type: GradualType, operator: str, operands: Sequence[OpenedType], path: str = "") -> GradualType:
    """The result type of an operator with each `?` keyed by the operator and all its operands.

    If an operand is neither a tensor nor a tuple of tensors, no keys are given: it may be a reference, or a function
    that reads a reference, so that equal applications may have different results.
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
    """Keys that identify the operands: integer scalars of the same content and dtype have the same key."""
    return tuple(_identity(*pair) for pair in zip(operands, types, strict=True))


def _identity(operand: str, type: OpenedType) -> str:
    match type:
        case TensorType((), dtype, (Dim() as content,)):
            return f"{content} : {dtype}"
        case _:
            return operand
