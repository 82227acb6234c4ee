"""Tuples and their fields."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.terms import MakeTuple, Project
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.print import shown
from gradual.types.size_of_type import parts_of
from gradual.types.type import TupleType


def tuple_value(state: Elaboration, items: Sequence[ast.Expr], span: Span, hint: str | None) -> str:
    """Check a tuple; return its core variable.  [type.tuple]"""
    return tuple_of(state, [state.judge.infer(state, item) for item in items], span, hint)


def tuple_of(state: Elaboration, fields: Sequence[str], span: Span, hint: str | None) -> str:
    """Emit a tuple of values; return its core variable."""
    for field in fields:  # elements of integer tensors get symbolic names here, by which `stack((%a, %b))` knows them
        state.contents(field)
    types = [state.values.types[field] for field in fields]
    name = state.values.fresh(hint)
    known = tuple(type for type in types if not isinstance(type, Broken))
    if len(known) != len(types):
        return state.values.define(name, BROKEN)
    type = TupleType(known)
    limit = state.program.limits.fields
    if parts_of(type) > limit:
        state.output.report("E0307", "type.tuple", f"a tuple has at most {limit} fields, nested ones included", span)
        return state.values.define(name, BROKEN)
    step = MakeTuple(name, tuple(fields), type, span)
    state.output.steps.append(step)
    state.values.ranges.part(step, state.values.types)
    return state.values.define(name, type, Made("a tuple", tuple(fields), span))


def projection(state: Elaboration, operand: ast.Expr, index: int, span: Span, hint: str | None) -> str:
    """Check a projection from a tuple; return its core variable.  [type.project]"""
    value = state.judge.infer(state, operand)
    name = state.values.fresh(hint)
    match state.values.types[value]:
        case Broken():
            return state.values.define(name, BROKEN)
        case TupleType(fields) if 0 <= index < len(fields):
            step = Project(name, value, index, fields[index], span)
            state.output.steps.append(step)
            state.values.ranges.part(step, state.values.types)
            return state.values.define(name, fields[index], Made("a projection", (f"{value}#{index}",), span))
        case TupleType(fields):
            message = f"a tuple of {len(fields)} has no field {index}"
            state.output.report("E0309", "type.project", message, span)
        case other:
            state.output.report("E0307", "type.project", f"only a tuple has fields, not `{shown(other)}`", span)
    return state.values.define(name, BROKEN)
