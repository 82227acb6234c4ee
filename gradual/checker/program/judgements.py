"""Interface of the mutually recursive judgements, for modules that cannot import them.

An argument flows into a parameter; if it is a function, it is wrapped, and inside the wrapper its arguments flow again.
So `flow` calls functions that are built on it. `gradual.checker.module` passes them in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from gradual.checker.program.place import Place
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType

State = TypeVar("State", contravariant=True)
"""The context of a definition, which holds the judgements."""


class Judgements(Protocol[State]):
    """Inference of expressions, and coercion of values to another type."""

    def infer(self, state: State, expr: ast.Expr, hint: str | None = None) -> str:
        """Elaborate an expression to steps and return the core variable of its value; `hint` is a name for it."""

    def deferred(self, state: State, expr: ast.Expr, hint: str | None = None) -> str:
        """As `infer`, but a literal with omitted parameter types may stay deferred."""

    def deferred_at(
        self, state: State, value: str, target: GradualType, span: Span, through: str, rule: str
    ) -> str | None:
        """Make a deferred lambda a closure whose parameters have the types of a function type."""

    def supplied(self, state: State, spans: Sequence[Span], type: object, operands: Sequence[str]) -> list[str]:
        """The operands of a call, with deferred lambdas made closures at the parameter types."""

    def wrapped(self, state: State, value: str, source: FunctionType, target: FunctionType, place: Place) -> str | None:
        """Wrap a function at another type, with checks around its calls."""

    def wrapped_reference(
        self, state: State, value: str, source: ReferenceType, target: ReferenceType, place: Place
    ) -> str | None:
        """Wrap a reference at another type, with checks around reads and writes."""

    def converted(
        self, state: State, value: str, path: str, source: DataType, target: DataType, place: Place
    ) -> str | None:
        """Convert the data at a path below a value to another type."""

    def omitted_type(self, state: State, place: object, span: Span) -> ast.Type | None:
        """The inferred type syntax for an omitted type; None if it is not determined."""
