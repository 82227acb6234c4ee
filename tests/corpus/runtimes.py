"""Every printed model on both runtimes: small ones whole, large ones as far as a budget of multiplications goes.

    python -m tests.corpus.runtimes [--work MILLIONS] [MODEL]…

An image of 224 by 224 becomes one of 32 by 32, a film a shorter one, where the model still checks; what is open is
pinned, a `?` batch at 2.  A model that is too large is cut after the last step within the budget (its third at
least), and its value is that step's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import gradual
from gradual.compilation import Compilation
from gradual.core.check import Check
from gradual.core.terms import Apply, Block, Function, Module, Step
from gradual.dims.solver.decide import Decider
from gradual.dims.term.dim import Dim
from gradual.passes.plan.obstacles import obstacles
from gradual.passes.plan.prepare import graph, ready
from gradual.run.machine import run
from gradual.types.type import GradualType, OpenedType, TensorType, TupleType
from tests.corpus.test_relay_models import scaled
from tests.material import models
from tests.run.graphs import bits, spoilt

MILLION = 1_000_000
LEAST = 3
"""How many steps run whatever they cost."""


@dataclass(frozen=True)
class Done:
    """One model on both runtimes.

    Attributes:
        steps: how many steps ran, of how many.
        held: the arena; total: all buffers.
        seconds: of the machine and of the graph.
    """

    name: str
    how: str
    steps: tuple[int, int]
    held: int
    total: int
    seconds: tuple[float, float]

    def __str__(self) -> str:
        share = 100 * self.held // max(self.total, 1)
        vm, other = self.seconds
        return (
            f"{self.name:22} {self.how:28} {self.steps[0]:4} of {self.steps[1]:4} steps   arena {self.held:>10}"
            f" ({share:2} %)   vm {vm:6.2f} s, graph {other:6.2f} s"
        )


def both(name: str, work: int) -> Done:
    """A model on both runtimes; an assertion fails where they differ."""
    found, how = small(name)
    function = found.core.functions["@main"]
    module = Module({**found.core.functions, "@main": within(function, work)}, found.core.data)
    prepared = ready(module, "@main", Decider())
    assert obstacles(prepared) == (), name
    made = spoilt(graph(module, "@main", prepared))
    values = [scaled(param, seed, 1) for seed, param in enumerate(function.type.params)]
    seconds, ends = [], []
    for call in (lambda: run(module, "@main", values), lambda: made.run(*values)):
        began = time.perf_counter()
        ends.append(bits(call()))
        seconds.append(time.perf_counter() - began)
    assert ends[0] == ends[1], f"{name}: the runtimes differ"
    assert made.held == made.plan.peak.value
    counts = len(module.functions["@main"].body.steps), len(function.body.steps)
    return Done(name, how, counts, made.held, made.plan.total.value or 0, (seconds[0], seconds[1]))


def small(name: str) -> tuple[Compilation, str]:
    """A model with a small image if it checks with one, and with everything pinned that is open."""
    text = models()[name].read_text("utf-8")
    less = text.replace("224, 224", "32, 32", 1).replace("16, 112, 112", "4, 28, 28", 1)
    found, how = gradual.check(less, name), "a small image" if less != text else "as it is"
    if less != text and (found.errors or found.residual):
        found, how = gradual.check(text, name), "as it is"
    return pinned(found, how)


def pinned(found: Compilation, how: str) -> tuple[Compilation, str]:
    """The model specialized to a batch of 2 and images of 32 by 32 where these are open."""
    open_ = found.obstacles("@main")
    if not open_:
        return found, how
    pins = open_[0].data["pins"]
    assert isinstance(pins, dict)
    sizes = [f"{size}={32 if ',2)' in size or ',3)' in size else 2}" for size in pins]
    return gradual.apply(found, "specialize", *sizes), " ".join(sizes)


def within(function: Function, work: int) -> Function:
    """The function up to the last step within a budget of multiplications."""
    types = {param.name: param.type for param in function.params}
    spent, kept = 0, 0
    for step in function.body.steps:
        spent += cost(step, types)
        if spent > work and kept >= LEAST:
            break
        kept += 1
        if not isinstance(step, Check) and hasattr(step, "name"):
            types[step.name] = step.type
    steps = function.body.steps[:kept]
    if kept == len(function.body.steps):
        return function
    last = next(step.name for step in reversed(steps) if hasattr(step, "name"))
    return replace(function, body=Block(steps, last))


def cost(step: Step, types: dict[str, OpenedType]) -> int:
    """How many multiplications a step takes, or elements it makes."""
    if not isinstance(step, Apply):
        return 0
    made = sum(elements(step.type))
    heavy = step.operator.name.startswith(("nn.conv", "nn.dense", "nn.matmul", "nn.batch_matmul"))
    weight = types.get(step.operands[1]) if heavy else None
    return made * prod(sizes(weight)[1:]) if isinstance(weight, TensorType) else made


def elements(type: OpenedType) -> Iterator[int]:
    match type:
        case TensorType():
            yield prod(sizes(type))
        case TupleType(fields):
            for part in fields:
                yield from elements(part)


def sizes(type: GradualType) -> list[int]:
    """The sizes of a tensor that are numbers; 1 for others."""
    assert isinstance(type, TensorType)
    return [size.value or 1 if isinstance(size, Dim) else 1 for size in type.shape]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="MODEL")
    parser.add_argument("--work", type=int, default=20, metavar="MILLIONS", help="of multiplications for each model")
    chosen = parser.parse_args(arguments)
    for name in chosen.names or [name for name in models() if not name.startswith("onnx_")]:
        print(both(name, chosen.work * MILLION), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
