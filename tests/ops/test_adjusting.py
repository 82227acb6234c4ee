"""cast, where, clip and leaky_relu: conversions that are specified, choices, and bounds; fixed point, and bits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.constraint import at_least
from gradual.dims.term.dim import Kind, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import wrapped
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import FLOATS, INTEGERS, compatible, tensors
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, of, refusal

few = examples(30)
n, m = (variable(name, kind=Kind.RIGID) for name in "nm")


@pytest.mark.parametrize("source", FLOATS)
def test_floats_become_integers_toward_zero_saturating_and_nan_becomes_0(source: DType) -> None:
    x = Tensor([2.5, -2.5, -0.0, 300.0, -300.0, math.inf, -math.inf, math.nan], source)
    assert means("cast", x, dtype="int8").tolist() == [2, -2, 0, 127, -128, 127, -128, 0]
    assert means("cast", x, dtype="uint8").tolist() == [2, 0, 0, 255, 0, 255, 0, 0]


def test_integers_wrap_and_round() -> None:
    x = Tensor([300, -1, (1 << 53) + 1], "int64")
    assert means("cast", x, dtype="uint8").tolist() == [44, 255, 1]
    assert means("cast", x, dtype="float64").tolist() == [300.0, -1.0, 2.0**53]
    assert means("cast", x, dtype="bool").tolist() == [True, True, True]
    assert means("cast_like", x, Tensor(0.0, "float16")).dtype is DType.FLOAT16


def test_a_narrowed_float_is_rounded() -> None:
    assert means("cast", Tensor([1 / 3, 1e39], "float64"), dtype="float32").tolist() == [
        float(np.float32(1 / 3)),
        math.inf,
    ]


@few
@given(data=st.data())
@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.INT8, DType.BOOL])
@compares("where")
def test_where_chooses_element_by_element(dtype: DType, data: st.DataObject) -> None:
    shapes = data.draw(compatible(3))
    test = data.draw(tensors(shapes[0], data.draw(st.sampled_from([DType.BOOL, *INTEGERS, *FLOATS])), special=True))
    left, right = (data.draw(tensors(shape, dtype, special=True)) for shape in shapes[1:])
    expected = np.where(array_of(test) != 0, array_of(left), array_of(right))
    assert_exactly(means("where", test, left, right), expected)


def test_where_owes_agreement_of_all_three() -> None:
    shapes = [TensorType((dim,), DType.BOOL) for dim in (n, m, constant(3))]
    judgement = judges("where", *shapes)
    assert [need.operands for need in judgement.needs] == [((0, 0), (1, 0)), ((1, 0), (2, 0))]
    assert judgement.result.shape == (constant(3),)  # type: ignore[union-attr]


def test_where_on_a_known_condition_chooses_contents() -> None:
    rule = of("where").contents
    assert rule is not None
    condition = TensorType((), DType.BOOL, (at_least(n, constant(1)),))
    left, right = (TensorType((), DType.INT64, (part,)) for part in (n, constant(1)))
    assert [str(part) for part in rule(condition, left, right) or ()] == ["(if n >= 1 then n else 1)"]


def test_a_float_condition_holds_where_it_is_not_zero() -> None:
    condition = Tensor([0.0, -0.0, math.nan, 1e-45])
    assert means("where", condition, Tensor(1), Tensor(2)).tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize("dtype", FLOATS)
def test_clip_keeps_nan(dtype: DType) -> None:
    x = Tensor([-9.0, 0.0, 7.0, math.inf, math.nan], dtype)
    assert list(map(str, means("clip", x, a_min=0.0, a_max=6.0).elements)) == ["0.0", "0.0", "6.0", "6.0", "nan"]


def test_clip_converts_its_bounds_to_the_type() -> None:
    x = Tensor([-9, 0, 7], "int32")
    assert means("clip", x, a_min=0.9, a_max=6.5).tolist() == [0, 0, 6]
    assert means("clip", x, a_min=-math.inf, a_max=math.inf) == x
    tenth = float(np.float32(0.1))
    assert means("clip", Tensor([1.0]), a_min=0, a_max=0.1).item() == tenth


@pytest.mark.parametrize("bounds", [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan)])
def test_bounds_that_cross_are_refused(bounds: tuple[float, float]) -> None:
    kind = TensorType((), DType.FLOAT32)
    refused = refusal("clip", kind, a_min=bounds[0], a_max=bounds[1])
    assert (refused.rule, "a_min" in refused.message) == ("op.attribute", True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_leaky_relu_scales_what_is_not_positive(dtype: DType) -> None:
    found = means("nn.leaky_relu", Tensor([2.0, 0.0, -9.0, -3.0, math.nan], dtype), alpha=0.1)
    slope: Any = Tensor(0.1, dtype).item()
    scaled = [str(Tensor(factor * slope, dtype).item()) for factor in (-9.0, -3.0)]
    assert list(map(str, found.elements)) == ["2.0", "0.0", *scaled, "nan"]


@pytest.mark.parametrize("shift", [-2, 0, 3, 31, 33])
@given(value=st.integers(-(1 << 31), (1 << 31) - 1), multiplier=st.integers(-(1 << 31), (1 << 31) - 1))
@compares("fixed_point_multiply")
def test_a_fixed_point_product_is_rounded_half_up(shift: int, value: int, multiplier: int) -> None:
    exact = Fraction(value * multiplier) * Fraction(2) ** (shift - 31)
    found = means("fixed_point_multiply", Tensor(value, "int32"), multiplier=multiplier, shift=shift).item()
    assert found == wrapped(DType.INT32, math.floor(exact + Fraction(1, 2)))


@examples(100)
@given(data=st.data())
@compares("fixed_point_multiply_per_axis")
def test_a_fixed_point_product_per_axis_is_that_of_each_channel(data: st.DataObject) -> None:
    application, found = applications("fixed_point_multiply_per_axis", data)
    x, *channels = map(array_of, application.arguments)
    axes = application.attributes.get("axes", [])
    shape = [1] * x.ndim
    order = sorted(range(len(axes)), key=lambda i: axes[i] % x.ndim)
    for axis in axes:
        shape[axis] = x.shape[axis]
    multiplier, up, down = (
        np.broadcast_to(np.transpose(part, order).reshape(shape), x.shape).astype(object) for part in channels
    )
    required = [name in application.attributes for name in ("is_lshift_required", "is_rshift_required")]
    expected = np.zeros(x.shape, np.int32)
    for place in np.ndindex(*x.shape):
        left, right = (int(part[place]) if used else 0 for part, used in zip((up, down), required, strict=True))
        exact = Fraction(int(x[place]) * int(multiplier[place])) * Fraction(2) ** (left - 31 - right)
        expected[place] = wrapped(DType.INT32, math.floor(exact + Fraction(1, 2)))
    assert_exactly(found, expected)


@pytest.mark.parametrize("shift", [-1, 32])
def test_a_shift_that_is_required_is_from_0_to_31(shift: int) -> None:
    x = Tensor(1, "int32")
    with pytest.raises(TensorFault, match=f"from 0 to 31, not {shift}"):
        means("fixed_point_multiply_per_axis", x, x, x, Tensor(shift, "int32"), is_rshift_required=True)


def test_every_channel_has_its_multiplier_and_shifts() -> None:
    x = TensorType((constant(5), n, m), DType.INT32)
    vector = TensorType((m, n), DType.INT32)
    judgement = judges("fixed_point_multiply_per_axis", x, vector, vector, vector, axes=[-1, 1])
    assert {str(need.goal) for need in judgement.needs} == {"True"}
    other = TensorType((n, constant(7)), DType.INT32)
    needs = judges("fixed_point_multiply_per_axis", x, vector, vector, other, axes=[2, 1]).needs
    assert [str(need.goal) for need in needs[-2:]] == ["m == n", "n == 7"]
    assert needs[-1].operands == ((0, 1), (3, 1))
    assert refusal("fixed_point_multiply_per_axis", x, vector, vector, x, axes=[2, 1]).rule == "op.rank"
    assert refusal("fixed_point_multiply_per_axis", x, vector, vector, vector, axes=[1, -2]).rule == "op.axis"


def bits(x: Tensor) -> Any:
    """The bits as unsigned integers; those of a bfloat16 are the upper half of its float32."""
    if x.dtype is DType.BOOL:
        return array_of(x)
    if x.dtype is DType.BFLOAT16:
        return (array_of(x).view("uint32") >> 16).astype("uint16")
    return array_of(x).view(f"uint{x.dtype.bits}")


@examples(100)
@given(data=st.data())
@compares("reinterpret")
def test_reinterpreted_bits_are_numpys(data: st.DataObject) -> None:
    application, found = applications("reinterpret", data)
    (x,) = application.arguments
    np.testing.assert_array_equal(bits(found), bits(x))
    assert found.shape == x.shape


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16])
def test_all_bits_of_a_narrow_float_go_there_and_back(dtype: DType) -> None:
    every = Tensor(list(range(1 << 16)), "uint16")
    assert means("reinterpret", means("reinterpret", every, dtype=str(dtype)), dtype="uint16") == every


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT64])
@given(bits=st.integers(0, (1 << 64) - 1))
def test_bits_of_a_float_go_there_and_back(dtype: DType, bits: int) -> None:
    whole = f"uint{dtype.bits}"
    x = Tensor(bits % (1 << dtype.bits), whole)
    assert means("reinterpret", means("reinterpret", x, dtype=str(dtype)), dtype=whole) == x


def test_a_narrow_not_a_number_stays_one() -> None:
    for dtype, bits in ((DType.FLOAT16, 0x7E00), (DType.BFLOAT16, 0x7FC0)):
        assert means("reinterpret", Tensor([math.nan], dtype), dtype="uint16").tolist() == [bits]


def test_types_of_other_widths_have_no_bits_in_common() -> None:
    assert refusal("reinterpret", TensorType((n,), DType.INT32), dtype="int64").rule == "op.dtype"
    assert refusal("reinterpret", TensorType((n,), DType.BOOL), dtype="int8").rule == "op.dtype"
    assert refusal("reinterpret", TensorType((n,), DType.UINT8), dtype="bool").rule == "op.dtype"
    assert judges("reinterpret", TensorType((n,), DType.BOOL), dtype="bool").result == TensorType((n,), DType.BOOL)
