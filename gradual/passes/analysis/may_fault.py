"""Find steps that cannot fail: they are dead code if their value is not used.   [pass.dead.fault]

A step may fail if its operator's meaning is undefined at some elements, if a tracked number may not fit its dtype, or
if an operator's rule is applied at run time.  Running out of time or memory is no failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from gradual.core import terms
from gradual.core.def_use import bindings, blocks, every
from gradual.dims.bounds.interval import Estimate, Interval
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import ContentOf, Dim, Ite, Max, Min, NumelOf, RankOf, SizeOf, Variable, product
from gradual.limits import LIMITS
from gradual.ops.declaration.facts import Faults
from gradual.record import record
from gradual.tensors.scalar import integer_range
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.type import Content, OpenedType, TensorType
from gradual.types.unpacking import part_at

_SIZE = Interval(0, integer_range(DType.INT64)[1])
_RANK = Interval(0, LIMITS.rank)


@record(frozen=False, eq=False)
class Bounds(Mapping[Dim, Interval]):
    """Bounds of every size and element in all runs: a size fits int64, an element its dtype."""

    types: Mapping[str, OpenedType]
    measured: dict[Variable, Interval] = field(default_factory=dict)

    def __getitem__(self, dim: Dim) -> Interval:
        variable = bare(dim)
        found = self._of(variable) if variable is not None else None
        if found is None:
            raise KeyError(dim)
        return found

    def _of(self, variable: Variable) -> Interval | None:
        match variable.witness:
            case SizeOf() | NumelOf():
                return _SIZE
            case RankOf():
                return _RANK
            case ContentOf(value=path):
                type = part_at(self.types, path)
                known = isinstance(type, TensorType) and type.dtype.is_integer
                return Interval(*integer_range(type.dtype)) if known else None
            case None:
                return self.measured.get(variable)

    def __iter__(self) -> Iterator[Dim]:
        return iter(())

    def __len__(self) -> int:
        return 1


class Failing:
    """Decides which steps of one function can fail.

    Attributes:
        types: variable -> type.
        sizes: formulas that are sizes of defined values.
    """

    def __init__(self, types: Mapping[str, OpenedType]) -> None:
        self.types = types
        self.sizes: set[Dim] = set()
        self._bounds = Bounds(types)
        self._estimate = Estimate(self._bounds)

    def enter(self, function: terms.Function) -> None:
        """Bound each named size that is a whole size of a parameter (`n`, not `2 * n`) as a size."""
        for variable, solution in function.binders:
            if bare(solution) is not None:
                self._bounds.measured.setdefault(variable, _SIZE)

    def within(self, variable: Variable, low: int, high: int) -> None:
        """Record bounds of a variable; call this before any query."""
        self._bounds.measured[variable] = Interval(low, high)

    def cannot(self, step: terms.Step) -> bool:
        """Whether a step never fails."""
        match step:
            case terms.Apply():
                return self._applies(step)
            case terms.Size():
                return self._fits(step.dim, DType.INT64)
            case terms.If():
                return all(self.cannot(inner) for block in blocks(step) for inner in block.steps)
            case (
                terms.Constant()
                | terms.MakeTuple()
                | terms.Project()
                | terms.Rename()
                | terms.Instantiate()
                | terms.Closure()
                | terms.Construct()
                | terms.Wrap()
                | terms.WrapReference()
                | terms.MakeReference()
            ):
                return True
            case _:
                return False

    def is_size(self, dim: Dim) -> bool:
        """Whether a dim is within int64 in every run."""
        return self._fits(dim, DType.INT64)

    def is_above(self, dim: Dim) -> bool:
        """Whether a dim is never below the least int64.

        Asked before an `Apply` is replaced by a `Size` (`pass.shapes.number`). A dim above the greatest int64 need not
        be excluded: both steps fail there with the same fault.
        """
        low = self._estimate.of(dim).low
        return low is not None and low >= integer_range(DType.INT64)[0]

    def _applies(self, step: terms.Apply) -> bool:
        type = step.type
        if step.accepts is not None:
            return False
        tracked = type.contents if isinstance(type, TensorType) and type.dtype.counts else None
        if not all(self._fits(part, type.dtype) for part in tracked or ()):  # type: ignore[union-attr]
            return False
        match step.operator.form(step.operands).faults:
            case Faults.NEVER:
                return True
            case Faults.ZERO_DIVISOR:
                return self._divides(step, 1)
            case Faults.NEGATIVE_OPERAND:
                return self._divides(step, 0)
            case Faults.LARGE_SIZE | Faults.LARGE_COUNT:
                return self._measures(step)
            case Faults.INDEX:
                return tracked is not None or self._clamps(step)
            case Faults.OTHERWISE:
                return False

    def _divides(self, step: terms.Apply, least: int) -> bool:
        """Whether no element of the second operand causes a fault.

        Elements that are not integers never do. A known integer does not if it is at least `least`: 1 for a divisor, 0
        for an operand that must not be negative. A negative divisor does not, either.
        """
        type = self.types[step.operands[1]]
        if not isinstance(type, TensorType):
            return False
        if not type.dtype.is_integer:
            return True
        found = [self._estimate.of(part) for part in type.contents or () if isinstance(part, Dim)]
        above = (one.low is not None and one.low >= least for one in found)
        below = (least == 1 and one.high is not None and one.high < 0 for one in found)
        return bool(found) and all(map(any, zip(above, below, strict=True)))

    def _clamps(self, step: terms.Apply) -> bool:
        """Whether indices are clamped or wrapped to an axis that is not empty."""
        type = self.types[step.operands[0]]
        if step.attributes.get("mode", "fast") == "fast" or not isinstance(type, TensorType):
            return False
        axis = step.attributes["axis"]
        low = self._estimate.of(product(type.shape) if axis is None else type.shape[axis]).low
        return low is not None and low >= 1

    def _measures(self, step: terms.Apply) -> bool:
        measured, type = self.types[step.operands[0]], step.type
        if not (isinstance(measured, TensorType) and isinstance(type, TensorType)):
            return False
        whole = step.operator.faults is Faults.LARGE_COUNT
        if type.dtype is DType.INT64 and not whole:
            return True
        numbers = (product(measured.shape),) if whole else measured.shape
        return all(self._fits(number, type.dtype) for number in numbers)

    def _fits(self, part: Content, dtype: DType) -> bool:
        """Whether an element is in the range of its dtype in every run."""
        if isinstance(part, Constraint):
            return True
        if dtype is DType.INT64 and self._is_size(part):
            return True
        low, high = integer_range(dtype)
        found = self._estimate.of(part)
        return found.low is not None and found.high is not None and low <= found.low and found.high <= high

    def _is_size(self, dim: Dim) -> bool:
        """Whether a dim fits int64 because of its form.

        It is the size of a defined value, or a maximum, minimum or if-then-else whose operands all fit int64.
        """
        if dim in self.sizes:
            return True
        match dim.terms:
            case (((Max(operands=operands) | Min(operands=operands),), 1),):
                return all(self._fits(operand, DType.INT64) for operand in operands)
            case (((Ite(then=then, orelse=orelse),), 1),):
                return self._fits(then, DType.INT64) and self._fits(orelse, DType.INT64)
            case _:
                return False


def failing_of(function: terms.Function) -> Failing:
    """The analysis of a function, including the function literals in it."""
    types: dict[str, OpenedType] = {param.name: param.type for param in function.params}
    failing = Failing(types)
    failing.enter(function)
    for step in every(function.body):
        if isinstance(step, terms.Closure):
            failing.enter(step.function)
        types.update(bindings(step))
    return failing
