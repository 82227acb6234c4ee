"""The Omega test agrees with looking through all small integers, and its solutions are solutions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.bounds.omega import Exhausted, integer_solution
from gradual.dims.term.dim import Dim, variable
from tests.thorough import examples

x, y, z = NAMES = tuple(map(variable, "xyz"))
BOX = range(-4, 5)
COEFFICIENTS = st.sampled_from((0, 1, -1, 2, -2, 3, -3, 5, -7, 11))


def value(dim: Dim, numbers: tuple[int, ...]) -> int:
    return dim.evaluate({next(iter(name.names)): k for name, k in zip(NAMES, numbers, strict=True)})


@st.composite
def row(draw: st.DrawFn) -> list[Dim]:
    made = sum((name * draw(COEFFICIENTS) for name in NAMES), start=x * 0) + draw(st.integers(-12, 12))
    return [made, -made] if draw(st.integers(0, 3)) == 0 else [made]


@given(st.lists(row(), min_size=1, max_size=6))
@examples(300)
def test_a_box_has_a_solution_exactly_where_one_is_found(rows: list[list[Dim]]) -> None:
    walls = [wall for name in NAMES for wall in (name - BOX[0], BOX[-1] - name)]
    dims = [*walls, *(dim for made in rows for dim in made)]
    found = integer_solution(dims, 20_000)
    inside = any(all(value(dim, numbers) >= 0 for dim in dims) for numbers in product(BOX, repeat=3))
    assert (found is not None) == inside
    if found is not None:
        numbers = tuple(found[name.terms[0][0]] for name in NAMES)
        assert all(value(dim, numbers) >= 0 for dim in dims)


@given(st.lists(row(), min_size=1, max_size=5))
@examples(150)
def test_without_walls_a_solution_is_one_and_where_there_is_none_the_box_has_none(rows: list[list[Dim]]) -> None:
    dims = [dim for made in rows for dim in made]
    found = integer_solution(dims, 20_000)
    if found is None:
        assert not any(all(value(dim, numbers) >= 0 for dim in dims) for numbers in product(BOX, repeat=3))
    else:
        numbers = tuple(found.get(name.terms[0][0], 0) for name in NAMES)
        assert all(value(dim, numbers) >= 0 for dim in dims)


@pytest.mark.parametrize(
    ("dims", "solvable"),
    [
        ([3 * x + 5 * y - 1, 1 - 3 * x - 5 * y], True),
        ([4 * x - 6 * y - 1, 1 - 4 * x + 6 * y], False),
        ([27 * x + 27 - 11 * x - 13 * y, 45 - 11 * x - 13 * y, 7 * x - 9 * y + 10, 4 - 7 * x + 9 * y], True),
        ([11 * x + 13 * y - 27, 45 - 11 * x - 13 * y, 7 * x - 9 * y + 10, 4 - 7 * x + 9 * y], False),  # Pugh's own
        ([2 * x - 3, 4 - 2 * x, y], True),
        ([2 * x - 3, 3 - 2 * x, y], False),
        ([12 * x + 21 * y - 15 * z - 1, 2 - 12 * x - 21 * y + 15 * z], False),
    ],
)
def test_directed(dims: list[Dim], solvable: bool) -> None:
    assert (integer_solution(dims, 5_000) is not None) is solvable


def test_the_budget_ends_it() -> None:
    with pytest.raises(Exhausted):
        integer_solution([11 * x + 13 * y - 27, 45 - 11 * x - 13 * y, 7 * x - 9 * y + 10, 4 - 7 * x + 9 * y], 3)
