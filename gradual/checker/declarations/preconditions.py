"""Preconditions of a declaration on its sizes, assumed at the beginning of its body."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import discharge_divisions
from gradual.checker.declarations.types import Reading
from gradual.checker.obligations.origins import written_at
from gradual.checker.state.context import Elaboration
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Variable
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.positive import positive, presumed
from gradual.types.type import GradualType

PRESUMED = "a size that contains a name is at least 1; `where n >= 0` lets the size `n` be 0 too"


@record
class Declared:
    """What the preconditions of a function are read with.

    Attributes:
        params: the parameters' types; the bottom type for a parameter whose type comes from the expected type.
        own: the named sizes of this function, as opposed to those of a function around it.
        given: the `where` clauses of the function type that is expected where a literal stands.
    """

    params: Sequence[GradualType]
    own: frozenset[Variable]
    given: Sequence[Constraint]


@record
class Clause:
    """A precondition and its span; `presumed` if it is not written: a named size is at least 1."""

    goal: Constraint
    span: Span
    presumed: bool = False


def assumed(
    state: Elaboration, literal: ast.Fn, declared: Declared, read: Sequence[tuple[Clause, Reading]]
) -> list[Clause] | None:
    """Assume the preconditions one after the other: named sizes are at least 1, and the `where` clauses hold.

    None after reporting a precondition that contradicts the earlier ones: with it everything could be proved.
    [type.positive] [type.where]
    """
    written = {clause.goal: clause.span for clause, _ in read}
    named = presumed(declared.params, declared.own, (*declared.given, *written))
    clauses: list[Clause] = []
    for size in named:
        goal = positive(size.size)
        annotation = literal.params[size.param].annotation
        assert annotation is not None
        place = written_at(annotation, list(map(str, size.path)), size.axis)
        if not _assume(state, goal, place, bool(clauses)):
            return None
        clauses.append(Clause(goal, written.get(goal, place), goal not in written))
    known = {clause.goal for clause in clauses}
    for clause, reading in read:
        discharge_divisions(state, reading)
        if clause.goal in known:
            continue
        if not _assume(state, clause.goal, clause.span, bool(clauses), (PRESUMED,) if named else ()):
            return None
        clauses.append(clause)
    return clauses


def read_clauses(state: Elaboration, literal: ast.Fn) -> list[tuple[Clause, Reading]]:
    """Read the `where` clauses, each with the reader that has its division obligations; erroneous ones are left out."""
    read: list[tuple[Clause, Reading]] = []
    for written in literal.where:
        reading = Reading(state, declares=True)
        try:
            read.append((Clause(reading.clause(written), written.span), reading))
        except Unreadable:
            state.reach.after_error = True
    return read


def _assume(state: Elaboration, goal: Constraint, span: Span, follows: bool, notes: tuple[str, ...] = ()) -> bool:
    """Assume a precondition; False after reporting that no size satisfies it together with the earlier ones."""
    if state.program.decider.excludes(state.facts, goal):
        message = f"no size satisfies `{goal}`" + (" together with the conditions before it" if follows else "")
        state.output.report("E0311", "type.where", message, span, notes=notes)
        return False
    state.facts.assume(goal, learnt=True)
    return True
