"""Sizes that a model computes in floats: the formulas kept are what floats give, for all sizes that are required."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Variable, variable
from gradual.importers.common.builder import Builder
from gradual.importers.common.values import Value, is_named
from gradual.tensors.tensor import scalar
from gradual.types.dtype import DType
from gradual.types.type import TensorType

N, M = variable("n"), variable("m")

UNARY = {
    "ceil": numpy.ceil,
    "floor": numpy.floor,
    "trunc": numpy.trunc,
    "negative": numpy.negative,
    "nn.relu": lambda x: numpy.maximum(x, type(x)(0)),
}
BINARY = {
    "add": numpy.add,
    "subtract": numpy.subtract,
    "multiply": numpy.multiply,
    "divide": numpy.divide,
    "maximum": numpy.maximum,
    "minimum": numpy.minimum,
}
FLOATS = {DType.FLOAT16: numpy.float16, DType.FLOAT32: numpy.float32, DType.FLOAT64: numpy.float64}

numbers = st.sampled_from([-2.0, 0.5, 1.5, 2.0, 3.0, 5.0, 7.0, 8.0])
linear = st.tuples(st.sampled_from(["add", "subtract", "multiply"]), st.one_of(numbers, st.sampled_from(["n", "m"])))
parts = st.tuples(st.just("divide"), numbers)
rounded = st.sampled_from(["ceil", "floor", "trunc"])
others = st.one_of(
    st.sampled_from(["negative", "nn.relu"]), st.tuples(st.sampled_from(["maximum", "minimum"]), numbers), linear
)
steps = st.lists(st.one_of(parts, rounded, others), min_size=1, max_size=6)
"""Operators to apply one after the other; a pair has its second operand: a number, or the name of a size."""


class Chain:
    """Operators applied one after the other to a size, by the importer and by NumPy."""

    def __init__(self, dtype: DType, chain: Sequence[Any]) -> None:
        self.dtype = dtype
        self.chain = chain
        self.builder = Builder()
        self.builder.positive = frozenset(("n", "m"))
        self.floats = self._followed()

    def _followed(self) -> Value:
        cast = {
            name: self.builder.call("cast", Value(TensorType((), DType.INT64, (size,)), name), dtype=self.dtype)
            for name, size in (("n", N), ("m", M))
        }
        value = cast["n"]
        for step in self.chain:
            if isinstance(step, str):
                value = self.builder.call(step, value)
            else:
                operator, other = step
                operand = cast[other] if isinstance(other, str) else self.builder.constant(scalar(other, self.dtype))
                value = self.builder.call(operator, value, operand)
        return value

    def computed(self, n: int, m: int) -> Any:
        """What NumPy computes in floats."""
        of = FLOATS[self.dtype]
        value = of(n)
        with numpy.errstate(all="ignore"):
            for step in self.chain:
                if isinstance(step, str):
                    value = UNARY[step](value)
                else:
                    operator, other = step
                    value = BINARY[operator](value, of({"n": n, "m": m}.get(other, other)))
                assert isinstance(value, of)
        return value


def _of(dim: Any) -> Variable:
    (name,) = dim.names
    return name


@given(st.sampled_from(sorted(FLOATS, key=str)), steps, st.data())
def test_integers_made_of_floats_are_as_computed(dtype: DType, chain: list[Any], data: st.DataObject) -> None:
    one = Chain(dtype, chain)
    formulas = one.builder.small.integers(one.floats, DType.INT64, one.builder.positive)
    if formulas is None:
        return
    small = one.builder.small
    sizes = []
    for name in map(_of, (N, M)):
        greatest = small.greatest.get(name, 1 << 20)
        assert greatest >= 1
        near = st.integers(max(greatest - 5, 1), greatest)
        sizes.append(data.draw(st.one_of(st.integers(1, min(40, greatest)), st.integers(1, greatest), near)))
    env = dict(zip(map(_of, (N, M)), sizes, strict=True))
    if all(dim.evaluate(env) <= limit and -dim.evaluate(env) <= limit for dim, limit in _required(one.floats)):
        found = one.computed(*sizes)
        assert formulas[0].evaluate(env) == int(numpy.trunc(found))
        (fraction,) = one.floats.fractions or ()
        if not fraction.is_rounded:
            above, below = float(found).as_integer_ratio()
            assert fraction.numerator.evaluate(env) * below == above * fraction.denominator
    else:
        assert small.others, "a bound of one size suffices unless several are multiplied or added"


def _required(value: Value) -> list[tuple[Any, int]]:
    return [one for fraction in value.fractions or () for one in fraction.required]


@given(st.integers(1, 1 << 23), st.integers(1, 1000))
def test_a_rounded_quotient_is_on_its_side_of_an_integer(n: int, divisor: int) -> None:
    assert numpy.floor(numpy.float32(n) / numpy.float32(divisor)) == n // divisor


def test_a_rounded_quotient_is_followed_into_an_integer_only() -> None:
    third = ("divide", 3.0)
    assert Chain(DType.FLOAT32, [third, "ceil", ("multiply", 3.0)]).floats.fractions is not None
    assert Chain(DType.FLOAT32, [third, ("multiply", 3.0)]).floats.fractions is None
    assert Chain(DType.FLOAT32, [third, ("add", 0.5)]).floats.fractions is None
    assert Chain(DType.FLOAT32, [third, ("divide", 2.0)]).floats.fractions is None
    assert Chain(DType.FLOAT32, [("divide", 4.0), ("multiply", 3.0)]).floats.fractions is not None


def test_an_integer_may_be_added_to_a_rounded_quotient() -> None:
    one = Chain(DType.FLOAT32, [("subtract", 3.0), ("divide", 5.0), ("add", 1.0), "ceil"])
    assert one.builder.small.integers(one.floats, DType.INT64, ("n",)) == [-((-N - 2) // 5)]
    assert one.builder.small.clauses == ["n <= 5592403"]


def test_sizes_are_required_to_be_exact_in_the_type_that_holds_them() -> None:
    for dtype, greatest in ((DType.FLOAT16, 1 << 11), (DType.FLOAT32, 1 << 24), (DType.FLOAT64, 1 << 53)):
        one = Chain(dtype, [("divide", 2.0), "ceil"])
        assert one.builder.small.integers(one.floats, DType.INT64, ("n",)) == [-((-N) // 2)]
        assert one.builder.small.clauses == [f"n <= {greatest}"]
    one = Chain(DType.FLOAT32, [("multiply", "m"), ("divide", 2.0), "floor"])
    assert one.builder.small.integers(one.floats, DType.INT64, ("n", "m")) == [M * N // 2]
    assert one.builder.small.clauses == ["n <= 16777216", "m <= 16777216", "m * n <= 16777216"]


def test_a_formula_with_a_number_beyond_int64_is_not_written() -> None:
    assert is_named(N // ((1 << 63) - 1))
    assert not is_named(-N // (1 << 63))
    assert not is_named(N * (1 << 63))
