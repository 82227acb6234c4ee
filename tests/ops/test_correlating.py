"""Correlation against its definition in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, compares, examples, judges, refusal

many = examples(100)
UNITS = {DType.FLOAT16: 2e-3, DType.BFLOAT16: 0.016, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-13}


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@many
@given(data=st.data())
@compares("nn.correlation")
def test_correlation_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("nn.correlation", data)
    a = application.attributes
    pads = {0: [0] * 4, 1: a["padding"] * 4, 2: a["padding"] * 2}.get(len(a["padding"]), a["padding"])
    around = ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3]))
    x, y = (np.pad(array_of(part).astype(float), around) for part in application.arguments)
    k, reach, step = a["kernel_size"], a["max_displacement"], a["stride2"]
    shifts = range(-(reach // step) * step, reach + 1, step)
    maps = []
    for down in shifts:
        for right in shifts:
            moved = np.roll(y, (-down, -right), (2, 3))
            each = x * moved if a["is_multiply"] else np.abs(x - moved)
            patches = np.lib.stride_tricks.sliding_window_view(each, (k, k), (2, 3)).mean(axis=(1, 4, 5))
            last = [extent - reach for extent in patches.shape[1:]]
            maps.append(patches[:, reach : last[0] : a["stride1"], reach : last[1] : a["stride1"]])
    expected = np.stack(maps, 1)
    assert found.shape == expected.shape
    unit = UNITS[found.dtype]
    np.testing.assert_allclose(array_of(found).astype(float), expected, rtol=unit, atol=unit)


def test_sizes_are_formulas_and_what_is_owed() -> None:
    judgement = judges("nn.correlation", of("n", "c", "h", 9), of("n", "c", "h", 9), kernel_size=3, padding=[2])
    result: Any = judgement.result
    assert list(map(str, result.shape)) == ["n", "9", "h", "9"]
    assert [str(need.goal) for need in judgement.needs if need.goal.value is None] == ["h >= 1"]
    open_ = judges("nn.correlation", of(1, 1, 9, 9), of(1, 1, 9, 9), kernel_size=variable("k"), max_displacement=0)
    assert [str(need.goal) for need in open_.needs if need.rule == "op.nn.correlation.kernel"] == [
        "k >= 1 and k % 2 == 1"
    ]


@pytest.mark.parametrize(
    ("attributes", "dtype", "rule"),
    [
        ({"layout": "NHWC"}, DType.FLOAT32, "op.attribute"),
        ({"stride1": 0}, DType.FLOAT32, "op.attribute"),
        ({"padding": [1, 1, 1]}, DType.FLOAT32, "op.attribute"),
        ({}, DType.INT32, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(attributes: Any, dtype: DType, rule: str) -> None:
    image = of(1, 1, 9, 9, dtype=dtype)
    assert refusal("nn.correlation", image, image, **attributes).rule == rule


def test_images_of_other_rank_are_refused() -> None:
    assert refusal("nn.correlation", of(1, 9, 9), of(1, 9, 9)).rule == "op.rank"
