"""The models that TVM printed: read, checked at least as precisely, and some of them run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import gradual
from gradual.compilation import Compilation
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.printing.print import printed
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.type import GradualType, Hole, TensorType
from tests.corpus.relay_types import at_least_as_precise, printed_types, tally, type_of
from tests.material import models, needs_models
from tests.syntax.structure import structure

pytestmark = needs_models

CHECKED = list(models())

LESS_PRECISE: dict[tuple[str, str], str] = {}
"""Bindings whose type says less than TVM's, by (model, name), with the reason why TVM's is not sound."""


@cache
def checked(name: str) -> Compilation:
    return gradual.check(models()[name].read_text("utf-8"), f"{name}.relay")


@pytest.mark.parametrize("name", models())
def test_a_model_is_printed_and_read_back(name: str) -> None:
    module, problems = parse(Source(name, models()[name].read_text("utf-8")))
    assert problems == []
    again, problems = parse(Source(name, printed(module)))
    assert problems == [] and structure(again) == structure(module)


@pytest.mark.parametrize("name", CHECKED)
def test_a_model_checks_without_an_error(name: str) -> None:
    assert [(found.code, found.message) for found in checked(name).diagnostics] == []


@pytest.mark.parametrize("name", CHECKED)
def test_no_model_needs_the_solver(name: str) -> None:
    assert checked(name).smt_queries == 0


@pytest.mark.parametrize("name", CHECKED)
def test_every_type_is_as_precise_as_the_one_printed_beside_it(name: str, tell: Callable[[str], None]) -> None:
    compilation = checked(name)
    theirs = printed_types(compilation.source.text, compilation.surface)
    ours = {binding.span.start: binding for binding in compilation.bindings}
    assert theirs and [name for start, (name, _) in theirs.items() if start not in ours] == []
    pairs = {start: (type_of(ours[start].type), type) for start, (_, type) in theirs.items()}
    less = {start for start, (mine, other) in pairs.items() if not at_least_as_precise(mine, other)}
    assert [(theirs[at], pairs[at]) for at in less if (name, theirs[at][0]) not in LESS_PRECISE] == []
    mine = sum((tally(mine) for mine, _ in pairs.values()), Counter[str]())
    other = sum((tally(other) for _, other in pairs.values()), Counter[str]())
    tell(
        f"{name:22} {len(theirs):5} types, {other.total():5} sizes; `?`: TVM {other['?']:4}, here {mine['?']:4};"
        f" terms {mine['term']:4}; checks {compilation.residual}"
    )


def test_the_types_of_all_models_are_reported(tell: Callable[[str], None]) -> None:
    compilations = [checked(name) for name in CHECKED]
    theirs = [type for each in compilations for _, type in printed_types(each.source.text, each.surface).values()]
    ours = [type_of(binding.type) for each in compilations for binding in each.bindings]
    mine, other = (sum(map(tally, types), Counter[str]()) for types in (ours, theirs))
    assert mine["?"] <= other["?"]
    proved, residual = (sum(getattr(each, name) for each in compilations) for name in ("proved", "residual"))
    tell(
        f"{len(compilations)} models, {len(theirs)} types; sizes of which nothing is known: TVM {other['?']}, here"
        f" {mine['?']} ({mine['term']} terms); {proved} obligations proved, {residual} checks"
    )


def test_every_exception_is_about_a_model() -> None:
    assert {name for name, _ in LESS_PRECISE} <= set(CHECKED)


# -------------------------------------------------------------------------------------------- running
def arguments(name: str, **sizes: int) -> list[Tensor]:
    """A seeded tensor for each parameter; `batch` is the size of every `?`."""
    params = checked(name).functions["@main"].params
    return [scaled(param, seed, sizes.get("batch", 1)) for seed, param in enumerate(params)]


def scaled(type: GradualType, seed: int, batch: int) -> Tensor:
    """Numbers small enough that deep networks stay finite."""
    assert isinstance(type, TensorType)
    shape = [batch if isinstance(size, Hole) else size.value for size in type.shape]
    assert all(size is not None for size in shape), type
    plain = random_tensor(tuple(size for size in shape if size is not None), type.dtype, seed)
    return Tensor([element / 8 for element in plain.elements], type.dtype, plain.shape)


def array(tensor: Any) -> Any:
    return np.array(tensor.tolist(), dtype=str(tensor.dtype)).reshape(tensor.shape)


def perceptron(data: Tensor, *weights: Tensor) -> Any:
    """What the models `mlp` compute."""
    value = array(data).reshape(data.shape[0], -1).astype("float64")
    for layer in range(0, len(weights), 2):
        value = value @ array(weights[layer]).T.astype("float64") + array(weights[layer + 1])
        value = np.maximum(value, 0) if layer + 2 < len(weights) else value
    powers = np.exp(value - value.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "batch"), [("mlp", 1), ("mlp_any_batch", 1), ("mlp_any_batch", 3)])
def test_a_perceptron_computes_what_numpy_does(name: str, batch: int) -> None:
    values = arguments(name, batch=batch)
    result = checked(name).run("@main", *values)
    assert isinstance(result, Tensor) and result.shape == (batch, 10)
    np.testing.assert_allclose(array(result), perceptron(*values), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lstm", "dqn"])
def test_a_model_runs_to_a_value_of_its_type(name: str) -> None:
    compilation, values = checked(name), arguments(name)
    result = compilation.run("@main", *values)
    type = compilation.functions["@main"].result
    assert isinstance(result, Tensor) and isinstance(type, TensorType)
    assert (result.shape, result.dtype) == (tuple(size.value for size in type.shape), type.dtype)  # type: ignore[union-attr]
    found = array(result)
    assert np.isfinite(found).all() and found.std() > 0
    assert compilation.run("@main", *values) == result


@pytest.mark.slow
def test_a_batch_of_another_width_is_blamed() -> None:
    first, *rest = arguments("mlp_any_batch")
    with pytest.raises(gradual.Blame):
        checked("mlp_any_batch").run("@main", Tensor([0.0] * 783, "float32", (1, 1, 27, 29)), *rest)
    assert first.shape == (1, 1, 28, 28)
