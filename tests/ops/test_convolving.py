"""Convolutions and their transposes against definitions written in NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.windows import SPATIAL
from tests.ops.oracle import applications, assert_same, compares, examples, judges, kept_in, means, refusal, wide

few = examples(40)
F32 = DType.FLOAT32
counts = pytest.mark.parametrize("count", SPATIAL)


def of(*shape: int | str, dtype: DType = F32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs if str(need.goal) != "True"]


def each(values: list[int], count: int) -> list[int]:
    return values * count if len(values) == 1 else values


def sides(written: list[int], count: int) -> list[tuple[int, int]]:
    if len(written) == 2 * count:
        return list(zip(written[:count], written[count:], strict=True))
    return [(size, size) for size in each(written, count)]


def turned(array: Any, layout: str, letters: str) -> Any:
    return np.transpose(array, [layout.index(letter) for letter in letters])


def kernel_by_output(weight: Any, outs: int, groups: int) -> Any:
    """The weight as (output channels, input channels of a group, ..kernel)."""
    if weight.shape[0] != outs:
        return weight.reshape(outs, 1, *weight.shape[2:])
    return weight


def convolved(x: Any, w: Any, attributes: dict[str, Any]) -> Any:
    """`out[n, o, p] = sum over c, k of x[n, group(o), c, p * stride + k * dilation] * w[o, c, k]`."""
    count = x.ndim - 2
    groups = attributes["groups"]
    outs = attributes.get("channels", w.shape[0])
    w = kernel_by_output(w, outs, groups)
    strides, dilation = each(attributes["strides"], count), each(attributes["dilation"], count)
    padded = np.pad(x, [(0, 0), (0, 0), *sides(attributes["padding"], count)])
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    space = [(n - r) // s + 1 for n, r, s in zip(padded.shape[2:], reach, strides, strict=True)]
    found = np.zeros((x.shape[0], outs, *space), dtype=x.dtype)
    share, into = outs // groups, w.shape[1]
    for o, p in product(range(outs), product(*map(range, space))):
        first = o // share * into
        window = padded[(slice(None), slice(first, first + into), *map(cut, p, strides, reach, dilation))]
        found[(slice(None), o, *p)] = (window * w[o]).sum(axis=tuple(range(1, x.ndim)))
    return found


def cut(place: int, stride: int, reach: int, dilation: int) -> slice:
    return slice(place * stride, place * stride + reach, dilation)


@counts
@few
@given(data=st.data())
@compares(*(f"nn.conv{count}d" for count in SPATIAL))
def test_a_convolution_is_its_definition(count: int, data: st.DataObject) -> None:
    application, found = applications(f"nn.conv{count}d", data)
    x, w = map(wide, application.arguments)
    attributes, letters = application.attributes, "NC" + SPATIAL[count]
    x = turned(x, attributes["data_layout"], letters)
    w = turned(w, attributes["kernel_layout"], "OI" + SPATIAL[count])
    expected = turned(convolved(x, w, attributes), letters, attributes["out_layout"] or attributes["data_layout"])
    assert_same(found, kept_in(found.dtype, expected))


def spread(x: Any, w: Any, attributes: dict[str, Any]) -> Any:
    """Each cell adds its kernel to the result, a stride apart; padding is cut away, output padding added."""
    count = x.ndim - 2
    groups, share = attributes["groups"], w.shape[1]
    strides, dilation = each(attributes["strides"], count), each(attributes["dilation"], count)
    extra, pads = each(attributes["output_padding"], count), sides(attributes["padding"], count)
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    whole = [(n - 1) * s + r + e for n, s, r, e in zip(x.shape[2:], strides, reach, extra, strict=True)]
    found = np.zeros((x.shape[0], groups * share, *whole), dtype=x.dtype)
    into = x.shape[1] // groups
    for n, c, p in product(range(x.shape[0]), range(x.shape[1]), product(*map(range, x.shape[2:]))):
        first = c // into * share
        place = (n, slice(first, first + share), *map(cut, p, strides, reach, dilation))
        found[place] = found[place] + x[(n, c, *p)] * w[c]
    return found[(..., *(slice(low, size - high) for (low, high), size in zip(pads, whole, strict=True)))]


@counts
@few
@given(data=st.data())
@compares(*(f"nn.conv{count}d_transpose" for count in SPATIAL))
def test_a_transposed_convolution_is_its_definition(count: int, data: st.DataObject) -> None:
    application, found = applications(f"nn.conv{count}d_transpose", data)
    x, w = map(wide, application.arguments)
    attributes, letters = application.attributes, "NC" + SPATIAL[count]
    x = turned(x, attributes["data_layout"], letters)
    w = turned(w, attributes["kernel_layout"], "IO" + SPATIAL[count])
    expected = turned(spread(x, w, attributes), letters, attributes["data_layout"])
    assert_same(found, kept_in(found.dtype, expected))


def test_a_grouped_convolution_owes_the_channels_of_all_groups() -> None:
    judgement = judges("nn.conv2d", of("n", "c", 8, 8), of(16, 16, 3, 3), groups=2, padding=[1, 1])
    assert goals(judgement) == [("op.conv.channels", "c == 32")]


def test_a_kernel_that_does_not_fit_is_owed() -> None:
    assert goals(judges("nn.conv1d", of(1, 2, "d"), of(3, 2, 3))) == [("op.window.fits", "d >= 3")]
    assert goals(judges("nn.conv1d", of(1, 2, "d"), of(3, 2, 3), dilation=[2])) == [("op.window.fits", "d >= 5")]


def test_a_symbolic_size_is_floored() -> None:
    judgement = judges("nn.conv2d", of("n", 3, "h", "w"), of(8, 3, 3, 3), strides=[2, 2], padding=[1, 1, 1, 1])
    assert list(map(str, judgement.result.shape)) == ["n", "8", "(h + 1) // 2", "(w + 1) // 2"]  # type: ignore[union-attr]


def test_four_paddings_are_top_left_bottom_right() -> None:
    x = random_tensor((1, 1, 8, 8), F32, 1)
    w = Tensor([[[[0.0] * 3, [0.0] * 3, [0.0, 0.0, 1.0]]]])
    found = means("nn.conv2d", x, w, padding=[0, 0, 2, 2])
    assert found.shape == (1, 1, 8, 8)
    assert found.tolist()[0][0][0][:6] == x.tolist()[0][0][2][2:]


def test_written_channels_and_kernel_size_are_owed() -> None:
    judgement = judges("nn.conv1d", of(1, 2, 9), of("o", 2, "k"), channels=4, kernel_size=[3])
    assert goals(judgement) == [
        ("op.conv.units", "o == 4"),
        ("op.conv.kernel", "k >= 1"),
        ("op.conv.kernel_size", "k == 3"),
        ("op.window.fits", "k <= 9"),
    ]


def test_groups_divide_the_output_channels() -> None:
    assert ("op.conv.groups", "o % 3 == 0") in goals(judges("nn.conv1d", of(1, 6, 9), of("o", 2, 3), groups=3))


def test_a_depthwise_weight_may_be_channels_by_multiplier() -> None:
    x, w = random_tensor((1, 2, 4), F32, 1), random_tensor((2, 3, 2), F32, 2)
    plain = Tensor(w.flat(), F32, (6, 1, 2))
    assert means("nn.conv1d", x, w, groups=2, channels=6) == means("nn.conv1d", x, plain, groups=2, channels=6)


def test_a_symbolic_stride_is_owed_to_be_positive() -> None:
    judgement = judges("nn.conv1d", of(1, 2, 9), of(3, 2, 3), strides=[variable("s")])
    assert goals(judgement) == [("op.window.positive", "s >= 1")]
    assert refusal("nn.conv1d", of(1, 2, 9), of(3, 2, 3), strides=[0]).rule == "op.attribute"


def test_transposed_sizes_invert_the_convolution() -> None:
    judgement = judges("nn.conv2d_transpose", of("n", 4, "h", 5), of(4, 3, 4, 4), strides=[2, 2], padding=[1, 1])
    assert list(map(str, judgement.result.shape)) == ["n", "3", "2 * h", "10"]  # type: ignore[union-attr]
    assert goals(judgement) == [("op.conv.transposed", "2 * h >= 0")]


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ({"data_layout": "NCHW4c"}, "op.attribute"),
        ({"padding": [1, 1, 1]}, "op.attribute"),
        ({"strides": [1, 1, 1]}, "op.attribute"),
        ({"groups": 0}, "op.attribute"),
        ({"dilation": [0, 1]}, "op.attribute"),
        ({"kernel_size": [1, 2, 3]}, "op.attribute"),
    ],
)
def test_attributes_that_no_size_could_mend_are_refused(attributes: dict[str, Any], rule: str) -> None:
    assert refusal("nn.conv2d", of(1, 2, 8, 8), of(3, 2, 3, 3), **attributes).rule == rule


def test_a_convolution_has_a_fixed_rank() -> None:
    assert refusal("nn.conv2d", of(1, 2, 8), of(3, 2, 3)).rule == "op.rank"
