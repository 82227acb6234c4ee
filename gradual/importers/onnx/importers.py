"""The table of importers, and `Use`: the node that an importer translates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from gradual.importers.common.applying import Applying, positive
from gradual.importers.common.builder import Builder
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.model import Graph, Model, Node
from gradual.importers.onnx.file.narrow import Narrow
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

Results = Sequence["Value | Unread | None"]
"""The results of an operator; a result that is `Unread` is refused if it is used."""

Importer = Callable[["Use"], "Value | Results"]

Declared = TypeVar("Declared", bound=Importer)

Scope = dict[str, "Value | None"]
"""Name -> value; None is an optional input of a function that the caller left out."""

IMPORTERS: dict[tuple[str, str], Importer] = {}
"""Domain and name of an operator -> its importer; ONNX's own domain is ""."""


COMPOSED = 21
"""The version of ONNX's operators that `Use.composed` applies."""


def imports(*names: str, domain: str = "") -> Callable[[Declared], Declared]:
    """Declare the importer of some operators of a domain."""

    def declared(importer: Declared) -> Declared:
        for name in names:
            IMPORTERS[domain, name] = importer
        return importer

    return declared


class Bodies(Protocol):
    """Imports the graphs in attributes of nodes."""

    def outputs(self, graph: Graph, scope: Scope, opsets: Mapping[str, int]) -> list[Value]:
        """The values of a graph's outputs; raises Told if an output cannot be imported, with the reason recorded."""
        ...

    def note(self, says: str) -> None:
        """Report to users that a part is translated in a way that they may not expect."""
        ...


@record(slots=False)
class Use(Applying):
    """A node with the values of its inputs.

    Attributes:
        inputs: the values of the inputs; None for an optional input that is left out.
        scope: the values that graphs in the node's attributes may use.
        bodies: imports the graphs in the node's attributes.
    """

    node: Node
    inputs: tuple[Value | None, ...]
    builder: Builder
    model: Model
    opsets: Mapping[str, int]
    scope: Scope
    bodies: Bodies

    @property
    def who(self) -> str:
        """Operator and name of the node, for messages."""
        return f"{self.node.operator} `{self.node.title}`"

    @property
    def opset(self) -> int:
        """The version of the operator set of the node's domain."""
        return self.opsets.get(self.node.domain, 1)

    def __getitem__(self, index: int) -> Value:
        """A required input."""
        value = self.optional(index)
        if value is None:
            raise Unsupported(f"input {index + 1} is missing")
        return value

    def optional(self, index: int) -> Value | None:
        """An input, or None."""
        return self.inputs[index] if index < len(self.inputs) else None

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute, or its default."""
        value = self.node.attributes.get(name, default)
        if isinstance(value, Narrow):
            raise Unsupported(f"{name} with elements of {value.bits} bits")
        return value

    def required(self, name: str) -> Any:
        """A required attribute."""
        if (value := self.attribute(name)) is None:
            raise Unsupported(f"the attribute {name} is missing")
        return value

    def graph(self, name: str) -> Graph:
        """The graph in a required attribute."""
        graph: Graph = self.required(name)
        return graph

    def outputs(self, graph: Graph, inputs: Mapping[str, Value] | None = None) -> list[Value]:
        """The outputs of a graph, given its inputs; the graph may also use the values in scope."""
        return self.bodies.outputs(graph, {**self.scope, **(inputs or {})}, self.opsets)

    def note(self, says: str) -> None:
        """Report to users how the node is translated."""
        self.bodies.note(f"{self.who}: {says}")

    def axes(self, index: int = 1) -> tuple[int, ...] | None:
        """The axes, which are an input in newer versions of an operator, and an attribute in older ones."""
        value = self.optional(index)
        if value is not None:
            return tuple(value.numbers("axes"))
        axes = self.attribute("axes")
        return None if axes is None else tuple(axes)

    def wants(self, index: int) -> bool:
        """Whether an output is used."""
        return index < len(self.node.outputs) and bool(self.node.outputs[index])

    def composed(self, operator: str, *inputs: Value | None, **attributes: Any) -> Value:
        """The first result of one of ONNX's own operators, for an importer that is composed of ONNX operators."""
        node = replace(self.node, operator=operator, domain="", attributes=attributes)
        given = IMPORTERS["", operator](replace(self, node=node, inputs=inputs, opsets={"": COMPOSED}))
        found = given if isinstance(given, Value) else given[0]
        assert isinstance(found, Value), operator
        return found

    def only(self, name: str, *supported: Any) -> Any:
        """An attribute that is refused unless it has one of some values, the first of which is the default."""
        value = self.attribute(name, supported[0])
        if value not in supported:
            raise Unsupported(f"{name}={value!r}")
        return value


def extent_of(use: Use, value: Value, axis: int) -> int | Value:
    """The size of an axis: a number if it is known, else a value of the program."""
    known = value.extent(axis)
    return use.extent(value, axis) if known is None else known


def vector(use: Use, value: Value, other: Value, axis: int = -1) -> Value:
    """The value, which has to be a vector with one element for each slice along an axis of another tensor."""
    if value.rank != 1:
        raise Unsupported(f"a tensor of rank {value.rank} where a vector has to be")
    return use.exactly(value, 0, extent_of(use, other, positive(axis, other.rank)))


def of_shape(use: Use, value: Value, other: Value) -> Value:
    """The value, which has to have the shape of another tensor."""
    if value.rank != other.rank:
        raise Unsupported(f"a tensor of rank {value.rank} where one of rank {other.rank} has to be")
    for axis in range(other.rank):
        value = use.exactly(value, axis, extent_of(use, other, axis))
    return value


def as_type(use: Use, value: Value, dtype: DType) -> Value:
    """The value with its elements cast to another type."""
    return value if value.dtype is dtype else use.call("cast", value, dtype=dtype)


def held(builder: Builder, constant: Tensor | Narrow, name: str = "") -> Value:
    """A constant of the model."""
    if isinstance(constant, Narrow):
        return replace(builder.constant(constant.tensor, name), bits=constant.bits)
    return builder.constant(constant, name)


def broadcast_into(use: Use, value: Value, other: Value) -> Value:
    """The value, which has to broadcast to another tensor's shape (unidirectional broadcasting)."""
    if value.rank > other.rank:
        raise Unsupported(f"a tensor of rank {value.rank} that is broadcast to one of rank {other.rank}")
    sizes = other.tensor.shape[other.rank - value.rank :]
    if all(size is wanted or size.value == 1 for size, wanted in zip(value.tensor.shape, sizes, strict=True)):
        return value
    return use.call("broadcast_to_like", value, other)


def spatial(value: Value) -> int:
    """The number of spatial axes, which follow those of the batch and the channels."""
    if value.rank not in (3, 4, 5):
        raise Unsupported(f"{value.rank - 2} spatial axes")
    return value.rank - 2


def constant_of(value: Value | None) -> Tensor | None:
    """The elements of a constant; None for any other value."""
    return value.constant if value is not None and isinstance(value.constant, Tensor) else None


def as_scalar(use: Use, value: Value) -> Value:
    """The value as a scalar; the input is a scalar or a vector of one element."""
    if any(size.value not in (1, None) for size in value.tensor.shape):
        raise Unsupported("a vector where a number has to be")
    return value if value.rank == 0 else use.call("reshape", value, newshape=[])
