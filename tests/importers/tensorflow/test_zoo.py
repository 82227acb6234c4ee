"""Graphs that were not made for these tests, at the recorded inputs."""

from __future__ import annotations

import pytest

from tests.importers.tensorflow.comparing import arrays, differences, imported
from tests.material import TF_GRAPHS, needs_tf_graphs

pytestmark = needs_tf_graphs

IMPORTED = ["shape_arith", "unknown_rank"]


@pytest.mark.parametrize("name", IMPORTED)
def test_a_graph_runs_to_tensorflows_outputs(name: str) -> None:
    one = imported(TF_GRAPHS / f"{name}.graphdef")
    assert one.compilation.ok
    for run in (0, 1):
        given, wanted = (arrays(TF_GRAPHS / f"{name}.{run}.{kind}.npz") for kind in ("in", "out"))
        assert differences(one, given, wanted) == [], run
