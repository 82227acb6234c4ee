"""Checks and assertions in a sweep: drop those that are proved, end the block after a check that always fails."""

from __future__ import annotations

from dataclasses import replace

from gradual.core.check import Check
from gradual.core.terms import Assertion
from gradual.core.traversal import Rewriting
from gradual.dims.term.constraint import TRUE
from gradual.dims.term.dim import SizeOf, Variable
from gradual.passes.refine.state import Rank, SweepState, Unreachable, stopping
from gradual.types.type import TensorType
from gradual.types.unpacking import base_of
from gradual.verdict import Proved, Refuted


def checked(sweep: SweepState, step: Check) -> None:
    """Drop a check that is proved; end the block after a check that is refuted; keep any other check."""
    moved = step if sweep.is_untouched else sweep.rewriting.step(step)
    goal, held = moved.goal, sweep.rank(moved.goal)
    verdict = sweep.decide(goal) if goal is not step.goal else None
    if isinstance(verdict, Proved) or held is Rank.KNOWN:
        sweep.loosened.update(base for variable in step.goal.variables() if (base := base_of(variable)))
        return
    if held is Rank.ANOTHER or isinstance(verdict, Refuted):
        sweep.out.append(_refuted(sweep, step, moved))
        raise Unreachable(stopping(f"`{step.goal}` never holds", step.span))
    sweep.out.append(moved)
    sweep.facts.learn(goal)


def _refuted(sweep: SweepState, step: Check, moved: Check) -> Check:
    """A check that always fails: it mentions its sizes if all of them exist here, else their known values."""
    named = Rewriting(sweep.rewriting.names).step(step)
    return named if all(_is_measured(sweep, variable) for variable in named.goal.variables()) else moved


def _is_measured(sweep: SweepState, variable: Variable) -> bool:
    """Whether a variable is a size of a tensor that is defined here."""
    if not isinstance(variable.witness, SizeOf):
        return False
    type = sweep.values.types.get(variable.witness.value)
    return sweep.values.is_visible(variable) and isinstance(type, TensorType) and variable.witness.axis < type.rank


def asserted(sweep: SweepState, step: Assertion) -> None:
    """Emit an assertion, unless its condition is now known to hold."""
    condition = sweep.rewriting.name(step.condition)
    if step.condition in sweep.changed and sweep.values.truth(condition) is TRUE:
        return
    sweep.out.append(step if condition == step.condition else replace(step, condition=condition))
