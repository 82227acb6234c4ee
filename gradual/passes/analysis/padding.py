"""Decide whether arguments may be padded: the result must have the unpadded result as its prefix.

There are three kinds of values.  A value is unchanged; or it grows along one axis and keeps its old elements as a
prefix; or it is tainted: an operator has combined elements with padding.  A tainted value that is not used does no
harm.   [pass.bucket.padding]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from gradual.core.check import Check
from gradual.core.def_use import evaluated, every, reads, variables_in, variables_of
from gradual.core.terms import (
    Apply,
    Assertion,
    Block,
    Closure,
    Constant,
    Convert,
    Function,
    If,
    Instantiate,
    Invoke,
    MakeTuple,
    Project,
    Rename,
    Size,
    Step,
    Wrap,
    WrapReference,
)
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, Constraint, at_least, at_most
from gradual.dims.term.dim import Dim, SizeOf, Variable, constant, of_atom, product
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import IllFormed, Operator
from gradual.ops.declaration.padding import Growth
from gradual.passes.analysis.may_fault import Failing, failing_of
from gradual.passes.framework.pass_ import Unusable
from gradual.record import record
from gradual.source import Span
from gradual.tensors.scalar import integer_range
from gradual.types.type import GradualType, OpenedType, TensorType, TupleType
from gradual.types.unpacking import shapes_unknown, sizes, spelled
from gradual.verdict import Proved


@record
class Tainted:
    """A value without its unpadded prefix: the reason and the source position."""

    says: str
    span: Span


Where = int | None | tuple["Where", ...]
"""The axis along which a value grows, or None; for a tuple, by field."""

State = int | None | Tainted | tuple["State", ...]
"""Like `Where`, for a value that may be tainted."""


def growth(function: Function, grows: frozenset[Variable], most: int, decider: Decider) -> Where:
    """The axes of the result that grow with the sizes `grows`, each of which is between 1 and `most`.

    Raises Unusable if the result loses its unpadded prefix.
    """
    walk = _Walk(function, grows, failing_of(function), decider)
    for variable in grows:
        walk.facts.assume(at_least(of_atom(variable), constant(1)))
        walk.facts.assume(at_most(of_atom(variable), constant(most)))
        walk.failing.within(variable, 1, most)
    for param in function.params:
        for size in sizes(param.type):
            walk.facts.assume(at_least(size, constant(0)))
        walk.param(param.name, param.type, param.span)
    walk.block(function.body)
    return walk.steady(function.body.result)


def grown_axis(type: TensorType[Dim], grows: frozenset[Variable], what: str, span: Span) -> int | None:
    """The axis of a tensor that grows.  Raises Unusable if several do."""
    found = [axis for axis, size in enumerate(type.shape) if not grows.isdisjoint(size.variables())]
    if len(found) > 1:
        raise Unusable(f"two dimensions of {what} would have to be padded", span)
    return found[0] if found else None


@record(frozen=False, eq=False)
class _Walk:
    """A forward walk over one function."""

    function: Function
    grows: frozenset[Variable]
    failing: Failing
    decider: Decider
    facts: Facts = field(default_factory=Facts)
    states: dict[str, State] = field(default_factory=dict)

    def param(self, name: str, type: OpenedType, span: Span) -> None:
        """Record the axes of a parameter whose sizes grow."""
        self.states[name] = self._grown(type, name, span)

    def _grown(self, type: OpenedType, path: str, span: Span) -> State:
        match type:
            case TensorType():
                return grown_axis(type, self.grows, f"`{spelled(path)}`", span)
            case TupleType(fields):
                return tuple(self._grown(field, f"{path}#{i}", span) for i, field in enumerate(fields))
            case _ if self._mentions(type):
                raise Unusable(f"`{spelled(path)}` is no tensor that can be padded", span)
            case _:
                return None

    def block(self, block: Block) -> None:
        """Walk the steps in order."""
        for step in block.steps:
            self._step(step)

    def steady(self, name: str) -> Where:
        """The growing axes of a value that is needed.  Raises Unusable if it is tainted."""
        return _steady(self.states.get(name))

    # ----------------------------------------------------------------------------------------------------------- steps
    def _step(self, step: Step) -> None:
        match step:
            case Check():
                self._check(step)
            case Assertion():
                self._same((step.condition,), step, "an assertion")
            case Apply():
                self.states[step.name] = self._applied(step)
            case Constant():
                self.states[step.name] = None
            case Size(name, dim, _, span):
                changes = any(map(self._changes, dim.variables()))
                if changes and not self.failing.cannot(step):
                    raise Unusable(f"`{dim}` is used in a computation, and may be too large with the padding", span)
                self.states[name] = Tainted(f"`{dim}` is used in a computation", span) if changes else None
            case Project(name, operand, index):
                whole = self.states.get(operand)
                self.states[name] = whole[index] if isinstance(whole, tuple) else whole
            case MakeTuple(name, fields):
                self.states[name] = tuple(self.states.get(part) for part in fields)
            case Rename(name, operand):
                self.states[name] = self.states.get(operand)
            case If():
                self._same((step.condition,), step, "a condition")
                self.block(step.then)
                self.block(step.orelse)
                self.states[step.name] = self._joined(step)
            case _:
                self._untouched(step)
        if not isinstance(step, Check | Assertion):
            self._agrees(step.name, step.type, step.span)

    def _check(self, step: Check) -> None:
        """Require that padding does not change the sizes on which a check depends."""
        if any(map(self._changes, step.goal.variables())):
            raise Unusable(f"check {step.id} `{step.condition}` depends on the padded size", step.span)

    def _changes(self, variable: Variable) -> bool:
        """Whether padding may change a size or an element."""
        witness = variable.witness
        state = self._held(witness.value) if witness is not None else None
        if isinstance(witness, SizeOf) and isinstance(state, int):
            return variable in self.grows or state == witness.axis
        return variable in self.grows or any(part is not None for part in _leaves(state))

    def _held(self, path: str) -> State:
        """The state of the value at a path; None, which is unchanged, for a value that is defined outside."""
        name, *parts = path.split("#")
        state = self.states.get(name)
        for part in parts:
            state = state[int(part)] if isinstance(state, tuple) else state
        return state

    def _same(self, names: Iterable[str], step: Step, what: str) -> None:
        """Require that padding does not change values that are used.  Raises Unusable."""
        for name in names:
            if any(part is not None for part in _leaves(_steady(self.states.get(name)))):
                raise Unusable(f"{what} depends on a padded value", step.span)

    def _untouched(self, step: Any) -> None:
        """Require that a step without a padding rule uses no padded value, and mentions no padded size."""
        what = f"a call of `{step.function}`" if isinstance(step, Invoke) else "a step that applies no operator"
        self._same([name for name in reads(step) if name in self.states], step, what)
        inner = every(Block((step,), step.name))
        if isinstance(step, Wrap | WrapReference | Convert | Instantiate) or any(map(self._speaks, inner)):
            raise Unusable(f"{what} depends on a padded value", step.span)
        self.states[step.name] = None

    def _speaks(self, step: Step) -> bool:
        """Whether a step itself mentions a size that grows."""
        match step:
            case Check() | Assertion():
                types: tuple[GradualType, ...] = ()
            case Invoke():
                types = (step.type, *step.types)
            case Closure():
                types = (step.type, *(param.type for param in step.function.params))
            case _:
                types = (step.type,)
        return any(map(self._mentions, types)) or any(map(self._changes, evaluated(step)))

    def _joined(self, step: If) -> State:
        """The state of an `if`: tainted unless both branches grow along the same axes."""
        then, orelse = (self.states.get(block.result) for block in (step.then, step.orelse))
        if then == orelse:
            return then
        leaves = [list(_leaves(state)) for state in (then, orelse)]
        spoiled = next((part for parts in leaves for part in parts if isinstance(part, Tainted)), None)
        both = all(any(part is not None for part in parts) for parts in leaves)
        says = "grow along different axes" if both else "differ: only one of them is padded"
        return spoiled or Tainted(f"the branches of an `if` {says}", step.span)

    def _agrees(self, name: str, type: OpenedType, span: Span) -> None:
        """Taint a value whose type does not grow along the same axes as the value."""
        state = self.states[name]
        if any(isinstance(part, Tainted) for part in _leaves(state)):
            return
        if not self._fits(state, type):
            self.states[name] = Tainted("a value depends on the padded size", span)

    def _fits(self, state: State, type: OpenedType) -> bool:
        match type:
            case TensorType(shape, _, contents):
                held = any(map(self._is_in, contents or ())) or self._is_lost(variables_of(type))
                axes = [axis for axis, size in enumerate(shape) if self._is_in(size)]
                return not held and axes == ([] if state is None else [state])
            case TupleType(fields):
                parts = state if isinstance(state, tuple) else (state,) * len(fields)
                return all(map(self._fits, parts, fields))
            case _:
                return state is None and not self._mentions(type)

    def _mentions(self, type: Any) -> bool:
        return any(map(self._changes, variables_of(type)))

    def _is_in(self, part: Dim | Constraint) -> bool:
        return not self.grows.isdisjoint(part.variables())

    def _is_lost(self, variables: Iterable[Variable]) -> bool:
        """Whether padding changes any variable that is not itself a padded size."""
        return any(variable not in self.grows and self._changes(variable) for variable in variables)

    # ------------------------------------------------------------------------------------------------------- operators
    def _applied(self, step: Apply) -> State:
        """The state of an operator's result.   [pass.bucket.extend]"""
        states = [self.states.get(operand) for operand in step.operands]
        spoiled = next((part for state in states for part in _leaves(state) if isinstance(part, Tainted)), None)
        read = frozenset(variables_in(tuple(step.attributes.values())))
        if spoiled is None and self._is_lost(read):
            spoiled = Tainted(f"`{step.operator.name}` takes a size that padding changes", step.span)
        if spoiled is not None:
            self._refuse_faults(step)
            return spoiled
        sized = not self.grows.isdisjoint(read)
        if not sized and all(part is None for state in states for part in _leaves(state)):
            return None
        why = self._refusal(step, states, sized)
        if why:
            return Tainted(f"`{step.operator.name}` {why}", step.span)
        return self._result(step.type, step)

    def _refusal(self, step: Apply, states: list[State], sized: bool) -> str:
        """Why padding would change an operator's result; empty if it does not.  Raises Unusable."""
        self._refuse_faults(step)
        operator, types = step.operator.form(step.operands), [self.failing.types[operand] for operand in step.operands]
        padding = operator.padding
        if sized and not (padding is not None and padding.sized):
            return "takes the padded size as an attribute"
        if padding is None:
            return "is not declared padding-safe"
        free = padding.axes(Growth(types, step.attributes, self.grows, partial(_result_type, operator, types, step)))
        for index, (state, axes) in enumerate(zip(states, tuple(free), strict=True)):
            wrong = next((axis for axis in _leaves(state) if isinstance(axis, int) and axis not in axes), None)
            if wrong is not None:
                return f"combines elements along dimension {wrong} of argument {index + 1}, which would be padded"
        try:
            needs = step.operator.judge(*types, **step.attributes).needs
        except IllFormed as refused:
            return refused.message
        goal = next((need.goal for need in needs if self._is_in(need.goal) and not self._always(need.goal)), None)
        if goal is not None:
            return f"needs `{goal}`, which may hold for one size and not for another"
        return "gives a value of which two dimensions would be padded" if self._is_double(step.type) else ""

    def _refuse_faults(self, step: Apply) -> None:
        """Raise Unusable if padding would change whether an operator fails, even if its value is not used."""
        operator, types = step.operator.form(step.operands), [self.failing.types[operand] for operand in step.operands]
        unknown = _unknown(step, types)
        if unknown:
            raise Unusable(f"`{operator.name}` {unknown}, and may fail on the padding", step.span)
        padding = operator.padding
        safe = self.failing.cannot(step) or (padding is not None and padding.safe(types))
        if not (safe or self._fits_padded(step, types)):
            raise Unusable(f"`{operator.name}` may fail on the padding", step.span)

    def _fits_padded(self, step: Apply, types: Sequence[Any]) -> bool:
        """Whether a step returns sizes, and the padded ones are in the range of its dtype."""
        if not step.operator.faults.is_of_sizes or not isinstance(step.type, TensorType):
            return False
        shape, high = types[0].shape, constant(integer_range(step.type.dtype)[1])
        numbers = (product(shape),) if step.operator.faults is Faults.LARGE_COUNT else shape
        return all(self._always(at_most(number, high)) for number in numbers if self._is_in(number))

    def _always(self, goal: Constraint) -> bool:
        """Whether a goal holds for every padded size."""
        return goal is TRUE or isinstance(self.decider.decide(self.facts, goal), Proved)

    def _is_double(self, type: OpenedType) -> bool:
        match type:
            case TensorType(shape):
                return sum(map(self._is_in, shape)) > 1
            case TupleType(fields):
                return any(map(self._is_double, fields))
            case _:
                return False

    def _result(self, type: OpenedType, step: Apply) -> State:
        """The axes of a result whose sizes grow."""
        match type:
            case TensorType(shape):
                return next((axis for axis, size in enumerate(shape) if self._is_in(size)), None)
            case TupleType(fields):
                return tuple(self._result(field, step) for field in fields)
            case _:
                return Tainted(f"`{step.operator.name}` gives a value of unknown sizes", step.span)


def _unknown(step: Apply, types: Sequence[OpenedType]) -> str:
    """Why an operator is decided at run time only; empty if it is not.   [op.dynamic]"""
    if any(True for type in types for _ in shapes_unknown(type)):
        return "is applied to a value of unknown rank"
    if step.accepts is None:
        return ""
    if any(True for _ in shapes_unknown(step.type)):
        return "gives a value of unknown rank"
    return "takes an argument of unknown length"


def _result_type(operator: Operator, types: Sequence[Any], step: Apply) -> Any:
    return operator.judge(*types, **step.attributes).result


def _steady(state: State) -> Where:
    """The state without taint.  Raises Unusable if it is tainted."""
    match state:
        case Tainted(says, span):
            raise Unusable(f"padding would change the value: {says}", span)
        case tuple():
            return tuple(map(_steady, state))
        case _:
            return state


def _leaves(state: Any) -> Iterator[Any]:
    if isinstance(state, tuple):
        for part in state:
            yield from _leaves(part)
    else:
        yield state
