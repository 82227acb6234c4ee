"""Refutation by case splits: on disjunctions, disequations, if-then-else, min and max, and residue classes.

    (n + 1) // 2 + n // 2 == n      holds for n = 2 * k and for n = 2 * k + 1

Splitting stops when the budget of cases is used up; a case that cannot be refuted ends the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd, lcm

from gradual.dims.bounds.omega import Exhausted, Solution, integer_solution
from gradual.dims.solver.conjunction import System
from gradual.dims.solver.small_models import Model
from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, Variable, bottom_up, named
from gradual.dims.term.constraint import Constraint, Or, Undefined, all_of, at_least, at_most, equal, negated
from gradual.dims.term.dim import Dim, Monomial, of_atom
from gradual.dims.term.evaluation import satisfied
from gradual.limits import Limits
from gradual.record import record

_DEPTH = 12


@record
class Split:
    """An exhaustive case split; each case is a constraint to add.

    Attributes:
        about: what is split: a disjunction, a difference that is not 0, an if-then-else, a min, a max, or a variable by
            its residue.
    """

    stage: str
    cases: tuple[Constraint, ...]
    about: Constraint | Dim | Ite | Max | Min


class Refuter:
    """One attempt to refute a system, with its budget of cases.

    Attributes:
        open: the case that was neither refuted nor split, if any; a model is searched for there.
        model: a model that was found on the way.
    """

    def __init__(self, limits: Limits) -> None:
        self.open: System | None = None
        self.model: Model | None = None
        self._limits = limits
        self._left = limits.cases

    def refuted(self, system: System, depth: int = _DEPTH) -> str | None:
        """The stage that shows the system unsatisfiable, None if it is not refuted.  [dim.decide.cases]"""
        if system.conflict:
            return "facts"
        try:
            solution = integer_solution(system.rows, self._limits.rows)
        except Exhausted:
            solution = None if system.is_contradictory else {}
        if solution is None:
            return "linear"
        split = self._split(system, solution) if depth else None
        if split is None or len(split.cases) > self._left:
            self.open = system
            return None
        self._left -= len(split.cases)
        closed = all(self.refuted(system.narrowed(case), depth - 1) is not None for case in split.cases)
        return split.stage if closed else None

    def _split(self, system: System, solution: Solution) -> Split | None:
        """A split with the fewest cases, preferably one that the solution violates; None if there is no split.

        If the solution is a model, it is recorded, and the result is None too.
        """
        numbers = {monomial[0]: k for monomial, k in solution.items() if len(monomial) == 1}
        model = system.valuation({atom: k for atom, k in numbers.items() if isinstance(atom, Variable)})
        if model is not None and satisfied(system.given, model):
            self.model = model
            return None
        splits = [*_splits(system), *_sides(system)]
        telling: list[Split] = []
        if model is not None and all(map(_is_linear, solution)):
            telling = [split for split in splits if _misses(split, model, numbers)]
        return min(
            telling or [*splits, *_residues(system, self._limits.residues)],
            key=lambda split: len(split.cases),
            default=None,
        )


def _is_linear(monomial: Monomial) -> bool:
    """Whether a monomial is a single atom other than a quotient by a non-constant."""
    return len(monomial) == 1 and not (isinstance(monomial[0], FloorDiv) and monomial[0].divisor.value is None)


def _misses(split: Split, model: Model, numbers: Mapping[Atom, int]) -> bool:
    """Whether the solution of the inequalities violates what is split."""
    try:
        match split.about:
            case Dim():
                return split.about.evaluate(model) == 0
            case Ite() | Max() | Min():
                value = of_atom(split.about).evaluate(model)
                return numbers.get(split.about, value) != value
            case _:
                return not split.about.evaluate(model)
    except Undefined:
        return True


def _splits(system: System) -> Iterator[Split]:
    for disjunction in system.others:
        yield Split("cases", disjunction.parts, disjunction)
    for node in _nodes(system.constraints):
        match node:
            case Ite(condition=condition):
                yield Split("cases", (*_alternatives(condition), *_alternatives(negated(condition))), node)
            case Max(operands=operands) | Min(operands=operands):
                yield Split("cases", tuple(_extreme(node, operand) for operand in operands), node)


def _alternatives(constraint: Constraint) -> tuple[Constraint, ...]:
    """The disjuncts as separate cases: a single disjunct simplifies an if-then-else more than the disjunction does."""
    return constraint.parts if isinstance(constraint, Or) else (constraint,)


def _sides(system: System) -> Iterator[Split]:
    for difference in system.apart:
        yield Split("cases", (at_least(difference, 1), at_most(difference, -1)), difference)


def _nodes(constraints: Iterable[Constraint]) -> Iterator[object]:
    seen: dict[object, None] = {}
    for constraint in constraints:
        seen.update(dict.fromkeys(bottom_up(constraint)))
    return iter(seen)


def _extreme(node: Max | Min, operand: Dim) -> Constraint:
    """The constraint that this operand is the greatest (Max) or the least (Min)."""
    compare = at_most if isinstance(node, Max) else at_least
    return all_of(*(compare(other, operand) for other in node.operands if other is not operand))


# ------------------------------------------------------------------------------------------------- residues


def _residues(system: System, limit: int) -> Iterator[Split]:
    """Splits by the residue of a variable that divisions by constants depend on.  [dim.decide.residues]"""
    moduli = _moduli(system)
    steps = _known_divisors(system) if moduli else {}
    for name, modulus in moduli.items():
        step = steps.get(name, 1)
        if 1 < modulus <= limit * step and modulus % step == 0:
            quotient = of_atom(named(f"{name} // {modulus}", name.kind, None))
            cases = tuple(equal(of_atom(name), quotient * modulus + r) for r in range(0, modulus, step))
            yield Split("residues", cases, of_atom(name))


def _known_divisors(system: System) -> dict[Variable, int]:
    """Variable -> the least common multiple of the constants that are known to divide it."""
    found: dict[Variable, int] = {}
    for form, interval in system.bounds.items():
        if interval.value == 0 and len(form.names) == 1:
            (name,) = form.names
            divisors = [atom.divisor.value for atom in form.atoms() if isinstance(atom, FloorDiv)]
            for by in divisors:
                if by is not None and form in (of_atom(name) % by, -(of_atom(name) % by)):
                    _merge(found, name, by)
    return found


def _moduli(system: System) -> dict[Variable, int]:
    """Variable -> the modulus whose residue classes would simplify the system."""
    moduli: dict[Variable, int] = {}
    for node in _nodes(system.constraints):
        if isinstance(node, FloorDiv) and (by := node.divisor.value or 0) > 1:
            _collect(node.dividend, by, moduli)
    for form, interval in system.bounds.items():
        if interval.value is not None:
            for monomial, coefficient in form.terms:
                common = gcd(*(c for m, c in form.terms if m is not monomial))
                if len(monomial) == 1 and isinstance(monomial[0], Variable) and common > 1:
                    _merge(moduli, monomial[0], common // gcd(common, coefficient))
    return moduli


def _collect(dividend: Dim, by: int, moduli: dict[Variable, int]) -> None:
    for monomial, coefficient in dividend.terms:
        for atom in monomial:
            if isinstance(atom, Variable):
                _merge(moduli, atom, by // gcd(by, coefficient))


def _merge(moduli: dict[Variable, int], name: Variable, modulus: int) -> None:
    moduli[name] = lcm(moduli.get(name, 1), modulus)
