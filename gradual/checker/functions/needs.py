"""Conversion of an operator's needs to obligations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.checker.obligations.obligation import Obligation
from gradual.checker.obligations.origins import birth
from gradual.checker.state.context import Elaboration
from gradual.core.check import Site
from gradual.diagnostic import Related
from gradual.dims.term.constraint import Constraint, Or, equal
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Need, Operator
from gradual.source import Span
from gradual.types.type import TensorType


def obligation_of(
    state: Elaboration,
    operator: Operator,
    need: Need,
    goal: Constraint,
    operands: Sequence[str],
    span: Span,
    spans: Sequence[Span],
) -> Obligation:
    """The obligation of an operator's need, with everything that its error message shows.  [check.place.operator]"""
    places = [_place(state, place, operands, spans) for place in need.operands]
    at = places[0][0] if places else span
    label = places[0][1] if places else ""
    related = [Related(where, words) for where, words in places[1:] if where != at]
    for place in need.operands:
        related += _birth(state, place, operands, spans)
    through = (
        f"argument {(need.operands[0][0] or 0) + 1} of `{operator.name}`" if need.operands else f"`{operator.name}`"
    )
    unique = tuple(dict.fromkeys(r for r in related if r.span != at))
    sizes = [size for place in need.operands if (size := _size(state, place, operands)) is not None]
    sides = need.sides
    if sides is None and len(sizes) == 2 and len(need.operands) == 2 and sizes[0] != sizes[1]:
        sides = sizes[0], sizes[1]
    return Obligation(
        goal, need.rule, Site.OPERATOR, need.says, at, label, through, unique, sides=sides, values=tuple(operands)
    )  # fmt: skip


def goal_of(state: Elaboration, need: Need, operands: Sequence[str]) -> Constraint:
    """The goal of a need; under strict broadcasting, a broadcasting need requires equal sizes."""
    goal = need.goal
    if not state.program.strict_broadcast or need.rule != "op.broadcast.agree" or not isinstance(goal, Or):
        return goal
    sizes = [size for place in need.operands if (size := _size(state, place, operands)) is not None]
    return equal(sizes[0], sizes[1]) if len(sizes) == 2 else goal


def _value(place: tuple[int | None, ...], operands: Sequence[str]) -> tuple[str, int | None]:
    """The path of the operand (or of its field) that a need mentions, and the axis."""
    if len(place) == 3:
        return f"{operands[place[0] or 0]}#{place[1]}", place[2]
    return operands[place[0] or 0], place[1]


def _size(state: Elaboration, place: tuple[int | None, ...], operands: Sequence[str]) -> Dim | None:
    path, axis = _value(place, operands)
    base, *fields = path.split("#")
    type: Any = state.values.types[base]
    for field in fields:
        type = type.fields[int(field)]
    size: Dim | None = type.shape[axis] if axis is not None and isinstance(type, TensorType) else None
    return size


def _place(
    state: Elaboration, place: tuple[int | None, ...], operands: Sequence[str], spans: Sequence[Span]
) -> tuple[Span, str]:
    size, (_, axis) = _size(state, place, operands), _value(place, operands)
    span = spans[place[0] or 0]
    words = f"dimension {axis}{_named(state, span)} is {size}" if size is not None else ""
    return span, words


def _named(state: Elaboration, span: Span) -> str:
    """Which value an operand is, in a program made from a model, where several labels stand at one line of Python."""
    source = state.program.source
    if (origin := source.origin(span)) is None:
        return ""
    text = source.text[span.start : span.end]
    name = text[1:] if text.startswith("%") else origin.value
    return f" of `{name}`" if name else ""


def _birth(
    state: Elaboration, place: tuple[int | None, ...], operands: Sequence[str], spans: Sequence[Span]
) -> list[Related]:
    path, axis = _value(place, operands)
    if axis is None or (size := _size(state, place, operands)) is None:
        return []
    born = birth(state, path, axis)
    if born is None or born.span == spans[place[0] or 0]:
        return []
    return [Related(born.span, f"{size} comes from here" if born.written else f"{size} is made by {born.by} here")]
