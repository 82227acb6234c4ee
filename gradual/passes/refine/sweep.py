"""Refine the types of a function after facts about sizes or elements were added: one forward sweep over its blocks.

An operator's rule is applied again only if the type of an operand, or an attribute, has changed.  If a recorded size is
the step's own unknown and the rule, applied to the refined types of the operands, gives a dim, that dim replaces the
unknown from there on.  Checks that are now proved are dropped, checks that now always fail keep their labels and end
the block, and an `if` whose condition is now constant is replaced by its branch.   [pass.sharpen]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from gradual.core.check import Check
from gradual.core.datatypes import declarations, without_contents
from gradual.core.def_use import operands
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import (
    Apply,
    Arm,
    Assertion,
    Block,
    Closure,
    Constant,
    Function,
    If,
    Invoke,
    MakeTuple,
    Match,
    Module,
    Param,
    Project,
    Rename,
    Size,
    Step,
    Stop,
)
from gradual.core.traversal import Rewriting, apart
from gradual.dims.solver.decide import Decider
from gradual.dims.term.constraint import Constraint, negated
from gradual.dims.term.dim import Dim, Variable
from gradual.passes.framework.bound_names import names_in
from gradual.passes.refine.any_rank import learn_ranks
from gradual.passes.refine.checks import asserted, checked
from gradual.passes.refine.operators import agreeing, forgetting, is_another, judged, nowhere, shared
from gradual.passes.refine.state import SweepState, Unreachable
from gradual.passes.refine.types import is_alike, is_closed, says
from gradual.record import record
from gradual.tensors.tensor import scalar
from gradual.types.dtype import DType
from gradual.types.hash_consing import identities, keyed
from gradual.types.instantiation import at_types
from gradual.types.print import shown
from gradual.types.type import FunctionType, NeverType, OpenedType, TensorType, TupleType


def sharpened(
    module: Module, function: Function, decider: Decider, dims: Mapping[Variable, Dim] | None = None
) -> Function:
    """Replace some unknowns of the function by `dims`, and refine every type that depends on them.

    Parameters and result type change only by `dims`; refining them further is up to the caller.
    """
    return Sweep(decider, module, Rewriting(dims=dict(dims or {}))).function(function)


@record(frozen=False, eq=False)
class Sweep(SweepState):
    """A forward sweep over one function.

    Attributes:
        improve: called with each operator application after it is typed; returns a step, or the name of a variable
            with the same value.
        expand: called with each call; returns the callee with fresh names and dims if the call is to be inlined.
        projects: whether to replace a field of a tuple constructed here by the variable of that field.
    """

    improve: Callable[[Sweep, Apply], Step | str] | None = None
    expand: Callable[[Sweep, Invoke], Function | None] | None = None
    projects: bool = False

    # ------------------------------------------------------------------------------------------------- functions
    def function(self, function: Function) -> Function:
        """Sweep a function."""
        self.taken = self.taken or names_in(function)
        shell = self.rewriting.function(replace(function, body=Block((), function.body.result)))
        outer = self.around
        self.around = outer | {*shell.type.binders, *shell.type.types}
        with self.local():
            for param, before in zip(shell.params, function.params, strict=True):
                self.define(before.name, param.type, before.type)
            for goal in declarations(shell):
                self.facts.assume(goal)
            body, _ = self._block(function.body)
        self.around = outer
        if self.is_untouched and body is function.body:
            return function
        return replace(shell, body=body)

    def _block(self, block: Block) -> tuple[Block, OpenedType]:
        """Sweep a nested block; return it with the type of its result."""
        with self.block() as steps:
            result = self._swept(block)
            made, type = Block(tuple(steps), result), self.type_of(result)
        return (block if made.steps == block.steps and result == block.result else made), type

    def _swept(self, block: Block) -> str:
        """Emit the steps of a block, and return the name of its result."""
        steps = iter(block.steps)
        try:
            for step in steps:
                self._step(step)
        except Unreachable as reached:
            return self._ended(reached.end, next(steps, None))
        return self.rewriting.name(block.result)

    def _ended(self, end: str | Stop, following: Step | None) -> str:
        """End the block with a result of the bottom type; keep the old `Stop` if it comes next."""
        if isinstance(end, str):
            return end
        end = following if isinstance(following, Stop) else replace(end, name=apart([end.name], self.taken)[end.name])
        self._moved(end)
        return self.rewriting.name(end.name)

    # ----------------------------------------------------------------------------------------------------- steps
    def _step(self, step: Step) -> None:
        match step:
            case Apply():
                self._apply(step)
            case Check():
                checked(self, step)
            case Assertion():
                asserted(self, step)
            case If():
                self._conditional(step)
            case Match():
                self._match(step)
            case Closure():
                self._closure(step)
            case Rename():
                self._rename(step)
            case Project() if self.projects and self.rewriting.name(step.operand) in self.tuples:
                self._project(step)
            case Invoke() if self.expand is not None and (callee := self.expand(self, self.rewriting.step(step))):
                self._inline(step, callee)
            case Invoke(function=name) if self.module.declares(name):
                self._retyped(step)
            case Invoke() | Project() | MakeTuple() if self._is_touched(step):
                self._retyped(step)
            case Size(dim=dim) if (size := self.rewriting.dim(dim).value) is not None and 0 <= size < 1 << 63:
                self.emit(
                    Constant(step.name, scalar(size, DType.INT64), self.rewriting.type(step.type), step.span), step
                )
            case _:
                self._moved(step)

    def _moved(self, step: Any) -> None:
        """Emit a step under the new names; its type is not refined."""
        moved = step if self.is_untouched else self.rewriting.step(step)
        self.emit(moved, step)

    def _is_touched(self, step: Step) -> bool:
        return not self.changed.isdisjoint(operands(step))

    # ------------------------------------------------------------------------------------------------- operators
    def _apply(self, step: Apply) -> None:
        moved: Any = step if self.is_untouched else self.rewriting.step(step)
        if moved is not step and (self._is_touched(step) or moved.attributes != step.attributes):
            moved = judged(self, step, forgetting(self, step, moved))
        found = self._improved(moved) if self.improve is not None else moved
        if isinstance(found, str):
            self.loosened.update(moved.operands)
            self._alias(step, found)
        else:
            self.emit(agreeing(self, found) if isinstance(found, Apply) else found, step)
            if isinstance(found, Apply):
                learn_ranks(self, found)

    def _improved(self, step: Apply) -> Step | str:
        """Call `improve` with the step; a merged operator is replaced by the form that is applied.   [op.dyn.form]"""
        assert self.improve is not None
        form = step.operator.form(step.operands)
        plain = step if form is step.operator else replace(step, operator=form)
        found = self.improve(self, plain)
        return step if found is plain else found

    # ------------------------------------------------------------------------------------ calls, tuples, renaming
    def _retyped(self, step: Invoke | Project | MakeTuple) -> None:
        """Emit a step, and compute its type from those of its operands."""
        moved = self.rewriting.step(step)
        match moved:
            case Invoke():
                type = self._called(step, moved)
            case Project():
                whole = self.type_of(moved.operand)
                type = whole.fields[moved.index] if isinstance(whole, TupleType) else moved.type
            case MakeTuple(fields=fields, type=TupleType(held)):
                known = zip(step.fields, fields, held, strict=True)  # type: ignore[union-attr]
                type = TupleType(tuple(self.type_of(new) if old in self.changed else was for old, new, was in known))
            case _:
                type = moved.type
        self.emit(replace(moved, type=type), step)

    def _project(self, step: Project) -> None:
        """Replace the field of a tuple constructed here by its variable."""
        whole = self.rewriting.name(step.operand)
        self.loosened.add(whole)
        self._alias(step, self.tuples[whole][step.index])

    def _inline(self, step: Invoke, callee: Function) -> None:
        """Inline a call.   [pass.inline]"""
        self.loosened.add(self.rewriting.name(step.function))
        outer, types = self.rewriting.types, map(self.rewriting.type, step.types)
        self.rewriting.types = dict(zip(callee.type.types, types, strict=True))
        try:
            for param, operand in zip(callee.params, map(self.rewriting.name, step.operands), strict=True):
                self._bind(param, operand)
            self._write_out(callee.body.steps)
        finally:
            self.rewriting.types = outer
        self._bind(step, self.rewriting.name(callee.body.result))

    def _write_out(self, steps: Iterable[Step]) -> None:
        """Inline the steps of a nested block or of a callee into the current block."""
        self.written_out += 1
        try:
            for inner in steps:
                self._step(inner)
        finally:
            self.written_out -= 1

    def _bind(self, bound: Param | Invoke | If, value: str) -> None:
        """Replace a parameter by its argument, or a result or join by the value returned.

        Emit an ascription instead if the value's type does not state the same sizes: a size that is a number in
        the inlined body may be a variable outside, equal to the number only by facts of the path.
        """
        type = self.type_of(value)
        if says(type, self.rewriting.typed(bound.type, bound.name), bound.name):
            self._alias(bound, value)
        else:
            self.emit(Rename(bound.name, value, self._ascribed(type, bound.type, bound.name), bound.span), bound)

    def _called(self, step: Any, moved: Invoke) -> OpenedType:
        type = self.type_of(moved.function)
        if not isinstance(type, FunctionType):
            return moved.type
        types = self.arguments(moved, type)
        call = at_types(type, types, moved.types)
        if call.unsolved:
            return moved.type
        if not self.module.declares(moved.function):
            return self.sharper(call.result, step.type, step.name)
        result = keyed(call.result, moved.function, types)
        made = replace(moved, type=self.sharper(result, step.type, step.name))
        return shared(self, result, made, identities(moved.operands, types))

    def _rename(self, step: Rename) -> None:
        """Emit an ascription with a refined type; if an element of the value is a formula of sizes, use the value."""
        value = self.rewriting.name(step.operand)
        type = self.type_of(value)
        if is_another(type, step.type):
            raise nowhere(f"`{value}` is {shown(type)}", step)
        if isinstance(type, TensorType) and any(map(is_closed, type.contents or ())):
            self._alias(step, value)
            return
        if value in self.literals:
            self.literals[step.name] = self.literals[value]
        moved = step if self.is_untouched else self.rewriting.step(step)
        sharper = self._ascribed(type, step.type, step.name)
        self.emit(moved if sharper == moved.type else replace(moved, type=sharper, written=None), step)

    def _ascribed(self, type: OpenedType, before: OpenedType, name: str) -> OpenedType:
        """The type of a value after an ascription, which drops its elements."""
        return self.sharper(without_contents(type), before, name)

    def _alias(self, step: Any, value: str) -> None:
        """Replace the variable of a step by another with the same value."""
        type = self.type_of(value)
        if isinstance(type, NeverType):
            raise Unreachable(value)
        if not is_alike(type, self.rewriting.typed(step.type, step.name)):
            moved = Rename(step.name, value, self._ascribed(type, step.type, step.name), step.span)
            self.emit(moved, step)
            return
        if type != step.type:
            self.changed.add(step.name)
        self._stands_for(step.name, step.type, type)
        self.rewriting.names[step.name] = value
        self.loosened.add(value)

    # ------------------------------------------------------------------------------------------------- functions
    def _closure(self, step: Closure) -> None:
        before = step.function
        type = self.rewriting.type(step.type)
        self.define(step.name, type, step.type)
        function = self.function(before)
        self.out.append(step if function is before else replace(step, function=function, type=function.type))
        self.closures[step.name] = function

    # -------------------------------------------------------------------------------------------------- branches
    def _conditional(self, step: If) -> None:
        """Sweep an `if`: inline the branch taken if the condition is constant; else sweep both and refine the join."""
        condition = self.rewriting.name(step.condition)
        truth = self.values.truth(condition)
        if truth is not None and truth.value is not None:
            self.loosened.add(condition)
            taken = step.then if truth.value else step.orelse
            self._write_out(taken.steps)
            self._bind(step, self.rewriting.name(taken.result))
            return
        then, first = self._branch(step.then, truth)
        orelse, second = self._branch(step.orelse, truth and negated(truth))
        type = self.joined(step.type, step.name, [first, second])
        same = then is step.then and orelse is step.orelse and condition == step.condition and type == step.type
        moved = step if same else replace(step, condition=condition, then=then, orelse=orelse, type=type)
        self.emit(moved, step)

    def _branch(self, block: Block, truth: Constraint | None = None) -> tuple[Block, OpenedType]:
        """Sweep a branch under its path condition; return it with the type of its result."""
        with self.local():
            if truth is not None:
                self.facts.suppose(truth)
            return self._block(block)

    def _match(self, step: Match) -> None:
        scrutinee = self.rewriting.name(step.scrutinee)
        held = self.type_of(scrutinee) if step.scrutinee in self.changed else None
        arms, types = [], []
        for arm in step.arms:
            with self.local():
                pattern = self._pattern(arm.pattern, held)
                block, type = self._block(arm.block)
            arms.append(arm if pattern is arm.pattern and block is arm.block else Arm(pattern, block))
            types.append(type)
        joined = self.joined(step.type, step.name, types)
        same = scrutinee == step.scrutinee and tuple(arms) == step.arms and joined == step.type
        self.emit(step if same else replace(step, scrutinee=scrutinee, arms=tuple(arms), type=joined), step)

    def _pattern(self, pattern: CorePattern, held: OpenedType | None) -> CorePattern:
        """Define what a pattern binds; outside of constructors, at the refined type of that part of the scrutinee."""
        match pattern:
            case Bind(name, before):
                if name is None:
                    return pattern
                now = held if held is not None else self.rewriting.typed(before, name)
                self.define(name, now, before)
                return pattern if now == before else Bind(name, now)
            case Destructure(constructor, fields):
                parts: Iterable[OpenedType] = ()
                if constructor is None and isinstance(held, TupleType):
                    parts = held.fields
                made = tuple(self._pattern(*pair) for pair in zip_longest(fields, parts))
                return pattern if made == fields else Destructure(constructor, made)
