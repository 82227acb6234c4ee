"""The verifier: type core again from scratch; do not trust what elaboration or a pass recorded.

Every operator's needs must be provable from the declarations, the path and the checks before it; every recorded type
must follow.  Removing a check, or the binder that a check reads, is therefore a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from gradual.core import terms
from gradual.core.check import Check
from gradual.core.datatypes import declarations, entry_goals, known_numbers, literal_type, without_contents
from gradual.core.verify import ranks
from gradual.core.verify.branches import boolean, conditional, matched
from gradual.core.verify.data import Structures
from gradual.core.verify.operators import apply
from gradual.core.verify.proxies import wrap
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import at_least, equal
from gradual.dims.term.dim import Variable, constant
from gradual.record import record
from gradual.types.binder_solving import bare, measured, measuring
from gradual.types.dtype import DType
from gradual.types.hash_consing import identities, keyed
from gradual.types.instantiation import at_given, at_types, is_empty
from gradual.types.print import shown
from gradual.types.type import (
    FunctionType,
    GradualType,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
)
from gradual.types.unpacking import base_of, paired_sizes


@record
class Violation:
    """A claim of core that does not follow."""

    function: str
    message: str


Visit = Callable[[terms.Step, Facts, Mapping[str, OpenedType]], None]
"""Called with each step before it is typed, the facts there, and the types of the variables so far."""


def violations(
    module: terms.Module, decider: Decider, only: Container[str] | None = None, visit: Visit | None = None
) -> list[Violation]:
    """The violations in a core module, or in some of its functions; empty if it is well typed.  [core.verify]"""
    found: list[Violation] = []
    for function in module.functions.values():
        if only is not None and function.name not in only:
            continue
        verifier = _Verifier(module, decider, visit=visit)
        verifier.function(function)
        found += [Violation(function.name, message) for message in verifier.found]
    return found


@record(frozen=False, eq=False, kw_only=True)
class _Verifier(Structures):
    """Verifies one function.

    Attributes:
        visit: called with every step.
    """

    visit: Visit | None = None

    def function(self, function: terms.Function) -> None:
        """Assume the declarations, verify the body, then compare the result with the interface."""
        mark, around = self.facts.mark(), self.bound
        self._declared(function)
        for param in function.params:
            self.matches(param.written, param.type, param.name)
            self.define(param.name, param.type)
        for goal in declarations(function):
            self.facts.assume(goal)
        self.block(function.body)
        self.flows(function.body.result, function.type.result, f"the result of {function.name}")
        self.facts.rollback(mark)
        self.bound = around

    def _declared(self, function: terms.Function) -> None:
        """Require that parameters determine the dims as recorded, and that entry checks test all else that is declared.

        A function literal must not bind a dim or type parameter of an enclosing function.
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

    def block(self, block: terms.Block) -> None:
        """Verify the steps in order; the result must be defined."""
        for step in block.steps:
            if self.visit is not None:
                self.visit(step, self.facts, self.types)
            self.step(step)
        self.type_of(block.result)

    def step(self, step: terms.Step) -> None:
        """Require that the recorded type of a step is right, and define its variable."""
        match step:
            case terms.Apply():
                apply(self, step)
            case Check(id, goal):
                self.readable(goal, f"check {id}")
                self.learn(goal)
                ranks.learnt(self, goal)
            case terms.Constant(name, value, type):
                found = literal_type(value, isinstance(type, TensorType) and type.contents is not None)
                if type not in (found, TensorType(found.shape, found.dtype, found.contents)):
                    self.found.append(f"{name}: a constant of another type")
                self.define(name, found, found.numbers)
            case terms.Size(name, dim, type):
                self.readable(equal(dim, constant(0)), name)
                if type != TensorType((), DType.INT64, (dim,)):
                    self.found.append(f"{name}: {dim} as {shown(type)}")
                self.define(name, type)
            case terms.Project(name, operand, index, type):
                whole = self.type_of(operand)
                parts = whole.fields[index : index + 1] if isinstance(whole, TupleType) else ()
                if not any(self.same(part, type) for part in parts):
                    self.differs(f"field {index} of {operand}", type, whole)
                self.define(name, type, known_numbers(type))
            case terms.MakeTuple(name, fields, type):
                held = TupleType(tuple(map(self.type_of, fields)))
                if held != type and not self._same(fields, type):
                    self.matches(held, type, name)
                self.define(name, type)
            case terms.Rename(name, operand, type):
                self.renamed(name, operand, type)
            case terms.Invoke():
                self._invoke(step)
            case terms.Instantiate():
                self._instantiate(step)
            case terms.Stop(name, _, type):
                if not isinstance(type, NeverType):
                    self.found.append(f"{name}: no value as {shown(type)}")
                self.define(name, type)
            case terms.If():
                conditional(self, step)
            case terms.Match():
                matched(self, step)
            case terms.Construct():
                self.construct(step)
            case terms.Convert():
                self.convert(step)
            case terms.Closure(name, function, type):
                self.define(name, type)
                with self.scope():
                    self.function(function)
            case terms.Assertion(condition):
                boolean(self, condition)
            case terms.Wrap() | terms.WrapReference():
                wrap(self, step)
            case terms.MakeReference(name, operand, type):
                if not isinstance(type, ReferenceType):
                    self.found.append(f"{name}: a reference as {shown(type)}")
                else:
                    self.flows(operand, type.content, f"what {name} holds")
                self.define(name, type)
            case terms.ReadReference(name, reference, type):
                content = self._content(reference)
                self.matches(content, type, name)
                self.define(name, type)
            case terms.WriteReference(name, reference, operand, type):
                self.flows(operand, self._content(reference), f"what is written to {reference}")
                self.define(name, type)

    # -------------------------------------------------------------------------------------------------- operators

    # ---------------------------------------------------------------------------------------- calls, casts, branches
    def _instantiate(self, step: terms.Instantiate) -> None:
        """Require that an instance has its function's type at the given arguments, and that given dims are natural."""
        type = self.type_of(step.operand)
        dims, types = dict(step.dims), dict(step.types)
        if not isinstance(type, FunctionType) or not (dims.keys() <= {*type.binders} and types.keys() <= {*type.types}):
            self.found.append(f"{step.name}: {step.operand} cannot be given {len(dims)} dims and {len(types)} types")
        elif not self.same(at_given(type, dims, types), step.type):
            self.found.append(f"{step.name}: {shown(step.type)} is not what is given to {shown(type)}")
        for dim in dims.values():
            self.readable(equal(dim, constant(0)), step.name)
            self.prove(at_least(dim, constant(0)), f"{step.name}: {dim} is not negative")
        self.define(step.name, step.type)

    def _invoke(self, step: terms.Invoke) -> None:
        callee: Any = self.module.functions.get(step.function)
        type: Any = callee.type if callee is not None else self.type_of(step.function)
        if not isinstance(type, FunctionType) or len(type.params) != len(step.operands):
            self.found.append(f"{step.name}: {step.function} cannot be called with {len(step.operands)} arguments")
            return self.define(step.name, step.type)
        if len(type.types) != len(step.types):
            self.found.append(f"{step.name}: {len(step.types)} types are given to {step.function}")
            return self.define(step.name, step.type)
        for operand, param in zip(step.operands, type.params, strict=True):
            self.ranked(operand, param, f"{operand} in the call of {step.function}")
            self.open_contents(operand)
        types = [self.type_of(operand) for operand in step.operands]
        call = at_types(type, types, step.types)
        if call.unsolved and not any(map(is_empty, types)):
            self.wrong(f"{step.name}: dims that no argument shows")
            return self.define(step.name, step.type)
        for _, goal in call.owed:
            self.prove(goal, f"{step.name} needs {goal}")
        for operand, param in zip(step.operands, call.params, strict=True):
            self.flows(operand, param, f"{operand} in the call of {step.function}")
        for goal in call.where:
            self.prove(goal, f"{step.function} requires {goal}")
        declared = callee is not None and not step.function.startswith("@")
        result = keyed(call.result, step.function, types) if declared else call.result
        self.matches(result, step.type, step.name, identities(step.operands, types))
        self.define(step.name, step.type)
        self.have_values(step.type)  # the callee guarantees it

    # ----------------------------------------------------------------------------------------------------- proxies
    def _content(self, reference: str) -> GradualType:
        type = self.type_of(reference)
        if isinstance(type, ReferenceType):
            return type.content
        self.found.append(f"{reference} is not a reference")
        return TupleType(())

    def renamed(self, name: str, operand: str, type: OpenedType) -> None:
        """Verify an ascription: each size is proved equal to the value's, or is an own unknown, assumed equal to it."""
        self.ranked(operand, type, f"{operand} as {name}")
        self.alike(self.type_of(operand), type, name)
        if isinstance(type, TensorType) and type.contents is not None:
            self.wrong(f"{name}: contents that no rule gives")
        for size, own in paired_sizes(self.type_of(operand), type):
            variable = bare(own)
            if variable is None or not variable.is_existential or base_of(variable) != name:
                self.prove(equal(size, own), f"{name}: {size} recorded as {own}")
            else:
                self.facts.assume(equal(own, size))
        self.define(name, type)

    # --------------------------------------------------------------------------------------------------- comparison

    def _same(self, fields: tuple[str, ...], type: OpenedType) -> bool:
        """Whether fields have the types of a tuple, ignoring tracked elements."""
        if not isinstance(type, TupleType) or len(type.fields) != len(fields):
            return False
        pairs = zip(map(self.type_of, fields), type.fields, strict=True)
        return all(self.same(without_contents(held), without_contents(wanted)) for held, wanted in pairs)
