"""Calls: the callee's dims are measured off the arguments, the arguments flow in, the result is opened.

[type.call.arity] [type.call.dims] [type.call.types] [type.call.argument] [type.call.where] [type.call.result]
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.checker.discharge import Owed, owe
from gradual.checker.elaboration import BROKEN, Broken, Elaboration, Made
from gradual.checker.flow import Place, flow, ranks_met
from gradual.checker.polymorphism import agreeing, at_arguments, entered
from gradual.core.terms import Invoke, Promise, Site
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.opening import sizes
from gradual.types.text import shown
from gradual.types.type import FunctionType, OpenedType


def called(state: Elaboration, call: ast.Call, function: str, operands: Sequence[str], hint: str | None) -> str:
    """The core variable that holds the value of a call of a function that is a value."""
    type = state.types[function]
    if not state.templates.keys().isdisjoint(operands):
        from gradual.checker.templates import supplied

        operands = supplied(state, [argument.span for argument in call.arguments], type, operands)
    name = state.fresh(hint)
    if isinstance(type, Broken) or any(isinstance(state.types[operand], Broken) for operand in operands):
        return state.define(name, BROKEN)
    if not isinstance(type, FunctionType):
        message = f"only a function can be called, not `{shown(type)}`"
        state.report("E0307", "type.structure", message, call.function.span)
        return state.define(name, BROKEN)
    spelling = function if function.startswith("@") else _spelling(call.function)
    if len(operands) != len(type.params):
        message = f"`{spelling}` takes {len(type.params)} arguments, not {len(operands)}"
        state.report("E0304", "type.call.arity", message, call.span)
        return state.define(name, BROKEN)
    return _instantiated(state, call, spelling, function, type, operands, name)


def _spelling(function: ast.Expr) -> str:
    match function:
        case ast.Local(name) | ast.Global(name):
            return name
        case ast.Instance(inner):
            return _spelling(inner)
        case _:
            return "the function"


def _place(position: str, span: Span, caller: str) -> Place:
    return Place(span, Site.ARGUMENT, "type.call.argument", position, f"{position}, in the call {caller}")


def _instantiated(
    state: Elaboration,
    call: ast.Call,
    called: str,
    function: str,
    type: FunctionType,
    operands: Sequence[str],
    name: str,
) -> str:
    for operand in operands:
        state.contents(operand)
    caller = f"in `{state.function}`"
    places = [_place(f"argument {i + 1} of `{called}`", a.span, caller) for i, a in enumerate(call.arguments)]
    for operand, param, place in zip(operands, type.params, places, strict=True):
        if not ranks_met(state, operand, param, place):
            return state.define(name, BROKEN)
    types: list[OpenedType] = [state.types[operand] for operand in operands]  # type: ignore[misc]
    choice = at_arguments(type, types, agree=agreeing(state, called, [argument.span for argument in call.arguments]))
    if choice is None:
        return state.define(name, BROKEN)
    for index, goal in choice.owed:
        blamed = f"argument {index + 1} of the call of `{called}` {caller}"
        says = f"argument {index + 1} of `{called}` has no size that fits its declaration"
        span = call.arguments[index].span
        owed = Owed(goal, "type.call.dims", Site.ARGUMENT, says, span, blamed=blamed, values=tuple(operands))
        if not owe(state, owed):
            return state.define(name, BROKEN)
    passed: list[str] = []
    for operand, param, place in zip(operands, choice.params, places, strict=True):
        fits = flow(state, operand, param, place)
        if fits is None:
            return state.define(name, BROKEN)
        passed.append(fits)
    for clause, goal in zip(type.where, choice.where, strict=True):
        says = f"`{called}` requires `{clause}`"
        blamed = f"the call of `{called}` {caller}"
        owed = Owed(goal, "type.call.where", Site.WHERE, says, call.span, blamed=blamed, values=tuple(operands))
        owe(state, owed)
    promise = Promise(call.span, f"the result of `{called}`, whose type leaves it open")
    result = entered(state, type, choice, types, name, lambda path, axis: promise)
    for size in sizes(result):
        state.is_size(size)
    state.steps.append(Invoke(name, function, tuple(passed), result, call.span, choice.types))
    return state.define(name, result, Made(f"`{called}`", tuple(operands), call.span))
