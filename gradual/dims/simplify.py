"""Dims and constraints made simpler by what is known: bounds, and products that equations replace.

    max(n, m) -> m where n <= m      (h * m + r) // h -> m + r // h where h >= 1      h * (d // h) -> d where d % h == 0

Each step is an equality at every valuation that the knowledge admits.   [dim.decide.simplify]
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from gradual.dims.atom import Compound, FloorDiv, Max, Min, Variable, bottom_up
from gradual.dims.constraint import FALSE, TRUE, AtMost, Constraint, Equal, Not
from gradual.dims.dim import Dim, Monomial, Term, constant, maximum, minimum, of_atom, polynomial
from gradual.dims.interval import Estimate, canonical
from gradual.dims.meaning import rebuilt


@dataclass(frozen=True, slots=True)
class Replacement:
    """`coefficient * monomial == image`; the monomial holds a quotient, so that using it makes dims simpler."""

    monomial: Monomial
    coefficient: int
    image: Dim


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What simplification may use.

    Attributes:
        estimate: bounds of dims.
        replacements: by the quotient that they replace.
        apart: canonical differences that are not 0.
    """

    estimate: Estimate
    replacements: Mapping[FloorDiv, Replacement]
    apart: Container[Dim] = ()


def simplified_dim(dim: Dim, known: Knowledge) -> Dim:
    """The dim, simpler."""
    simpler: Dim = _simplified(dim, known) if dim.children else dim
    return simpler


def simplified_constraint(constraint: Constraint, known: Knowledge) -> Constraint:
    """The constraint, simpler; TRUE or FALSE where bounds decide it."""
    simpler: Constraint = _simplified(constraint, known)
    return simpler


_NOTHING: Mapping[Variable, Dim] = {}


def _simplified(root: Any, known: Knowledge) -> Any:
    images: dict[Any, Any] = {}
    for node in bottom_up(root):
        image = rebuilt(node, images, _NOTHING) if _changed(node, images) else _itself(node)
        images[node] = _improved(image, known)
    return images[root]


def _changed(node: Any, images: Mapping[Any, Any]) -> bool:
    return any(images[child] is not _itself(child) for child in node.children)


def _itself(node: Any) -> Any:
    return of_atom(node) if isinstance(node, Compound) else node


def _improved(image: Any, known: Knowledge) -> Any:
    match image:
        case Dim():
            return _improved_dim(image, known)
        case Equal(difference=difference) if canonical(difference) in known.apart:
            return FALSE
        case Not(part=Equal(difference=difference)) if canonical(difference) in known.apart:
            return TRUE
        case Equal() | AtMost() | Not():
            holds = known.estimate.holds(image)
            return image if holds is None else TRUE if holds else FALSE
    return image


def _improved_dim(dim: Dim, known: Knowledge) -> Dim:
    match dim.terms:
        case (((FloorDiv() as atom,), 1),):
            return _replaced(_quotient(atom, known), known)
        case (((Max() | Min() as extreme,), 1),):
            return _without_dominated(extreme, known)
    return _replaced(dim, known)


# ------------------------------------------------------------------------------------------------- replacement


def _replaced(dim: Dim, known: Knowledge) -> Dim:
    for _ in range(8) if dim.children else ():
        smaller = dim
        for atom in dim.children:
            if isinstance(atom, FloorDiv) and atom in known.replacements:
                smaller = _with(smaller, known.replacements[atom])
        if smaller is dim:
            break
        dim = smaller
    return dim


def _with(dim: Dim, replacement: Replacement) -> Dim:
    for monomial, coefficient in dim.terms:
        rest = without(monomial, replacement.monomial)
        if rest is not None and coefficient % replacement.coefficient == 0:
            factor = polynomial({rest: coefficient // replacement.coefficient})
            dim = dim - polynomial({monomial: coefficient}) + factor * replacement.image
    return dim


def without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """The cofactor of a part of a monomial, None if it is not a part."""
    rest = list(monomial)
    for atom in part:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def replacement_of(difference: Dim) -> tuple[FloorDiv, Replacement] | None:
    """What `difference == 0` says about its first product with a quotient.  [dim.facts.divisible]"""
    for monomial, coefficient in difference.terms:
        for atom in monomial:
            if isinstance(atom, FloorDiv):
                image = polynomial({monomial: coefficient}) - difference
                sign = 1 if coefficient > 0 else -1
                return atom, Replacement(monomial, coefficient * sign, image * sign)
    return None


# ------------------------------------------------------------------------------------------------- division


def _quotient(atom: FloorDiv, known: Knowledge) -> Dim:
    """`a // h`: a number where bounds leave one; exact where `h` divides terms of `a` and is at least 1."""
    divisor = known.estimate.of(atom.divisor)
    if divisor.low is None or divisor.low < 1:
        return of_atom(atom)
    value = known.estimate.of(of_atom(atom)).value
    if value is not None:
        return constant(value)
    whole, rest = divided_exactly(atom.dividend, atom.divisor)
    if _is_within(rest, atom.divisor, known.estimate):
        return whole
    return whole + rest // atom.divisor if whole.terms else of_atom(atom)


def _is_within(rest: Dim, divisor: Dim, estimate: Estimate) -> bool:
    """Whether `0 <= rest < divisor`."""
    low, gap = estimate.of(rest).low, estimate.of(divisor - rest).low
    return low is not None and low >= 0 and gap is not None and gap >= 1


_STEPS = 32


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
    cofactor = without(term[0], lead[0])
    return None if cofactor is None or term[1] % lead[1] else polynomial({cofactor: term[1] // lead[1]})


# ------------------------------------------------------------------------------------------------- choices


def _without_dominated(extreme: Max | Min, known: Knowledge) -> Dim:
    """The extreme without operands that another one always reaches."""
    kept = list(extreme.operands)
    for operand in extreme.operands:
        others = [other for other in kept if other is not operand]
        if any(_reaches(other, operand, extreme, known.estimate) for other in others):
            kept = others
    return maximum(*kept) if isinstance(extreme, Max) else minimum(*kept)


def _reaches(other: Dim, operand: Dim, extreme: Max | Min, estimate: Estimate) -> bool:
    gap = other - operand if isinstance(extreme, Max) else operand - other
    low = estimate.of(gap).low
    return low is not None and low >= 0
