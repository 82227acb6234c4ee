"""Local search for a model: start from zeros, and repair violated constraints in a few passes.

It settles satisfiable yes-or-no questions in time linear in the constraints.  The model need not be the least, and
the search often fails although a model exists.   [dim.decide.models]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from gradual.dims.term.atom import Variable, names_of
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Undefined
from gradual.dims.term.dim import Dim, Ite

_TIMES = 5
_HUGE = 1 << 40


def sample(constraints: Sequence[Constraint]) -> Mapping[Variable, int] | None:
    """A valuation that satisfies the constraints, None if none is found."""
    model = dict.fromkeys(names_of(constraints), 0)
    ordered = list(reversed(constraints))  # the facts nearest to the goal come last
    for _ in range(_TIMES):
        broken = False
        for constraint in ordered:
            if not _holds(constraint, model):
                broken = True
                if not _mended(constraint, model):
                    return None
        if not broken:
            return model
        ordered.reverse()  # chains of dependent constraints are repaired in one of the directions
    return None


def _holds(constraint: Constraint, model: Mapping[Variable, int]) -> bool:
    try:
        return constraint.evaluate(model)
    except Undefined:
        return False


def _mended(constraint: Constraint, model: dict[Variable, int]) -> bool:
    """Change variables to repair a constraint, even if that violates another one; False if none can be changed."""
    match constraint:
        case Equal(difference=difference):
            return _moved(difference, _onto, lambda value: value == 0, model)
        case AtMost(difference=difference):
            return _moved(difference, _up_to, lambda value: value >= 0, model)
        case Not(part=part):
            return _moved(part.difference, _off, lambda value: value != 0, model)
        case And(parts=parts):
            return all(_holds(part, model) or _mended(part, model) for part in parts)
        case Or(parts=parts):
            return any(_mended(part, model) for part in parts)
    return False


def _moved(
    difference: Dim,
    step: Callable[[int, int], int | None],
    meets: Callable[[int], bool],
    model: dict[Variable, int],
) -> bool:
    """Change one variable by the step computed from the difference's value and slope, preferably upwards.

    A variable is preferred whose change makes the difference meet the requirement; with another
    variable, the step may change the branch that an if-then-else takes, and so the slope.
    """
    value = _value(difference, model)
    if value is None:
        return False
    steps = [(name, by) for name, slope in _slopes(difference, model) if (by := step(value, slope)) is not None]
    steps = [(name, by) for name, by in steps if abs(model[name] + by) <= _HUGE]
    steps.sort(key=lambda one: (one[1] > 0, model[one[0]] + one[1] >= 0), reverse=True)
    for name, by in steps:
        moved = _value(difference, {**model, name: model[name] + by})
        if moved is not None and meets(moved):
            model[name] += by
            return True
    for name, by in steps[:1]:
        model[name] += by
    return bool(steps)


def _value(difference: Dim, model: Mapping[Variable, int]) -> int | None:
    try:
        return difference.evaluate(model)
    except Undefined:
        return None


def _slopes(difference: Dim, model: Mapping[Variable, int]) -> Iterator[tuple[Variable, int]]:
    """The slope of a difference in each variable that is a factor of a term, also inside a branch that is taken."""
    for monomial, coefficient in difference.terms:
        if len(monomial) == 1 and isinstance(monomial[0], Ite) and (taken := _taken(monomial[0], model)) is not None:
            yield from ((name, coefficient * slope) for name, slope in _slopes(taken, model))
        for place, atom in enumerate(monomial):
            others = [*monomial[:place], *monomial[place + 1 :]]
            if isinstance(atom, Variable) and all(isinstance(other, Variable) for other in others):
                slope = prod([model[other] for other in others if isinstance(other, Variable)], start=coefficient)
                if slope:
                    yield atom, slope


def _taken(choice: Ite, model: Mapping[Variable, int]) -> Dim | None:
    try:
        return choice.then if choice.condition.evaluate(model) else choice.orelse
    except Undefined:
        return None


def _onto(value: int, slope: int) -> int | None:
    """The step to 0."""
    return None if value % slope else -value // slope


def _up_to(value: int, slope: int) -> int:
    """The least step from below to 0 or more."""
    return -(value // slope) if slope > 0 else value // -slope


def _off(value: int, slope: int) -> int:
    """A step away from 0."""
    return 1
