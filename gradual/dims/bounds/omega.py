"""The Omega test: find an integer solution of linear inequalities, or show that there is none.

Equations are solved exactly, by a change of variables if no coefficient is 1 or -1.  Eliminating a variable from the
inequalities is exact if all its lower bounds, or all its upper bounds, have the coefficient 1.  Otherwise every
solution is in the real shadow, every point of the dark shadow extends to a solution, and the points between are
searched.

William Pugh, "The Omega test: a fast and practical integer programming algorithm for dependence analysis", 1991.
[dim.decide.linear]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from gradual.dims.bounds.fourier_motzkin import Columns, Rows, combined, inserted, sides
from gradual.dims.term.dim import Dim, Monomial
from gradual.record import record

Solution = Mapping[Monomial, int]
Bound = tuple[int, Columns, int]
"""A coefficient other than 0 of the eliminated column, and the rest of the row: other columns and the constant."""


class Exhausted(Exception):
    """The budget of rows is spent."""


@record
class _Solved:
    """A column solved by an equation: the sum of multiples of other columns and a constant."""

    column: int
    columns: Columns
    constant: int

    def value(self, values: Mapping[int, int]) -> int:
        return sum(c * values.get(column, 0) for column, c in self.columns) + self.constant


@record
class _Eliminated:
    """An eliminated column with its bounds; an integer between them exists for any solution of the other columns."""

    column: int
    bounds: tuple[Bound, ...]

    def value(self, values: Mapping[int, int]) -> int:
        """The number nearest to 0 within the bounds."""
        low: int | None = None
        high: int | None = None
        for coefficient, columns, constant in self.bounds:
            rest = sum(c * values.get(column, 0) for column, c in columns) + constant
            if coefficient > 0:
                low = -(rest // coefficient) if low is None else max(low, -(rest // coefficient))
            else:
                high = rest // -coefficient if high is None else min(high, rest // -coefficient)
        return low if low is not None and low > 0 else high if high is not None and high < 0 else 0


def integer_solution(dims: Iterable[Dim], budget: int) -> Solution | None:
    """Numbers for the monomials at which all dims are at least 0, None if there are none; raises Exhausted.

    Monomials are treated as independent variables.  `budget` is the limit on the rows made.
    """
    rows: Rows = {}
    numbers: dict[Monomial, int] = {}
    for dim in dims:
        linear = sorted((numbers.setdefault(m, len(numbers)), c) for m, c in dim.terms if m)
        if not inserted(rows, tuple(linear), dim.offset):
            return None
    values = _Test(len(numbers), budget).solution(rows)
    return None if values is None else {monomial: values.get(column, 0) for monomial, column in numbers.items()}


class _Test:
    def __init__(self, columns: int, budget: int) -> None:
        self._columns = columns
        self._left = budget

    def solution(self, rows: Rows) -> dict[int, int] | None:
        """Numbers for the columns that satisfy the rows, None if there are none."""
        steps: list[_Solved | _Eliminated] = []
        while rows:
            equation = _equation(rows)
            if equation is not None:
                solved = self._solved(*equation)
                remaining = None if solved is None else self._substituted(rows, solved)
                if solved is None or remaining is None:
                    return None
                steps.append(solved)
                rows = remaining
                continue
            column, exact = _easiest(rows)
            if not exact:
                inside = self._between(rows, column)
                return None if inside is None else _completed(inside, steps)
            projected = self._projected(rows, column, _real)
            if projected is None:
                return None
            steps.append(_Eliminated(column, tuple(_bounds(rows, column))))
            rows = projected
        return _completed({}, steps)

    # ------------------------------------------------------------------------------------------- equations

    def _solved(self, columns: Columns, constant: int) -> _Solved | None:
        """Solve an equation for a column; if no coefficient is 1 or -1, introduce a new column for a quotient."""
        column, coefficient = min(columns, key=lambda term: (abs(term[1]), term[0]))
        sign = 1 if coefficient > 0 else -1
        if abs(coefficient) == 1:
            rest = tuple((other, -sign * c) for other, c in columns if other != column)
            return _Solved(column, rest, -sign * constant)
        modulus = abs(coefficient) + 1
        others = ((other, sign * _centred(c, modulus)) for other, c in columns if other != column)
        fresh = self._columns
        self._columns += 1
        terms = (*(term for term in others if term[1]), (fresh, -sign * modulus))
        return _Solved(column, terms, sign * _centred(constant, modulus))

    def _substituted(self, rows: Rows, solved: _Solved) -> Rows | None:
        """Substitute a solved column in the rows; None for a contradiction."""
        made: Rows = {}
        for columns, constant in rows.items():
            scale = next((c for column, c in columns if column == solved.column), 0)
            if scale:
                rest = tuple(term for term in columns if term[0] != solved.column)
                columns, constant = combined(rest, 1, solved.columns, scale), constant + scale * solved.constant
            if not self._add(made, columns, constant):
                return None
        return made

    # ------------------------------------------------------------------------------------------- inequalities

    def _projected(self, rows: Rows, column: int, slack: Callable[[int, int], int]) -> Rows | None:
        """Eliminate a column by combining each lower with each upper bound; None for a contradiction."""
        above, below = sides(rows, column)
        gone = {columns for _, columns in (*above, *below)}
        made = {columns: constant for columns, constant in rows.items() if columns not in gone}
        for up, high in above:
            for down, low in below:
                both = combined(high, -down, low, up)
                if not self._add(made, both, -down * rows[high] + up * rows[low] - slack(up, -down)):
                    return None
        return made

    def _between(self, rows: Rows, column: int) -> dict[int, int] | None:
        """A solution when eliminating a column is not exact, None if there is none.

        There is none outside the real shadow, and always one inside the dark shadow; in between, the column is
        near one of its lower bounds.
        """
        real = self._projected(rows, column, _real)
        if real is None or self.solution(real) is None:
            return None
        dark = self._projected(rows, column, _dark)
        found = None if dark is None else self.solution(dark)
        if found is not None:
            return _completed(found, [_Eliminated(column, tuple(_bounds(rows, column)))])
        above, below = sides(rows, column)
        steepest = max(-down for down, _ in below)
        for up, columns in above:
            for gap in range((steepest * up - up - steepest) // steepest + 1):
                near = dict(rows)
                opposite = tuple((other, -c) for other, c in columns)
                if self._add(near, columns, rows[columns] - gap) and self._add(near, opposite, gap - rows[columns]):
                    found = self.solution(near)
                    if found is not None:
                        return found
        return None

    def _add(self, rows: Rows, columns: Columns, constant: int) -> bool:
        self._left -= 1
        if self._left < 0:
            raise Exhausted
        return inserted(rows, columns, constant)


def _real(up: int, down: int) -> int:
    """The slack of the real shadow: with it, a rational number lies between the two bounds."""
    return 0


def _dark(up: int, down: int) -> int:
    """The slack of the dark shadow: with it, an integer lies between the two bounds."""
    return (up - 1) * (down - 1)


def _centred(number: int, modulus: int) -> int:
    """The remainder nearest to 0."""
    return number - modulus * ((2 * number + modulus) // (2 * modulus))


def _equation(rows: Rows) -> tuple[Columns, int] | None:
    """Two opposite rows that together are an equation, None if there are none."""
    for columns, constant in rows.items():
        if rows.get(tuple((column, -c) for column, c in columns)) == -constant:
            return columns, constant
    return None


def _easiest(rows: Rows) -> tuple[int, bool]:
    """The column to eliminate next, and whether its projection is exact.

    Exact projections are preferred, then those with small coefficients, then those that leave the fewest rows.
    """
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for columns in rows:
        for column, c in columns:
            (above if c > 0 else below).setdefault(column, []).append(abs(c))
    ranked = []
    for column in sorted(above.keys() | below.keys()):
        ups, downs = above.get(column, ()), below.get(column, ())
        steepest = min(max(ups, default=1), max(downs, default=1))
        ranked.append((steepest > 1, steepest, len(ups) * len(downs) - len(ups) - len(downs), column))
    inexact, _, _, column = min(ranked)
    return column, not inexact


def _bounds(rows: Rows, column: int) -> Iterator[Bound]:
    for side in sides(rows, column):
        for coefficient, columns in side:
            yield coefficient, tuple(term for term in columns if term[0] != column), rows[columns]


def _completed(values: dict[int, int], steps: list[_Solved | _Eliminated]) -> dict[int, int]:
    """Add the values of the solved and eliminated columns, in reverse order of elimination."""
    for step in reversed(steps):
        values[step.column] = step.value(values)
    return values
