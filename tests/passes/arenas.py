"""The machine with an arena: every value is copied to where the plan puts it, and must be there when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradual.core.def_use import every
from gradual.core.terms import Apply, Module, Size, Step
from gradual.passes.plan.slots import planned
from gradual.run.graph.plan import ALIGNMENT, Plan
from gradual.run.machine import run
from gradual.run.sizes import Sizes, held
from gradual.run.value import Frame, Held
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value

RUBBISH = 0xAB


@dataclass(eq=False)
class Arena:
    """The memory of one activation, laid out at its sizes on entry."""

    plan: Plan
    frame: Frame
    memory: bytearray = field(init=False)
    late: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = Sizes(self.frame)
        self.memory = bytearray([RUBBISH]) * self.plan.arena.evaluate(sizes)
        self.offsets = [slot.offset.evaluate(sizes) for slot in self.plan.slots]
        self.rooms = [slot.size.evaluate(sizes) for slot in self.plan.slots]

    def write(self, path: str, value: Tensor) -> None:
        """Put a value where the plan says; its predictions have to hold."""
        buffer, content = self.plan.buffers[path], _bytes(value)
        whole = -(-len(content) // ALIGNMENT) * ALIGNMENT
        assert buffer.size.evaluate(Sizes(self.frame)) == whole, (path, str(buffer.size), whole)
        if buffer.slot is None:
            self.late[path] = content
            return
        assert whole <= self.rooms[buffer.slot], (path, whole, self.rooms[buffer.slot])
        start = self.offsets[buffer.slot]
        self.memory[start : start + whole] = content + bytes([RUBBISH]) * (whole - len(content))

    def holds(self, path: str, value: Tensor) -> bool:
        """Whether the value is still there."""
        buffer, content = self.plan.buffers[path], _bytes(value)
        if buffer.slot is None:
            return self.late[path] == content
        start = self.offsets[buffer.slot]
        return bytes(self.memory[start : start + len(content)]) == content


@dataclass(eq=False)
class Watch:
    """Told of every step of a run.

    Attributes:
        reads: how many reads were compared.
    """

    plans: dict[int, Plan]
    reads: int = 0
    arenas: dict[int, Arena] = field(default_factory=dict)
    written: dict[int, list[tuple[Tensor, Arena, str]]] = field(default_factory=dict)

    def __call__(self, step: Step, frame: Frame) -> None:
        assert isinstance(step, Apply | Size)
        for name in step.operands if isinstance(step, Apply) else ():
            self.read(held(frame, name), name)
        plan = self.plans.get(id(step))
        if plan is None:
            return
        arena = self.arenas.get(id(frame))
        if arena is None:
            arena = self.arenas[id(frame)] = Arena(plan, frame)
        for path, tensor in tensors(frame.values[step.name], step.name):
            if path in plan.buffers:
                arena.write(path, tensor)
                self.written.setdefault(id(tensor), []).append((tensor, arena, path))

    def read(self, value: Held, name: str) -> None:
        """What was written is still there, in one of the places where it was."""
        for _, tensor in tensors(value, name):
            places = self.written.get(id(tensor), [])
            self.reads += bool(places)
            assert not places or any(arena.holds(path, tensor) for _, arena, path in places), f"{name} was overwritten"


def run_in_arenas(module: Module, entry: str, values: Sequence[Value], change: object = None) -> tuple[Value, Watch]:
    """The value of a run in which every read is compared with the arena; raises as the machine does."""
    plans: dict[int, Plan] = {}
    for function in module.functions.values():
        plan = planned(function)
        plan = change(plan) if callable(change) else plan
        plans.update((id(step), plan) for step in every(function.body) if _is_of(step, plan))
    watch = Watch(plans)
    value = run(module, entry, values, watch)
    watch.read(value, "the result")  # type: ignore[arg-type]
    return value, watch


def _is_of(step: Step, plan: Plan) -> bool:
    """Whether a step is one of the plan's function, and not of a function literal in it."""
    return isinstance(step, Apply | Size) and any(True for _ in _buffers(step, plan))


def _buffers(step: Apply | Size, plan: Plan) -> Iterator[str]:
    yield from (
        path for path, made in plan.buffers.items() if path.split("#")[0] == step.name and made.span is step.span
    )


def tensors(value: Held, path: str) -> Iterator[tuple[str, Tensor]]:
    """The tensors in a value of the machine, with their paths."""
    if isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from tensors(part, f"{path}#{index}")
    elif isinstance(value, Tensor):
        yield path, value


def _bytes(value: Tensor) -> bytes:
    return bytes(memoryview(value.elements))
