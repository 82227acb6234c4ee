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

    An attribute that TVM prints although it follows from an argument is ignored, whatever its value.  [name.attribute]
    """
    repeated = unread(operator) if written else frozenset()
    given: dict[str, Any] = {}
    for attribute in written:
        key = attribute.key
        if key == "attrs_type_key" or key in repeated:
            continue
        if key in given:
            state.output.report("E0207", "name.attribute", f"attribute `{key}` is given twice", attribute.span)
            return None
        literal = given[key] = _literal(attribute.value)
        if literal is not _OTHER:
            continue
        reading = Sizes(state)
        try:
            given[key] = _value_of(reading, attribute.value)
        except NotADim as found:
            found.report(state, f"attribute `{key}`: ", {"computed": key})
            return None
        except Unreadable:
            return None
        discharge_divisions(state, reading)
    return given


_OTHER: Any = object()


def _literal(expr: ast.Expr) -> Any:
    """The value of a number, a string, `None` or a list of numbers, which most attributes are; else `_OTHER`."""
    if isinstance(expr, ast.Listing):
        items: Any = expr.items
        return tuple([item.value for item in items]) if _NUMBER.issuperset(map(type, items)) else _OTHER
    if isinstance(expr, _SINGLE):
        return expr.value
    return None if isinstance(expr, ast.Nothing) else _OTHER


_NUMBER, _SINGLE = frozenset({ast.Number}), (ast.Number, ast.Text)


def _value_of(reading: Sizes, expr: ast.Expr) -> Any:
    literal = _literal(expr)
    if literal is not _OTHER:
        return literal
    match expr:
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
