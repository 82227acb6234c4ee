"""What the conditions of a function are: what they may be at given sizes, and whether they are tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from gradual.core.terms import Apply, Closure, Function, If, MakeTuple, Project, Rename
from gradual.dims.term.dim import Dim
from gradual.run.sizes import held
from gradual.run.value import Frame
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType
from gradual.types.unpacking import sizes
from tests.properties.case import steps_of

_LOGIC: Mapping[str, Callable[..., bool]] = {
    "logical_and": lambda left, right: left and right,
    "logical_or": lambda left, right: left or right,
    "logical_not": lambda operand: not operand,
}


_COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))


class Conditions:
    """What the booleans of a function may be at given sizes, and the values of which a size is an unknown.

    Branches may differ in a size that nobody named: the joined size is one more unknown, of which nothing is demanded.
    """

    def __init__(self, function: Function) -> None:
        steps = list(steps_of(function.body))
        self.steps = {step.name: step for step in steps if isinstance(step, Apply | If | MakeTuple | Project | Rename)}
        self.made = {step.name: step for step in steps if isinstance(step, Apply) and step.operator.name in _LOGIC}
        typed = {step.name: step.type for step in steps if hasattr(step, "type")}
        literals = (step.function for step in steps if isinstance(step, Closure))
        own = {param.name: param.type for one in (function, *literals) for param in one.params}
        self.dtypes = {n: t.dtype for n, t in (own | typed).items() if isinstance(t, TensorType | UnrankedType)}
        self.told = {name for name, type in typed.items() if isinstance(type, TensorType) and type.contents}
        self.vague = {name for name, type in typed.items() if any(map(_is_unknown, sizes(type)))}

    def is_test(self, name: str) -> bool:
        """Whether integers are compared anywhere in a condition, by its operators and element types alone."""
        match self.steps.get(name):
            case Apply(operator=operator, operands=operands):
                compares = operator.name in _COMPARISONS and any(map(self._is_integer, operands))
                return compares or any(self._is_test_within(operand) for operand in operands)
            case MakeTuple(fields=fields):
                return any(map(self._is_test_within, fields))
            case Project(operand=operand) | Rename(operand=operand):
                return self._is_test_within(operand)
            case If(then=then, orelse=orelse):
                return self._is_test_within(then.result) or self._is_test_within(orelse.result)
            case _:
                return False

    def _is_test_within(self, name: str) -> bool:
        dtype = self.dtypes.get(name)
        return (dtype is None or dtype is DType.BOOL or dtype.is_integer) and self.is_test(name)

    def _is_integer(self, name: str) -> bool:
        dtype = self.dtypes.get(name)
        return dtype is not None and dtype.is_integer

    def possible(self, name: str, frame: Frame) -> frozenset[bool]:
        """What it is if sizes decide it, else what it becomes of what its operands may be."""
        if name in self.told:
            value = held(frame, name)
            assert isinstance(value, Tensor)
            return frozenset({bool(value.elements[0])})
        if name not in self.made:
            return frozenset({False, True})
        step = self.made[name]
        operands = product(*(self.possible(operand, frame) for operand in step.operands))
        return frozenset(_LOGIC[step.operator.name](*values) for values in operands)


def _is_unknown(size: Dim) -> bool:
    return any(variable.is_existential for variable in size.variables())
