"""Deferred lambdas: function literals without parameter types, inlined at calls or typed by their context.

`let %f = fn (%x) { … }; %f(%a)` is checked as `let %x = %a; …` in the scope of the literal, so that the body uses the
operands' own types and nothing has to be inferred.  A literal that flows into a function type takes its parameter types
from there.  A literal that is recursive, or used as a value otherwise, becomes a closure at inferred types.
[type.template] [type.fn.expected] [type.omitted]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gradual.checker.coercion.agreement import promising
from gradual.checker.coercion.ascription import Ascription, ascribe
from gradual.checker.coercion.instantiation import leaves_open
from gradual.checker.functions.call import called, spelled
from gradual.checker.functions.lambda_ import closure
from gradual.checker.obligations.grouping import IN_CALL
from gradual.checker.program.elided import (
    Template,
    applied_operator,
    calls_itself,
    is_deferred,
    is_omitted,
    is_written_out,
)
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken
from gradual.core.check import Site
from gradual.diagnostic import Diagnostic, Related, counted
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import last, mentioned
from gradual.types.instantiation import at_arguments
from gradual.types.print import shown
from gradual.types.substitution import type_variables
from gradual.types.type import DataType, FunctionType, GradualType, NeverType, OpenedType, ReferenceType, TupleType
from gradual.types.unpacking import closed

Infer = Callable[[ast.Expr], str]


def template(state: Elaboration, literal: ast.Fn, hint: str | None, named: str | None) -> str:
    """Define a core variable for a deferred lambda; it has no type yet.  [type.template]"""
    name = state.values.define(state.values.fresh(hint), BROKEN)
    itself = named if named is not None and calls_itself(literal, named) else None
    state.values.templates[name] = Template(literal, state.scope.of(mentioned(literal)), itself)
    return name


def settled(state: Elaboration, value: str, span: Span) -> str:
    """Make a deferred lambda a closure at inferred types; return any other value unchanged.  [type.omitted]"""
    if value not in state.values.templates:
        return value
    literal = state.values.templates[value].literal
    name = applied_operator(literal)
    if name is None:
        return _closure(state, value, span, None)
    params = ", ".join(f"{param.name.name}: …" for param in literal.params)
    message = f"cannot infer the arguments of `{name}` here; write `fn ({params}) {{ {name}(…) }}`"
    state.output.report("E0310", "type.omitted", message, literal.span)
    return state.values.broken()


def deferred_at(state: Elaboration, value: str, target: GradualType, span: Span, through: str, rule: str) -> str | None:
    """Make a deferred lambda a closure with the parameter types of a target function type.

    None after reporting a target that is not a function type with as many parameters.  [type.fn.expected]
    """
    literal = state.values.templates[value].literal
    if not isinstance(target, FunctionType) or len(target.params) != len(literal.params):
        number = "one parameter" if len(literal.params) == 1 else f"{len(literal.params)} parameters"
        state.output.report("E0307", rule, f"{through}: a function of {number} is not `{shown(target)}`", span)
        _looked_at(state, value, literal)
        return None
    return _closure(state, value, span, target if _says(target, literal) else None)


def _says(target: FunctionType, literal: ast.Fn) -> bool:
    """Whether a type determines the omitted parameter types: one with `_` inside, such as `List[_]`, does not."""
    pairs = zip(literal.params, target.params, strict=True)
    return not any(is_omitted(param.annotation) and _is_empty(type) for param, type in pairs)


def _is_empty(type: GradualType) -> bool:
    """Whether the bottom type `_` occurs in a type."""
    match type:
        case NeverType():
            return True
        case TupleType(parts) | DataType(_, parts):
            return any(map(_is_empty, parts))
        case FunctionType(params=params, result=result):
            return any(map(_is_empty, (*params, result)))
        case ReferenceType(content):
            return _is_empty(content)
        case _:
            return False


def _closure(state: Elaboration, value: str, span: Span, expected: FunctionType | None) -> str:
    waiting = state.values.templates[value]
    waiting.used = True
    with state.scope.within(waiting.scope, span):
        return closure(state, waiting.literal, value, waiting.itself, expected)


# ------------------------------------------------------------------------------------------------------------ calls
def called_template(state: Elaboration, call: ast.Call, value: str, operands: Sequence[str], infer: Infer) -> str:
    """Check a call of a deferred lambda by inlining its body; return the core variable of the result.

    [type.template] [type.call.arity]
    """
    waiting = state.values.templates[value]
    literal = waiting.literal
    if len(operands) != len(literal.params):
        takes = counted(len(literal.params), "argument")
        message = f"`{spelled(state, call.function)}` takes {takes}, not {len(operands)}"
        state.output.report("E0304", "type.call.arity", message, call.span)
        return state.values.broken()
    if waiting.itself is not None:
        return called(state, call, settled(state, value, call.function.span), operands, None)
    if not is_written_out(literal):
        passed = [settled(state, one, part.span) for one, part in zip(operands, call.arguments, strict=True)]
        function = _closure(state, value, call.function.span, _passing(state, literal, passed))
        return called(state, call, function, passed, None)
    waiting.used = True
    if not _affordable(state, call):
        return state.values.broken()
    return _written_out(state, call, waiting, operands, infer)


def _passing(state: Elaboration, literal: ast.Fn, operands: Sequence[str]) -> FunctionType | None:
    """A function type whose parameters have the operands' types; None if an operand is broken (reported already)."""
    types = [state.values.types[operand] for operand in operands]
    known = [type for type in types if not isinstance(type, Broken)]
    if len(known) < len(types):
        return None
    return FunctionType(
        _unnamed(literal), tuple(closed(type, state.values.is_visible) for type in known), TupleType(())
    )


def _unnamed(literal: ast.Fn) -> tuple[str, ...]:
    """Placeholder parameter names for a function type that mentions none of them."""
    return tuple(f"%?{place}" for place in range(len(literal.params)))


def _affordable(state: Elaboration, call: ast.Call) -> bool:
    """Whether one more call may be inlined; report the first call that exceeds the limits."""
    limits = state.program.limits
    state.output.written_out += 1
    if state.output.written_out <= limits.expansions and len(state.scope.calls) < limits.nesting:
        return True
    if state.output.written_out < 2 * limits.expansions:
        state.output.written_out = 2 * limits.expansions
        message = "calls of functions without types are expanded, and here the expansion never ends; write the types"
        outermost = (*state.scope.calls, call.span)[0]
        related = (Related(outermost, "from here"),) if outermost != call.span else ()
        state.output.report("E0310", "type.template", message, call.span, related=related)
    return False


def _written_out(state: Elaboration, call: ast.Call, waiting: Template, operands: Sequence[str], infer: Infer) -> str:
    literal = waiting.literal
    marks = len(state.output.diagnostics), len(state.obligations.postponed), len(state.obligations.deferred)
    with state.scope.within(waiting.scope, call.span):
        for param, operand, argument in zip(literal.params, operands, call.arguments, strict=True):
            held = _at(state, operand, param.annotation, argument.span, Site.ARGUMENT, f"parameter `{param.name.name}`")
            state.scope.show(param.name.name, held, param.name.span)
        result = infer(literal.body)
        if not is_omitted(literal.result):
            span = last(literal.body).span
            result = _at(state, result, literal.result, span, Site.RESULT, "the result of the function")
        for operand in operands:
            if operand in state.values.templates and operand != result and not state.values.templates[operand].used:
                _looked_at(state, operand, state.values.templates[operand].literal)
    _say_where(state, marks, call.span)
    return result


def _at(state: Elaboration, value: str, annotation: ast.Type | None, span: Span, site: Site, what: str) -> str:
    """Ascribe an annotation of the literal to a value; return the value unchanged if there is none."""
    if annotation is None or isinstance(annotation, ast.Omitted):
        return value
    rule = "type.call.argument" if site is Site.ARGUMENT else "type.result"
    return ascribe(state, value, Ascription(annotation, span, span, site, rule, what), None)


def _say_where(state: Elaboration, marks: tuple[int, int, int], span: Span) -> None:
    """Relate the call at `span` to every diagnostic that was added since `marks`, while its body was checked."""

    def here(found: Diagnostic) -> Diagnostic:
        known = any(related.span == span for related in found.related) or found.span == span
        return found if known else replace(found, related=(*found.related, Related(span, IN_CALL)))

    diagnostics, postponed, deferred = marks
    state.output.diagnostics[diagnostics:] = map(here, state.output.diagnostics[diagnostics:])
    state.obligations.deferred[deferred:] = map(here, state.obligations.deferred[deferred:])
    state.obligations.postponed[postponed:] = [
        replace(one, error=here(one.error)) for one in state.obligations.postponed[postponed:]
    ]


# -------------------------------------------------------------------------------------------------------- arguments
def supplied(state: Elaboration, spans: Sequence[Span], type: object, operands: Sequence[str]) -> list[str]:
    """The operands of a function or a constructor, with deferred lambdas typed by the parameters.

    The parameter types are instantiated from the other arguments first.  [type.fn.expected]
    """
    wanted: list[GradualType | None] = [None] * len(operands)
    doubted = False
    if operands and isinstance(type, FunctionType) and len(type.params) == len(operands):
        wanted, doubted = _wanted(state, type, operands, spans[0])
    found: list[str] = []
    mark = len(state.obligations.postponed)
    for index, (operand, target) in enumerate(zip(operands, wanted, strict=True)):
        held: str | None = operand
        if operand in state.values.templates:
            span, through = spans[index], f"argument {index + 1}"
            at = (*found, operand, *operands[index + 1 :])
            held = (
                settled(state, operand, span)
                if target is None
                else _argument(state, type, at, index, target, span, through)
            )
        found.append(held or state.values.broken())
    if doubted:
        state.obligations.postponed[mark:] = [replace(one, follows=True) for one in state.obligations.postponed[mark:]]
    return found


def _argument(
    state: Elaboration,
    type: object,
    operands: Sequence[str],
    index: int,
    target: GradualType,
    span: Span,
    through: str,
) -> str | None:
    """Type a deferred lambda among the operands by its parameter's type; None after reporting a mismatch.

    A type parameter may occur both in the parameters and in the result of the expected type: `a` in `fn (a, b) -> a`.
    If the lambda's result makes `a` more general than the other arguments do, the lambda is checked again.
    """
    mark, proved, said = _marks(state), state.obligations.proved, len(state.output.diagnostics)
    held = deferred_at(state, operands[index], target, span, through, "type.call.argument")
    if held is None or not isinstance(type, FunctionType) or not _gives_what_it_takes(type.params[index]):
        return held
    wanted, doubted = _wanted(state, type, (*operands[:index], held, *operands[index + 1 :]), span)
    wider = wanted[index]
    if wider is None or doubted or len(state.output.diagnostics) > said or not _takes_more(wider, target):
        return held
    state.obligations.proved = proved
    for made, length in mark:
        del made[length:]
    return deferred_at(state, operands[index], wider, span, through, "type.call.argument")


def _marks(state: Elaboration) -> list[tuple[list[Any], int]]:
    """The lists of steps, checks, obligations and bindings, each with its current length, to roll back to."""
    lists: tuple[list[Any], ...] = (
        state.output.steps,
        state.obligations.checks,
        state.obligations.postponed,
        state.scope.bindings,
    )
    return [(made, len(made)) for made in lists]


def _gives_what_it_takes(type: GradualType) -> bool:
    """Whether some type parameter occurs both in a parameter and in the result of a function type."""
    if not isinstance(type, FunctionType):
        return False
    taken = {variable for param in type.params for variable in type_variables(param)}
    return not taken.isdisjoint(type_variables(type.result))


def _takes_more(wider: GradualType, target: GradualType) -> bool:
    """Whether both are function types and their parameter types differ."""
    return isinstance(wider, FunctionType) and isinstance(target, FunctionType) and wider.params != target.params


def _wanted(
    state: Elaboration, type: FunctionType, operands: Sequence[str], span: Span
) -> tuple[list[GradualType | None], bool]:
    """Each parameter's type, None unless arguments that are no deferred lambdas determine it; and whether two disagree.

    A disagreement of named sizes does not make the function gradual: it is reported as an error.  [type.strict]
    """
    types: list[OpenedType] = []
    for operand in operands:
        held = state.values.types[operand]
        types.append(NeverType() if isinstance(held, Broken) else held)
    before = len(state.obligations.postponed)
    applied = at_arguments(type, types, agree=promising(state, "type.agree", span))
    assert applied is not None
    doubted = any(postponed.fails for postponed in state.obligations.postponed[before:])
    del state.obligations.postponed[before:]  # checking the call itself adds them again
    agreed = not leaves_open(state, type, types)
    hidden = {variable for variable, found in zip(type.types, applied.types, strict=True) if _is_empty(found)}
    wanted: list[GradualType | None] = []
    for declared, param in zip(type.params, applied.params, strict=True):
        shows = declared.params if isinstance(declared, FunctionType) else (declared,)
        open = not hidden.isdisjoint(variable for part in shows for variable in type_variables(part))
        wanted.append(None if open else param)
        if agreed:
            state.strictness.agree(param)
    return wanted, doubted


def unused(state: Elaboration, mark: int, result: str) -> None:
    """Check the deferred lambdas that were bound since a mark and never used, last first.  [type.template]"""
    for name, waiting in reversed(list(state.values.templates.items())[mark:]):
        if not waiting.used and name != result:
            _looked_at(state, name, waiting.literal)


def _looked_at(state: Elaboration, value: str, literal: ast.Fn) -> None:
    """Check the body of an unused deferred lambda with parameters of the bottom type.  [type.template]"""
    checks, diagnostics = len(state.obligations.checks), len(state.output.diagnostics)
    types = (NeverType(),) * len(literal.params)
    _closure(state, value, literal.span, FunctionType(_unnamed(literal), types, TupleType(())))
    del state.obligations.checks[checks:]
    state.output.diagnostics[diagnostics:] = [
        found for found in state.output.diagnostics[diagnostics:] if found.code != "E0310"
    ]


def function_literal(state: Elaboration, literal: ast.Fn, hint: str | None, named: str | None) -> str:
    """Check a function literal, or defer it if it has a parameter without a type."""
    if is_deferred(literal):
        return template(state, literal, hint, named)
    return closure(state, literal, hint, named)
