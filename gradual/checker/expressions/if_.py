"""`if`: each branch is checked under its path condition, and their types are joined without inserting a check."""

from __future__ import annotations

from collections.abc import Callable

from gradual.checker.joins.branch import Branch, read_under, settled_facts
from gradual.checker.joins.join import joined
from gradual.checker.joins.unreachable import alike, as_written
from gradual.checker.obligations.size_tests import ends, is_test, reached, taken
from gradual.checker.obligations.unknown_rank import demanded_scalar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.refinement import UNKNOWN, Implied
from gradual.core.terms import Block, If, Rename
from gradual.dims.term.constraint import FALSE, TRUE, Constraint
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import last
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import OpenedType, TensorType, TupleType


def conditional(state: Elaboration, expr: ast.If, infer: Callable[[ast.Expr], str], hint: str | None) -> str:
    """Check an `if`; return the core variable of its value.  [type.if.condition] [type.if.facts]"""
    condition = infer(expr.condition)
    truth = _truth(state, condition, expr.condition.span)
    test = is_test(state, condition)
    always = taken(state, truth.holds, truth.fails) if test and not state.reach.unreachable else None
    if test and not state.reach.unreachable:
        state.output.decided[expr.span] = always if state.output.decided.get(expr.span, always) == always else None
    if always is not None:
        return _taken(state, expr, always, infer, hint)
    with state.reach.beside(reported=isinstance(state.values.types[condition], Broken)):
        sides = ((expr.then, truth.holds), (expr.orelse, truth.fails))
        branches = [_branch(state, side, infer, holds, test) for side, holds in sides]
    for branch in branches:
        state.facts.passed(branch.given, branch.failing)
    name = state.values.fresh(hint)
    if isinstance(state.values.types[condition], Broken):
        return state.values.define(name, BROKEN)
    with state.reach.testing(test=test):
        landed = joined(state, name, truth.exact, branches, "type.if.join")
    if landed is None:
        return state.values.define(name, BROKEN)
    type, (then, orelse) = landed
    state.output.steps.append(If(name, condition, then.block, orelse.block, type, expr.span))
    told = as_written(state, name, type, branches, "type.if.join")
    if then.ended and orelse.ended:
        ends(state, expr.span, "`if`")
    for branch, elsewhere in ((then, truth.fails), (orelse, truth.holds)):
        if branch.ended and elsewhere is not TRUE:
            state.facts.assume(elsewhere, learnt=True, ended=True)
    return state.values.define(name, told, Made("`if`", (then.block.result, orelse.block.result), expr.span))


def _truth(state: Elaboration, condition: str, span: Span) -> Implied:
    """The constraints on sizes that the condition's truth and falsity imply.  [type.if.part]"""
    scalar = demanded_scalar(state, condition, span, "type.if.condition", "the condition")
    type = state.values.types[condition] if scalar else BROKEN
    if isinstance(type, Broken):
        state.values.types[condition] = BROKEN
        return UNKNOWN
    if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL:
        state.output.report("E0307", "type.if.condition", f"a condition is a bool, not `{shown(type)}`", span)
        state.values.types[condition] = BROKEN
        return UNKNOWN
    return state.values.implied(condition)


def _taken(state: Elaboration, expr: ast.If, always: bool, infer: Callable[[ast.Expr], str], hint: str | None) -> str:
    """Replace an `if` by the branch that is always taken; the dead branch is checked without obligations.

    [type.if.taken]
    """
    live, dead = (expr.then, expr.orelse) if always else (expr.orelse, expr.then)
    with state.untaken():
        other = infer(dead)
    with state.scope.block():
        result = infer(live)
    values = {live: result, dead: other}
    sides = [(values[side], last(side).span) for side in (expr.then, expr.orelse)]
    alike(state, state.values.fresh(None), sides, "type.if.join")
    return _as_known(state, result, expr, hint)


def _as_known(state: Elaboration, value: str, expr: ast.If, hint: str | None) -> str:
    """The value of the taken branch with its sizes rewritten by the facts known after the `if`."""
    type = state.values.types[value]
    if isinstance(type, Broken) or (known := _rewritten(state, type)) == type:
        return value
    name = state.values.fresh(hint)
    state.output.steps.append(Rename(name, value, known, expr.span))
    return state.values.define(name, known, Made("`if`", (value,), expr.span))


def _rewritten(state: Elaboration, type: OpenedType) -> OpenedType:
    """A type with the sizes of its tensors rewritten by the facts."""
    match type:
        case TensorType(shape, dtype, contents):
            return TensorType(tuple(map(state.rewritten, shape)), dtype, contents)
        case TupleType(fields):
            return TupleType(tuple(_rewritten(state, field) for field in fields))
        case _:
            return type


def _branch(
    state: Elaboration, expr: ast.Expr, infer: Callable[[ast.Expr], str], truth: Constraint, test: bool
) -> Branch:
    with state.branch() as steps:
        if truth.value is not True:
            state.program.decider.suppose(state.facts, truth)
        deserted, before = FALSE in state.facts.path, len(state.facts.failing)
        with state.reach.testing(test=test):
            result = infer(expr)
        held, ended, result = result, state.reach.ended_at is not None, reached(state, result, last(expr).span)
        failing = state.facts.failing[before:]
        type, settled = state.values.types[result], settled_facts(state)
    read = read_under(state, truth, type)
    block, at = Block(tuple(steps), result), last(expr).span
    return Branch(block, type, read, at, truth, deserted, failing, settled, ended, held)
