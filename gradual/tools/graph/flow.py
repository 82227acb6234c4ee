"""The data flow of a function as a graph: nodes, the values between them, and the groups that contain nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum

from gradual.record import record
from gradual.source import Span
from gradual.types.print import shown, shown_shape
from gradual.types.type import OpenedType, TensorType, UnrankedType


class Kind(StrEnum):
    """What a node is."""

    INPUT = "input"
    STEP = "step"
    RESULT = "result"


class Mark(StrEnum):
    """What was found at a node; each has a sign of its own, so that it is seen without colour."""

    ERROR = "error"
    CHECK = "check"

    @property
    def sign(self) -> str:
        """The sign that is written in front of the words."""
        return {Mark.ERROR: "✗", Mark.CHECK: "◇"}[self]


@record(frozen=False, eq=False)
class Node:
    """A step of the program, a node of the model, a parameter, or the result.

    Attributes:
        label: the operator, or what the node is.
        name: the value that it makes, or the model's name of the node.
        path: the groups that contain it, the outermost first.
        span: its place in the text.
        checks: the residual checks that are made here.
        errors: the errors that are reported here, as codes.
        notes: operands that are not drawn: constants and weights.
    """

    label: str
    name: str
    path: tuple[str, ...]
    span: Span
    kind: Kind = Kind.STEP
    checks: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def mark(self) -> Mark | None:
        """The gravest finding."""
        return Mark.ERROR if self.errors else Mark.CHECK if self.checks else None

    @property
    def said(self) -> str:
        """The finding in words, empty if there is none."""
        found = self.errors or self.checks
        return f"{self.mark.sign} {', '.join(found)}" if self.mark is not None else ""


@record
class Value:
    """A value: the number of the node that makes it, its name, its type, and its shape if it is a tensor."""

    source: int
    name: str
    type: str
    shape: str


@record(eq=False)
class Flow:
    """A graph.

    Attributes:
        function: the name of the function.
        nodes: in the order of the text.
        edges: pairs of a value and the number of a node that reads it, each once, in the order of the text.
    """

    function: str
    nodes: Sequence[Node]
    edges: Sequence[tuple[Value, int]]


def shape_of(type: OpenedType) -> str:
    """A type in few words: the shape of a tensor, the number of parts of a tuple, or the type itself."""
    match type:
        case TensorType(()):
            return str(type.dtype)
        case TensorType(shape):
            return shown_shape(shape)
        case UnrankedType():
            return "(*)"
        case _:
            return shown(type)
