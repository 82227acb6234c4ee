"""The names of a program with their inferred types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken
from gradual.record import record
from gradual.source import Span
from gradual.types.print import shown, shown_contents, shown_extent
from gradual.types.type import TensorType


@record
class Binding:
    """A name of the program with its inferred type and, if they are known, its sizes and its elements."""

    function: str
    name: str
    type: str
    shape: tuple[str, ...] | None
    contents: str | None
    span: Span


def bindings(states: Iterable[tuple[str, Elaboration]]) -> Iterator[Binding]:
    """Every parameter, let and graph variable, and each function's result, except those whose type is an error."""
    for function, state in states:
        for binding in state.scope.bindings:
            type = state.values.types[binding.value]
            if not isinstance(type, Broken):
                contents = type.contents if isinstance(type, TensorType) else None
                known = shown_contents(contents, len(type.shape)) if contents else None  # type: ignore[union-attr]
                shape = tuple(map(shown_extent, type.shape)) if isinstance(type, TensorType) else None
                yield Binding(function, binding.name, shown(type), shape, known, binding.span)
