"""Parts of tuples, by their paths."""

from __future__ import annotations

from gradual.checker.state.context import Elaboration, Made
from gradual.core.terms import Project
from gradual.source import Span
from gradual.types.type import TupleType


def projected(state: Elaboration, value: str, path: str, span: Span) -> str:
    """The part of a tuple at a path below a value, its steps written."""
    for index in map(int, path.split("#")[1:]):
        type = state.types[value]
        assert isinstance(type, TupleType), value
        name = state.fresh(None)
        state.steps.append(Project(name, value, index, type.fields[index], span))
        value = state.define(name, type.fields[index], Made("a projection", (f"{value}#{index}",), span))
    return value
