"""The syntax of one definition: its header, its blocks, and an expression for each step.   [pass.surface]"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace

from gradual.core import terms
from gradual.core.check import Check
from gradual.core.def_use import checks_in
from gradual.core.traversal import with_operands
from gradual.delaborate.blocks import TEMPORARY, Implied, implied, literals_in_place, uses
from gradual.delaborate.demands import divisions, is_demanded, without_own, written
from gradual.delaborate.headers import converts_with_checks, is_open, said, written_pattern
from gradual.delaborate.lines import Lines
from gradual.delaborate.literals import attributes, is_absent
from gradual.delaborate.types import NOWHERE, Inexpressible, brackets, local, ordered, shape_forgotten
from gradual.delaborate.unreachable import agreeing, in_doubt, makeable, read_joined
from gradual.dims.term.constraint import TRUE, Constraint
from gradual.dims.term.dim import Dim, SizeOf
from gradual.record import record
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare, requirements
from gradual.types.instantiation import settled_type
from gradual.types.positive import stated
from gradual.types.type import FunctionType, GradualType, NeverType, OpenedType, ReferenceType, TypeVariable
from gradual.types.unpacking import size_of


@record(frozen=False, eq=False)
class Writer(Lines):
    """Writes one definition.

    Attributes:
        endings: result of a block -> the type that it has outside the block.
    """

    endings: dict[str, GradualType] = field(default_factory=dict)

    # ------------------------------------------------------------------------------------------------ definitions
    def definition(self, function: terms.Function) -> ast.Def | ast.OperatorDef:
        """Write a function or a declared operator.  Raises Inexpressible."""
        self.uses = uses(function)
        self.open = self.opens or is_open(function)
        self.doubtful = not self.open and converts_with_checks(function)
        self.inline = literals_in_place(function, self.uses)
        params, result = self._params(function), self._result(function)
        where, binders = tuple(map(self.spelling.predicate, stated(function.type))), self._binders(function, params)
        if function.name.startswith("@"):
            whole = ast.Fn(binders, params, said(function), result, where, self._body(function), NOWHERE)
            return ast.Def(ast.Global(function.name, NOWHERE), whole, NOWHERE)
        if result is None:
            raise Inexpressible(f"the result type of the operator `{function.name}`")
        body = None if is_absent(function) else self._body(function)
        return ast.OperatorDef(ast.Name(function.name, NOWHERE), binders, params, result, where, body, NOWHERE)

    def _params(self, function: terms.Function) -> tuple[ast.Param, ...]:
        self.demands.enter(function)
        self.around.append(function)
        written = [self.declared(param.written) for param in function.params]
        self.scope += (param.name for param in function.params)
        return tuple(
            ast.Param(local(param.name), self.spelling.type(type), (), NOWHERE)
            for param, type in zip(function.params, written, strict=True)
        )

    def _binders(self, function: terms.Function, params: Sequence[ast.Param]) -> tuple[ast.Binder, ...]:
        return brackets(function.type, [param.annotation for param in params if param.annotation is not None])

    def _result(self, function: terms.Function) -> ast.Type | None:
        """The result type; None, so that it is inferred, if it is inexpressible or demands a check not in core."""
        try:
            type = self.spelling.type(self.declared(function.type.result))
            return type if all(self._is_divided(goal, function) for goal in divisions(function.type.result)) else None
        except Inexpressible:
            return None

    def _is_divided(self, goal: Constraint, function: terms.Function) -> bool:
        """Whether the goal of a division in the result type is known on entry, or checked in the body."""
        checks = (step for step in function.body.steps if isinstance(step, Check))
        checked = any(one.blame.rule == "dim.division" and is_demanded(one, frozenset({goal})) for one in checks)
        return checked or self.demands.holds(goal)

    def _body(self, function: terms.Function) -> ast.Block:
        goals = (function.body.result, function.type.result)
        begin: list[ast.Item] = []
        if self.opens and len(self.around) == 1:
            self.opening(begin)
        body = self.block(function.body, goals)
        return replace(body, items=(*begin, *body.items)) if begin else body

    # ----------------------------------------------------------------------------------------------------- blocks
    def block(self, block: terms.Block, flows: tuple[str, GradualType] | None = None) -> ast.Block:
        """Write a block; `flows` is the result and the written type into which it flows."""
        return self._ended(*self._lines(block, flows)[:2])

    def _lines(
        self, block: terms.Block, flows: tuple[str, GradualType] | None = None
    ) -> tuple[list[ast.Item], str, OpenedType]:
        """Write the steps of a block; return them, the name of the result, and its type at the end of the block."""
        if flows is not None:
            self.endings[block.result] = shape_forgotten(flows[1])
        inside, seen, measured = self.demands.inside, len(self.scope), dict(self.spelling.measured)
        items: list[ast.Item] = []
        with self.demands.local():
            for step in block.steps:
                self.demands.define(step)
            result, type = self._items(implied(block, self.demands, self.uses, flows), items)
        self.demands.inside = inside
        self.spelling.measured = measured
        del self.scope[seen:]
        return items, result, type

    def _items(self, found: Implied, items: list[ast.Item]) -> tuple[str, OpenedType]:
        """Write the steps up to the first unreachable one; return the name of the result and its type."""
        for index, step in enumerate(found.block.steps):
            if index in found.silent:
                self.demands.reach(step)
                continue
            if isinstance(step, terms.Stop):
                return self._unmade(found.block, items), NeverType()
            if isinstance(step, Check) and (found.always_fails(index) or self.demands.never(step.goal)):
                self.failure(step, items)
                with suppress(Inexpressible):
                    return self._unmade(found.block, items), NeverType()
                self.demands.inside += 1
            else:
                self._item(found, index, items)
            self.demands.reach(step)
        result = self.forgotten(found.result, items) if self.demands.refuses(found.ending) else found.result
        return result, self.demands.type_of(result)

    def _unmade(self, block: terms.Block, items: list[ast.Item]) -> str:
        """Write a placeholder result for a block that never returns.  [pass.surface.stop]  Raises Inexpressible."""
        type = makeable(self.endings[block.result], self.demands)
        value, open = self.literals.unmade(type, self.spelling), shape_forgotten(type)
        name = self.new(open)
        items.append(ast.Let(self.spelling.local(name), None, value, NOWHERE))
        return self.ascribed(name, type, items) if type != open else name

    def _branches(self, step: terms.If | terms.Match, blocks: Sequence[terms.Block]) -> list[ast.Block]:
        """Write the branches; their results forget sizes and ranks that never agree.  [pass.surface.never]"""
        outside = {*self.demands.values.live}
        self.endings |= {block.result: without_own(step.type, step.name) for block in blocks}
        self.demands.inside += 1
        lines = [self._lines(block) for block in blocks]
        self.demands.inside -= 1
        some = [type for _, _, type in lines if not isinstance(type, NeverType)]
        joined = iter(agreeing(some, outside, self.demands))
        types = [type if isinstance(type, NeverType) else next(joined) for _, _, type in lines]
        made = []
        for (items, result, own), type in zip(lines, types, strict=True):
            made.append(self._ended(items, result if type == own else self.vaguer(result, type, items)))
        if len(some) == len(types):
            truth = self.demands.values.truth(step.condition) if isinstance(step, terms.If) else None
            self.demands.hold(step.name, read_joined(step.type, step.name, truth, types, outside, self.demands))
            self._measure(step)
            self.joins.add(step.name)
            self.doubtful |= not self.open and truth is None and in_doubt(types, outside, self.demands)
        return made

    def _measure(self, step: terms.If | terms.Match) -> None:
        """Write sizes that mention values of unknown rank as sizes of the join instead."""
        for extent, _, path, axis in requirements(step.type, step.name):
            if isinstance(extent, Dim) and any(map(self.is_unranked, extent.variables())):
                self.spelling.measured[extent] = size_of(path, axis)

    def _ended(self, items: list[ast.Item], result: str) -> ast.Block:
        """The block of the items and the result; a last step with a generated name is written as the result itself."""
        value = self.spelling.variable(result)
        match items, value:
            case [*_, ast.Let(ast.Local(last), None, whole)], ast.Local(name) if name == last and (
                result in self.made or self._is_nameless(result)
            ):
                return ast.Block(tuple(items[:-1]), whole, NOWHERE)
        return ast.Block(tuple(items), value, NOWHERE)

    def _item(self, found: Implied, index: int, items: list[ast.Item]) -> None:
        match found.block.steps[index]:
            case terms.Constant(name) if name in self.inline:
                return
            case Check() as check:
                self.check(check, found.demanded(index), items)
                if self.demands.learn(check):
                    found.forget()
            case terms.Assertion(condition, message):
                items.append(ast.Assert(self.spelling.variable(condition), message or None, NOWHERE))
            case step:
                value = self._value(self._admissible(self._converted(found, index, items), items))
                if isinstance(step, terms.Rename) and self._owes_nothing(step, found.later.get(index, {})):
                    self.needless.add(step.name)
                items.append(self._let(step, value))
                self.scope.append(step.name)

    def _owes_nothing(self, step: terms.Rename, later: Mapping[str, Sequence[Constraint]]) -> bool:
        """Whether an ascription makes no demand, neither where it is nor at later calls of a function in the value."""
        return not any(later.values()) and self.demands.goals(step) <= {TRUE}

    def _converted(self, found: Implied, index: int, items: list[ast.Item]) -> terms.Step:
        """The step at an index; operands whose conversion has a check that never holds forget their sizes."""
        step = found.resolved(index)
        never = {
            base: self.forgotten(base, items)
            for base, goals in found.later.get(index, {}).items()
            if any(map(self.demands.never, goals))
        }
        return with_operands(step, lambda one: never.get(one, one)) if never else step

    def _let(self, step: terms.Step, value: ast.Expr) -> ast.Let:
        assert not isinstance(step, Check | terms.Assertion)
        if isinstance(step, terms.WriteReference) and not self.uses[step.name] and TEMPORARY.fullmatch(step.name):
            return ast.Let(None, None, value, NOWHERE)
        annotation: ast.Type | None = None
        match step:
            case terms.Rename():
                annotation = self.spelling.type(written(step))
            case terms.Wrap(type=type) | terms.WrapReference(type=type) | terms.Convert(type=type):
                annotation = self.spelling.type(type)
        return ast.Let(self._named(step.name), annotation, value, NOWHERE)

    def _named(self, name: str) -> ast.Local:
        """The variable that a step defines; a generated name becomes the next number."""
        if self._is_nameless(name):
            self.spelling.names[name] = self.next_name()
        return local(self.spelling.names.get(name, name))

    def _is_nameless(self, name: str) -> bool:
        return TEMPORARY.fullmatch(name) is not None

    def _admissible(self, step: terms.Step, items: list[ast.Item]) -> terms.Step:
        """Let operands forget their sizes if these can never fit.  [pass.surface.never]

        A step that fails in every run then still fails at run time, and is no error of elaboration.
        """
        if isinstance(step, terms.Invoke | terms.Construct):
            step = self._at_its_types(step, items)
        match step:
            case terms.Apply() | terms.Invoke() | terms.Construct() | terms.Rename() | terms.WriteReference() if (
                self.demands.fails(step)
            ):
                return with_operands(step, lambda one: self.forgotten(one, items))
            case terms.Wrap() | terms.WrapReference() | terms.Convert():
                if any(self.demands.never(check.goal) for check in checks_in(terms.Block((step,), step.name))):
                    return with_operands(step, lambda one: self.forgotten(one, items))
            case terms.MakeReference(operand=operand, type=ReferenceType(content)):
                if settled_type(self.demands.type_of(operand)) != content:
                    return with_operands(step, lambda one: self.ascribed(one, content, items))
        return step

    def _at_its_types(self, step: terms.Invoke | terms.Construct, items: list[ast.Item]) -> terms.Step:
        """Make the operands no more precise than the recorded instances of type parameters.  [pass.surface.never]"""
        names = {one: self.ascribed(one, type, items) for one, type in self.demands.vaguer(step)}
        return with_operands(step, lambda one: names.get(one, one))

    # ----------------------------------------------------------------------------------------------------- values
    def _value(self, step: terms.Step) -> ast.Expr:
        """The expression of a step.  Raises Inexpressible."""
        variable = self.spelling.variable
        match step:
            case terms.Apply(_, operator, operands):
                function = ast.Name(operator.name, NOWHERE)
                return ast.Call(function, tuple(map(self.operand, operands)), attributes(step, self.spelling), NOWHERE)
            case terms.Constant(_, value):
                return self.literals.constant(value)
            case terms.Size(_, dim):
                return self._size(dim)
            case terms.MakeTuple(_, fields):
                return ast.Tuple(tuple(map(variable, fields)), NOWHERE)
            case terms.Project(_, operand, index):
                return ast.Project(variable(operand), index, NOWHERE)
            case (
                terms.Rename(_, operand)
                | terms.Wrap(_, operand)
                | terms.WrapReference(_, operand)
                | terms.Convert(_, operand)
            ):
                return variable(operand)
            case terms.Invoke(_, called_function, operands):
                return ast.Call(variable(called_function), tuple(map(variable, operands)), (), NOWHERE)
            case terms.Instantiate():
                return self._instance(step)
            case terms.Closure(_, literal):
                seen = len(self.scope)
                with self.demands.local():
                    params = self._params(literal)
                    where = tuple(map(self.spelling.predicate, stated(literal.type)))
                    binders, result, body = self._binders(literal, params), self._result(literal), self._body(literal)
                self.around.pop()
                del self.scope[seen:]
                return ast.Fn(binders, params, said(literal), result, where, body, NOWHERE)
            case terms.Construct(_, constructor, fields):
                name = ast.Name(constructor, NOWHERE)
                return ast.Call(name, tuple(map(variable, fields)), (), NOWHERE) if fields else name
            case terms.If(_, condition, then, orelse):
                first, second = self._branches(step, (then, orelse))
                return ast.If(variable(condition), first, second, NOWHERE)
            case terms.Match():
                return self._match(step)
            case terms.MakeReference(_, operand):
                return ast.Ref("ref", (variable(operand),), NOWHERE)
            case terms.ReadReference(_, reference):
                return ast.Ref("ref_read", (variable(reference),), NOWHERE)
            case terms.WriteReference(_, reference, operand):
                return ast.Ref("ref_write", (variable(reference), variable(operand)), NOWHERE)
        raise AssertionError(step)

    def _size(self, dim: Dim) -> ast.Expr:
        """A size as a value: a name, `dim(%x, 0)`, or `dim[n + 1]`.  [type.size]"""
        variable = bare(dim)
        plain = variable is not None and (variable.witness is None or isinstance(variable.witness, SizeOf))
        return self.spelling.dim(dim) if plain else self.spelling.alone(dim)

    def _instance(self, step: terms.Instantiate) -> ast.Expr:
        type = self.demands.type_of(step.operand)
        assert isinstance(type, FunctionType), step.operand
        dims, types = dict(step.dims), dict(step.types)
        given: list[ast.Expr | ast.Type] = []
        last = 0
        for index, one in enumerate(ordered(type), 1):
            if isinstance(one, TypeVariable):
                given.append(self.spelling.type(types[one]) if one in types else ast.Omitted(NOWHERE))
            else:
                given.append(self.spelling.dim(dims[one]) if one in dims else ast.Hole(NOWHERE))
            last = index if one in dims or one in types else last
        return ast.Instance(self.spelling.variable(step.operand), tuple(given[:last]), NOWHERE)

    def _match(self, step: terms.Match) -> ast.Expr:
        for arm in step.arms:
            self.demands.bind(arm.pattern)
        blocks = self._branches(step, [arm.block for arm in step.arms])
        each = zip(step.arms, blocks, strict=True)
        arms = tuple(ast.Arm(written_pattern(arm.pattern), block, NOWHERE) for arm, block in each)
        return ast.Match(self.spelling.variable(step.scrutinee), arms, step.complete, NOWHERE)
