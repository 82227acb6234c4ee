"""One `where` for what is wrong in a definition: the weakest of simple form that proves all, tried before it is shown.

For each fault in the order of the text, clauses are added that take it away; then each one goes that the others imply,
or without which nothing comes back.   [check.required]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gradual.checker.advice import Outcome, Trials, findings, is_gone, with_cast
from gradual.checker.elaboration import Elaboration, mentions_ghost
from gradual.checker.repairs.guessing import Clauses, Guessing
from gradual.diagnostic import Diagnostic, Edit, Help, counted
from gradual.dims.constraint import Constraint
from gradual.dims.decide import Decider
from gradual.source import Span
from gradual.syntax import ast

TRIED = 8
"""How many guesses are tried for one fault."""


def advised(
    diagnostics: Sequence[Diagnostic],
    states: Sequence[tuple[Elaboration, ast.Fn]],
    trials: Trials,
) -> list[Diagnostic]:
    """The diagnostics, with a tried `where` for the goals about named dims that fail at some size; else with a cast."""
    before = findings(diagnostics)
    helps: dict[int, Help] = {}
    for state, function in states:
        goals = {id(one.error): one.goal for one in state.postponed if one.goal is not None}
        faults = [
            Fault(one, goal)
            for one in diagnostics
            if one.code == "E0302" and (goal := goals.get(id(one))) is not None and not mentions_ghost(goal)
            if not any(help.edits for help in one.help)
        ]
        helps |= _Requiring(function, _guessing(state), Outcome(before, ()), trials).helped(faults, state.function)
    return [
        replace(one, help=(*one.help, helps[id(one)])) if id(one) in helps else with_cast(one, before, trials)
        for one in diagnostics
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """An error that says of a goal that it fails at some size."""

    error: Diagnostic
    goal: Constraint


@dataclass(frozen=True, slots=True, eq=False)
class _Requiring:
    """A definition with faults.

    Attributes:
        before: the errors of its file.
    """

    function: ast.Fn
    guessing: Guessing
    before: Outcome
    trials: Trials

    def helped(self, faults: Sequence[Fault], name: str) -> dict[int, Help]:
        """The help for each fault that one `where` proves, by the identity of its error."""
        chosen, outcome = self._grown(faults)
        if not chosen:
            return {}
        clauses = self._thinned(chosen, outcome)
        final = self._tried(clauses)
        served = [one for one in faults if final is not None and is_gone(one.error, final.errors, self.before.errors)]
        many = f" (for {counted(len(served), 'fault')} of `{name}`)" if len(served) > 1 else ""
        text = f"require it: `where {', '.join(map(str, clauses))}`{many}"
        return {id(one.error): Help(text, (clauses_added(clauses, self.function),)) for one in served}

    def _grown(self, faults: Sequence[Fault]) -> tuple[Clauses, Outcome]:
        """Clauses that prove as many faults as any do, and what they give."""
        chosen: Clauses = ()
        outcome = self.before
        for fault in faults:
            if self.trials.spent:
                break
            if is_gone(fault.error, outcome.errors, self.before.errors):
                continue
            for more in islice(self.guessing.clauses(fault.goal, chosen), TRIED):
                clauses = tuple(dict.fromkeys((*chosen, *more)))
                after = self._tried(clauses) if self.guessing.leaves_room(clauses) else None
                if after is not None and is_gone(fault.error, after.errors, outcome.errors):
                    chosen, outcome = clauses, after
                    break
        return chosen, outcome

    def _thinned(self, clauses: Clauses, outcome: Outcome) -> Clauses:
        """The clauses without those that are not needed, the later ones first."""
        for clause in reversed(clauses):
            rest = tuple(one for one in clauses if one is not clause)
            after = self._tried(rest) if rest else None
            if after is not None and after.errors == outcome.errors:
                clauses = rest
        return clauses

    def _tried(self, clauses: Clauses) -> Outcome | None:
        """What the file gives with clauses; None where an error comes, or where nothing is tried any more."""
        outcome = self.trials.outcome(clauses_added(clauses, self.function))
        return outcome if outcome is not None and outcome.errors <= self.before.errors else None


def _guessing(state: Elaboration) -> Guessing:
    signature = state.program.signatures.get(state.function)
    return Guessing(() if signature is None else signature.where, Decider(state.program.limits, smt=False))


def clauses_added(clauses: Sequence[Constraint], function: ast.Fn) -> Edit:
    """The clauses after those that are there, or before the body, or before the `;` that stands for one."""
    text = ", ".join(map(str, clauses))
    if function.where:
        end = function.where[-1].span.end
        return Edit(Span(end, end), f", {text}")
    if isinstance(function.body, ast.Absent):
        end = function.span.end - 1
        return Edit(Span(end, end), f" where {text}")
    start = function.body.span.start
    return Edit(Span(start, start), f"where {text} ")
