"""Calls: infer the callee's dims from the arguments, coerce the arguments, unpack the result.

[type.call.arity] [type.call.dims] [type.call.types] [type.call.argument] [type.call.where] [type.call.result]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gradual.checker.coercion.agreement import agreeing
from gradual.checker.coercion.flow import flow, ranks_met
from gradual.checker.coercion.instantiation import entered
from gradual.checker.obligations.discharge import discharge, require
from gradual.checker.obligations.latent_requirements import foresee
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.obligations.value_names import quoted
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.check import Promise, Site
from gradual.core.terms import Invoke
from gradual.diagnostic import counted
from gradual.dims.term.constraint import Constraint
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.hash_consing import identities, keyed
from gradual.types.instantiation import Agree, at_arguments, is_empty
from gradual.types.positive import stated
from gradual.types.print import shown
from gradual.types.size_of_type import parts_of
from gradual.types.type import FunctionType
from gradual.types.unpacking import sizes


@record
class Rules:
    """The rules of a call's obligations; `blames`: whether a failure blames the call, not an unknown size's source."""

    dims: str
    argument: str
    where: str
    site: Site
    blames: bool


CALLED = Rules("type.call.dims", "type.call.argument", "type.call.where", Site.ARGUMENT, True)
DECLARED = Rules("op.declared.argument", "op.declared.argument", "op.declared.where", Site.OPERATOR, False)


@record
class Callee:
    """A callee: its name in messages, its name in core, its type, and the rules of its calls."""

    name: str
    function: str
    type: FunctionType
    rules: Rules


def called(state: Elaboration, call: ast.Call, function: str, operands: Sequence[str], hint: str | None) -> str:
    """Check a call of a function value; return the core variable of the result."""
    type, spans = state.values.types[function], [argument.span for argument in call.arguments]
    spelling = function if function.startswith("@") else spelled(state, call.function)
    callee = None
    if isinstance(type, FunctionType) and len(type.params) == len(operands):
        declared = function in state.program.functions and not function.startswith("@")
        callee = Callee(function if declared else spelling, function, type, DECLARED if declared else CALLED)
    completed = complete(state, callee, type, operands, spans)
    if completed is None:
        return state.values.broken()
    operands, name = completed, state.values.fresh(hint)
    if isinstance(type, Broken) or any(isinstance(state.values.types[operand], Broken) for operand in operands):
        return state.values.define(name, BROKEN)
    if not isinstance(type, FunctionType):
        message = f"only a function can be called, not `{shown(type)}`"
        state.output.report("E0307", "type.structure", message, call.function.span)
        return state.values.define(name, BROKEN)
    if callee is None:
        message = f"`{spelling}` takes {counted(len(type.params), 'argument')}, not {len(operands)}"
        state.output.report("E0304", "type.call.arity", message, call.span)
        return state.values.define(name, BROKEN)
    return invoked(state, callee, operands, spans, call.span, name)


def complete(
    state: Elaboration, callee: Callee | None, type: object, operands: Sequence[str], spans: Sequence[Span]
) -> Sequence[str] | None:
    """The operands, with deferred lambdas typed by the parameters; None after reporting an error.

    [type.fn.expected]
    """
    if state.values.templates.keys().isdisjoint(operands):
        return operands
    if callee is not None and not _measurable(state, callee, operands, spans):
        return None
    return state.judge.supplied(state, spans, type, operands)


def spelled(state: Elaboration, function: ast.Expr) -> str:
    """The callee as shown in messages: its name, or its source text."""
    match function:
        case ast.Local(name) | ast.Global(name):
            return name
        case ast.Instance(inner):
            return spelled(state, inner)
        case _:
            return quoted(state, function.span)


def invoked(
    state: Elaboration, callee: Callee, operands: Sequence[str], spans: Sequence[Span], span: Span, name: str
) -> str:
    """Define `name` as the result of a call: instantiate dims and types, coerce the arguments, unpack the result."""
    type, called, caller, rules = callee.type, callee.name, f"in `{state.function}`", callee.rules
    if not _measurable(state, callee, operands, spans):
        return state.values.define(name, BROKEN)
    places = _places(state, callee, spans)
    types, before = [state.values.opened(operand) for operand in operands], len(state.obligations.postponed)
    choice = at_arguments(type, types, agree=_agreeing(state, called, spans))
    if choice is None:
        return state.values.define(name, BROKEN)
    state.doubt(name, before)
    for index, goal in choice.owed:
        blamed = f"argument {index + 1} of the call of `{called}` {caller}" if rules.blames else ""
        says = f"argument {index + 1} of `{called}` has no size that fits its declaration"
        owed = Obligation(goal, rules.dims, rules.site, says, spans[index], blamed=blamed, values=tuple(operands))
        if not require(state, owed):
            return state.values.define(name, BROKEN)
    passed: list[str] = []
    for operand, param, place in zip(operands, choice.params, places, strict=True):
        fits = flow(state, operand, param, place)
        if fits is None:
            return state.values.define(name, BROKEN)
        passed.append(fits)
    # If no argument determines a dim, the call is never reached: some argument's type has no values, or the code is
    # unreachable. (In a branch, an argument's rank did not fit, which ended the branch in a check that always fails.)
    assert not choice.unsolved or state.reach.unreachable or any(map(is_empty, types)), (called, types)
    blamed = f"the call of `{called}` {caller}" if rules.blames else ""
    site = Site.WHERE if rules.blames else rules.site
    for clause, goal in zip(type.where, choice.where, strict=True):
        says = f"`{called}` requires `{clause}`"
        owed = Obligation(goal, rules.where, site, says, span, blamed=blamed, values=tuple(operands))
        discharge(state, goal, partial(_as_named, type, clause, owed))
    if type.types and parts_of(choice.result) > state.program.limits.fields:
        message = f"the result of `{called}` has more than {state.program.limits.fields} parts"
        state.output.report("E0307", "type.call.types", message, span)
        return state.values.define(name, BROKEN)
    foresee(state, callee.function, type, types, span)
    promise = Promise(span, f"the result of `{called}`, whose type leaves it open")
    if callee.rules is DECLARED:
        choice = replace(choice, result=keyed(choice.result, called, types))
    known, gradual = len(state.unknowns.existentials), state.strictness.gradual
    result = entered(state, type, choice, types, name, lambda path, axis: promise, identities(operands, types))
    if callee.function in state.program.forgetful:
        state.strictness.gradual = gradual
        state.strictness.forget(list(state.unknowns.existentials)[known:])
    for size in sizes(result):
        state.is_size(size)
    state.output.steps.append(Invoke(name, callee.function, tuple(passed), result, span, choice.types))
    return state.values.define(name, result, Made(f"`{called}`", tuple(operands), span))


def _as_named(type: FunctionType, clause: Constraint, owed: Obligation) -> Obligation:
    """The obligation of a clause; for an implicit clause, the message gives the reason.  [type.positive]"""
    return owed if clause in stated(type) else replace(owed, says=f"{owed.says} of its sizes, as of every named size,")


def _agreeing(state: Elaboration, called: str, spans: Sequence[Span]) -> Agree:
    """The agreement check for types that several arguments determine.  [type.call.types]"""

    def says(left: int, right: int) -> str:
        two = f"arguments {left + 1} and {right + 1}" if left != right else f"two parts of argument {left + 1}"
        return f"{two} of `{called}`"

    return agreeing(state, "type.call.types", spans, says)


def _measurable(state: Elaboration, callee: Callee, operands: Sequence[str], spans: Sequence[Span]) -> bool:
    """Require that the arguments have the declared ranks, so that the dims can be inferred; False after an error.

    Then name the unknown elements of the arguments.  [type.call.dims] [type.unranked.demand]
    """
    places = _places(state, callee, spans)
    each = zip(operands, callee.type.params, places, strict=True)
    if not all(ranks_met(state, operand, param, place) for operand, param, place in each):
        return False
    for operand in operands:
        state.contents(operand)
    return True


def _places(state: Elaboration, callee: Callee, spans: Sequence[Span]) -> list[Place]:
    rules = callee.rules
    places = []
    for index, span in enumerate(spans):
        position = f"argument {index + 1} of `{callee.name}`"
        blamed = f"{position}, in the call in `{state.function}`" if rules.blames else ""
        places.append(Place(span, rules.site, rules.argument, position, blamed))
    return places
