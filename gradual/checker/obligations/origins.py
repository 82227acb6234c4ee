"""The origin of a size: the literal, the `?` or the operator that a dim of a value comes from.

Origins are not recorded during checking; a diagnostic follows the value back through the operations that made it.
"""

from __future__ import annotations

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made, Written
from gradual.dims.term.dim import Dim
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import TensorType, TupleType


@record
class Birth:
    """The origin of a size: written at `span`, or made there by the operator `by`."""

    span: Span
    written: bool
    by: str = ""


def birth(state: Elaboration, value: str, axis: int) -> Birth | None:
    """The origin of the size at an axis of a value, or of a part such as `%t#0`.  [check.place.related]"""
    size = _size(state, value, axis)
    if size is None:
        return None
    for _ in range(state.program.limits.rlimit):
        base, *fields = value.split("#")
        match state.values.origins.get(base):
            case Written(annotation):
                return Birth(written_at(annotation, fields, axis), True)
            case Made(by, operands, span):
                source = next((part for part in operands if _bears(state, part, size)), None)
                if source is None:
                    return Birth(span, False, _maker(state, span, by))
                value, axis = _place(state, source, size, axis)
            case None:
                return None
    return None


def _maker(state: Elaboration, span: Span, by: str) -> str:
    """What made a size: in a program made from a model the operator of the node, which users know."""
    origin = state.program.source.origin(span)
    return by if origin is None or not by.startswith("`") else f"`{origin.operator}`"


def _size(state: Elaboration, value: str, axis: int) -> Dim | None:
    part = _part(state, value)
    return part.shape[axis] if isinstance(part, TensorType) and axis < part.rank else None


def _part(state: Elaboration, value: str) -> object:
    base, *fields = value.split("#")
    part: object = state.values.types.get(base)
    for field in fields:
        part = part.fields[int(field)] if isinstance(part, TupleType) else None
    return part


def _bears(state: Elaboration, value: str, size: Dim) -> bool:
    match _part(state, value):
        case TensorType(shape):
            return size in shape
        case TupleType(fields):
            return any(isinstance(field, TensorType) and size in field.shape for field in fields)
        case _:
            return False


def _place(state: Elaboration, value: str, size: Dim, axis: int) -> tuple[str, int]:
    """The tensor part of a value and the axis that has a size; `axis` is preferred if it has the size."""
    match _part(state, value):
        case TensorType(shape):
            return value, axis if axis < len(shape) and shape[axis] is size else shape.index(size)
        case TupleType(fields):
            for i, field in enumerate(fields):
                if isinstance(field, TensorType) and size in field.shape:
                    return _place(state, f"{value}#{i}", size, axis)
    raise AssertionError(value)


def written_at(annotation: ast.Type, fields: list[str], axis: int | None) -> Span:
    """The span of the size at an axis of a field in an annotation; that of the enclosing type if no size is written."""
    for field in fields:
        if not isinstance(annotation, ast.TupleType):
            return annotation.span
        annotation = annotation.fields[int(field)]
    if isinstance(annotation, ast.TensorType) and annotation.shape and axis is not None:
        if axis >= len(annotation.shape):
            return annotation.span
        return annotation.shape[axis].span
    return annotation.span
