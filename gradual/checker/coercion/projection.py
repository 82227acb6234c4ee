"""Parts of tuples, by their paths."""

from __future__ import annotations

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made
from gradual.core.terms import Project
from gradual.source import Span
from gradual.types.type import TupleType


def projected(state: Elaboration, value: str, path: str, span: Span) -> str:
    """Add the steps that project a tuple to the part at a path, and return its variable."""
    for index in map(int, path.split("#")[1:]):
        type = state.values.types[value]
        assert isinstance(type, TupleType), value
        name = state.values.fresh(None)
        state.output.steps.append(Project(name, value, index, type.fields[index], span))
        value = state.values.define(name, type.fields[index], Made("a projection", (f"{value}#{index}",), span))
    return value
