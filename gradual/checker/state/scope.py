"""The names in scope: variables, dims and type parameters, until the end of the block that binds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gradual.checker.program.elided import Scope
from gradual.dims.term.dim import Dim, Kind, variable
from gradual.record import record
from gradual.source import Span
from gradual.trail import Trail
from gradual.types.type import TypeVariable


@record(eq=False)
class Binding:
    """A name in the source, with its core variable."""

    name: str
    value: str
    span: Span


class Scoping:
    """The names in scope where a definition is being elaborated.

    Attributes:
        names: spelling -> core variable.
        dims: dimension name -> dim.
        types: name -> type parameter.
        calls: the spans of the calls being inlined, outermost first.
        bindings: every variable bound so far, in scope or not.
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
        """A block: names bound inside are removed at its end."""
        mark = self._trail.mark()
        yield
        self._trail.undo(mark)

    @contextmanager
    def within(self, scope: Scope, call: Span) -> Iterator[None]:
        """Replace the names by those of another scope, while a call is inlined."""
        kept = self.names, self.dims, self.types, self._trail, self.calls
        self.names, self.dims, self.types = dict(scope.names), dict(scope.dims), dict(scope.types)
        self._trail, self.calls = Trail(), (*self.calls, call)
        yield
        self._trail.undo(0)
        self.names, self.dims, self.types, self._trail, self.calls = kept

    def of(self, mentioned: Iterable[str]) -> Scope:
        """The current scope, restricted to the names mentioned."""
        names = list(mentioned)
        return Scope(
            {name: self.names[name] for name in names if name in self.names},
            {name: self.dims[name] for name in names if name in self.dims},
            {name: self.types[name] for name in names if name in self.types},
        )

    def bind(self, name: str, value: str) -> None:
        """Bind the spelling `name` to the core variable `value`."""
        self._trail.put(self.names, name, value)

    def show(self, name: str, value: str, span: Span) -> None:
        """As `bind`, and record a name that occurs in the source, so that tools can show its type."""
        self._trail.put(self.names, name, value)
        if span.start < span.end:
            self.bindings.append(Binding(name, value, span))

    def bind_dim(self, name: str, dim: Dim) -> None:
        """Bind a dimension name to `dim`."""
        self._trail.put(self.dims, name, dim)

    def bind_type(self, name: str) -> TypeVariable:
        """Bind a name to a new type parameter, which gets a number if the name shadows another."""
        parameter = self.type_parameter(name)
        self._trail.put(self.types, name, parameter)
        return parameter

    def type_parameter(self, name: str) -> TypeVariable:
        """A new type parameter that no name is bound to."""
        return TypeVariable(self._reserve(name))

    def rigid(self, name: str) -> Dim:
        """A new rigid dim for a name, with a number if the name shadows another."""
        return variable(self._reserve(name), Kind.RIGID)

    def forget(self) -> None:
        """Free the variables and the trail, once the definition is checked."""
        self.names.clear()
        self._trail.clear()

    def _reserve(self, name: str) -> str:
        """Reserve, until the end of the block, a name that nothing in scope or shadowed has."""
        number, spelling = 0, name
        while spelling in self.dims or spelling in self._reserved:
            number += 1
            spelling = f"{name}_{number}"
        self._trail.put(self._reserved, spelling, True)
        return spelling
