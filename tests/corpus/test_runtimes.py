"""Both runtimes and the planner on the models that TVM printed.  `python -m tests.corpus.runtimes` runs them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

import gradual
from gradual.run.value import NotStatic
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.type import GradualType, TensorType
from tests.corpus.runtimes import both, sizes
from tests.corpus.test_relay_models import arguments, checked
from tests.material import models, needs_models
from tests.run.graphs import bits

pytestmark = needs_models

NAMES = [name for name in models() if not name.startswith("onnx_")]
OPEN = [name for name in NAMES if "_any_" in name]
STATIC = [name for name in NAMES if name not in OPEN]

PINS: Mapping[str, list[str]] = {
    "batch": ["dim(%data,0)"],
    "image": ["dim(%data,0)", "dim(%data,2)", "dim(%data,3)"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STATIC)
def test_a_static_model_has_a_graph_that_holds_what_its_plan_says(name: str, tell: Callable[[str], None]) -> None:
    made = checked(name).graph("@main")
    peak, total, live = made.plan.peak.value, made.plan.total.value, made.plan.live
    assert peak is not None and total is not None and live is not None
    assert made.held == peak and live <= peak < total
    tell(f"{name:16} {len(made.plan.buffers):4} buffers in {len(made.plan.slots):2} slots; peak {peak:>9},"
         f" {100 * peak // total:2} % of all; {live:>9} live at once")  # fmt: skip


def test_the_peak_of_resnet18_is_at_most_60_percent_of_all_buffers() -> None:
    made = checked("resnet18").graph("@main")
    assert made.held * 100 <= 60 * (made.plan.total.value or 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPEN)
def test_an_open_model_is_refused_with_what_to_pin_and_taken_then(name: str) -> None:
    found = checked(name)
    with pytest.raises(NotStatic) as caught:
        found.graph("@main")
    diagnostics = caught.value.diagnostics
    pins = diagnostics[0].data["pins"]
    assert isinstance(pins, dict) and [*pins] == PINS[name.rpartition("_")[2]]
    sizes = [d for d in diagnostics if d.rule == "graph.static.size"]
    assert len(sizes) == len(pins) and {d.rule for d in diagnostics} <= {"graph.static.size", "graph.static.check"}
    assert not any(d.data["stays"] for d in diagnostics)
    after = gradual.apply(found, "specialize", *(f"{name}={number}" for name, number in pins.items()))
    assert after.obstacles("@main") == () and after.graph("@main").held


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mlp", "lstm", "dqn"])
def test_a_small_model_has_the_same_bits_on_both_runtimes(name: str) -> None:
    values = arguments(name)
    found = checked(name)
    assert bits(found.run("@main", *values, runtime="graph")) == bits(found.run("@main", *values))


def drawn(param: GradualType, seed: int) -> Tensor:
    """Elements for a parameter whose sizes are numbers: indices are small."""
    assert isinstance(param, TensorType)
    return random_tensor(tuple(sizes(param)), param.dtype, seed)


@pytest.mark.slow
def test_a_transformer_with_sixteen_open_sizes_is_static_once_they_are_pinned() -> None:
    found = checked("onnx_gpt2_past_ts")
    pins = found.obstacles("@main")[0].data["pins"]
    assert isinstance(pins, dict) and len(pins) == 16
    special = gradual.apply(found, "specialize", *(f"{name}={number}" for name, number in pins.items()))
    graph = special.graph("@main")
    values = [drawn(param, seed) for seed, param in enumerate(special.functions["@main"].params)]
    assert bits(graph.run(*values)) == bits(found.run("@main", *values))


@pytest.mark.slow
def test_the_beginning_of_a_large_model_has_the_same_bits_on_both_runtimes() -> None:
    done = both("mobilenet", 1_000_000)
    assert done.steps[0] > 5


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 3, 8])
def test_an_open_model_takes_what_its_formulas_say_and_specialized_the_same_bits(batch: int) -> None:
    found, values = checked("mlp_any_batch"), arguments("mlp_any_batch", batch=batch)
    value, taken = found.measure("@main", *values)
    made = found.plan("@main")
    (variable,) = made.peak.variables()
    at = {path: buffer.size.evaluate({variable: batch}) for path, buffer in made.buffers.items()}
    assert at == dict(taken) and made.total.evaluate({variable: batch}) == sum(taken.values())
    special = gradual.apply(found, "specialize", f"dim(%data,0)={batch}")
    graph = special.graph("@main")
    assert isinstance(value, Tensor) and bits(graph.run(*values)) == bits(value)
    assert graph.held == made.peak.evaluate({variable: batch})


@pytest.mark.parametrize("name", OPEN)
def test_the_formulas_of_an_open_model_are_the_numbers_of_the_specialized_one(name: str) -> None:
    """Each buffer, at sizes for which the checks hold: what the formula says is what the static plan has."""
    found = checked(name)
    made = found.plan("@main")
    sizes = {"dim(%data, 0)": 3, "dim(%data, 2)": 224, "dim(%data, 3)": 224}
    names = {v for buffer in made.buffers.values() for v in buffer.size.variables()}
    env = {variable: sizes[variable.name] for variable in names}
    special = gradual.apply(found, "specialize", *(f"{v.name.replace(' ', '')}={k}" for v, k in env.items()))
    there = special.graph("@main").plan
    assert {path: b.size.evaluate(env) for path, b in made.buffers.items()} == {
        path: b.size.value for path, b in there.buffers.items()
    }
