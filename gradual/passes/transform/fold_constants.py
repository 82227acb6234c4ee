"""`fold-constants`: replace known values by literals, computed by the operators' meanings.   [pass.fold]

A fault, a large result, and a number out of the range of its dtype are left to run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from gradual.core.datatypes import literal_type
from gradual.core.terms import Apply, Constant, Function, MakeTuple, Module, Step
from gradual.core.traversal import apart
from gradual.dims.term.constraint import TRUE
from gradual.dims.term.dim import Dim
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import IllFormed, Judgement
from gradual.ops.declaration.unknown_rank import Asking
from gradual.passes.analysis.may_fault import Failing
from gradual.passes.framework.map_steps import with_functions
from gradual.passes.framework.pass_ import Context, Note, Pass, Transformed
from gradual.passes.refine.sweep import Sweep
from gradual.passes.refine.types import Literal
from gradual.passes.transform.drop_dead import Dropping
from gradual.record import record
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import integer_range, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import Content, OpenedType, TensorType, TupleType
from gradual.types.unpacking import tracked_length

LARGE = 1024
"""The largest number of elements of a literal written by `fold-constants`."""

SMALL = 64
"""The largest number of elements of a literal written by other passes."""


def literal(name: str, value: Tensor, step: Apply) -> Constant:
    """A constant step in place of an application."""
    type = literal_type(value, tracked=False)
    tracked = tracked_length(type, LIMITS.contents) is not None
    return Constant(name, value, literal_type(value, tracked), step.span)


def known_constant(step: Apply, failing: Failing) -> Constant | None:
    """A literal for an application that cannot fail, if all elements are known; else None.   [pass.fold.contents]"""
    type = step.type
    if not isinstance(type, TensorType) or not type.contents or type.contents[0].value is None:
        return None
    elements = [_number(part) for part in type.contents]
    if None in elements or not failing.cannot(step):
        return None
    shape = tuple(size.value or 0 for size in type.shape)
    return literal(step.name, tensor_of(shape, type.dtype, kept(type.dtype, elements)), step)


def _number(part: Content) -> int | bool | None:
    return part.value


@record
class Left:
    """An application of literals that is left to run time."""

    why: str


def computed(step: Apply, values: Mapping[str, Literal], limit: int) -> Literal | Left | None:
    """Compute an application of literals, or say why it is left to run time; None if an operand is no literal.

    [pass.fold.meaning]
    """
    if not step.operands or step.accepts is not None or any(operand not in values for operand in step.operands):
        return None
    if step.operator.family == "marking":  # it annotates its position in the program, not its value
        return None
    tensors = [values[operand] for operand in step.operands]
    attributes = {key: _plain(value) for key, value in step.attributes.items()}
    if any(_is_open(value) for value in attributes.values()):
        return None
    types = tuple(_known(tensor) for tensor in tensors)
    judgement = _judged(step, types)
    if judgement is None:
        return Left("a check before this step always fails")
    if not _is_small(judgement.result, limit):
        return Left(f"its result may have more than {limit} elements")
    try:
        value: Literal = step.operator.meaning(*tensors, **attributes)
    except TensorFault as fault:  # the run ends with this fault
        return Left(f"it fails: {fault}")
    if _elements(value) > limit:
        return Left(f"its result has {_elements(value)} elements, more than {limit}")
    return value if _is_exact(step, types, value) else Left("its exact result does not fit into its element type")


def _judged(step: Apply, types: Sequence[OpenedType]) -> Judgement | None:
    """The judgement on the literals; None if a need is not met."""
    try:
        found = Asking(step.operator, step.operands, step.attributes).judged(tuple(types))
    except IllFormed:
        return None
    return found if all(need.goal is TRUE for need in found.needs) else None


def _known(value: Literal) -> OpenedType:
    if isinstance(value, tuple):
        return TupleType(tuple(map(_known, value)))
    plain = literal_type(value, tracked=False)
    return literal_type(value, tracked_length(plain, LIMITS.contents, read=True) is not None)


def _plain(value: Any) -> Any:
    if isinstance(value, Dim):
        return value.value if value.value is not None else value
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _is_open(value: Any) -> bool:
    return isinstance(value, Dim) or (isinstance(value, tuple) and any(map(_is_open, value)))


def _is_small(result: Any, limit: int) -> bool:
    """Whether the upper bounds of a judged result allow at most `limit` elements."""
    if isinstance(result, TupleType):
        return all(_is_small(field, limit) for field in result.fields)
    count = 1
    for extent in result.shape if isinstance(result, TensorType) else ():
        size = extent if isinstance(extent, Dim) else extent.high
        count *= size.value if size is not None and size.value is not None else limit + 1
    return count <= limit


def _elements(value: Literal) -> int:
    return value.size if isinstance(value, Tensor) else sum(map(_elements, value))


def _is_exact(step: Apply, types: Sequence[OpenedType], value: Literal) -> bool:
    """Whether the elements equal the exact integers: an overflow is left to run time.   [run.overflow]"""
    recorded = step.type.contents if isinstance(step.type, TensorType) else None
    rule = step.operator.contents
    if recorded is None or rule is None or not isinstance(value, Tensor) or not value.dtype.counts:
        return True
    expected = rule(*types, **step.attributes)
    return expected is not None and all(
        part.value == element for part, element in zip(expected, value.elements, strict=True)
    )


# ------------------------------------------------------------------------------------------------------------- pass
@record(frozen=False, eq=False)
class Folding:
    """Folds the applications of one function.   [pass.fold]"""

    failing: Failing
    left: list[tuple[Apply, Left]] = field(default_factory=list)

    def __call__(self, sweep: Sweep, step: Apply) -> Step:
        """Return a literal for the application, or the application."""
        found = self._folded(sweep, step)
        if found is not step:
            sweep.loosened.update(step.operands)
        return found

    def _folded(self, sweep: Sweep, step: Apply) -> Step:
        known = _measured(step, sweep) or known_constant(step, self.failing)
        if known is not None:
            return known
        value = computed(step, sweep.literals, LARGE)
        match value:
            case None:
                return step
            case Left():
                self.left.append((step, value))
                return step
            case Tensor():
                return literal(step.name, value, step)
            case _:
                return self._tuple(sweep, step, value)

    def _tuple(self, sweep: Sweep, step: Apply, value: tuple[Literal, ...]) -> Step:
        """Insert a literal for each field, and return the tuple of them."""
        names: list[str] = []
        for index, field_value in enumerate(value):
            assert isinstance(field_value, Tensor), step.operator.name
            (name,) = apart([f"{step.name}_{index}"], sweep.taken).values()
            sweep.put(literal(name, field_value, step))
            names.append(name)
        return MakeTuple(step.name, tuple(names), TupleType(tuple(map(sweep.type_of, names))), step.span)


def _measured(step: Apply, sweep: Sweep) -> Constant | None:
    """Fold `shape_of` and `ndarray_size` if the sizes are numbers that fit the element type.   [pass.fold.sizes]"""
    rule = step.operator.contents if step.operator.faults.is_of_sizes else None
    if rule is None:
        return None
    (operand,) = sweep.operands(step)
    contents = rule(operand, **step.attributes) if isinstance(operand, TensorType) else None
    if contents is None:
        return None
    assert isinstance(step.type, TensorType), step.operator.name
    dtype, numbers = step.type.dtype, [part.value for part in contents]
    low, high = integer_range(dtype)
    if not all(number is not None and low <= number <= high for number in numbers):
        return None
    shape = (len(numbers),) * step.type.rank
    return literal(step.name, tensor_of(shape, dtype, kept(dtype, numbers)), step)


def folded(module: Module, context: Context) -> Transformed:
    """Fold constants in all functions.   [pass.fold]"""
    functions: dict[str, Function] = {}
    notes: list[Note] = []
    for name, function in module.functions.items():
        sweep = Sweep(context.decider, module, projects=True)
        improve = sweep.improve = Folding(Failing(sweep.values.types))
        improve.failing.enter(function)
        functions[name] = Dropping(among=sweep.loosened).function(sweep.function(function))
        notes += [_stays(name, step, left) for step, left in improve.left]
    return Transformed(with_functions(module, functions), tuple(notes))


def _stays(function: str, step: Apply, left: Left) -> Note:
    return Note(function, step.span, f"`{step.operator.name}` of literals stays: {left.why}", left=True)


PASSES: tuple[Pass, ...] = (
    Pass(
        "fold-constants",
        "Evaluate operators whose operands are literals.   [pass.fold]",
        folded,
        idempotent=True,
    ),
)
