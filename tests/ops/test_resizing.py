"""Resizing against weights written out as matrices, in NumPy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.vision.scale_factors import decimal
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import converted, kept
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.ops.oracle import applications, array_of, compares, examples, judges, means, refusal

many = examples(100)
EPSILON = 1e-9


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


def places(extent: int, count: int, mode: str, start: float = 0.0, end: float = 1.0) -> Any:
    x, ratio = np.arange(count, dtype=float), extent / max(count, 1)
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return np.zeros(1) if mode[0] == "p" and count == 1 else (x + 0.5) * ratio - 0.5
    if mode == "align_corners":
        return x * (extent - 1) / max(count - 1, 1)
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) * ratio
    if mode == "asymmetric":
        return x * ratio
    if count == 1:
        return np.array([0.5 * (start + end) * (extent - 1)])
    return start * (extent - 1) + x * (end - start) * (extent - 1) / max(count - 1, 1)


def nearest(place: float, rounding: str, mode: str) -> int:
    rounded: dict[str, Any] = {
        "round": lambda: math.copysign(math.floor(abs(place) + 0.5 + EPSILON), place),
        "round_prefer_floor": lambda: math.ceil(place - 0.5 - EPSILON),
        "round_prefer_ceil": lambda: math.floor(place + 0.5 + EPSILON),
        "floor": lambda: math.floor(place + EPSILON),
        "ceil": lambda: math.ceil(place - EPSILON),
    }
    found = rounded[rounding or ("round" if mode == "align_corners" else "floor")]()
    return int(found)


def shares(t: float, method: str, alpha: float) -> list[tuple[int, float]]:
    """The weights of the cells around a place, by the piecewise definition of the kernel."""

    def cubic(far: float) -> float:
        if far <= 1:
            return (alpha + 2) * far**3 - (alpha + 3) * far**2 + 1
        return alpha * far**3 - 5 * alpha * far**2 + 8 * alpha * far - 4 * alpha if far < 2 else 0.0

    if method == "linear":
        return [(0, 1 - t), (1, t)]
    return [(i, cubic(abs(t - i))) for i in range(-1, 3)]


def matrix(extent: int, where: Any, method: str, rounding: str, mode: str, alpha: float, exclude: bool) -> Any:
    found = np.zeros((len(where), extent))
    for row, place in enumerate(where):
        if method == "nearest_neighbor":
            found[row, np.clip(nearest(place, rounding, mode), 0, extent - 1)] = 1
            continue
        first = math.floor(place + EPSILON)
        for i, share in shares(max(place - first, 0.0), method, alpha):
            if not exclude or method == "linear" or 0 <= first + i < extent:
                found[row, np.clip(first + i, 0, extent - 1)] += share
        if exclude and method == "cubic":
            found[row] /= found[row].sum() or math.nan
    return found


def along(x: Any, layout: str, matrices: dict[str, Any]) -> Any:
    for letter, weights in matrices.items():
        axis = layout.index(letter)
        x = np.moveaxis(np.tensordot(weights, x, (1, axis)), 0, axis)
    return x


def assert_close(found: Tensor, expected: Any, whole: bool) -> None:
    """The values rounded; truncated to an integer they may lie on either side of one."""
    assert found.shape == expected.shape
    ours = array_of(found)
    if whole:
        np.testing.assert_array_equal(ours, expected)
    elif found.dtype.is_float:
        unit = {DType.FLOAT16: 2e-3, DType.BFLOAT16: 0.016, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-12}[found.dtype]
        np.testing.assert_allclose(ours.astype(float), expected.astype(float), rtol=unit, atol=20 * unit)
    else:
        low, high = (converted(DType.FLOAT64, found.dtype, list((expected + s).ravel())) for s in (-1e-6, 1e-6))
        assert all(a in (b, c) for a, b, c in zip(found.elements, low, high, strict=True))


@pytest.mark.parametrize("name", ["image.resize1d", "image.resize2d", "image.resize3d"])
@many
@given(data=st.data())
@compares("image.resize1d", "image.resize2d", "image.resize3d")
def test_a_resize_is_a_product_of_weights(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    attributes = application.attributes
    x, layout, mode = application.arguments[0], attributes["layout"], attributes["coordinate_transformation_mode"]
    space, method = [letter for letter in "DHW" if letter in layout], attributes["method"]
    size, roi = attributes.get("size"), attributes.get("roi") or [0, 1] * len(space)
    size = size * len(space) if len(size) == 1 else size
    alpha, exclude = attributes.get("cubic_alpha", -0.5), bool(attributes.get("cubic_exclude", 0))
    matrices, outside = {}, np.zeros([1] * (len(space) + 2), dtype=bool)
    for i, letter in enumerate(space):
        extent = x.shape[layout.index(letter)]
        parts = (roi[i], roi[i + len(space)]) if mode == "tf_crop_and_resize" else (0, 1)
        where = places(extent, size[i], mode, *parts) if size[i] else np.zeros(0)
        matrices[letter] = matrix(extent, where, method, attributes["rounding_method"], mode, alpha, exclude)
        if mode == "tf_crop_and_resize":
            away = (where < -EPSILON) | (where > extent - 1 + EPSILON)
            outside = outside | away.reshape([-1 if each == letter else 1 for each in layout])
    target = DType(attributes.get("out_dtype", x.dtype))
    plain = array_of(x).astype(np.float64 if method != "nearest_neighbor" or x.dtype.is_float else object)
    expected = along(plain, layout, matrices if plain.dtype != object else _as_integers(matrices))
    if method == "nearest_neighbor":
        expected = np.array(list(converted(x.dtype, target, kept(x.dtype, list(expected.ravel()))))).reshape(
            found.shape
        )
    fill = converted(DType.FLOAT64, target, [attributes.get("extrapolation_value", 0.0)])[0]
    expected = np.where(outside, fill, expected)
    assert found.dtype is target
    assert_close(found, expected, method == "nearest_neighbor" and target.is_integer)


def _as_integers(matrices: dict[str, Any]) -> dict[str, Any]:
    return {letter: weights.astype(int).astype(object) for letter, weights in matrices.items()}


@many
@given(data=st.data())
@compares("dyn.image.resize2d")
def test_a_resize_by_values_is_the_resize_by_attributes(data: st.DataObject) -> None:
    application, found = applications("image.resize2d", data)
    attributes = dict(application.attributes)
    size, roi = Tensor(attributes.pop("size"), "int64"), Tensor(attributes.pop("roi", []), "float64")
    assert means("dyn.image.resize2d", *application.arguments, size, roi, size=[], roi=[], **attributes) == found


ENLARGED = ("nn.upsampling", "nn.upsampling3d", "dyn.nn.upsampling", "dyn.nn.upsampling3d")


@pytest.mark.parametrize("name", ENLARGED)
@many
@given(data=st.data())
@compares(*ENLARGED)
def test_upsampling_is_a_resize_to_the_rounded_product(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    attributes, x = application.attributes, application.arguments[0]
    layout = attributes["layout"]
    space = [letter for letter in "DHW" if letter in layout]
    scales = [attributes.get(f"scale_{letter.lower()}") for letter in space]
    if name.startswith("dyn"):
        scales = [round(part.item(), 3) for part in application.arguments[1:]]
    size = [math.floor(x.shape[layout.index(a)] * round(s * 10) / 10 + 0.5) for a, s in zip(space, scales, strict=True)]
    mode = attributes.get("coordinate_transformation_mode", "asymmetric")
    mode = "align_corners" if attributes.get("align_corners") else mode
    method = attributes["method"].removeprefix("bi").removeprefix("tri")
    same = {"layout": layout, "method": method, "coordinate_transformation_mode": mode, "rounding_method": ""}
    assert found == means(f"image.resize{len(space)}d", x, size=size, **same)


def test_a_factor_is_the_decimal_number_as_written() -> None:
    assert decimal(0.7) == Fraction(7, 10)
    assert decimal(Tensor(0.7).item(), DType.FLOAT32) == Fraction(7, 10)
    assert decimal(Tensor(1.1, "float16").item(), DType.FLOAT16) == Fraction(11, 10)
    assert decimal(2.0) == 2
    assert decimal(Tensor(0.7).item()) == Fraction(7, 10)
    assert decimal(1 / 3) == Fraction(repr(1 / 3))
    assert shape_of(judges("nn.upsampling", of("n", "c", "h", "w"), scale_h=2.0, scale_w=0.7)) == [
        "n",
        "c",
        "2 * h",
        "(7 * w + 5) // 10",
    ]


def test_sizes_are_owed_and_cells_to_read() -> None:
    judgement = judges("image.resize2d", of("n", "h", 5, "c"), size=[3, variable("m") - 1], layout="NHWC")
    assert shape_of(judgement) == ["n", "3", "m - 1", "c"]
    assert [goal for goal in goals(judgement) if goal[1] != "True"] == [
        ("op.resize.size", "m >= 1"),
        ("op.resize.source", "h >= 1"),
    ]


def test_resizing_to_the_same_extents_is_no_change_even_of_infinities() -> None:
    x = Tensor([[[1.0, math.inf, -math.inf, math.nan, 2.0]]])
    for method in ("nearest_neighbor", "linear", "cubic"):
        assert means("image.resize1d", x, size=[5], method=method) == x


def test_a_region_that_is_not_finite_lies_outside() -> None:
    region = Tensor([0.0, math.nan, 1.0, 1.0])
    attributes = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0}
    found = means("dyn.image.resize2d", Tensor([[[[1.0, 2.0]]]]), Tensor([1, 2], "int64"), region, **attributes)
    assert found.tolist() == [[[[7.0, 7.0]]]]


def test_the_region_of_a_value_has_starts_and_ends() -> None:
    given_ = (of("n", "c", "h", "w"), of(2, dtype=DType.INT64, contents=(constant(2), variable("m"))), of("k"))
    plain = judges("dyn.image.resize2d", *given_)
    assert shape_of(plain) == ["n", "c", "2", "m"]
    cropped = judges("dyn.image.resize2d", *given_, coordinate_transformation_mode="tf_crop_and_resize")
    assert goals(cropped)[-1] == ("op.dyn.image.resize2d.region", "k == 4")


def test_a_factor_of_a_value_is_positive() -> None:
    judgement = judges("dyn.nn.upsampling", of("n", "h", "w", "c"), of(), of(), layout="NHWC")
    assert [type(dim) is Hole for dim in judgement.result.shape] == [False, True, True, False]  # type: ignore[union-attr]
    with pytest.raises(TensorFault, match="positive number, not nan"):
        means("dyn.nn.upsampling", Tensor([[[[1.0]]]]), Tensor(math.nan), Tensor(2.0))
    with pytest.raises(TensorFault, match="elements are too many"):
        means("dyn.nn.upsampling", Tensor([[[[1.0]]]]), Tensor(1.0), Tensor(1e20))
    assert means("dyn.nn.upsampling", Tensor([[[[1.0]]]]), Tensor(2, "int32"), Tensor(2.0)).shape == (1, 1, 2, 2)


IMAGE = of(1, 2, 3, 5)


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("image.resize2d", (of(1, 2, 3),), {"size": [2, 2]}, "op.rank"),
        ("image.resize2d", (of(1, 2, 3, 5, dtype=DType.BOOL),), {"size": [2, 2]}, "op.dtype"),
        ("image.resize2d", (IMAGE,), {"size": [2, 2, 2]}, "op.attribute"),
        ("image.resize2d", (IMAGE,), {}, "op.attribute"),
        ("image.resize2d", (IMAGE,), {"size": [2, 2], "method": "bilinear"}, "op.attribute"),
        ("image.resize2d", (IMAGE,), {"size": [2, 2], "layout": "NCHH"}, "op.attribute"),
        ("image.resize2d", (IMAGE,), {"size": [2, 2], "rounding_method": "up"}, "op.attribute"),
        ("image.resize2d", (IMAGE,), {"size": [2, 2], "cubic_alpha": math.inf}, "op.attribute"),
        ("image.resize2d", (IMAGE,), {"size": [2], "coordinate_transformation_mode": "half"}, "op.attribute"),
        (
            "image.resize2d",
            (IMAGE,),
            {"size": [2], "coordinate_transformation_mode": "tf_crop_and_resize"},
            "op.attribute",
        ),
        ("nn.upsampling", (IMAGE,), {"scale_h": 0.0, "scale_w": 1.0}, "op.attribute"),
        ("nn.upsampling", (IMAGE,), {"scale_h": 2.0, "scale_w": 1.0, "method": "linear"}, "op.attribute"),
        ("dyn.nn.upsampling", (IMAGE, of(1), of()), {}, "op.rank"),
        ("dyn.nn.upsampling", (IMAGE, of(dtype=DType.BOOL), of()), {}, "op.dtype"),
        ("dyn.image.resize2d", (IMAGE, of(2, dtype=DType.FLOAT32), of(4)), {}, "op.dtype"),
        (
            "dyn.image.resize2d",
            (IMAGE, of(1, dtype=DType.INT64, contents=(constant(2),)), of(4, dtype=DType.INT64)),
            {},
            "op.dtype",
        ),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
