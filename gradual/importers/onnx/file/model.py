"""An ONNX model as plain values, which `reading` produces and the rest of the importer uses.

The terms are those of ONNX's specification (`docs/IR.md`): a graph has inputs, initializers, nodes and outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

Extent = int | str | None
"""A size of a declared shape: a number, a name (`dim_param`), or None if it is not declared."""


class Unsupported(Exception):
    """A part of a model cannot be imported; the argument says which and why, in the user's terms."""


class Told(Exception):
    """A part of a model cannot be imported, and the reason is recorded already."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Replaces a part of a model that cannot be read; the reason is reported only if the part is used."""

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
        dtype: None if it is not declared, which an inner graph need not do.
        shape: None if not even the rank is declared.
        sequence: whether it is a sequence; `dtype` and `shape` are then those of its elements.
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
        attributes: integers, floats, strings, tensors, graphs, and tuples of them, or `Unread`.
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
        """The key of its operator in `Model.functions`."""
        return self.domain, self.operator, self.overload

    @property
    def title(self) -> str:
        """The name by which users know the node."""
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
        opsets: domain -> the version of its operator set that the model was written for; ONNX's own domain is "".
        functions: domain, name and overload -> an operator that the model itself defines.
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
    """An operator that is defined by a body of nodes."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    nodes: tuple[Node, ...]
    opsets: Mapping[str, int]
