"""Models as ONNX Runtime's tools for quantization and its optimizer write them: sizes, and what the runtime gave.

    python -m tests.importers.test_optimised

records the values anew, with ONNX Runtime.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradual
from gradual.importers.onnx.file.reading import load
from gradual.importers.onnx.program import program
from tests.importers.model_shapes import everything_known
from tests.importers.node_tests import tensor
from tests.material import ONNX_ZOO, needs_onnx_zoo

WORDS, IMAGES = "seq <= 512", "height >= 4, width >= 4"
MODELS = {
    "q_bert_dynamic": WORDS,
    "q_conv_qdq": IMAGES,
    "q_conv_qop": IMAGES,
    "opt_bert_fusion": WORDS,
    "opt_conv_all": IMAGES,
}
"""What the inputs have to satisfy: BERT has 512 positions, and a pool has a window of 2 by 2."""
RECORDED = Path(__file__).with_name("optimised_runs.json")
"""The first output of each model but `opt_conv_all`, which the runtime runs on processors like the optimizer's only."""


def feed(name: str) -> Mapping[str, Any]:
    """Inputs of the first recorded sizes, and weights that are inputs, at random; ones for masks."""
    random, recorded = np.random.default_rng(0), json.loads((ONNX_ZOO / f"{name}.shapes.json").read_text())
    shapes = recorded["runs"][0]["inputs"] | {key: one["shape"] for key, one in recorded["weights"].items()}
    found = {}
    for key, shape in shapes.items():
        kind = recorded["weights"].get(key, {}).get("dtype", "FLOAT" if key == "x" else "INT64")
        if kind == "FLOAT":
            found[key] = random.standard_normal(shape).astype(np.float32)
        else:
            found[key] = random.integers(1 if "mask" in key else 0, 2, shape).astype(kind.lower())
    return found


@needs_onnx_zoo
@pytest.mark.parametrize("name", MODELS)
def test_every_size_is_known_and_nothing_is_left_to_check(name: str) -> None:
    assert everything_known(ONNX_ZOO / f"{name}.onnx", MODELS[name]) > 40


@needs_onnx_zoo
@pytest.mark.parametrize("name", json.loads(RECORDED.read_text()))
def test_values_are_those_of_the_runtime(name: str) -> None:
    """To a float's last digits, so that every code is the same; a last digit may move a code that is half way."""
    model = program(load(str(ONNX_ZOO / f"{name}.onnx")), [MODELS[name]])
    given = feed(name)
    found = gradual.check(model.text).run("@main", *map(tensor, given.values()), *model.weights.values())
    first = found[0] if isinstance(found, tuple) else found
    assert np.allclose(first.flat(), json.loads(RECORDED.read_text())[name], rtol=1e-5, atol=2e-6)


def record() -> None:
    """Write what ONNX Runtime gives."""
    import onnxruntime

    found = {}
    for name in MODELS:
        if name != "opt_conv_all":
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = onnxruntime.InferenceSession(str(ONNX_ZOO / f"{name}.onnx"), options)
            found[name] = [float(f"{value:.7g}") for value in session.run(None, feed(name))[0].ravel().tolist()]
    RECORDED.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    record()
