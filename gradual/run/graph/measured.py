"""Compare a plan with a run of the machine: the bytes that each buffer takes.   [plan.measured]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from gradual.core.def_use import every
from gradual.core.terms import Apply, Closure, Function, Module, Size, Step
from gradual.record import record
from gradual.run.graph.plan import ALIGNMENT, ITEM, Plan
from gradual.run.machine import run
from gradual.run.sizes import Sizes
from gradual.run.value import Frame, Held
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value


@record(frozen=False, eq=False)
class Measuring:
    """Observes the steps of one function.

    Attributes:
        bytes: path -> aligned bytes that the buffer took the last time it was filled.
    """

    plan: Plan
    steps: frozenset[int]
    bytes: dict[str, int] = field(default_factory=dict)

    def __call__(self, step: Step, frame: Frame) -> None:
        """Compare the value that a step has just computed with the plan; assert that they agree."""
        if not isinstance(step, Apply | Size) or id(step) not in self.steps:
            return
        sizes = Sizes(frame)
        for path, tensor in _tensors(frame.values[step.name], step.name):
            taken = -(-len(tensor.elements) * ITEM[tensor.dtype] // ALIGNMENT) * ALIGNMENT
            self.bytes[path] = taken
            buffer = self.plan.buffers.get(path)
            if buffer is None:
                assert isinstance(step, Size), path
                continue
            assert buffer.size.evaluate(sizes) == taken, (path, str(buffer.size), taken)
            if buffer.bound is not None and buffer.slot is not None:
                room = self.plan.slots[buffer.slot].size.evaluate(sizes)
                assert taken <= buffer.bound.evaluate(sizes) <= room, (path, str(buffer.bound), room, taken)


def measured(
    module: Module, function: Function, plan: Plan, arguments: Sequence[Value]
) -> tuple[Value, Mapping[str, int]]:
    """Run a planned function on the machine: its value, and path -> bytes of its buffers.  Raises Blame, Fault.

    [plan.measured]
    """
    watch = Measuring(plan, frozenset(map(id, _own_steps(function))))
    whole = Module({**module.functions, function.name: function}, module.data)
    return run(whole, function.name, arguments, watch), watch.bytes


def _own_steps(function: Function) -> Iterator[Step]:
    """The steps of a function, without those of the function literals in it."""
    inside = {id(inner) for step in every(function.body) if isinstance(step, Closure) for inner in _inside(step)}
    yield from (step for step in every(function.body) if id(step) not in inside)


def _inside(closure: Closure) -> Iterator[Step]:
    yield from every(closure.function.body)


def _tensors(value: Held, path: str) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from _tensors(part, f"{path}#{index}")
    elif isinstance(value, Tensor):
        yield path, value
