"""Comparisons made simpler by bounds: decided, or without factors that are at least 1 on both sides.

h * n == h * m  ->  n == m       where h >= 1
"""

from __future__ import annotations

from gradual.dims.constraint import FALSE, TRUE, AtMost, Constraint, Equal, Not, at_most, equal, negated
from gradual.dims.dim import polynomial
from gradual.dims.interval import Estimate
from gradual.dims.quotient import common_factors, lowered

Comparison = Equal | AtMost


def compared(comparison: Comparison | Not, estimate: Estimate) -> Constraint:
    """The comparison, simpler; TRUE or FALSE where bounds decide it.  [dim.decide.simplify]"""
    if isinstance(comparison, Not):
        simpler = compared(comparison.part, estimate)
        return comparison if simpler is comparison.part else negated(simpler)
    holds = estimate.holds(comparison)
    return _cancelled(comparison, estimate) if holds is None else TRUE if holds else FALSE


def _cancelled(comparison: Comparison, estimate: Estimate) -> Constraint:
    common = common_factors(comparison.difference, estimate)
    if not common:
        return comparison
    smaller = lowered(comparison.difference, common)
    plus = polynomial({monomial: coefficient for monomial, coefficient in smaller.terms if coefficient > 0})
    minus = plus - smaller
    return at_most(minus, plus) if isinstance(comparison, AtMost) else equal(plus, minus)
