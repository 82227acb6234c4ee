"""The graph runtime: a static function as a flat list of steps over one arena.   [graph.run]

All sizes, attributes and offsets are computed when the graph is built.  A run applies no typing rules, computes no
sizes and allocates no buffers: the operands of an operator are copied out of the arena, its meaning computes the
result in temporary memory, and the result is copied into its slot.  The copies of the operands and the temporary
result are dropped before the next step.
Arguments and constants are not copied into the arena.   [graph.arena]
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from gradual.core import terms
from gradual.core.check import Check
from gradual.dims.term.dim import Dim, product
from gradual.limits import LIMITS
from gradual.record import record
from gradual.run.entry.cast import admitted
from gradual.run.entry.from_python import received
from gradual.run.graph.plan import Plan, bytes_of, tensors
from gradual.run.machine import asserted, checked, sized, stopped
from gradual.run.sizes import plain
from gradual.run.steps.operators import affordable, computed, constant_type, exact
from gradual.run.value import Fault, Frame, Held
from gradual.tensors.arrays.numpy_library import ieee_arithmetic
from gradual.tensors.scalar import TYPECODES, integer_range
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.tensors.value import Value
from gradual.types.declared import Data
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType


@record(eq=False)
class Place:
    """A tensor in the arena.

    Attributes:
        elements: its range of the arena, as elements; raw: the same range as bytes.
    """

    shape: tuple[int, ...]
    dtype: DType
    elements: memoryview
    raw: memoryview

    def get(self) -> Tensor:
        """A copy of the tensor."""
        elements = array(TYPECODES[self.dtype])
        elements.frombytes(self.raw)
        return tensor_of(self.shape, self.dtype, elements)

    def put(self, value: Tensor) -> None:
        """Overwrite the tensor."""
        self.elements[:] = value.elements


@record(eq=False)
class Input:
    """An argument, or a part of an argument."""

    index: int
    path: tuple[int, ...] = ()


@record(eq=False)
class Elsewhere:
    """A function value: no step of a static function reads it."""


Where: TypeAlias = Place | Tensor | Input | Elsewhere | tuple["Where", ...]
"""Where a value is stored; a constant is its own location."""


@record(eq=False)
class Compute:
    """Apply an operator's meaning to stored operands, and store the results.

    Attributes:
        guarded: whether the elements are used in shape arithmetic and could wrap, so that they must be checked.
    """

    step: terms.Apply
    operands: tuple[Where, ...]
    attributes: Mapping[str, Any]
    into: Where
    guarded: bool


@record(eq=False)
class Assert:
    """An assertion on an element."""

    step: terms.Assertion
    condition: Where


@record(eq=False)
class Fail:
    """A step that always fails: a false check, an operator without a meaning, a tensor that is too large."""

    step: terms.Step


Action = Compute | Assert | Fail


@record(frozen=False, eq=False, repr=False)
class Graph:
    """A static function with its memory; it may run any number of times, one run at a time.

    Attributes:
        declared: the function as declared, for its entry checks.
        function: the static function.
        plan: the memory plan.
        held: the size of the arena in bytes.
    """

    declared: terms.Function
    function: terms.Function
    plan: Plan
    data: Mapping[str, Data]
    held: int = 0
    _steps: list[Action] = field(default_factory=list)
    _where: dict[str, Where] = field(default_factory=dict)
    _inputs: Sequence[Value] = ()
    _fast: bool = False
    _arena: memoryview = field(default_factory=lambda: memoryview(b""))

    def __post_init__(self) -> None:
        self.held = number(self.plan.arena)
        self._arena = memoryview(bytearray(self.held))
        self._where.update((param.name, Input(index)) for index, param in enumerate(self.function.params))
        for step in self.function.body.steps:
            self._steps += self._prepared(step)

    def __repr__(self) -> str:
        return f"<Graph of {self.plan}, {self.held} bytes>"

    # ------------------------------------------------------------------------------------------------------- running
    def run(self, *given: Any, fast: bool = False) -> Value:
        """Run the function, with NumPy if `fast`.  Raises Blame, Fault; ValueError for an argument that is no value.

        [graph.run]
        """
        arguments = received(self.declared, given)
        admitted(self.declared, arguments, Frame(), self.data)
        self._inputs, self._fast = arguments, fast
        try:
            with ieee_arithmetic(fast):
                for action in self._steps:
                    self._act(action)
            return self._value(self._where[self.function.body.result])
        finally:
            self._inputs = ()

    def _act(self, action: Action) -> None:
        match action:
            case Compute(step, operands, attributes, into, guarded):
                values = [self._read(where) for where in operands]
                result = computed(step, values, attributes, self._fast)
                if guarded:
                    exact(result, [constant_type(value) for value in values], step.attributes, step)
                self._write(into, result)
            case Assert(step, condition):
                asserted(step, self._read(condition))
            case Fail(step):
                self._fail(step)

    def _fail(self, step: terms.Step) -> None:
        """Stop as the machine does.  [graph.fault]"""
        match step:
            case terms.Stop():
                raise stopped(step)
            case terms.Apply():
                affordable(step.type, step)
            case terms.Size():
                sized(step, Frame())
            case Check():
                checked(step, Frame())
        raise AssertionError(f"{step} does not fail")

    def _read(self, where: Where) -> Held:
        match where:
            case Place():
                return where.get()
            case Tensor():
                return where
            case tuple():
                return tuple(map(self._read, where))
            case Input(index, path):
                value: Any = self._inputs[index]
                for part in path:
                    value = value[part]
                return value  # type: ignore[no-any-return]
            case Elsewhere():
                return ()

    def _write(self, where: Where, value: Held) -> None:
        if isinstance(where, tuple):
            assert isinstance(value, tuple), value
            for inner, part in zip(where, value, strict=True):
                self._write(inner, part)
        else:
            assert isinstance(where, Place) and isinstance(value, Tensor), where
            where.put(value)

    def _value(self, where: Where) -> Value:
        value: Any = self._read(where)
        return value  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------------------------------------ preparing
    def _prepared(self, step: terms.Step) -> Iterator[Action]:
        """Prepare the actions of a step; many steps only record where a value is stored."""
        match step:
            case terms.Apply() if is_too_large(step):
                yield Fail(step)
            case terms.Apply(name, _, operands):
                into = self._where[name] = self._places(step.type, name)
                attributes = {key: plain(value) for key, value in step.attributes.items()}
                yield Compute(step, tuple(map(self._found, operands)), attributes, into, is_guarded(step))
            case Check(_, goal):
                assert goal.value is not None, step.id
                if not goal.value:
                    yield Fail(step)
            case terms.Assertion(condition):
                yield Assert(step, self._found(condition))
            case terms.Stop():
                yield Fail(step)
            case terms.Size(name):
                yield from self._sized(name, step)
            case _:
                self._where[step.name] = self._alias(step)

    def _sized(self, name: str, step: terms.Size) -> Iterator[Action]:
        try:
            self._where[name] = sized(step, Frame())
        except Fault:
            yield Fail(step)

    def _alias(self, step: terms.Step) -> Where:
        match step:
            case terms.Constant(value=value):
                return value
            case terms.MakeTuple(fields=fields):
                return tuple(map(self._found, fields))
            case terms.Project(operand=operand, index=index):
                return self._part(self._found(operand), index)
            case terms.Rename(operand=operand) | terms.Instantiate(operand=operand):
                return self._found(operand)
            case terms.Closure() | terms.Wrap():
                return Elsewhere()
        raise AssertionError(f"{type(step).__name__} in a static function")

    def _found(self, name: str) -> Where:
        return self._where.get(name, Elsewhere())

    def _part(self, where: Where, index: int) -> Where:
        if isinstance(where, Input):
            return Input(where.index, (*where.path, index))
        assert isinstance(where, tuple), where
        return where[index]

    def _places(self, type: OpenedType, path: str) -> Where:
        """Where an operator's result is stored in the arena, by the offsets of the plan.  [graph.arena]"""
        if isinstance(type, TupleType):
            return tuple(self._places(part, f"{path}#{index}") for index, part in enumerate(type.fields))
        assert isinstance(type, TensorType), path
        buffer = self.plan.buffers[path]
        assert buffer.slot is not None, path
        start = number(self.plan.slots[buffer.slot].offset)
        shape = tuple(map(number, type.shape))
        raw = self._arena[start : start + bytes_held(type)]
        return Place(shape, type.dtype, raw.cast(_FORMATS[type.dtype]), raw)


_FORMATS: Mapping[DType, Any] = TYPECODES


def number(dim: Dim) -> int:
    """The number of a constant size."""
    assert dim.value is not None, f"{dim} in a static function"
    return dim.value


def bytes_held(type: TensorType[Dim]) -> int:
    """How many bytes the elements of a tensor take."""
    return number(bytes_of(type))


def is_too_large(step: terms.Apply) -> bool:
    """Whether the step always fails, since its result exceeds the limit on elements.  [run.operator]"""
    made = (product(type.shape).value for _, type in tensors(step.type, "") if isinstance(type, TensorType))
    return any(count is not None and count > LIMITS.elements for count in made)


def is_guarded(step: terms.Apply) -> bool:
    """Whether elements used in shape arithmetic could wrap.  [run.overflow]"""
    type = step.type
    if step.operator.contents is None or not isinstance(type, TensorType) or not type.dtype.counts:
        return False
    low, high = integer_range(type.dtype)
    numbers = [part.value for part in type.contents or ()]
    return not all(found is not None and low <= found <= high for found in numbers)
