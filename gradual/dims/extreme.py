"""Facts about greatest and least dims, said of the operands, each of which is simpler.   [dim.facts.extreme]

    max(n, 1) == n      ->  1 <= n          min(n, 512) == 1  ->  n == 1
    max(n, m) <= k      ->  n <= k and m <= k

Each is an equivalence at every valuation that the bounds admit.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.dims.atom import Max, Min
from gradual.dims.constraint import (
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
from gradual.dims.dim import Dim, maximum, minimum, of_atom, polynomial
from gradual.dims.interval import Estimate


def spread(constraint: Constraint, estimate: Estimate) -> Constraint:
    """The constraint with comparisons of an extreme said of its operands.  [dim.facts.extreme]"""
    match constraint:
        case Equal():
            return _equation(constraint, estimate)
        case Not(part=part):
            return negated(_equation(part, estimate))
        case AtMost(difference=difference):
            return _bound(constraint, difference)
        case And(parts=parts):
            return all_of(*(spread(part, estimate) for part in parts))
        case Or(parts=parts):
            return _without_implied([spread(part, estimate) for part in parts])
    return constraint


def _extreme(difference: Dim) -> tuple[Max | Min, int] | None:
    """The first summand that is an extreme times a number."""
    for monomial, coefficient in difference.terms:
        match monomial:
            case ((Max() | Min()) as extreme,):
                return extreme, coefficient
    return None


def _equation(constraint: Equal, estimate: Estimate) -> Constraint:
    found = _extreme(constraint.difference)
    if found is None:
        return constraint
    extreme, coefficient = found
    rest = of_atom(extreme) * coefficient - constraint.difference
    if any(factor % coefficient for _, factor in rest.terms):
        return constraint
    other = polynomial({monomial: factor // coefficient for monomial, factor in rest.terms})
    return _is_extreme(extreme, other, estimate) or constraint


def _is_extreme(extreme: Max | Min, other: Dim, estimate: Estimate) -> Constraint | None:
    """That a dim is the extreme, where bounds say which operand it is, or leave some out."""
    beyond = [_beyond(operand, other, extreme, estimate) for operand in extreme.operands]
    if any(low is not None and low >= 0 for low in beyond):  # this operand always reaches the other side
        return all_of(*(_within(operand, other, extreme) for operand in extreme.operands))
    pairs = zip(extreme.operands, beyond, strict=True)
    left = [operand for operand, _ in pairs if not _falls_short(operand, other, extreme, estimate)]
    if len(left) == len(extreme.operands):
        return None
    return equal(_made(extreme, left), other) if left else FALSE


def _beyond(operand: Dim, other: Dim, extreme: Max | Min, estimate: Estimate) -> int | None:
    """How far the operand is at least beyond the other side, in the direction of the extreme."""
    return estimate.of(operand - other if isinstance(extreme, Max) else other - operand).low


def _falls_short(operand: Dim, other: Dim, extreme: Max | Min, estimate: Estimate) -> bool:
    """Whether the operand never reaches the other side, so that it is not the extreme where that is."""
    gap = estimate.of(other - operand if isinstance(extreme, Max) else operand - other).low
    return gap is not None and gap >= 1


def _within(operand: Dim, other: Dim, extreme: Max | Min) -> Constraint:
    return at_most(operand, other) if isinstance(extreme, Max) else at_least(operand, other)


def _made(extreme: Max | Min, operands: Sequence[Dim]) -> Dim:
    return maximum(*operands) if isinstance(extreme, Max) else minimum(*operands)


def _bound(constraint: AtMost, difference: Dim) -> Constraint:
    """`max(n, m) <= k` is `n <= k and m <= k`; the other direction stays."""
    found = _extreme(difference)
    if found is None or (found[1] > 0) is isinstance(found[0], Max):
        return constraint
    extreme, coefficient = found
    rest = difference - of_atom(extreme) * coefficient
    return all_of(*(at_most(0, rest + operand * coefficient) for operand in extreme.operands))


def _without_implied(parts: Sequence[Constraint]) -> Constraint:
    """Any of the parts, without those that say of a name what another part admits: `n == 1 or n <= 5` is `n <= 5`."""
    kept = list(dict.fromkeys(parts))
    for part in parts:
        solved = part.solution
        if solved is not None and solved[1].value is not None:
            known = {solved[0]: solved[1]}
            if any(other is not part and other.substitute(known) is TRUE for other in kept):
                kept.remove(part)
    return any_of(*kept)
