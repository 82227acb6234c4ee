"""Operands of an elementwise operator that are both stretched: `(b, 1)` with `(b,)` gives `(b, b)`.

The operands have different ranks.  The operand of higher rank has a 1 where the other operand has another size, and the
operand of lower rank lacks an axis of the first, so that the result is an outer product.  This is reported if the two
stretched axes may have been meant to be the same axis, since their sizes are equal or one of the sizes is unknown; and
only if no `reshape` or `expand_dims` in the program made the 1 on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from gradual.core.terms import Apply, Constant, Function, If, Module, Rename
from gradual.dims.term.dim import Dim
from gradual.lints.values import Values, walk
from gradual.ops.declaration.shapes import ONE, Shape
from gradual.record import record
from gradual.types.type import TensorType

ELEMENTWISE = "elementwise"


@record
class Stretched:
    """An application that stretches two operands.

    Attributes:
        operands: the indices of the two operands, the one of higher rank first.
        shapes: their shapes.
        axis: the axis at which the first operand has a 1 that is stretched.
        lead: an axis of the first operand that the second one lacks.
    """

    step: Apply
    operands: tuple[int, int]
    shapes: tuple[Shape, Shape]
    result: Shape
    axis: int
    lead: int


def stretched(module: Module) -> Iterator[Stretched]:
    """Each application that stretches two operands; in a function literal, once for every inlined copy."""
    for function in module.functions.values():
        yield from _of_function(function)


def _of_function(function: Function) -> Iterator[Stretched]:
    for step, values in walk(function):
        if isinstance(step, Apply) and step.operator.family == ELEMENTWISE and len(step.operands) > 1:
            found = _among(step, values)
            if found is not None and not _Origins(values).is_placed(step.operands[found.operands[0]], found.axis):
                yield found


@record
class _Origins:
    """Where the values of a function get a 1 in their shapes."""

    values: Values

    def is_placed(self, name: str, axis: int) -> bool:
        """Whether the program wrote the 1 of a value at an axis, possibly before other elementwise operators."""
        waiting, seen = [(name, axis)], set[str]()
        while waiting:
            name, axis = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            match self.values.steps.get(name):
                case Constant():
                    return True
                case Apply(operator=operator) if operator.writes_shape:
                    return True
                case Apply(operator=operator, operands=operands, type=TensorType(shape)):
                    among = operands if operator.family == ELEMENTWISE else operands[:1]
                    waiting += self._with_one(among, axis - len(shape))
                case Rename(operand=operand):
                    waiting.append((operand, axis))
                case If(then=then, orelse=orelse):
                    waiting += [(then.result, axis), (orelse.result, axis)]
        return False

    def _with_one(self, names: Iterable[str], back: int) -> Iterator[tuple[str, int]]:
        """The values that have a 1 at an axis counted from the back, each with that axis counted from the front."""
        for name in names:
            shape = self.values.shape(name)
            if shape is not None and len(shape) >= -back and shape[back] is ONE:
                yield name, len(shape) + back


def _among(step: Apply, values: Values) -> Stretched | None:
    """The first pair of operands that stretch each other, if no operand has the shape of the result."""
    if not isinstance(step.type, TensorType) or len(step.type.shape) < 2:
        return None
    shapes = [values.shape(name) for name in step.operands]
    known = [(place, shape) for place, shape in enumerate(shapes) if shape is not None]
    if len(known) < len(shapes) or step.type.shape in shapes:
        return None
    for (i, high), (j, low) in permutations(known, 2):
        if (axes := _axes(high, low)) is not None:
            return Stretched(step, (i, j), (high, low), step.type.shape, *axes)
    return None


def _axes(high: Shape, low: Shape) -> tuple[int, int] | None:
    """`(axis, lead)`: `high` has a 1 at `axis`; the size of `low` there may be meant for `lead`, which `low` lacks."""
    more = len(high) - len(low)
    for axis, size in enumerate(low, more):
        if more > 0 and high[axis] is ONE and size is not ONE:
            for lead in range(more):
                if high[lead] is not ONE and _may_be_meant(high[lead], size):
                    return axis, lead
    return None


def _may_be_meant(one: Dim, other: Dim) -> bool:
    """Whether two sizes are the same, or neither is a constant and one is unknown, so that they might be equal."""
    if one is other:
        return True
    return one.value is None and other.value is None and (_is_open(one) or _is_open(other))


def _is_open(size: Dim) -> bool:
    return any(variable.is_existential for variable in size.variables())
