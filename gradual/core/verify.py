"""The verifier: types core again from scratch, trusting nothing that elaboration or a pass has claimed.

Every operator's needs must be provable from the declarations, the path and the checks that stand before it; every
recorded type must follow.  Removing a check, or the binder that a check reads, is therefore a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import is_
from typing import Any

from gradual.core import anyrank
from gradual.core.declared import (
    declarations,
    entry_goals,
    is_own,
    known_numbers,
    literal_type,
    without_contents,
)
from gradual.core.implied import Implied, of_result, of_value
from gradual.core.terms import (
    Apply,
    Assertion,
    Block,
    Check,
    Closure,
    Constant,
    Construct,
    Convert,
    Function,
    If,
    Instantiate,
    Invoke,
    MakeReference,
    MakeTuple,
    Match,
    Module,
    Project,
    ReadReference,
    Rename,
    Size,
    Step,
    Stop,
    Wrap,
    WrapReference,
    WriteReference,
)
from gradual.core.verify_branches import conditional, matched
from gradual.core.verify_data import Structures
from gradual.core.verify_proxies import wrap
from gradual.dims.constraint import FALSE, Constraint, at_least, defined, equal
from gradual.dims.decide import Decider
from gradual.dims.dim import Dim, Variable, constant
from gradual.dims.facts import Facts
from gradual.limits import LIMITS
from gradual.ops.operator import IllFormed, Judgement
from gradual.ops.ranks import Asking
from gradual.types.choosing import at_given, at_types, is_empty
from gradual.types.dtype import DType
from gradual.types.keying import identities, keyed
from gradual.types.measuring import bare, measured, measuring
from gradual.types.opening import base_of, paired_sizes, sizes, tracked_length, with_contents
from gradual.types.relate import Coercion, Demand, Mismatch, demands, is_same, precise
from gradual.types.subsuming import subsumes
from gradual.types.text import shown
from gradual.types.type import (
    Content,
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.verdict import Proved, Unknown


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that core claims and that does not follow."""

    function: str
    message: str


Visit = Callable[[Step, Facts, Mapping[str, OpenedType]], None]
"""Told of every step of a block before it is typed: what is known there, and the types of the values so far."""


def violations(
    module: Module, decider: Decider, only: Container[str] | None = None, visit: Visit | None = None
) -> list[Violation]:
    """What is wrong with a core module, or with some of its functions; empty if it is well typed.  [core.verify]"""
    found: list[Violation] = []
    for function in module.functions.values():
        if only is not None and function.name not in only:
            continue
        verifier = _Verifier(module, decider, function.name, visit)
        verifier.function(function)
        found += [Violation(function.name, message) for message in verifier.found]
    return found


@dataclass(slots=True, eq=False)
class _Verifier:
    """One function under verification."""

    module: Module
    decider: Decider
    name: str
    visit: Visit | None = None
    facts: Facts = field(default_factory=Facts)
    types: dict[str, OpenedType] = field(default_factory=dict)
    shared: dict[object, Dim] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    converted: set[object] = field(default_factory=set)
    bound: frozenset[Variable | TypeVariable] = frozenset()
    implications: dict[str, Implied] = field(default_factory=dict)

    def function(self, function: Function) -> None:
        """Declarations assumed, then the body, then the result against the interface."""
        mark, around = self.facts.mark(), self.bound
        self._declared(function)
        for param in function.params:
            self._matches(param.written, param.type, param.name)
            self._define(param.name, param.type)
        for goal in declarations(function):
            self.facts.assume(goal)
        self.block(function.body)
        self._flows(function.body.result, function.type.result, f"the result of {function.name}")
        self.facts.rollback(mark)
        self.bound = around

    def _literal(self, function: Function) -> None:
        """A function literal: what is learnt and shared inside it stays there."""
        outer, shared = dict(self.types), dict(self.shared)
        self.function(function)
        self.types, self.shared = outer, shared

    def _declared(self, function: Function) -> None:
        """Every dim is measured off its causal occurrence, and the entry demands whatever else is declared.

        What a literal binds is not what a function around it does.
        """
        own: set[Variable | TypeVariable] = {*function.type.binders, *function.type.types}
        if not own.isdisjoint(self.bound):
            self.found.append(f"{function.name} binds what is bound around it")
        self.bound |= own
        if tuple(param.written for param in function.params) != function.type.params:
            self.found.append(f"the parameters of {function.name} are not those of its type")
        choice = measured(function.type, [measuring(param.written, param.name) for param in function.params])
        solved = {variable: choice.mapping.get(variable) for variable in function.type.binders}
        if dict(function.binders) != solved:
            self.found.append(f"{function.name} does not measure its dims as it declares them")
        demanded = {check.goal for check in function.entry}
        for goal in entry_goals(function, solved):
            if goal not in demanded:
                self.found.append(f"the entry of {function.name} does not demand {goal}")

    def block(self, block: Block) -> None:
        """The steps in order; the result must be defined."""
        for step in block.steps:
            if self.visit is not None:
                self.visit(step, self.facts, self.types)
            self._step(step)
        self._type(block.result)

    def _step(self, step: Step) -> None:
        match step:
            case Apply():
                self._apply(step)
            case Check(id, goal):
                self._readable(goal, f"check {id}")
                self._learn(goal)
                anyrank.learnt(self, goal)
            case Constant(name, value, type):
                found = literal_type(value, isinstance(type, TensorType) and type.contents is not None)
                if type not in (found, TensorType(found.shape, found.dtype, found.contents)):
                    self.found.append(f"{name}: a constant of another type")
                self._define(name, found, found.numbers)
            case Size(name, dim, type):
                self._readable(equal(dim, constant(0)), name)
                if type != TensorType((), DType.INT64, (dim,)):
                    self.found.append(f"{name}: {dim} as {shown(type)}")
                self._define(name, type)
            case Project(name, operand, index, type):
                whole = self._type(operand)
                parts = whole.fields[index : index + 1] if isinstance(whole, TupleType) else ()
                if not any(is_same(part, type) for part in parts):
                    self._differs(f"field {index} of {operand}", type, whole)
                self._define(name, type, known_numbers(type))
            case MakeTuple(name, fields, type):
                held = TupleType(tuple(map(self._type, fields)))
                if held != type and not self._same(fields, type):
                    self._matches(held, type, name)
                self._define(name, type)
            case Rename(name, operand, type):
                self._renamed(name, operand, type)
            case Invoke():
                self._invoke(step)
            case Instantiate():
                self._instantiate(step)
            case Stop(name, _, type):
                if not isinstance(type, NeverType):
                    self.found.append(f"{name}: no value as {shown(type)}")
                self._define(name, type)
            case If():
                conditional(self, step)
            case Match():
                matched(self, step)
            case Construct():
                Structures(self).construct(step)
            case Convert():
                Structures(self).convert(step)
            case Closure(name, function, type):
                self._define(name, type)
                self._literal(function)
            case Assertion(condition):
                self._type(condition)
            case Wrap() | WrapReference():
                wrap(self, step)
            case MakeReference(name, operand, type):
                if not isinstance(type, ReferenceType):
                    self.found.append(f"{name}: a reference as {shown(type)}")
                else:
                    self._flows(operand, type.content, f"what {name} holds")
                self._define(name, type)
            case ReadReference(name, reference, type):
                content = self._content(reference)
                self._matches(content, type, name)
                self._define(name, type)
            case WriteReference(name, reference, operand, type):
                self._flows(operand, self._content(reference), f"what is written to {reference}")
                self._define(name, type)

    # -------------------------------------------------------------------------------------------------- operators
    def _apply(self, step: Apply) -> None:
        """Ask the judgement again; its needs must be provable here and its result what is recorded."""
        for index, operand in enumerate(step.operands):
            if index in step.operator.reads or step.operator.contents is not None:
                self._open_contents(operand, index in step.operator.reads)
        anyrank.settle(self, step.operands)
        for variable in anyrank.read_by(tuple(step.attributes.values())):
            anyrank.readable(self, variable, step.name)
        asking = Asking(step.operator, step.operands, step.attributes)
        try:
            types, judgement = anyrank.asked(self, step.operands, asking)
        except IllFormed as wrong:
            if step.accepts is None and not self._unreachable():
                self.found.append(f"{step.name}: {wrong.message}")
            self.facts.suppose(FALSE)  # its check fails, and nobody comes to what follows
            return self._define(step.name, step.type)
        if not isinstance(judgement, Judgement):
            anyrank.applied(self, step, asking, types)
            return self._define(step.name, step.type)
        for need in judgement.needs:
            if step.accepts is None:
                self._prove(need.goal, f"{step.name} needs {need.goal} [{need.rule}]")
            else:
                self.facts.assume(need.goal)
        self._matches(judgement.result, step.type, step.name, step.operands)
        self._contents(step, types)
        self._define(step.name, step.type)
        truth = of_result(step.operator.name, step.type, lambda: [self._implied(operand) for operand in step.operands])
        if truth is not None:
            self.implications[step.name] = truth

    def _implied(self, name: str) -> Implied:
        """What a boolean says of sizes.  [type.if.part]"""
        return of_value(self.implications, name, self._type(name))

    def _contents(self, step: Apply, types: Sequence[OpenedType]) -> None:
        recorded = step.type.contents if isinstance(step.type, TensorType) else None
        if recorded is None:
            return
        if self._gives(step, types, recorded):
            return
        for operand in step.operands:
            anyrank.settle_length(self, operand)
            self._open_contents(operand)
        if not self._gives(step, [self._type(operand) for operand in step.operands], recorded):
            self.found.append(f"{step.name}: contents that no rule gives")

    def _gives(self, step: Apply, types: Sequence[OpenedType], recorded: tuple[Content, ...]) -> bool:
        """Whether the operator's rule gives the recorded elements."""
        rule = step.operator.contents
        given = rule(*types, **step.attributes) if rule is not None else None
        return given is not None and len(given) == len(recorded) and all(map(is_, given, recorded))

    def _open_contents(self, name: str, read: bool = False) -> None:
        type = self.types.get(name)
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return
        if tracked_length(type, LIMITS.contents, read) is not None:
            self.types[name] = with_contents(type, name)

    def _matches(self, judged: GradualType, recorded: OpenedType, path: str, operands: tuple[str, ...] = ()) -> None:
        """A judged type against the recorded one: equal sizes, and an unknown for every hole."""
        match judged, recorded:
            case TensorType(), TensorType() if len(judged.shape) == len(recorded.shape):
                if judged.dtype is not recorded.dtype:
                    self.found.append(f"{path}: element type {recorded.dtype} instead of {judged.dtype}")
                for axis, (extent, size) in enumerate(zip(judged.shape, recorded.shape, strict=True)):
                    if isinstance(extent, Hole):
                        self._opened(extent, size, path, axis, operands)
                    elif extent is not size and not is_own(size, path, axis):
                        self._prove(equal(extent, size), f"dimension {axis} of {path} is {extent}, recorded as {size}")
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                for i, (part, other) in enumerate(zip(fields, others, strict=True)):
                    self._matches(part, other, f"{path}#{i}", operands)
            case FunctionType(), FunctionType() if precise(judged, recorded) or subsumes(judged, recorded):
                pass
            case ((DataType() | ReferenceType() | TypeVariable() | NeverType()), _) if is_same(judged, recorded):
                pass
            case TensorType() | UnrankedType(), UnrankedType(origin=str(origin)) if judged.dtype is recorded.dtype:
                if isinstance(judged, TensorType):
                    anyrank.recorded(self, judged, origin, path)
                elif origin not in (path, judged.origin):
                    self.found.append(f"{path} is recorded to have the shape of {origin}")
            case _:
                self._differs(path, recorded, judged)

    def _opened(self, hole: Hole, size: Dim, path: str, axis: int, operands: tuple[str, ...]) -> None:
        """A hole's unknown is its own, or that of an earlier application to the same operands; its bounds hold."""
        key = (hole.key[0], *(operands[i] for i in hole.key[1])) if hole.key else None
        if key in self.shared:
            if self.shared[key] is not size:
                self.found.append(f"dimension {axis} of {path} is {self.shared[key]}, recorded as {size}")
            return
        if not is_own(size, path, axis):
            self.found.append(f"dimension {axis} of {path} is unknown, recorded as {size}")
            return
        if key is not None:
            self.shared[key] = size
        for bound in hole.bounds(size):
            self.facts.assume(bound)

    # ---------------------------------------------------------------------------------------- calls, casts, branches
    def _instantiate(self, step: Instantiate) -> None:
        """An instance is its function's type at what is given, and what is given for a dim is not negative."""
        type = self._type(step.operand)
        dims, types = dict(step.dims), dict(step.types)
        if not isinstance(type, FunctionType) or not (dims.keys() <= {*type.binders} and types.keys() <= {*type.types}):
            self.found.append(f"{step.name}: {step.operand} cannot be given {len(dims)} dims and {len(types)} types")
        elif not is_same(at_given(type, dims, types), step.type):
            self.found.append(f"{step.name}: {shown(step.type)} is not what is given to {shown(type)}")
        for dim in dims.values():
            self._readable(equal(dim, constant(0)), step.name)
            self._prove(at_least(dim, constant(0)), f"{step.name}: {dim} is not negative")
        self._define(step.name, step.type)

    def _invoke(self, step: Invoke) -> None:
        callee: Any = self.module.functions.get(step.function)
        type: Any = callee.type if callee is not None else self._type(step.function)
        if not isinstance(type, FunctionType) or len(type.params) != len(step.operands):
            self.found.append(f"{step.name}: {step.function} cannot be called with {len(step.operands)} arguments")
            return self._define(step.name, step.type)
        if len(type.types) != len(step.types):
            self.found.append(f"{step.name}: {len(step.types)} types are given to {step.function}")
            return self._define(step.name, step.type)
        for operand, param in zip(step.operands, type.params, strict=True):
            self._ranked(operand, param, f"{operand} in the call of {step.function}")
            self._open_contents(operand)
        types = [self._type(operand) for operand in step.operands]
        call = at_types(type, types, step.types)
        if call.unsolved and not any(map(is_empty, types)):
            if not self._unreachable():
                self.found.append(f"{step.name}: dims that no argument shows")
            return self._define(step.name, step.type)
        for _, goal in call.owed:
            self._prove(goal, f"{step.name} needs {goal}")
        for operand, param in zip(step.operands, call.params, strict=True):
            self._flows(operand, param, f"{operand} in the call of {step.function}")
        for goal in call.where:
            self._prove(goal, f"{step.function} requires {goal}")
        declared = callee is not None and not step.function.startswith("@")
        result = keyed(call.result, step.function, types) if declared else call.result
        self._matches(result, step.type, step.name, identities(step.operands, types))
        self._define(step.name, step.type)
        for condition in (one for size in sizes(step.type) for one in defined(size)):
            self.facts.assume(condition)  # a size that a call gives has a value: the callee saw to that

    # ----------------------------------------------------------------------------------------------------- proxies
    def _content(self, reference: str) -> GradualType:
        type = self._type(reference)
        if isinstance(type, ReferenceType):
            return type.content
        self.found.append(f"{reference} is not a reference")
        return TupleType(())

    def _flows(self, value: str, target: GradualType, what: str) -> None:
        for demand in demands(self._type(value), target):
            match demand:
                case Demand(goal):
                    self._prove(goal, f"{what}: {goal}")
                    if demand.axis is None:
                        anyrank.learnt(self, goal)
                case Mismatch(_, message):
                    self.found.append(f"{what}: {message}")
                case Coercion(FunctionType() as source, FunctionType() as wanted):
                    if not subsumes(source, wanted):
                        self.found.append(f"{what}: {shown(source)} used as {shown(wanted)}")
                case Coercion(source, wanted):
                    Structures(self).kept(source, wanted, what)

    def _ranked(self, value: str, target: GradualType, what: str) -> None:
        """The ranks that a type demands are there."""
        for demand in demands(self._type(value), target):
            if isinstance(demand, Demand) and demand.axis is None:
                self._prove(demand.goal, f"{what}: {demand.goal}")
                anyrank.learnt(self, demand.goal)

    def _renamed(self, name: str, operand: str, type: OpenedType) -> None:
        """A value under another type: each size equal to the value's, or an unknown of its own, which it equals too."""
        self._ranked(operand, type, f"{operand} as {name}")
        self._alike(self._type(operand), type, name)
        if isinstance(type, TensorType) and type.contents is not None:
            self.found.append(f"{name}: contents that no rule gives")
        for size, own in paired_sizes(self._type(operand), type):
            variable = bare(own)
            if variable is None or not variable.is_ghost or base_of(variable) != name:
                self._prove(equal(size, own), f"{name}: {size} recorded as {own}")
            else:
                self.facts.assume(equal(own, size))
        self._define(name, type)

    # ------------------------------------------------------------------------------------------------------- ground
    def _learn(self, goal: Constraint) -> None:
        """After its check a goal holds; one that may contradict what is known is used for proofs only."""
        match self.decider.decide(self.facts, goal):
            case Proved() | Unknown(plausible=True):
                self.facts.assume(goal)
            case _:
                self.facts.suppose(goal)

    def _alike(self, found: OpenedType, recorded: OpenedType, path: str) -> None:
        """The same structure, ranks and element types."""
        match found, recorded:
            case TensorType(), TensorType() if found.rank == recorded.rank and found.dtype is recorded.dtype:
                pass
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                for i, (field, other) in enumerate(zip(fields, others, strict=True)):
                    self._alike(field, other, f"{path}#{i}")
            case FunctionType(), FunctionType() if precise(found, recorded) or subsumes(found, recorded):
                pass
            case DataType(), DataType() if found.name == recorded.name:
                Structures(self).kept(found, recorded, path)
            case NeverType(), _:
                pass
            case _ if is_same(found, recorded):
                pass
            case TensorType() | UnrankedType(), UnrankedType() if found.dtype is recorded.dtype:
                pass
            case _:
                self._differs(path, recorded, found)

    def _differs(self, path: str, recorded: OpenedType, found: GradualType) -> None:
        """A type of another form; where nobody comes, the path may have proved a rank that is not seen here."""
        if not self._unreachable():
            self.found.append(f"{path}: {shown(recorded)} instead of {shown(found)}")

    def _define(self, name: str, type: OpenedType, numbers: tuple[Fraction, ...] | None = None) -> None:
        if name in self.types and self.types[name] is not type:
            self.found.append(f"{name} is defined twice")
        if isinstance(type, TensorType) and type.numbers != numbers:
            self.found.append(f"{name}: numbers of what is no constant")
            type = TensorType(type.shape, type.dtype, type.contents)
        known = type.contents if isinstance(type, TensorType) else None
        if known is not None and tracked_length(type, LIMITS.contents) != len(known):
            self.found.append(f"{name}: {len(known)} elements of a {shown(type)}")
            type = without_contents(type)
        self.types[name] = type
        self.implications.pop(name, None)
        anyrank.define(self, type, name)
        anyrank.seen(self, type)
        for size in sizes(type):
            if size.value is None:
                self.facts.assume(at_least(size, constant(0)))

    def _type(self, name: str) -> OpenedType:
        if name in self.module.functions:
            return self.module.functions[name].type
        if name not in self.types:
            self.found.append(f"{name} is used before it is defined")
            return TupleType(())
        return self.types[name]

    def _same(self, fields: tuple[str, ...], type: OpenedType) -> bool:
        """Whether fields have a tuple's types but for contents that were opened since."""
        if not isinstance(type, TupleType) or len(type.fields) != len(fields):
            return False
        pairs = zip(map(self._type, fields), type.fields, strict=True)
        return all(is_same(without_contents(held), without_contents(wanted)) for held, wanted in pairs)

    def _known(self, dim: Dim | Constraint) -> bool:
        return all((base := base_of(v)) is None or base in self.types for v in dim.variables())

    def _readable(self, goal: Constraint, what: str) -> None:
        for variable in sorted(goal.variables(), key=lambda variable: variable.name):
            base = base_of(variable)
            if base is not None and base not in self.types:
                self.found.append(f"{what} reads {base}, which has no value here")
        for variable in anyrank.read_always(goal):
            anyrank.readable(self, variable, what)

    def _prove(self, goal: Constraint, claim: str) -> None:
        match self.decider.decide(self.facts, goal):
            case Proved() | Unknown(gave_up=True):  # what nobody can decide within the budget is not held against core
                pass
            case _:
                if not self._unreachable():
                    self.found.append(f"not proved: {claim}")

    def _unreachable(self) -> bool:
        return self.decider.unreachable(self.facts)
