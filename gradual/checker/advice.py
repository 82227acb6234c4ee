"""Help that was tried: an edit is applied, the file checked again, and offered only if the finding goes away.

For a goal about named dims that fails at some size, a `where` clause; for a residual check that one `?` left open, the
size that would prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gradual.checker.elaboration import Elaboration, mentions_ghost
from gradual.core.terms import Check
from gradual.diagnostic import Diagnostic, Edit, Help
from gradual.dims.constraint import Constraint, Equal, Or, divides
from gradual.dims.dim import Dim, FloorDiv, constant
from gradual.source import Span
from gradual.syntax import ast

Findings = frozenset[tuple[str, str, int]]
"""What a file's errors are, by code, goal and function: enough to see that one went away and none came."""

Retry = Callable[[str], Findings | None]
"""The findings of another text; None if it does not even parse."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A file that can be checked again with edits, a bounded number of times."""

    text: str
    retry: Retry
    budget: list[int]

    def removes(self, edits: tuple[Edit, ...], before: Findings, finding: tuple[str, str, int]) -> bool:
        """Whether the edits remove a finding and add none."""
        if self.budget[0] <= 0:
            return False
        self.budget[0] -= 1
        after = self.retry(edited(self.text, edits))
        return after is not None and finding not in after and len(after) < len(before)


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with its spans replaced."""
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def finding(diagnostic: Diagnostic, order: int) -> tuple[str, str, int]:
    """A diagnostic as a finding; `order` tells apart equal ones."""
    return diagnostic.code, str(diagnostic.data.get("goal", diagnostic.message)), order


def findings(errors: list[Diagnostic]) -> Findings:
    """A file's errors as findings."""
    seen: dict[tuple[str, str], int] = {}
    found = set()
    for error in errors:
        key = finding(error, 0)[:2]
        seen[key] = order = seen.get(key, -1) + 1
        found.add((*key, order))
    return frozenset(found)


def with_precondition(
    error: Diagnostic, goal: Constraint, function: ast.Fn, trial: Trial, before: Findings
) -> Diagnostic:
    """The error with a `where` clause that makes it go away, the simplest one that was tried and works."""
    if mentions_ghost(goal):
        return error
    for clause in _clauses(goal):
        edit = _added(clause, function)
        if trial.removes((edit,), before, _last_alike(error, before)):
            return replace(error, help=(*error.help, Help(f"require it: `where {clause}`", (edit,))))
    return error


def _last_alike(error: Diagnostic, before: Findings) -> tuple[str, str, int]:
    code, goal, _ = finding(error, 0)
    return max(found for found in before if found[:2] == (code, goal))


def _clauses(goal: Constraint) -> Iterator[Constraint]:
    """Preconditions worth a try, simplest first: divisibilities that the goal speaks of, an equality, the goal."""
    yield from dict.fromkeys(_divisibilities(goal))
    if isinstance(goal, Or):
        equalities = [
            part for part in goal.parts if isinstance(part, Equal) and part.left.value is None is part.right.value
        ]
        if not equalities:
            yield from ()
    yield goal


def _divisibilities(goal: Constraint) -> Iterator[Constraint]:
    waiting: list[Dim] = [goal.left, goal.right] if isinstance(goal, Equal) else []
    while waiting:
        dim = waiting.pop(0)
        for atom in dim.atoms():
            if isinstance(atom, FloorDiv):
                yield divides(atom.right, atom.left)
                waiting += (atom.left, atom.right)


def _added(clause: Constraint, function: ast.Fn) -> Edit:
    """The clause after those that are there, or before the body."""
    if function.where:
        end = function.where[-1].span.end
        return Edit(Span(end, end), f", {clause}")
    start = function.body.span.start
    return Edit(Span(start, start), f"where {clause} ")


def precise_annotation(check: Check, state: Elaboration) -> Help | None:
    """The size to write for the one `?` that left an equality open; not tried yet."""
    goal = check.goal
    if not isinstance(goal, Equal) or len(check.blame.promises) != 1:
        return None
    size = goal.right if goal.right.value is not None else goal.left
    other = goal.left if size is goal.right else goal.right
    variables = other.variables()
    if size.value is None or len(variables) != 1 or other is not _alone(other):
        return None
    (variable,) = variables
    span = state.ghosts[variable].span if variable in state.ghosts else None
    if span is None or state.program.source.text[span.start : span.end] != "?":
        return None
    return Help(f"writing {size} for this `?` proves it", (Edit(span, str(size)),))


def _alone(dim: Dim) -> Dim:
    atoms = dim.atoms()
    return dim if len(atoms) == 1 and dim.terms == (((atoms[0],), 1),) else constant(0)
