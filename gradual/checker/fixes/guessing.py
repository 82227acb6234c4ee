"""Guess clauses that may prove a goal about named sizes: the simplest first, and among those the weakest first.

A clause is simple if it is a bound, `n % k == 0`, or an equality or inequality of two names, or of sums of three.
[check.required]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import lcm
from typing import Any

from gradual.dims.rewrite.readable import reduced
from gradual.dims.rewrite.simplify import Knowledge, simplified_constraint
from gradual.dims.solver.decide import Decider, Unsat
from gradual.dims.solver.question import occurrences
from gradual.dims.store.facts import Facts
from gradual.dims.term.atom import FloorDiv, Ite, Max, Min, Variable, bottom_up
from gradual.dims.term.constraint import (
    And,
    AtMost,
    Constraint,
    Equal,
    Not,
    Or,
    Truth,
    all_of,
    at_least,
    at_most,
    divides,
    equal,
    negated,
)
from gradual.dims.term.dim import Dim, constant, of_atom
from gradual.dims.term.substitution import rebuilt
from gradual.record import record
from gradual.types.binder_solving import bare

Clauses = tuple[Constraint, ...]

LONGEST = 60
"""A clause that is not simple, or has more characters than this, is proposed after all simple ones."""

GREATEST = 1 << 16
"""The largest number that is tried as a lower bound of a size."""

NAMES = 6
"""If a goal mentions more names than this, its names are neither bounded nor compared."""


@record
class Guessing:
    """The clauses known about a definition's names, and the decider that checks whether a guess proves a goal.

    Attributes:
        where: the clauses that hold at the definition's entry.
        decider: calls no external solver: a guess that is hard to prove is not worth proposing.
    """

    where: Clauses
    decider: Decider

    def prove(self, clauses: Clauses, goal: Constraint) -> bool:
        """Whether the clauses and `where` alone prove a goal, without the other facts known at its source position."""
        return self.decider.proves(self._entry(clauses), goal)

    def _entry(self, clauses: Clauses = ()) -> Facts:
        """What is known at the definition's entry, given further clauses."""
        facts = Facts()
        for clause in (*self.where, *clauses):
            facts.assume(clause)
        return facts

    def independent(self, clauses: Clauses) -> Clauses:
        """The clauses without those that the others imply."""
        for clause in reversed(clauses):
            rest = tuple(one for one in clauses if one is not clause)
            if self.prove(rest, clause):
                clauses = rest
        return clauses

    def leaves_room(self, clauses: Clauses) -> bool:
        """Whether the clauses are satisfiable with every size at least 2: a name rarely means a size of 0 or 1.

        So `n == 0` and `n <= 1` leave no room.
        """
        clause = all_of(*clauses)
        larger = [at_least(of_atom(variable), constant(2)) for variable in clause.variables()]
        return not isinstance(self.decider.satisfiable(Facts(), all_of(clause, *larger)), Unsat)

    def clauses(self, goal: Constraint, chosen: Clauses) -> Iterator[Clauses]:
        """Yield candidate clauses that, in addition to the chosen ones, may make the goal hold."""
        knowledge = self._entry().known.knowledge
        ways = list(_ways_of(goal, knowledge))
        goal = simplified_constraint(goal, knowledge)
        same = list(dict.fromkeys(map(as_multiple, (reduced(goal), *plainer(goal, self.decider)))))
        plain = [one for one in same if is_simple(one) and len(str(one)) <= LONGEST]
        yield from map(_conjuncts, plain)
        yield from ((one,) for one in _sameness(goal, self.decider) if is_simple(one))
        if not plain:
            yield from self._bounds(goal, chosen)
            multiples = list(_multiples(goal))
            yield from multiples
            yield from self._compared(goal, chosen, multiples)
            yield from ((reduced(one),) for one in ways)
        others = (one for one in same if one not in plain and not isinstance(one, Or))
        yield from (_conjuncts(one) for one in sorted(others, key=lambda one: len(str(one))))

    def _bounds(self, goal: Constraint, chosen: Clauses) -> Iterator[Clauses]:
        """Yield for each name `name >= k` with the least k that proves the goal, then each `one <= other` that does."""
        names = [of_atom(name) for name in occurrences(goal)]
        for name in names if len(names) <= NAMES else ():
            if self.prove((*chosen, at_least(name, GREATEST)), goal):
                yield (at_least(name, self._least(name, goal, chosen)),)
        for one, other in permutations(names, 2) if len(names) <= NAMES else ():
            if self.prove((*chosen, at_most(one, other)), goal):
                yield (at_most(one, other),)

    def _least(self, name: Dim, goal: Constraint, chosen: Clauses) -> int:
        low, high = 1, GREATEST
        while low + 1 < high:
            middle = (low + high) // 2
            if self.prove((*chosen, at_least(name, middle)), goal):
                high = middle
            else:
                low = middle
        return high

    def _compared(self, goal: Constraint, chosen: Clauses, multiples: list[Clauses]) -> Iterator[Clauses]:
        """Yield equalities of two names that prove the goal, alone or together with divisibility clauses."""
        names = [of_atom(name) for name in sorted(occurrences(goal))]
        pairs = [equal(one, other) for one, other in permutations(names, 2) if str(one) < str(other)]
        for beside in ((), *multiples):
            for pair in pairs if len(names) <= NAMES else ():
                if self.prove((*chosen, *beside, pair), goal):
                    yield (*beside, pair)


def _conjuncts(clause: Constraint) -> Clauses:
    return clause.parts if isinstance(clause, And) else (clause,)


# ----------------------------------------------------------------------------------------------------- simple clauses
def is_simple(clause: Constraint) -> bool:
    """Whether a clause is a bound, `n % k == 0`, or compares names: `t == 2 * s`, `past + seq <= total`."""
    match clause:
        case And(parts=parts):
            return all(map(is_simple, parts))
        case Not(part=part):
            return is_simple(part)
        case Equal() | AtMost():
            return _is_linear(clause.difference) or _is_multiple(clause)
        case Or() | Truth():
            return False


def _is_linear(dim: Dim) -> bool:
    """Whether a dim is a sum of at most two names, each with a constant factor, and a number; or of three names."""
    monomials = {monomial: factor for monomial, factor in dim.terms if monomial}
    most = 3 if all(abs(factor) == 1 for factor in monomials.values()) else 2
    return len(monomials) <= most and all(len(one) == 1 and isinstance(one[0], Variable) for one in monomials)


def as_multiple(clause: Constraint) -> Constraint:
    """Rewrite `n == k * (n // k)` to `n % k == 0`; return any other clause unchanged."""
    if not isinstance(clause, Equal):
        return clause
    for one in _quotients(clause):
        found = divides(one.divisor, one.dividend)
        if isinstance(found, Equal) and found.difference in (clause.difference, -clause.difference):
            return found
    return clause


def _is_multiple(clause: Constraint) -> bool:
    return any(divides(one.divisor, one.dividend) is clause and _is_linear(one.dividend) for one in _quotients(clause))


def _quotients(clause: Constraint) -> Iterator[FloorDiv]:
    """The quotients of a clause, outer ones first."""
    nodes = [node for node in bottom_up(clause) if isinstance(node, FloorDiv)]
    yield from reversed(nodes)


# ------------------------------------------------------------------------------------------------------------- guesses
def _ways_of(goal: Constraint, knowledge: Knowledge) -> Iterator[Constraint]:
    """Yield the equations among a goal's disjuncts, simplified, each of which implies the goal, except `d == 1`."""
    for part in goal.parts if isinstance(goal, Or) else (goal,):
        if not _is_one(part):
            simple = simplified_constraint(part, knowledge)
            either = simple.parts if isinstance(simple, Or) else (simple,) if isinstance(goal, Or) else ()
            yield from (one for one in either if isinstance(one, Equal) and not _is_one(one))


def _is_one(part: Constraint) -> bool:
    """Whether a constraint says that a size is 1, which it is rarely meant to be so that it broadcasts."""
    return isinstance(part, Equal) and 1 in (part.left.value, part.right.value)


def _multiples(goal: Constraint) -> Iterator[Clauses]:
    """Yield up to three sets of clauses, without those in which a clause is trivially true or false.

    Each name is a multiple of its period (`_periods`); each name in a dividend is a multiple of the divisor; each
    dividend is a multiple of its divisor.
    """
    pairs = [(one.divisor, one.dividend) for one in _quotients(goal)]
    names = [(divisor, of_atom(name)) for divisor, dividend in pairs for name in sorted(dividend.names)]
    whole = [(constant(period), of_atom(name)) for name, period in sorted(_periods(goal).items())]
    found = (tuple(dict.fromkeys(divides(*pair) for pair in some[::-1])) for some in (whole[::-1], names, pairs))
    for clauses in dict.fromkeys(found):
        if clauses and not any(isinstance(clause, Truth) for clause in clauses):
            yield clauses


def _periods(goal: Constraint) -> dict[Variable, int]:
    """Name -> the number of which it is a multiple if all divisions by constants are exact; added terms are ignored.

    Of `(n // 2 + m) // 3` these are 6 for n and 3 for m.
    """
    found: dict[object, dict[Variable, int]] = {}
    for node in bottom_up(goal):
        by = node.divisor.value if isinstance(node, FloorDiv) else 1
        periods = dict.fromkeys(node.names, 1)
        for child in node.children:
            for name, period in found.get(child, {}).items():
                periods[name] = lcm(periods[name], period)
        found[node] = {name: period * (by or 1) for name, period in periods.items()}
    return {name: period for name, period in found[goal].items() if period > 1}


def _sameness(goal: Constraint, decider: Decider) -> Iterator[Constraint]:
    """Yield the equalities of two names among a goal's disjuncts; other equalities in plainer or stronger forms."""
    for part in goal.parts if isinstance(goal, Or) else ():
        if isinstance(part, Equal) and bare(part.left) and bare(part.right):
            yield part
        elif isinstance(part, Equal):
            yield from plainer(part, decider)
            yield from _multiplied(part)


def _multiplied(goal: Equal) -> Iterator[Constraint]:
    """Yield `n == 4 * m` for `n // 4 == m`: the stronger equation is usually the one meant."""
    for side, other in ((goal.left, goal.right), (goal.right, goal.left)):
        match side.terms:
            case (((FloorDiv(dividend=dividend, divisor=divisor),), 1),) if divisor.value is not None:
                yield equal(dividend, divisor * other)


def plainer(goal: Constraint, decider: Decider) -> Iterator[Constraint]:
    """Rewrite a goal without one of its extrema or if-then-elses: `max(n - 5, 0) == n - 5` is `n >= 5`.

    Only equivalent clauses are yielded: the goal holds iff the selected operand is the extremum (or the branch taken).
    """
    for node in bottom_up(goal):
        for clause, chosen in _ways(node):
            left = _rebuilt_with(goal, node, chosen)
            if left.value is True and _implies(decider, goal, clause):
                yield clause


def _ways(node: object) -> Iterator[tuple[Constraint, Dim]]:
    """Yield each operand of an extremum or an if-then-else with the condition under which it is the result."""
    match node:
        case Max(operands=operands):
            for one in operands:
                yield all_of(*(at_least(one, other) for other in operands if other is not one)), one
        case Min(operands=operands):
            for one in operands:
                yield all_of(*(at_most(one, other) for other in operands if other is not one)), one
        case Ite(condition=condition, then=then, orelse=orelse):
            yield condition, then
            yield negated(condition), orelse


def _rebuilt_with(goal: Constraint, chosen: object, image: Dim) -> Constraint:
    """Replace the node `chosen` of the goal by `image`."""
    images: dict[Any, Any] = {}
    for node in bottom_up(goal):
        images[node] = image if node is chosen else rebuilt(node, images, {})
    found: Constraint = images[goal]
    return found


def _implies(decider: Decider, goal: Constraint, clause: Constraint) -> bool:
    return isinstance(decider.satisfiable(Facts(), all_of(goal, negated(clause))), Unsat)
