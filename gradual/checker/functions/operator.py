"""Apply an operator: evaluate its judgement, discharge its needs, unpack its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from sys import intern
from typing import Any, cast

from gradual.checker.functions.attributes import is_wrong
from gradual.checker.functions.index_bounds import owe_bounds
from gradual.checker.functions.needs import goal_of, obligation_of
from gradual.checker.functions.results import (
    name_unknown_sizes,
    remember_result,
    settled,
    settled_contents,
    settled_result,
    with_elements,
)
from gradual.checker.joins.unreachable import at_any_rank, of_any_rank
from gradual.checker.obligations.discharge import discharge, refuse
from gradual.checker.obligations.unknown_rank import Application, asked
from gradual.checker.program.rule_cache import Answer, Asked, question
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Broken, Made
from gradual.core.check import Promise
from gradual.core.refinement import of_result
from gradual.core.terms import Apply
from gradual.diagnostic import Diagnostic, counted
from gradual.dims.term.constraint import TRUE
from gradual.limits import LIMITS
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, Operator
from gradual.ops.declaration.unknown_rank import Asking
from gradual.ops.other.not_supported import reason
from gradual.ops.two_forms import PREFIX, forms
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import OpenedType, TensorType
from gradual.types.unpacking import shapes_unknown

_CODES = {
    "op.rank": "E0303",
    "op.dtype": "E0306",
    "op.axis": "E0305",
    "op.attribute": "E0312",
    "op.structure": "E0307",
}
_OF_RANKS = ("op.rank", "op.axis", "op.attribute")
"""The rules whose violation may depend on the operands' ranks."""


def apply(
    state: Elaboration,
    operator: Operator,
    operands: Sequence[str],
    given: Mapping[str, Any],
    span: Span,
    spans: Sequence[Span],
    hint: str | None = None,
    written: Sequence[ast.Attribute] = (),
) -> str:
    """Check `operator(operands)`; return the core variable of the result.  [type.operator]"""
    values = state.values
    name = values.fresh(hint)
    for operand in operands:
        if isinstance(values.types[operand], Broken):
            return values.define(name, BROKEN)
    if len(operands) != len(operator.arguments):
        _wrong_number(state, operator, len(operands), span)
        return values.define(name, BROKEN)
    if operator.reads or operator.contents is not None:
        _open_contents(state, operator, operands)
    answer = _answer(state, operator, operands, given, span, spans, written)
    if answer is None:
        return values.define(name, BROKEN)
    if answer.owes or operator.lookups is not None:
        if not _is_met(state, operator, answer, operands, span, spans):
            values.failed.add(name)
    elif not state.reach.unreachable:
        state.obligations.proved += len(answer.asked.judgement.needs)
    made, sources = intern(f"`{operator.name}`"), tuple(operands)
    type = settled(state, answer)
    if type is None:
        promise = answer.asked.promise or Promise(span, f"the elements that {made} met")
        type = _result(state, operator, answer, name, sources, promise)
    if operator.connective is not None:
        truth = of_result(operator, type, lambda: [values.implied(operand) for operand in sources])
        if truth is not None:
            values.implications[name] = truth
    step = Apply(name, operator, sources, answer.settings, type, span, answer.asked.accepts)
    state.output.steps.append(step)
    if operator.ranges is not None:
        values.ranges.apply(step, values.types)
    return values.define(name, type, Made(made, sources, span, operator.comparison))


def _is_met(
    state: Elaboration,
    operator: Operator,
    answer: Answer,
    operands: Sequence[str],
    span: Span,
    spans: Sequence[Span],
) -> bool:
    """Discharge the requirements of an application, and those on known indices; False if one is refuted."""
    for need in answer.asked.judgement.needs:
        goal = goal_of(state, need, operands)
        if not discharge(state, goal, partial(obligation_of, state, operator, need, goal, operands, span, spans)):
            return False
    return operator.lookups is None or owe_bounds(state, operator, operands, answer, span, spans)


def _result(
    state: Elaboration, operator: Operator, answer: Answer, name: str, operands: tuple[str, ...], promise: Promise
) -> OpenedType:
    """The type of an application's result `name`: unpacked, its sizes simplified, its elements added."""
    found = answer.asked
    type = state.enter(found.judgement.result, name, lambda path, axis: promise, operands)
    for fact in found.together.relations(name) if found.together is not None else ():
        state.facts.assume(fact)
    sized = settled_result(state, type, name, promise)
    if found.types is None:
        name_unknown_sizes(state, sized, promise)
    whole = with_elements(operator, answer, sized, state.program.limits)
    type, are_dropped = settled_contents(state, whole)
    if are_dropped:
        state.values.forgetful.add(name)
    else:
        remember_result(answer, type)
    return type


def form(state: Elaboration, operator: Operator, count: int, attributes: Sequence[ast.Attribute]) -> Operator | None:
    """The static or dynamic variant of an operator with `count` arguments; the dynamic one takes attributes as values.

    None after reporting an attribute that is also passed as an argument.   [op.dyn.form]
    """
    if count <= len(operator.arguments):
        return operator
    both = forms().get(operator.name)
    if both is None or count != len(both.dynamic.arguments):
        return operator
    twice = next((attribute for attribute in attributes if attribute.key in both.promoted), None)
    if twice is None:
        return both.dynamic
    message = f"`{operator.name}` takes {twice.key} as an argument or as an attribute, not both"
    state.output.report("E0207", "op.dyn.form", message, twice.span)
    return None


def _answer(
    state: Elaboration,
    operator: Operator,
    operands: Sequence[str],
    given: Mapping[str, Any],
    span: Span,
    spans: Sequence[Span],
    written: Sequence[ast.Attribute],
) -> Answer | None:
    """The operator's judgement; None after reporting a rejection.

    A judgement that depends on no fact and no operand's name is cached for the whole program.
    """
    types = cast(list[OpenedType], [state.values.types[operand] for operand in operands])
    asking = question(operator, types, given)
    known = state.program.answers.get(asking)
    if known is not None:
        return known
    try:
        attributes = bound(operator, given)
    except IllFormed as wrong:
        at = next((attribute.span for attribute in written if is_wrong(operator, attribute.key, given)), span)
        state.output.report("E0207", "name.attribute", f"`{operator.name}`: {wrong.message}", at)
        return None
    application, reported = (
        Application(Asking(operator, operands, attributes), span, spans),
        len(state.output.diagnostics),
    )
    found = _asked(state, application)
    if found is None and state.reach.unreachable and len(state.output.diagnostics) == reported:
        found = _asked(state, at_any_rank(state, application))
        return None if found is None else _answered(of_any_rank(found), attributes)
    if found is None:
        return None
    answer = _answered(found, attributes)
    are_as_asked = all(state.values.types[operand] is type for operand, type in zip(operands, types, strict=True))
    are_read = state.program.limits.contents >= LIMITS.contents  # `Asking` reads up to LIMITS
    if found.types is not None and are_as_asked and are_read and not any(map(_has_unknown_rank, types)):
        state.program.answers.put(asking, answer)
    return answer


def _answered(found: Asked, attributes: Mapping[str, Any]) -> Answer:
    judgement = found.judgement
    settings = {**attributes, **judgement.attributes} if judgement.attributes else attributes
    return Answer(found, attributes, settings, any(need.goal is not TRUE for need in judgement.needs))


def _asked(state: Elaboration, application: Application) -> Asked | None:
    """Evaluate the operator's judgement; None after reporting that it rejects the operands at every possible rank."""
    try:
        return asked(state, application)
    except IllFormed as wrong:
        spans, span = application.spans, application.span
        at = spans[wrong.operand] if wrong.operand is not None else span
        error = Diagnostic(_CODES[wrong.rule], wrong.rule, f"{application.name}: {wrong.message}", at)
        if wrong.rule in _OF_RANKS:
            refuse(state, error)
        else:
            state.output.diagnostics.append(error)
        return None


def _has_unknown_rank(type: OpenedType) -> bool:
    return next(iter(shapes_unknown(type)), None) is not None


def _open_contents(state: Elaboration, operator: Operator, operands: Sequence[str]) -> None:
    """Add a symbolic element for each unknown element of the integer operands on which the result type may depend."""
    for index, operand in enumerate(operands):
        type = state.values.types[operand]
        if not isinstance(type, TensorType) or type.contents is not None:
            continue
        if index in operator.reads or operator.contents is not None:
            state.contents(operand, index in operator.reads)


def _wrong_number(state: Elaboration, operator: Operator, found: int, span: Span) -> None:
    wanted = len(operator.arguments)
    both = None if operator.name.startswith(PREFIX) else forms().get(operator.name)
    other = "" if both is None else f" (or {len(both.dynamic.arguments)}, with {' and '.join(both.promoted)} as values)"
    message = f"`{operator.name}` takes {counted(wanted, 'argument')}{other}, not {found}"
    notes = (f"its arguments: {', '.join(operator.arguments)}",) if wanted else ()
    state.output.report("E0304", "type.call.arity", message, span, notes=notes)


# ----------------------------------------------------------------------------------------------------- attributes


def unknown_operator(state: Elaboration, name: str, span: Span) -> None:
    """Report an unknown operator: why it is not supported, or similar names.  [name.operator] [name.refused]"""
    if (why := reason(name)) is not None:
        message = f"`{name}` is an operator of Relay that is refused here"
        state.output.report("E0208", "name.refused", message, span, label="not an operator here", notes=(why,))
        return
    help = similar("an operator", name, state.program.operators)
    state.output.report(
        "E0201", "name.operator", f"unknown operator `{name}`", span, label="not an operator", help=help
    )
