"""A model as a program: `@main` takes the model's inputs and then its weights, and gives its outputs.

    program(load("model.onnx")).text

What has no place in a program is told node by node, all of a model in one go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from gradual.dims.dim import Dim, constant, variable
from gradual.importers.onnx import (
    control,
    drawing,
    elementwise,
    images,
    indexing,
    lists,
    networks,
    recurrent,
    reductions,
    sequences,
    shapes,
)
from gradual.importers.onnx.applying import IMPORTERS, Scope, Use
from gradual.importers.onnx.building import Builder, Names, Value
from gradual.importers.onnx.model import Extent, Function, Graph, Model, Node, Port, Unsupported
from gradual.importers.onnx.reading import Reference, standard_function
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.opening import opened
from gradual.types.text import shown
from gradual.types.type import Hole, TensorType, Type, UnrankedType

FAMILIES = control, drawing, elementwise, images, indexing, networks, recurrent, reductions, sequences, shapes
"""The modules whose importers are in `IMPORTERS`."""

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FORMULA = re.compile(r"\w+(?: ?[+*] ?\w+| - \w+)+", re.ASCII)
"""A size that is computed of others; `seq-len` is a name, `2n` is one too."""
_RESERVED = (
    *("and", "as", "assert", "def", "dim", "else", "extern", "fn", "if", "let", "match", "max", "meta", "min", "not"),
    *("operator", "or", "ref", "ref_read", "ref_write", "then", "type", "where", "Tensor", "True", "False", "_"),
)
"""Words of the language, which name no size."""


@dataclass(frozen=True, slots=True)
class Program:
    """An imported model.

    Attributes:
        text: the program.
        weights: the tensors that `@main` takes after the model's inputs, by the names of its parameters, in order.
    """

    text: str
    weights: Mapping[str, Tensor]


class Refused(Exception):
    """A model that is not imported.

    Attributes:
        reasons: what stands in the way, a line for each node.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


def program(model: Model, where: str | None = None, opens: bool = False) -> Program:
    """The program of a model, in which `@main` demands a condition if one is given.

    With `opens` the sizes of the inputs that the model names are unknown, each on its own.
    Raises Refused with everything that stands in the way.
    """
    try:
        return _Import(model, opens).program(where)
    except Unsupported as error:
        raise Refused([str(error)]) from error


class _Import:
    def __init__(self, model: Model, opens: bool) -> None:
        self.model = model
        self.builder = Builder()
        self.reasons: list[str] = []
        self.dims = _Dims(model.graph.inputs, opens)
        self.around: list[Function] = []

    def program(self, where: str | None) -> Program:
        graph, builder = self.model.graph, self.builder
        scope: Scope = {}
        params = []
        for port in graph.inputs:
            name = builder.names.fresh(port.name or "input")
            written, type = self.dims.type(port)
            if port.sequence:
                type = lists.of(builder, type)
                written = shown(type)
            scope[port.name] = builder.input(name, opened(type, f"%{name}", lambda *_: None)[0])
            params.append(f"%{name}: {written}")
        outputs = self.outputs(graph, scope, self.model.opsets)
        if self.reasons or outputs is None:
            raise Refused(self.reasons or ["the model has no outputs"])
        result = outputs[0] if len(outputs) == 1 else builder.tuple(outputs)
        body = builder.body(builder.block, result)
        params += [f"%{name}: {_tensor(map(str, t.shape), t.dtype)}" for name, t in builder.weights.items()]
        demanded = "" if where is None else f"where {where} "
        main = f"def @main({', '.join(params)}) {demanded}{body}\n"
        return Program("\n".join([*builder.functions.values(), main]) + builder.metadata(), dict(builder.weights))

    def outputs(self, graph: Graph, scope: Scope, opsets: Mapping[str, int]) -> list[Value] | None:
        """The values of a graph's outputs; None where a reason was told."""
        for name, tensor in graph.initializers.items():
            if name:
                scope[name] = self.builder.constant(tensor, name)
        self.nodes(graph.nodes, scope, opsets)
        missing = [port.name for port in graph.outputs if port.name not in scope]
        if missing and not self.reasons:
            self.reasons.append(f"output `{missing[0]}`: no node gives it")
        outputs = [scope.get(port.name) for port in graph.outputs]
        return None if missing else [value for value in outputs if value is not None]

    def nodes(self, nodes: Sequence[Node], scope: Scope, opsets: Mapping[str, int]) -> None:
        """Bind what every node gives; one that is not imported is told, and those that need it are left out."""
        for node in nodes:
            inputs = [scope.get(name) for name in node.inputs]
            absent = [name for name in node.inputs if name and name not in scope]
            if absent:
                if not self.reasons:
                    self.reasons.append(f"{_title(node)}: no node before it gives `{absent[0]}`")
                continue
            try:
                self.bind(node, tuple(inputs), scope, opsets)
            except Unsupported as error:
                self.reasons.append(f"{_title(node)}: {error}")

    def bind(self, node: Node, inputs: tuple[Value | None, ...], scope: Scope, opsets: Mapping[str, int]) -> None:
        """Bind what a node gives to the names of its outputs."""
        given = self.applied(node, inputs, scope, opsets)
        values = [given] if isinstance(given, Value) else given
        for name, value in zip_longest(node.outputs, values[: len(node.outputs)]):
            if name and value is None:
                raise Unsupported(f"its output `{name}`")
            if name and value is not None:
                scope[name] = self.builder.named(value, name)

    def applied(
        self, node: Node, inputs: tuple[Value | None, ...], scope: Scope, opsets: Mapping[str, int]
    ) -> Value | Sequence[Value | None]:
        """What a node gives: by its importer, or by the body that the model or ONNX has for its operator."""
        own = self.model.functions.get((node.domain, node.operator, node.overload))
        if own is not None:
            return self.inlined(own, node, inputs, opsets)
        if node.domain:
            raise Unsupported(f"an operator of the domain {node.domain}")
        importer = IMPORTERS.get(node.operator)
        if importer is not None:
            return importer(Use(node, inputs, self.builder, self.model, opsets, scope, self))
        standard = standard_function(node, opsets.get("", self.model.opset), [*map(_port, node.inputs, inputs)])
        if standard is None:
            raise Unsupported("an operator that is not imported")
        return self.inlined(standard, node, inputs, opsets)

    def inlined(
        self, function: Function, node: Node, inputs: Sequence[Value | None], opsets: Mapping[str, int]
    ) -> Sequence[Value | None]:
        """What the body of an operator gives."""
        if function in self.around:
            raise Unsupported("an operator whose body asks for itself")
        scope: Scope = dict(zip_longest(function.inputs, inputs[: len(function.inputs)]))
        attributes = {**function.attributes, **node.attributes}
        before = len(self.reasons)
        self.around.append(function)
        self.nodes([_placed(inner, attributes) for inner in function.nodes], scope, {**opsets, **function.opsets})
        self.around.pop()
        inner = self.reasons[before:]
        del self.reasons[before:]
        if inner:
            raise Unsupported("; ".join(inner))
        return [scope.get(name) for name in function.outputs]


def _placed(node: Node, attributes: Mapping[str, object]) -> Node:
    """A node of a function's body with the attributes of the application."""
    chosen: dict[str, object] = {}
    for key, value in node.attributes.items():
        if isinstance(value, Reference):
            chosen[key] = attributes.get(value)
        elif isinstance(value, Graph):
            chosen[key] = replace(value, nodes=tuple(_placed(inner, attributes) for inner in value.nodes))
        else:
            chosen[key] = value
    return replace(node, attributes={key: value for key, value in chosen.items() if value is not None})


def _port(name: str, value: Value | None) -> Port | None:
    """What ONNX may know of an operand."""
    if value is None or not isinstance(value.type, TensorType | UnrankedType):
        return None
    shape = [size.value for size in value.type.shape] if isinstance(value.type, TensorType) else None
    return Port(name, value.dtype, None if shape is None else tuple(shape))


def _title(node: Node) -> str:
    return f"{node.operator} `{node.title}`"


class _Dims:
    """The sizes of the inputs as a program names them."""

    def __init__(self, ports: Sequence[Port], opens: bool) -> None:
        self._opens = opens
        self._names = Names(_RESERVED)
        self._known: dict[str, str] = {}
        for port in ports:
            for extent in port.shape or ():
                if isinstance(extent, str) and _WORD.fullmatch(extent) and extent not in self._known:
                    self._known[extent] = self._names.unused(extent)

    def type(self, port: Port) -> tuple[str, Type[Dim | Hole]]:
        """How the type of an input is written, and the type."""
        if port.dtype is None:
            raise Unsupported(f"`{port.name}` has no element type")
        if port.shape is None:
            return f"Tensor[*, {port.dtype}]", UnrankedType(port.dtype)
        texts = [self._text(extent) for extent in port.shape]
        if port.sequence:  # each element has sizes of its own
            texts = [text if text.isdecimal() else "?" for text in texts]
        shape = tuple(_extent(extent, text) for extent, text in zip(port.shape, texts, strict=True))
        return _tensor(texts, port.dtype), TensorType(shape, port.dtype)

    def _text(self, extent: Extent) -> str:
        """A size; a formula stays one if its names are those of other sizes."""
        if isinstance(extent, int):
            return str(extent)
        if extent is None or self._opens:
            return "?"
        words = _WORD.findall(extent)
        parts = re.findall(r"\w+", extent)
        if _FORMULA.fullmatch(extent) and all(part in self._known or part.isdecimal() for part in parts):
            return _WORD.sub(lambda word: self._known[word[0]], extent)
        if extent not in self._known:
            self._known[extent] = self._names.unused("_".join(words) or "size")
        return self._known[extent]


def _tensor(extents: Iterable[str], dtype: DType) -> str:
    """A type as programs write it."""
    texts = list(extents)
    return f"Tensor[({', '.join(texts)}{',' * (len(texts) == 1)}), {dtype}]"


def _extent(extent: Extent, text: str) -> Dim | Hole:
    """A size in the type: a formula is an unknown here, the checker reads it."""
    if isinstance(extent, int):
        return constant(extent)
    return variable(text) if _WORD.fullmatch(text) else Hole()
