"""Data types: their declarations, which are read before any signature, and applications of their constructors.

[type.data] [type.data.declared] [type.constructor]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gradual.checker.coercion.agreement import agreeing
from gradual.checker.coercion.flow import flow
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.entry import entry_check
from gradual.checker.declarations.types import Reading
from gradual.checker.program.judgements import Judgements
from gradual.checker.program.place import Place
from gradual.checker.program.program import Program
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.check import Promise, Site
from gradual.core.datatypes import entry_goals
from gradual.core.terms import Block, Closure, Construct, Function, Param
from gradual.diagnostic import Diagnostic, Related, counted
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.declared import Constructor, Data
from gradual.types.instantiation import Choosing
from gradual.types.substitution import instantiated, renamed
from gradual.types.type import DataType, FunctionType, GradualType, NeverType, TypeVariable
from gradual.types.unpacking import sizes

Declaration = ast.TypeDef | ast.ExternType


# ----------------------------------------------------------------------------------------------------- declarations
def declare_data(
    program: Program, definitions: Sequence[ast.Definition], judge: Judgements[Elaboration]
) -> Iterator[Diagnostic]:
    """Add the file's types and constructors to the program, and yield all errors in their declarations.

    All type names are added before any field is read, so that types may mention each other.  [type.data.declared]
    """
    first: dict[str, ast.TypeDef] = {}
    spans: dict[str, Span] = {}
    for definition in definitions:
        if not isinstance(definition, Declaration):
            continue
        if definition.name in spans:
            yield _twice("the type", definition.name, definition.span, spans[definition.name])
            continue
        spans[definition.name] = definition.span
        yield from _parameters(definition)
        types = tuple(TypeVariable(binder.name) for binder in definition.binders)
        program.data[definition.name] = Data(definition.name, types, {})
        if isinstance(definition, ast.TypeDef):
            first[definition.name] = definition
    owners: dict[str, Span] = {}
    for declaration in first.values():
        yield from _constructors(Elaboration(program, declaration.name, judge), declaration, owners)


def _twice(what: str, name: str, span: Span, before: Span) -> Diagnostic:
    related = (Related(before, "first here"),)
    return Diagnostic("E0204", "name.duplicate", f"{what} `{name}` is defined twice", span, related=related)


def _parameters(declaration: Declaration) -> Iterator[Diagnostic]:
    seen: dict[str, Span] = {}
    for binder in declaration.binders:
        if binder.name in seen:
            yield _twice("the type parameter", binder.name, binder.span, seen[binder.name])
        seen.setdefault(binder.name, binder.span)
        if binder.kind == "Dim":
            message = f"`{declaration.name}` takes types, so `{binder.name}` cannot be a dimension"
            example = f"{declaration.name}[Tensor[({binder.name},), float32]]"
            notes = (f"a size stands inside an argument, as in `{example}`",)
            yield Diagnostic("E0206", "type.data.declared", message, binder.span, notes=notes)


def _constructors(state: Elaboration, declaration: ast.TypeDef, owners: dict[str, Span]) -> Iterator[Diagnostic]:
    """Read the constructors of one type, with its type parameters in scope; yield the errors."""
    program = state.program
    declared = program.data[declaration.name]
    constructors: dict[str, Constructor] = {}
    for binder in declaration.binders:
        if binder.name not in state.scope.types:
            state.scope.bind_type(binder.name)
    for constructor in declaration.constructors:
        if constructor.name in owners:
            yield _twice("the constructor", constructor.name, constructor.span, owners[constructor.name])
            continue
        owners[constructor.name] = constructor.span
        fields: list[GradualType] = []
        for field in constructor.fields:
            try:
                fields.append(Reading(state, declares=True).type(field))
            except Unreadable:
                fields.append(NeverType())
        constructors[constructor.name] = Constructor(constructor.name, declaration.name, tuple(fields))
    program.data[declaration.name] = Data(declared.name, declared.types, constructors)
    program.constructors.update(constructors)
    yield from state.output.diagnostics


# ----------------------------------------------------------------------------------------------------- constructors
def constructor_named(state: Elaboration, name: str) -> Constructor | None:
    """The constructor of this name, if any; a `?` in its type makes the definition gradual.  [type.strict]"""
    constructor = state.program.constructors.get(name)
    for field in constructor.fields if constructor is not None else ():
        state.strictness.wrote(field)
    return constructor


def constructor_type(program: Program, constructor: Constructor) -> FunctionType:
    """The type of a constructor as a function: `Cons : fn [A](A, List[A]) -> List[A]`.  [type.constructor]"""
    types = program.data[constructor.data].types
    names = tuple(f"%?{i}" for i in range(len(constructor.fields)))
    return FunctionType(names, constructor.fields, DataType(constructor.data, types), types=types, order=types)


def fields_of(program: Program, constructor: Constructor, type: DataType) -> tuple[GradualType, ...]:
    """The types of a constructor's fields, instantiated at the arguments of the data type."""
    chosen = dict(zip(program.data[constructor.data].types, type.arguments, strict=True))
    return tuple(instantiated(field, chosen) for field in constructor.fields)


def written_field(annotation: ast.Type, declared: Data, field: GradualType) -> ast.Type:
    """The part of a data type's annotation that writes the type of a field; the whole annotation if no part does."""
    if not isinstance(annotation, ast.NamedType) or annotation.name != declared.name:
        return annotation
    places = dict(zip(declared.types, annotation.arguments, strict=True))
    return places.get(field, annotation) if isinstance(field, TypeVariable) else annotation


def construct(
    state: Elaboration, constructor: Constructor, operands: Sequence[str], spans: Sequence[Span], span: Span,
    hint: str | None,
) -> str:  # fmt: skip
    """Check a constructor application and return the core variable of its value.  [type.constructor]"""
    name = state.values.fresh(hint)
    if any(isinstance(state.values.types[operand], Broken) for operand in operands):
        return state.values.define(name, BROKEN)
    if len(operands) != len(constructor.fields):
        takes = counted(len(constructor.fields), "field")
        message = f"`{constructor.name}` takes {takes}, not {len(operands)}"
        state.output.report("E0304", "type.constructor", message, span)
        return state.values.define(name, BROKEN)
    owed = len(state.obligations.postponed)
    type = _agreed(state, constructor, operands, spans)
    if type is None:
        return state.values.define(name, BROKEN)
    state.doubt(name, owed)
    passed: list[str] = []
    for index, (operand, field) in enumerate(zip(operands, fields_of(state.program, constructor, type), strict=True)):
        position = f"field {index + 1} of `{constructor.name}`"
        place = Place(spans[index], Site.ARGUMENT, "type.constructor", position, f"{position}, in `{state.function}`")
        fits = flow(state, operand, field, place)
        if fits is None:
            return state.values.define(name, BROKEN)
        passed.append(fits)
    state.output.steps.append(Construct(name, constructor.name, tuple(passed), type, span))
    return state.values.define(name, type, Made(f"`{constructor.name}`", tuple(operands), span))


def _agreed(
    state: Elaboration, constructor: Constructor, operands: Sequence[str], spans: Sequence[Span]
) -> DataType | None:
    """The data type with arguments inferred from all fields; None after reporting fields that never agree."""
    own = state.program.data[constructor.data].types
    agree = agreeing(state, "type.constructor", spans, lambda left, right: f"the fields of `{constructor.name}`")
    choosing = Choosing(set(own), agree)
    if not choosing.shown_by(constructor.fields, [state.values.opened(operand) for operand in operands]):
        return None
    whole = DataType(constructor.data, tuple(map(choosing.type, own)))
    state.strictness.agree(whole)
    return whole


def constructor_value(state: Elaboration, constructor: Constructor, span: Span, hint: str | None) -> str:
    """The value of a constructor's name: a data value if it has no fields, else a function.  [type.constructor]"""
    if not constructor.fields:
        return construct(state, constructor, (), (), span, hint)
    name = state.values.fresh(hint)
    promise = Promise(span, f"a field of `{constructor.name}`")
    with state.branch() as steps:
        type = _of_its_own(state, constructor_type(state.program, constructor))
        params: list[Param] = []
        for field in type.params:
            param = state.values.fresh("%field")
            opened = state.enter(field, param, lambda path, axis: promise)
            for size in sizes(opened):
                state.is_size(size)
            params.append(Param(state.values.define(param, opened), opened, field, span))
        made = state.values.fresh(None)
        operands = tuple(param.name for param in params)
        assert isinstance(type.result, DataType)
        state.output.steps.append(Construct(made, constructor.name, operands, type.result, span))
    own = FunctionType(operands, type.params, type.result, types=type.types, order=type.types)
    function = Function(name, tuple(params), (), (), Block(tuple(steps), made), own, True, span)
    says, through = f"a field of `{constructor.name}` is not the declared one", f"the fields of `{constructor.name}`"
    function = replace(function, entry=[entry_check(goal, span, says, through) for goal in entry_goals(function, {})])
    state.output.steps.append(Closure(name, function, own, span))
    return state.values.define(name, own, Made(f"`{constructor.name}`", (), span))


def _of_its_own(state: Elaboration, type: FunctionType) -> FunctionType:
    """The type of a constructor, with fresh names for its type parameters."""
    own = tuple(state.scope.type_parameter(one.name) for one in type.types)
    found = renamed(type, replace(type, types=own))
    assert found is not None
    return found
