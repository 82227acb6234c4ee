"""Suggest conditions on the sizes of the inputs of a model that prove a residual check.

A user of a model cannot write into its program, but can state conditions, `dim(%x, 1) % 2 == 0`.  [check.residual]
"""

from __future__ import annotations

from itertools import islice

from gradual.checker.fixes.guessing import Clauses, Guessing
from gradual.checker.fixes.requirements import TRIED, clauses_added
from gradual.checker.fixes.suggested import Outcome, Trials
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.diagnostic import Help
from gradual.dims.solver.decide import Decider
from gradual.dims.term.atom import SizeOf
from gradual.syntax.tree import ast


def condition_for(check: Check, state: Elaboration, function: ast.Fn, before: Outcome, trials: Trials) -> Help | None:
    """A precondition of a function that removes a check, if the check is about sizes of its parameters; else None."""
    params = {param.name.name for param in function.params}
    witnesses = [size.witness for size in check.goal.variables()]
    if not witnesses or not all(one is None or (isinstance(one, SizeOf) and one.value in params) for one in witnesses):
        return None
    signature = state.program.signatures.get(state.function)
    guessing = Guessing(() if signature is None else signature.where, Decider(state.program.limits, smt=False))
    guesses = islice(guessing.clauses(check.goal, ()), TRIED)
    fit = (one for one in guesses if guessing.leaves_room(one) and guessing.prove(one, check.goal))
    return next(filter(None, (_verified(one, check, function, before, trials) for one in fit)), None)


def _verified(clauses: Clauses, check: Check, function: ast.Fn, before: Outcome, trials: Trials) -> Help | None:
    """The help that adds some clauses, if there are no more errors with them, and fewer checks of this kind."""
    edit = clauses_added(clauses, function)
    outcome = None if trials.spent else trials.outcome(edit)
    if outcome is None or not outcome.errors <= before.errors:
        return None
    moved = len(edit.text) if check.span.start >= edit.span.end else 0
    rule, place = check.blame.rule, check.span.start
    if outcome.residual.count((rule, place + moved)) >= before.residual.count((rule, place)):
        return None
    return Help(f"require it: `where {', '.join(map(str, clauses))}`", (edit,))
