"""Elementwise operators against NumPy: broadcasting, every type it has, infinities, NaN, signed zeros, wrapping.

An operator needs no line here: `test_by_name.py` compares it with NumPy's function of its name.  What stands here is
compared more closely: bit for bit, or at values that are drawn too rarely.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import Operator
from gradual.ops.elementwise.binary import BINARY
from gradual.ops.elementwise.unary import UNARY
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import integer_range, wrapped
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.operators import EVERY, FLOATS, INTEGERS, NUMBERS, compatible, shapes, tensors
from tests.generators.ops.elementwise import admitted
from tests.ops.oracle import (
    array_of,
    assert_exactly,
    assert_nearly,
    compares,
    examples,
    judges,
    means,
    narrowed,
    of,
    refusal,
)

erf = np.vectorize(math.erf, otypes=[float])


def quiet() -> Any:
    """NumPy without its warnings."""
    return np.errstate(all="ignore")


few = examples(15, among=len(INTEGERS))


def maximum(a: Any, b: Any) -> Any:
    return np.where((a == b) & (a == 0), a + b, np.maximum(a, b)).astype(a.dtype)


def minimum(a: Any, b: Any) -> Any:
    return np.where((a == b) & (a == 0), -(-a - b), np.minimum(a, b)).astype(a.dtype)


FLOATING = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "floor_divide": lambda a, b: np.floor(a / b),
    "trunc_divide": lambda a, b: np.trunc(a / b),
    "mod": np.fmod,
    "trunc_mod": np.fmod,
    "floor_mod": np.mod,
    "maximum": maximum,
    "minimum": minimum,
}
WHOLE = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "mod": np.fmod,
    "trunc_mod": np.fmod,
    "floor_mod": np.mod,
    "floor_divide": np.floor_divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}
COMPARISONS = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}
WRAPPING = {"negative": np.negative, "abs": np.abs, "bitwise_not": np.invert, "sign": np.sign}
LOGICAL = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "bitwise_and": np.logical_and,
    "bitwise_or": np.logical_or,
    "bitwise_xor": np.logical_xor,
    "maximum": np.logical_or,
    "minimum": np.logical_and,
    "add": np.add,
    "multiply": np.multiply,
}
UNCHANGED = ("floor", "ceil", "trunc", "round", "copy")


@st.composite
def operands(draw: st.DrawFn, dtype: DType, divisor: bool = False) -> tuple[Tensor, Tensor]:
    left, right = (draw(tensors(shape, dtype, special=True)) for shape in draw(compatible(2)))
    if divisor:
        right = Tensor([part or 1 for part in right.flat()], dtype, right.shape)
    return left, right


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FLOATING)
@few
@given(data=st.data())
@compares(*FLOATING)
def test_float_arithmetic_is_ieee(name: str, dtype: DType, data: st.DataObject) -> None:
    left, right = data.draw(operands(dtype))
    with quiet():
        expected = rounded(dtype, name, array_of(left), array_of(right))
    assert_exactly(means(name, left, right), expected)


def rounded(dtype: DType, name: str, left: Any, right: Any) -> Any:
    """What IEEE says of the type; of bfloat16 by way of a type that has room for one exact step."""
    if dtype is not DType.BFLOAT16:
        return FLOATING[name](left, right)
    left, right = left.astype(float), right.astype(float)
    if name in ("floor_divide", "trunc_divide"):
        left, right = narrowed(dtype, left / right), 1.0
    return narrowed(dtype, FLOATING[name](left, right))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", WHOLE)
@few
@given(data=st.data())
@compares(*WHOLE)
def test_integer_arithmetic_wraps(name: str, dtype: DType, data: st.DataObject) -> None:
    left, right = data.draw(operands(dtype, divisor=of(name).faults is Faults.ZERO_DIVISOR))
    with quiet():
        assert_exactly(means(name, left, right), WHOLE[name](array_of(left), array_of(right)))


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("name", COMPARISONS)
@few
@given(data=st.data())
@compares(*COMPARISONS)
def test_comparisons_give_booleans(name: str, dtype: DType, data: st.DataObject) -> None:
    left, right = data.draw(operands(dtype))
    assert_exactly(means(name, left, right), COMPARISONS[name](array_of(left), array_of(right)))


@pytest.mark.parametrize("name", LOGICAL)
@examples(30)
@given(pair=operands(DType.BOOL))
@compares(*LOGICAL)
def test_logic_is_on_booleans(name: str, pair: tuple[Tensor, Tensor]) -> None:
    assert_exactly(means(name, *pair), LOGICAL[name](*map(array_of, pair)))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["divide", "trunc_divide"])
@given(left=st.integers(-300, 300), right=st.integers(-300, 300).filter(bool))
@compares("divide", "trunc_divide")
def test_integer_division_rounds_toward_zero(name: str, dtype: DType, left: int, right: int) -> None:
    a, b = wrapped(dtype, left), wrapped(dtype, right) or 1
    expected = wrapped(dtype, int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1))
    assert means(name, Tensor(a, dtype), Tensor(b, dtype)).item() == expected


def test_the_least_integer_has_no_negative() -> None:
    low = Tensor(-128, "int8")
    minus = Tensor(-1, "int8")
    assert [means(name, low).item() for name in ("negative", "abs")] == [-128, -128]
    assert [means(name, low, minus).item() for name in ("divide", "trunc_divide", "floor_divide")] == [-128] * 3


@pytest.mark.parametrize("name", ["divide", "trunc_divide", "floor_divide", "mod", "trunc_mod", "floor_mod"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_by_zero_is_a_fault(name: str, dtype: DType) -> None:
    with pytest.raises(TensorFault, match=r"^integer division by zero$") as raised:
        means(name, Tensor([1, 2], dtype), Tensor([1, 0], dtype))
    assert raised.value.code == "E0604"


@given(base=st.integers(-9, 9), exponent=st.integers(0, 80))
@pytest.mark.parametrize("dtype", INTEGERS)
@compares("power")
def test_integer_powers_wrap(dtype: DType, base: int, exponent: int) -> None:
    base = wrapped(dtype, base)
    assert means("power", Tensor(base, dtype), Tensor(exponent, dtype)).item() == wrapped(dtype, base**exponent)


@pytest.mark.parametrize("name, says", [("power", "negative power -1"), ("left_shift", "shift by -1 bits")])
def test_negative_exponents_and_shifts_are_faults(name: str, says: str) -> None:
    with pytest.raises(TensorFault, match=says) as raised:
        means(name, Tensor(2, "int32"), Tensor(-1, "int32"))
    assert raised.value.code == "E0608"


@pytest.mark.parametrize("dtype", INTEGERS)
@given(value=st.integers(-300, 300), bits=st.integers(0, 100))
@compares("left_shift", "right_shift")
def test_shifts_move_bit_by_bit(dtype: DType, value: int, bits: int) -> None:
    held = wrapped(dtype, value)
    x, by = Tensor(held, dtype), Tensor(bits, dtype)
    assert means("left_shift", x, by).item() == wrapped(dtype, held << bits)
    assert means("right_shift", x, by).item() == held >> bits


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 2.5, math.inf, -math.inf, math.nan]


def test_powers_of_floats_are_those_of_ieee() -> None:
    left = Tensor([a for a in SPECIAL for _ in SPECIAL], "float64")
    right = Tensor(SPECIAL * len(SPECIAL), "float64")
    with quiet():
        expected = np.power(array_of(left), array_of(right))
    found = means("power", left, right)
    assert_nearly(found, expected)
    np.testing.assert_array_equal(np.signbit(array_of(found)), np.signbit(expected) & ~np.isnan(expected))
    assert means("power", Tensor([1e300, -1e300], "float64"), Tensor([3.0], "float64")).tolist() == [
        math.inf,
        -math.inf,
    ]


EXACT = {
    "copy": np.copy,
    "negative": np.negative,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "sqrt": np.sqrt,
    "nn.relu": lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, x.dtype.type(0))),
    "sign": lambda x: np.sign(x) + x.dtype.type(0),
}
OTHERWISE = {
    "fast_exp": np.exp,
    "fast_tanh": np.tanh,
    "fast_erf": erf,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": erf,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}
"""Functions of floats that NumPy has not, or not under the operator's name in each of its versions."""

NEAR = {one.name: OTHERWISE.get(one.name, getattr(np, one.name, None)) for one in UNARY if admitted(one) == FLOATS}
NEAR = {name: function for name, function in NEAR.items() if function is not None and name not in EXACT}
"""Functions of floats, within roundings."""


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", EXACT)
@few
@given(data=st.data())
@compares(*EXACT)
def test_exact_functions_of_floats(name: str, dtype: DType, data: st.DataObject) -> None:
    x = data.draw(shapes().flatmap(lambda shape: tensors(shape, dtype, special=True)))
    with quiet():
        wide = array_of(x).astype(float) if dtype is DType.BFLOAT16 else array_of(x)
        expected = np.asarray(EXACT[name](wide))
    assert_exactly(means(name, x), expected if expected.dtype == bool else narrowed(dtype, expected))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NEAR)
@pytest.mark.parametrize("scale", [1, 100])
def test_functions_of_floats_are_within_roundings(name: str, dtype: DType, scale: int) -> None:
    x = Tensor([*SPECIAL, *(part / 8 for part in range(-24, 24)), 7.25 * scale, -7.25 * scale], dtype)
    with quiet():
        expected = narrowed(dtype, NEAR[name](array_of(x).astype(float)))
    assert_nearly(means(name, x), expected)


@pytest.mark.parametrize("name, expected", [("floor_divide", 10.0), ("trunc_divide", 10.0), ("floor_mod", 0.1)])
def test_a_quotient_of_floats_is_rounded_to_the_type_before_it_is_cut(name: str, expected: float) -> None:
    """1 / 0.1 in float32 is 10, although the float32 next to 0.1 is a little more than a tenth."""
    found = means(name, Tensor([1.0]), Tensor([0.1])).item()
    assert found == pytest.approx(expected, rel=1e-6)
    assert means("floor_divide", Tensor([3.0], "float16"), Tensor([0.3], "float16")).item() == 10.0


def test_functions_overflow_to_infinity() -> None:
    big = Tensor([1e4, -1e4], "float64")
    assert means("exp", big).tolist() == [math.inf, 0.0]
    assert means("sinh", big).tolist() == [math.inf, -math.inf]
    assert means("cosh", big).tolist() == [math.inf, math.inf]
    assert means("sigmoid", big).tolist() == [1.0, 0.0]
    assert means("exp", Tensor([100.0])).tolist() == [math.inf]
    assert means("multiply", Tensor([3e38]), Tensor([2.0])).tolist() == [math.inf]


@pytest.mark.parametrize("dtype", INTEGERS)
@few
@given(data=st.data())
@compares(*WRAPPING, *UNCHANGED, "nn.relu", "isnan")
def test_functions_of_integers(dtype: DType, data: st.DataObject) -> None:
    x = data.draw(shapes().flatmap(lambda shape: tensors(shape, dtype, special=True)))
    for name in UNCHANGED:
        assert means(name, x) == x
    with quiet():
        for name, function in WRAPPING.items():
            assert_exactly(means(name, x), np.asarray(function(array_of(x))))
    assert means("nn.relu", x).flat() == [max(part, 0) for part in x.flat()]
    assert means("isnan", x).flat() == [False] * x.size


def test_half_way_is_rounded_to_even_and_keeps_its_sign() -> None:
    found = means("round", Tensor([0.5, 1.5, 2.5, -0.5, -1.5, 2.0**60]))
    assert list(map(str, found.elements)) == ["0.0", "2.0", "2.0", "-0.0", "-2.0", str(2.0**60)]


ON = {
    (DType.BOOL,): "logical_and logical_or logical_xor logical_not",
    (*INTEGERS, DType.BOOL): "bitwise_and bitwise_or bitwise_xor bitwise_not",
    INTEGERS: "left_shift right_shift",
    NUMBERS: """subtract divide floor_divide trunc_divide mod trunc_mod floor_mod power negative abs sign floor ceil
        trunc round isnan isinf isfinite nn.relu""",
    EVERY: "add multiply maximum minimum equal not_equal less less_equal greater greater_equal copy",
    FLOATS: """exp log log2 log10 sqrt rsqrt sigmoid erf sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
        fast_exp fast_tanh fast_erf""",
}
"""The operators that were meant for these element types, written down apart from their declarations."""


@pytest.mark.parametrize(("name", "types"), [(name, types) for types, names in ON.items() for name in names.split()])
def test_an_operator_admits_its_types(name: str, types: tuple[DType, ...]) -> None:
    assert set(admitted(of(name))) == set(types)


@pytest.mark.parametrize("one", (*BINARY, *UNARY), ids=lambda one: one.name)
def test_an_operator_keeps_a_shape_or_refuses_the_element_type(one: Operator) -> None:
    for dtype in DType:
        arguments = [TensorType((constant(2),), dtype)] * len(one.arguments)
        if dtype in admitted(one):
            assert judges(one.name, *arguments).result.shape == (constant(2),)  # type: ignore[union-attr]
        else:
            assert refusal(one.name, *arguments).rule == "op.dtype"


def typed(*shape: Dim | int, dtype: DType = DType.FLOAT32) -> Any:
    return TensorType(tuple(constant(dim) if isinstance(dim, int) else dim for dim in shape), dtype)


def test_tuples_and_mixed_types_are_refused() -> None:
    assert refusal("add", typed(2), TupleType((typed(2),))).rule == "op.structure"
    mixed = refusal("add", typed(2), typed(2, dtype=DType.INT32))
    assert (mixed.rule, mixed.operand) == ("op.dtype", 1)


n, m = (variable(name, kind=Kind.RIGID) for name in "nm")


@pytest.mark.parametrize(
    "left, right, result, goal",
    [
        (n, n, "n", "True"),
        (n, 1, "n", None),
        (1, n, "n", None),
        (1, 1, "1", None),
        (n, 3, "3", "n == 3 or n == 1"),
        (3, n, "3", "n == 3 or n == 1"),
        (3, 4, "4", "False"),
        (n, m, "broadcast(n, m)", "broadcasts(n, m)"),
        (n, 0, "0", "n == 0 or n == 1"),
    ],
)
def test_broadcasting_owes_agreement_and_says_which_extent_remains(
    left: Any, right: Any, result: str, goal: str | None
) -> None:
    judgement = judges("add", typed(2, left), typed(right))
    assert str(judgement.result.shape[1]) == result  # type: ignore[union-attr]
    assert [(str(need.goal), need.operands, need.rule) for need in judgement.needs] == (
        [] if goal is None else [(goal, ((0, 1), (1, 0)), "op.broadcast.agree")]
    )


def test_contents_of_comparisons_are_conditions() -> None:
    scalar = TensorType((), DType.INT64, (n,))
    other = TensorType((), DType.INT64, (m,))
    rule = of("less").contents
    assert rule is not None
    assert str(rule(scalar, other)) == "(<n < m>,)" or str(rule(scalar, other)[0]) in (
        "n < m",
        "n + 1 <= m",
        "m >= n + 1",
    )


def test_contents_beyond_the_type_are_kept_as_what_the_integers_say() -> None:
    high = integer_range(DType.INT32)[1]
    part = TensorType((), DType.INT32, (constant(high),))
    rule = of("add").contents
    assert rule is not None
    assert rule(part, TensorType((), DType.INT32, (constant(1),))) == (constant(high + 1),)
