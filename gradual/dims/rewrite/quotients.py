"""Simplification of quotients by bounds: to a constant, an exact quotient, or case by case for an if-then-else.

(h * m + r) // h -> m + r // h        h * n // (h * m) -> n // m        where h >= 1
4 * n // (if n == 0 then 7 else n) -> (if n == 0 then 0 else 4)         where n >= 0
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from gradual.dims.bounds.interval import Estimate
from gradual.dims.rewrite.exact_products import Ways
from gradual.dims.term.atom import Atom, FloorDiv, Ite, Variable, bottom_up
from gradual.dims.term.constraint import Constraint, Equal
from gradual.dims.term.dim import Dim, Term, constant, ite, of_atom, polynomial, single
from gradual.dims.term.polynomial import cofactor
from gradual.dims.term.substitution import rebuilt

_STEPS = 32


def quotient(atom: FloorDiv, estimate: Estimate, ways: Ways | None = None) -> Dim:
    """Simplify `a // h` by bounds, or because `a` is a multiple of `h`.  [dim.decide.simplify]"""
    dividend, divisor = cancelled(atom.dividend, atom.divisor, estimate)
    choice = single(divisor, Ite)
    found = _by_cases(dividend, choice, estimate) if choice is not None else None
    if found is not None:
        return found
    if (estimate.of(divisor).low or 0) < 1:
        return dividend // divisor
    value = estimate.of(dividend // divisor).value
    if value is not None:
        return constant(value)
    whole, rest = divided_exactly(dividend, divisor)
    if _is_within(rest, divisor, estimate):
        return whole
    found = _of_multiple(rest, divisor, estimate, ways) if ways is not None else None
    return whole + (rest // divisor if found is None else found)


def _of_multiple(dividend: Dim, divisor: Dim, estimate: Estimate, ways: Ways) -> Dim | None:
    """The quotient of a dividend that is a multiple of the divisor, has terms that are, or shares a factor with it.
    [dim.facts.multiple]

    Linear sums divided by constants are not rewritten: `d // 4` is better than `2 * (d // 8)`, and goals about
    `d // 4` are decided by splits into residue classes.
    """
    if divisor.value is not None and all(len(monomial) < 2 for monomial, _ in dividend.terms):
        return None
    found = smaller = None
    for way in ways(dividend):
        whole, rest = divided_exactly(way, divisor)
        if _is_within(rest, divisor, estimate):
            return whole
        if found is None and set(rest.terms) < set(dividend.terms):
            found = whole + rest // divisor
        if smaller is None:
            pair = cancelled(way, divisor, estimate)
            smaller = pair[0] // pair[1] if pair[1] is not divisor else None
    return found or smaller


def cancelled(dividend: Dim, divisor: Dim, estimate: Estimate) -> tuple[Dim, Dim]:
    """Dividend and divisor without their common factors that are at least 1."""
    if divisor.value is not None or not dividend.terms:
        return dividend, divisor
    common = common_factors(divisor, estimate)
    common = common and common & common_factors(dividend, estimate)
    return (lowered(dividend, common), lowered(divisor, common)) if common else (dividend, divisor)


def common_factors(dim: Dim, estimate: Estimate) -> Counter[Atom]:
    """The factors, each at least 1, that all terms of a nonzero dim share."""
    first, *others = (monomial for monomial, _ in dim.terms)
    shared = Counter(first)
    for monomial in others:
        shared &= Counter(monomial)
    return Counter({atom: count for atom, count in shared.items() if (estimate.of(of_atom(atom)).low or 0) >= 1})


def lowered(dim: Dim, factors: Counter[Atom]) -> Dim:
    """The dim divided by factors that all its terms share."""
    part = tuple(factors.elements())
    return polynomial({cofactor(monomial, part) or (): coefficient for monomial, coefficient in dim.terms})


def _is_within(rest: Dim, divisor: Dim, estimate: Estimate) -> bool:
    """Whether `0 <= rest < divisor`."""
    low, gap = estimate.of(rest).low, estimate.of(divisor - rest).low
    return low is not None and low >= 0 and gap is not None and gap >= 1


def divided_exactly(dividend: Dim, divisor: Dim) -> tuple[Dim, Dim]:
    """`(quotient, rest)` with `dividend = quotient * divisor + rest` as polynomials.

    A divisor of several terms either divides all of the dividend or nothing of it.
    """
    whole, rest = constant(0), dividend
    for _ in range(_STEPS):
        factor = next((f for term in rest.terms if (f := _factor(term, divisor.terms[0])) is not None), None)
        if factor is None:
            break
        whole, rest = whole + factor, rest - factor * divisor
    return (whole, rest) if len(divisor.terms) == 1 or not rest.terms else (constant(0), dividend)


def _factor(term: Term, lead: Term) -> Dim | None:
    found = cofactor(term[0], lead[0])
    return None if found is None or term[1] % lead[1] else polynomial({found: term[1] // lead[1]})


# ------------------------------------------------------------------------------------------------- choices


def _by_cases(dividend: Dim, choice: Ite, estimate: Estimate) -> Dim | None:
    """The quotient by an if-then-else that tests an atom against a constant, if it is a polynomial in both."""
    tested = tested_part(choice.condition)
    if tested is None:
        return None
    atom, number = tested
    then = _exact(_with_number(dividend, atom, number), choice.then, estimate)
    if then is None:
        return None
    low = estimate.of(of_atom(atom)).low
    elsewhere = estimate.natural(of_atom(atom) - (number + 1)) if low == number else estimate
    orelse = _exact(dividend, choice.orelse, elsewhere)
    return None if orelse is None else ite(choice.condition, then, orelse)


def _with_number(dim: Dim, atom: Atom, number: int) -> Dim:
    """The dim with a number in place of an atom, also inside other atoms."""
    image = constant(number)
    if isinstance(atom, Variable):
        return dim.substitute({atom: image})
    images: dict[Any, Any] = {atom: image}
    for node in bottom_up(dim, images):
        images[node] = rebuilt(node, images, {})
    found: Dim = images[dim]
    return found


def tested_part(condition: Constraint) -> tuple[Atom, int] | None:
    """The atom and the constant that a condition equates; None if it is anything else."""
    match condition:
        case Equal(left=left, right=right) if right.value is not None:
            match left.terms:
                case (((atom,), 1),):
                    return atom, right.value
    return None


def _exact(dividend: Dim, divisor: Dim, estimate: Estimate) -> Dim | None:
    """The quotient if it is a polynomial, else None."""
    dividend, divisor = cancelled(dividend, divisor, estimate)
    if (estimate.of(divisor).low or 0) < 1:
        return None
    whole, rest = divided_exactly(dividend, divisor)
    return whole if _is_within(rest, divisor, estimate) else None
