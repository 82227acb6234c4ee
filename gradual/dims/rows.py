"""Linear rows over monomials: what bounds say, what quotients and extremes are, and a few products of both."""

from __future__ import annotations

from collections.abc import Iterator

from gradual.dims.atom import Atom, FloorDiv, Max, Min, Product
from gradual.dims.dim import Dim, Monomial, of_atom, polynomial
from gradual.dims.interval import Bounds, Interval, bounds_of

_COLUMNS = 40
_PRODUCTS = 40


def rows_of(bounds: Bounds) -> list[Dim]:
    """What is at least 0 within bounds.  [dim.decide.linear]"""
    rows = [row for form, interval in bounds.items() for row in _ends(form, interval)]
    seen: dict[Monomial, None] = {}
    pending = _monomials(rows)
    for monomial in pending:  # grows while it is walked
        if monomial not in seen and len(seen) < _COLUMNS:
            seen[monomial] = None
            fresh = _about(monomial, bounds)
            rows.extend(fresh)
            pending.extend(_monomials(fresh))
    return [*rows, *_products(rows, seen, bounds)]


def _monomials(rows: list[Dim]) -> list[Monomial]:
    return [monomial for row in rows for monomial, _ in row.terms if monomial]


def _ends(form: Dim, interval: Interval) -> Iterator[Dim]:
    if interval.low is not None:
        yield form - interval.low
    if interval.high is not None:
        yield interval.high - form


def _about(monomial: Monomial, bounds: Bounds) -> list[Dim]:
    """What holds of a monomial because of what it is."""
    dim = polynomial({monomial: 1})
    rows = list(_ends(dim, bounds_of(dim, bounds))) if len(monomial) > 1 or dim.children else []
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


def _products(rows: list[Dim], seen: dict[Monomial, None], bounds: Bounds) -> list[Dim]:
    """Rows times a natural atom, where that only has monomials that are there already."""
    made: dict[Dim, None] = {}
    for atom in dict.fromkeys(atom for monomial in seen if len(monomial) > 1 for atom in monomial):
        factor = of_atom(atom)
        if isinstance(atom, Product) or _low(factor, bounds) < 0:
            continue
        for row in rows:
            times = row * factor
            if len(made) < _PRODUCTS and all(monomial in seen for monomial, _ in times.terms if monomial):
                made[times] = None
    return list(made)


def _low(dim: Dim, bounds: Bounds) -> int:
    low = bounds_of(dim, bounds).low
    return -1 if low is None else low
