"""Convolutions whose taps are moved against plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import UNITS, applications, array_of, compares, examples, judges, means, refusal


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def sampled(planes: Any, y: float, x: float) -> Any:
    """Planes at a place, as a product of hat functions; what hangs over the last cell is the last cell's."""
    height, width = planes.shape[-2:]
    if not (0 <= y < height and 0 <= x < width):
        return np.zeros(planes.shape[:-2])
    y, x = min(y, height - 1), min(x, width - 1)
    down, across = (np.clip(1 - np.abs(np.arange(n) - at), 0, None) for n, at in ((height, y), (width, x)))
    return np.einsum("...ij,i,j->...", planes, down, across)


@examples(100)
@given(data=st.data())
@compares("nn.deformable_conv2d")
def test_each_tap_is_sampled_where_it_is_moved(data: st.DataObject) -> None:
    application, found = applications("nn.deformable_conv2d", data)
    x, offset, w = (array_of(part).astype(float) for part in application.arguments)
    attributes = application.attributes
    if attributes["data_layout"] == "NHWC":
        x, offset, w = x.transpose(0, 3, 1, 2), offset.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)
    (n, c), (o, into, kh, kw), (rows, columns) = x.shape[:2], w.shape, offset.shape[2:]
    spread, groups = c // attributes["deformable_groups"], attributes["groups"]
    moves = offset.reshape(n, attributes["deformable_groups"], kh * kw, 2, rows, columns)
    patches = np.zeros((n, c, kh * kw, rows, columns))
    for b, channel, tap, i, j in np.ndindex(*patches.shape):
        y = i * attributes["strides"][0] - attributes["padding"][0] + tap // kw * attributes["dilation"][0]
        z = j * attributes["strides"][1] - attributes["padding"][1] + tap % kw * attributes["dilation"][1]
        dy, dx = moves[b, channel // spread, tap, :, i, j]
        patches[b, channel, tap, i, j] = sampled(x[b, channel], y + dy, z + dx)
    shared = patches.reshape(n, groups, into, kh * kw, rows, columns)
    kernels = w.reshape(groups, o // groups, into, kh * kw)
    wanted = np.einsum("ngctij,goct->ngoij", shared, kernels).reshape(n, o, rows, columns)
    wanted = wanted.transpose(0, 2, 3, 1) if attributes["data_layout"] == "NHWC" else wanted
    unit = 10 * UNITS[found.dtype]
    np.testing.assert_allclose(array_of(found), wanted, rtol=unit, atol=unit)


def test_without_offsets_it_is_a_convolution() -> None:
    data, weight = random_tensor((2, 3, 5, 5), DType.FLOAT32, 1), random_tensor((4, 3, 3, 3), DType.FLOAT32, 2)
    still = Tensor([0.0] * (2 * 18 * 25), "float32", (2, 18, 5, 5))
    assert means("nn.deformable_conv2d", data, still, weight, padding=1) == means("nn.conv2d", data, weight, padding=1)


def test_a_tap_that_is_moved_nowhere_is_nothing() -> None:
    data, weight = Tensor([[[[3.0]]]]), Tensor([[[[2.0]]]])
    for away in (float("nan"), float("inf"), -0.5, 1.0):
        assert means("nn.deformable_conv2d", data, Tensor([[[[away]], [[0.0]]]]), weight) == Tensor([[[[0.0]]]])
    assert means("nn.deformable_conv2d", data, Tensor([[[[0.5]], [[0.0]]]]), weight) == Tensor([[[[6.0]]]])


def test_the_offsets_have_the_size_of_the_result() -> None:
    arguments = of("n", 4, "h", 7), of("n", "k", "p", 5), of(6, 4, 3, 3)
    judgement = judges("nn.deformable_conv2d", *arguments, deformable_groups=2)
    assert list(map(str, judgement.result.shape)) == ["n", "6", "h - 2", "5"]  # type: ignore[union-attr]
    owed = [(need.rule, str(need.goal), need.operands) for need in judgement.needs if str(need.goal) != "True"]
    assert owed == [
        ("op.window.fits", "h >= 3", ((0, 2),)),
        ("op.deformable.offset", "k == 36", ((1, 1),)),
        ("op.deformable.offset", "h - 2 == p", ((1, 2),)),
    ]


def test_integers_are_not_sampled() -> None:
    given_ = of(1, 1, 3, 3, dtype=DType.INT32)
    assert refusal("nn.deformable_conv2d", given_, of(1, 2, 3, 3), of(1, 1, 1, 1)).rule == "op.dtype"
