"""Operators against ONNX Runtime, and against ONNX's own reference where the runtime has no kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from gradual.ops.catalogue import CATALOGUE
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import rows
from tests.ops.onnx_node import Node
from tests.ops.onnx_nodes import NODES
from tests.ops.onnx_runtime import Declined, Died, Refused, Runtime
from tests.ops.oracle import ONNX_DEATHS, ONNX_MET, dtypes_of, examples, judges, means, type_of

pytest.importorskip("onnx", reason="ONNX is not installed: pip install 'gradual[oracles]'")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: pip install 'gradual[oracles]'")

from tests.ops.onnx_reference import Failed, compare, model_of, reference_of

RUNTIME = Runtime()
WHO = ("runtime", "reference")

few = settings(examples(15, among=4), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def results_of(node: Node) -> tuple[str, Any]:
    """Who computed the node, and what."""
    model = model_of(node)
    feed = {f"x{i}": value for i, value in enumerate(node.inputs) if value is not None}
    try:
        return "runtime", node.after(*RUNTIME.run(model.SerializeToString(), feed))
    except Declined:
        return "reference", node.after(*reference_of(model, feed))


UNCOMPARED = {Refused: "not admitted", Failed: "fails there", Died: "the runtime died of it"}
"""Why an application of which there is a node is not compared."""


def told(node: Node) -> str:
    """A node in words."""
    inputs = [None if value is None else f"{value.dtype}{list(value.shape)}" for value in node.inputs]
    return f"{node.operator}({', '.join(map(str, inputs))}) {node.attributes}"


def without_nan(given: Tensor) -> Tensor:
    """The tensor with 1 for NaN, of which runtimes make several things: pools draw it all too often."""
    return Tensor([1.0 if part != part else part for part in given.flat()], given.dtype, given.shape)


@pytest.mark.parametrize("name", NODES)
@few
@given(data=st.data())
def test_an_operator_is_that_of_onnx(name: str, data: st.DataObject) -> None:
    application = data.draw(rows()[name])
    if "pool" in name:
        application = replace(application, arguments=tuple(map(without_nan, application.arguments)))
    types = map(type_of, application.arguments)
    assume(all(need.goal.evaluate({}) for need in judges(name, *types, **application.attributes).needs))
    node = None
    if DType.BFLOAT16 not in dtypes_of(application.arguments):
        node = NODES[name](application.arguments, application.attributes)
    if node is None:
        reject()
    try:
        who, expected = results_of(node)
    except (Refused, Failed, Died) as failure:
        ONNX_MET[name, UNCOMPARED[type(failure)]] += 1
        if isinstance(failure, Died):
            ONNX_DEATHS.append(f"{name}: {failure}: {told(node)}")
        reject()
    try:
        found = means(name, *application.arguments, **application.attributes)
    except TensorFault as fault:
        assert fault.code == FAULTS.get(name)
        reject()
    compare(found, expected, who)
    ONNX_MET[name, who] += 1


FAULTS = {
    "power": "E0608",
    "gather_nd": "E0603",
    "scatter_nd": "E0603",
    "take": "E0603",
    "gather": "E0603",
    "scatter_elements": "E0603",
}
FAULTS |= dict.fromkeys(("divide", "trunc_divide", "mod", "trunc_mod", "floor_mod", "nn.global_avg_pool2d"), "E0604")


def test_every_node_is_that_of_a_counterpart() -> None:
    assert [name for name in NODES if CATALOGUE[name].onnx is None] == ["nn.bias_add"]


def test_whom_operators_were_compared_with(tell: Callable[[str], None]) -> None:
    by = Counter(who for _, who in ONNX_MET.elements())
    shares = ", ".join(f"{who} {count}" for who, count in by.most_common())
    tell(f"ONNX: {len({name for name, who in ONNX_MET if who in WHO})} operators; {shares}")
    for death in ONNX_DEATHS:
        tell(f"ONNX: {death}")
