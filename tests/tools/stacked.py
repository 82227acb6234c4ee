"""A model of ONNX whose nodes carry the names of modules, as those of PyTorch's exporter do."""

from __future__ import annotations

import pytest

OPERATORS = ("Relu", "Sigmoid", "Tanh", "Neg", "Add")
"""The operators of a block; the last adds the input of the layer."""


def stacked(layers: int, name: str = "/encoder/layer{layer}/block{block}/{at}/{operator}") -> bytes:
    """A model of `layers` layers of two blocks, ten nodes a layer."""
    onnx = pytest.importorskip("onnx")
    make, value, nodes = onnx.helper, "x", []
    for layer in range(layers):
        skip = value
        for block in range(2):
            for at, operator in enumerate(OPERATORS):
                called = name.format(layer=layer, block=block, at=at, operator=operator)
                reads = [value, skip] if operator == "Add" else [value]
                value = f"{called}_output_0"
                nodes.append(make.make_node(operator, reads, [value], name=called))
    ends = [make.make_tensor_value_info(one, onnx.TensorProto.FLOAT, ["n", 8]) for one in ("x", value)]
    graph = make.make_graph(nodes, "stacked", ends[:1], ends[1:])
    found: bytes = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)]).SerializeToString()
    return found
