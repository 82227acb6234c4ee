"""Constraints in readable form: common factors divided out, common terms removed from both sides.

Only shown and checked constraints are reduced; messages about a mismatch keep the two original sides.
"""

from __future__ import annotations

from math import gcd

from gradual.dims.bounds.interval import Estimate, primitive
from gradual.dims.term.atom import FloorDiv, Variable, bottom_up
from gradual.dims.term.constraint import (
    FALSE,
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
    differs,
    equal,
    is_total,
    less,
    negated,
)
from gradual.dims.term.dim import Dim, constant, of_atom, polynomial
from gradual.dims.term.polynomial import product
from gradual.dims.term.print import factors_like

UNBOUNDED = Estimate({})
"""No bounds are known."""


def reduced(constraint: Constraint, estimate: Estimate = UNBOUNDED) -> Constraint:
    """A constraint, equivalent under the bounds, with smaller numbers and parts: `2 * d <= 5` is `d <= 2`.

    [dim.reduce]
    """
    match constraint:
        case Equal():
            return _equation(constraint)
        case AtMost():
            return _bound(_inequality(constraint), estimate)
        case Not(part=part):
            return negated(reduced(part, estimate))
        case And(parts=parts):
            return all_of(*(reduced(part, estimate) for part in parts))
        case Or(parts=parts):
            return any_of(*(reduced(part, estimate) for part in parts))
        case _:
            return constraint


def _bound(goal: Constraint, estimate: Estimate) -> Constraint:
    """A bound on a quotient or product as bounds on its parts.

    `w // 2 >= 5` is `w >= 10`, `n // h >= 1` is `n >= h`, and `t * d >= 1` is `t >= 1 and d >= 1`.
    """
    if not isinstance(goal, AtMost):
        return goal
    form, scale, offset = primitive(goal.difference)
    match form.terms:
        case (((FloorDiv(dividend=dividend, divisor=divisor),), 1),) if (estimate.of(divisor).low or 0) >= 1:
            if scale > 0:
                return reduced(at_least(dividend, divisor * -(offset // scale)), estimate)
            return reduced(less(dividend, divisor * (offset // -scale + 1)), estimate)
        case ((factors, 1),) if len(factors) > 1 and scale > 0 and offset // scale == -1:
            parts = [of_atom(factor) for factor in dict.fromkeys(factors)]
            if all((low := estimate.of(part).low) is not None and low >= 0 for part in parts):
                return all_of(*(reduced(at_least(part, 1), estimate) for part in parts))
    return goal


def _equation(goal: Equal) -> Constraint:
    common, left, right = _divided(goal.difference)
    offset = goal.difference.offset
    if offset % common:
        return FALSE
    several = common == 1 and len(goal.difference.terms) > 1 + bool(offset)
    made = goal if several else _sides(left, right, offset // common)
    return _factored(made) if isinstance(made, Equal) else made


def _factored(goal: Equal) -> Constraint:
    """The equation as `product == constant`, if that is shorter.

    `a * b == 2 * a + 21` is `a * (b - 2) == 21`.
    """
    difference = goal.difference if goal.difference.terms[0][1] > 0 else -goal.difference
    whole = product(factors_like(difference))
    rest = (whole - difference).value
    made = goal if rest is None else equal(whole, rest)
    return made if len(str(made)) < len(str(goal)) else goal


def _inequality(goal: AtMost) -> Constraint:
    """`4 * d <= 6 * e + 3` is `2 * d <= 3 * e + 1`, since the constant may be rounded down; `-d <= -3` is `d >= 3`."""
    common, more, less = _divided(goal.difference)
    offset = goal.difference.offset // common
    turned = any(_is_negated(side) for side in (goal.left, goal.right))
    return goal if common == 1 and not turned else at_most(less + max(-offset, 0), more + max(offset, 0))


def _is_negated(dim: Dim) -> bool:
    """Whether a dim is a negative multiple of a name, maybe plus a number."""
    named = [(monomial, factor) for monomial, factor in dim.terms if monomial]
    return len(named) == 1 and named[0][1] < 0 and len(named[0][0]) == 1 and isinstance(named[0][0][0], Variable)


def _divided(difference: Dim) -> tuple[int, Dim, Dim]:
    """`(factor, positive, negative)`: the gcd of the non-constant terms, and the terms divided by it, split by sign."""
    terms = {monomial: factor for monomial, factor in difference.terms if monomial}
    common = gcd(*terms.values())
    positive = {monomial: factor // common for monomial, factor in terms.items() if factor > 0}
    negative = {monomial: -factor // common for monomial, factor in terms.items() if factor < 0}
    return common, polynomial(positive), polynomial(negative)


def _sides(left: Dim, right: Dim, offset: int) -> Constraint:
    """`left + offset == right` with the offset moved to the side where it is positive, or onto a constant side."""
    if left.value is None and right.value is None:
        return equal(left + max(offset, 0), right + max(-offset, 0))
    return equal(left, constant(-offset)) if right.value is not None else equal(right, constant(offset))


def lean(constraint: Constraint) -> Constraint:
    """A comparison without terms common to both sides; facts about the common terms are irrelevant to it.

    [dim.facts.cone]
    """
    match constraint:
        case Equal(difference=difference) if _cancels(constraint, difference):
            return equal(*_apart(difference))
        case AtMost(difference=difference) if _cancels(constraint, difference):
            return at_least(*_apart(difference))
        case Not(part=Equal(difference=difference)) if _cancels(constraint, difference):
            return differs(*_apart(difference))
    return constraint


def _cancels(comparison: Constraint, difference: Dim) -> bool:
    """Whether some variable cancels, and the comparison is total: it has no divisor that could be less than 1."""
    return len(difference.names) < len(comparison.names) and is_total(comparison)


def _apart(difference: Dim) -> tuple[Dim, Dim]:
    """Two sums without a common term whose difference is the given one."""
    plus = polynomial({monomial: factor for monomial, factor in difference.terms if factor > 0})
    return plus, plus - difference


def is_large(node: Dim | Constraint, limit: int) -> bool:
    """Whether a dim or constraint has more than `limit` parts, each occurrence counted.  [dim.large]"""
    if not node.children:
        return len(node.terms) > limit if isinstance(node, Dim) else False
    sizes: dict[object, int] = {}
    for part in bottom_up(node):
        own = sum(len(monomial) for monomial, _ in part.terms) if isinstance(part, Dim) else 1
        sizes[part] = own + sum(sizes[child] for child in part.children)
        if sizes[part] > limit:
            return True
    return False
