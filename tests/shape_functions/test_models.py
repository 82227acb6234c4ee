"""Models: the three forms agree with the machine and the plan, and have the recorded shapes of outputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gradual
from gradual.compilation import Compilation
from gradual.interface.reports.accepted import compiled
from gradual.limits import Options
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from tests.material import SHARED, models, needs_models
from tests.properties.inputs import Drawn
from tests.shape_functions.forms import Shaped, agreeing, shaped
from tests.shape_functions.skipping import blank, without_arithmetic

ZOO = SHARED / "corpus" / "onnx-zoo"
needs_zoo = pytest.mark.skipif(not ZOO.is_dir(), reason="no onnx-zoo under GRADUAL_SHARED")

ANY = [name for name in models() if "_any_" in name]
IMPORTED = (
    *("sk_gmm", "hf_vitmae", "tv_r3d_18", "hf_mamba2", "tv_fcn_resnet50"),
    *("hf_t5_dyn", "pyg_gat", "hf_bloom", "hf_wav2vec2_bert", "nn_ragged"),
)


class At(Drawn):
    """Arguments at given numbers, without elements but zeros."""

    def __init__(self, numbers: Callable[[str], int]) -> None:
        self.numbers = numbers
        self.valuation = {}

    def number(self, name: str) -> int:
        """The number of a size."""
        return self.numbers(name)

    def tensor(self, shape: tuple[int, ...], dtype: DType, path: str) -> Tensor:
        """Zeros."""
        return blank(shape, dtype)


def at(found: Compilation, numbers: Callable[[str], int]) -> tuple[Value, ...]:
    """The arguments of `@main` at given numbers, and the weights that a model brings with it."""
    values = At(numbers).arguments(found.core.functions["@main"])
    return (*values[: len(values) - len(found.weights)], *found.weights.values())


@cache
def printed_model(name: str) -> Shaped:
    return shaped(gradual.check(models()[name].read_text("utf-8"), f"{name}.relay"), name=name)


def slow_but(quick: Sequence[str], names: Sequence[str]) -> list[Any]:
    """The names, of which only some belong to the quick tests."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


def misfitting(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments with the first size of the first tensor that has an axis of a fixed size made too large."""
    place = next(place for place, value in enumerate(values[1:], 1) if isinstance(value, Tensor) and value.shape)
    victim: Any = values[place]
    return (*values[:place], blank((victim.shape[0] + 1, *victim.shape[1:]), victim.dtype), *values[place + 1 :])


@needs_models
@pytest.mark.parametrize("name", slow_but(("dcgan_any_batch", "mlp_any_batch"), ANY))
def test_the_forms_agree_on_a_printed_model(name: str, tmp_path: Path, tell: Callable[[str], None]) -> None:
    one = printed_model(name)
    assert one.relay.ok and not one.relay.refuted
    sides = (64, 227, 9) if "image" in name else (0, 1, 3)
    values = [at(one.found, lambda _, side=side: side) for side in sides]  # type: ignore[misc]
    values.append(misfitting(values[-1]))
    counts = agreeing([(one, each) for each in values], tmp_path, without_arithmetic)
    assert counts["need"]
    tell(f"{name:22} {len(one.made.needs):4} needs, {len(one.made.buffers):4} buffers, of calls: {dict(counts)}")


def recorded(name: str) -> Mapping[str, Any]:
    """What was recorded of a model's runs."""
    found: Mapping[str, Any] = json.loads((ZOO / f"{name}.shapes.json").read_text("utf-8"))
    return found


@needs_zoo
@pytest.mark.parametrize("name", slow_but(("sk_gmm", "nn_ragged"), IMPORTED))
def test_the_forms_agree_on_an_imported_model(name: str, tmp_path: Path, tell: Callable[[str], None]) -> None:
    found, errors = compiled(str(ZOO / f"{name}.onnx"), Options())
    assert errors == ()
    one, runs = shaped(found, name=name), recorded(name)["runs"]
    assert one.relay.ok and not one.relay.refuted
    calls = [given_by(found, run["inputs"]) for run in runs]
    calls.append(at(found, lambda name: 1))
    calls += [misfitting(calls[0])] if len(found.weights) + 1 < len(calls[0]) else []
    counts = agreeing([(one, values) for values in calls], tmp_path, without_arithmetic)
    for values, run in zip(calls, runs, strict=False):
        assert outputs(one, values) == [tuple(shape) for shape in run["outputs"].values()]
    tell(f"{name:22} {len(one.made.needs):4} needs, {len(one.made.buffers):4} buffers, of calls: {dict(counts)}")


def given_by(found: Compilation, shapes: Mapping[str, list[int]]) -> tuple[Value, ...]:
    """The arguments of recorded shapes, and weights at their types."""
    weights = at(found, lambda name: 1)[len(shapes) :]
    params = found.functions["@main"].params
    return (*(blank(tuple(shape), type.dtype) for shape, type in zip(shapes.values(), params, strict=False)), *weights)


def outputs(one: Shaped, values: tuple[Value, ...]) -> list[tuple[int, ...]]:
    """The shapes of the results that the module of Python gives."""
    shapes: list[tuple[int, ...]] = [*one.python["shapes"](*one.given(values)).results]
    return shapes
