"""Elimination of min, max and if-then-else from constraints where bounds decide the case.

    max(n, 1) == n                     ->  n >= 1
    max(n, m) <= k                     ->  n <= k and m <= k
    (if n == 0 then 7 else n) == m     ->  n != 0 and n == m       where m is 6 at most

Each rewrite is an equivalence at every valuation within the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.dims.bounds.interval import Estimate
from gradual.dims.rewrite.comparisons import Comparison, compared
from gradual.dims.rewrite.quotients import tested_part
from gradual.dims.term.atom import Ite, Max, Min, Variable
from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
    And,
    AtMost,
    Constraint,
    Equal,
    Not,
    Or,
    all_of,
    any_of,
    at_least,
    at_most,
    equal,
    negated,
)
from gradual.dims.term.dim import Dim, maximum, minimum, of_atom, polynomial
from gradual.dims.term.polynomial import replaced

_DEPTH = 8


def plain(constraint: Constraint, estimate: Estimate, depth: int = _DEPTH) -> Constraint:
    """Rewrite a constraint on min, max and if-then-else to one on their parts, if bounds allow.  [dim.facts.plain]"""
    match constraint:
        case And(parts=parts):
            return _all_of([plain(part, estimate, depth) for part in parts])
        case Or(parts=parts):
            return _any_of([plain(part, estimate, depth) for part in parts])
        case Not(part=part):
            found = plain(part, estimate, depth)
            return constraint if found is part else negated(found)
        case Equal() | AtMost():
            return _comparison(constraint, estimate, depth)
    return constraint


def _comparison(comparison: Comparison, estimate: Estimate, depth: int) -> Constraint:
    if not comparison.difference.children or not depth:
        return comparison
    found = _by_cases(comparison, estimate, depth)
    if found is comparison:
        found = _equation(comparison, estimate) if isinstance(comparison, Equal) else _bound(comparison)
    return found if found is comparison else plain(found, estimate, depth - 1)


def _all_of(parts: Sequence[Constraint]) -> Constraint:
    """The conjunction, without parts that are true once a variable is replaced by its value from another part."""
    kept = list(dict.fromkeys(parts))
    for part in parts:
        at = _value_said(part)
        if at:
            kept = [other for other in kept if other is part or other.substitute(at) is not TRUE]
    return all_of(*kept)


def _any_of(parts: Sequence[Constraint]) -> Constraint:
    """The disjunction, by absorption: `a or (a and b)` is `a`, and `a or (not a and b)` is `a or b`.

    A part `n == k` is also dropped if another part is true at that value.
    """
    known = [negated(part) for part in parts]
    some = [
        all_of(*(each for each in part.parts if each not in known)) if isinstance(part, And) else part
        for part in parts
        if not (isinstance(part, And) and any(each in parts for each in part.parts))
    ]
    kept = list(dict.fromkeys(some))
    for part in tuple(kept):
        at = _value_said(part)
        if at and any(other is not part and other.substitute(at) is TRUE for other in kept):
            kept.remove(part)
    return any_of(*kept)


def _value_said(part: Constraint) -> dict[Variable, Dim]:
    """`{variable: constant}` if the constraint is `variable == constant`, else `{}`."""
    solved = part.solution
    return dict((solved,)) if solved is not None and solved[1].value is not None else {}


# ------------------------------------------------------------------------------------------------- choices


def _by_cases(comparison: Comparison, estimate: Estimate, depth: int) -> Constraint:
    """Split a comparison by an if-then-else in it, if bounds decide one of the cases."""
    for choice in comparison.difference.children:
        if isinstance(choice, Ite):
            yes, no = (_holds(comparison, choice, image, estimate) for image in (choice.then, choice.orelse))
            if yes is not None:
                orelse = _case(comparison, choice, choice.orelse)
                other = TRUE if no is True else FALSE if no is False else _elsewhere(orelse, choice, estimate, depth)
                return any_of(choice.condition, other) if yes else all_of(negated(choice.condition), other)
            if no is not None:
                then = _case(comparison, choice, choice.then)
                return any_of(negated(choice.condition), then) if no else all_of(choice.condition, then)
    return comparison


def _holds(comparison: Comparison, choice: Ite, image: Dim, estimate: Estimate) -> bool | None:
    """Whether the comparison holds with the if-then-else replaced by a branch; None if bounds do not decide."""
    difference = _where(replaced(comparison.difference, choice, image), choice, image)
    return estimate.holds(equal(difference, 0) if isinstance(comparison, Equal) else at_most(0, difference))


def _case(comparison: Comparison, choice: Ite, image: Dim) -> Constraint:
    """The comparison with the if-then-else replaced by a branch."""
    sides = (replaced(side, choice, image) for side in (comparison.left, comparison.right))
    left, right = (_where(side, choice, image) for side in sides)
    return equal(left, right) if isinstance(comparison, Equal) else at_most(left, right)


def _where(dim: Dim, choice: Ite, image: Dim) -> Dim:
    """A dim in one branch of an if-then-else; in the then branch, an equation in the condition is substituted."""
    solved = choice.condition.solution if image is choice.then else None
    return dim if solved is None else dim.substitute(dict((solved,)))


def _elsewhere(constraint: Constraint, choice: Ite, estimate: Estimate, depth: int) -> Constraint:
    """Simplify a comparison for the else branch: `n != k` with lower bound k gives `n >= k + 1`."""
    tested = tested_part(choice.condition)
    if tested is not None and isinstance(constraint, Equal | AtMost):
        part = of_atom(tested[0])
        if estimate.of(part).low == tested[1]:
            above = estimate.natural(part - (tested[1] + 1))
            return plain(compared(constraint, above), above, depth - 1)
    return constraint


# ---------------------------------------------------------------------------------------------- min and max


def _extremes(difference: Dim) -> Iterator[tuple[Max | Min, int]]:
    """The terms that are a min or max times a constant."""
    for monomial, coefficient in difference.terms:
        match monomial:
            case ((Max() | Min()) as extreme,):
                yield extreme, coefficient


def _bound(constraint: AtMost) -> Constraint:
    """`max(n, m) <= k` is `n <= k and m <= k`; the other direction is not split."""
    for extreme, coefficient in _extremes(constraint.difference):
        if (coefficient > 0) is isinstance(extreme, Min):
            rest = constraint.difference - of_atom(extreme) * coefficient
            return all_of(*(_natural(rest + operand * coefficient) for operand in extreme.operands))
    return constraint


def _natural(difference: Dim) -> Constraint:
    """The constraint that a difference is at least 0, with its negative terms on the other side."""
    plus = polynomial({monomial: coefficient for monomial, coefficient in difference.terms if coefficient > 0})
    return at_most(plus - difference, plus)


def _equation(constraint: Equal, estimate: Estimate) -> Constraint:
    for extreme, coefficient in _extremes(constraint.difference):
        rest = of_atom(extreme) * coefficient - constraint.difference
        if not any(factor % coefficient for _, factor in rest.terms):
            other = polynomial({monomial: factor // coefficient for monomial, factor in rest.terms})
            found = _is_extreme(extreme, other, estimate)
            if found is not None:
                return found
    return constraint


def _is_extreme(extreme: Max | Min, other: Dim, estimate: Estimate) -> Constraint | None:
    """Simplify `extreme == other` if an operand always or never reaches `other`; else None."""
    sign = 1 if isinstance(extreme, Max) else -1
    gaps = [estimate.of((operand - other) * sign) for operand in extreme.operands]
    if any(gap.low is not None and gap.low >= 0 for gap in gaps):  # an operand always reaches `other`
        within = at_most if isinstance(extreme, Max) else at_least
        return all_of(*(within(operand, other) for operand in extreme.operands))
    pairs = zip(extreme.operands, gaps, strict=True)
    left = [operand for operand, gap in pairs if gap.high is None or gap.high >= 0]  # those that can reach `other`
    if len(left) == len(extreme.operands):
        return None
    if not left:
        return FALSE
    made = maximum(*left) if isinstance(extreme, Max) else minimum(*left)
    shift = made.offset if made.value is None else other.offset
    return equal(made - shift, other - shift)
