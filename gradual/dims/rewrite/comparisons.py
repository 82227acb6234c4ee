"""Simplification of comparisons by bounds: decide them, or cancel common factors that are at least 1.

h * n == h * m  ->  n == m       where h >= 1
"""

from __future__ import annotations

from math import gcd

from gradual.dims.bounds.interval import Estimate
from gradual.dims.rewrite.exact_products import Ways
from gradual.dims.rewrite.quotients import common_factors, lowered
from gradual.dims.term.constraint import FALSE, TRUE, AtMost, Constraint, Equal, Not, at_most, equal, negated
from gradual.dims.term.dim import Dim, polynomial

Comparison = Equal | AtMost


def compared(comparison: Comparison | Not, estimate: Estimate, ways: Ways | None = None) -> Constraint:
    """Simplify a comparison; the result is TRUE or FALSE if bounds decide it.  [dim.decide.simplify]"""
    if isinstance(comparison, Not):
        simpler = compared(comparison.part, estimate, ways)
        return comparison if simpler is comparison.part else negated(simpler)
    holds = estimate.holds(comparison)
    if holds is not None:
        return TRUE if holds else FALSE
    difference = _cancelled(comparison.difference, estimate)
    if difference is comparison.difference and ways is not None:
        size = _size(difference)
        smaller = (_cancelled(way, estimate) for way in ways(difference))
        difference = next((way for way in smaller if _size(way) < size), difference)
    return comparison if difference is comparison.difference else _comparing(comparison, difference)


def _cancelled(difference: Dim, estimate: Estimate) -> Dim:
    """The difference divided by common factors that are at least 1, also numbers, which preserves its sign."""
    if difference.value is not None:
        return difference
    common = common_factors(difference, estimate)
    rest = lowered(difference, common) if common else difference
    number = gcd(*(coefficient for _, coefficient in rest.terms))
    return rest if number == 1 else polynomial({monomial: factor // number for monomial, factor in rest.terms})


def _size(dim: Dim) -> int:
    return sum(len(monomial) for monomial, _ in dim.terms)


def _comparing(comparison: Comparison, smaller: Dim) -> Constraint:
    plus = polynomial({monomial: coefficient for monomial, coefficient in smaller.terms if coefficient > 0})
    minus = plus - smaller
    return at_most(minus, plus) if isinstance(comparison, AtMost) else equal(plus, minus)
