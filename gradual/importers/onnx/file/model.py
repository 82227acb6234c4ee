"""An ONNX model as plain values, which `reading` produces and the rest of the importer uses.

The terms are those of ONNX's specification (`docs/IR.md`): a graph has inputs, initializers, nodes and outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from gradual.importers.common.refusals import Unread
from gradual.importers.common.sizes.ports import Port
from gradual.importers.onnx.file.narrow import Narrow
from gradual.record import record
from gradual.tensors.tensor import Tensor


@record
class Node:
    """An application of an operator.

    Attributes:
        overload: selects one of several functions with the same name.
        inputs: names of values; an empty name is an optional input that is left out.
        attributes: integers, floats, strings, tensors, graphs, and tuples of these; `Unread` for any other value.
        metadata: the exporter's record of the node's origin.
    """

    operator: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    overload: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> tuple[str, str]:
        """Domain and name of its operator."""
        return self.domain, self.operator

    @property
    def key(self) -> tuple[str, str, str]:
        """The key of its operator in `Model.functions`."""
        return self.domain, self.operator, self.overload

    @property
    def title(self) -> str:
        """The node's name for users."""
        return self.name or next(filter(None, self.outputs), self.operator)


@record
class Graph:
    """A graph: the main graph of the model, or a subgraph in an attribute of a node.

    Attributes:
        declared: the declared types of the graph's intermediate values, by name.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[str, ...]
    initializers: Mapping[str, Tensor | Narrow | Unread]
    nodes: tuple[Node, ...]
    declared: Mapping[str, Port] = field(default_factory=dict)


@record
class Model:
    """A model.

    Attributes:
        opsets: domain -> the version of its operator set that the model was written for; ONNX's own domain is "".
        functions: domain, name and overload -> an operator that the model itself defines.
        producer: the converter that wrote the model.
        files: the other files with parts of its weights.
    """

    graph: Graph
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str, str], Function] = field(default_factory=dict)
    producer: str = ""
    files: tuple[str, ...] = ()


@record
class Function:
    """An operator that is defined by a body of nodes."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    nodes: tuple[Node, ...]
    opsets: Mapping[str, int]
