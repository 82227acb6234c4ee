"""Many inner products at once have the bits of the definition: the sum from left to right in binary64, then kept."""

from __future__ import annotations

import math
from array import array
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradual.tensors import inner_products
from gradual.tensors.inner_products import products
from gradual.tensors.scalar import TYPECODES, integer_range, kept
from gradual.types.dtype import DType

Row = tuple[Any, ...]
NARROW = [DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16]
TIE = 2.0**-24
"""Half of the last bit of a float32 between 1 and 2."""
SEEDS = st.integers(0, 1 << 32)
ROWS: dict[str, st.SearchStrategy[Any]] = {
    "seed": SEEDS,
    "width": st.integers(0, 70),
    "spreads": st.tuples(st.sampled_from((0, 1, 5, 120)), st.sampled_from((0, 1, 5, 120))),
    "zeros": st.sampled_from((0.0, 0.0, 0.5, 0.98)),
}
"""How the rows of two matrices are drawn: for each its spread, as in `drawn`."""


def defined(left: list[Row], right: list[Row], dtype: DType) -> array[Any]:
    """The definition, written out."""
    found = []
    for row in left:
        for other in right:
            total: Any = 0
            for x, y in zip(row, other, strict=True):
                total = total + x * y
            found.append(total)
    return kept(dtype, found)


def agree(left: list[Row], right: list[Row], dtype: DType) -> bool:
    found, expected = products(left, right, dtype), defined(left, right, dtype)
    assert found.typecode == expected.typecode == TYPECODES[dtype]
    return found.tobytes() == expected.tobytes() or (
        list(map(math.isnan, found)) == list(map(math.isnan, expected))
        and [x for x in found if x == x] == [x for x in expected if x == x]
    )


def drawn(random: Random, rows: int, width: int, dtype: DType, spread: int, zeros: float) -> list[Row]:
    """Rows of a type, of magnitudes over so many powers of 2, with some share of zeros."""
    return [
        tuple(
            kept(
                dtype,
                (
                    0.0
                    if random.random() < zeros
                    else math.ldexp(random.uniform(-1, 1), random.randint(-spread, spread))
                    for _ in range(width)
                ),
            )
        )
        for _ in range(rows)
    ]


@pytest.mark.parametrize("dtype", [*NARROW, DType.FLOAT64])
@given(sides=st.tuples(st.integers(0, 20), st.integers(0, 20)), **ROWS)
def test_products_have_the_bits_of_the_definition(
    dtype: DType, seed: int, sides: tuple[int, int], width: int, spreads: tuple[int, int], zeros: float
) -> None:
    random = Random(seed)
    left, right = (
        drawn(random, count, width, dtype, spread, zeros) for count, spread in zip(sides, spreads, strict=True)
    )
    assert agree(left, right, dtype)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT32, DType.INT64, DType.UINT64])
@given(seed=SEEDS, width=st.integers(0, 40), reach=st.sampled_from((1, 5, 8, 23, 26, 31, 40, 53, 64)))
def test_integers_are_exact_and_wrap(dtype: DType, seed: int, width: int, reach: int) -> None:
    random = Random(seed)
    low, high = integer_range(dtype)
    low, high = max(low, -(2**reach)), min(high, 2**reach)
    rows = [tuple(random.randint(low, high) for _ in range(width)) for _ in range(12)]
    assert products(rows[:3], rows[3:], dtype) == defined(rows[:3], rows[3:], dtype)


@pytest.mark.parametrize("dtype", NARROW)
@given(
    seed=SEEDS,
    special=st.lists(st.sampled_from((math.inf, -math.inf, math.nan, 1e38, -1e38, 1e-45, -0.0)), min_size=1),
)
def test_what_is_not_finite_or_at_the_ends_of_the_range(dtype: DType, seed: int, special: list[float]) -> None:
    random = Random(seed)
    rows = [list(row) for row in drawn(random, 24, 20, dtype, 3, 0.2)]
    for value in special:
        random.choice(rows)[random.randrange(20)] = kept(dtype, (value,))[0]
    assert agree([tuple(row) for row in rows[:8]], [tuple(row) for row in rows[8:]], dtype)


@given(
    width=st.integers(16, 200),
    offset=st.sampled_from((-(2.0**-52), -(2.0**-50), 0.0, 2.0**-52, 2.0**-50)),
    whole=st.integers(2**23, 2**24 - 1),
    scale=st.integers(-60, 60),
    seed=SEEDS,
)
@example(width=16, offset=0.0, whole=2**23 + 1, scale=0, seed=0)
def test_halfway_between_two_elements_the_order_of_the_sum_decides(
    width: int, offset: float, whole: int, scale: int, seed: int
) -> None:
    """Sums within an ulp of binary64 of a tie, by terms that cancel and so leave rounding errors behind."""
    random = Random(seed)
    value = whole * 2.0**-23
    row = [value, TIE, offset] + [random.uniform(-1, 1) for _ in range((width - 3) // 2)]
    row += [-x for x in row[3:]]
    row += [0.0] * (width - len(row))
    ones = [math.ldexp(1.0, scale)] * width
    left = [tuple(random.sample(row, width)) for _ in range(8)]
    assert agree(left, [tuple(ones)] * 3, DType.FLOAT32)


@given(seed=SEEDS, far=st.sampled_from((-1070, -1000, -600, -310, -290, 290, 310, 500, 1000)))
def test_operands_of_binary64_may_be_as_small_or_great_as_they_like(seed: int, far: int) -> None:
    random = Random(seed)
    left = [tuple(math.ldexp(random.uniform(-1, 1), far) for _ in range(20)) for _ in range(9)]
    right = [tuple(math.ldexp(random.uniform(-1, 1), min(-far, 1000)) for _ in range(20)) for _ in range(9)]
    assert agree(left, right, DType.FLOAT32)
    assert agree(left, left, DType.FLOAT32)


@given(seed=SEEDS, width=st.integers(1, 300), spread=st.sampled_from((0, 1, 5, 30, 120)))
def test_a_length_is_as_near_as_the_bound_supposes(seed: int, width: int, spread: int) -> None:
    left, right = drawn(Random(seed), 2, width, DType.FLOAT32, spread, 0.1)
    exact = sum((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(left, right, strict=True))
    length = math.dist(left, right)
    assert abs(Fraction(length * length) - exact) <= (width + 11) * exact / 2**53


def test_most_products_are_computed_the_faster_way(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = 0

    def counted(left: Row, right: Row) -> Any:
        nonlocal computed
        computed += 1
        return sum(x * y for x, y in zip(left, right, strict=True))

    monkeypatch.setattr(inner_products, "dot", counted)
    random = Random(3)
    for scale in (1.0, 1e-12, 1e12):
        left = [tuple(kept(DType.FLOAT32, (random.gauss(0, scale) for _ in range(128)))) for _ in range(64)]
        right = [tuple(kept(DType.FLOAT32, (random.gauss(0, 1) for _ in range(128)))) for _ in range(64)]
        products(left, right, DType.FLOAT32)
    assert computed < 3 * 64 * 64 // 100
    computed = 0
    rows = [tuple(random.randint(-128, 127) for _ in range(128)) for _ in range(128)]
    products(rows[:64], rows[64:], DType.INT32)
    assert computed == 0


def test_a_bound_of_nothing_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above bite: without a bound the faster way gives other bits on a sum at a tie."""
    random = Random(5)
    rows = []
    for _ in range(400):
        terms = [random.uniform(-1, 1) for _ in range(10)]
        row = [1 + 2.0**-23, TIE, *terms, *(-x for x in terms)]
        rows.append(tuple(random.sample(row, len(row))))
    ones = [(1.0,) * 22]
    monkeypatch.setattr(inner_products, "_bound", lambda columns: 0.0)
    assert not agree(rows, ones, DType.FLOAT32)
    monkeypatch.undo()
    assert agree(rows, ones, DType.FLOAT32)
