"""The least valuation that satisfies a few constraints, by trying small numbers.

Models are ordered by their greatest number, then their sum, then lexicographically in order of first occurrence, so
that a counterexample reads `n = 3` and not `n = 1073741824`.  Every model is evaluated before it is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gradual.dims.atom import Variable, bottom_up, names_of
from gradual.dims.constraint import AtMost, Constraint, Equal, Undefined
from gradual.dims.dim import Dim, of_atom, polynomial
from gradual.dims.interval import ANY, Interval
from gradual.dims.meaning import satisfied
from gradual.dims.system import System

Model = dict[Variable, int]
Score = tuple[int, int, tuple[tuple[int, bool], ...]]

_SMALL = 9
_CONSTANTS = 10


def least_model(
    system: System,
    constraints: Sequence[Constraint],
    order: Sequence[Variable],
    tries: int,
    hints: Iterable[int] = (),
) -> Model | None:
    """The least model of the constraints that a bounded search finds.  [dim.decide.models]

    `system` is the same constraints at rest, or one case of them; `order` has every variable of the constraints;
    `hints` are further numbers worth trying.
    """
    if system.conflict:
        return None
    return _Search(system, constraints, order, tries, hints).run()


@dataclass(frozen=True, slots=True)
class _Line:
    """A constraint that is linear in the variable assigned last: `slope * x + rest` is 0, or is at least 0."""

    slope: Dim
    rest: Dim
    exact: bool

    def roots(self, model: Mapping[Variable, int]) -> tuple[int, ...] | None:
        """The numbers at which the left side is 0 or first reaches it; None for all numbers."""
        slope, rest = self.slope.evaluate(model), self.rest.evaluate(model)
        if slope == 0:
            return None if rest == 0 or not self.exact else ()
        if self.exact:
            return () if rest % slope else (-rest // slope,)
        return (-(rest // slope) if slope > 0 else rest // -slope,)


class _Search:
    def __init__(
        self,
        system: System,
        constraints: Sequence[Constraint],
        order: Sequence[Variable],
        tries: int,
        hints: Iterable[int],
    ) -> None:
        self._constraints = constraints
        self._order = order
        self._tries = tries
        self._solved = tuple(reversed(system.solved.items()))
        free = dict.fromkeys(name for name in order if name not in system.solved)
        self._free = (*free, *(name for name in system.free if name not in free))
        self._checks, self._lines = _scheduled(system.constraints, self._free)
        numbers = sorted({*range(_SMALL), *_interesting(system.constraints), *map(abs, hints)})
        bound = names_of((*system.constraints, *system.solved.values()))
        domains = [_domain(numbers, system.bounds.get(of_atom(name), ANY)) for name in self._free]
        self._domains = [d if name in bound else d[:1] for name, d in zip(self._free, domains, strict=True)]
        self._best: Model | None = None
        self._score: Score | None = None

    def run(self) -> Model | None:
        for level in sorted({abs(k) for domain in self._domains for k in domain} | {0}):
            if self._tries <= 0 or (self._score is not None and self._score[0] < level):
                break
            self._assign({}, level, False)
            if not self._free:
                break
        return self._best

    def _assign(self, model: Model, level: int, reached: bool) -> None:
        """Extend a partial model by numbers up to the level, at least one of them at the level."""
        place = len(model)
        if place == len(self._free):
            self._propose(model)
            return
        name = self._free[place]
        last = place == len(self._free) - 1
        for k, forced in self._candidates(place, model, level):
            if self._tries <= 0:
                return
            at_level = reached or abs(k) == level or forced
            if last and not at_level:
                continue
            self._tries -= 1
            model[name] = k
            if satisfied(self._checks[place], model):
                self._assign(model, level, at_level)
            del model[name]

    def _candidates(self, place: int, model: Model, level: int) -> list[tuple[int, bool]]:
        """Numbers to try for a variable; those that a linear constraint forces may exceed the level."""
        forced: dict[int, None] = {}
        for line in self._lines[place]:
            roots = _roots(line, model)
            if line.exact and roots is not None:
                return [(root, True) for root in roots]
            forced.update(dict.fromkeys(roots or ()))
        plain = [(k, False) for k in self._domains[place] if abs(k) <= level]
        return plain + [(k, True) for k in forced if abs(k) > level]

    def _propose(self, free: Model) -> None:
        model = dict(free)
        try:
            for name, image in self._solved:
                model[name] = image.evaluate(model)
        except Undefined:
            return
        numbers = [model[name] for name in self._order if name in model]
        score = max(map(abs, numbers), default=0), sum(map(abs, numbers)), tuple((abs(k), k < 0) for k in numbers)
        if (self._score is None or score < self._score) and satisfied(self._constraints, model):
            self._best, self._score = {name: model[name] for name in self._order}, score


def _roots(line: _Line, model: Mapping[Variable, int]) -> tuple[int, ...] | None:
    try:
        return line.roots(model)
    except Undefined:
        return None


def _scheduled(
    constraints: Iterable[Constraint], free: Sequence[Variable]
) -> tuple[list[list[Constraint]], list[list[_Line]]]:
    """For each place: the constraints whose last variable is assigned there, and those linear in it."""
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
