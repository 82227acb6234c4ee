"""What checking a step again demands: the goals of the types into which its operands flow, and of its rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gradual.core.terms import (
    Apply,
    Check,
    Construct,
    Invoke,
    Module,
    Rename,
    Step,
    WriteReference,
)
from gradual.dims.constraint import Constraint
from gradual.dims.dim import Dim
from gradual.ops.operator import IllFormed, Judgement
from gradual.ops.ranks import Asking
from gradual.types.choosing import at_types
from gradual.types.opening import base_of
from gradual.types.relate import Demand, demands, instantiated
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
)


@dataclass(slots=True, eq=False)
class Demands:
    """The types of a function's values, and what its steps demand of them."""

    module: Module
    types: dict[str, OpenedType] = field(default_factory=dict)

    def type_of(self, name: str) -> OpenedType:
        """The type of a value, or of a function by its name."""
        function = self.module.functions.get(name)
        return function.type if function is not None else self.types[name]

    def targets(self, step: Step) -> Iterator[tuple[str, GradualType]]:
        """Each operand that flows into a written type, with that type."""
        match step:
            case Rename(operand=operand):
                yield operand, written(step)
            case Invoke(function=function, operands=operands):
                type = self.type_of(function)
                if isinstance(type, FunctionType) and len(type.params) == len(operands):
                    call = at_types(type, [self.type_of(operand) for operand in operands], step.types)
                    yield from zip(operands, call.params, strict=True)
            case Construct(constructor=name, fields=fields, type=DataType() as type):
                declared = self.module.data[type.name]
                chosen = dict(zip(declared.types, type.arguments, strict=True))
                wanted = (instantiated(part, chosen) for part in declared.constructors[name].fields)
                yield from zip(fields, wanted, strict=True)
            case WriteReference(reference=reference, operand=operand):
                cell = self.type_of(reference)
                if isinstance(cell, ReferenceType):
                    yield operand, cell.content

    def goals(self, step: Step | None) -> frozenset[Constraint]:
        """What a step owes wherever it stands."""
        match step:
            case None:
                return frozenset()
            case Apply():
                return frozenset(self._needed(step))
            case Invoke(function=function, operands=operands):
                return frozenset((*self._flowing(step), *self._called(function, operands, step)))
            case _:
                return frozenset(self._flowing(step))

    def flow_goals(self, value: str, target: GradualType) -> frozenset[Constraint]:
        """What a value owes that flows into a written type."""
        return frozenset(_flows(self.type_of(value), target))

    def _flowing(self, step: Step) -> Iterator[Constraint]:
        for operand, target in self.targets(step):
            yield from _flows(self.type_of(operand), target)

    def _called(self, function: str, operands: tuple[str, ...], step: Invoke) -> Iterator[Constraint]:
        type = self.type_of(function)
        if isinstance(type, FunctionType) and len(type.params) == len(operands):
            call = at_types(type, [self.type_of(operand) for operand in operands], step.types)
            yield from (goal for _, goal in call.owed)
            yield from call.where

    def _needed(self, step: Apply) -> Iterator[Constraint]:
        asking = Asking(step.operator, step.operands, step.attributes)
        types = tuple(self.type_of(operand) for operand in step.operands)
        try:
            judgement = asking.step(asking.flattened(types))
        except IllFormed:
            return
        if isinstance(judgement, Judgement):
            yield from (need.goal for need in judgement.needs)


def _flows(source: OpenedType, target: GradualType) -> Iterator[Constraint]:
    yield from (demand.goal for demand in demands(source, target) if isinstance(demand, Demand))


def written(step: Rename) -> GradualType:
    """The type of an ascription as a program writes it: `?` for what only its own value shows."""
    return _closed(step.type, step.written, step.name)


def _is_own(size: Dim, path: str) -> bool:
    """Whether a size is read off the value itself."""
    return any(base_of(variable) == path.split("#")[0] for variable in size.variables())


def _closed(type: OpenedType, written: GradualType | None, path: str) -> GradualType:
    match type:
        case TensorType(shape, dtype):
            holes = written.shape if isinstance(written, TensorType) else shape
            return TensorType(
                tuple(
                    (hole if isinstance(hole, Hole) else Hole()) if _is_own(size, path) else size
                    for size, hole in zip(shape, holes, strict=True)
                ),
                dtype,
            )
        case TupleType(fields):
            parts = written.fields if isinstance(written, TupleType) else (None,) * len(fields)
            each = enumerate(zip(fields, parts, strict=True))
            return TupleType(tuple(_closed(field, part, f"{path}#{i}") for i, (field, part) in each))
        case _:
            return type if written is None else written


def is_demanded(check: Check, goals: frozenset[Constraint]) -> bool:
    """Whether a check is one of some goals, as it is asked at run time or as its rule states it."""
    owed = check.blame.owed
    return check.goal in goals or (owed in goals and check.goal.variables() <= owed.variables())
