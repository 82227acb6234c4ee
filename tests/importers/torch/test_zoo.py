"""Exported models that were not made for these tests: sizes, and runs at the recorded inputs."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from tests.importers.torch.comparing import compared, differences, imported
from tests.material import SHARED

ZOO = SHARED / "corpus" / "torch-zoo"
NEEDS = {
    "bert": "a_0_1 <= 32, a_0_0 <= a_1_0",
    "patches": "x_2 % 2 == 0, x_3 % 2 == 0",
    "positions": "i_1 <= 16",
    "skip_half": "x_0 % 2 == 0",
    "unet": "x_2 % 2 == 0, x_3 % 2 == 0",
}
"""Models that are refuted as they stand, and what they need: longest sequences, and sizes that halve."""
OTHER_SHAPES = {"cond_gray.1"}
"""Runs of the module at sizes that its export excludes: it was made for images of one channel."""

pytestmark = pytest.mark.skipif(not ZOO.is_dir(), reason="no torch-zoo under GRADUAL_SHARED")


def _models() -> list[str]:
    return sorted(path.stem for path in ZOO.glob("*.pt2"))


@pytest.mark.parametrize("name", _models())
def test_the_sizes_of_a_model_are_pytorchs(name: str) -> None:
    one = imported(ZOO / f"{name}.pt2")
    assert one.compilation.ok is (name not in NEEDS)
    sizes = compared(one)
    assert sizes.differ == []
    assert sizes.same > 0


@pytest.mark.parametrize("name", _models())
def test_a_model_runs_to_pytorchs_outputs(name: str) -> None:
    one = imported(ZOO / f"{name}.pt2", NEEDS.get(name))
    assert one.compilation.ok
    for path in sorted(ZOO.glob(f"{name}.[0-9].in.npz")):
        run = path.name.removesuffix(".in.npz")
        if run not in OTHER_SHAPES:
            given, wanted = (_arrays(ZOO / f"{run}.{kind}.npz") for kind in ("in", "out"))
            assert differences(one, given, wanted) == [], run


def _arrays(path: Path) -> list[object]:
    arrays = numpy.load(path)
    return [arrays[key] for key in sorted(arrays, key=lambda key: int(key[1:]))]
