"""Help that was tried: an edit is applied, the file checked again, and offered only if the finding goes away.

For a residual check that a `?` or two left open, the size that would prove it; for a `?` where nothing may be open, a
name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from typing import cast

from gradual.checker.obligations.origins import written_at
from gradual.checker.state.context import TypingContext
from gradual.core.check import Check
from gradual.core.def_use import every
from gradual.core.terms import Invoke, Module
from gradual.diagnostic import Diagnostic, Edit, Help, Severity
from gradual.dims.term.atom import Kind, SizeOf, Variable, named
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Or
from gradual.dims.term.dim import of_atom
from gradual.source import Span
from gradual.syntax.repair.division import divisions
from gradual.types.binder_solving import bare

Findings = frozenset[tuple[str, str, int]]
"""A file's errors by code and goal, equal ones numbered: enough to see that one went away and none came."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking a text gave: its errors, each residual check by its rule and where it begins, and what it cost.

    Attributes:
        places: the code of each error and where it begins and ends.
    """

    errors: Findings
    residual: tuple[tuple[str, int], ...]
    searches: int = 0
    places: tuple[tuple[str, int, int], ...] = ()


_SEARCH = 4_000
"""How many characters are checked in the time of one search for a proof or a counterexample."""

_READABLE = 60
"""No bound is proposed that is longer, in characters."""

Retry = Callable[[str], Outcome]


@dataclass(slots=True, eq=False)
class Trials:
    """A file that can be checked again with edits, as long as the budget lasts.

    It is counted in characters checked; a goal that bounds do not decide costs as much as four thousand of them.
    """

    text: str
    retry: Retry
    budget: int
    _tried: dict[tuple[Edit, ...], Outcome] = field(default_factory=dict)

    @property
    def spent(self) -> bool:
        """Whether nothing is tried any more."""
        return self.budget < 0

    def outcome(self, *edits: Edit) -> Outcome | None:
        """What the edited file gives, None where the budget is spent; what was tried before costs nothing."""
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
    """A text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def findings(diagnostics: Sequence[Diagnostic]) -> Findings:
    """The errors among the diagnostics as findings."""
    numbers: defaultdict[tuple[str, str], Iterator[int]] = defaultdict(count)
    errors = [one for one in diagnostics if one.severity is Severity.ERROR]
    return frozenset((*alike, next(numbers[alike])) for error in errors for alike in kinds_of(error))


def kinds_of(diagnostic: Diagnostic) -> tuple[tuple[str, str], ...]:
    """What is the same finding: a goal that fails for some sizes may fail for all those that an edit leaves."""
    code = "E0302" if diagnostic.code == "E0301" else diagnostic.code
    return tuple((code, goal) for goal in diagnostic.goals or (diagnostic.message,))


def is_gone(error: Diagnostic, after: Findings, before: Findings) -> bool:
    """Whether an error of this kind went away, with all that it is about."""
    return all(has_gone(kind, after, before) for kind in kinds_of(error))


def has_gone(kind: tuple[str, str], after: Findings, before: Findings) -> bool:
    """Whether a finding of a kind went away."""
    return sum(found[:2] == kind for found in after) < sum(found[:2] == kind for found in before)


# ---------------------------------------------------------------------------------------------------------- divisions
def divided(found: Sequence[Diagnostic], others: Sequence[Diagnostic], trials: Trials) -> list[Diagnostic]:
    """The errors of syntax, each that comes of a comment with the division that mends it, if one does.

    `others` are the errors of what could be read.  [syntax.comment]
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
    """Whether an error went away, and none came but obligations.

    A program that can be read and typed may still owe that a divisor is not 0.
    """
    return not before <= errors and all(code in ("E0301", "E0302", "E0308") for code, _, _ in errors - before)


# ---------------------------------------------------------------------------------------------------------------- casts
def with_cast(error: Diagnostic, before: Findings, trials: Trials) -> Diagnostic:
    """An error about sizes that disagree, with a tried cast that forgets the size of one of them."""
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
def annotation_for(check: Check, state: TypingContext, core: Module, before: Outcome, trials: Trials) -> Help | None:
    """What, written for the `?`s that left a check open, proves it: a number, a name, a bound; None if nothing does.

    Under a bound the size is owed at the entry, or wherever the value is passed.
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
    """Residual checks, as an outcome knows them."""
    return tuple((check.blame.rule, check.span.start) for check in checks)


def _is_gone(check: Check, edits: Sequence[Edit], before: Outcome, after: Outcome) -> bool:
    """Whether fewer checks of this one's rule stand at its place, which edits before it move."""
    rule, place = check.blame.rule, check.span.start
    ahead = [edit for edit in edits if place >= edit.span.end]
    moved = sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in ahead)
    return after.residual.count((rule, place + moved)) < before.residual.count((rule, place))


def _where(edit: Edit, trials: Trials) -> str:
    """A `?` that stands elsewhere, by its line and column."""
    at = edit.span.start
    line, column = trials.text.count("\n", 0, at) + 1, at - trials.text.rfind("\n", 0, at)
    return f"the `?` at {line}:{column}"


def _writings(check: Check, state: TypingContext, core: Module, text: str) -> Iterator[tuple[Edit, ...]]:
    """What may be written: for one open size what it equals, a name that it is compared with, or its bound.

    Two open sizes that are compared get one fresh name.
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
    """The sizes that stand alone on both sides of a comparison in a goal."""
    for part in goal.parts if isinstance(goal, And | Or) else (goal,):
        if isinstance(part, Equal | AtMost):
            one, other = bare(part.left), bare(part.right)
            if one is not None and other is not None:
                yield one, other


def _left_open(existential: Variable, state: TypingContext, core: Module) -> Span | None:
    """The `?` that left a size open: where its promise stands, or in the result type of whatever was called."""
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
    """A name that the goal does not speak of."""
    taken = {variable.name for variable in goal.variables()}
    return next(name for name in chain(("u",), (f"u{i}" for i in count(1))) if name not in taken)


# ------------------------------------------------------------------------------------------------------ what is open
def name_for(unknown: Diagnostic, before: Outcome, trials: Trials) -> Help | None:
    """A name in place of the `?` that left a size open, if that makes no error and leaves no more to run time.

    A named size that may fail has to be an error of the trial, or names would be offered where a number is demanded.
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
    """A name for a size that stands nowhere in a text; another one for each place."""
    taken = set(re.findall(r"(?<![%@\w])\w+", text))
    free = (name for name in chain("nmkpq", (f"n{i}" for i in count(1))) if name not in taken)
    return next(islice(free, place, None))
