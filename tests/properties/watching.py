"""A machine that holds the checker to its word: after every step the value has the sizes and contents of its type."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any

from gradual.core.check import Check
from gradual.core.def_use import binds, every
from gradual.core.known_ranges import KnownRanges
from gradual.core.terms import (
    Apply,
    Assertion,
    Block,
    Closure,
    Construct,
    Convert,
    If,
    Invoke,
    MakeReference,
    MakeTuple,
    Match,
    Module,
    Project,
    ReadReference,
    Rename,
    Size,
    Step,
    Wrap,
    WrapReference,
)
from gradual.dims.term.constraint import Constraint
from gradual.ops.declaration.element_ranges import Range, Ranges
from gradual.run.entry.cast import admitted
from gradual.run.machine import Activation, Machine
from gradual.run.sizes import Sizes
from gradual.run.value import Cell, Frame, Held, Procedure, Proxied
from gradual.tensors.scalar import integer_range
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.declared import Data
from gradual.types.substitution import instantiated
from gradual.types.type import (
    DataType,
    FunctionType,
    Hole,
    NeverType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)


class Watched(Exception):
    """A value that is not what its type says."""


class Endless(Exception):
    """A run of more steps than any that ends."""


STEPS = 200_000
"""How many steps a run may take; those of generated programs take hundreds."""


_NAMED = (
    Apply,
    Construct,
    Convert,
    MakeReference,
    MakeTuple,
    Project,
    ReadReference,
    Rename,
    Size,
    Wrap,
    WrapReference,
)
_LATER = (If, Invoke, Match)


@dataclass
class Trace:
    """The steps that runs came to, and those that they finished; a check that fails is not finished."""

    reached: set[Step] = field(default_factory=set)
    finished: set[Step] = field(default_factory=set)


class WatchingMachine(Machine):
    """The machine, watched; it leaves a trace.

    Attributes:
        ranges: what is known of the elements of the values of steps.
        handed: the steps in tail position whose activations are gone, by the one that gets their value.
    """

    def __init__(
        self, top: Frame, data: Mapping[str, Data], trace: Trace, ranges: Mapping[Step, Ranges] = MappingProxyType({})
    ) -> None:
        super().__init__(top)
        self.data = data
        self.trace = trace
        self.left = STEPS
        self.ranges = ranges
        self.handed: dict[Activation, deque[tuple[Frame, Any]]] = defaultdict(lambda: deque(maxlen=STEPS // 100))

    def _step(self, activation: Activation, step: Step) -> None:
        self.left -= 1
        if self.left < 0:
            raise Endless
        self._arrived(activation)
        self.trace.reached.add(step)
        super()._step(activation, step)
        if isinstance(step, _NAMED):
            self._watch(activation.frame, step)
        if not isinstance(step, _LATER):
            self.trace.finished.add(step)

    def _arrived(self, activation: Activation) -> None:
        """The value of a branch or a call arrives before the step after it."""
        before = activation.steps[activation.at - 2] if activation.at >= 2 else None
        if isinstance(before, _LATER):
            self._watch(activation.frame, before)
            self._watch_handed(activation, before)
            self.trace.finished.add(before)

    def evaluated(self, frame: Frame, block: Block) -> Held:
        """The value of a block; calls and branches after which no step came have arrived by then."""
        value = super().evaluated(frame, block)
        last = next(reversed(block.steps), None)
        if isinstance(last, _LATER):
            self._watch(frame, last)
        for activation in tuple(self.handed):
            self._watch_handed(activation, activation.steps[-1])
        return value

    def _tail(self, target: str) -> str:
        """Drop activations, but not what their last steps say of the value."""
        stack, waiting, gone = self._stack, target, []
        while len(stack) - len(gone) > self._bottom + 1 and waiting:
            top = stack[-1 - len(gone)]
            if not isinstance(top, Activation) or top.at < len(top.steps) or top.result != waiting:
                break
            gone.append(top)
            waiting = top.target
        assert super()._tail(target) == waiting
        if gone:
            to = next(entry for entry in reversed(stack) if isinstance(entry, Activation))
            self.handed[to].extend((entry.frame, entry.steps[-1]) for entry in gone)
        return waiting

    def _watch_handed(self, to: Activation, at: Any) -> None:
        """The value that a step got against the types of the steps that handed it on."""
        value = to.frame.values[at.name]
        for frame, step in self.handed.pop(to, ()):
            frame.values[step.name] = value
            self._watch(frame, step)

    def _watch(self, frame: Frame, step: Any) -> None:
        """The step's value against its type, and against the range that is known of its elements.  Raises Watched."""
        fitting, value = Fitting(Sizes(frame), self.data), frame.values[step.name]
        if fault := next(chain(fitting.misfits(value, step.type), fitting.beyond(value, self.ranges.get(step))), ""):
            raise Watched(f"{step.name}: {fault}")


@dataclass(frozen=True)
class Fitting:
    """How values differ from types, at some sizes and with the types that a file declares."""

    sizes: Sizes
    data: Mapping[str, Data]

    def misfits(self, value: Any, type: Any) -> Iterator[str]:
        """In words, each difference between a value and its type; `?` says nothing, but its bounds do."""
        match type:
            case TupleType(fields):
                for part, kind in zip(value, fields, strict=True):
                    yield from self.misfits(part, kind)
            case TensorType(shape, dtype, contents):
                assert isinstance(value, Tensor)
                if value.dtype is not dtype or len(value.shape) != len(shape):
                    yield f"{value.shape} {value.dtype} is not of rank {len(shape)} and {dtype}"
                else:
                    yield from (f"a size is {size}" for size in value.shape if size < 0)
                    for size, extent in zip(value.shape, shape, strict=True):
                        yield from self._extents(size, extent)
                    yield from self._elements(value, contents)
            case UnrankedType(dtype):
                if not isinstance(value, Tensor) or value.dtype is not dtype:
                    yield f"not a tensor of {dtype}"
            case DataType(name, arguments):
                yield from self._structures(value, name, arguments)
            case ReferenceType():
                if not isinstance(value.inner if isinstance(value, Proxied) else value, Cell):
                    yield "not a reference"
            case FunctionType():
                if not isinstance(value.inner if isinstance(value, Proxied) else value, Procedure):
                    yield "not a function"
            case NeverType():
                yield "a value where there is none"
            case _:
                assert isinstance(type, TypeVariable)

    def beyond(self, value: Any, known: Ranges) -> Iterator[str]:
        """In words, what is wrong with a range that was predicted of a tensor, or with those of a tuple."""
        if isinstance(known, tuple):
            for part, inside in zip(value, known, strict=True):
                yield from self.beyond(part, inside)
        if not isinstance(known, Range) or not value.size:
            return
        ends = known.least.evaluate(self.sizes), known.greatest.evaluate(self.sizes)
        found, (low, high) = (min(value.elements), max(value.elements)), integer_range(value.dtype)
        wrapped = known.wraps and not (low <= ends[0] and ends[1] <= high)
        if not wrapped and (found != ends if known.attained else found[0] < ends[0] or ends[1] < found[1]):
            yield f"elements from {found[0]} to {found[1]}, not from {known.least} to {known.greatest}: {ends}"

    def _extents(self, size: int, extent: Any) -> Iterator[str]:
        if not isinstance(extent, Hole):
            if extent.evaluate(self.sizes) != size:
                yield f"size {size} is not {extent} = {extent.evaluate(self.sizes)}"
        elif extent.bound is not None and extent.binder is not None:
            here = {v: self.sizes[v] for v in extent.bound.variables() if v is not extent.binder}
            if not extent.bound.evaluate({**here, extent.binder: size}):
                yield f"size {size} is not within {extent.bound}"

    def _elements(self, value: Tensor, contents: Any) -> Iterator[str]:
        for element, content in zip(value.elements, contents or (), strict=contents is not None):
            expected = content.evaluate(self.sizes)
            if (bool(element) if isinstance(content, Constraint) else element) != expected:
                yield f"element {element} is not {content} = {expected}"

    def _structures(self, value: Any, name: str, arguments: tuple[Any, ...]) -> Iterator[str]:
        declared = self.data[name]
        constructor = declared.constructors.get(value.constructor) if isinstance(value, Constructed) else None
        if constructor is None:
            yield f"{value} is not a {name}"
            return
        chosen = dict(zip(declared.types, arguments, strict=True))
        for part, kind in zip(value.fields, constructor.fields, strict=True):
            yield from self.misfits(part, instantiated(kind, chosen))


@lru_cache(maxsize=4)
def known_ranges(module: Module) -> Mapping[Step, Ranges]:
    """What is known of the elements of the values of the steps of a module."""
    found: dict[Step, Ranges] = {}
    for function in module.functions.values():
        ranges, types = KnownRanges(), {param.name: param.type for param in function.params}
        for step in every(function.body):
            if isinstance(step, Closure):
                types.update((param.name, param.type) for param in step.function.params)
            if isinstance(step, Match):
                bound = (bind for arm in step.arms for bind in binds(arm.pattern))
                types.update((bind.name, bind.type) for bind in bound if bind.name is not None)
            if not isinstance(step, Check | Assertion):
                types[step.name] = step.type
                ranges.step(step, types)
                found[step] = ranges.of(step.name, step.type)
    return found


def run_watched(module: Module, entry: str, arguments: Sequence[Value], trace: Trace) -> Value:
    """The value of a function, every step watched and traced.  Raises Blame, Fault, Watched, Endless."""
    function = module.functions[entry]
    top = Frame({name: Procedure(function, None) for name, function in module.functions.items()})
    frame = Frame(outer=top)
    admitted(function, arguments, frame, module.data)
    value: Any = WatchingMachine(top, module.data, trace, known_ranges(module)).evaluated(frame, function.body)
    if fault := next(Fitting(Sizes(frame), module.data).misfits(value, function.type.result), ""):
        raise Watched(f"the result of {entry}: {fault}")
    return value
