"""RFC 6909: importers "simply export dynamic graphs", and a pass makes them static.  Three models on the whole way.

Each is run as it was imported, after `dynamic-to-static`, and by the graph runtime at the sizes of the call, for which
the plan of the open program says how much memory is enough.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import gradual
from bench.passing import counts
from tests.importers.model_runs import Model, accepted
from tests.importers.node_tests import tensor
from tests.material import GRAPHS, ONNX_ZOO, needs_graphs, needs_onnx_zoo
from tests.run.graphs import bits

MODELS = {
    GRAPHS / "llama_past_dynamo.onnx": 27,
    ONNX_ZOO / "hf_bloom.onnx": 21,
    ONNX_ZOO / "hf_mobilevit.onnx": 54,
}
"""Each with how many dynamic operators it is imported with."""


@needs_graphs
@needs_onnx_zoo
@pytest.mark.slow
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_dynamic_graph_a_static_one_and_one_with_its_memory_give_the_same(path: Path) -> None:
    model, (made, dynamic, _, _) = Model.read(path), accepted(path)
    assert made is not None and dynamic is not None and counts(dynamic)["dyn."] == MODELS[path]
    values = [*map(tensor, model.feed(0).values()), *made.weights.values()]
    wanted = bits(dynamic.run("@main", *values))

    static = gradual.apply(dynamic, "dynamic-to-static")
    assert counts(static)["dyn."] == 0
    assert bits(static.run("@main", *values)) == wanted

    sizes = model.recorded["symbols"][0]
    graph = gradual.apply(static, "specialize", *(f"{name}={size}" for name, size in sizes.items())).graph("@main")
    assert bits(graph.run(*values)) == wanted
    peak = static.plan("@main").peak
    assert 0 < graph.held <= peak.evaluate({one: sizes[one.name] for one in peak.variables()})
