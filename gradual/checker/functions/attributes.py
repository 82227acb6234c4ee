"""Evaluation of an application's attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import NotADim, Sizes, discharge_divisions
from gradual.checker.state.context import Elaboration
from gradual.ops.declaration.attributes import coerced, unread
from gradual.ops.declaration.operator import IllFormed, Operator
from gradual.syntax.tree import ast


def read_attributes(state: Elaboration, operator: Operator, written: Sequence[ast.Attribute]) -> dict[str, Any] | None:
    """The attributes' values: numbers, strings, dims and tuples of them; None after reporting an invalid one.

    An attribute that follows from an argument is ignored.  [name.attribute]
    """
    repeated = unread(operator) if written else frozenset()
    given: dict[str, Any] = {}
    for attribute in written:
        if attribute.key == "attrs_type_key" or attribute.key in repeated:
            continue
        if attribute.key in given:
            state.output.report(
                "E0207", "name.attribute", f"attribute `{attribute.key}` is given twice", attribute.span
            )
            return None
        reading = Sizes(state)
        try:
            given[attribute.key] = _value_of(reading, attribute.value)
        except NotADim as found:
            found.report(state, f"attribute `{attribute.key}`: ", {"computed": attribute.key})
            return None
        except Unreadable:
            return None
        discharge_divisions(state, reading)
    return given


def _value_of(reading: Sizes, expr: ast.Expr) -> Any:
    match expr:
        case ast.Number(value=value):
            return value
        case ast.Text(value):
            return value
        case ast.Nothing():
            return None
        case ast.Listing(items) | ast.Tuple(items):
            return tuple(_value_of(reading, item) for item in items)
        case ast.Meta(kind, index):
            entry = reading.state.program.surface.metadata.get((kind, index))
            if isinstance(entry, ast.MetaTensor):
                return entry.elements if entry.shape else entry.elements[0]
            return entry if entry is not None else reading.dim(expr)
        case ast.Unary("-", ast.Number(value=value)):
            return -value
        case _:
            return reading.dim(expr)


def is_wrong(operator: Operator, key: str, given: Mapping[str, Any]) -> bool:
    """Whether an operator has no such attribute or rejects its value."""
    spec = next((spec for spec in operator.attributes if spec.name == key), None)
    if spec is None or key not in given:
        return spec is None
    try:
        coerced(spec, given[key])
    except IllFormed:
        return True
    return False
