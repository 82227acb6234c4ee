"""Bounded Fourier-Motzkin elimination over the integers, to show that inequalities are contradictory.

Monomials are columns, so products and quotients are opaque numbers with known bounds.
Rows are divided by their common factor and rounded, so that `2 * q >= 2 * n - 1` becomes `q >= n`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import gcd

from gradual.dims.term.dim import Dim, Monomial

Columns = tuple[tuple[int, int], ...]
"""Pairs `(column, coefficient)`, sorted by column; coefficients of 0 are left out."""

Rows = dict[Columns, int]
"""Columns -> the least constant, for rows `sum(coefficient * column) + constant >= 0`."""

_ROWS = 200
_HUGE = 1 << 128  # coefficients may double in length with each elimination


def contradictory(dims: Iterable[Dim]) -> bool:
    """Whether bounded elimination shows that the dims cannot all be at least 0.  [dim.decide.linear]"""
    rows: Rows = {}
    numbers: dict[Monomial, int] = {}
    for dim in dims:
        linear = ((numbers.setdefault(m, len(numbers)), c) for m, c in dim.terms if m)
        if not inserted(rows, tuple(sorted(linear)), dim.offset):
            return True
    while (column := _cheapest(rows)) is not None:
        if not _eliminate(rows, column):
            return True
    return False


def inserted(rows: Rows, columns: Columns, offset: int) -> bool:
    """Add a row, rounded; False if it never holds or contradicts an existing row.

    Rows with huge numbers are left out.
    """
    if not columns:
        return offset >= 0
    if max(abs(offset), *(abs(coefficient) for _, coefficient in columns)) > _HUGE:
        return True
    common = gcd(*(coefficient for _, coefficient in columns))
    if common > 1:
        columns, offset = tuple((column, c // common) for column, c in columns), offset // common
    if rows.get(columns, offset + 1) > offset:
        rows[columns] = offset
    opposite = rows.get(tuple((column, -c) for column, c in columns))
    return opposite is None or offset + opposite >= 0


def _cheapest(rows: Rows) -> int | None:
    """The column whose elimination leaves the fewest rows; None if no column is left or it leaves too many rows."""
    above: Counter[int] = Counter()
    below: Counter[int] = Counter()
    for columns in rows:
        for column, coefficient in columns:
            (above if coefficient > 0 else below)[column] += 1
    growth = {c: above[c] * below[c] - above[c] - below[c] for c in above.keys() | below.keys()}
    best = min(growth, key=lambda column: (growth[column], column), default=None)
    return best if best is not None and len(rows) + growth[best] <= _ROWS else None


def _eliminate(rows: Rows, column: int) -> bool:
    """Replace the rows with a column by their combinations without it; False for a contradiction."""
    above, below = sides(rows, column)
    taken = {columns: rows.pop(columns) for _, columns in above + below}
    for up, high in above:
        for down, low in below:
            common = gcd(up, down)
            scale, other = -down // common, up // common
            if not inserted(rows, combined(high, scale, low, other), scale * taken[high] + other * taken[low]):
                return False
    return True


def sides(rows: Rows, column: int) -> tuple[list[tuple[int, Columns]], list[tuple[int, Columns]]]:
    """The rows in which a column has a positive coefficient, and those in which it has a negative one."""
    above: list[tuple[int, Columns]] = []
    below: list[tuple[int, Columns]] = []
    for columns in rows:
        for at, coefficient in columns:
            if at == column:
                (above if coefficient > 0 else below).append((coefficient, columns))
    return above, below


def combined(a: Columns, scale: int, b: Columns, other: int) -> Columns:
    """The linear combination `scale * a + other * b` of two rows."""
    total = {column: scale * coefficient for column, coefficient in a}
    for column, coefficient in b:
        total[column] = total.get(column, 0) + other * coefficient
    return tuple(sorted((column, coefficient) for column, coefficient in total.items() if coefficient))
