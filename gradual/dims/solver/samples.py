"""Some valuation that satisfies constraints, made from zeros by mending what does not hold, a few times over.

It answers questions whose answer is yes or no at the cost of reading the constraints, however many variables they
have; it need not be the least one, and often there is one where none is found.   [dim.decide.models]
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
    """A valuation that satisfies the constraints, if one is found."""
    model = dict.fromkeys(names_of(constraints), 0)
    ordered = list(reversed(constraints))  # what is nearest to a goal comes last
    for _ in range(_TIMES):
        broken = False
        for constraint in ordered:
            if not _holds(constraint, model):
                broken = True
                if not _mended(constraint, model):
                    return None
        if not broken:
            return model
        ordered.reverse()  # what each constraint asks of the next one is met going one way
    return None


def _holds(constraint: Constraint, model: Mapping[Variable, int]) -> bool:
    try:
        return constraint.evaluate(model)
    except Undefined:
        return False


def _mended(constraint: Constraint, model: dict[Variable, int]) -> bool:
    """Move a variable so that a constraint holds, be it at the cost of another; False if none can be moved."""
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
    """Move one variable by the step for what the difference is now and its slope; upwards if there is a choice.

    One is taken with which the difference `meets` what is asked, if there is such: another branch may be taken there.
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
    """How fast a difference grows with variables that are terms or factors of terms, or so in a branch taken."""
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
