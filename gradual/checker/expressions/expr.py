"""Surface expressions to core steps: one rule per construct, in the order of the specification.

`infer` writes the steps of an expression and answers with the core variable that holds its value.  An expression
that was reported has the type BROKEN, and whatever uses it stays silent.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.checker.coercion.datatypes import construct, constructor_named, constructor_type, constructor_value
from gradual.checker.coercion.instantiation import instance
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import NotADim, Sizes, discharge_divisions
from gradual.checker.expressions.ascription import ascribe
from gradual.checker.expressions.call import called, spelled
from gradual.checker.expressions.declared_operator import Application, applied, stopped
from gradual.checker.expressions.deferred_lambda import called_template, settled, supplied, template, unused
from gradual.checker.expressions.if_ import conditional
from gradual.checker.expressions.lambda_ import closure
from gradual.checker.expressions.literals import (
    adapted,
    adapts,
    alike,
    meta_value,
    neighbour,
    number_value,
    parts,
    vector_value,
)
from gradual.checker.expressions.match_ import matched
from gradual.checker.expressions.operator import apply, form, read_attributes, unknown_operator
from gradual.checker.expressions.references import reference
from gradual.checker.obligations.discharge import owe
from gradual.checker.obligations.obligation import UNSAID, Owed
from gradual.checker.obligations.unknown_rank import demanded_scalar, settle_ranks
from gradual.checker.program.elided import applying, is_deferred
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import TypingContext
from gradual.checker.state.values import BROKEN, Broken, Made, Typed
from gradual.core.terms import (
    Assertion,
    MakeTuple,
    Project,
    Site,
    Size,
)
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim
from gradual.ops.catalogue import by_symbol
from gradual.ops.declaration.operator import Operator
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.size_of_type import parts_of
from gradual.types.type import TensorType, TupleType, UnrankedType


def infer(state: TypingContext, expr: ast.Expr, hint: str | None = None) -> str:
    """The core variable that holds the value of an expression, its steps written; `hint` is a name for it."""
    match expr:
        case ast.Call():
            return settled(state, _call(state, expr, hint), expr.span)
        case ast.Local(name, span):
            return settled(state, _local(state, name, span), span)
        case ast.Project(operand, index, span):
            return _project(state, operand, index, span, hint)
        case ast.Tuple(items, span):
            return _tuple(state, items, span, hint)
        case ast.Number():
            return number_value(state, expr, expr.dtype, hint)
        case ast.Infix():
            return _infix(state, expr, hint)
        case ast.Block():
            return settled(state, _block(state, expr, hint), expr.span)
        case ast.If():
            return conditional(state, expr, lambda part: infer(state, part), hint)
        case ast.Fn():
            return settled(state, _literal(state, expr, hint, None), expr.span)
        case ast.Cast(value, annotation, span):
            if isinstance(annotation, ast.Omitted):
                return infer(state, value, hint)
            held = deferred(state, value)
            return ascribe(state, held, annotation, value.span, span, Site.CAST, "type.cast", hint)
        case ast.Global(name, span):
            return _global(state, name, span)
        case ast.Listing(items, span):
            return vector_value(state, items, span, hint)
        case ast.Meta(kind, index, span):
            return meta_value(state, kind, index, span, hint)
        case ast.Unary("-", operand, span):
            return _operator(state, "negative", (operand,), (), span, span, hint)
        case ast.Name(name, span):
            return settled(state, _name(state, name, span, hint), span)
        case ast.Match():
            return matched(state, expr, lambda part: infer(state, part), hint)
        case ast.Ref():
            return reference(state, expr, lambda part: infer(state, part), hint)
        case ast.Absent():
            return stopped(state, expr)
        case ast.Instance(ast.Name("dim")):
            return _size_of(state, expr, hint)
        case ast.Instance(function):
            return instance(state, expr, infer(state, function), hint)
        case ast.Text():
            message = "a string is not a value; pass an attribute by its name"
            state.output.report("E0307", "type.structure", message, expr.span)
            return state.values.broken()
        case ast.Choose() | ast.Unary() | ast.Hole() | ast.Nothing() | ast.TensorType():
            state.output.report("E0307", "type.structure", "this is not an expression", expr.span)
            return state.values.broken()


def deferred(state: TypingContext, expr: ast.Expr, hint: str | None = None) -> str:
    """As `infer`, but a function literal whose parameters have no types may still wait for them.  [type.template]"""
    match expr:
        case ast.Call():
            return _call(state, expr, hint)
        case ast.Local(name, span):
            return _local(state, name, span)
        case ast.Block():
            return _block(state, expr, hint)
        case ast.Fn():
            return _literal(state, expr, hint, None)
        case ast.Name(name, span):
            return _name(state, name, span, hint)
        case _:
            return infer(state, expr, hint)


def _literal(state: TypingContext, literal: ast.Fn, hint: str | None, named: str | None) -> str:
    """A function literal, which waits if its parameters have no types."""
    if is_deferred(literal):
        return template(state, literal, hint, named)
    return closure(state, literal, hint, named)


# ---------------------------------------------------------------------------------------------- names
def _local(state: TypingContext, name: str, span: Span) -> str:
    """A variable means what it was bound to.  [type.variable] [name.variable]"""
    value = state.scope.names.get(name)
    if value is None:
        help = similar("a variable", name, state.scope.names)
        state.output.report(
            "E0202", "name.variable", f"unknown variable `{name}`", span, label="not in scope", help=help
        )
        return state.values.broken()
    return value


def _global(state: TypingContext, name: str, span: Span) -> str:
    """A function's name is a value of its interface's type.  [name.function]"""
    if name not in state.program.spans:
        help = similar("a function", name, state.program.spans)
        state.output.report(
            "E0203", "name.function", f"unknown function `{name}`", span, label="not defined", help=help
        )
        return state.values.broken()
    return _interface(state, name)


def _interface(state: TypingContext, name: str) -> str:
    """A function of the file as a value."""
    return state.values.define(name, state.strictness.interface(name) or BROKEN)


def _name(state: TypingContext, name: str, span: Span, hint: str | None) -> str:
    """A dimension name is an int64 scalar: a size becomes a value; a constructor is what it constructs.

    A declared operator is a function, any other one a literal that applies it.
    [name.type] [type.declared] [type.operator]
    """
    dim = state.scope.dims.get(name)
    if dim is None and (constructor := constructor_named(state, name)) is not None:
        return constructor_value(state, constructor, span, hint)
    if dim is None and name in state.program.functions:
        return _interface(state, name)
    if dim is None and (operator := state.program.operators.get(name)) is not None:
        return template(state, applying(operator, span), hint, None)
    if dim is None:
        state.output.report(
            "E0202", "name.variable", f"unknown name `{name}`", span, label="neither a dimension nor a value"
        )
        return state.values.broken()
    return _size(state, dim, f"`{name}`", span, hint)


def _size_of(state: TypingContext, expr: ast.Call | ast.Instance, hint: str | None) -> str:
    """`dim(%x, 0)`, `dim[n + 1]`: a size becomes a value.  [type.size]"""
    reading = Sizes(state)
    try:
        dim = reading.dim(expr)
    except NotADim as found:
        found.report(state)
        return state.values.broken()
    except Unreadable:
        return state.values.broken()
    discharge_divisions(state, reading)
    return _size(state, dim, "a size", expr.span, hint)


def _size(state: TypingContext, dim: Dim, made: str, span: Span, hint: str | None) -> str:
    type: TensorType[Dim] = TensorType((), DType.INT64, (dim,))
    value = state.values.fresh(hint)
    state.output.steps.append(Size(value, dim, type, span))
    return state.values.define(value, type, Made(made, (), span))


# ------------------------------------------------------------------------------------------------- tuples
def _tuple(state: TypingContext, items: Sequence[ast.Expr], span: Span, hint: str | None) -> str:
    """A tuple of values.  [type.tuple]"""
    return _made_tuple(state, [infer(state, item) for item in items], span, hint)


def _made_tuple(state: TypingContext, fields: Sequence[str], span: Span, hint: str | None) -> str:
    for field in fields:  # what is known of an element is known of it in the tuple, as in `stack((%a, %b))`
        state.contents(field)
    types = [state.values.types[field] for field in fields]
    name = state.values.fresh(hint)
    known = tuple(type for type in types if not isinstance(type, Broken))
    if len(known) != len(types):
        return state.values.define(name, BROKEN)
    type = TupleType(known)
    limit = state.program.limits.fields
    if parts_of(type) > limit:
        state.output.report("E0307", "type.tuple", f"a tuple has at most {limit} fields, nested ones included", span)
        return state.values.define(name, BROKEN)
    state.output.steps.append(MakeTuple(name, tuple(fields), type, span))
    return state.values.define(name, type, Made("a tuple", tuple(fields), span))


def _project(state: TypingContext, operand: ast.Expr, index: int, span: Span, hint: str | None) -> str:
    """A field of a tuple.  [type.project]"""
    value = infer(state, operand)
    name = state.values.fresh(hint)
    match state.values.types[value]:
        case Broken():
            return state.values.define(name, BROKEN)
        case TupleType(fields) if 0 <= index < len(fields):
            state.output.steps.append(Project(name, value, index, fields[index], span))
            return state.values.define(name, fields[index], Made("a projection", (f"{value}#{index}",), span))
        case TupleType(fields):
            message = f"a tuple of {len(fields)} has no field {index}"
            state.output.report("E0309", "type.project", message, span)
        case other:
            state.output.report("E0307", "type.project", f"only a tuple has fields, not `{shown(other)}`", span)
    return state.values.define(name, BROKEN)


# ------------------------------------------------------------------------------------------------- calls
def _call(state: TypingContext, call: ast.Call, hint: str | None) -> str:
    match call.function:
        case ast.Name(name, span):
            return _operator(state, name, call.arguments, call.attributes, call.span, span, hint)
        case _:
            return _invoke(state, call, hint)


def _operator(
    state: TypingContext,
    name: str,
    arguments: Sequence[ast.Expr],
    attributes: Sequence[ast.Attribute],
    span: Span,
    name_span: Span,
    hint: str | None,
) -> str:
    """An application by name: of an operator, or of a constructor.  [name.operator] [name.type]"""
    constructor = constructor_named(state, name)
    if constructor is not None:
        _no_attributes(state, f"`{name}`", attributes)
        spans = [argument.span for argument in arguments]
        fields = [deferred(state, argument) for argument in arguments]
        fields = supplied(state, spans, constructor_type(state.program, constructor), fields)
        return construct(state, constructor, fields, spans, span, hint)
    if name == "dim":
        return _size_of(state, ast.Call(ast.Name(name, name_span), tuple(arguments), tuple(attributes), span), hint)
    if name in state.program.functions:
        application = Application(name, arguments, attributes, span)
        return applied(state, application, lambda part: deferred(state, part), hint)
    operator = state.program.operators.get(name)
    if operator is not None and operator.pairwise is not None and len(arguments) > 1 and not attributes:
        return _extremum(state, operator, operator.pairwise, arguments, span, hint)
    operands = _operands(state, arguments, alike(operator, arguments))
    if operator is None:
        if name[:1].isupper():
            help = similar("a constructor", name, state.program.constructors)
            state.output.report("E0205", "name.type", f"unknown constructor `{name}`", name_span, help=help)
        else:
            unknown_operator(state, name, name_span)
        return state.values.broken()
    operator = form(state, operator, len(operands), attributes)
    given = None if operator is None else read_attributes(state, operator, attributes)
    if operator is None or given is None:
        return state.values.broken()
    if operator.family == "marking" and len(operands) == 1 and not _is_ranked(state.values.types[operands[0]]):
        return operands[0]
    return apply(state, operator, operands, given, span, [argument.span for argument in arguments], hint, attributes)


def _is_ranked(type: Typed) -> bool:
    """Whether a value is a tensor of known rank, or a tuple of such: of anything else a mark is what it marks."""
    match type:
        case TupleType(fields):
            return all(map(_is_ranked, fields))
        case _:
            return isinstance(type, TensorType)


def _infix(state: TypingContext, expr: ast.Infix, hint: str | None) -> str:
    """An infix operator; an unsuffixed literal takes the other side's element type.  [type.literal]"""
    operator = by_symbol().get(expr.op)
    if operator is None:
        message = f"`{expr.op}` is only allowed in dimensions and predicates"
        state.output.report("E0307", "type.structure", message, expr.span)
        return state.values.broken()
    operands = _operands(state, (expr.left, expr.right), (0, 1))
    return apply(state, operator, operands, {}, expr.span, [expr.left.span, expr.right.span], hint)


def _operands(state: TypingContext, arguments: Sequence[ast.Expr], alike: Sequence[int]) -> list[str]:
    """The arguments left to right, then the literals among those that have one element type, which they take.

    [type.literal]
    """
    slots = [part for place in alike for part in parts(arguments[place])]
    if not any(map(adapts, slots)):
        return [infer(state, argument) for argument in arguments]
    beside = slots[neighbour(slots)]
    waiting = {id(part): part for part in slots if adapts(part) and part is not beside}
    each = [parts(argument) if place in alike else (argument,) for place, argument in enumerate(arguments)]
    held = {id(part): infer(state, part) for some in each for part in some if id(part) not in waiting}
    type = state.values.types[held[id(beside)]]
    for key, part in waiting.items():
        if isinstance(type, TensorType | UnrankedType):
            held[key] = adapted(state, part, type.dtype)
        else:
            held[key] = infer(state, part)
    found = []
    for argument, some in zip(arguments, each, strict=True):
        fields = [held[id(part)] for part in some]
        found.append(fields[0] if some == (argument,) else _made_tuple(state, fields, argument.span, None))
    return found


def _extremum(
    state: TypingContext, whole: Operator, pairwise: str, arguments: Sequence[ast.Expr], span: Span, hint: str | None
) -> str:
    """`max(n - 2, 0)`: the greatest or least of several scalars.  [type.extremum]"""
    operands = _operands(state, arguments, range(len(arguments)))
    spans = [argument.span for argument in arguments]
    settle_ranks(state, operands)
    if not all(_may_be_scalar(state.values.types[operand]) for operand in operands):
        return apply(state, whole, operands, {}, span, spans, hint)
    each = zip(operands, spans, strict=True)
    if not all(demanded_scalar(state, operand, at, "type.extremum", "the operand") for operand, at in each):
        return state.values.broken()
    operator, result = state.program.operators[pairwise], operands[0]
    for place, operand in enumerate(operands[1:], 1):
        last = hint if place == len(operands) - 1 else None
        result = apply(state, operator, (result, operand), {}, span, [span, spans[place]], last)
    return result


def _may_be_scalar(type: Typed) -> bool:
    return isinstance(type, UnrankedType | Broken) or (isinstance(type, TensorType) and not type.shape)


def _no_attributes(state: TypingContext, called: str, attributes: Sequence[ast.Attribute]) -> None:
    """Report what is given by name to what takes nothing so; what TVM prints of a call is nothing given.

    [name.attribute]
    """
    if any(attribute.key == "attrs_type_key" for attribute in attributes):
        return
    for attribute in attributes:
        message = f"{called} takes its arguments by position, not as `{attribute.key}`"
        state.output.report("E0207", "name.attribute", message, attribute.span)


def _invoke(state: TypingContext, call: ast.Call, hint: str | None) -> str:
    _no_attributes(state, f"`{spelled(state, call.function)}`", call.attributes)
    function = deferred(state, call.function)
    operands = [deferred(state, argument) for argument in call.arguments]
    if function in state.values.templates:
        return called_template(state, call, function, operands, lambda part: deferred(state, part, hint))
    return called(state, call, function, operands, hint)


# ------------------------------------------------------------------------------------------------- blocks
def _block(state: TypingContext, block: ast.Block, hint: str | None) -> str:
    """Items in order, then the value; the names end with the block.  [type.let]"""
    with state.scope.block():
        mark = len(state.values.templates)
        for item in block.items:
            _item(state, item)
        result = deferred(state, block.result, hint)
        if len(state.values.templates) > mark:
            unused(state, mark, result)
        return result


def _item(state: TypingContext, item: ast.Item) -> None:
    match item:
        case ast.Let(None, _, value, _):
            infer(state, value)
        case ast.Let(name, annotation, value, span):
            assert name is not None
            _let(state, name, annotation, value, span)
        case ast.Assert():
            _assert(state, item)
        case ast.FreeVar(name, _, span):
            message = f"`free_var {name.name}` may only stand before a file's single expression"
            state.output.report("E0307", "type.structure", message, span)
            state.scope.bind(name.name, state.values.broken())


def _let(state: TypingContext, name: ast.Local, annotation: ast.Type | None, value: ast.Expr, span: Span) -> None:
    """A name for a value; an annotation is checked and forgets the rest.  [type.let] [type.annotation]"""
    plain = annotation is None or isinstance(annotation, ast.Omitted)
    hint = name.name if plain else None
    held = _literal(state, value, hint, name.name) if isinstance(value, ast.Fn) else deferred(state, value, hint)
    if not plain:
        assert annotation is not None
        held = ascribe(state, held, annotation, value.span, name.span, Site.ANNOTATION, "type.annotation", name.name)
    state.scope.show(name.name, held, name.span)


def _assert(state: TypingContext, item: ast.Assert) -> None:
    """A check written by the user; afterwards it is a known fact.  [type.assert]"""
    message = item.message or UNSAID
    reading = Sizes(state)
    try:
        goal = reading.predicate(item.condition)
    except Unreadable:
        return
    except NotADim as found:
        if found.rule in ("dim.division",) or isinstance(item.condition, ast.Unary | ast.Choose):
            found.report(state)
            return
        condition = infer(state, item.condition)
        scalar = demanded_scalar(state, condition, item.condition.span, "type.assert", "what is asserted")
        type = state.values.types[condition]
        if isinstance(type, Broken) or not scalar:
            return
        if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL:
            state.output.report(
                "E0307", "type.assert", f"`assert` takes a bool, not `{shown(type)}`", item.condition.span
            )
            return
        truth = state.values.implied(condition)
        if truth.holds.value is not True:
            _asserted(state, truth.holds, message, item)
        if truth.exact is None:
            state.output.steps.append(Assertion(condition, message, item.span))
        return
    discharge_divisions(state, reading)
    _asserted(state, goal, message, item)


def _asserted(state: TypingContext, goal: Constraint, message: str, item: ast.Assert) -> None:
    """What is so where the assertion holds is checked, and known.  [type.assert] [type.if.part]"""
    owe(state, Owed(goal, "type.assert", Site.ASSERT, message, item.condition.span, blamed="the assertion"))
