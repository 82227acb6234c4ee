"""Linear rows over monomials: from bounds, from the definitions of quotients, min and max, and from a few products."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gradual.dims.bounds.interval import Bounds, Estimate, Interval
from gradual.dims.term.atom import Atom, FloorDiv, Max, Min, Product
from gradual.dims.term.dim import Dim, Monomial, of_atom, polynomial
from gradual.dims.term.polynomial import multiplied

_COLUMNS = 40
_PRODUCTS = 40


def rows_of(bounds: Bounds, estimate: Estimate) -> list[Dim]:
    """The dims that are at least 0 by the bounds, and by the definitions of their atoms.  [dim.decide.linear]"""
    rows = [row for form, interval in bounds.items() for row in _ends(form, interval)]
    seen: dict[Monomial, None] = {}
    pending = _monomials(rows)
    for monomial in pending:  # grows while it is walked
        if monomial not in seen and len(seen) < _COLUMNS:
            seen[monomial] = None
            fresh = _about(monomial, estimate)
            rows.extend(fresh)
            pending.extend(_monomials(fresh))
    return [*rows, *_products(rows, seen, estimate)]


def _monomials(rows: list[Dim]) -> list[Monomial]:
    return [monomial for row in rows for monomial, _ in row.terms if monomial]


def _ends(form: Dim, interval: Interval) -> Iterator[Dim]:
    if interval.low is not None:
        yield form - interval.low
    if interval.high is not None:
        yield interval.high - form


def _about(monomial: Monomial, estimate: Estimate) -> list[Dim]:
    """The rows that hold for a monomial by its bounds and the definition of its atom."""
    dim = polynomial({monomial: 1})
    rows = list(_ends(dim, estimate.of(dim))) if len(monomial) > 1 or dim.children else []
    return [*rows, *_defining(monomial[0])] if len(monomial) == 1 else rows


def _defining(atom: Atom) -> Iterator[Dim]:
    dim = of_atom(atom)
    match atom:
        case FloorDiv(dividend=dividend, divisor=divisor):  # defined, so the divisor is at least 1
            yield dividend - divisor * dim
            yield divisor * dim + divisor - 1 - dividend
            yield divisor - 1
        case Max(operands=operands):
            yield from (dim - operand for operand in operands)
        case Min(operands=operands):
            yield from (operand - dim for operand in operands)


def _products(rows: list[Dim], seen: dict[Monomial, None], estimate: Estimate) -> list[Dim]:
    """Rows times an atom that is not negative, if the product has no new monomials."""
    made: dict[Dim, None] = {}
    for atom in dict.fromkeys(atom for monomial in seen if len(monomial) > 1 for atom in monomial):
        factor = of_atom(atom)
        if not isinstance(atom, Product) and _low(factor, estimate) >= 0:
            fitting = (row for row in rows if all(multiplied(monomial, (atom,)) in seen for monomial, _ in row.terms))
            made.update((row * factor, None) for row in islice(fitting, _PRODUCTS))
    return list(made)[:_PRODUCTS]


def _low(dim: Dim, estimate: Estimate) -> int:
    low = estimate.of(dim).low
    return -1 if low is None else low
