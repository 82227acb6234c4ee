"""What names mean at a place: variables, dims and type parameters, until the block ends that binds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gradual.checker.program.elided import Scope
from gradual.dims.term.dim import Dim, Kind, variable
from gradual.source import Span
from gradual.trail import Trail
from gradual.types.type import TypeVariable


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A name that the user can see, with the value it stands for."""

    name: str
    value: str
    span: Span


class Scoping:
    """The names in scope where a definition is being elaborated.

    Attributes:
        names: variables, by their spelling, as core variables.
        dims: dimension names.
        types: type parameters.
        calls: the calls that are being written out, outermost first.
        bindings: every variable that was bound so far, in scope or not.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.dims: dict[str, Dim] = {}
        self.types: dict[str, TypeVariable] = {}
        self.calls: tuple[Span, ...] = ()
        self.bindings: list[Binding] = []
        self._reserved: dict[str, bool] = {}
        self._trail = Trail()

    @contextmanager
    def block(self) -> Iterator[None]:
        """Names bound inside end with it."""
        mark = self._trail.mark()
        yield
        self._trail.undo(mark)

    @contextmanager
    def within(self, scope: Scope, call: Span) -> Iterator[None]:
        """The names of another scope, on the way through a call."""
        kept = self.names, self.dims, self.types, self._trail, self.calls
        self.names, self.dims, self.types = dict(scope.names), dict(scope.dims), dict(scope.types)
        self._trail, self.calls = Trail(), (*self.calls, call)
        yield
        self._trail.undo(0)
        self.names, self.dims, self.types, self._trail, self.calls = kept

    def of(self, mentioned: Iterable[str]) -> Scope:
        """What is in scope here of the names that are mentioned."""
        names = list(mentioned)
        return Scope(
            {name: self.names[name] for name in names if name in self.names},
            {name: self.dims[name] for name in names if name in self.dims},
            {name: self.types[name] for name in names if name in self.types},
        )

    def bind(self, name: str, value: str) -> None:
        """From here on the spelling `name` means the core variable `value`."""
        self._trail.put(self.names, name, value)

    def show(self, name: str, value: str, span: Span) -> None:
        """As `bind`, for a name that stands in the text, where the user can ask for its type."""
        self.bind(name, value)
        if span.start < span.end:
            self.bindings.append(Binding(name, value, span))

    def bind_dim(self, name: str, dim: Dim) -> None:
        """From here on the dimension name means `dim`."""
        self._trail.put(self.dims, name, dim)

    def bind_type(self, name: str) -> TypeVariable:
        """From here on the name is a type parameter; one that shadows another gets a number."""
        parameter = self.type_parameter(name)
        self._trail.put(self.types, name, parameter)
        return parameter

    def type_parameter(self, name: str) -> TypeVariable:
        """A type parameter that has no name here."""
        return TypeVariable(self._reserve(name))

    def rigid(self, name: str) -> Dim:
        """A rigid dim for a name that is bound here; a name that shadows another gets a number."""
        return variable(self._reserve(name), Kind.RIGID)

    def forget(self) -> None:
        """Let go of the variables and of the way back, once the definition is checked."""
        self.names.clear()
        self._trail.clear()

    def _reserve(self, name: str) -> str:
        """A name that nothing has that is in scope or hidden, taken until the block ends."""
        number, spelling = 0, name
        while spelling in self.dims or spelling in self._reserved:
            number += 1
            spelling = f"{name}_{number}"
        self._trail.put(self._reserved, spelling, True)
        return spelling
