"""Single nodes drawn at random agree with ONNX Runtime, or differ as it is listed; `make nodes` draws 5,000."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: pip install 'gradual[oracles]'")

from gradual.importers.onnx.file.schemas import is_explained
from gradual.importers.onnx.importers import IMPORTERS
from tests.importers.campaign import Explained, Outcome, Report, listed, outcomes
from tests.importers.drawn import FAMILIES, NEWEST

NODES = 400

NOT_DRAWN = {
    *("If", "Loop", "Scan", "SequenceMap"),  # graphs: what they mean is tested by hand
    *("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"),
    *("Optional", "OptionalGetElement", "OptionalHasElement"),  # no tensors
    *("SequenceAt", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "ConcatFromSequence"),
    *("Scatter", "Upsample", "Constant"),  # other names of what is drawn
    *(
        "Attention",
        "CumProd",
        "RMSNormalization",
        "Swish",
        "BitCast",
        "TensorScatter",
    ),  # younger than the versions that are drawn
    *("com.microsoft.BiasSplitGelu", "com.microsoft.QLinearWhere", "com.microsoft.MatMulInteger16"),  # no kernel
    *("com.microsoft.GroupNorm", "com.microsoft.SkipGroupNorm", "com.microsoft.NhwcConv"),
    "com.microsoft.SimplifiedLayerNormalization",
}
"""Operators of which no single node is drawn."""


BLOCKED = "com.microsoft.nchwc"
"""The domain of operators whose data are laid out for a processor: a model of one node does not tell for which."""


def test_nodes_agree_with_the_runtime_or_differ_as_listed() -> None:
    report = Report.of(outcomes(range(NODES)), listed())
    assert report.strange == []
    assert report.counts["same"] > 0.7 * NODES


def test_every_operator_that_is_imported_is_drawn() -> None:
    imported = {f"{domain}.{name}".lstrip(".") for domain, name in IMPORTERS if domain != BLOCKED}
    assert imported - NOT_DRAWN - set(FAMILIES) == set()
    assert not set(FAMILIES) - imported - {name for name in FAMILIES if is_explained("", name, NEWEST)}


def test_a_difference_that_no_line_explains_fails_the_run() -> None:
    line = Explained("value", frozenset({"Relu"}), re.compile("nan"), "why")
    met = Outcome("value", "Relu", "Relu-22(): nan")
    strange = [
        Outcome("value", "Relu", "Relu-22(): 1"),
        Outcome("looser", "Relu", "nan"),
        Outcome("value", "Neg", "nan"),
    ]
    report = Report.of([met, *strange, Outcome("same", "Neg", "")], [line])
    assert (report.strange, report.met[line]) == (strange, 1)
