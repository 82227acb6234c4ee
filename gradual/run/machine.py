"""The machine: runs core in a loop, with an explicit stack of activations.

Before an operator runs, its judgement on constant dims gives the size of the output (the shape function), then its
meaning computes the output; its shape is asserted to be the judged one, and the one that the checker predicted.
A call in tail position replaces its caller's activation, so a loop runs in constant space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradual.core import terms
from gradual.core.check import Check, Site
from gradual.limits import LIMITS
from gradual.record import record
from gradual.run.entry.cast import admitted
from gradual.run.entry.from_python import received
from gradual.run.sizes import Sizes, held
from gradual.run.steps.checks import failed, holds, measure, unasserted
from gradual.run.steps.data import convert, fits, nothing_fits, shown_outside
from gradual.run.steps.operators import applied
from gradual.run.steps.proxies import entered, handed_on, returning, wrapped, wrapped_reference
from gradual.run.value import Cell, Fault, Frame, Held, Part, Procedure, Proxied, fault
from gradual.source import Span
from gradual.tensors.arrays.numpy_library import ieee_arithmetic
from gradual.tensors.tensor import Tensor, scalar
from gradual.tensors.value import Constructed, Value
from gradual.types.dtype import DType

Watch = Callable[[terms.Step, Frame], None]


@record(frozen=False, eq=False)
class Returning:
    """The layers that the result of a call through a proxy passes before it is assigned to the caller's variable."""

    parts: tuple[Part, ...]
    target: str


@record(frozen=False, eq=False)
class Activation:
    """A block being run: the next step, and the variable of the caller to which the result is assigned."""

    frame: Frame
    steps: tuple[terms.Step, ...]
    at: int
    result: str
    target: str


def run(
    module: terms.Module, entry: str, given: Sequence[Any], watch: Watch | None = None, fast: bool = False
) -> Value:
    """Run a function on arguments from outside.  Raises Blame, Fault; KeyError for an unknown function.

    ValueError for an argument that is no value.
    `watch` is called after every operator and size step; `fast` computes with NumPy.  [run.entry] [run.call]
    """
    function = module.functions[entry]
    top = Frame({name: Procedure(function, None) for name, function in module.functions.items()})
    frame = Frame(outer=top)
    admitted(function, received(function, given), frame, module.data)
    with ieee_arithmetic(fast):
        value = Machine(top, watch, fast).evaluated(frame, function.body)
    return shown_outside(value, function.span)


class Machine:
    """One run.

    Attributes:
        top: the declared functions.
        watch: called after every operator and size step.
        fast: whether operators compute with NumPy.
    """

    def __init__(self, top: Frame, watch: Watch | None = None, fast: bool = False) -> None:
        self.top = top
        self.watch = watch
        self.fast = fast
        self._stack: list[Activation | Returning] = []
        self._bottom = 0

    def evaluated(self, frame: Frame, block: terms.Block) -> Held:
        """Evaluate a block, without recursion.  [run.call]"""
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

    def _enter(self, frame: Frame, block: terms.Block, target: str) -> None:
        self._push(Activation(frame, block.steps, 0, block.result, self._tail(target)))

    def _tail(self, target: str) -> str:
        """Drop activations that would only return the value of `target`; return the variable that gets it instead."""
        stack = self._stack
        while len(stack) > self._bottom + 1 and target and isinstance(top := stack[-1], Activation):
            if top.at < len(top.steps) or top.result != target:
                break
            target = top.target
            stack.pop()
        return target

    def _push(self, entry: Activation | Returning) -> None:
        if len(self._stack) >= LIMITS.calls:
            top = self._stack[-1]
            span = top.steps[top.at - 1].span if isinstance(top, Activation) and top.at else NO_SPAN
            raise fault("E0607", "run.call", f"calls nest deeper than {LIMITS.calls}", span)
        self._stack.append(entry)

    def _step(self, activation: Activation, step: terms.Step) -> None:
        """Run a step; a branch and a call enter a block of their own.  [run.if] [run.closure] [run.absent]"""
        frame = activation.frame
        match step:
            case terms.If():
                condition = held(frame, step.condition)
                assert isinstance(condition, Tensor), step.condition
                self._enter(frame, step.then if condition.elements[0] else step.orelse, step.name)
            case terms.Invoke():
                self._invoked(step, frame)
            case terms.Match():
                self._matched(step, frame)
            case _:
                self._simple(step, frame)

    def _matched(self, step: terms.Match, frame: Frame) -> None:
        """Enter the first arm whose pattern fits.  [run.match]"""
        value = held(frame, step.scrutinee)
        arm = next((arm for arm in step.arms if fits(arm.pattern, value, frame)), None)
        if arm is None:
            raise nothing_fits(step, value)
        self._enter(frame, arm.block, step.name)

    def _simple(self, step: terms.Step, frame: Frame) -> None:
        """Run a step that enters no block."""
        match step:
            case terms.Apply():
                frame.values[step.name] = applied(step, frame, self.fast)
                if self.watch is not None:
                    self.watch(step, frame)
            case terms.Constant():
                frame.values[step.name] = step.value
            case Check():
                checked(step, frame)
            case terms.Project():
                frame.values[step.name] = held(frame, step.operand)[step.index]  # type: ignore[index]
            case terms.MakeTuple():
                frame.values[step.name] = tuple(held(frame, field) for field in step.fields)
            case terms.Stop():
                raise stopped(step)
            case terms.Rename() | terms.Instantiate():
                frame.values[step.name] = held(frame, step.operand)
            case terms.Size():
                frame.values[step.name] = sized(step, frame)
                if self.watch is not None:
                    self.watch(step, frame)
            case terms.Closure():
                frame.values[step.name] = Procedure(step.function, frame)
            case terms.Construct():
                fields = tuple(held(frame, field) for field in step.fields)
                frame.values[step.name] = Constructed(step.constructor, fields)
            case terms.Convert():
                convert(step, frame, self._simple)
            case terms.Wrap():
                frame.values[step.name] = wrapped(held(frame, step.operand), step, frame)
            case terms.MakeReference():
                frame.values[step.name] = Cell(held(frame, step.operand))
            case terms.ReadReference():
                frame.values[step.name] = self._read(held(frame, step.reference))
            case terms.WriteReference():
                frame.values[step.name] = self._written(held(frame, step.reference), held(frame, step.operand))
            case terms.WrapReference():
                frame.values[step.name] = wrapped_reference(held(frame, step.operand), step, frame)
            case terms.Assertion():
                asserted(step, held(frame, step.condition))

    def _invoked(self, step: terms.Invoke, frame: Frame) -> None:
        """Enter a function: the caller has checked the arguments; read the dims from them again.  [run.call]"""
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
        """Push the layers for the result; in tail position, compose them with the layers on top of the stack.

        The result is then assigned by these layers, not by the call.  [run.proxy.tail]
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
        """Pass arguments through the layers from the outside in.  [run.proxy]"""
        for part in proxied.before:
            frame = entered(part, arguments)
            for step in part.steps:
                self._simple(step, frame)
            arguments = [held(frame, name) for name in handed_on(part.layer)]
        return arguments

    def _returned(self, parts: Sequence[Part], value: Held) -> Held:
        """Pass a result through the layers from the inside out.  [run.proxy]"""
        for part in parts:
            frame = Frame({part.layer.call.name: value}, dict(part.sizes))
            for step in part.steps:
                self._simple(step, frame)
            value = held(frame, part.layer.result)
        return value

    def _read(self, reference: Held) -> Held:
        """Read a reference through the layers around it.  [run.reference]"""
        if isinstance(reference, Proxied):
            assert isinstance(reference.inner, Cell)
            return self._returned(returning(reference, ()), reference.inner.value)
        assert isinstance(reference, Cell), reference
        return reference.value

    def _written(self, reference: Held, value: Held) -> tuple[Held, ...]:
        """Write a value to a reference through the layers around it; return the empty tuple.  [run.reference]"""
        if isinstance(reference, Proxied):
            (value,) = self._through(reference, [value])
            reference = reference.inner
        assert isinstance(reference, Cell), reference
        reference.value = value
        return ()


NO_SPAN = Span(0, 0)


def stopped(step: terms.Stop) -> Fault:
    """The fault of a `Stop` step.  [run.absent]"""
    return fault("E0610", "run.absent", step.says, step.span)


# ------------------------------------------------------------------------------------------- sizes and checks
def sized(step: terms.Size, frame: Frame) -> Tensor:
    """A size as a value."""
    size = step.dim.evaluate(Sizes(frame))
    if not -1 << 63 <= size < 1 << 63:
        raise fault("E0605", "run.overflow", f"{size} does not fit int64", step.span)
    return scalar(size, DType.INT64)


def checked(step: Check, frame: Frame) -> None:
    """Halt with blame unless the goal holds at this run's sizes.  [run.check] [run.check.blame]"""
    sizes = Sizes(frame)
    if holds(step.goal, sizes):
        return
    if step.blame.site is Site.ASSERT:
        raise unasserted(step, sizes)
    raise failed(step, sizes, "E0601", f"residual check {step.id} failed")


def asserted(step: terms.Assertion, condition: Held) -> None:
    """Raise Fault unless a user's assertion on data holds.  [run.assert]"""
    assert isinstance(condition, Tensor), step.condition
    if not condition.elements[0]:
        raise fault("E0606", "run.assert", f"assertion failed: {step.message}", step.span)
