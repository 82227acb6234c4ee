"""Arithmetic on arrays has the bits of the arithmetic on elements that defines it."""

from __future__ import annotations

import math
import operator as exact
from array import array
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradual.tensors import scalar
from gradual.tensors.arrays import products
from gradual.tensors.arrays.elements import computable, each, kept, stored
from gradual.tensors.arrays.folds import total
from gradual.tensors.arrays.functions import ON_ARRAYS
from gradual.tensors.arrays.numpy_library import ieee_arithmetic
from gradual.tensors.arrays.products import product
from gradual.tensors.scalar import TYPECODES, dot, integer_range
from gradual.types.dtype import DType
from tests.tensors.test_inner import ROWS, SEEDS, TIE, drawn
from tests.thorough import examples

FLOATS = [dtype for dtype in DType if dtype.is_float]
INTEGERS = [dtype for dtype in DType if dtype.is_integer]

doubles = st.floats() | st.integers(0, (1 << 64) - 1).map(lambda bits: array("d", bits.to_bytes(8, "little"))[0])


def same(found: array[Any], expected: array[Any]) -> bool:
    """Whether all bits are the same, but for those of NaN."""
    assert found.typecode == expected.typecode
    if found.typecode in "fd":
        found, expected = (array(one.typecode, [x if x == x else math.nan for x in one]) for one in (found, expected))
    return found.tobytes() == expected.tobytes()


# ------------------------------------------------------------------------------------------------------------ rounding
def near_ties(dtype: DType) -> st.SearchStrategy[float]:
    """Numbers at a tie of a type or next to one, of any magnitude, subnormal ones included."""
    precision = scalar.PRECISION[dtype]

    def made(whole: int, exponent: int, ulps: int, sign: float) -> float:
        value = math.ldexp(2 * whole + 1, exponent)
        for _ in range(abs(ulps)):
            value = math.nextafter(value, math.inf if ulps > 0 else 0.0)
        return math.copysign(value, sign)

    exponents = st.integers(-180, 140 - precision)
    return st.builds(made, st.integers(0, 1 << precision), exponents, st.integers(-1, 1), st.sampled_from((-1.0, 1.0)))


@pytest.mark.parametrize("dtype", FLOATS)
@examples(100)
@given(data=st.data())
def test_floats_are_rounded_once(dtype: DType, data: st.DataObject) -> None:
    values = data.draw(st.lists(doubles | near_ties(dtype), max_size=20))
    with ieee_arithmetic(True):
        found = kept(dtype, np.array(values, "d"))
    assert same(found, scalar.kept(dtype, values))


def test_every_float16_and_every_bfloat16_is_kept() -> None:
    """The numbers of each type, those halfway between two, and the next ones on both sides of these."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    halves, brains = bits.view(np.float16), (bits.astype(np.uint32) << 16).view(np.float32)
    for dtype, narrow in ((DType.FLOAT16, halves), (DType.BFLOAT16, brains)):
        with ieee_arithmetic(True):
            numbers = narrow.astype("d")
            middles = (numbers[:-1] + numbers[1:]) / 2
            values = np.concatenate([numbers, middles, np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf)])
            found = kept(dtype, values)
        assert same(found, scalar.kept(dtype, values.tolist()))
        assert same(found[: 1 << 16], scalar.kept(DType.FLOAT32, numbers.tolist()))


@pytest.mark.parametrize("dtype", list(DType))
def test_elements_come_back_as_they_were(dtype: DType) -> None:
    for shape in ((), (0,), (3,), (2, 0, 3), (2, 3)):
        elements = array(TYPECODES[dtype], [index % 2 for index in range(math.prod(shape))])
        assert stored(elements, dtype, shape).shape == shape
        assert kept(dtype, computable(elements, dtype, shape)) == elements


def test_a_transposed_array_is_kept_in_row_major_order() -> None:
    elements = array("i", range(6))
    assert list(kept(DType.INT32, stored(elements, DType.INT32, (2, 3)).T)) == [0, 3, 1, 4, 2, 5]


# ----------------------------------------------------------------------------------------------------------- functions
def kinds(function: Any) -> list[DType]:
    """The types of elements on which rows of operators have a function: each kind in one type, of integers all."""
    if function.__module__ in ("gradual.tensors.reals", "math"):
        return [DType.FLOAT64]
    if function.__module__ in ("gradual.tensors.integers", "builtins") and function is not abs:
        return INTEGERS
    logical = {exact.and_, exact.or_, exact.xor, exact.not_, exact.eq, exact.ne, exact.lt, exact.le, exact.gt, exact.ge}
    bits = {exact.and_, exact.or_, exact.xor, exact.invert}
    truths, floats = [DType.BOOL] * (function in logical), [DType.FLOAT64] * (function not in bits | {exact.not_})
    return [*truths, *floats, *(INTEGERS if function is not exact.not_ else ())]


def operands(function: Any) -> int:
    """How many operands a function has, 1 or 2."""
    for count in (1, 2):
        try:
            function(*(1,) * count)
        except TypeError:
            continue
        return count
    raise AssertionError(function)


@pytest.mark.parametrize("function", list(ON_ARRAYS), ids=lambda function: f"{function.__module__}.{function.__name__}")
@examples(40)
@given(data=st.data())
def test_a_function_of_arrays_has_the_bits_of_the_function_of_elements(function: Any, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(kinds(function)))
    columns = [data.draw(st.lists(_elements(dtype), min_size=9, max_size=9)) for _ in range(operands(function))]
    with ieee_arithmetic(True):
        found = ON_ARRAYS[function](*(np.array(column, TYPECODES[dtype]) for column in columns))
    kind = DType.BOOL if found.dtype == bool else dtype
    assert same(kept(kind, found), scalar.kept(kind, map(function, *columns)))


def _elements(dtype: DType) -> st.SearchStrategy[Any]:
    if dtype is DType.BOOL:
        return st.integers(0, 1)
    if dtype.is_integer:
        low, high = integer_range(dtype)
        return st.integers(low, high) | st.sampled_from((low, high, 0, 1))
    return doubles | st.sampled_from((0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 0.5, 2.5, -1.5))


def test_a_function_of_math_is_applied_to_each_element() -> None:
    values = np.linspace(-3, 3, 12).reshape(3, 4).T
    assert each(math.exp, values).tolist() == [[math.exp(x) for x in row] for row in values.tolist()]


# ---------------------------------------------------------------------------------------------------- sums and products
@given(rows=st.lists(st.lists(doubles, min_size=5, max_size=5), min_size=1, max_size=4))
@example(rows=[[-0.0] * 5])
@example(rows=[[1e16, 1.0, -1e16, 1.0, 1.0]])
def test_a_sum_runs_from_left_to_right(rows: list[list[float]]) -> None:
    with ieee_arithmetic(True):
        found = total(np.array(rows))
    assert same(array("d", found), array("d", map(scalar.total, rows)))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_a_sum_of_nothing_is_0(shape: tuple[int, ...]) -> None:
    assert total(np.zeros(shape)).tolist() == np.zeros(shape[:-1]).tolist()


def agree(left: list[Any], right: list[Any], dtype: DType, width: int) -> bool:
    """Whether the products of rows with rows have the bits of the definition."""
    sides = [np.array(rows, TYPECODES[dtype]).reshape(len(rows), width) for rows in (left, right)]
    with ieee_arithmetic(True):
        found = product(sides[0], sides[1].T, dtype)
    assert found.shape == (len(left), len(right))
    return same(kept(dtype, found), scalar.kept(dtype, [dot(row, other) for row in left for other in right]))


@pytest.mark.parametrize("dtype", FLOATS)
@examples(100)
@given(sides=st.tuples(st.integers(0, 12), st.integers(0, 12)), **ROWS)
def test_products_have_the_bits_of_the_definition(
    dtype: DType, seed: int, sides: tuple[int, int], width: int, spreads: tuple[int, int], zeros: float
) -> None:
    random = Random(seed)
    left, right = (
        drawn(random, count, width, dtype, spread, zeros) for count, spread in zip(sides, spreads, strict=True)
    )
    assert agree(left, right, dtype, width)


@pytest.mark.parametrize("dtype", INTEGERS)
@given(seed=SEEDS, width=st.integers(0, 40), reach=st.sampled_from((1, 5, 8, 23, 26, 31, 40, 53, 64)))
def test_integers_are_exact_and_wrap(dtype: DType, seed: int, width: int, reach: int) -> None:
    random = Random(seed)
    low, high = integer_range(dtype)
    low, high = max(low, -(2**reach)), min(high, 2**reach)
    rows = [[random.randint(low, high) for _ in range(width)] for _ in range(12)]
    assert agree(rows[:3], rows[3:], dtype, width)


@pytest.mark.parametrize("dtype", FLOATS)
@given(
    seed=SEEDS,
    special=st.lists(st.sampled_from((math.inf, -math.inf, math.nan, 1e38, -1e38, 1e-45, -0.0)), min_size=1),
)
def test_what_is_not_finite_or_at_the_ends_of_the_range(dtype: DType, seed: int, special: list[float]) -> None:
    random = Random(seed)
    rows = [list(row) for row in drawn(random, 24, 20, dtype, 3, 0.2)]
    for value in special:
        random.choice(rows)[random.randrange(20)] = scalar.kept(dtype, (value,))[0]
    assert agree(rows[:8], rows[8:], dtype, 20)


def ties(random: Random, count: int, pairs: int, offset: float, scale: int) -> tuple[list[Any], list[float]]:
    """Rows, and one to multiply them with, whose products sum to about a tie of float32.

    Besides, there are terms that cancel, of many bits and magnitudes, which leave rounding errors in binary64.
    """
    other = scalar.kept(DType.FLOAT32, [random.uniform(1, 2) for _ in range(pairs)])
    rows = []
    for _ in range(count):
        terms = [math.ldexp(random.uniform(-1, 1), random.randint(-8, 8)) for _ in range(pairs)]
        row = scalar.kept(DType.FLOAT32, [1 + 2.0**-23, TIE, offset, *terms, *(-x for x in terms)])
        rows.append([math.ldexp(x, scale) for x in row])
    return rows, [1.0, 1.0, 1.0, *other, *other]


@examples(60)
@given(
    pairs=st.integers(8, 60),
    offset=st.sampled_from((-(2.0**-52), -(2.0**-48), 0.0, 2.0**-52, 2.0**-48)),
    scale=st.integers(-60, 60),
    seed=SEEDS,
)
@example(pairs=8, offset=0.0, scale=0, seed=0)
def test_next_to_a_tie_the_order_of_the_sum_decides(pairs: int, offset: float, scale: int, seed: int) -> None:
    rows, other = ties(Random(seed), 8, pairs, offset, scale)
    assert agree(rows, [other] * 3, DType.FLOAT32, len(other))


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT64, DType.INT8])
@pytest.mark.parametrize("block", [1, 7, 50])
def test_large_products_are_computed_in_blocks(dtype: DType, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = np.arange(60).reshape(2, 10, 3), np.arange(15).reshape(1, 3, 5)
    sides = [(side % 11 - 5).astype(TYPECODES[dtype]) for side in (left, right)]
    expected = product(*sides, dtype)
    assert expected.tolist() == np.matmul(*(side.astype(object) for side in sides)).tolist()
    monkeypatch.setattr(products, "_BLOCK", block)
    monkeypatch.setattr(products, "_CACHED", block)
    assert product(*sides, dtype).tolist() == expected.tolist()


def test_sums_by_definition_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_AT_ONCE", 100)
    monkeypatch.setattr(products, "_MANY", 1)
    rows, other = ties(Random(7), 60, 8, 0.0, 0)
    assert agree(rows, [other, other[::-1]], DType.FLOAT32, len(other))


def test_where_most_sums_are_open_all_are_computed_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse rows, most of whose products are sums of zeros; and infinities."""
    monkeypatch.delattr(products, "_sums")
    random = Random(1)
    sparse = [[1.0 if random.random() < 0.05 else -0.0 for _ in range(60)] for _ in range(40)]
    assert agree(sparse, sparse, DType.FLOAT32, 60)
    assert agree([[1.0] * 60] * 9, [[math.inf, *row[1:]] for row in sparse], DType.BFLOAT16, 60)


def test_what_is_nan_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    rows = drawn(random, 20, 30, DType.FLOAT32, 2, 0.0)
    left = [[math.nan, *row[1:]] for row in rows[:10]]
    right = [[math.inf, -math.inf, *row[2:]] for row in rows[10:]]
    monkeypatch.delattr(products, "_sums")
    monkeypatch.delattr(products, "_by_columns")
    assert agree(left, rows[10:], DType.FLOAT32, 30)
    assert agree([[1.0] * 30] * 9, right, DType.FLOAT32, 30)


def test_a_bound_of_nothing_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above can fail: without a bound the faster method gives other bits on a sum at a tie."""
    rows, other = ties(Random(5), 100, 20, 0.0, 0)
    monkeypatch.setattr(products, "_bound", lambda count: 0.0)
    assert not agree(rows, [other], DType.FLOAT32, len(other))
    monkeypatch.undo()
    assert agree(rows, [other], DType.FLOAT32, len(other))


def test_most_products_are_computed_the_faster_way(monkeypatch: pytest.MonkeyPatch) -> None:
    computed, defined = 0, products.total

    def counted(values: Any) -> Any:
        nonlocal computed
        computed += len(values)
        return defined(values)

    monkeypatch.setattr(products, "total", counted)
    random = Random(3)
    for scale in (1.0, 1e-12, 1e12):
        left = [[random.gauss(0, scale) for _ in range(128)] for _ in range(64)]
        right = [[random.gauss(0, 1) for _ in range(128)] for _ in range(64)]
        product(np.array(left, "f"), np.array(right, "f").T, DType.FLOAT32)
    assert computed < 3 * 64 * 64 // 1000


@examples(50)
@given(seed=SEEDS, width=st.integers(1, 600), spread=st.sampled_from((0, 1, 5, 30, 120)))
def test_any_order_of_a_sum_is_as_near_as_the_bound_supposes(seed: int, width: int, spread: int) -> None:
    random = Random(seed)
    row, other = drawn(random, 2, width, DType.FLOAT32, spread, 0.1)
    bound = products._bound(width) * math.sqrt(math.fsum(x * x for x in row) * math.fsum(y * y for y in other))
    terms = [x * y for x, y in zip(row, other, strict=True)]
    sums = [float(np.array(row) @ np.array(other)), scalar.total(terms), scalar.total(random.sample(terms, width))]
    exact = math.fsum(terms)
    assert all(abs(one - exact) <= bound / 2 for one in sums)
