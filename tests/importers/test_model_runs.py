"""Small models of the corpora give ONNX Runtime's values; `python -m tests.importers.model_runs` runs all of them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from onnx import helper

from tests.importers import model_runs
from tests.importers.model_runs import MILLION, Model, holds, multiplied, outcome
from tests.importers.node_tests import tensor
from tests.material import ONNX_ZOO, needs_onnx_zoo
from tests.ops.onnx_runtime import MISSING

needs_runtime = pytest.mark.skipif(find_spec("onnxruntime") is None, reason=MISSING)


@needs_runtime
@needs_onnx_zoo
@pytest.mark.parametrize(
    ("name", "refuted"),
    [("cf_if_ranks", 0), ("cf_scan_rnn", 0), ("hf_fnet", 1), ("nn_gru_packed", 0), ("nn_ragged", 0), ("sk_gmm", 0)],
)
def test_values_are_those_of_the_runtime_and_counterexamples_fail_there(name: str, refuted: int) -> None:
    found = outcome(ONNX_ZOO / f"{name}.onnx")
    assert (found.compared, found.counterexamples, found.wrong) == (2, refuted, [])


@needs_runtime
@needs_onnx_zoo
def test_what_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_runs, "NEAR", {})
    found = outcome(ONNX_ZOO / "cf_scan_rnn.onnx")
    assert found.wrong and all("differs by" in one for one in found.wrong)
    monkeypatch.setattr(model_runs, "tensor", lambda array: tensor(array + 1))
    assert len(outcome(ONNX_ZOO / "cf_if_ranks.onnx").wrong) == 2


@needs_onnx_zoo
def test_a_run_beyond_the_bound_is_left_out() -> None:
    """The work is counted from the recorded shapes: 3 x 3 convolutions of an image of 33 x 47 and others."""
    model = Model.read(ONNX_ZOO / "nn_conv_zoo.onnx")
    assert 0.1 * MILLION < model.work(0) < model.work(1) < 2 * MILLION


def test_a_contraction_takes_as_many_products_as_it_adds() -> None:
    shapes = {"x": [2, 3, 8, 8], "w": [5, 3, 3, 3], "y": [2, 5, 6, 6], "a": [4, 7], "b": [7, 9], "c": [4, 9]}
    assert multiplied(helper.make_node("Conv", ["x", "w"], ["y"]), shapes) == 2 * 5 * 6 * 6 * 3 * 3 * 3
    assert multiplied(helper.make_node("MatMul", ["a", "b"], ["c"]), shapes) == 4 * 7 * 9
    assert multiplied(helper.make_node("Relu", ["c"], ["c"]), shapes) == 4 * 9


def test_conditions_hold_where_all_of_them_do() -> None:
    assert holds("n % 2 == 0, m >= 3", {"n": 4, "m": 3})
    assert not holds("n % 2 == 0, m >= 3", {"n": 5, "m": 3})
    assert not holds("n % 2 == 0, k >= 3", {"n": 4, "m": 3})
