"""An ONNX model as plain values: what `reading` gives and everything else of the importer takes.

The terms are those of ONNX's specification (`docs/IR.md`): a graph has inputs, initializers, nodes and outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

Extent = int | str | None
"""A size of a declared shape: a number, a name (`dim_param`), or nothing said."""


class Unsupported(Exception):
    """What of a model is not imported; the argument says what and why, in the user's words."""


class Told(Exception):
    """That something is not imported, where it was told already why."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a model that is not imported, in its place: why is told if anything needs it."""

    says: str


class Unreadable(Exception):
    """A file that cannot be read, or holds no model.

    Attributes:
        code: E0701 or E0703.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a graph.

    Attributes:
        dtype: None where it is not declared, as graphs inside others need not.
        shape: None where not even the rank is declared.
        sequence: whether it is a sequence, of whose elements the other two speak.
    """

    name: str
    dtype: DType | Unread | None
    shape: tuple[Extent, ...] | None
    sequence: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """An application of an operator.

    Attributes:
        overload: which of several functions of one name is applied.
        inputs: names of values; an empty one is an optional input that is left out.
        attributes: integers, floats, strings, tensors, graphs, and tuples of them, or what is not read.
    """

    operator: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    overload: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What a model's own function for its operator stands under."""
        return self.domain, self.operator, self.overload

    @property
    def title(self) -> str:
        """What users know the node by."""
        return self.name or next(filter(None, self.outputs), self.operator)


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: the model's own, or the body of a node."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[str, ...]
    initializers: Mapping[str, Tensor | Unread]
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A model.

    Attributes:
        opsets: the version of each operator set that the model was written for; that of ONNX itself stands under "".
        functions: bodies of the operators that the model itself declares, by domain, name and overload.
        producer: the converter that wrote it.
    """

    graph: Graph
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str, str], Function] = field(default_factory=dict)
    producer: str = ""

    @property
    def opset(self) -> int:
        """The version of ONNX's own operator set."""
        return self.opsets.get("", 1)


@dataclass(frozen=True, slots=True)
class Function:
    """An operator that a model declares by a body."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    nodes: tuple[Node, ...]
    opsets: Mapping[str, int]
