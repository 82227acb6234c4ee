"""Verified fixes: an edit is applied and the file checked again; the help is offered only if the error disappears.

For a residual check that one or two `?`s cause, sizes in place of the `?`s are offered that prove its goal. For a `?`
at a place where none is allowed, a name is offered.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import chain, count, islice
from typing import cast

from gradual.checker.obligations.origins import written_at
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.core.def_use import every
from gradual.core.terms import Invoke, Module
from gradual.diagnostic import Diagnostic, Edit, Help, Severity
from gradual.dims.term.atom import Kind, SizeOf, Variable, named
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Or
from gradual.dims.term.dim import of_atom
from gradual.record import record
from gradual.source import Span
from gradual.syntax.repair.division import divisions
from gradual.types.binder_solving import bare

Findings = frozenset[tuple[str, str, int]]
"""A file's errors as (code, goal, number among equal ones): enough to see which disappeared or were added."""


@record
class Outcome:
    """The result of checking a text.

    Attributes:
        residual: the rule and the start offset of each residual check.
        searches: how many goals needed a search for a proof or a counterexample.
        places: the code, start and end offset of each error.
    """

    errors: Findings
    residual: tuple[tuple[str, int], ...]
    searches: int = 0
    places: tuple[tuple[str, int, int], ...] = ()


_SEARCH = 4_000
"""The cost of one search for a proof or a counterexample, in characters checked."""

_READABLE = 60
"""The greatest length of a proposed bound, in characters."""

Retry = Callable[[str], Outcome]


@record(frozen=False, eq=False)
class Trials:
    """Checks edited versions of a file within a budget.

    The budget is counted in characters checked; a goal that bounds do not decide costs 4000 characters.
    """

    text: str
    retry: Retry
    budget: int
    _tried: dict[tuple[Edit, ...], Outcome] = field(default_factory=dict)

    @property
    def spent(self) -> bool:
        """Whether the budget is exhausted."""
        return self.budget < 0

    def outcome(self, *edits: Edit) -> Outcome | None:
        """The result of checking the edited file, memoized; None if the budget is exhausted."""
        if edits in self._tried:
            return self._tried[edits]
        text = edited(self.text, edits)
        self.budget -= len(text)
        if self.budget < 0:
            return None
        outcome = self._tried[edits] = self.retry(text)
        self.budget -= _SEARCH * outcome.searches
        return outcome


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits that do not overlap to a text."""
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def findings(diagnostics: Sequence[Diagnostic]) -> Findings:
    """The errors among the diagnostics as findings."""
    numbers: defaultdict[tuple[str, str], Iterator[int]] = defaultdict(count)
    errors = [one for one in diagnostics if one.severity is Severity.ERROR]
    return frozenset((*alike, next(numbers[alike])) for error in errors for alike in kinds_of(error))


def kinds_of(diagnostic: Diagnostic) -> tuple[tuple[str, str], ...]:
    """The code and goal of each finding; E0301 counts as E0302, since an edit may turn the latter into the former."""
    code = "E0302" if diagnostic.code == "E0301" else diagnostic.code
    return tuple((code, goal) for goal in diagnostic.goals or (diagnostic.message,))


def is_gone(error: Diagnostic, after: Findings, before: Findings) -> bool:
    """Whether each goal of an error has fewer findings than before."""
    return all(has_gone(kind, after, before) for kind in kinds_of(error))


def has_gone(kind: tuple[str, str], after: Findings, before: Findings) -> bool:
    """Whether there are fewer findings of a kind."""
    return sum(found[:2] == kind for found in after) < sum(found[:2] == kind for found in before)


# ---------------------------------------------------------------------------------------------------------- divisions
def divided(found: Sequence[Diagnostic], others: Sequence[Diagnostic], trials: Trials) -> list[Diagnostic]:
    """Add to each syntax error caused by a `//` comment the division that fixes it, if one does.

    `others` are the errors in the part of the file that could be parsed.  [syntax.comment]
    """
    before = findings([*found, *others])
    return [_with_division(one, before, trials) if "comment" in one.data else one for one in found]


def _with_division(error: Diagnostic, before: Findings, trials: Trials) -> Diagnostic:
    for help in divisions(trials.text, cast(int, error.data["comment"])):
        outcome = trials.outcome(help.edits[0])
        if outcome is not None and mends(outcome.errors, before):
            return replace(error, help=(help,))
    note = "in an expression `//` begins a comment: `dim[n // m]` divides sizes, `floor_divide(%a, %b)` integers"
    return replace(error, notes=(*error.notes, note))


def mends(errors: Findings, before: Findings) -> bool:
    """Whether an error disappeared and all new ones are unproved obligations.

    A program that parses and type-checks may still have an obligation, such as that a divisor is not 0.
    """
    return not before <= errors and all(code in ("E0301", "E0302", "E0308") for code, _, _ in errors - before)


# ---------------------------------------------------------------------------------------------------------------- casts
def with_cast(error: Diagnostic, before: Findings, trials: Trials) -> Diagnostic:
    """Add to an error about disagreeing sizes a cast that forgets one of them, if it fixes the error."""
    type = error.data.get("forgets")
    if error.code != "E0308" or type is None or trials.spent:
        return error
    for span in (*(related.span for related in error.related), error.span):
        edit = Edit(Span(span.end, span.end), f" as {type}")
        outcome = trials.outcome(edit)
        if outcome is not None and outcome.errors < before and is_gone(error, outcome.errors, before):
            words = " ".join(trials.text[span.start : span.end].split())
            shown = words if len(words) <= 40 else "…"
            return replace(error, help=(*error.help, Help(f"leave the size open: `{shown} as {type}`", (edit,))))
    return error


# -------------------------------------------------------------------------------------------------- residual checks
def annotation_for(check: Check, state: Elaboration, core: Module, before: Outcome, trials: Trials) -> Help | None:
    """A number, name or bound in place of the `?`s that caused a residual check, if it proves the check; else None.

    With a bound, its condition is checked at the function's entry, or where the value is passed, instead of here.
    """
    for edits in _writings(check, state, core, trials.text):
        outcome = None if trials.spent else trials.outcome(*edits)
        if outcome is None:
            return None
        is_less = outcome.errors <= before.errors and len(outcome.residual) < len(before.residual)
        if is_less and _is_gone(check, edits, before, outcome):
            own = {promise.span for promise in check.blame.promises} if len(edits) == 1 else set()
            places = " and ".join("this `?`" if edit.span in own else _where(edit, trials) for edit in edits)
            return Help(f"writing {edits[0].text} for {places} proves it", edits)
    return None


def residual(checks: Iterable[Check]) -> tuple[tuple[str, int], ...]:
    """The rule and the start offset of each check, as in `Outcome.residual`."""
    return tuple((check.blame.rule, check.span.start) for check in checks)


def _is_gone(check: Check, edits: Sequence[Edit], before: Outcome, after: Outcome) -> bool:
    """Whether fewer checks of its rule remain at its offset, which earlier edits may have moved."""
    rule, place = check.blame.rule, check.span.start
    ahead = [edit for edit in edits if place >= edit.span.end]
    moved = sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in ahead)
    return after.residual.count((rule, place + moved)) < before.residual.count((rule, place))


def _where(edit: Edit, trials: Trials) -> str:
    """A description of the `?` that an edit replaces, by line and column."""
    at = edit.span.start
    line, column = trials.text.count("\n", 0, at) + 1, at - trials.text.rfind("\n", 0, at)
    return f"the `?` at {line}:{column}"


def _writings(check: Check, state: Elaboration, core: Module, text: str) -> Iterator[tuple[Edit, ...]]:
    """Yield candidate edits: for one unknown size, what it equals, a name that it is compared with, or its bound.

    For two unknown sizes that are compared with each other, one fresh name for both.
    """
    goal = check.goal
    open = sorted(variable for variable in goal.variables() if variable in state.unknowns.existentials)
    places = [_left_open(existential, state, core) for existential in open]
    spans = [span for span in places if span is not None]
    if len(spans) == len(open) == 2:
        if any(set(pair) == set(open) for pair in _compared(goal)):
            function = state.program.functions[state.function].span
            fresh = _fresh(text[function.start : function.end], state.obligations.checks.index(check))
            yield tuple(Edit(span, fresh) for span in sorted(spans, key=lambda at: at.start))
    elif len(spans) == len(open) == 1:
        existential, at = open[0], spans[0]
        for side, other in ((goal.left, goal.right), (goal.right, goal.left)) if isinstance(goal, Equal) else ():
            if bare(side) is existential and existential not in other.names:
                yield (Edit(at, str(other)),)
        for part in goal.parts if isinstance(goal, Or) else ():
            if isinstance(part, Equal) and bare(part.left) is existential and (part.right.value or 0) > 1:
                yield (Edit(at, str(part.right)),)
        for name in dict.fromkeys(
            one for pair in _compared(goal) if existential in pair for one in pair if one is not existential
        ):
            yield (Edit(at, name.name),)
        bound = _unused(goal)
        says = goal.substitute({existential: of_atom(named(bound, Kind.RIGID, None))})
        if len(str(says)) <= _READABLE:
            yield (Edit(at, f"?{{{bound}. {says}}}"),)


def _compared(goal: Constraint) -> Iterator[tuple[Variable, Variable]]:
    """Yield the pairs of variables that a goal compares, such as `n` and `m` for `n <= m`."""
    for part in goal.parts if isinstance(goal, And | Or) else (goal,):
        if isinstance(part, Equal | AtMost):
            one, other = bare(part.left), bare(part.right)
            if one is not None and other is not None:
                yield one, other


def _left_open(existential: Variable, state: Elaboration, core: Module) -> Span | None:
    """The span of the `?` where an unknown size originates: at its promise, or in the result type of a callee."""
    text, at = state.program.source.text, state.unknowns.existentials[existential].span
    if text[at.start : at.end] == "?":
        return at
    witness = existential.witness
    caller = core.functions.get(state.function)
    if not isinstance(witness, SizeOf) or caller is None:
        return None
    base, *fields = witness.value.split("#")
    call = next((step for step in every(caller.body) if isinstance(step, Invoke) and step.name == base), None)
    callee = None if call is None else state.program.functions.get(call.function)
    if callee is None or callee.result is None:
        return None
    at = written_at(callee.result, fields, witness.axis)
    return at if text[at.start : at.end] == "?" else None


def _unused(goal: Constraint) -> str:
    """A name that the goal does not mention."""
    taken = {variable.name for variable in goal.variables()}
    return next(name for name in chain(("u",), (f"u{i}" for i in count(1))) if name not in taken)


# ------------------------------------------------------------------------------------------------- replacements of ?
def name_for(unknown: Diagnostic, before: Outcome, trials: Trials) -> Help | None:
    """A name to replace a `?`, if it adds no error and no residual check.

    The trial must report goals that fail for some named size; else names would be offered where a number is required.
    """
    span = unknown.span
    if trials.spent or trials.text[span.start : span.end] != "?":
        return None
    name = _fresh(trials.text)
    edit = Edit(span, name)
    outcome = trials.outcome(edit)
    if outcome is None or not outcome.errors <= before.errors or len(outcome.residual) > len(before.residual):
        return None
    return Help(f"give it a name: writing {name} for this `?` is accepted", (edit,))


def _fresh(text: str, place: int = 0) -> str:
    """A name that does not occur in a text; a different one for each index `place`."""
    taken = set(re.findall(r"(?<![%@\w])\w+", text))
    free = (name for name in chain("nmkpq", (f"n{i}" for i in count(1))) if name not in taken)
    return next(islice(free, place, None))
