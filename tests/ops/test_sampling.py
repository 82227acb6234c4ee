"""Sampling against its definition, cell by cell, in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_same,
    compares,
    examples,
    judges,
    means,
    narrowed,
    numpy_type,
    refusal,
)
from tests.ops.test_resizing import goals, of, shape_of

many = examples(100)
I32 = DType.INT32


# ----------------------------------------------------------------------------------------------------- grid_sample
def reflected(place: float, extent: int, aligned: bool) -> float:
    """Walked back and forth between the ends."""
    low, high = (0.0, extent - 1.0) if aligned else (-0.5, extent - 0.5)
    if low == high:
        return low
    while not low <= place <= high:
        place = 2 * low - place if place < low else 2 * high - place
    return float(np.clip(place, 0, extent - 1))


def held(place: float, extent: int, padding: str, aligned: bool) -> float:
    if padding == "border":
        return float(np.clip(place, 0, extent - 1))
    return reflected(place, extent, aligned) if padding == "reflection" else place


def kernel(far: float, method: str) -> float:
    """The weight of a cell so far away."""
    a = -0.75
    if method == "bilinear":
        return max(1 - far, 0.0)
    if far <= 1:
        return (a + 2) * far**3 - (a + 3) * far**2 + 1
    return a * far**3 - 5 * a * far**2 + 8 * a * far - 4 * a if far < 2 else 0.0


def row_of(place: float, extent: int, method: str, padding: str, aligned: bool) -> Any:
    """The weight of each cell along an axis."""
    place = (place + 1) * (extent - 1) / 2 if aligned else ((place + 1) * extent - 1) / 2
    if method != "bicubic":
        place = held(place, extent, padding, aligned)
    found = np.zeros(extent)
    near = range(math.floor(place) - 1, math.floor(place) + 3) if method != "nearest" else [int(np.rint(place))]
    for cell in near:
        weight = 1.0 if method == "nearest" else kernel(abs(place - cell), method)
        at = int(np.floor(held(cell, extent, padding, aligned))) if method == "bicubic" else cell
        if 0 <= at < extent:
            found[at] += weight
    return found


@many
@given(data=st.data())
@compares("image.grid_sample")
def test_a_sample_is_a_sum_over_all_cells(data: st.DataObject) -> None:
    application, found = applications("image.grid_sample", data)
    x, grid = (array_of(part).astype(float) for part in application.arguments)
    options = application.attributes
    layout, space = options["layout"], "DHW"[-(x.ndim - 2) :]
    order = [layout.index(letter) for letter in "NC" + space]
    x = np.transpose(x, order)
    expected = np.zeros((*x.shape[:2], *grid.shape[2:]))
    settings_ = (options["method"], options["padding_mode"], options["align_corners"])
    for n, *spot in np.ndindex(grid.shape[0], *grid.shape[2:]):
        value = x[n]
        for axis, place in zip(range(x.ndim - 2, 0, -1), grid[(n, slice(None), *spot)], strict=True):
            value = np.tensordot(value, row_of(place, x.shape[axis + 1], *settings_), (axis, 0))
        expected[(n, slice(None), *spot)] = value
    ours = array_of(found).astype(float)
    unit = {DType.FLOAT16: 2e-3, DType.BFLOAT16: 0.016, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-12}[found.dtype]
    np.testing.assert_allclose(ours, np.transpose(expected, np.argsort(order)), rtol=unit, atol=10 * unit)


def test_places_that_are_no_number_or_far_away() -> None:
    x = Tensor([[[[1.0, 2.0]]]])

    def at(place: float, **attributes: Any) -> Any:
        return means("image.grid_sample", x, Tensor([[[[place]], [[0.0]]]]), **attributes).flat()[0]

    for method in ("bilinear", "nearest", "bicubic"):
        assert math.isnan(at(math.nan, method=method))
        assert at(1e30, method=method) == 0.0
    assert at(math.inf) == 0.0
    assert at(math.inf, padding_mode="border") == 2.0
    assert math.isnan(at(math.inf, padding_mode="reflection"))
    infinite = Tensor([[[[1.0, math.inf]]]])
    assert means("image.grid_sample", infinite, Tensor([[[[-1.0]], [[0.0]]]])).flat() == [1.0]


def test_a_grid_is_owed_for_each_image_and_cells_to_mirror() -> None:
    judgement = judges(
        "image.grid_sample", of("n", "h", "w", "c"), of("m", "k", "a", "b"), layout="NHWC", padding_mode="border"
    )
    assert shape_of(judgement) == ["n", "a", "b", "c"]
    assert goals(judgement) == [
        ("op.image.grid_sample.batch", "n == m"),
        ("op.image.grid_sample.axes", "k == 2"),
        ("op.image.grid_sample.source", "h >= 1"),
        ("op.image.grid_sample.source", "w >= 1"),
    ]


# ----------------------------------------------------------------------------------------------------- affine_grid
@many
@given(data=st.data())
@compares("image.affine_grid")
def test_an_affine_grid_maps_the_corners_and_all_between(data: st.DataObject) -> None:
    application, found = applications("image.affine_grid", data)
    height, width = application.attributes["target_shape"]
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    places = np.stack([x, y, np.ones_like(x)])
    expected = np.einsum("nij,jhw->nihw", array_of(application.arguments[0]).astype(float), places)
    ours = array_of(found).astype(float)
    unit = {DType.FLOAT16: 2e-3, DType.BFLOAT16: 0.016, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-12}[found.dtype]
    np.testing.assert_allclose(ours, expected, rtol=unit, atol=unit)


def test_a_matrix_is_owed_and_two_cells() -> None:
    judgement = judges("image.affine_grid", of("n", "i", "j"), target_shape=[of("h").shape[0], 3])
    assert shape_of(judgement) == ["n", "2", "h", "3"]
    assert [each for each in goals(judgement) if each[1] != "True"] == [
        ("op.image.affine_grid.matrix", "i == 2"),
        ("op.image.affine_grid.matrix", "j == 3"),
        ("op.image.affine_grid.size", "h >= 2"),
    ]


# ------------------------------------------------------------------------------------------------- crop_and_resize
@many
@given(data=st.data())
@compares("image.crop_and_resize")
def test_a_crop_is_a_resize_of_its_image_to_a_region(data: st.DataObject) -> None:
    application, found = applications("image.crop_and_resize", data, faults="E0603")
    attributes = dict(application.attributes)
    x, boxes, which = application.arguments
    layout, size = attributes["layout"], attributes.pop("crop_size")
    method = attributes.pop("method", "bilinear").removeprefix("bi")
    batch = layout.index("N")
    for box, image in enumerate(which.elements):
        one = Tensor(np.take(array_of(x), [image], batch), x.dtype)
        options = {"size": size, "roi": boxes.flat()[4 * box :][:4], "method": method, **attributes}
        crop = means("image.resize2d", one, coordinate_transformation_mode="tf_crop_and_resize", **options)
        same = np.take(np.array(found.flat()).reshape(found.shape), [box], batch)
        np.testing.assert_array_equal(same, np.array(crop.flat()).reshape(crop.shape))


def test_an_image_that_is_not_there_is_a_fault() -> None:
    image, box = Tensor([[[[1.0]]]]), Tensor([[0.0, 0.0, 1.0, 1.0]])
    for index in (-1, 1):
        with pytest.raises(TensorFault, match=f"image {index} is out of bounds"):
            means("image.crop_and_resize", image, box, Tensor([index], "int32"), crop_size=[1, 1])
    judgement = judges("image.crop_and_resize", of("n", "c", "h", "w"), of("b", "k"), of("m", dtype=I32), crop_size=[2])
    assert shape_of(judgement) == ["b", "c", "2", "2"]
    assert [each for each in goals(judgement) if each[1] != "True"] == [
        ("op.image.crop_and_resize.box", "k == 4"),
        ("op.image.crop_and_resize.boxes", "b == m"),
        ("op.resize.source", "h >= 1"),
        ("op.resize.source", "w >= 1"),
    ]


# ------------------------------------------------------------------------------------------------------ dilation2d
def both(values: list[int]) -> list[int]:
    return values * 2 if len(values) == 1 else values


@many
@given(data=st.data())
@compares("image.dilation2d")
def test_a_dilation_is_the_greatest_sum(data: st.DataObject) -> None:
    application, found = applications("image.dilation2d", data)
    options = application.attributes
    layout, own = options["data_layout"], options["kernel_layout"]
    dtype = DType(options.get("out_dtype", found.dtype))
    x, w = (narrowed(dtype, array_of(part)) for part in application.arguments)
    x = np.transpose(x, [layout.index(letter) for letter in "NCHW"])
    w = np.transpose(w, [own.index(letter) for letter in "IHW"])
    (step_y, step_x), (far_y, far_x) = both(options["strides"]), both(options["dilations"])
    pads = both(options["padding"])
    top, left, bottom, right = pads if len(pads) == 4 else pads * 2
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    shape = tuple(found.shape[layout.index(letter)] for letter in "NCHW")
    expected = np.zeros(shape, dtype=numpy_type(dtype))
    with np.errstate(all="ignore"):
        for n, c, i, j in np.ndindex(*shape):
            rows = x[n, c, i * step_y :: far_y, j * step_x :: far_x][: w.shape[1], : w.shape[2]]
            expected[n, c, i, j] = (rows + w[c]).max()
    assert_same(found, np.transpose(expected, ["NCHW".index(letter) for letter in layout]))


def test_a_kernel_is_owed_for_each_channel() -> None:
    judgement = judges("image.dilation2d", of("n", "h", "w", "c"), of("i", 2, "k"), data_layout="NHWC", padding=[1])
    assert shape_of(judgement) == ["n", "h + 1", "w + 3 - k", "c"]
    assert [each for each in goals(judgement) if each[1] != "True"] == [
        ("op.image.dilation2d.channels", "c == i"),
        ("op.image.dilation2d.kernel", "k >= 1"),
        ("op.window.fits", "h >= 0"),
        ("op.window.fits", "k <= w + 2"),
    ]


IMAGE = of(1, 2, 3, 5)


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("image.grid_sample", (of(1, 2, 3), of(1, 1, 3)), {}, "op.rank"),
        ("image.grid_sample", (IMAGE, of(1, 2, 3)), {}, "op.rank"),
        ("image.grid_sample", (IMAGE, of(1, 2, 3, 3, dtype=DType.FLOAT64)), {}, "op.dtype"),
        ("image.grid_sample", (of(1, 2, 3, 3, dtype=I32), IMAGE), {}, "op.dtype"),
        ("image.grid_sample", (IMAGE, IMAGE), {"method": "linear"}, "op.attribute"),
        ("image.grid_sample", (IMAGE, IMAGE), {"padding_mode": "edge"}, "op.attribute"),
        (
            "image.grid_sample",
            (of(1, 2, 3, 5, 1), of(1, 3, 1, 1, 1)),
            {"layout": "NCDHW", "method": "bicubic"},
            "op.attribute",
        ),
        ("image.affine_grid", (of(2, 3),), {"target_shape": [2, 2]}, "op.rank"),
        ("image.affine_grid", (of(1, 2, 3),), {"target_shape": [2]}, "op.attribute"),
        ("image.affine_grid", (of(1, 2, 3, dtype=I32),), {"target_shape": [2, 2]}, "op.dtype"),
        ("image.crop_and_resize", (IMAGE, of(1, 4), of(1)), {"crop_size": [2, 2]}, "op.dtype"),
        ("image.crop_and_resize", (IMAGE, of(4), of(1, dtype=I32)), {"crop_size": [2, 2]}, "op.rank"),
        (
            "image.crop_and_resize",
            (IMAGE, of(1, 4), of(1, dtype=I32)),
            {"crop_size": [2, 2], "method": "cubic"},
            "op.attribute",
        ),
        ("image.dilation2d", (IMAGE, of(2, 1, 1, 1)), {}, "op.rank"),
        ("image.dilation2d", (IMAGE, of(2, 1, 1, dtype=I32)), {}, "op.dtype"),
        ("image.dilation2d", (IMAGE, of(2, 1, 1)), {"kernel_layout": "OHW"}, "op.attribute"),
        ("image.dilation2d", (IMAGE, of(2, 1, 1)), {"strides": [0]}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
