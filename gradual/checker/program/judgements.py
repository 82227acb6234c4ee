"""The judgements that call each other, as those see them that stand before the ones that they call.

An argument flows into a parameter; if it is a function, it is wrapped, and inside the wrapper its arguments flow again.
So `flow` needs what is built on it.  `gradual.checker.module` hands it in.
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
    """What an expression is, and what becomes of a value at another type."""

    def infer(self, state: State, expr: ast.Expr, hint: str | None = None) -> str:
        """The core variable that holds the value of an expression, its steps written; `hint` is a name for it."""

    def deferred(self, state: State, expr: ast.Expr, hint: str | None = None) -> str:
        """As `infer`, but a literal whose parameters have no types may still wait for them."""

    def deferred_at(
        self, state: State, value: str, target: GradualType, span: Span, through: str, rule: str
    ) -> str | None:
        """A literal that waits, as a closure whose parameters have the types of a function type."""

    def supplied(self, state: State, spans: Sequence[Span], type: object, operands: Sequence[str]) -> list[str]:
        """The operands of a call, literals that wait among them at the types of the parameters."""

    def wrapped(self, state: State, value: str, source: FunctionType, target: FunctionType, place: Place) -> str | None:
        """The function at another type, its uses checked."""

    def wrapped_reference(
        self, state: State, value: str, source: ReferenceType, target: ReferenceType, place: Place
    ) -> str | None:
        """The reference at another type, its uses checked."""

    def converted(
        self, state: State, value: str, path: str, source: DataType, target: DataType, place: Place
    ) -> str | None:
        """The part of a value that is data, converted to another type."""

    def omitted_type(self, state: State, place: object, span: Span) -> ast.Type | None:
        """The type that could have been written where none is."""
