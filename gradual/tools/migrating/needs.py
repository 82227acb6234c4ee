"""Constraints on a definition's unknown sizes, from the checks on its parameters that every path makes.

Annotations that these checks imply refuse no run that returned a value: it passed all these checks.  [check.annotated]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gradual.checker.fixes.guessing import as_multiple
from gradual.dims.rewrite.readable import reduced
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.atom import Variable
from gradual.dims.term.constraint import FALSE, And, Constraint, Equal, Or, Truth, any_of
from gradual.dims.term.dim import Dim
from gradual.record import record
from gradual.types.binder_solving import bare

LONGEST = 60
"""Limit on the length of a proposed size or clause, in characters."""


@record
class Needs:
    """Constraints, with the equations solved.

    Attributes:
        sizes: unknown size -> its solution in numbers, names and other unknown sizes.
        rest: the other constraints.
    """

    sizes: dict[Variable, Dim]
    rest: tuple[Constraint, ...]


def solved(goals: Iterable[Constraint], unknown: Collection[Variable]) -> Needs:
    """Solve the equations: prefer a number to a name, and a name to another unknown size."""
    sizes: dict[Variable, Dim] = {}
    rest = list(_conjuncts(goals))
    while (found := _solution(rest, unknown)) is not None:
        variable, image = found
        sizes = {one: dim.substitute({variable: image}) for one, dim in sizes.items()} | {variable: image}
        rest = [reduced(goal.substitute({variable: image})) for goal in rest]
        rest = [goal for goal in rest if not isinstance(goal, Truth) or not goal.holds]
    return Needs(sizes, tuple(dict.fromkeys(rest)))


def _conjuncts(goals: Iterable[Constraint]) -> Iterable[Constraint]:
    for goal in map(reduced, goals):
        yield from goal.parts if isinstance(goal, And) else (goal,)


def _solution(goals: Sequence[Constraint], unknown: Collection[Variable]) -> tuple[Variable, Dim] | None:
    """The simplest solution that an equation gives for an unknown size."""
    found = [pair for goal in goals if isinstance(goal, Equal) for pair in _solutions(goal, unknown)]
    return min(found, key=lambda pair: _how_plain(pair[1]), default=None)


def _solutions(goal: Equal, unknown: Collection[Variable]) -> Iterable[tuple[Variable, Dim]]:
    for side, other in ((goal.right, goal.left), (goal.left, goal.right)):
        variable = bare(side)
        if variable is None or variable not in unknown or variable in other.names:
            continue
        if all(name in unknown or name.witness is None for name in other.names) and len(str(other)) <= LONGEST:
            yield variable, other


def _how_plain(dim: Dim) -> tuple[int, int]:
    if dim.value is not None:
        return 0, 0
    if not any(name.is_existential for name in dim.names):
        return (1 if bare(dim) else 2), len(str(dim))
    return (3 if bare(dim) else 4), len(str(dim))


def clauses(goals: Iterable[Constraint], known: Sequence[Constraint], decider: Decider) -> tuple[Constraint, ...]:
    """The goals as clauses, without known goals, excluded disjuncts, and clauses that others imply."""
    kept = [goal for goal in goals if not _implied(goal, known, decider)]
    for index, goal in enumerate(kept):
        for part in goal.parts if isinstance(goal, Or) else ():
            fewer = any_of(*(one for one in _choices(kept[index]) if one is not part))
            if fewer is not FALSE and _implied(fewer, (*known, *kept), decider):
                kept[index] = fewer
    for goal in reversed(list(kept)):
        others = [one for one in kept if one is not goal]
        if _implied(goal, (*known, *others), decider):
            kept = others
    return tuple(dict.fromkeys(map(as_multiple, kept)))


def _choices(goal: Constraint) -> tuple[Constraint, ...]:
    return goal.parts if isinstance(goal, Or) else (goal,)


def _implied(goal: Constraint, known: Iterable[Constraint], decider: Decider) -> bool:
    facts = Facts()
    for one in known:
        facts.assume(one)
    return decider.proves(facts, goal)
