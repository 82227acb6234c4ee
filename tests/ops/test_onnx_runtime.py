"""The runtime's process: it answers, its end is told, and another one takes its place."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pytest

from tests.ops.onnx_node import Node
from tests.ops.onnx_runtime import Died, Refused, Runtime

for wanted in ("onnx", "onnxruntime"):
    pytest.importorskip(wanted, reason=f"{wanted} is not installed: pip install 'gradual[oracles]'")

model_of = import_module("tests.ops.onnx_reference").model_of  # which needs ONNX
NUMBERS = np.array([1.0, -2.0], dtype=np.float32)


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    one = Runtime()
    yield one
    one.stop()


def negated(runtime: Runtime) -> list[float]:
    model = model_of(Node("Neg", [NUMBERS])).SerializeToString()
    return runtime.run(model, {"x0": NUMBERS})[0].tolist()  # type: ignore[no-any-return]  # of an array of floats


def test_it_answers(runtime: Runtime) -> None:
    assert negated(runtime) == [-1.0, 2.0]


def test_a_node_that_onnx_does_not_admit_is_refused(runtime: Runtime) -> None:
    with pytest.raises(Refused, match="Neg"):
        runtime.run(model_of(Node("Neg", [NUMBERS, NUMBERS])).SerializeToString(), {"x0": NUMBERS, "x1": NUMBERS})


def test_its_end_is_told_and_the_next_question_answered(runtime: Runtime) -> None:
    negated(runtime)
    os.kill(runtime.pid, signal.SIGFPE)
    with pytest.raises(Died, match=f"ended with -{signal.SIGFPE.value}"):
        negated(runtime)
    assert negated(runtime) == [-1.0, 2.0]
