"""The names of a program with their inferred types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken
from gradual.source import Span
from gradual.types.print import shown, shown_contents
from gradual.types.type import TensorType


@dataclass(frozen=True, slots=True)
class Binding:
    """A name of the program with its inferred type and, where known, its contents."""

    function: str
    name: str
    type: str
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
                yield Binding(function, binding.name, shown(type), known, binding.span)
