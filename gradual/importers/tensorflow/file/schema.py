"""A TensorFlow graph as it was read: nodes by name, functions, and what is known of variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from gradual.importers.common.refusals import Unread
from gradual.importers.common.sizes.ports import Port
from gradual.origin import Frame, Origin
from gradual.record import record
from gradual.types.dtype import DType


@record
class Source:
    """A result of a node, or a parameter of a function.

    Attributes:
        port: the name of the result in the operator's definition; empty if the index counts all results.
        index: its index among the results of that name.
    """

    node: str
    port: str = ""
    index: int = 0

    def __str__(self) -> str:
        parts = [self.node, *([self.port] if self.port else []), *([str(self.index)] if self.index else [])]
        return ":".join(parts)


@record
class Node:
    """A node of a graph.

    Attributes:
        after: the nodes that come before it by control edges.
        frames: the user's own Python lines that made it.
    """

    operator: str
    name: str
    inputs: tuple[Source, ...]
    after: tuple[str, ...]
    attributes: Mapping[str, Any]
    frames: tuple[Frame, ...] = ()

    @property
    def before(self) -> Sequence[str]:
        """The nodes that have to come before it: its inputs, and the nodes in `after`."""
        return (*(one.node for one in self.inputs), *self.after)

    @property
    def origin(self) -> Origin:
        """The origin of its results."""
        given = ", ".join([*map(str, self.inputs), *(f"^{name}" for name in self.after)])
        said = f"{self.name} = {self.operator}({given})"
        return Origin(f"{self.operator} `{self.name}`", said, frames=self.frames)


Nodes = Mapping[str, Node]
"""Nodes by name."""


@record
class Called:
    """The name of a function, as the value of an attribute."""

    function: str


@record
class Text:
    """A constant of texts; programs have no texts."""

    parts: tuple[str, ...]


@record
class Function:
    """A function of the library.

    Attributes:
        results: the name of each result, with the value that it is.
        runs: the nodes that run even if no result needs them.
    """

    name: str
    params: tuple[str, ...]
    results: tuple[tuple[str, Source], ...]
    nodes: Nodes
    runs: tuple[str, ...]

    def param(self, source: Source) -> str:
        """The name of the parameter that a value is equal to, also through identities; empty for any other value."""
        for _ in range(len(self.nodes)):
            node = self.nodes.get(source.node)
            if node is None or node.operator != "Identity" or not node.inputs:
                break
            source = node.inputs[0]
        return "" if source.node in self.nodes else source.node

    @property
    def kept(self) -> Sequence[bool]:
        """For each result, whether it is the parameter at the same index, unchanged."""
        names = [*self.params, *[""] * len(self.results)]
        return [self.param(source) == name for name, (_, source) in zip(names, self.results, strict=False)]

    @property
    def asserts(self) -> int | None:
        """The index of the parameter that it asserts to hold, if it does nothing else; None for any other function."""
        asserted = [node for node in self.nodes.values() if node.operator == "Assert" and node.inputs]
        others = {node.operator for node in self.nodes.values()} - {"Assert", "Const", "Identity", "NoOp"}
        name = self.param(asserted[0].inputs[0]) if len(asserted) == 1 and not others else ""
        return self.params.index(name) if name in self.params else None


Shape = tuple[int | None, ...] | None
"""A recorded shape: None for a size, or a rank, that is not known."""


@record
class Stored:
    """Where the elements of a variable are.

    Attributes:
        file: the file with them, where they begin at `offset` and have `size` bytes.
    """

    dtype: DType | Unread
    shape: Shape
    file: Path
    offset: int
    size: int


@record
class Variable:
    """A variable whose value is a parameter of the program.

    Attributes:
        stored: where its value is, if that is saved.
        is_reference: whether the result of its node is the value itself, as in TensorFlow 1, and not a handle.
    """

    name: str
    dtype: DType | Unread | None = None
    shape: Shape = None
    stored: Stored | None = None
    is_reference: bool = False


@record
class Model:
    """A graph with its library of functions.

    Attributes:
        inputs: the parameters, by the names of their nodes.
        outputs: the name of each result, with the value that it is.
        runs: the nodes that run even if no result needs them.
        variables: the variables, by the names of their nodes.
    """

    nodes: Nodes
    functions: Mapping[str, Function]
    inputs: Mapping[str, Port]
    outputs: tuple[tuple[str, Source], ...]
    runs: tuple[str, ...] = ()
    variables: Mapping[str, Variable] = field(default_factory=dict)
