"""Exported PyTorch modules: every size is PyTorch's own, and runs give what PyTorch gave.

The archives are what `exporting.py` made of the modules in `modules/`.
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gradual.importers.common.refusals import Refused
from tests.importers.torch.comparing import compared, differences, imported, recording

EXPORTS = Path(__file__).parent / "data" / "exports.tar.xz"


@cache
def _names() -> tuple[str, ...]:
    with tarfile.open(EXPORTS) as tar:
        return tuple(name for name in tar.getnames() if name.endswith(".pt2"))


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the archives and the recorded runs."""
    folder = tmp_path_factory.mktemp("exports")
    with tarfile.open(EXPORTS) as tar:
        tar.extractall(folder, filter="data")
    return folder


def _case(exports: Path, name: str) -> Any:
    return json.loads((exports / "cases.json").read_text())[name.partition(".")[0]]


@pytest.mark.parametrize("name", _names())
def test_an_export_has_the_sizes_and_values_of_pytorch(exports: Path, name: str) -> None:
    case = _case(exports, name)
    try:
        one = imported(exports / name, case["where"] or None)
    except Refused as refused:
        assert case["refused"], refused.reasons
        assert case["refused"] in str(refused)
        return
    assert not case["refused"] or ".core." in name, "it is imported now"
    assert [diagnostic.message for diagnostic in one.compilation.diagnostics] == []
    sizes = compared(one)
    assert sizes.differ == []
    assert sizes.same + sizes.data > 0
    runs = sorted(exports.glob(f"{name.partition('.')[0]}.[0-9].npz"))
    assert runs
    for run in runs:
        given = recording(run)
        assert differences(one, given.inputs, given.outputs) == [], run.name


def test_a_wrong_size_or_value_is_told(exports: Path) -> None:
    one = imported(exports / "halves.pt2")
    given = recording(exports / "halves.0.npz")
    first, *others = given.outputs
    assert differences(one, given.inputs, [first + 1, *others])
    assert differences(one, given.inputs, [first[:, :1], *others])
    graph = one.model.graph
    wrong = {name: replace(meta, sizes=meta.sizes[::-1]) for name, meta in graph.tensors.items() if name != "inputs_0"}
    model = replace(one.model, graph=replace(graph, tensors={**graph.tensors, **wrong}))
    assert compared(replace(one, model=model)).differ
