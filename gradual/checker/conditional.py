"""`if`: each branch is checked under its own path fact, and their types are joined without inserting a check."""

from __future__ import annotations

from collections.abc import Callable

from gradual.checker.branches import Branch, read_under, settled_facts
from gradual.checker.elaboration import BROKEN, Broken, Elaboration, Made
from gradual.checker.joins import joined
from gradual.checker.unranked import demanded_scalar
from gradual.core.implied import UNKNOWN, Implied
from gradual.core.terms import Block, If
from gradual.dims.constraint import FALSE, Constraint
from gradual.source import Span
from gradual.syntax import ast
from gradual.syntax.within import last
from gradual.types.dtype import DType
from gradual.types.text import shown
from gradual.types.type import TensorType


def conditional(state: Elaboration, expr: ast.If, infer: Callable[[ast.Expr], str], hint: str | None) -> str:
    """The core variable that holds the value of `if`.  [type.if.condition] [type.if.facts]"""
    condition = infer(expr.condition)
    truth = _truth(state, condition, expr.condition.span)
    with state.beside(reported=isinstance(state.types[condition], Broken)):
        branches = [_branch(state, expr.then, infer, truth.holds), _branch(state, expr.orelse, infer, truth.fails)]
    for branch in branches:
        state.facts.passed(branch.given, branch.failing)
    name = state.fresh(hint)
    if isinstance(state.types[condition], Broken):
        return state.define(name, BROKEN)
    landed = joined(state, name, truth.exact, branches, "type.if.join")
    if landed is None:
        return state.define(name, BROKEN)
    type, (then, orelse) = landed
    state.steps.append(If(name, condition, then.block, orelse.block, type, expr.span))
    return state.define(name, type, Made("`if`", (then.block.result, orelse.block.result), expr.span))


def _truth(state: Elaboration, condition: str, span: Span) -> Implied:
    """What the condition says about sizes.  [type.if.part]"""
    scalar = demanded_scalar(state, condition, span, "type.if.condition", "the condition")
    type = state.types[condition] if scalar else BROKEN
    if isinstance(type, Broken):
        state.types[condition] = BROKEN
        return UNKNOWN
    if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL:
        state.report("E0307", "type.if.condition", f"a condition is a bool, not `{shown(type)}`", span)
        state.types[condition] = BROKEN
        return UNKNOWN
    return state.implied(condition)


def _branch(state: Elaboration, expr: ast.Expr, infer: Callable[[ast.Expr], str], truth: Constraint) -> Branch:
    with state.branch() as steps:
        if truth.value is not True:
            state.program.decider.suppose(state.facts, truth)
        deserted, before = FALSE in state.facts.path, len(state.facts.failing)
        result = infer(expr)
        failing = state.facts.failing[before:]
        type, settled = state.types[result], settled_facts(state)
    read = read_under(state, truth, type)
    return Branch(Block(tuple(steps), result), type, read, last(expr).span, truth, deserted, failing, settled)
