"""Core as a program that can be read again: `%0 = reshape(%x, newshape=[n, 4]);`, one step a line.

Checks are not written: whatever demanded them demands them again.  A check that nothing demands any more, since a
pass took away or moved what did, becomes an `assert`.  Functions at other types, and data at other types, come back
from the place into which they flow.  What no program can write is told.   [pass.surface]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradual.core.print import printed as core_text
from gradual.core.reading import every
from gradual.core.surface_blocks import TEMPORARY, Implied, implied, literals_in_place, never_holds, uses
from gradual.core.surface_checks import Lines
from gradual.core.surface_demands import written
from gradual.core.surface_literals import Literals, attributes, is_absent
from gradual.core.surface_never import agreeing
from gradual.core.surface_types import (
    NOWHERE,
    Spelling,
    Unsayable,
    binder,
    brackets,
    local,
    ordered,
)
from gradual.core.terms import (
    Apply,
    Assertion,
    Bind,
    Block,
    Check,
    Closure,
    Constant,
    Construct,
    Convert,
    CorePattern,
    Destructure,
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
from gradual.dims.dim import Dim, SizeOf
from gradual.source import Span
from gradual.syntax import ast
from gradual.syntax.metadata_text import encoded
from gradual.syntax.print import printed
from gradual.types.choosing import is_gradual, settled_type
from gradual.types.declared import Data
from gradual.types.measuring import bare
from gradual.types.type import (
    FunctionType,
    GradualType,
    ReferenceType,
    TypeVariable,
)

Settings = tuple[tuple[str, str, Span], ...]


def program_text(module: Module, version: str | None = None, settings: Settings = ()) -> str:
    """The module as a program; a function that no program can write stands in a comment as core.  [pass.surface]"""
    surface, told = program(module, version, settings)
    notes = "".join(f"// {line}\n" for line in told)
    return notes + printed(surface)


def program(module: Module, version: str | None = None, settings: Settings = ()) -> tuple[ast.Module, tuple[str, ...]]:
    """The module as syntax, and in lines of text what no program can write."""
    literals = Literals(functions=module.functions)
    definitions: list[ast.Definition] = [_data(data) for data in module.data.values()]
    told: list[str] = []
    for function in module.functions.values():
        held = len(literals.stored)
        try:
            definitions.append(_Writer(module, literals).definition(function))
        except Unsayable as what:
            del literals.stored[held:]
            told.append(f"`{function.name}` cannot be written, for {what}; its core:")
            told += core_text(replace(module, functions={function.name: function})).splitlines()
    definitions += literals.never.values()
    metadata = encoded(literals.stored) if literals.stored else None
    return ast.Module(version, settings, tuple(definitions), metadata_text=metadata), tuple(told)


def _data(data: Data) -> ast.TypeDef | ast.ExternType:
    binders = tuple(map(binder, data.types))
    if not data.constructors:
        return ast.ExternType(data.name, binders, NOWHERE)
    spelling = Spelling()
    constructors = tuple(
        ast.Constructor(one.name, tuple(map(spelling.type, one.fields)), NOWHERE) for one in data.constructors.values()
    )
    return ast.TypeDef(data.name, binders, constructors, NOWHERE)


@dataclass(slots=True, eq=False)
class _Writer(Lines):
    """One definition while it is written.

    Attributes:
        uses: how often each variable is read.
        endings: the types that the values of blocks have outside.
    """

    uses: Counter[str] = field(default_factory=Counter)
    endings: dict[str, GradualType] = field(default_factory=dict)

    # ------------------------------------------------------------------------------------------------ definitions
    def definition(self, function: Function) -> ast.Def | ast.OperatorDef:
        """A function, or a declared operator.  Raises Unsayable."""
        self.uses = uses(function)
        self.open = _is_open(function)
        self.inline = literals_in_place(function, self.uses)
        params, result = self._params(function), self._result(function)
        where, binders = tuple(map(self.spelling.predicate, function.type.where)), self._binders(function, params)
        if function.name.startswith("@"):
            whole = ast.Fn(binders, params, _said(function), result, where, self._body(function), NOWHERE)
            return ast.Def(ast.Global(function.name, NOWHERE), whole, NOWHERE)
        if result is None:
            raise Unsayable(f"the result type of the operator `{function.name}`")
        body = None if is_absent(function) else self._body(function)
        return ast.OperatorDef(ast.Name(function.name, NOWHERE), binders, params, result, where, body, NOWHERE)

    def _params(self, function: Function) -> tuple[ast.Param, ...]:
        self.demands.enter(function)
        return tuple(
            ast.Param(local(param.name), self.spelling.type(param.written), (), NOWHERE) for param in function.params
        )

    def _binders(self, function: Function, params: Sequence[ast.Param]) -> tuple[ast.Binder, ...]:
        return brackets(function.type, [param.annotation for param in params if param.annotation is not None])

    def _result(self, function: Function) -> ast.Type | None:
        """The result type; None where only inference can find it."""
        try:
            return self.spelling.type(function.type.result)
        except Unsayable:
            return None

    def _body(self, function: Function) -> ast.Block:
        goals = (function.body.result, function.type.result)
        return self.block(function.body, goals)

    # ----------------------------------------------------------------------------------------------------- blocks
    def block(self, block: Block, flows: tuple[str, GradualType] | None = None) -> ast.Block:
        """The steps in order, then the value; `flows` is a value that flows into a written type, and the type."""
        if flows is not None:
            self.endings[block.result] = flows[1]
        self.demands.knowing.enter()
        inside = self.demands.inside
        for step in block.steps:
            self.demands.define(step)
        before = self.demands.mark() if any(isinstance(step, Check) for step in block.steps) else None
        found = implied(block, self.demands, self.uses, flows)
        items: list[ast.Item] = []
        for index in range(len(block.steps)):
            if index not in found.silent:
                self._item(found, index, items)
        result = self.forgotten(found.result, items) if self.demands.refuses(found.ending) else found.result
        if before is not None:
            self.demands.rollback(before)
        self.demands.knowing.leave()
        self.demands.inside = inside
        return self._ended(items, result)

    def _branch(self, block: Block) -> ast.Block:
        """A block that some runs do not come to."""
        self.demands.inside += 1
        made = self.block(block)
        self.demands.inside -= 1
        return made

    def _ended(self, items: list[ast.Item], result: str) -> ast.Block:
        """The items and their value; a last step that nobody named is the value itself."""
        value = self.spelling.variable(result)
        match items, value:
            case [*_, ast.Let(ast.Local(last), None, whole)], ast.Local(name) if (
                name == last and TEMPORARY.fullmatch(result) and self.uses[result] == 1
            ):
                return ast.Block(tuple(items[:-1]), whole, NOWHERE)
        return ast.Block(tuple(items), value, NOWHERE)

    def _item(self, found: Implied, index: int, items: list[ast.Item]) -> None:
        match found.block.steps[index]:
            case Constant(name) if name in self.inline:
                return
            case Check() as check if found.always_fails(index) or self.demands.never(check.goal):
                self.failure(check, items)
                self.demands.inside += 1
            case Check() as check:
                self.check(check, found.demanded(index), items)
                if self.demands.learn(check):
                    found.forget()
            case Assertion(condition, message):
                items.append(ast.Assert(self.spelling.variable(condition), message or None, NOWHERE))
            case step:
                value = self._value(self._admissible(found.resolved(index), items))
                items.append(self._let(step, value))

    def _let(self, step: Step, value: ast.Expr) -> ast.Let:
        assert not isinstance(step, Check | Assertion)
        if isinstance(step, WriteReference) and not self.uses[step.name] and TEMPORARY.fullmatch(step.name):
            return ast.Let(None, None, value, NOWHERE)
        annotation: ast.Type | None = None
        match step:
            case Rename():
                annotation = self.spelling.type(written(step))
            case Wrap(type=type) | WrapReference(type=type) | Convert(type=type):
                annotation = self.spelling.type(type)
        return ast.Let(self._named(step.name), annotation, value, NOWHERE)

    def _named(self, name: str) -> ast.Local:
        """The variable that a step defines; one that nobody named gets the next number."""
        if TEMPORARY.fullmatch(name):
            self.spelling.names[name] = self.next_name()
        return local(self.spelling.names.get(name, name))

    def _admissible(self, step: Step, items: list[ast.Item]) -> Step:
        """The step with operands that forget their sizes, where these can never fit.  [pass.surface.never]

        What fails at every run is not refuted before it.
        """
        if isinstance(step, Invoke | Construct):
            step = self._at_its_types(step, items)
        match step:
            case Apply(operands=operands) if self.demands.fails(step):
                return replace(step, operands=tuple(self.forgotten(one, items) for one in operands))
            case Invoke(operands=operands) if self.demands.fails(step):
                return replace(step, operands=tuple(self.forgotten(one, items) for one in operands))
            case Construct(fields=fields) if self.demands.fails(step):
                return replace(step, fields=tuple(self.forgotten(one, items) for one in fields))
            case Rename(operand=operand) | WriteReference(operand=operand) if self.demands.fails(step):
                return replace(step, operand=self.forgotten(operand, items))
            case Wrap(operand=operand, layer=layer) if never_holds(layer):
                return replace(step, operand=self.forgotten(operand, items))
            case MakeReference(operand=operand, type=ReferenceType(content)):
                if settled_type(self.demands.type_of(operand)) != content:
                    return replace(step, operand=self.ascribed(operand, content, items))
            case If(then=then, orelse=orelse):
                then, orelse = agreeing((then, orelse), {*self.demands.types}, self.demands)
                return replace(step, then=then, orelse=orelse)
            case Match(arms=arms):
                outside = {*self.demands.types}
                for arm in arms:
                    self.demands.bind(arm.pattern)
                blocks = agreeing([arm.block for arm in arms], outside, self.demands)
                each = zip(arms, blocks, strict=True)
                return replace(step, arms=tuple(replace(arm, block=block) for arm, block in each))
        return step

    def _at_its_types(self, step: Invoke | Construct, items: list[ast.Item]) -> Step:
        """The step with operands that say no more than the types that were chosen for it.  [pass.surface.never]"""
        names = {one: self.ascribed(one, type, items) for one, type in self.demands.vaguer(step)}
        if isinstance(step, Invoke):
            return replace(step, operands=tuple(names.get(one, one) for one in step.operands))
        return replace(step, fields=tuple(names.get(one, one) for one in step.fields))

    # ----------------------------------------------------------------------------------------------------- values
    def _value(self, step: Step) -> ast.Expr:
        """The expression of a step.  Raises Unsayable."""
        variable = self.spelling.variable
        match step:
            case Apply(_, operator, operands):
                function = ast.Name(operator.name, NOWHERE)
                return ast.Call(function, tuple(map(self.operand, operands)), attributes(step, self.spelling), NOWHERE)
            case Constant(_, value):
                return self.literals.constant(value)
            case Size(_, dim):
                return self._size(dim)
            case MakeTuple(_, fields):
                return ast.Tuple(tuple(map(variable, fields)), NOWHERE)
            case Project(_, operand, index):
                return ast.Project(variable(operand), index, NOWHERE)
            case Rename(_, operand) | Wrap(_, operand) | WrapReference(_, operand) | Convert(_, operand):
                return variable(operand)
            case Invoke(_, called_function, operands):
                return ast.Call(variable(called_function), tuple(map(variable, operands)), (), NOWHERE)
            case Instantiate():
                return self._instance(step)
            case Closure(_, literal):
                params = self._params(literal)
                where = tuple(map(self.spelling.predicate, literal.type.where))
                binders, result = self._binders(literal, params), self._result(literal)
                return ast.Fn(binders, params, _said(literal), result, where, self._body(literal), NOWHERE)
            case Construct(_, constructor, fields):
                name = ast.Name(constructor, NOWHERE)
                return ast.Call(name, tuple(map(variable, fields)), (), NOWHERE) if fields else name
            case If(_, condition, then, orelse, type):
                self.endings |= {then.result: type, orelse.result: type}
                return ast.If(variable(condition), self._branch(then), self._branch(orelse), NOWHERE)
            case Match():
                return self._match(step)
            case MakeReference(_, operand):
                return ast.Ref("ref", (variable(operand),), NOWHERE)
            case ReadReference(_, reference):
                return ast.Ref("ref_read", (variable(reference),), NOWHERE)
            case WriteReference(_, reference, operand):
                return ast.Ref("ref_write", (variable(reference), variable(operand)), NOWHERE)
            case Stop(name, says):
                if name not in self.endings:
                    raise Unsayable(f"a step that has no value: {says}")
                return self.literals.unmade(self.endings[name], self.spelling)
        raise AssertionError(step)

    def _size(self, dim: Dim) -> ast.Expr:
        """A size as a value: a name, `dim(%x, 0)`, or `dim[n + 1]`.  [type.size]"""
        variable = bare(dim)
        plain = variable is not None and (variable.witness is None or isinstance(variable.witness, SizeOf))
        return self.spelling.dim(dim) if plain else self.spelling.alone(dim)

    def _instance(self, step: Instantiate) -> ast.Expr:
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

    def _match(self, step: Match) -> ast.Expr:
        self.endings |= {arm.block.result: step.type for arm in step.arms}
        arms = tuple(ast.Arm(self._pattern(arm.pattern), self._branch(arm.block), NOWHERE) for arm in step.arms)
        return ast.Match(self.spelling.variable(step.scrutinee), arms, step.complete, NOWHERE)

    def _pattern(self, pattern: CorePattern) -> ast.Pattern:
        match pattern:
            case Bind(None):
                return ast.WildcardPattern(NOWHERE)
            case Bind(str(name)):
                return ast.VariablePattern(local(name), None, NOWHERE)
            case Destructure(None, fields):
                return ast.TuplePattern(tuple(map(self._pattern, fields)), NOWHERE)
            case Destructure(str(constructor), fields):
                return ast.ConstructorPattern(constructor, tuple(map(self._pattern, fields)), NOWHERE)
        raise AssertionError(pattern)


def _said(function: Function) -> tuple[ast.Attribute, ...]:
    """What a definition says of itself."""
    dtypes = {bool: "bool", int: "int32", float: "float32"}
    return tuple(
        ast.Attribute(
            key,
            ast.Text(value, NOWHERE)
            if isinstance(value, str)
            else ast.Number(value, dtypes[type(value)], False, NOWHERE),
            NOWHERE,
        )
        for key, value in function.attributes.items()
    )


def _is_open(function: Function) -> bool:
    """Whether a definition has an unknown that its text shows, so that it is not strict."""
    renamed = (step for step in every(function.body) if isinstance(step, Rename))
    return any(is_gradual(param.written) for param in function.params) or any(
        is_gradual(written(step)) for step in renamed
    )
