"""The networks of `bench/texts.py` as ONNX models, with the same operators, sizes and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

Size = int | str


@dataclass(slots=True)
class Graph:
    """A model while it is made; weights are inputs, so that no file holds their elements."""

    inputs: list[ValueInfoProto] = field(default_factory=list)
    nodes: list[NodeProto] = field(default_factory=list)
    constants: dict[tuple[int, ...], str] = field(default_factory=dict)

    def param(self, name: str, shape: Sequence[Size]) -> str:
        """Declare an input of float32."""
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def apply(self, operator: str, *operands: str, **attributes: Any) -> str:
        """Add a node, and give the name of its result."""
        result = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(operands), [result], **attributes))
        return result

    def vector(self, *elements: int) -> str:
        """A vector of integers; each is made once."""
        if elements not in self.constants:
            self.constants[elements] = f"c{len(self.constants)}"
        return self.constants[elements]

    def model(self, result: str, rank: int) -> ModelProto:
        """The model whose output is a value; its sizes are not declared."""
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, [None] * rank)
        held = [
            helper.make_tensor(name, TensorProto.INT64, [len(elements)], elements)
            for elements, name in self.constants.items()
        ]
        graph = helper.make_graph(self.nodes, "bench", self.inputs, [output], held)
        return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def cnn(operators: int) -> ModelProto:
    """The straight-line residual network with at least so many operators."""
    graph, channels, side = Graph(), 64, 56
    value = graph.param("data", [1, channels, side, side])
    while len(graph.nodes) < operators:
        unit, shortcut = f"u{len(graph.nodes)}", value
        norm = [graph.param(f"{unit}_{part}", [channels]) for part in ("gamma", "beta", "mean", "var")]
        value = graph.apply("BatchNormalization", value, *norm, epsilon=2e-05)
        for half in "ab":
            weight = graph.param(f"{unit}_{half}_weight", [channels, channels, 3, 3])
            value = graph.apply("Conv", value, weight, pads=[1, 1, 1, 1], kernel_shape=[3, 3])
            value = graph.apply("Add", value, graph.param(f"{unit}_{half}_bias", [channels, 1, 1]))
            value = graph.apply("Relu", value)
        value = graph.apply("MaxPool", value, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
        value = graph.apply("Relu", graph.apply("Add", value, shortcut))
    return graph.model(value, 4)


def shape_chain(blocks: int) -> ModelProto:
    """Blocks that split heads off a tensor of unknown sizes, and put them back."""
    graph = Graph()
    value = graph.param("data", ["b", "s", 96])
    for block in range(blocks):
        shape = graph.apply("Shape", value)
        sizes = [graph.apply("Gather", shape, graph.vector(axis), axis=0) for axis in (0, 1)]
        tails = [graph.vector(tail) for tail in ([96] if block % 2 else [4, 24])]
        value = graph.apply("Reshape", value, graph.apply("Concat", *sizes, *tails, axis=0))
    return graph.model(value, 3 if blocks % 2 == 0 else 4)


def transformer(layers: int, width: int = 96, heads: int = 4) -> ModelProto:
    """Encoder layers over a batch and a length that are not known."""
    graph = Graph()
    value = graph.param("data", ["b", "s", width])
    for layer in range(layers):
        value = _attention(graph, value, f"h{layer}", width, heads)
        hidden = _projected(graph, _normalized(graph, value, f"h{layer}_2", width), f"h{layer}_up", width, 4 * width)
        down = _projected(graph, graph.apply("Relu", hidden), f"h{layer}_down", 4 * width, width)
        value = graph.apply("Add", down, value)
    return graph.model(value, 3)


def _attention(graph: Graph, value: str, layer: str, width: int, heads: int) -> str:
    normal = _normalized(graph, value, f"{layer}_1", width)
    split = graph.vector(0, 0, heads, width // heads)
    query, key, content = (
        graph.apply(
            "Transpose",
            graph.apply("Reshape", _projected(graph, normal, f"{layer}_{name}", width, width), split),
            perm=order,
        )
        for name, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
    )
    scores = graph.apply("Mul", graph.apply("MatMul", query, key), graph.param(f"{layer}_factor", []))
    mixed = graph.apply("MatMul", graph.apply("Softmax", scores), content)
    mixed = graph.apply("Reshape", graph.apply("Transpose", mixed, perm=[0, 2, 1, 3]), graph.vector(0, 0, width))
    return graph.apply("Add", _projected(graph, mixed, f"{layer}_out", width, width), value)


def _normalized(graph: Graph, value: str, layer: str, width: int) -> str:
    scale, shift = graph.param(f"{layer}_scale", [width]), graph.param(f"{layer}_shift", [width])
    return graph.apply("LayerNormalization", value, scale, shift)


def _projected(graph: Graph, value: str, layer: str, width: int, out: int) -> str:
    product = graph.apply("MatMul", value, graph.param(f"{layer}_weight", [width, out]))
    return graph.apply("Add", product, graph.param(f"{layer}_bias", [out]))
