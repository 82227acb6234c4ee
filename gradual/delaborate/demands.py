"""What elaborating a step again demands: the goals of its rule, and of the types into which its operands flow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field

from gradual.core.check import Check
from gradual.core.context import TypingContext, Values
from gradual.core.datatypes import declarations
from gradual.core.def_use import binds
from gradual.core.known_ranges import KnownRanges
from gradual.core.pattern import CorePattern
from gradual.core.terms import (
    Apply,
    Assertion,
    Construct,
    Function,
    Instantiate,
    Invoke,
    Module,
    Rename,
    Step,
    WriteReference,
)
from gradual.dims.solver.decide import Decider, Undetermined, Unsat
from gradual.dims.solver.deferred import DeferredFacts
from gradual.dims.term.constraint import FALSE, TRUE, Constraint, at_least, at_most, defined, equal
from gradual.dims.term.dim import Dim, SizeOf, Variable, constant, of_atom, product
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import IllFormed
from gradual.ops.declaration.rank_cases import Unknown
from gradual.ops.declaration.unknown_rank import Asking
from gradual.record import record
from gradual.types.binder_solving import extents, unbound
from gradual.types.instantiation import Shown, at_arguments, at_types, settled_type
from gradual.types.relations import Demand, demands, join
from gradual.types.substitution import instantiated, mentioned
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    UnrankedType,
)
from gradual.types.unpacking import base_of, numel_of, rank_of, rank_stated, size_of, sizes


@record(frozen=False, eq=False)
class Demands(TypingContext[OpenedType, DeferredFacts]):
    """Computes the demands of a function's steps.  Facts are from declarations and passed checks, not from conditions.

    Attributes:
        known: size -> number, from the checks passed so far.
        counted: number of elements of a value -> product of its sizes, if a check passed so far gives its rank.
        reads: unknown size of a join -> the dim that elaboration will infer for this size.
        solver: decides what `decider` cannot.
        inside: the number of enclosing branches, plus the number of earlier checks that always fail.
        ranges: the ranges of integer values.
    """

    decider: Decider = field(default_factory=lambda: Decider(LIMITS, smt=False))
    values: Values[OpenedType] = field(init=False)
    facts: DeferredFacts = field(init=False)
    module: Module = field(kw_only=True)
    known: dict[Dim, int] = field(default_factory=dict)
    counted: dict[Variable, Dim] = field(default_factory=dict)
    reads: dict[Variable, Dim] = field(default_factory=dict)
    solver: Decider = field(default_factory=lambda: Decider(LIMITS))
    inside: int = 0
    ranges: KnownRanges = field(default_factory=KnownRanges)

    def __post_init__(self) -> None:
        self.values = Values(declared=self.module.functions)
        self.facts = DeferredFacts(self.decider)
        self.ranges.natural = lambda dim: self.never(at_most(dim, -1))

    def enter(self, function: Function) -> None:
        """Add the facts that hold on entry to a function."""
        for param in function.params:
            self.hold(param.name, param.type)
        for goal in declarations(function):
            self.facts.assume(goal)

    def never(self, goal: Constraint) -> bool:
        """Whether elaboration would find that a goal never holds; it ignores the conditions of branches.

        The solver is asked as in elaboration: a goal that it refutes would be an error when the text is checked.
        """
        goal = goal.substitute(self.reads) if not self.reads.keys().isdisjoint(goal.variables()) else goal
        answer = self.decider.satisfiable(self.facts.store(), goal)
        if isinstance(answer, Undetermined):
            answer = self.solver.satisfiable(self.facts.store(), goal)
        return isinstance(answer, Unsat)

    def read(self, size: Dim) -> Dim:
        """A size with each unknown of a join replaced by the size that elaboration infers for it."""
        return size.substitute(self.reads) if not self.reads.keys().isdisjoint(size.variables()) else size

    def fails(self, step: Step) -> bool:
        """Whether a step demands a goal that never holds."""
        return self.refuses(self.goals(step))

    def refuses(self, goals: Collection[Constraint]) -> bool:
        """Whether one of the goals never holds.

        In core, only unreachable code can demand a refuted goal without a check. Such code is in a branch, so outside
        of branches only `false` counts.
        """
        return any(map(self.never, goals)) if self.inside else FALSE in goals

    def define(self, step: Step) -> None:
        """Record the type of the variable that a step defines."""
        if not isinstance(step, Check | Assertion):
            self.values.define(step.name, step.type)
            self.ranges.step(step, self.values.types)

    def reach(self, step: Step) -> None:
        """Add the facts after a step: the sizes of its value are natural."""
        if not isinstance(step, Check | Assertion):
            self.facts.natural(sizes(self.type_of(step.name)))

    def hold(self, name: str, type: OpenedType) -> None:
        """Record the type of a value, and that its sizes are natural."""
        self.values.define(name, type)
        self.facts.natural(sizes(type))

    def bind(self, pattern: CorePattern) -> None:
        """Record the types of the variables that a pattern binds."""
        for bind in binds(pattern):
            if bind.name is not None:
                self.hold(bind.name, bind.type)

    def learn(self, check: Check) -> bool:
        """Add the goal of a check to the facts; return whether it fixes a rank or a size."""
        self.facts.learn(check.goal)
        unknown, number = check.goal.solution or (None, None)
        if unknown is None or number is None or number.value is None:
            return False
        self.values.trail.put(self.known, of_atom(unknown), number.value)
        stated = rank_stated(check.goal)
        if stated is not None and 0 <= stated[1] <= LIMITS.rank:
            self._at_rank(*stated)
        return True

    def _at_rank(self, origin: str, rank: int) -> None:
        """Put a rank into the types of all values with the shape of an origin."""
        (elements,) = numel_of(origin).variables()
        self.values.trail.put(self.counted, elements, product([size_of(origin, axis) for axis in range(rank)]))
        for name in self.values.at_rank(origin, rank):
            self.facts.natural(sizes(self.type_of(name)))

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

    def vaguer(self, step: Invoke | Construct) -> Iterator[tuple[str, GradualType]]:
        """The operands whose types are more precise than the recorded instance of a type parameter, with their targets.

        Elaborated again, they would give another instance, or instances that disagree.
        """
        callee, types = self._callee(step)
        if callee is None or not types:
            return
        given = step.operands if isinstance(step, Invoke) else step.fields
        applied = at_arguments(callee, list(map(self.type_of, given)), agree=_agreed)
        if applied is None or any(map(_says_more, applied.types, types)):
            for operand, target in self.targets(step):
                if _says_more(settled_type(self.type_of(operand)), target):
                    yield operand, target

    def _callee(self, step: Invoke | Construct) -> tuple[FunctionType | None, Sequence[GradualType]]:
        """The type of the function or constructor applied, and the instances of its type parameters."""
        match step:
            case Invoke(function=function, types=types):
                type = self.type_of(function)
                return (type if isinstance(type, FunctionType) else None), types
            case Construct(constructor=name, type=DataType() as type):
                declared = self.module.data[type.name]
                fields, result = declared.constructors[name].fields, DataType(type.name, declared.types)
                return FunctionType(("",) * len(fields), fields, result, types=declared.types), type.arguments
        return None, ()

    def goals(self, step: Step | None) -> frozenset[Constraint]:
        """The goals that a step demands; no goals if the step is None."""
        match step:
            case None:
                return frozenset()
            case Apply():
                return frozenset(self._needed(step))
            case Instantiate(dims=dims):
                return frozenset(at_least(dim, constant(0)) for _, dim in dims)
            case Invoke(function=function, operands=operands):
                return frozenset((*self._flowing(step), *self._called(function, operands, step)))
            case Rename():
                return frozenset((*self.readable(mentioned(written(step))), *self._flowing(step)))
            case _:
                return frozenset(self._flowing(step))

    def readable(self, variables: Iterable[Variable]) -> Iterator[Constraint]:
        """The goals that axes exist, for the sizes of values of unknown rank among some variables."""
        for variable in variables:
            match variable.witness:
                case SizeOf(path, axis) if isinstance(self.values.types.get(path), UnrankedType):
                    yield at_least(rank_of(path), constant(axis + 1))

    def flow_goals(self, value: str, target: GradualType) -> frozenset[Constraint]:
        """The goals for a value that flows into a written type."""
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
        """The goals for the ranks that the operator requires, then those for the needs of its rule."""
        asking = Asking(step.operator, step.operands, step.attributes)
        types = asking.flattened(tuple(self.type_of(operand) for operand in step.operands))
        try:
            found = asking.step(types)
            while isinstance(found, Unknown):
                if found.origin is None and found.number in self.known:
                    types = found.at(types, self.known[found.number])
                    found = asking.step(types)
                    continue
                cases = asking.cases(types)
                fixed = cases.fixed if cases is not None and cases.complete and cases.fitting else None
                if fixed is None:
                    return
                unknown, value = fixed
                yield equal(unknown.number, constant(value))
                types = unknown.at(types, value)
                found = asking.step(types)
        except IllFormed:
            return
        yield from (need.goal for need in found.needs)
        for _, bound in self.ranges.bounds(step.operator.form(step.operands), step.operands, types, step.attributes):
            if bound.exact:
                yield bound.owed(lambda empty: not self.never(empty))


def _agreed(left: Shown, right: Shown) -> GradualType | None:
    """The join of the types of two arguments; None if a size or a rank differs."""
    return None if _apart(left.type, right.type) else join(left.type, right.type)


def _apart(left: GradualType, right: GradualType) -> bool:
    match left, right:
        case TensorType(shape), TensorType(other) if len(shape) == len(other):
            return any(
                isinstance(a, Dim) and isinstance(b, Dim) and a is not b for a, b in zip(shape, other, strict=True)
            )
        case TensorType(), TensorType():
            return True
        case (TupleType(parts), TupleType(others)) | (DataType(_, parts), DataType(_, others)):
            return any(map(_apart, parts, others))
        case _:
            return False


def _says_more(now: GradualType, was: GradualType) -> bool:
    """Whether a type states a size or a rank that another one leaves unknown."""
    match now, was:
        case TensorType(shape), TensorType(other):
            return any(isinstance(a, Dim) and isinstance(b, Hole) for a, b in zip(shape, other, strict=False))
        case TensorType(), UnrankedType():
            return True
        case (TupleType(parts), TupleType(others)) | (DataType(_, parts), DataType(_, others)):
            return any(map(_says_more, parts, others))
        case _:
            return False


def _flows(source: OpenedType, target: GradualType) -> Iterator[Constraint]:
    yield from (demand.goal for demand in demands(source, target) if isinstance(demand, Demand))


def written(step: Rename) -> GradualType:
    """The type of an ascription as a program writes it: `?` for sizes of the ascribed value itself."""
    return _closed(step.type, step.written, step.name)


def without_own(type: GradualType, name: str) -> GradualType:
    """The type as an ascription of this name writes it: `?` for sizes of the value itself."""
    return _closed(type, None, name)


def _is_own(size: Dim, path: str) -> bool:
    """Whether a size mentions the value itself."""
    return any(base_of(variable) == path.split("#")[0] for variable in size.variables())


def _closed(type: GradualType, written: GradualType | None, path: str) -> GradualType:
    match type:
        case TensorType(shape, dtype):
            holes = written.shape if isinstance(written, TensorType) else shape
            return TensorType(tuple(_extent(*pair, path) for pair in zip(shape, holes, strict=True)), dtype)
        case TupleType(fields):
            parts = written.fields if isinstance(written, TupleType) else (None,) * len(fields)
            each = enumerate(zip(fields, parts, strict=True))
            return TupleType(tuple(_closed(field, part, f"{path}#{i}") for i, (field, part) in each))
        case _:
            return type if written is None else written


def _extent(size: Dim | Hole, written: Dim | Hole, path: str) -> Dim | Hole:
    if isinstance(size, Hole) or not _is_own(size, path):
        return size
    return written if isinstance(written, Hole) else Hole()


def divisions(*types: GradualType) -> frozenset[Constraint]:
    """The goals for divisions in types by sizes bound outside of them.  [dim.division]"""
    around = {variable for type in types for variable in unbound(type)}
    goals = (goal for type in types for extent in extents(type) for goal in defined(extent))
    return frozenset(goal for goal in goals if goal.variables() <= around)


def is_demanded(check: Check, goals: frozenset[Constraint]) -> bool:
    """Whether the goal of a check, or its form in the rule, is among some goals."""
    owed = check.blame.owed
    same = check.goal in goals and check.goal is not TRUE
    return same or (owed in goals and owed is not TRUE and check.goal.variables() <= owed.variables())
