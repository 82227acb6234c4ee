"""A machine that holds the checker to its word: after every step the value has the sizes and contents of its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradual.core.terms import Apply, If, Invoke, MakeTuple, Module, Project, Rename, Size, Step
from gradual.dims.constraint import Constraint
from gradual.run.entry import admitted
from gradual.run.machine import Activation, Machine
from gradual.run.sizes import Sizes
from gradual.run.value import Frame, Procedure
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.type import TensorType, TupleType


class Watched(Exception):
    """A value that is not what its type says."""


_NAMED = (Apply, MakeTuple, Project, Rename, Size)
_LATER = (If, Invoke)


@dataclass
class Trace:
    """The steps that runs came to, and those that they finished; a check that fails is not finished."""

    reached: set[Step] = field(default_factory=set)
    finished: set[Step] = field(default_factory=set)


class WatchingMachine(Machine):
    """The machine, watched; it leaves a trace."""

    def __init__(self, top: Frame, trace: Trace) -> None:
        super().__init__(top)
        self.trace = trace

    def _step(self, activation: Activation, step: Step) -> None:
        self._arrived(activation)
        self.trace.reached.add(step)
        super()._step(activation, step)
        if isinstance(step, _NAMED):
            watch(activation.frame, step)
        if not isinstance(step, _LATER):
            self.trace.finished.add(step)

    def _arrived(self, activation: Activation) -> None:
        """The value of a branch or a call arrives before the step after it."""
        before = activation.steps[activation.at - 2] if activation.at >= 2 else None
        if isinstance(before, _LATER):
            watch(activation.frame, before)
            self.trace.finished.add(before)


def watch(frame: Frame, step: Any) -> None:
    """The step's value against its type.  Raises Watched."""
    fault = misfit(frame.values[step.name], step.type, Sizes(frame))
    if fault:
        raise Watched(f"{step.name}: {fault}")


def misfit(value: Any, type: Any, sizes: Sizes) -> str:
    """In words, how a value differs from its opened type; empty if it does not."""
    match type:
        case TupleType(fields):
            parts = (misfit(part, field, sizes) for part, field in zip(value, fields, strict=True))
            return next((part for part in parts if part), "")
        case TensorType(shape, dtype, contents):
            assert isinstance(value, Tensor)
            expected = tuple(dim.evaluate(sizes) for dim in shape)
            if value.shape != expected or value.dtype is not dtype:
                return f"{value.shape} {value.dtype} is not {expected} {dtype}"
            return _contents_misfit(value, contents, sizes)
        case _:
            return "" if isinstance(value, Procedure) else "not a function"


def _contents_misfit(value: Tensor, contents: Any, sizes: Sizes) -> str:
    for element, content in zip(value.elements, contents or (), strict=contents is not None):
        expected = content.evaluate(sizes)
        if (bool(element) if isinstance(content, Constraint) else element) != expected:
            return f"element {element} is not {content} = {expected}"
    return ""


def run_watched(module: Module, entry: str, arguments: Sequence[Value], trace: Trace) -> Value:
    """The value of a function, every step watched and traced.  Raises Blame, Fault, Watched."""
    function = module.functions[entry]
    top = Frame({name: Procedure(function, None) for name, function in module.functions.items()})
    frame = Frame(outer=top)
    admitted(function, arguments, frame)
    value: Any = WatchingMachine(top, trace).evaluated(frame, function.body)
    return value
