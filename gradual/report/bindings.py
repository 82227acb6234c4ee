"""The names of a program with their inferred types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken
from gradual.record import record
from gradual.source import Span
from gradual.types.print import shown, shown_contents, shown_extent
from gradual.types.type import OpenedType, TensorType


@record
class Binding:
    """A name of the program with its inferred type and, if they are known, its sizes and its elements."""

    function: str
    name: str
    type: str
    shape: tuple[str, ...] | None
    contents: str | None
    span: Span


@record
class Named:
    """A name of the program with its inferred type, from which its `Binding` is made when it is shown."""

    function: str
    name: str
    type: OpenedType
    span: Span

    def shown(self) -> Binding:
        """The binding, as text."""
        type, shape, known = self.type, None, None
        if isinstance(type, TensorType):
            shape = tuple(map(shown_extent, type.shape))
            known = shown_contents(type.contents, len(type.shape)) if type.contents else None
        return Binding(self.function, self.name, shown(type), shape, known, self.span)


def named(states: Iterable[tuple[str, Elaboration]]) -> Iterator[Named]:
    """Every parameter, let and graph variable, and each function's result, except those whose type is an error."""
    for function, state in states:
        types = state.values.types
        for binding in state.scope.bindings:
            type = types[binding.value]
            if not isinstance(type, Broken):
                yield Named(function, binding.name, type, binding.span)
