"""Suggest one `where` per definition: simple, weak clauses that prove its failing goals, verified before it is shown.

For each fault in source order, clauses are added that remove the fault.  Then a clause is dropped if the other clauses
imply it, or if the errors are the same without it.   [check.required]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from gradual.checker.fixes.guessing import Clauses, Guessing
from gradual.checker.fixes.suggested import Findings, Outcome, Trials, findings, has_gone, is_gone, with_cast
from gradual.checker.state.context import Elaboration
from gradual.checker.state.unknowns import mentions_existential
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.dims.solver.decide import Decider
from gradual.dims.term.constraint import Constraint
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast

TRIED = 8
"""How many guesses are tried for one fault."""


def advised(
    diagnostics: Sequence[Diagnostic],
    states: Sequence[tuple[Elaboration, ast.Fn]],
    trials: Trials,
) -> list[Diagnostic]:
    """Add a verified `where` to each error about a goal that fails for some named sizes, or else a cast that helps."""
    before = findings(diagnostics)
    diagnostics = [_with_another(one, diagnostics, before, trials) for one in diagnostics]
    helps: dict[int, Help] = {}
    for state, function in states:
        goals: defaultdict[int, list[Constraint]] = defaultdict(list)
        for owed in state.obligations.postponed:
            if owed.goal is not None and str(owed.goal) in owed.error.goals:
                goals[id(owed.error)].append(owed.goal)
        faults = [
            Fault(one, goal)
            for one in diagnostics
            if one.code == "E0302" and not any(help.edits for help in one.help)
            for goal in goals.get(id(one), ())
            if not mentions_existential(goal)
        ]
        helps |= _Requiring(function, _guessing(state), Outcome(before, ()), trials).helped(faults, state.function)
    return [
        replace(one, help=(*one.help, helps[id(one)])) if id(one) in helps else with_cast(one, before, trials)
        for one in diagnostics
    ]


def _with_another(error: Diagnostic, all: Sequence[Diagnostic], before: Findings, trials: Trials) -> Diagnostic:
    """Give an error without a help the help of another error if that fixes both.   [check.required]"""
    if error.code != "E0302" or error.help:
        return error
    for help in (help for other in all for help in other.help if help.edits):
        outcome = trials.outcome(*help.edits)
        if outcome is not None and is_gone(error, outcome.errors, before):
            return replace(error, help=(help,))
    return error


@record(eq=False)
class Fault:
    """An error that reports a goal as failing for some size, and that goal."""

    error: Diagnostic
    goal: Constraint

    @property
    def kind(self) -> tuple[str, str]:
        """The code and goal that identify the finding."""
        return self.error.code, str(self.goal)


@record(eq=False)
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
        """A map from `id(error)` to one help, a `where`, for the faults that it proves."""
        chosen = self.guessing.independent(self._foreseen(faults))
        outcome = self._tried(chosen) if chosen else None
        if outcome is None or not all(self._is_served(one, outcome) for one in faults):
            chosen, outcome = self._grown(faults)
        clauses = self._thinned(chosen, outcome, faults)
        final = self._tried(clauses) if clauses else None
        served = [one for one in faults if final is not None and self._is_served(one, final)]
        many = len({id(one.error) for one in served})
        of = f" (mends {many} errors of `{name}`)" if many > 1 else ""
        text = f"require it: `where {', '.join(map(str, clauses))}`{of}"
        return {id(one.error): Help(text, (clauses_added(clauses, self.function),), mends=many) for one in served}

    def _is_served(self, fault: Fault, outcome: Outcome) -> bool:
        return has_gone(fault.kind, outcome.errors, self.before.errors)

    def _foreseen(self, faults: Sequence[Fault]) -> Clauses:
        """Clauses that prove all faults, found by the decider without checking the file; empty if there are none."""
        chosen: Clauses = ()
        for goal in (fault.goal for fault in faults if not self.trials.spent):
            if self.guessing.prove(chosen, goal):
                continue
            guesses = (tuple(dict.fromkeys((*chosen, *one))) for one in self._guessed(goal, chosen))
            found = next((one for one in guesses if self.guessing.prove(one, goal) and self._leaves_room(one)), None)
            if found is None:
                return ()
            chosen = found
        return chosen

    def _leaves_room(self, clauses: Clauses) -> bool:
        return self.guessing.leaves_room(clauses)

    def _guessed(self, goal: Constraint, chosen: Clauses) -> Iterator[Clauses]:
        return islice(self.guessing.clauses(goal, chosen), TRIED)

    def _grown(self, faults: Sequence[Fault]) -> tuple[Clauses, Outcome]:
        """Clauses found greedily, fault by fault, by checking the file; and the outcome with them."""
        chosen: Clauses = ()
        outcome = self.before
        for fault in faults:
            if self.trials.spent:
                break
            if self._is_served(fault, outcome):
                continue
            for more in self._guessed(fault.goal, chosen):
                clauses = tuple(dict.fromkeys((*chosen, *more)))
                after = self._tried(clauses) if self._leaves_room(clauses) else None
                if after is not None and has_gone(fault.kind, after.errors, outcome.errors):
                    chosen, outcome = clauses, after
                    break
        return chosen, outcome

    def _thinned(self, clauses: Clauses, outcome: Outcome, faults: Sequence[Fault]) -> Clauses:
        """Drop redundant clauses, trying the later ones first."""
        goals = [fault.goal for fault in faults if self._is_served(fault, outcome)]
        is_seen = self._prove(clauses, goals)
        for clause in reversed(clauses):
            rest = tuple(one for one in clauses if one is not clause)
            if not rest or (is_seen and not self._prove(rest, goals)):
                continue
            after = self._tried(rest)
            if after is not None and after.errors == outcome.errors:
                clauses = rest
        return clauses

    def _prove(self, clauses: Clauses, goals: Sequence[Constraint]) -> bool:
        return all(self.guessing.prove(clauses, goal) for goal in goals)

    def _tried(self, clauses: Clauses) -> Outcome | None:
        """The outcome of the file with the clauses; None if an error is added or the budget is exhausted."""
        outcome = self.trials.outcome(clauses_added(clauses, self.function))
        return outcome if outcome is not None and outcome.errors <= self.before.errors else None


def _guessing(state: Elaboration) -> Guessing:
    signature = state.program.signatures.get(state.function)
    return Guessing(() if signature is None else signature.where, Decider(state.program.limits, smt=False))


def clauses_added(clauses: Sequence[Constraint], function: ast.Fn) -> Edit:
    """Insert clauses after the existing ones, or else before the body or before the `;` of a bodiless definition."""
    text = ", ".join(map(str, clauses))
    if function.where:
        end = function.where[-1].span.end
        return Edit(Span(end, end), f", {text}")
    if isinstance(function.body, ast.Absent):
        end = function.span.end - 1
        return Edit(Span(end, end), f" where {text}")
    start = function.body.span.start
    return Edit(Span(start, start), f"where {text} ")
