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
    If,
    Invoke,
    MakeTuple,
    Module,
    Project,
    Rename,
    Site,
    Size,
    Step,
)
from gradual.dims.constraint import FALSE, TRUE
from gradual.dims.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.ops.operator import Judgement
from gradual.run.checking import failed, holds, measure
from gradual.run.entry import admitted
from gradual.run.sizes import Sizes, concrete, held, plain
from gradual.run.value import Frame, Held, Procedure, fault
from gradual.source import Span
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor, scalar
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from gradual.types.opening import tracked_length
from gradual.types.type import Hole, TensorType, TupleType


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
    admitted(function, arguments, frame)
    value = Machine(top).evaluated(frame, function.body)
    return _returned(value, function.span)


def _returned(value: Held, span: Span) -> Value:
    if isinstance(value, Procedure):
        raise fault("E0608", "run.fault", "a function cannot be shown as a value", span)
    return value if isinstance(value, Tensor) else tuple(_returned(part, span) for part in value)


class Machine:
    """One run.

    Attributes:
        top: the functions of the file.
    """

    def __init__(self, top: Frame) -> None:
        self.top = top
        self._stack: list[Activation] = []

    def evaluated(self, frame: Frame, block: Block) -> Held:
        """The value of a block, without recursion.  [run.call]"""
        stack = self._stack
        bottom = len(stack)
        self._enter(frame, block, "")
        while True:
            activation = stack[-1]
            if activation.at < len(activation.steps):
                step = activation.steps[activation.at]
                activation.at += 1
                self._step(activation, step)
                continue
            stack.pop()
            value = held(activation.frame, activation.result)
            if len(stack) == bottom:
                return value
            stack[-1].frame.values[activation.target] = value

    def _enter(self, frame: Frame, block: Block, target: str) -> None:
        stack = self._stack
        while stack and target and stack[-1].at == len(stack[-1].steps) and stack[-1].result == target:
            if len(stack) == 1:
                break
            target = stack.pop().target
        if len(stack) >= LIMITS.calls:
            raise fault("E0607", "run.call", f"calls nest deeper than {LIMITS.calls}", NO_SPAN)
        stack.append(Activation(frame, block.steps, 0, block.result, target))

    def _step(self, activation: Activation, step: Step) -> None:
        """One step; a branch and a call enter a block of their own.  [run.if] [run.closure]"""
        frame = activation.frame
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
            case Rename():
                frame.values[step.name] = held(frame, step.operand)
            case Size():
                frame.values[step.name] = _size(step, frame)
            case Closure():
                frame.values[step.name] = Procedure(step.function, frame)
            case Assertion():
                _asserted(step, frame)
            case If():
                condition = held(frame, step.condition)
                assert isinstance(condition, Tensor), step.condition
                self._enter(frame, step.then if condition.elements[0] else step.orelse, step.name)
            case Invoke():
                self._invoked(step, frame)

    def _invoked(self, step: Invoke, frame: Frame) -> None:
        """Enter a function: its arguments fit, since the caller checked; its sizes are measured again.  [run.call]"""
        callee = held(frame, step.function)
        assert isinstance(callee, Procedure), step.function
        inner = Frame(outer=callee.frame or self.top)
        for param, operand in zip(callee.function.params, step.operands, strict=True):
            inner.values[param.name] = held(frame, operand)
        measure(callee.function, inner)
        self._enter(inner, callee.function.body, step.name)


NO_SPAN = Span(0, 0)


# -------------------------------------------------------------------------------------------------------- operators
def _applied(step: Apply, frame: Frame) -> Held:
    """The shape function, the check that its needs hold, the meaning, and that both agree.  [run.operator]"""
    sizes = Sizes(frame)
    values = [held(frame, operand) for operand in step.operands]
    attributes = {name: concrete(value, sizes) for name, value in step.attributes.items()}
    types = [_constant_type(value) for value in values]
    judgement: Judgement = step.operator.judge(*types, **attributes)
    unmet = [need for need in judgement.needs if need.goal is not TRUE]
    assert not unmet, (step.operator.name, [str(need.goal) for need in unmet])
    _affordable(judgement.result, step)
    try:
        result: Held = step.operator.meaning(*values, **{name: plain(value) for name, value in attributes.items()})
    except TensorFault as wrong:
        raise fault(wrong.code, "run.fault", f"`{step.operator.name}`: {wrong.message}", step.span) from None
    _agrees(result, judgement.result, step)
    frame.values[step.name] = result
    _predicted(result, step.type, sizes, step)
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


def _predicted(value: Held, type: Any, sizes: Sizes, step: Apply) -> None:
    """The shape is the one that the checker predicted."""
    if isinstance(value, tuple):
        for part, field in zip(value, type.fields, strict=True):
            _predicted(part, field, sizes, step)
        return
    assert isinstance(value, Tensor), step.name
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
