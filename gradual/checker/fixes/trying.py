"""Repairs of common mistakes, each verified before it is offered.

The families in the table propose edits for an error, the likeliest first.  An edit is offered if it removes the error
and adds none; if the error hid others, an edit may reveal obligations about sizes and errors elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from gradual.checker.fixes.suggested import Findings, Outcome, Trials, findings, is_gone
from gradual.checker.repairs.place import Program
from gradual.checker.repairs.table import proposed
from gradual.checker.state.context import Elaboration
from gradual.diagnostic import Diagnostic, Help, Severity
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.syntax.tree import ast

TRIED = 12
"""How many repairs are tried for one error."""

SHARE = 4
"""Repairs may use 1/SHARE of the budget for helps; so in a file with many errors, only some get a repair."""

OBLIGATIONS = frozenset({"E0301", "E0302", "E0308"})
"""The errors about sizes that do not fit; they hide no other errors."""

NAMES = frozenset({"E0201", "E0202", "E0203", "E0205"})
"""The errors about undefined names."""


def repaired(
    found: Sequence[Diagnostic],
    module: ast.Module,
    operators: Mapping[str, Operator],
    states: Sequence[Elaboration],
    trials: Trials,
) -> list[Diagnostic]:
    """Add to each error the first of its repairs that works, if one does."""
    if trials.spent or not any(one.severity is Severity.ERROR for one in found):
        return list(found)
    program = Program(trials.text, module, operators, states)
    repairing = _Repairing(program, findings(found), trials, trials.budget - trials.budget // SHARE)
    return [repairing.helped(one) for one in found]


@record
class _Repairing:
    """A file whose errors are repaired.

    Attributes:
        before: its errors.
        reserve: what is left of the budget for other helps.
    """

    program: Program
    before: Findings
    trials: Trials
    reserve: int

    @property
    def is_over(self) -> bool:
        return self.trials.budget < self.reserve

    def helped(self, error: Diagnostic) -> Diagnostic:
        """Add the first repair that works to an error, unless it has an edit already."""
        if self.is_over or error.severity is not Severity.ERROR or any(help.edits for help in error.help):
            return error
        self.trials.budget -= self.program.size  # proposing visits every expression; it costs like checking
        help = self._first(islice(proposed(error, self.program), TRIED), error)
        return error if help is None else replace(error, help=(help,))

    def _first(self, helps: Iterator[Help], error: Diagnostic) -> Help | None:
        """The first help that adds no error; else the first that adds only errors that `error` had hidden."""
        revealing, gone = None, list[Help]()
        for help in helps:
            outcome = None if self.is_over else self.trials.outcome(*help.edits)
            if outcome is None:
                break
            if error.code in OBLIGATIONS:
                left = not is_gone(error, outcome.errors, self.before)
                left = left or _is_left(error, help, outcome) or _is_asked(error, help, outcome)
            else:
                left = not is_gone(error, outcome.errors, self.before) and not _is_elsewhere(error, help, outcome)
            if left:
                continue
            if outcome.errors < self.before:
                return help
            gone.append(help)
            if revealing is None and error.code not in OBLIGATIONS and _only_reveals(error, help, outcome, self.before):
                revealing = help
                if error.code in NAMES:  # a name's meaning in another system is likelier than a similar name
                    break
        if revealing is None and error.code in NAMES and len(gone) == 1:
            return gone[0]  # it gives the name its only possible meaning, even if the operands have other errors
        return revealing


def _is_left(error: Diagnostic, help: Help, outcome: Outcome) -> bool:
    """Whether an error remains at the same source position, as when the repair fixes only another axis."""
    at = error.span
    over = next((edit for edit in help.edits if edit.span.start < at.end and at.start < edit.span.end), None)
    begin, end = (at.start, at.start + 1) if over is None else (over.span.start, over.span.start + len(over.text))
    before = (edit for edit in help.edits if edit.span.end <= begin and edit is not over)
    moved = sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in before)
    return any(begin <= first - moved < end for _, first, _ in outcome.places)


def _is_asked(error: Diagnostic, help: Help, outcome: Outcome) -> bool:
    """Whether the error only became a run-time check because the edit made a size unknown, which fixes nothing."""
    begin = min(error.span.start, *(edit.span.start for edit in help.edits))
    end = max(error.span.end, *(edit.span.end for edit in help.edits)) + sum(len(edit.text) for edit in help.edits)
    return any(rule == error.rule and begin <= place <= end for rule, place in outcome.residual)


def _is_elsewhere(error: Diagnostic, help: Help, outcome: Outcome) -> bool:
    """Whether the same error remains, but only after the source position that the edit fixes."""
    if len(help.edits) != 1:
        return False
    end = help.edits[0].span.start + len(help.edits[0].text)
    again = [(first, last) for code, first, last in outcome.places if code == error.code]
    return bool(again) and all(end <= first for first, _ in again)


def _only_reveals(error: Diagnostic, help: Help, outcome: Outcome, before: Findings) -> bool:
    """Whether all new errors are obligations about sizes, or lie outside the replaced text.

    An undefined name also hid errors of the calls around it.
    """
    new = {code for code, _, _ in outcome.errors - before}
    if len(help.edits) != 1:
        return new <= {"E0302", "E0308"}
    start, end = help.edits[0].span.start, help.edits[0].span.start + len(help.edits[0].text)
    inside = [(first, last, code) for code, first, last in outcome.places if start < last and first < end]
    hidden = error.code in NAMES
    return all(
        code in ("E0302", "E0308") or (hidden and first <= start and end <= last) for first, last, code in inside
    )
