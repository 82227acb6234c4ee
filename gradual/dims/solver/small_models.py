"""Search for the least model of a few constraints, by enumeration of small numbers.

Models are ordered by their greatest number, then by their numbers in order of first occurrence, so that a
counterexample reads `n = 3` and not `n = 1073741824`.  Every model is checked by evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradual.dims.bounds.interval import ANY, Interval
from gradual.dims.solver.conjunction import System
from gradual.dims.term.atom import Variable, bottom_up, names_of
from gradual.dims.term.constraint import AtMost, Constraint, Equal, Undefined, equal
from gradual.dims.term.dim import Dim, of_atom, polynomial
from gradual.dims.term.evaluation import Evaluation
from gradual.record import record

Model = dict[Variable, int]
Score = tuple[int, tuple[tuple[int, bool], ...]]

_SMALL = 10
_CONSTANTS = 10


@record
class Found:
    """A model, and whether the search was exhaustive enough to show that none is smaller."""

    model: Model
    least: bool


def least_model(
    system: System,
    constraints: Sequence[Constraint],
    order: Sequence[Variable],
    tries: int,
    hints: Iterable[int] = (),
) -> Found | None:
    """The least model of the constraints that a bounded search finds.  [dim.decide.models]

    `system` is the same constraints, or one case of them, saturated; `order` has every variable of the constraints;
    `hints` are more numbers to try.
    """
    if system.conflict:
        return None
    return _Search(system, constraints, order, tries, hints).run()


@record
class _Line:
    """A constraint that is linear in the variable assigned last: `slope * x + rest` is 0, or is at least 0."""

    slope: Dim
    rest: Dim
    exact: bool

    def within(self, model: Mapping[Variable, int]) -> Interval:
        """The interval of x for which the constraint holds."""
        try:
            slope, rest = self.slope.evaluate(model), self.rest.evaluate(model)
        except Undefined:
            return ANY
        if slope == 0:
            return ANY if rest == 0 or (rest > 0 and not self.exact) else _NOTHING
        if self.exact:
            return _NOTHING if rest % slope else Interval(-rest // slope, -rest // slope)
        return Interval(-(rest // slope), None) if slope > 0 else Interval(None, rest // -slope)


_NOTHING = Interval(1, 0)


def measured(model: Model, order: Sequence[Variable]) -> Score:
    """The sort key of models: the greatest number, then the numbers in order.  [dim.decide.models]"""
    numbers = [model[name] for name in order]
    return max(map(abs, numbers), default=0), tuple((abs(k), k < 0) for k in numbers)


class _Search:
    """A search for the least model, level by level: at each level, numbers up to the level are tried, small ones first.

    The variables in `order` are assigned first, then the other variables of the system.
    """

    def __init__(
        self,
        system: System,
        constraints: Sequence[Constraint],
        order: Sequence[Variable],
        tries: int,
        hints: Iterable[int],
    ) -> None:
        self._whole = Evaluation(constraints)
        self._tries = tries
        self._order = tuple(dict.fromkeys(order))
        self._names = tuple(dict.fromkeys((*self._order, *system.free, *system.solved)))
        solved = (equal(of_atom(name), image) for name, image in system.solved.items())
        held = (*system.constraints, *solved)
        checks, self._lines = _scheduled(held, self._names)
        self._checks = [Evaluation(here) for here in checks]
        numbers = sorted({*range(_SMALL), *_interesting(system.constraints), *map(abs, hints)})
        bound = names_of(held)
        domains = [_domain(numbers, system.bounds.get(of_atom(name), ANY)) for name in self._names]
        self._domains = [d if name in bound else d[:1] for name, d in zip(self._names, domains, strict=True)]
        self._best: Model | None = None
        self._score: Score | None = None

    def run(self) -> Found | None:
        for level in sorted({abs(k) for domain in self._domains for k in domain} | {0}):
            if self._tries <= 0 or (self._score is not None and self._score[0] < level):
                break
            if self._assign({}, level, False) or not self._names:
                break
        return None if self._best is None else Found(self._best, self._tries > 0)

    def _assign(self, model: Model, level: int, reached: bool) -> bool:
        """Extend a partial model by numbers up to the level; True if the least model of this level was found.

        `reached`: some number is already at the level; models with all numbers below it were tried before.
        """
        place = len(model)
        if place == len(self._names):
            return self._propose(model, level)
        name, last = self._names[place], place == len(self._order) - 1
        for k in self._candidates(place, model, level):
            if self._tries <= 0:
                return False
            at_level = reached or abs(k) >= level
            if last and not at_level:
                continue
            self._tries -= 1
            model[name] = k
            if self._checks[place].holds(model) and self._assign(model, level, at_level):
                return True
            del model[name]
        return False

    def _candidates(self, place: int, model: Model, level: int) -> list[int]:
        """Numbers to try for a variable, smallest first; those forced by linear constraints may exceed the level."""
        inside = ANY
        for line in self._lines[place]:
            inside &= line.within(model)
        if inside.value is not None:
            return [inside.value]
        beyond = (k for k in (inside.low, inside.high) if k is not None and abs(k) > level)
        ends = [k for k in beyond if self._score is None or abs(k) <= self._score[0]]
        return [k for k in self._domains[place] if abs(k) <= level and k in inside] + ends

    def _propose(self, model: Model, level: int) -> bool:
        score = measured(model, self._order)
        if (self._score is None or score < self._score) and self._whole.holds(model):
            self._best, self._score = {name: model[name] for name in self._order}, score
            return score[0] <= level
        return False


def _scheduled(
    constraints: Iterable[Constraint], free: Sequence[Variable]
) -> tuple[list[list[Constraint]], list[list[_Line]]]:
    """Position in the order -> the constraints whose last variable is there, and the linear ones among them."""
    places = {name: place for place, name in enumerate(free)}
    checks: list[list[Constraint]] = [[] for _ in free]
    lines: list[list[_Line]] = [[] for _ in free]
    for constraint in constraints:
        last = max((places[name] for name in constraint.names), default=None)
        if last is not None:
            checks[last].append(constraint)
            line = _line(constraint, free[last])
            lines[last].extend(() if line is None else (line,))
    return checks, lines


def _line(constraint: Constraint, name: Variable) -> _Line | None:
    if not isinstance(constraint, Equal | AtMost):
        return None
    slope = {}
    rest = {}
    for monomial, coefficient in constraint.difference.terms:
        if name in monomial:
            others = tuple(atom for atom in monomial if atom is not name)
            if len(others) != len(monomial) - 1 or any(name in atom.names for atom in others):
                return None
            slope[others] = coefficient
        elif any(name in atom.names for atom in monomial):
            return None
        else:
            rest[monomial] = coefficient
    return _Line(polynomial(slope), polynomial(rest), isinstance(constraint, Equal))


def _interesting(constraints: Iterable[Constraint]) -> list[int]:
    """The constants of some constraints and their neighbours, smallest first."""
    found: set[int] = set()
    for constraint in constraints:
        for node in bottom_up(constraint):
            if isinstance(node, Dim):
                found.update(abs(coefficient) for _, coefficient in node.terms)
    return [near for k in sorted(found)[:_CONSTANTS] for near in (k - 1, k, k + 1) if near >= 0]


def _domain(numbers: Sequence[int], interval: Interval) -> list[int]:
    """The numbers inside an interval and near its ends, smallest first."""
    signed = {*numbers, *(-k for k in numbers if interval.low is None or interval.low < 0)}
    if interval.low is not None:
        signed |= {interval.low, interval.low + 1, interval.low + 2}
    if interval.high is not None:
        signed |= {interval.high, interval.high - 1}
    return sorted((k for k in signed if k in interval), key=lambda k: (abs(k), k < 0))
