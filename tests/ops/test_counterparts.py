"""Every operator that declares a counterpart in ONNX is compared with it somewhere, or it is listed why not."""

from __future__ import annotations

from gradual.ops.catalogue import CATALOGUE
from tests.importers import campaign
from tests.importers.drawn import FAMILIES
from tests.ops.onnx_nodes import NODES

_WITHDRAWN = "ONNX has withdrawn it; of `image.resize2d` and `image.resize3d`, which it is, nodes are built"
UNCOMPARED = {
    "floor_divide": "of integers ONNX rounds toward 0, of floats it does not round",
    "stack": "its operands are a sequence there, which is no input of one node: the importer's tests build the graph",
    "nn.upsampling": _WITHDRAWN,
    "nn.upsampling3d": _WITHDRAWN,
    "nn.nll_loss": "no node is built: NumPy, or the definition written out with it, is its oracle",
}
"""The operators with a counterpart that is compared nowhere, and why."""


def test_every_counterpart_is_compared_or_listed() -> None:
    """As a node that is built from the operator's applications, or as one that is drawn for the importer.

    A dynamic form is the static one, with which `test_dynamic.py` compares it.
    """
    declared = {one.name.removeprefix("dyn."): one.onnx for one in CATALOGUE.values() if one.onnx is not None}
    drawn = set(FAMILIES) - {declared[name] for name in NODES if name in declared}  # of those it makes others of ours
    left = {name for name, counterpart in declared.items() if name not in NODES and counterpart not in drawn}
    assert campaign.DRAWING and left == set(UNCOMPARED)
