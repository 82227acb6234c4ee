"""Surface expressions to core steps: one rule per construct, in the order of the specification.

`infer` writes the steps of an expression and answers with the core variable that holds its value.  An expression
that was reported has the type BROKEN, and whatever uses it stays silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.checker.apply import apply, discharge_divisions, read_attributes, unknown_operator
from gradual.checker.ascribing import ascribe
from gradual.checker.branches import conditional
from gradual.checker.calling import called
from gradual.checker.data import construct, constructor_value
from gradual.checker.discharge import Owed, owe
from gradual.checker.elaboration import BROKEN, Binding, Broken, Elaboration, Made
from gradual.checker.flow import Place, flow
from gradual.checker.header import Header, closed_result, read_header
from gradual.checker.literals import meta_value, number_value, vector_value
from gradual.checker.matching import matched
from gradual.checker.references import reference
from gradual.checker.written import NotADim, Reading
from gradual.core.terms import (
    Assertion,
    Block,
    Closure,
    Function,
    MakeTuple,
    Project,
    Site,
    Size,
    Step,
)
from gradual.dims.dim import Dim
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.dtype import DType
from gradual.types.text import shown
from gradual.types.type import TensorType, TupleType

_INFIX = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}


def infer(state: Elaboration, expr: ast.Expr, hint: str | None = None) -> str:
    """The core variable that holds the value of an expression, its steps written; `hint` is a name for it."""
    match expr:
        case ast.Call():
            return _call(state, expr, hint)
        case ast.Local(name, span):
            return _local(state, name, span)
        case ast.Project(operand, index, span):
            return _project(state, operand, index, span, hint)
        case ast.Tuple(items, span):
            return _tuple(state, items, span, hint)
        case ast.Number():
            return number_value(state, expr, expr.dtype, hint)
        case ast.Infix():
            return _infix(state, expr, hint)
        case ast.Block():
            return _block(state, expr, hint)
        case ast.If():
            return conditional(state, expr, lambda part: infer(state, part), hint)
        case ast.Fn():
            return _closure(state, expr, hint, None)
        case ast.Cast(value, annotation, span):
            held = infer(state, value)
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
            return _name(state, name, span, hint)
        case ast.Match():
            return matched(state, expr, lambda part: infer(state, part), hint)
        case ast.Ref():
            return reference(state, expr, lambda part: infer(state, part), hint)
        case ast.Choose() | ast.Unary() | ast.Hole() | ast.Text() | ast.Nothing():
            state.report("E0307", "type.structure", "this is not an expression", expr.span)
            return state.broken()


# ---------------------------------------------------------------------------------------------- names
def _local(state: Elaboration, name: str, span: Span) -> str:
    """A variable means what it was bound to.  [type.variable] [name.variable]"""
    value = state.names.get(name)
    if value is None:
        state.report("E0202", "name.variable", f"unknown variable `{name}`", span, label="not in scope")
        return state.broken()
    if value in state.unfinished:
        state.unfinished.discard(value)
        message = f"`{name}` is recursive, so its result type must be written"
        state.report("E0310", "type.recursion", message, span)
    return value


def _global(state: Elaboration, name: str, span: Span) -> str:
    """A function's name is a value of its interface's type.  [name.function]"""
    if name not in state.program.spans:
        state.report("E0203", "name.function", f"unknown function `{name}`", span, label="not defined")
        return state.broken()
    signature = state.program.signatures.get(name)
    return state.define(name, BROKEN if signature is None else signature)


def _name(state: Elaboration, name: str, span: Span, hint: str | None) -> str:
    """A dimension name is an int64 scalar: a size becomes a value; a constructor is what it constructs.  [name.type]"""
    dim = state.dims.get(name)
    if dim is None and name in state.program.constructors:
        return constructor_value(state, state.program.constructors[name], span, hint)
    if dim is None:
        state.report("E0202", "name.variable", f"unknown name `{name}`", span, label="neither a dimension nor a value")
        return state.broken()
    type: TensorType[Dim] = TensorType((), DType.INT64, (dim,))
    value = state.fresh(hint)
    state.steps.append(Size(value, dim, type, span))
    return state.define(value, type, Made(f"`{name}`", (), span))


# ------------------------------------------------------------------------------------------------- tuples
def _tuple(state: Elaboration, items: Sequence[ast.Expr], span: Span, hint: str | None) -> str:
    """A tuple of values.  [type.tuple]"""
    fields = tuple([infer(state, item) for item in items])
    for field in fields:  # what is known of an element is known of it in the tuple, as in `stack((%a, %b))`
        state.contents(field)
    types = [state.types[field] for field in fields]
    name = state.fresh(hint)
    known = tuple(type for type in types if not isinstance(type, Broken))
    if len(known) != len(types):
        return state.define(name, BROKEN)
    type = TupleType(known)
    state.steps.append(MakeTuple(name, fields, type, span))
    return state.define(name, type, Made("a tuple", fields, span))


def _project(state: Elaboration, operand: ast.Expr, index: int, span: Span, hint: str | None) -> str:
    """A field of a tuple.  [type.project]"""
    value = infer(state, operand)
    name = state.fresh(hint)
    match state.types[value]:
        case Broken():
            return state.define(name, BROKEN)
        case TupleType(fields) if 0 <= index < len(fields):
            state.steps.append(Project(name, value, index, fields[index], span))
            return state.define(name, fields[index], Made("a projection", (f"{value}#{index}",), span))
        case TupleType(fields):
            message = f"a tuple of {len(fields)} has no field {index}"
            state.report("E0309", "type.project", message, span)
        case other:
            state.report("E0307", "type.project", f"only a tuple has fields, not `{shown(other)}`", span)
    return state.define(name, BROKEN)


# ------------------------------------------------------------------------------------------------- calls
def _call(state: Elaboration, call: ast.Call, hint: str | None) -> str:
    match call.function:
        case ast.Name(name, span):
            return _operator(state, name, call.arguments, call.attributes, call.span, span, hint)
        case _:
            return _invoke(state, call, hint)


def _operator(
    state: Elaboration,
    name: str,
    arguments: Sequence[ast.Expr],
    attributes: Sequence[ast.Attribute],
    span: Span,
    name_span: Span,
    hint: str | None,
) -> str:
    """An application by name: of an operator, or of a constructor.  [name.operator] [name.type]"""
    operands = [infer(state, argument) for argument in arguments]
    constructor = state.program.constructors.get(name)
    if constructor is not None:
        return construct(state, constructor, operands, [argument.span for argument in arguments], span, hint)
    operator = state.program.operators.get(name)
    if operator is None:
        if name[:1].isupper():
            state.report("E0205", "name.type", f"unknown constructor `{name}`", name_span)
        else:
            unknown_operator(state, name, name_span)
        return state.broken()
    given = read_attributes(state, operator, attributes)
    if given is None:
        return state.broken()
    return apply(state, operator, operands, given, span, [argument.span for argument in arguments], hint, attributes)


def _infix(state: Elaboration, expr: ast.Infix, hint: str | None) -> str:
    """An infix operator; an unsuffixed literal takes the other side's element type.  [type.literal]"""
    if expr.op not in _INFIX:
        message = f"`{expr.op}` stands in dims and predicates only"
        state.report("E0307", "type.structure", message, expr.span)
        return state.broken()
    left, right = expr.left, expr.right
    if isinstance(left, ast.Number) and not isinstance(right, ast.Number):
        second = infer(state, right)
        operands = [_adapted(state, left, second), second]
    else:
        first = infer(state, left)
        operands = [first, _adapted(state, right, first)]
    operator = state.program.operators[_INFIX[expr.op]]
    return apply(state, operator, operands, {}, expr.span, [left.span, right.span], hint)


def _adapted(state: Elaboration, expr: ast.Expr, beside: str) -> str:
    type = state.types[beside]
    if not isinstance(expr, ast.Number) or expr.explicit or not isinstance(type, TensorType):
        return infer(state, expr)
    return number_value(state, expr, type.dtype if _fits(expr.value, type.dtype) else expr.dtype, None)


def _fits(value: bool | int | float, dtype: DType) -> bool:
    """Whether an unsuffixed integer literal is a value of an integer type."""
    if type(value) is not int or not dtype.is_integer:
        return False
    bits = dtype.bits - dtype.is_signed
    return (-(1 << bits) if dtype.is_signed else 0) <= value < 1 << bits


def _invoke(state: Elaboration, call: ast.Call, hint: str | None) -> str:
    function = infer(state, call.function)
    return called(state, call, function, [infer(state, argument) for argument in call.arguments], hint)


# ------------------------------------------------------------------------------------------------- blocks
def _block(state: Elaboration, block: ast.Block, hint: str | None) -> str:
    """Items in order, then the value; the names end with the block.  [type.let]"""
    with state.block():
        for item in block.items:
            _item(state, item)
        return infer(state, block.result, hint)


def _item(state: Elaboration, item: ast.Item) -> None:
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
            state.report("E0307", "type.structure", message, span)
            state.bind(name.name, state.broken())


def _let(state: Elaboration, name: ast.Local, annotation: ast.Type | None, value: ast.Expr, span: Span) -> None:
    """A name for a value; an annotation is checked and forgets the rest.  [type.let] [type.annotation]"""
    plain = annotation is None or isinstance(annotation, ast.Omitted)
    hint = name.name if plain else None
    held = _closure(state, value, hint, name.name) if isinstance(value, ast.Fn) else infer(state, value, hint)
    if not plain:
        assert annotation is not None
        held = ascribe(state, held, annotation, value.span, name.span, Site.ANNOTATION, "type.annotation", name.name)
    state.bind(name.name, held)
    state.bindings.append(Binding(name.name, held, name.span))


def _assert(state: Elaboration, item: ast.Assert) -> None:
    """A check written by the user; afterwards it is a known fact.  [type.assert]"""
    message = item.message or "assertion failed"
    reading = Reading(state)
    try:
        goal = reading.predicate(item.condition)
    except NotADim as found:
        if found.rule in ("dim.division",) or isinstance(item.condition, ast.Unary | ast.Choose):
            state.report(found.code, found.rule, found.message, found.span)
            return
        condition = infer(state, item.condition)
        type = state.types[condition]
        if isinstance(type, Broken):
            return
        if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL:
            state.report("E0307", "type.assert", f"`assert` takes a bool, not `{shown(type)}`", item.condition.span)
            return
        content = type.contents[0] if type.contents else None
        if content is None:
            state.steps.append(Assertion(condition, message, item.span))
            return
        goal = content  # type: ignore[assignment]
    discharge_divisions(state, reading)
    owed = Owed(goal, "type.assert", Site.ASSERT, message, item.condition.span, blamed="the assertion")
    owe(state, owed)


# ------------------------------------------------------------------------------------------------- closures
def _closure(state: Elaboration, literal: ast.Fn, hint: str | None, recursive: str | None) -> str:
    """A function literal: its body is checked once, under the facts that hold here.  [type.fn]"""
    name = state.fresh(hint)
    with state.branch() as steps:
        header = read_header(state, literal, name)
        if header is not None and recursive is not None:
            state.bind(recursive, state.define(name, BROKEN if header.type is None else header.type))
            if header.type is None:
                state.unfinished.add(name)
        result = infer(state, literal.body) if header is not None else name
        if header is not None:
            result = _returned(state, result, header, literal)
    state.unfinished.discard(name)
    function = None if header is None else _function(state, header, literal, name, steps, result)
    if function is None:
        return state.define(name, BROKEN)
    state.steps.append(Closure(name, function, function.type, literal.span))
    return state.define(name, function.type, Made("a function literal", (), literal.span))


def completed(state: Elaboration, header: Header, literal: ast.Fn, name: str) -> Function | None:
    """The core of a definition whose declaration was read in this state; None if its result was reported."""
    with state.branch() as steps:
        result = infer(state, literal.body)
        state.bindings.append(Binding("result", result, _last(literal.body).span))
        result = _returned(state, result, header, literal)
    return _function(state, header, literal, name, state.steps + steps, result)


def _function(
    state: Elaboration, header: Header, literal: ast.Fn, name: str, steps: Sequence[Step], result: str
) -> Function | None:
    """A function from its steps; an interface without a written result shows what was inferred.  [type.close]"""
    inferred = state.types[result]
    if header.type is not None:
        type = header.type
    elif isinstance(inferred, Broken):
        return None
    else:
        type = replace(header.interface, result=closed_result(state, header, inferred))
    body = Block(tuple(steps), result)
    return Function(name, header.params, header.binders, header.entry, body, type, not state.gradual, literal.span)


def _returned(state: Elaboration, result: str, header: Header, literal: ast.Fn) -> str:
    """The value of the body at the declared result, or at the inferred one as it is seen outside.

    [type.result] [type.close]
    """
    inferred = state.types[result]
    if isinstance(inferred, Broken):
        return result
    what = f"the result of `{state.function}`"
    place = Place(_last(literal.body).span, Site.RESULT, "type.result", what, what, literal.result)
    if header.type is not None:
        return flow(state, result, header.type.result, place) or state.broken()
    if isinstance(inferred, TensorType):
        return result
    return flow(state, result, closed_result(state, header, inferred), place) or state.broken()


def _last(expr: ast.Expr) -> ast.Expr:
    while isinstance(expr, ast.Block):
        expr = expr.result
    return expr
