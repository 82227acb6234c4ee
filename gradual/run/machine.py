"""The machine: runs core in a loop, with an explicit stack of activations.

Before an operator runs, its judgement on constant dims gives the size of the output (the shape function), then its
meaning fills it; that the filled shape is the judged one, and the one that the checker predicted, is asserted at
every step.  A call in tail position replaces its caller's activation, so a loop runs in constant space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradual.core.terms import (
    Apply,
    Assertion,
    Block,
    Check,
    Closure,
    Constant,
    Construct,
    Convert,
    If,
    Instantiate,
    Invoke,
    MakeReference,
    MakeTuple,
    Match,
    Module,
    Project,
    ReadReference,
    Rename,
    Site,
    Size,
    Step,
    Stop,
    Wrap,
    WrapReference,
    WriteReference,
)
from gradual.dims.constraint import FALSE, TRUE
from gradual.dims.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.run.asking import accepted
from gradual.run.checking import failed, holds, measure
from gradual.run.data import convert, fits, nothing_fits, shown_outside
from gradual.run.entry import admitted
from gradual.run.proxies import entered, handed_on, returning, wrapped, wrapped_reference
from gradual.run.sizes import Sizes, concrete, held, plain
from gradual.run.value import Cell, Frame, Held, Part, Procedure, Proxied, fault
from gradual.source import Span
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor, scalar
from gradual.tensors.value import Constructed, Value
from gradual.types.dtype import DType
from gradual.types.opening import tracked_length
from gradual.types.type import Hole, TensorType, TupleType, UnrankedType


@dataclass(slots=True, eq=False)
class Returning:
    """What the result of a call through a proxy meets before the caller's variable gets it."""

    parts: tuple[Part, ...]
    target: str


@dataclass(slots=True, eq=False)
class Activation:
    """A block under way: the next step, and the variable of the caller that waits for its value."""

    frame: Frame
    steps: tuple[Step, ...]
    at: int
    result: str
    target: str


def run(module: Module, entry: str, arguments: Sequence[Value]) -> Value:
    """The value of a function on arguments from outside.  Raises Blame, Fault; KeyError for an unknown function.

    [run.entry] [run.call]
    """
    function = module.functions[entry]
    top = Frame({name: Procedure(function, None) for name, function in module.functions.items()})
    frame = Frame(outer=top)
    admitted(function, arguments, frame, module.data)
    value = Machine(top).evaluated(frame, function.body)
    return shown_outside(value, function.span)


class Machine:
    """One run.

    Attributes:
        top: the functions of the file.
    """

    def __init__(self, top: Frame) -> None:
        self.top = top
        self._stack: list[Activation | Returning] = []
        self._bottom = 0

    def evaluated(self, frame: Frame, block: Block) -> Held:
        """The value of a block, without recursion.  [run.call]"""
        stack, outer = self._stack, self._bottom
        bottom = self._bottom = len(stack)
        self._enter(frame, block, "")
        while True:
            activation = stack[-1]
            assert isinstance(activation, Activation)
            if activation.at < len(activation.steps):
                step = activation.steps[activation.at]
                activation.at += 1
                self._step(activation, step)
                continue
            stack.pop()
            value, target = held(activation.frame, activation.result), activation.target
            while len(stack) > bottom and isinstance(waiting := stack[-1], Returning):
                stack.pop()
                value, target = self._returned(waiting.parts, value), waiting.target
            if len(stack) == bottom:
                self._bottom = outer
                return value
            caller = stack[-1]
            assert isinstance(caller, Activation)
            caller.frame.values[target] = value

    def _enter(self, frame: Frame, block: Block, target: str) -> None:
        self._push(Activation(frame, block.steps, 0, block.result, self._tail(target)))

    def _tail(self, target: str) -> str:
        """Drop the activations that would only hand on the value of `target`, and answer with whose value it is."""
        stack = self._stack
        while len(stack) > self._bottom + 1 and target and isinstance(top := stack[-1], Activation):
            if top.at < len(top.steps) or top.result != target:
                break
            target = top.target
            stack.pop()
        return target

    def _push(self, entry: Activation | Returning) -> None:
        if len(self._stack) >= LIMITS.calls:
            raise fault("E0607", "run.call", f"calls nest deeper than {LIMITS.calls}", NO_SPAN)
        self._stack.append(entry)

    def _step(self, activation: Activation, step: Step) -> None:
        """One step; a branch and a call enter a block of their own.  [run.if] [run.closure] [run.absent]"""
        frame = activation.frame
        match step:
            case If():
                condition = held(frame, step.condition)
                assert isinstance(condition, Tensor), step.condition
                self._enter(frame, step.then if condition.elements[0] else step.orelse, step.name)
            case Invoke():
                self._invoked(step, frame)
            case Match():
                self._matched(step, frame)
            case _:
                self._simple(step, frame)

    def _matched(self, step: Match, frame: Frame) -> None:
        """Enter the first arm whose pattern fits.  [run.match]"""
        value = held(frame, step.scrutinee)
        arm = next((arm for arm in step.arms if fits(arm.pattern, value, frame)), None)
        if arm is None:
            raise nothing_fits(step, value)
        self._enter(frame, arm.block, step.name)

    def _simple(self, step: Step, frame: Frame) -> None:
        """A step that enters no block."""
        match step:
            case Apply():
                frame.values[step.name] = _applied(step, frame)
            case Constant():
                frame.values[step.name] = step.value
            case Check():
                _checked(step, frame)
            case Project():
                frame.values[step.name] = held(frame, step.operand)[step.index]  # type: ignore[index]
            case MakeTuple():
                frame.values[step.name] = tuple(held(frame, field) for field in step.fields)
            case Stop():
                raise fault("E0610", "run.absent", step.says, step.span)
            case Rename() | Instantiate():
                frame.values[step.name] = held(frame, step.operand)
            case Size():
                frame.values[step.name] = _size(step, frame)
            case Closure():
                frame.values[step.name] = Procedure(step.function, frame)
            case Construct():
                fields = tuple(held(frame, field) for field in step.fields)
                frame.values[step.name] = Constructed(step.constructor, fields)
            case Convert():
                convert(step, frame, self._simple)
            case Wrap():
                frame.values[step.name] = wrapped(held(frame, step.operand), step, frame)
            case MakeReference():
                frame.values[step.name] = Cell(held(frame, step.operand))
            case ReadReference():
                frame.values[step.name] = self._read(held(frame, step.reference))
            case WriteReference():
                frame.values[step.name] = self._written(held(frame, step.reference), held(frame, step.operand))
            case WrapReference():
                frame.values[step.name] = wrapped_reference(held(frame, step.operand), step, frame)
            case Assertion():
                _asserted(step, frame)

    def _invoked(self, step: Invoke, frame: Frame) -> None:
        """Enter a function: its arguments fit, since the caller checked; its sizes are measured again.  [run.call]"""
        callee = held(frame, step.function)
        arguments: Sequence[Held] = [held(frame, operand) for operand in step.operands]
        target = step.name
        if isinstance(callee, Proxied):
            target = self._await(callee, arguments, target)
            arguments, callee = self._through(callee, arguments), callee.inner
        assert isinstance(callee, Procedure), step.function
        inner = Frame(outer=callee.frame or self.top)
        for param, argument in zip(callee.function.params, arguments, strict=True):
            inner.values[param.name] = argument
        measure(callee.function, inner)
        self._enter(inner, callee.function.body, target)

    def _await(self, proxied: Proxied, arguments: Sequence[Held], target: str) -> str:
        """Leave what the result has to meet on the stack, composed with what waits there in tail position.

        The result of the call is then handed to no variable.  [run.proxy.tail]
        """
        target = self._tail(target)
        top = self._stack[-1]
        if isinstance(top, Returning):
            top.parts = returning(proxied, arguments, top.parts)
        elif parts := returning(proxied, arguments):
            self._push(Returning(parts, target))
        else:
            return target
        return ""

    def _through(self, proxied: Proxied, arguments: Sequence[Held]) -> Sequence[Held]:
        """What the context passes, after the layers from the outside in.  [run.proxy]"""
        for part in proxied.before:
            frame = entered(part, arguments)
            for step in part.steps:
                self._simple(step, frame)
            arguments = [held(frame, name) for name in handed_on(part.layer)]
        return arguments

    def _returned(self, parts: Sequence[Part], value: Held) -> Held:
        """What came back, after the layers from the inside out.  [run.proxy]"""
        for part in parts:
            frame = Frame({part.layer.call.name: value}, dict(part.sizes))
            for step in part.steps:
                self._simple(step, frame)
            value = held(frame, part.layer.result)
        return value

    def _read(self, reference: Held) -> Held:
        """What a reference holds, after the layers around it.  [run.reference]"""
        if isinstance(reference, Proxied):
            assert isinstance(reference.inner, Cell)
            return self._returned(returning(reference, ()), reference.inner.value)
        assert isinstance(reference, Cell), reference
        return reference.value

    def _written(self, reference: Held, value: Held) -> tuple[Held, ...]:
        """The empty tuple, after the reference holds the value.  [run.reference]"""
        if isinstance(reference, Proxied):
            (value,) = self._through(reference, [value])
            reference = reference.inner
        assert isinstance(reference, Cell), reference
        reference.value = value
        return ()


NO_SPAN = Span(0, 0)


# -------------------------------------------------------------------------------------------------------- operators
def _applied(step: Apply, frame: Frame) -> Held:
    """The shape function, the check that its needs hold, the meaning, and that both agree.  [run.operator]"""
    sizes = Sizes(frame)
    values = [held(frame, operand) for operand in step.operands]
    attributes = {name: concrete(value, sizes) for name, value in step.attributes.items()}
    types = [_constant_type(value) for value in values]
    if step.accepts is not None:
        judgement, attributes = accepted(step, values, types, attributes)
    else:
        judgement = step.operator.judge(*types, **attributes)
    unmet = [need for need in judgement.needs if need.goal is not TRUE]
    assert not unmet, (step.operator.name, [str(need.goal) for need in unmet])
    _affordable(judgement.result, step)
    try:
        result: Held = step.operator.meaning(*values, **{name: plain(value) for name, value in attributes.items()})
    except TensorFault as wrong:
        raise fault(wrong.code, "run.fault", f"`{step.operator.name}`: {wrong.message}", step.span) from None
    _agrees(result, judgement.result, step)
    frame.values[step.name] = result
    _predicted(result, step.type, sizes, step, step.name)
    _exact(result, types, attributes, step)
    return result


def _constant_type(value: Held) -> Any:
    """The value's type with constant dims and, where they are tracked, constant contents."""
    if isinstance(value, tuple):
        return TupleType(tuple(map(_constant_type, value)))
    assert isinstance(value, Tensor), value
    type: TensorType[Dim] = TensorType(tuple(map(constant, value.shape)), value.dtype)
    if tracked_length(type, LIMITS.contents) is None:
        return type
    if value.dtype is DType.BOOL:
        return TensorType(type.shape, type.dtype, tuple(TRUE if element else FALSE for element in value.elements))
    return TensorType(type.shape, type.dtype, tuple(constant(int(element)) for element in value.elements))


def _affordable(result: Any, step: Apply) -> None:
    """Refuse to allocate what no machine here could hold."""
    if isinstance(result, TupleType):
        for field in result.fields:
            _affordable(field, step)
        return
    count = 1
    for extent in result.shape:
        size = extent.high if isinstance(extent, Hole) else extent
        count *= (size.value or 0) if size is not None else 1
    if count > LIMITS.elements:
        message = f"`{step.operator.name}` would make a tensor of {count} elements"
        raise fault("E0607", "run.operator", message, step.span)


def _agrees(value: Held, judged: Any, step: Apply) -> None:
    """The filled shape is the judged one, and a size that depends on data is within its bounds."""
    if isinstance(value, tuple):
        for part, field in zip(value, judged.fields, strict=True):
            _agrees(part, field, step)
        return
    assert isinstance(value, Tensor) and len(value.shape) == len(judged.shape), (step.operator.name, judged)
    for size, extent in zip(value.shape, judged.shape, strict=True):
        if isinstance(extent, Hole):
            low, high = extent.low and extent.low.value, extent.high and extent.high.value
            agrees = (low is None or low <= size) and (high is None or size <= high)
        else:
            agrees = extent.value == size
        assert agrees, (step.operator.name, value.shape, judged)


def _predicted(value: Held, type: Any, sizes: Sizes, step: Apply, path: str) -> None:
    """The shape is the one that the checker predicted; of unknown rank, that of its origin."""
    if isinstance(value, tuple):
        for index, (part, field) in enumerate(zip(value, type.fields, strict=True)):
            _predicted(part, field, sizes, step, f"{path}#{index}")
        return
    assert isinstance(value, Tensor), step.name
    if isinstance(type, UnrankedType):
        expected = value.shape if type.origin == path else sizes.shape(type.origin)
    else:
        expected = tuple(dim.evaluate(sizes) for dim in type.shape)
    assert expected == value.shape, (step.operator.name, step.name, expected, value.shape)


def _exact(value: Held, types: Sequence[Any], attributes: Mapping[str, Any], step: Apply) -> None:
    """Shape arithmetic does not wrap: the elements are what the integers say.  [run.overflow]

    A contents rule says nothing of a number that its element type cannot hold.
    """
    rule = step.operator.contents
    if rule is None or not isinstance(step.type, TensorType) or step.type.contents is None:
        return
    assert isinstance(value, Tensor), step.name
    if not value.dtype.counts:
        return
    expected = rule(*types, **attributes)
    if expected is None or any(
        content.value != element for content, element in zip(expected, value.elements, strict=True)
    ):
        message = f"`{step.operator.name}`: the result does not fit {value.dtype} in shape arithmetic"
        raise fault("E0605", "run.overflow", message, step.span)


def _size(step: Size, frame: Frame) -> Tensor:
    size = step.dim.evaluate(Sizes(frame))
    if size >= 1 << 63:
        raise fault("E0605", "run.overflow", f"{size} does not fit int64", step.span)
    return scalar(size, DType.INT64)


# ----------------------------------------------------------------------------------------------------------- checks
def _checked(step: Check, frame: Frame) -> None:
    """Halt with blame unless the goal holds at this run's sizes.  [run.check] [run.check.blame]"""
    sizes = Sizes(frame)
    if holds(step.goal, sizes):
        return
    if step.blame.site is Site.ASSERT:
        raise fault("E0606", "run.assert", f"assertion failed: {step.blame.says}", step.span)
    raise failed(step, sizes, "E0601", f"residual check {step.id} failed")


def _asserted(step: Assertion, frame: Frame) -> None:
    """A user's assertion on data.  [run.assert]"""
    condition = held(frame, step.condition)
    assert isinstance(condition, Tensor), step.condition
    if not condition.elements[0]:
        raise fault("E0606", "run.assert", f"assertion failed: {step.message}", step.span)
