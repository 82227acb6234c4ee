"""Gradients of windows against their definitions, and against the operators whose gradients they are."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_same,
    compares,
    examples,
    judges,
    kept_in,
    means,
    refusal,
    wide,
)
from tests.ops.test_convolving import turned

few = examples(30)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs if str(need.goal) != "True"]


def around(x: Any, move: dict[str, Any], fill: Any) -> Any:
    """The images in NCHW with room for every place of the window."""
    (top, left, bottom, right), room = move["padding"], 4
    return np.pad(x, ((0, 0), (0, 0), (top, bottom + room), (left, right + room)), constant_values=fill)


@few
@given(data=st.data())
@compares("nn.conv2d_backward_weight")
def test_the_gradient_by_the_weight_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("nn.conv2d_backward_weight", data)
    attributes = application.attributes
    grad = turned(wide(application.arguments[0]), attributes["data_layout"], "NCHW")
    x = around(turned(wide(application.arguments[1]), attributes["kernel_layout"], "NCHW"), attributes, 0)
    (high, broad), (down, right), apart = attributes["kernel_size"], attributes["strides"], attributes["dilation"]
    outs, share = grad.shape[1], x.shape[1] // attributes["groups"]
    each = outs // attributes["groups"]
    expected = np.zeros((outs, share, high, broad), dtype=grad.dtype)
    for o, i, k, j in product(range(outs), range(share), range(high), range(broad)):
        for n, y, z in product(range(grad.shape[0]), range(grad.shape[2]), range(grad.shape[3])):
            cell = x[n, o // each * share + i, y * down + k * apart[0], z * right + j * apart[1]]
            expected[o, i, k, j] += grad[n, o, y, z] * cell
    assert_same(found, kept_in(found.dtype, turned(expected, "OIHW", attributes["out_layout"])))


@pytest.mark.parametrize("kind", ["max", "avg"])
@few
@given(data=st.data())
@compares("nn.max_pool2d_grad", "nn.avg_pool2d_grad")
def test_the_gradient_of_a_pool_is_its_definition(kind: str, data: st.DataObject) -> None:
    application, found = applications(f"nn.{kind}_pool2d_grad", data)
    attributes = application.attributes
    written = attributes["layout"]
    grad = turned(wide(application.arguments[0]), attributes["out_layout"] or written, "NCHW")
    x = turned(wide(application.arguments[1]), written, "NCHW")
    (top, left, bottom, right), (high, broad) = attributes["padding"], attributes["pool_size"]
    height, width = x.shape[2:]
    expected = np.zeros(x.shape, dtype=x.dtype)
    for n, c, y, z in product(*map(range, grad.shape)):
        rows = [y * attributes["strides"][0] - top + k * attributes["dilation"][0] for k in range(high)]
        columns = [z * attributes["strides"][1] - left + k * attributes["dilation"][1] for k in range(broad)]
        cells = [(i, j) for i, j in product(rows, columns) if 0 <= i < height and 0 <= j < width]
        if kind == "avg":
            inside = [i for i in rows if i < height + bottom], [j for j in columns if j < width + right]
            count = len(inside[0]) * len(inside[1]) if attributes["count_include_pad"] else len(cells)
            share = grad[n, c, y, z] / max(count, 1)
            for i, j in cells:
                expected[n, c, i, j] += (
                    share if found.dtype.is_float else int(grad[n, c, y, z]).__truediv__(max(count, 1)).__trunc__()
                )
        elif cells:
            i, j = max(cells, key=lambda cell: x[n, c, *cell])
            expected[n, c, i, j] += grad[n, c, y, z]
    assert_same(found, kept_in(found.dtype, turned(expected, "NCHW", written)))


def test_a_small_step_changes_the_result_by_the_gradient() -> None:
    rng = np.random.default_rng(5)
    x, w = (Tensor(rng.normal(size=shape).tolist(), "float64") for shape in ((2, 4, 5, 6), (6, 2, 3, 2)))
    attributes = {"strides": [2, 1], "padding": [1, 0], "groups": 2}
    result = means("nn.conv2d", x, w, **attributes)
    pull = Tensor(rng.normal(size=result.shape).tolist(), "float64")
    found = array_of(means("nn.conv2d_backward_weight", pull, x, kernel_size=[3, 2], **attributes))
    step = rng.normal(size=w.shape)
    moved = means("nn.conv2d", x, Tensor((array_of(w) + step).tolist(), "float64"), **attributes)
    change = np.sum((array_of(moved) - array_of(result)) * array_of(pull))
    assert np.isclose(change, np.sum(found * step))


def test_of_equal_cells_the_first_gets_what_comes_back() -> None:
    grad, x = Tensor([1.0, 2.0], shape=(1, 1, 1, 2)), Tensor([3.0, 3.0, 3.0], shape=(1, 1, 1, 3))
    assert means("nn.max_pool2d_grad", grad, x, pool_size=[1, 2]).tolist() == [[[[1.0, 2.0, 0.0]]]]


def test_shapes_and_what_is_owed() -> None:
    found = judges("nn.conv2d_backward_weight", of("n", "o", 4, "v"), of("m", 6, 6, "w"), groups=2, kernel_size=[3, 3])
    assert list(map(str, found.result.shape)) == ["o", "3", "3", "3"]  # type: ignore[union-attr]
    rule = "op.nn.conv2d_backward_weight.agree"
    assert goals(found) == [
        ("op.window.fits", "w >= 3"),
        (rule, "n == m"),
        (rule, "v == w - 2"),
        ("op.conv.groups", "o % 2 == 0"),
    ]
    pooled = judges("nn.max_pool2d_grad", of("n", 3, "h", 2), of(1, "c", 8, 4), pool_size=[2, 2], strides=[2, 2])
    assert goals(pooled) == [
        (f"op.{name}.agree", goal)
        for name, goal in (("pool_grad", "n == 1"), ("pool_grad", "c == 3"), ("pool_grad", "h == 4"))
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("nn.conv2d_backward_weight", (of(1, 1, 4), of(1, 1, 4, 4)), {"kernel_size": [1, 1]}, "op.rank"),
        ("nn.conv2d_backward_weight", (of(1, 1, 4, 4), of(1, 1, 4, 4)), {"kernel_size": [0, 1]}, "op.attribute"),
        ("nn.max_pool2d_grad", (of(1, 1, 4), of(1, 1, 4, 4)), {"pool_size": [1, 1]}, "op.rank"),
        ("nn.avg_pool2d_grad", (of(1, 1, 4, 4), of(1, 1, 4)), {"pool_size": [1, 1]}, "op.rank"),
        ("nn.avg_pool2d_grad", (of(1, 1, 4, 4, dtype=DType.INT8), of(1, 1, 4, 4)), {"pool_size": [1, 1]}, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
