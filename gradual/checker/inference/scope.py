"""The scope of variables and type parameters during inference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from gradual.checker.inference import terms as sk
from gradual.checker.inference.conversion import Calls
from gradual.checker.inference.terms import InferenceType
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.trail import Trail


@record(frozen=False, eq=False)
class Deferred:
    """A function literal without parameter types, with its enclosing scope; it is inlined or typed later."""

    literal: ast.Fn
    names: dict[str, Held]
    types: dict[str, sk.Named]
    itself: str | None


Held = InferenceType | Deferred


@record(frozen=False, eq=False)
class Scope:
    """Names in scope.

    Attributes:
        names: the variables in scope.
        types: the type parameters in scope.
        calls: the calls that are being inlined, outermost first.
    """

    names: dict[str, Held] = field(default_factory=dict)
    types: dict[str, sk.Named] = field(default_factory=dict)
    calls: Calls = ()
    _trail: Trail = field(default_factory=Trail)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Open a block: bindings made inside are undone at its end."""
        mark = self._trail.mark()
        yield
        self._trail.undo(mark)

    def bind(self, name: str, held: Held) -> None:
        """Bind a variable until the block ends."""
        self._trail.put(self.names, name, held)

    def bind_type(self, name: str, held: sk.Named) -> None:
        """Bind a type parameter until the block ends."""
        self._trail.put(self.types, name, held)

    @contextmanager
    def inside(self, deferred: Deferred, span: Span) -> Iterator[None]:
        """Enter the scope of a literal, with the call at `span` pushed on the stack of inlined calls."""
        kept = self.names, self.types, self.calls
        self.names, self.types = dict(deferred.names), dict(deferred.types)
        self.calls = (*self.calls, span)
        with self.block():
            yield
        self.names, self.types, self.calls = kept
