"""The graphs of the corpus: how much of their sizes is known, and that no run contradicts it."""

from __future__ import annotations

import pytest

from tests.importers.model_shapes import Sizes, everything_known, imported, sizes
from tests.material import GRAPHS, ONNX_ZOO, needs_graphs, needs_onnx_zoo

WHERE = {
    "bert_ts": "seq <= 512",
    "encodec_ts": "samples >= 1921",
    "gpt2_past_ts": "seq >= 1, batch >= 1, total == past + seq, total <= 1024",
    "llama_past_dynamo": "",
    "nn_lstm_bi_ts": "",
}
"""Graphs of which everything is known, under what their inputs have to satisfy."""


@needs_graphs
@pytest.mark.parametrize("name", WHERE)
def test_every_size_is_known_and_nothing_is_left_to_check(name: str) -> None:
    assert everything_known(GRAPHS / f"{name}.onnx", WHERE[name])


@needs_graphs
def test_what_depends_on_data_is_left_to_checks() -> None:
    path = GRAPHS / "fasterrcnn_mobile_ts.onnx"
    compilation, _ = imported(path)
    found = sizes(path, compilation)
    assert compilation.ok and compilation.checks
    assert isinstance(found, Sizes) and min(found.known, found.computed, found.open) > 0
    assert found.wrong == ()


@needs_graphs
def test_what_fails_for_a_size_is_refuted() -> None:
    """BERT has 512 positions, and takes longer texts without a word."""
    compilation, _ = imported(GRAPHS / "bert_ts.onnx")
    (error,) = [one for one in compilation.diagnostics if one.severity == "error"]
    assert error.data["counterexample"] == {"seq": 513}
    assert any("where seq <= 512" in str(help) for help in error.help)


KNOWN = {
    "cf_scan_rnn": "",
    "hf_fnet": "s21 <= 512",
    "nn_conv_zoo": "height >= 3, width >= 3",
    "nn_gru_packed": "",
    "timm_hrnet_w18_small": "s0 % 32 == 0, s53 % 32 == 0",
}
"""Graphs of the zoo with scans, spectra, factors that leave a rest, lengths of sequences, and sums of several scales;
what inputs satisfy."""


@needs_onnx_zoo
@pytest.mark.parametrize("name", KNOWN)
def test_every_size_of_rarer_operators_is_known(name: str) -> None:
    assert everything_known(ONNX_ZOO / f"{name}.onnx", KNOWN[name])


@needs_onnx_zoo
def test_sums_of_several_scales_have_known_sizes_and_one_requirement_where_they_fail() -> None:
    path = ONNX_ZOO / "timm_hrnet_w18_small.onnx"
    compilation, _ = imported(path)
    found = sizes(path, compilation)
    assert (found.computed, found.open, found.wrong) == (0, 0, ())
    errors = [one for one in compilation.diagnostics if one.severity == "error"]
    assert errors and all("`where s53 % 32 == 0, s0 % 32 == 0`" in str(one.help) for one in errors)


@needs_onnx_zoo
def test_sizes_of_rounded_quotients_are_formulas_in_what_the_model_computes() -> None:
    """RetinaNet resizes by `1 / size * 160` in floats, which the nearest integer formula does not equal."""
    path = ONNX_ZOO / "tv_retinanet.onnx"
    found = sizes(path, imported(path)[0])
    assert found.computed > 900 and found.wrong == ()


@needs_onnx_zoo
@pytest.mark.parametrize("name", ["cf_if_ranks", "cf_optional"])
def test_what_has_no_one_rank_or_may_be_absent_is_not_contradicted(name: str) -> None:
    path = ONNX_ZOO / f"{name}.onnx"
    compilation, _ = imported(path)
    assert (compilation.ok, compilation.checks, sizes(path, compilation).wrong) == (True, (), ())
