"""Unreachable code: names, structure and element types are checked there; sizes and ranks are not.

In a program with less precise types, the failure before this code may not be found, so that the code is checked as
reachable. It is checked here too, so that both programs get the same errors.   [type.if.fails]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.checker.joins.branch import Branch, read_under
from gradual.checker.joins.join import joined
from gradual.checker.obligations.unknown_rank import Application
from gradual.checker.program.rule_cache import Asked
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Typed
from gradual.core.check import Promise
from gradual.core.terms import Block
from gradual.dims.term.constraint import TRUE
from gradual.ops.declaration.operator import Judgement
from gradual.ops.declaration.rank_cases import unranked
from gradual.source import Span
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType


def at_any_rank(state: Elaboration, application: Application) -> Application:
    """The same application, to operands of which only structure and element types are known."""
    names = tuple(_forgotten(state, name, application.span) for name in application.asking.names)
    return replace(application, asking=replace(application.asking, names=names))


def _forgotten(state: Elaboration, value: str, span: Span) -> str:
    type, name = state.values.opened(value), state.values.fresh("%forgotten")
    if not _is_of_tensors(type):
        return value
    return state.values.define(
        name, state.enter(unranked(type), name, lambda path, axis: Promise(span, "no run comes here"))
    )


def _is_of_tensors(type: OpenedType) -> bool:
    if isinstance(type, TupleType):
        return all(map(_is_of_tensors, type.fields))
    return isinstance(type, TensorType | UnrankedType)


def of_any_rank(found: Asked) -> Asked:
    """The answer of a rule, reduced to the structure and element types of its result."""
    return Asked(Judgement(unranked(found.judgement.result)), None)


def alike(state: Elaboration, name: str, sides: Sequence[tuple[str, Span]], rule: str) -> Typed:
    """Join the values of branches by structure and element types only; nothing about sizes is reported.

    BROKEN after reporting two types that differ.   [type.if.taken]
    """
    with state.untaken():
        types = [(value, state.values.types[value], at) for value, at in sides]
        branches = [Branch(Block((), value), type, read_under(state, TRUE, type), at) for value, type, at in types]
        landed = joined(state, name, None, branches, rule)
    return BROKEN if landed is None else landed[0]


def as_written(state: Elaboration, name: str, type: Typed, branches: Sequence[Branch], rule: str) -> Typed:
    """The type of a join of which branches may end in a check that always fails; `type` is that of the other branches.

    The written results of all branches must still agree. If all branches end so, the type is the join of the written
    results, so that the unreachable code below can be checked.
    [type.if.fails]
    """
    if not any(branch.ended for branch in branches):
        return type
    written = alike(state, name, [(branch.held, branch.span) for branch in branches], rule)
    if all(branch.ended for branch in branches):
        return written
    return type
