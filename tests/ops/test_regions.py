"""Regions against plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_exactly,
    assert_nearly,
    compares,
    examples,
    judges,
    means,
    narrowed,
    refusal,
)

many = examples(100)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def planes(application: Any) -> Any:
    """The data in binary64 as batch, channels, height, width."""
    x = array_of(application.arguments[0]).astype(float)
    return x if application.attributes["layout"] == "NCHW" else x.transpose(0, 3, 1, 2)


def laid(found: Any, application: Any) -> Any:
    """A result in the layout and type of the data."""
    moved = found if application.attributes["layout"] == "NCHW" else found.transpose(0, 2, 3, 1)
    return narrowed(application.arguments[0].dtype, moved)


def sampled(plane: Any, y: float, x: float) -> Any:
    """A sample as a product of hat functions over all cells."""
    height, width = plane.shape[-2:]
    if height == 0 or width == 0 or y < -1 or x < -1 or y > height or x > width:
        return np.zeros(plane.shape[:-2])
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    down, across = (np.clip(1 - np.abs(np.arange(n) - at), 0, None) for n, at in ((height, y), (width, x)))
    return np.einsum("...ij,i,j->...", plane, down, across)


@many
@given(data=st.data())
@compares("vision.roi_align")
def test_roi_align_samples_each_part(data: st.DataObject) -> None:
    application, found = applications("vision.roi_align", data)
    x, rois, attributes = planes(application), array_of(application.arguments[1]).astype(float), application.attributes
    rows, columns = (attributes["pooled_size"] * 2)[:2]
    wanted = np.zeros((len(rois), x.shape[1], rows, columns))
    for region, (number, *corners) in enumerate(rois):
        left, top, right, bottom = np.array(corners) * attributes["spatial_scale"]
        high, wide = max(bottom - top, 1) / rows, max(right - left, 1) / columns
        tall, broad = (
            attributes["sample_ratio"] if attributes["sample_ratio"] > 0 else math.ceil(n) for n in (high, wide)
        )
        for i, j in np.ndindex(rows, columns):
            grid = [
                sampled(
                    x[int(number)], top + i * high + (a + 0.5) * high / tall, left + j * wide + (b + 0.5) * wide / broad
                )
                for a, b in np.ndindex(tall, broad)
            ]
            fold = np.mean if attributes["mode"] == "avg" else np.max
            wanted[region, :, i, j] = fold(grid, axis=0) if x.shape[1] else 0
    assert_nearly(found, laid(wanted, application))


@many
@given(data=st.data())
@compares("vision.roi_pool")
def test_roi_pool_takes_the_greatest_cell_of_each_part(data: st.DataObject) -> None:
    application, found = applications("vision.roi_pool", data)
    x, rois, attributes = planes(application), array_of(application.arguments[1]).astype(float), application.attributes
    rows, columns = (attributes["pooled_size"] * 2)[:2]
    wanted = np.zeros((len(rois), x.shape[1], rows, columns))
    for region, (number, *corners) in enumerate(rois):
        scaled = np.array(corners) * attributes["spatial_scale"]
        left, top, right, bottom = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(int)
        for i, j in np.ndindex(rows, columns):
            held = [
                [cell for cell in range(extent) if inside(cell, low, high, part, parts)]
                for extent, low, high, part, parts in (
                    (x.shape[2], top, bottom, i, rows),
                    (x.shape[3], left, right, j, columns),
                )
            ]
            if all(held):
                wanted[region, :, i, j] = x[int(number)][:, held[0]][:, :, held[1]].max(axis=(1, 2))
    assert_exactly(found, laid(wanted, application))


def inside(cell: int, low: int, high: int, part: int, parts: int) -> bool:
    """Whether the cell, an interval of length 1, meets a part of the region."""
    length = max(high - low + 1, 1)
    return (cell - low) * parts < (part + 1) * length and (cell - low + 1) * parts > part * length


@many
@given(data=st.data())
@compares("vision.yolo_reorg")
def test_yolo_reorg_is_space_to_depth_of_fewer_channels(data: st.DataObject) -> None:
    application, found = applications("vision.yolo_reorg", data)
    x, s = array_of(application.arguments[0]), application.attributes["stride"]
    n, c, h, w = x.shape
    blocks = x.reshape(n, c // (s * s), h, s, w, s).transpose(0, 3, 5, 1, 2, 4)
    assert_exactly(found, blocks.reshape(n, c * s * s, h // s, w // s))


@pytest.mark.parametrize("name", ["vision.roi_align", "vision.roi_pool"])
def test_a_region_has_to_be_of_a_sample_and_finite(name: str) -> None:
    data, attributes = Tensor([[[[1.0]]]]), {"pooled_size": [1], "spatial_scale": 1.0}
    with pytest.raises(TensorFault, match="index 1 is out of bounds for an axis of size 1"):
        means(name, data, Tensor([[1.0, 0.0, 0.0, 1.0, 1.0]]), **attributes)
    for odd in (math.nan, math.inf):
        with pytest.raises(TensorFault, match="infinite or NaN"):
            means(name, data, Tensor([[0.0, 0.0, odd, 1.0, 1.0]]), **attributes)


def test_a_region_beyond_all_measure_is_a_fault() -> None:
    with pytest.raises(TensorFault, match="more than 4096 samples"):
        means(
            "vision.roi_align",
            Tensor([[[[1.0]]]]),
            Tensor([[0.0, 0.0, 0.0, 9e9, 1.0]]),
            pooled_size=1,
            spatial_scale=1.0,
        )


def test_a_cell_without_weight_is_not_read() -> None:
    data = Tensor([[[[1.0, math.inf]]]])
    found = means("vision.roi_align", data, Tensor([[0.0, -0.5, 0.0, 0.5, 1.0]]), pooled_size=1, spatial_scale=1.0)
    assert found == Tensor([[[[1.0]]]])


def test_sizes_are_exact_and_owed() -> None:
    align = judges(
        "vision.roi_align", of("n", "c", "h", "w"), of("r", "k"), pooled_size=variable("p"), spatial_scale=1.0
    )
    assert align.result == of("r", "c", "p", "p")
    assert [(need.rule, str(need.goal)) for need in align.needs] == [
        ("op.regions.columns", "k == 5"),
        ("op.window.positive", "p >= 1"),
    ]
    reorg = judges("vision.yolo_reorg", of(1, 8, "h", 4), stride=2)
    assert list(map(str, reorg.result.shape)) == ["1", "32", "h // 2", "2"]  # type: ignore[union-attr]
    assert [str(need.goal) for need in reorg.needs] == ["True", "h % 2 == 0", "True"]


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("vision.roi_align", (of(1, 2, 3), of(1, 5)), {}, "op.rank"),
        ("vision.roi_align", (of(1, 2, 3, 4, dtype=DType.INT32), of(1, 5)), {}, "op.dtype"),
        ("vision.roi_align", (of(1, 2, 3, 4), of(1, 5)), {"mode": "sum"}, "op.attribute"),
        ("vision.roi_align", (of(1, 2, 3, 4), of(1, 5)), {"sample_ratio": 5000}, "op.attribute"),
        ("vision.roi_pool", (of(1, 2, 3, 4), of(1, 5)), {"layout": "NCWX"}, "op.attribute"),
        ("vision.roi_pool", (of(1, 2, 3, 4), of(1, 5)), {"pooled_size": 0}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    wanted = {"pooled_size": [1], "spatial_scale": 1.0} | attributes
    assert refusal(name, *arguments, **wanted).rule == rule
