"""Pools against definitions written in NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.windows import SPATIAL
from tests.ops.oracle import (
    applications,
    array_of,
    assert_same,
    compares,
    examples,
    judges,
    means,
    narrowed,
    refusal,
    wide,
)
from tests.ops.test_convolving import each, sides, turned

few = examples(40)
counts = pytest.mark.parametrize("count", SPATIAL)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs if str(need.goal) != "True"]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


class Pool:
    """A sliding pool's numbers, one for each spatial axis."""

    def __init__(self, space: tuple[int, ...], attributes: dict[str, Any]) -> None:
        count = len(space)
        self.space = space
        self.kernel, self.strides = each(attributes["pool_size"], count), each(attributes["strides"], count)
        self.dilation, self.padding = each(attributes["dilation"], count), sides(attributes["padding"], count)
        self.ceil = attributes["ceil_mode"]

    def result(self) -> list[int]:
        found = []
        for n, k, s, d, (low, high) in self.axes():
            room = n + low + high - ((k - 1) * d + 1)
            found.append((math.ceil(room / s) if self.ceil else room // s) + 1)
        return found

    def axes(self) -> Iterator[Any]:
        return zip(self.space, self.kernel, self.strides, self.dilation, self.padding, strict=True)

    def taps(self, place: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The cells that a window meets, those in the padding too."""
        along = [
            [p * s - low + i * d for i in range(k)]
            for p, (_, k, s, d, (low, _high)) in zip(place, self.axes(), strict=True)
        ]
        return product(*along)

    def inside(self, cell: tuple[int, ...], padded: bool) -> bool:
        each_axis = zip(cell, self.axes(), strict=True)
        return all((-low <= i < n + high) if padded else (0 <= i < n) for i, (n, _, _, _, (low, high)) in each_axis)


def pooled(x: Any, dtype: DType, attributes: dict[str, Any], mean: bool) -> Any:
    pool = Pool(x.shape[2:], attributes)
    found = np.zeros((*x.shape[:2], *pool.result()), dtype=x.dtype)
    for n, c, p in product(range(x.shape[0]), range(x.shape[1]), product(*map(range, pool.result()))):
        cells = [x[(n, c, *cell)] for cell in pool.taps(p) if pool.inside(cell, False)]
        counted = sum(pool.inside(cell, attributes.get("count_include_pad", False)) for cell in pool.taps(p))
        found[(n, c, *p)] = averaged(cells, max(counted, 1), dtype) if mean else greatest(cells, dtype)
    return found


def averaged(cells: list[Any], count: int, dtype: DType) -> Any:
    if dtype.is_float:
        return np.divide(np.sum(np.array(cells, dtype=np.float64)), count)
    whole = sum(map(int, cells))
    return -(-whole // count) if whole < 0 else whole // count


def greatest(cells: list[Any], dtype: DType) -> Any:
    lowest = -np.inf if dtype.is_float else np.iinfo(str(dtype)).min
    return np.max(np.array([lowest, *cells], dtype=np.float64 if dtype.is_float else object))


@counts
@pytest.mark.parametrize("kind", ["max", "avg"])
@few
@given(data=st.data())
@compares(*(f"nn.{kind}_pool{count}d" for kind in ("max", "avg") for count in SPATIAL))
def test_a_sliding_pool_is_its_definition(kind: str, count: int, data: st.DataObject) -> None:
    application, found = applications(f"nn.{kind}_pool{count}d", data)
    (x,), attributes, letters = map(wide, application.arguments), application.attributes, "NC" + SPATIAL[count]
    expected = pooled(turned(x, attributes["layout"], letters), found.dtype, attributes, kind == "avg")
    layout = attributes["out_layout"] or attributes["layout"]
    assert_same(found, narrowed(found.dtype, turned(expected, letters, layout)))


def parted(x: Any, dtype: DType, sizes: list[int], mean: bool) -> Any:
    """Part i of m of an axis of n cells runs from `floor(i * n / m)` up to `ceil((i + 1) * n / m)`."""
    found = np.zeros((*x.shape[:2], *sizes), dtype=x.dtype)
    for n, c, p in product(range(x.shape[0]), range(x.shape[1]), product(*map(range, sizes))):
        parts = [
            slice(i * extent // m, math.ceil((i + 1) * extent / m))
            for i, extent, m in zip(p, x.shape[2:], sizes, strict=True)
        ]
        cells = list(x[(n, c, *parts)].ravel())
        found[(n, c, *p)] = averaged(cells, len(cells), dtype) if mean else greatest(cells, dtype)
    return found


@counts
@pytest.mark.parametrize("kind", ["max", "avg"])
@few
@given(data=st.data())
@compares(*(f"nn.adaptive_{kind}_pool{count}d" for kind in ("max", "avg") for count in SPATIAL))
def test_an_adaptive_pool_is_its_definition(kind: str, count: int, data: st.DataObject) -> None:
    faults = "E0604" if kind == "avg" else None
    application, found = applications(f"nn.adaptive_{kind}_pool{count}d", data, faults)
    (x,), attributes, letters = map(wide, application.arguments), application.attributes, "NC" + SPATIAL[count]
    x = turned(x, attributes["layout"], letters)
    sizes = each(attributes["output_size"], count) or list(x.shape[2:])
    layout = attributes["out_layout"] or attributes["layout"]
    expected = turned(parted(x, found.dtype, sizes, kind == "avg"), letters, layout)
    assert_same(found, narrowed(found.dtype, expected))


def test_the_integer_mean_of_nothing_is_a_fault() -> None:
    with pytest.raises(TensorFault) as caught:
        means("nn.global_avg_pool2d", Tensor([], "int8", (1, 1, 0, 3)))
    assert caught.value.code == "E0604"


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_a_global_pool_is_the_reduction_over_space(kind: str) -> None:
    x = Tensor([1.0, 2.0, 3.0, 6.0, -1.0, -2.0, -3.0, -6.0], shape=(1, 2, 2, 2))
    reduced = {"max": np.max, "avg": np.mean}[kind]
    assert_same(means(f"nn.global_{kind}_pool2d", x), reduced(array_of(x), axis=(2, 3), keepdims=True))


def test_the_mean_of_nothing_is_nan_and_the_maximum_the_least_value() -> None:
    nothing = Tensor([], shape=(1, 1, 0, 3))
    assert math.isnan(means("nn.global_avg_pool2d", nothing).item())
    assert means("nn.global_max_pool2d", nothing).item() == -math.inf
    assert means("nn.global_max_pool2d", Tensor([], "int8", (1, 1, 0, 3))).item() == -128


def test_a_maximum_keeps_nan_and_the_greater_zero() -> None:
    x = Tensor([-0.0, 0.0, math.nan, 1.0, -0.0, -0.0], shape=(1, 1, 6))
    found = means("nn.max_pool1d", x, pool_size=[2], strides=[2]).flat()
    assert math.copysign(1.0, found[0]) == 1.0 and math.isnan(found[1]) and math.copysign(1.0, found[2]) == -1.0


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("nn.max_pool2d", {"pool_size": [2, 2], "strides": [2, 1], "padding": [1, 0]}),
        ("nn.avg_pool2d", {"pool_size": [2, 2], "padding": [1, 1], "ceil_mode": True}),
        ("nn.adaptive_avg_pool2d", {"output_size": [2, 1]}),
        ("nn.global_max_pool2d", {}),
    ],
)
@pytest.mark.parametrize(
    ("packed", "shape"), [("NCHW2c", (1, 2, 3, 4, 2)), ("HN3cCW", (3, 2, 3, 1, 4)), ("HN2nWC", (3, 1, 2, 4, 4))]
)
def test_a_pool_in_a_packed_layout_is_that_of_the_unpacked_data(
    name: str, attributes: dict[str, Any], packed: str, shape: tuple[int, ...]
) -> None:
    x = random_tensor(shape, DType.FLOAT32, 7)
    plain = means("layout_transform", x, src_layout=packed, dst_layout="NCHW")
    expected = means("layout_transform", means(name, plain, **attributes), src_layout="NCHW", dst_layout=packed)
    found = means(name, x, layout=packed, **attributes)
    assert (found.shape, found.flat()) == (expected.shape, expected.flat())
    assert goals(judges(name, of(*shape), layout=packed, **attributes)) == []


def test_ceil_mode_adds_the_last_partial_window() -> None:
    x = Tensor([1.0] * 6, shape=(1, 1, 6))
    assert means("nn.max_pool1d", x, pool_size=[3], strides=[2]).shape == (1, 1, 2)
    assert means("nn.max_pool1d", x, pool_size=[3], strides=[2], ceil_mode=True).shape == (1, 1, 3)


def test_symbolic_sizes_are_floored_or_raised() -> None:
    attributes = {"pool_size": [3], "strides": [2], "padding": [1, 1]}
    judgement = judges("nn.max_pool1d", of("n", "c", "w"), **attributes)
    assert shape_of(judgement) == ["n", "c", "(w + 1) // 2"]
    assert goals(judgement) == [("op.window.fits", "w >= 1")]
    assert shape_of(judges("nn.max_pool1d", of("n", "c", "w"), ceil_mode=True, **attributes))[2] == "w // 2 + 1"


def test_a_symbolic_stride_is_owed_to_be_positive() -> None:
    judgement = judges("nn.avg_pool2d", of(1, 1, 4, 4), pool_size=[2, 2], strides=[variable("s")])
    assert goals(judgement)[0] == ("op.window.positive", "s >= 1")


@pytest.mark.parametrize(
    ("name", "shape", "attributes", "rule"),
    [
        ("nn.max_pool2d", (1, 1, 4), {"pool_size": [2, 2]}, "op.rank"),
        ("nn.max_pool2d", (1, 1, 4, 4), {"pool_size": [2, 2], "layout": "NCHW4c"}, "op.rank"),
        ("nn.max_pool2d", (1, 1, 4, 4, 4), {"pool_size": [2, 2], "layout": "NCHW4h"}, "op.attribute"),
        ("nn.max_pool2d", (1, 1, 4, 4, 4), {"pool_size": [2, 2], "layout": "NCDW4c"}, "op.attribute"),
        ("nn.max_pool2d", (1, 1, 4, 4), {"pool_size": [0, 2]}, "op.attribute"),
        ("nn.max_pool2d", (1, 1, 4, 4), {"pool_size": [2, 2], "padding": [-1]}, "op.attribute"),
        ("nn.adaptive_avg_pool2d", (1, 1, 4, 4), {"output_size": [1, 2, 3]}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, shape: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, of(*shape), **attributes).rule == rule
