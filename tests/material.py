"""Where the tests find programs that this project did not write; absent material is skipped, visibly."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("GRADUAL_SHARED", ROOT.parent / "shared"))
RELAY_MODELS = SHARED / "corpus" / "relay-models"
RELAY_TESTS = SHARED / "corpus" / "relay-tests"
GRAPHS = SHARED / "corpus" / "onnx"
ONNX_ZOO = SHARED / "corpus" / "onnx-zoo"
EXPORTS = SHARED / "corpus" / "torch-zoo"
TF_GRAPHS = SHARED / "corpus" / "tf-zoo"

needs_models = pytest.mark.skipif(not RELAY_MODELS.is_dir(), reason="no relay-models under GRADUAL_SHARED")
needs_graphs = pytest.mark.skipif(not GRAPHS.is_dir(), reason="no onnx graphs under GRADUAL_SHARED")
needs_onnx_zoo = pytest.mark.skipif(not ONNX_ZOO.is_dir(), reason="no onnx-zoo under GRADUAL_SHARED")
needs_exports = pytest.mark.skipif(not EXPORTS.is_dir(), reason="no torch-zoo under GRADUAL_SHARED")
needs_tf_graphs = pytest.mark.skipif(not TF_GRAPHS.is_dir(), reason="no tf-zoo under GRADUAL_SHARED")
needs_tests = pytest.mark.skipif(not RELAY_TESTS.is_dir(), reason="no relay-tests under GRADUAL_SHARED")


@cache
def models() -> dict[str, Path]:
    """The printed models by name."""
    return {path.stem: path for path in sorted(RELAY_MODELS.glob("*.relay"))}


@cache
def recordings() -> dict[str, Path]:
    """The recorded test runs by the name of their test file."""
    return {path.stem: path for path in sorted(RELAY_TESTS.glob("*.jsonl"))}
