"""Applications: of operators and constructors by name, and of functions that are values."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.checker.coercion.datatypes import construct, constructor_named, constructor_type
from gradual.checker.expressions.declared_operator import Application, applied
from gradual.checker.expressions.literals import adapted, adapts, alike, neighbour, parts
from gradual.checker.expressions.names import size_value
from gradual.checker.expressions.tuples import tuple_of
from gradual.checker.functions.attributes import read_attributes
from gradual.checker.functions.call import called, spelled
from gradual.checker.functions.deferred_lambda import called_template, supplied
from gradual.checker.functions.operator import apply, form, unknown_operator
from gradual.checker.obligations.unknown_rank import demanded_scalar, settle_ranks
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken, Typed
from gradual.ops.catalogue import by_symbol
from gradual.ops.declaration.operator import Operator
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import TensorType, TupleType, UnrankedType


def application(state: Elaboration, call: ast.Call, hint: str | None) -> str:
    """Check a call, by name or of a function value; return the core variable of the result."""
    function = call.function
    if isinstance(function, ast.Name):
        return application_by_name(
            state, function.name, call.arguments, call.attributes, call.span, function.span, hint
        )
    return _invoke(state, call, hint)


def application_by_name(
    state: Elaboration,
    name: str,
    arguments: Sequence[ast.Expr],
    attributes: Sequence[ast.Attribute],
    span: Span,
    name_span: Span,
    hint: str | None,
) -> str:
    """Check an application of an operator or a constructor by name.  [name.operator] [name.type]"""
    constructor = constructor_named(state, name) if name in state.program.constructors else None
    if constructor is not None:
        _no_attributes(state, f"`{name}`", attributes)
        spans = [argument.span for argument in arguments]
        fields = [state.judge.deferred(state, argument) for argument in arguments]
        fields = supplied(state, spans, constructor_type(state.program, constructor), fields)
        return construct(state, constructor, fields, spans, span, hint)
    if name == "dim":
        return size_value(state, ast.Call(ast.Name(name, name_span), tuple(arguments), tuple(attributes), span), hint)
    if name in state.program.functions:
        application = Application(name, arguments, attributes, span)
        return applied(state, application, lambda part: state.judge.deferred(state, part), hint)
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
    given = None if operator is None else read_attributes(state, operator, attributes) if attributes else {}
    if operator is None or given is None:
        return state.values.broken()
    if operator.family == "marking" and len(operands) == 1 and not _is_ranked(state.values.types[operands[0]]):
        return operands[0]
    return apply(state, operator, operands, given, span, [argument.span for argument in arguments], hint, attributes)


def _is_ranked(type: Typed) -> bool:
    """Whether a value is a tensor of known rank or a tuple of such tensors.

    For any other value, an application of an operator that only marks its operand (`annotation.stop_fusion`) is left
    out of core.
    """
    match type:
        case TupleType(fields):
            return all(map(_is_ranked, fields))
        case _:
            return isinstance(type, TensorType)


def infix_application(state: Elaboration, expr: ast.Infix, hint: str | None) -> str:
    """Check an infix application; an unsuffixed literal takes the other side's element type.  [type.literal]"""
    operator = by_symbol().get(expr.op)
    if operator is None:
        state.output.report("E0307", "type.structure", only_in_predicates(expr.op), expr.span)
        return state.values.broken()
    operands = _operands(state, (expr.left, expr.right), (0, 1))
    return apply(state, operator, operands, {}, expr.span, [expr.left.span, expr.right.span], hint)


def only_in_predicates(op: str) -> str:
    """The message about an operator of predicates that combines values."""
    return f"`{op}` is only allowed in dimensions and predicates"


def _operands(state: Elaboration, arguments: Sequence[ast.Expr], alike: Sequence[int]) -> list[str]:
    """Check the arguments left to right; unsuffixed literals at `alike` come last and take the dtype of a neighbour.

    [type.literal]
    """
    slots = [part for place in alike for part in parts(arguments[place])] if alike else []
    if not any(map(adapts, slots)):
        return [_operand(state, argument) for argument in arguments]
    beside = slots[neighbour(slots)]
    waiting = {id(part): part for part in slots if adapts(part) and part is not beside}
    each = [parts(argument) if place in alike else (argument,) for place, argument in enumerate(arguments)]
    held = {id(part): state.judge.infer(state, part) for some in each for part in some if id(part) not in waiting}
    type = state.values.types[held[id(beside)]]
    for key, part in waiting.items():
        if isinstance(type, TensorType | UnrankedType):
            held[key] = adapted(state, part, type.dtype)
        else:
            held[key] = state.judge.infer(state, part)
    found = []
    for argument, some in zip(arguments, each, strict=True):
        fields = [held[id(part)] for part in some]
        found.append(fields[0] if some == (argument,) else tuple_of(state, fields, argument.span, None))
    return found


def _operand(state: Elaboration, argument: ast.Expr) -> str:
    """Check an argument; most are variables, whose values have been checked."""
    value = state.scope.names.get(argument.name) if isinstance(argument, ast.Local) else None
    if value is None or value in state.values.templates:
        return state.judge.infer(state, argument)
    return value


def _extremum(
    state: Elaboration, whole: Operator, pairwise: str, arguments: Sequence[ast.Expr], span: Span, hint: str | None
) -> str:
    """Check the extremum of several scalars, as in `max(n - 2, 0)`, by pairwise application.  [type.extremum]"""
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


def _no_attributes(state: Elaboration, called: str, attributes: Sequence[ast.Attribute]) -> None:
    """Report attributes of a call that takes none; calls as TVM prints them (`attrs_type_key`) are accepted.

    [name.attribute]
    """
    if any(attribute.key == "attrs_type_key" for attribute in attributes):
        return
    for attribute in attributes:
        message = f"{called} takes its arguments by position, not as `{attribute.key}`"
        state.output.report("E0207", "name.attribute", message, attribute.span)


def _invoke(state: Elaboration, call: ast.Call, hint: str | None) -> str:
    _no_attributes(state, f"`{spelled(state, call.function)}`", call.attributes)
    function = state.judge.deferred(state, call.function)
    operands = [state.judge.deferred(state, argument) for argument in call.arguments]
    if function in state.values.templates:
        return called_template(state, call, function, operands, lambda part: state.judge.deferred(state, part, hint))
    return called(state, call, function, operands, hint)
