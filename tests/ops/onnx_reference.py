"""Models of one node, and what ONNX's own reference computes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from gradual.types.dtype import DType
from tests.ops.onnx_node import Node
from tests.ops.oracle import array_of, numpy_type

OPSET = 21
UNITS = {DType.FLOAT16: 1e-2, DType.FLOAT32: 2e-5, DType.FLOAT64: 1e-10}
"""How near floats have to be: kernels compute in the type itself, in an order of their own, and round each step."""


def model_of(node: Node) -> Any:
    """A model of one node."""
    helper = onnx.helper
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(node.inputs)]
    results = [f"y{i}" for i in range(node.outputs)]
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in zip(names, node.inputs, strict=True)
        if value is not None
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in results]
    graph = helper.make_graph(
        [helper.make_node(node.operator, names, results, **node.attributes)], "g", inputs, outputs
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def reference_of(model: Any, feed: dict[str, Any]) -> list[Any]:
    """What ONNX's reference computes; raises Failed where it cannot."""
    try:
        return ReferenceEvaluator(model).run(None, feed)  # type: ignore[no-any-return]  # arrays
    except Exception as failure:  # of whatever kind: it is not ours, and it is counted
        raise Failed(f"{type(failure).__name__}: {failure}") from failure


class Failed(Exception):
    """The reference fails at a node that the runtime declines: nobody computes it."""


def compare(found: Any, expected: Any, who: str) -> None:
    """The same types, shapes and integers, and floats that are near."""
    if isinstance(found, tuple):
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            compare(ours, theirs, who)
        return
    expected = np.asarray(expected)
    assert (found.shape, numpy_type(found.dtype)) == (expected.shape, str(expected.dtype))
    if found.dtype.is_float:
        unit = max(UNITS[found.dtype], 2e-5 if who == "reference" else 0.0)  # which goes by way of float32
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(array_of(found), expected, rtol=unit, atol=unit)
    else:
        np.testing.assert_array_equal(array_of(found), expected)
