"""Exported Keras models and functions, and single operators: no diagnostic, and what TensorFlow computed.

The files are what `exporting.py` made of `keras_models.py` and `operators/`.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pytest

import gradual
from gradual.importers.common.refusals import Refused
from gradual.run.value import Blame, Fault
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.comparing import Import, differences, differing, imported, placed, ran

EXPORTS = Path(__file__).parent / "data" / "exports.tar.xz"
OPEN = {"beams", "forecaster", "powers", "tagger"}
"""The models with a size or a number of turns that depends on data."""
LOOPS = {"forecaster": 8, "powers": 0, "tagger": 4}
"""Models with loops -> their residual checks."""
CLOSED = {
    "conv_groups",
    "equal_apart",
    "extremes_of_nothing",
    "gather_nd",
    "gather_nd_all",
    "gather_nd_bounds",
    "layouts",
}
"""The operators whose channels, or whose number of indices, have to be known."""


@cache
def _names() -> tuple[str, ...]:
    with tarfile.open(EXPORTS) as tar:
        return tuple(name.removesuffix(".graphdef") for name in tar.getnames() if name.endswith(".graphdef"))


MODELS = [name for name in _names() if "/" not in name]
OPERATORS = [name for name in _names() if "/" in name]


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the graphs and the recorded runs."""
    folder = tmp_path_factory.mktemp("exports")
    with tarfile.open(EXPORTS) as tar:
        tar.extractall(folder, filter="data")
    return folder


def _runs(exports: Path, name: str) -> list[tuple[list[Any], list[Any]]]:
    """The inputs and the outputs of each run."""
    return [_arrays(path) for path in sorted(exports.glob(f"{name}.[0-9].npz"))]


def _arrays(path: Path) -> tuple[list[Any], list[Any]]:
    with numpy.load(path) as found:
        inputs, outputs = ([key for key in found if key.startswith(kind)] for kind in ("in", "out"))
        return [found[f"in{at}"] for at in range(len(inputs))], [found[f"out{at}"] for at in range(len(outputs))]


def _messages(one: Import) -> list[str]:
    return [diagnostic.message for diagnostic in one.compilation.diagnostics]


# ------------------------------------------------------------------------------------------------------------ models
@pytest.mark.parametrize("form", ["graphdef", "saved"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_runs_to_tensorflows_outputs(exports: Path, name: str, form: str) -> None:
    one = imported(exports / f"{name}.{form}")
    assert _messages(one) == []
    runs = _runs(exports, name)
    assert runs
    for inputs, outputs in runs:
        assert differences(one, placed(one, inputs), outputs) == []


@pytest.mark.parametrize("name", MODELS)
def test_a_model_at_given_sizes_is_static(exports: Path, name: str) -> None:
    one = imported(exports / f"{name}.graphdef")
    for inputs, outputs in _runs(exports, name):
        given = placed(one, inputs)
        static = gradual.apply(one.compilation, f"specialize {_pins(one, given)}", "dynamic-to-static", verify=False)
        assert bool(static.obstacles("@main")) == (name in OPEN)
        values = [*map(Tensor, given), *one.imported.weights.values()]
        found = static.run("@main", *values, runtime="vm" if name in OPEN else "graph")
        assert differing(list(found) if isinstance(found, tuple) else [found], outputs) == []


def _pins(one: Import, inputs: Sequence[Any]) -> str:
    """The shapes of the inputs as `specialize` takes them."""
    pairs = zip(one.model.inputs, inputs, strict=True)
    return " ".join(f"%{name}=({','.join(map(str, array.shape))},)" for name, array in pairs)


@pytest.mark.parametrize(("name", "checks"), LOOPS.items())
def test_a_loop_keeps_the_sizes_that_its_iterations_keep(exports: Path, name: str, checks: int) -> None:
    found = imported(exports / f"{name}.graphdef").compilation
    assert found.residual - found.not_empty == checks


def test_a_unet_owes_nothing_for_even_sizes(exports: Path) -> None:
    one = imported(exports / "segmenter.graphdef")
    assert one.compilation.residual > one.compilation.not_empty
    even = imported(exports / "segmenter.graphdef", "dim(%inputs_0, 1) % 2 == 0, dim(%inputs_0, 2) % 2 == 0")
    assert _messages(even) == []
    assert even.compilation.residual == even.compilation.not_empty


def test_an_image_of_two_channels_is_blamed_on_the_caller(exports: Path) -> None:
    one = imported(exports / "gray_to_colour.graphdef")
    with pytest.raises(Blame, match="entry of `@main`"):
        one.compilation.run("@main", Tensor(numpy.zeros((1, 2, 2, 2), "float32")), *one.imported.weights.values())


# --------------------------------------------------------------------------------------------------------- operators
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_runs_to_tensorflows_outputs(exports: Path, name: str) -> None:
    refused = json.loads((exports / "operators" / "refused.json").read_text()).get(Path(name).name)
    if refused:
        with pytest.raises(Refused, match=refused):
            imported(exports / f"{name}.graphdef")
        return
    for is_open in [False] if Path(name).name in CLOSED else [False, True]:
        one = imported(exports / f"{name}.graphdef", is_open=is_open)
        assert _messages(one) == []
        runs = _runs(exports, name)
        assert runs
        for inputs, outputs in runs:
            assert differences(one, placed(one, inputs), outputs) == [], is_open


@pytest.mark.parametrize("name", [name for name in OPERATORS if name.endswith("_bounds")])
def test_an_operator_stops_where_tensorflow_raises_an_error(exports: Path, name: str) -> None:
    found = sorted(exports.glob(f"{name}.raises.[0-9].npz"))
    assert found
    for is_open in [False] if Path(name).name in CLOSED else [False, True]:
        one = imported(exports / f"{name}.graphdef", is_open=is_open)
        assert _messages(one) == [] and (is_open or one.compilation.residual == one.compilation.not_empty)
        for path in found:
            with pytest.raises(Fault):
                ran(one, placed(one, _arrays(path)[0]))


def test_a_wrong_value_is_told(exports: Path) -> None:
    one = imported(exports / "towers.graphdef")
    (inputs, (first, *others)), *_ = _runs(exports, "towers")
    assert differences(one, placed(one, inputs), [first + 1, *others])
    assert differences(one, placed(one, inputs), [first[:1], *others])
