"""Bugs in what is written: checks, labels, unknowns, joins, scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import gradual.checker.obligations.discharge as discharging
import gradual.types.unpacking as opening
from gradual.checker.coercion import ascription
from gradual.checker.coercion.flow import Place
from gradual.checker.expressions import application, block, expr
from gradual.checker.functions import call, deferred_lambda, lambda_
from gradual.checker.joins import size
from gradual.checker.joins.size import SizeJoin
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.state import context
from gradual.checker.state.context import Elaboration
from gradual.checker.state.unknowns import mentions_existential
from gradual.checker.state.values import CheckedValues, Made, Typed
from gradual.core.check import Blame, Check, Promise, Site
from gradual.core.terms import Apply, Rename, Step
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim
from gradual.syntax.tree import ast
from gradual.types import instantiation
from gradual.types.binder_solving import Measured, bare
from gradual.types.type import Hole, OpenedType, TensorType
from gradual.verdict import Verdict
from tests.properties.seeded.planting import planted


# ------------------------------------------------------------------------------------------------- facts and scopes
@planted
def facts_outlive_their_branch() -> Iterator[None]:
    """What was learnt in a branch is known after it."""
    original = Elaboration.branch

    @contextmanager
    def branch(self: Elaboration) -> Iterator[list[Any]]:
        with patch.object(Facts, "rollback", lambda self, mark: None), original(self) as steps:
            yield steps

    with patch.object(Elaboration, "branch", branch):
        yield


@planted
def facts_outlive_their_literal() -> Iterator[None]:
    """What the body of a function literal checks is known after it, whether or not it was ever called."""
    closure, learn = deferred_lambda.closure, Facts.learn

    def altered(state: Elaboration, *given: Any) -> str:
        learnt: list[tuple[Constraint, Verdict]] = []

        def learning(self: Facts, goal: Constraint, verdict: Verdict) -> None:
            learnt.append((goal, verdict))
            learn(self, goal, verdict)

        with patch.object(Facts, "learn", learning):
            name = closure(state, *given)
        for goal, verdict in learnt:
            learn(state.facts, goal, verdict)
        return name

    with patch.object(deferred_lambda, "closure", altered):
        yield


@planted
def names_are_not_made_unique() -> Iterator[None]:
    """A variable that shadows another has its name in the core too: what was read off the old one is now misread."""
    fresh = CheckedValues.fresh

    def altered(self: CheckedValues, spelling: str | None) -> str:
        return fresh(self, spelling) if spelling is None else spelling

    with patch.object(CheckedValues, "fresh", altered):
        yield


# ---------------------------------------------------------------------------------------------------------- unknowns
@planted
def every_use_opens_anew() -> Iterator[None]:
    """Each mention of a variable has unknowns of its own, as if `?` were opened per use."""
    local = expr.variable

    def altered(state: Elaboration, name: str, span: Any) -> str:
        value = local(state, name, span)
        type: Typed = state.values.types[value]
        if not isinstance(type, TensorType) or not any(mentions_existential(size) for size in type.shape):
            return value
        again = state.values.fresh(None)
        holes = tuple(Hole() if mentions_existential(size) else size for size in type.shape)
        unknown = TensorType(holes, type.dtype)
        opened: OpenedType = state.enter(unknown, again, lambda path, axis: Promise(span, "a use"))
        state.output.steps.append(Rename(again, value, opened, span))
        return state.values.define(again, opened, Made("a use", (value,), span))

    def inferred(state: Elaboration, argument: ast.Expr) -> str:
        return state.judge.infer(state, argument)

    with patch.object(expr, "variable", altered), patch.object(application, "_operand", inferred):
        yield


@planted
def witnesses_are_read_off_the_first_axis() -> Iterator[None]:
    """The number of every unknown size is read off axis 0 of its value."""
    size_of = opening.size_of

    def altered(path: str, axis: int) -> Dim:
        return size_of(path, axis) if axis == 0 else size_of(path, 0)

    with patch.object(opening, "size_of", altered):
        yield


@planted
def sizes_that_depend_on_data_are_shared() -> Iterator[None]:
    """All unknowns of one operator are one, whatever its operands: two masks are taken for the same."""
    with patch.object(Hole, "shared_by", lambda self, operands: self.key and self.key[0]):
        yield


@planted
def the_results_of_a_call_are_shared() -> Iterator[None]:
    """The last `?` of a callee's result is the same at every call."""
    at_arguments = call.at_arguments

    def altered(*given: Any, **named: Any) -> Any:
        found = at_arguments(*given, **named)
        type = found.result
        if isinstance(type, TensorType) and type.shape and isinstance(type.shape[-1], Hole):
            shape = (*type.shape[:-1], replace(type.shape[-1], key=("a result", ())))
            return replace(found, result=replace(type, shape=shape))
        return found

    with patch.object(call, "at_arguments", altered):
        yield


@planted
def an_ascription_keeps_what_is_known() -> Iterator[None]:
    """`?` in an annotation is the size that the value has: nothing is forgotten, and nothing postponed."""
    ascribe = ascription.ascribe

    def altered(state: Elaboration, value: str, *given: Any) -> str:
        name = ascribe(state, value, *given)
        if name != value and isinstance(state.values.types.get(value), TensorType) and name in state.values.types:
            state.values.types[name] = state.values.types[value]
        return name

    with patch.object(expr, "ascribe", altered), patch.object(block, "ascribe", altered):
        yield


@planted
def an_ascription_shares_its_unknown() -> Iterator[None]:
    """All `?`s of one annotation are one unknown."""
    opened = context.opened

    def altered(type: Any, name: str, known: Any) -> Any:
        first: list[Dim] = []

        def same(path: str, axis: int, hole: Hole) -> Dim | None:
            found = known(path, axis, hole)
            if found is None and first and hole == Hole():
                return first[0]
            if found is None and hole == Hole():
                first.append(opening.size_of(path, axis))
            return found  # type: ignore[no-any-return]

        return opened(type, name, same)

    with patch.object(context, "opened", altered):
        yield


# ------------------------------------------------------------------------------------------------------------- joins
@planted
def a_branch_s_own_unknown_escapes() -> Iterator[None]:
    """A join may record an unknown that is only read off a value of one branch."""
    with patch.object(SizeJoin, "_visible", lambda self, dim: True):
        yield


@planted
def joins_take_the_first_branch() -> Iterator[None]:
    """After an `if` a size is that of the first branch whose size can be seen."""

    def altered(self: SizeJoin, dims: Sequence[Dim], *rest: Any) -> Dim:
        return next(filter(self._visible, dims), dims[0])

    with patch.object(SizeJoin, "size", altered):
        yield


@planted
def joins_exchange_the_branches() -> Iterator[None]:
    """The choice that a join records is the wrong way round."""
    ite = size.ite
    with patch.object(size, "ite", lambda truth, yes, no: ite(truth, no, yes)):
        yield


@planted
def a_joined_size_is_the_first_of_two() -> Iterator[None]:
    """Of the disjunction that is known of a joined size only the first part is kept."""
    with patch.object(size, "any_of", lambda first, *rest: first):
        yield


# ------------------------------------------------------------------------------------------------- checks and labels
@planted
def checks_come_after_what_they_guard() -> Iterator[None]:
    """The checks of an operator stand behind it."""
    apply = application.apply

    def altered(state: Elaboration, *given: Any) -> str:
        before = len(state.output.steps)
        name = apply(state, *given)
        new = state.output.steps[before:]
        if new and isinstance(new[-1], Apply):
            state.output.steps[before:] = [new[-1], *new[:-1]]
        return name

    with patch.object(application, "apply", altered):
        yield


@planted
def labels_are_those_of_the_check_before() -> Iterator[None]:
    """A check blames under the label of the check that was written before it."""
    blame = discharging._blame

    def altered(state: Elaboration, *given: Any) -> Blame:
        return state.obligations.checks[-1].blame if state.obligations.checks else blame(state, *given)

    with patch.object(discharging, "_blame", altered):
        yield


@planted
def an_unused_value_owes_nothing() -> Iterator[None]:
    """The checks of an annotation are dropped with the variable that nobody reads."""
    function_of = lambda_.function_of

    def altered(state: Elaboration, header: Any, literal: Any, name: str, steps: Any, result: str) -> Any:
        kept: list[Step] = []
        for i, step in enumerate(steps):
            if isinstance(step, Rename) and not _is_read(step.name, (*steps[i + 1 :], result)):
                while kept and isinstance(kept[-1], Check) and kept[-1].blame.site is Site.ANNOTATION:
                    state.obligations.checks.remove(kept.pop())  # type: ignore[arg-type]  # only checks are kept
                continue
            kept.append(step)
        return function_of(state, header, literal, name, kept, result)

    with patch.object(lambda_, "function_of", altered):
        yield


def _is_read(name: str, later: tuple[Any, ...]) -> bool:
    return any(name in repr(part) for part in later)


@planted
def a_call_forgets_a_precondition() -> Iterator[None]:
    """The `where` of a callee is not owed by its callers."""
    discharge = call.discharge

    def altered(state: Elaboration, goal: Constraint, described: Callable[[], Obligation]) -> bool:
        return described().site is Site.WHERE or discharge(state, goal, described)

    with patch.object(call, "discharge", altered):
        yield


@planted
def a_call_forgets_its_second_argument() -> Iterator[None]:
    """The second argument of a call is not compared with its parameter."""
    flow = call.flow

    def altered(state: Elaboration, value: str, target: Any, place: Place) -> str | None:
        return value if place.through.startswith("argument 2") else flow(state, value, target, place)

    with patch.object(call, "flow", altered):
        yield


@planted
def a_call_measures_its_last_argument() -> Iterator[None]:
    """A callee's dim is measured at its last occurrence, so that the first is to blame."""
    measured = instantiation.measured

    def altered(type: Any, arguments: Any) -> Measured:
        found = measured(type, arguments)
        last = {}
        for param, argument in zip(type.params, arguments, strict=True):
            if isinstance(param, TensorType) and isinstance(argument, TensorType):
                pairs = zip(param.shape, argument.shape, strict=False)
                last.update({bare(e): size for e, size in pairs if not isinstance(e, Hole) and bare(e)})
        return replace(found, mapping={**found.mapping, **{v: last[v] for v in type.binders if v in last}})

    with patch.object(instantiation, "measured", altered):
        yield


@planted
def a_result_is_not_checked() -> Iterator[None]:
    """What a function's written result type demands is assumed instead of owed."""
    flow = lambda_.flow

    def altered(state: Elaboration, value: str, target: Any, place: Place) -> str | None:
        before = len(state.output.steps), len(state.obligations.checks), len(state.obligations.postponed)
        fits = flow(state, value, target, place)
        if place.site is Site.RESULT and isinstance(state.values.types[value], TensorType):
            del (
                state.output.steps[before[0] :],
                state.obligations.checks[before[1] :],
                state.obligations.postponed[before[2] :],
            )
        return fits

    with patch.object(lambda_, "flow", altered):
        yield
