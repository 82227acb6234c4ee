"""Checks of a callee on its arguments that always fail, reported at the call.   [type.call.latent]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradual.checker.program.elided import is_omitted
from gradual.checker.program.program import Latent, Program
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.core.terms import Function
from gradual.diagnostic import Diagnostic, Related, Severity
from gradual.dims.term.constraint import FALSE, TRUE, Constraint, Equal
from gradual.dims.term.dim import Dim, Variable
from gradual.dims.term.print import brief
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.types.binder_solving import measured, read_off
from gradual.types.type import FunctionType, OpenedType
from gradual.types.unpacking import base_of
from gradual.verdict import Proved, Refuted, Unknown

_MOST = 32
"""Limit on the latent requirements of one definition that are tried at its calls."""


def latent(state: Elaboration, function: Function) -> tuple[Latent, ...]:
    """The latent requirements of a checked definition: checks on every path that mention only its parameters."""
    names = {param.name for param in function.params}
    own = [
        Latent(step.goal, step, function.name)
        for step in function.body.steps
        if isinstance(step, Check) and step.goal not in (TRUE, FALSE) and _speaks_of(step.goal, names)
    ]
    passed_on = [one for one in state.obligations.latent if _speaks_of(one.goal, names)]
    return (*own, *passed_on)[:_MOST]


def _speaks_of(goal: Constraint, names: set[str]) -> bool:
    return all((base := base_of(variable)) is None or base in names for variable in goal.variables())


def foresee(state: Elaboration, callee: str, type: FunctionType, types: Sequence[OpenedType], span: Span) -> None:
    """Try the callee's latent requirements at a call, and report the first that never holds there.   [type.call.latent]

    This is an error if the callee's types are all inferred from its calls, the call is in no branch of a test, and the
    requirement fails also without the path conditions; else a warning: the callee may be meant for other arguments.
    Earlier requirements are assumed for later ones. At a call outside of branches and function literals, an undecided
    one becomes a latent requirement of the caller.
    """
    needs = state.program.latent.get(callee, ())
    if not needs or state.reach.unreachable or state.reach.hypothetical is not None:
        return
    choice, mark = measured(type, types).mapping, state.facts.mark()
    for need in needs:
        variables = need.goal.variables()
        mapping = {**choice, **read_off(tuple(variables), type, types)}
        if not variables <= mapping.keys():
            continue
        goal = need.goal.substitute(mapping)
        verdict = state.decide(goal)
        if isinstance(verdict, Refuted) or (isinstance(verdict, Unknown) and verdict.fails_if_reached):
            error = (
                isinstance(verdict, Refuted) and not state.reach.tests and _has_the_types_of_its_calls(state, callee)
            )
            state.output.diagnostics.append(_never_passes(state, callee, need, mapping, span, error))
            break
        if not isinstance(verdict, Proved):
            state.facts.assume(goal)
            if not state.reach.depth:
                state.obligations.latent.append(Latent(goal, need.check, need.within))
    state.facts.rollback(mark)


def _never_passes(
    state: Elaboration, callee: str, need: Latent, here: Mapping[Variable, Dim], span: Span, error: bool
) -> Diagnostic:
    """The report on a requirement that never holds at this call; for an equality it names the two sizes."""
    blame, goal, sides = need.check.blame, need.goal.substitute(here), ""
    if isinstance(need.goal, Equal):
        left, right = (state.rewritten(side.substitute(here)) for side in (need.goal.left, need.goal.right))
        sides = f": {brief(left)} is not {brief(right)}"
    within = f" (by way of `{callee}`)" if need.within != callee else ""
    return Diagnostic(
        "E0301" if error else "E0403",
        "type.call.latent",
        f"this call always fails in `{need.within}`{within}: {blame.says}{sides}",
        span,
        Severity.ERROR if error else Severity.WARNING,
        related=(Related(need.check.span, f"`{need.check.shown}` is checked here"),),
        notes=(f"required by rule {blame.rule}: {need.check.shown}",),
        data={"counterexample": {}, "goal": str(goal)} if error else {},
    )


def _has_the_types_of_its_calls(state: Elaboration, callee: str) -> bool:
    """Whether all types of the definition are omitted, and every mention of it is a call."""
    function = state.program.functions[callee]
    annotations = [*(param.annotation for param in function.params), function.result]
    return all(map(is_omitted, annotations)) and not any(_taken_as_a_value(state.program, callee))


def _taken_as_a_value(program: Program, name: str) -> Iterator[bool]:
    for function in program.functions.values():
        parts = list(within(function.body))
        called = sum(isinstance(one, ast.Call) and _is(one.function, name) for one in parts)
        yield sum(_is(one, name) for one in parts) > called


def _is(expr: ast.Expr, name: str) -> bool:
    return isinstance(expr, ast.Global) and expr.name == name
