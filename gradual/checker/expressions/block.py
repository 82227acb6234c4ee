"""Blocks: their items and their values."""

from __future__ import annotations

from gradual.checker.coercion.ascription import Ascription, ascribe
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import NotADim, Sizes, discharge_divisions
from gradual.checker.expressions.application import only_in_predicates
from gradual.checker.functions.deferred_lambda import function_literal, unused
from gradual.checker.obligations.discharge import require
from gradual.checker.obligations.obligation import UNSAID, Obligation
from gradual.checker.obligations.unknown_rank import demanded_scalar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken
from gradual.core.check import Site
from gradual.core.terms import Assertion
from gradual.dims.term.constraint import Constraint
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import TensorType


def block_value(state: Elaboration, block: ast.Block, hint: str | None) -> str:
    """Check the items in order, then the value; their names are in scope until the block ends.  [type.let]"""
    with state.scope.block():
        mark = len(state.values.templates)
        for item in block.items:
            _item(state, item)
        result = state.judge.deferred(state, block.result, hint)
        if len(state.values.templates) > mark:
            unused(state, mark, result)
        return result


def _item(state: Elaboration, item: ast.Item) -> None:
    match item:
        case ast.Let():
            _let(state, item)
        case ast.Assert():
            _assert(state, item)
        case ast.FreeVar(name, _, span):
            message = f"`free_var {name.name}` may only stand before a file's single expression"
            state.output.report("E0307", "type.structure", message, span)
            state.scope.bind(name.name, state.values.broken())


def _let(state: Elaboration, item: ast.Let) -> None:
    """Bind a name; if it has an annotation, that becomes the value's type.  [type.let] [type.annotation]"""
    name, annotation, value = item.name, item.annotation, item.value
    if name is None:
        state.judge.infer(state, value)
        return
    plain = annotation is None or isinstance(annotation, ast.Omitted)
    hint = name.name if plain else None
    held = (
        function_literal(state, value, hint, name.name)
        if isinstance(value, ast.Fn)
        else state.judge.deferred(state, value, hint)
    )
    if not plain:
        assert annotation is not None
        what = f"the annotation of `{name.name}`"
        written = Ascription(annotation, value.span, name.span, Site.ANNOTATION, "type.annotation", what)
        held = ascribe(state, held, written, name.name)
    state.scope.show(name.name, held, name.span)


def _assert(state: Elaboration, item: ast.Assert) -> None:
    """Require the asserted condition; afterwards it is a known fact.  [type.assert]"""
    message = item.message or UNSAID
    reading = Sizes(state)
    try:
        goal = reading.predicate(item.condition)
    except Unreadable:
        return
    except NotADim as found:
        if found.rule == "dim.division" or isinstance(item.condition, ast.Choose):
            found.report(state)
            return
        if isinstance(item.condition, ast.Unary | ast.Infix) and item.condition.op in ("not", "and", "or"):
            _combined(state, found, item.condition)
            return
        condition = state.judge.infer(state, item.condition)
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


def _combined(state: Elaboration, found: NotADim, condition: ast.Unary | ast.Infix) -> None:
    """Report names that are not in scope, and a part that is no constraint.  [type.assert] [name.dimension]"""
    errors = list(found.each())
    for error in errors:
        if not error.is_value:
            error.report_alone(state)
    if any(error.is_value for error in errors):
        state.output.report("E0307", "type.structure", only_in_predicates(condition.op), condition.span)


def _asserted(state: Elaboration, goal: Constraint, message: str, item: ast.Assert) -> None:
    """Require the constraint that the assertion implies; it is known afterwards.  [type.assert] [type.if.part]"""
    require(state, Obligation(goal, "type.assert", Site.ASSERT, message, item.condition.span, blamed="the assertion"))
