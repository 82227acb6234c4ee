"""Resizing: tensors with other spatial extents, by `interpolation`."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from gradual.dims.term.constraint import any_of, at_least, equal
from gradual.dims.term.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.ops.declaration.dynamic_variant import elements_of
from gradual.ops.declaration.facts import Faults, StaticForm
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, Operator, operator
from gradual.ops.declaration.padding import Padding, images
from gradual.ops.declaration.shapes import ONE, ZERO, agreement, judged, not_negative, of_dtype, tensor
from gradual.ops.declaration.windows import SPATIAL, arranged, ordered, per_axis, places
from gradual.ops.vision.interpolation import COORDINATES, CROPPING, RESIZING, ROUNDINGS, Region, Scheme, resized
from gradual.ops.vision.scale_factors import decimal, factor_of, known_factor, read_factors, scaled
from gradual.tensors.fault import invalid_value
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from gradual.types.unpacking import tracked_length

METHODS = ("nearest_neighbor", "linear", "cubic")


def one_of(written: str, admitted: Collection[str], attribute: str) -> str:
    """The attribute in lower case; raises IllFormed if it is none of those admitted."""
    if written.lower() not in admitted:
        named = ", ".join(name for name in admitted if name)
        raise IllFormed("op.attribute", f'{attribute} has to be one of {named}, not "{written}"')
    return written.lower()


def image(data: TensorType[Dim], count: int, layout: str) -> tuple[TensorType[Dim], tuple[int, ...]]:
    """The argument as a tensor of numbers with `count` spatial axes, and the axes of batch, channels and space."""
    axes = places(layout, "NC" + SPATIAL[count], "layout")
    given = tensor(data, 0, rank=count + 2)
    of_dtype(given, 0, lambda dtype: dtype is not DType.BOOL, "a tensor of numbers")
    return given, axes


# ---------------------------------------------------------------------------------------------------------- resize
def _resize(
    data: Tensor, *, size: tuple[int, ...], roi: tuple[float, ...] | None, layout: str, method: str,
    coordinate_transformation_mode: str, rounding_method: str, cubic_alpha: float, cubic_exclude: int,
    extrapolation_value: float, out_dtype: DType | None,
) -> Tensor:  # fmt: skip
    count = data.rank - 2
    scheme = Scheme(method.lower(), coordinate_transformation_mode, rounding_method, cubic_alpha, bool(cubic_exclude))
    regions = _regions(roi, count) if coordinate_transformation_mode == CROPPING else None
    sizes = per_axis(size, count, "size")
    return resized(data, sizes, layout, scheme, regions, extrapolation_value, out_dtype)


def _regions(roi: Sequence[float] | None, count: int) -> list[Region]:
    """Start and end along each axis: all starts are written first."""
    held = tuple(roi or ())
    return list(zip(held[:count], held[count:], strict=True))


def _sized(
    count: int, data: TensorType[Dim], size: tuple[Dim, ...], layout: str, method: str, mode: str, rounding: str,
    out_dtype: DType | None,
) -> Judgement:  # fmt: skip
    """The judgement, with needs: sizes not negative, no axis grows from 0.   [op.resize.size] [op.resize.source]"""
    given, axes = image(data, count, layout)
    sizes = per_axis(size, count, "size")
    one_of(method, METHODS, "method")
    one_of(mode, COORDINATES, "coordinate_transformation_mode")
    one_of(rounding, ("", *ROUNDINGS), "rounding_method")
    says = "an axis of the input is empty, but not that of the result"
    sources = (
        Need(any_of(equal(wanted, ZERO), at_least(given.shape[axis], ONE)), "op.resize.source", says, ((0, axis),))
        for wanted, axis in zip(sizes, axes[2:], strict=True)
    )
    shape = arranged((given.shape[axes[0]], given.shape[axes[1]], *sizes), layout, "NC" + SPATIAL[count])
    needs = (*not_negative(sizes, "op.resize.size"), *sources)
    return judged(shape, out_dtype or given.dtype, needs)


def _finite(cubic_alpha: float) -> None:
    if not math.isfinite(cubic_alpha):
        raise IllFormed("op.attribute", f"cubic_alpha has to be a finite number, not {cubic_alpha}")


_RULES = f"""{RESIZING}
    Sizes are not negative [op.resize.size], and an empty axis of the data stays empty [op.resize.source].  `roi` has
    the starts and then the ends along each axis, and is only used in the mode tf_crop_and_resize, where elements with
    a coordinate c below 0 or above the size of the data less 1 are `extrapolation_value`."""


def _resize_operator(count: int) -> Operator:
    def judge(
        data: TensorType[Dim],
        *,
        size: tuple[Dim, ...],
        roi: tuple[float, ...] | None = None,
        layout: str = "NC" + SPATIAL[count],
        method: str = "linear",
        coordinate_transformation_mode: str = "half_pixel",
        rounding_method: str = "round",
        cubic_alpha: float = -0.5,
        cubic_exclude: int = 0,
        extrapolation_value: float = 0.0,
        out_dtype: DType | None = None,
    ) -> Judgement:
        mode = coordinate_transformation_mode
        _finite(cubic_alpha)
        if mode == CROPPING and len(roi or ()) != 2 * count:
            raise IllFormed("op.attribute", f"roi has to have {2 * count} elements, not {len(roi or ())}")
        return _sized(count, data, size, layout, method, mode, rounding_method, out_dtype)

    space = ", ".join(SPATIAL[count].lower())
    judge.__doc__ = f"""The image with other spatial extents.   t[n, c, {space}] -> t[n, c, ..size]\n\n{_RULES}"""
    return operator(
        f"image.resize{count}d", meaning=_resize, family="resizing", padding=Padding(images), onnx="Resize"
    )(judge)


RESIZES = tuple(map(_resize_operator, SPATIAL))


def _dyn_resize(data: Tensor, sizes: Tensor, region: Tensor, *, size: object, roi: object, **attributes: Any) -> Tensor:
    wanted, parts = tuple(sizes.elements), tuple(map(float, region.elements))
    return _resize(data, size=wanted, roi=parts, **attributes)


def _read_sizes(types: Sequence[Any], values: Sequence[Any], attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """The sizes, if they are known, and the region, if it is a literal or is not used in this mode."""
    wanted, region = types[0], values[1]
    if not isinstance(wanted, TensorType) or tracked_length(wanted, 2, read=True) != 2 or wanted.contents is None:
        return None
    if attributes["coordinate_transformation_mode"] != CROPPING:
        return {"size": wanted.contents, "roi": None}
    return {"size": wanted.contents, "roi": tuple(map(float, region.elements))} if isinstance(region, Tensor) else None


@operator(
    "dyn.image.resize2d",
    meaning=_dyn_resize,
    family="resizing",
    reads=(1,),
    onnx="Resize",
    static_form=StaticForm((1, 2), _read_sizes),
)
def dyn_resize2d(
    data: TensorType[Dim],
    sizes: TensorType[Dim],
    region: TensorType[Dim],
    *,
    size: object = None,
    roi: object = None,
    layout: str = "NCHW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "round",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: DType | None = None,
) -> Judgement:
    """`image.resize2d` with size and region taken from values.   t[n, c, h, w], int[2], u[4] -> t[n, c, ..sizes]

        out = image.resize2d(data, size=sizes, roi=region)

    The two elements of `sizes` are the height and the width of the result [op.dyn.twin], none of them negative
    [op.resize.size]; an empty axis of the data stays empty [op.resize.source].  The region is only used where the mode
    is tf_crop_and_resize, and then has four elements, two starts and two ends [op.dyn.image.resize2d.region].
    """
    wanted = elements_of(sizes, 1)
    held = tensor(region, 2, rank=1)
    of_dtype(held, 2, lambda dtype: dtype.is_float, "a tensor of floats")
    _finite(cubic_alpha)
    plain = _sized(2, data, wanted, layout, method, coordinate_transformation_mode, rounding_method, out_dtype)
    if coordinate_transformation_mode != CROPPING:
        return plain
    says = "the region does not have two starts and two ends"
    need = agreement(held.shape[0], constant(4), "op.dyn.image.resize2d.region", says, (2, 0))
    return Judgement(plain.result, (*plain.needs, need))


# ------------------------------------------------------------------------------------------------------ upsampling
_NAMED = {2: ("bilinear", "bicubic"), 3: ("trilinear", "tricubic")}


def _method(written: str, count: int) -> str:
    """The method along one axis that an upsampling method uses, such as linear for trilinear."""
    named = {"nearest_neighbor": "nearest_neighbor"} | dict(zip(_NAMED[count], METHODS[1:], strict=True))
    return named[one_of(written, named, "method")]


def _upsampled(data: Tensor, scales: Sequence[Fraction], layout: str, scheme: Scheme) -> Tensor:
    batch, channels, *extents = ordered(data.shape, layout, "NC" + SPATIAL[data.rank - 2])
    sizes = [scaled(*each) for each in zip(extents, scales, strict=True)]
    if numel((batch, channels, *sizes)) > LIMITS.elements:
        raise invalid_value(f"{numel((batch, channels, *sizes))} elements are too many")
    return resized(data, sizes, layout, scheme)


def _aligned(align_corners: bool) -> str:
    return "align_corners" if align_corners else "asymmetric"


def _upsampling(
    data: Tensor, *, scale_h: float, scale_w: float, layout: str, method: str, align_corners: bool
) -> Tensor:
    scheme = Scheme(_method(method, 2), _aligned(align_corners))
    return _upsampled(data, [decimal(scale_h), decimal(scale_w)], layout, scheme)


def _upsampling3d(
    data: Tensor, *, scale_d: float, scale_h: float, scale_w: float, layout: str, method: str,
    coordinate_transformation_mode: str,
) -> Tensor:  # fmt: skip
    scheme = Scheme(_method(method, 3), coordinate_transformation_mode)
    return _upsampled(data, list(map(decimal, (scale_d, scale_h, scale_w))), layout, scheme)


def _enlarged(data: TensorType[Dim], scales: dict[str, float], layout: str, method: str, mode: str) -> Judgement:
    for name, scale in scales.items():
        if not 0.0 < scale < math.inf:
            raise IllFormed("op.attribute", f"{name} has to be a positive number, not {scale}")
    given, axes = _enlargeable(data, len(scales), layout, method, mode)
    extents = [given.shape[axis] for axis in axes]
    extents[2:] = [scaled(extent, decimal(scale)) for extent, scale in zip(extents[2:], scales.values(), strict=True)]
    return judged(arranged(extents, layout, "NC" + SPATIAL[len(scales)]), given.dtype)


def _enlargeable(
    data: TensorType[Dim], count: int, layout: str, method: str, mode: str
) -> tuple[TensorType[Dim], tuple[int, ...]]:
    _method(method, count)
    one_of(mode, [each for each in COORDINATES if each != CROPPING], "coordinate_transformation_mode")
    return image(data, count, layout)


@operator(
    "nn.upsampling",
    meaning=_upsampling,
    family="resizing",
    faults=Faults.OTHERWISE,
    padding=Padding(images),
    onnx="Upsample",
)
def upsampling(
    data: TensorType[Dim],
    *,
    scale_h: float,
    scale_w: float,
    layout: str = "NCHW",
    method: str = "nearest_neighbor",
    align_corners: bool = False,
) -> Judgement:
    """The image enlarged by factors.   t[n, c, h, w] -> t[n, c, round(h * scale_h), round(w * scale_w)]

        out = image.resize2d(data, size=[round(h * scale_h), round(w * scale_w)])

    with the method "linear" for "bilinear" and "cubic" for "bicubic", the coordinates "align_corners" with
    `align_corners` and else "asymmetric", and an empty rounding method.  A factor is taken as the shortest decimal
    number that rounds to it, in float32 if float32 has the value.  Sizes are rounded to the nearest integer, halves
    up.
    """
    return _enlarged(data, {"scale_h": scale_h, "scale_w": scale_w}, layout, method, _aligned(align_corners))


@operator(
    "nn.upsampling3d",
    meaning=_upsampling3d,
    family="resizing",
    faults=Faults.OTHERWISE,
    padding=Padding(images),
    onnx="Upsample",
)
def upsampling3d(
    data: TensorType[Dim],
    *,
    scale_d: float,
    scale_h: float,
    scale_w: float,
    layout: str = "NCDHW",
    method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "half_pixel",
) -> Judgement:
    """The volume enlarged by factors.   t[n, c, d, h, w] -> t[n, c, round(d * scale_d), ..]

        out = image.resize3d(data, size=[round(d * scale_d), round(h * scale_h), round(w * scale_w)])

    with the method "linear" for "trilinear" and "cubic" for "tricubic", the same `coordinate_transformation_mode`, and
    an empty rounding method.  A factor is taken as the shortest decimal number that rounds to it, in float32 if
    float32 has the value.  Sizes are rounded to the nearest integer, halves up.
    """
    scales = {"scale_d": scale_d, "scale_h": scale_h, "scale_w": scale_w}
    return _enlarged(data, scales, layout, method, coordinate_transformation_mode)


def _dyn_upsampling(
    data: Tensor, height: Tensor, width: Tensor, *, scale_h: object, scale_w: object, layout: str, method: str,
    align_corners: bool,
) -> Tensor:  # fmt: skip
    scheme = Scheme(_method(method, 2), _aligned(align_corners))
    return _upsampled(data, list(map(factor_of, (height, width))), layout, scheme)


def _dyn_upsampling3d(
    data: Tensor, depth: Tensor, height: Tensor, width: Tensor, *, scale_d: object, scale_h: object, scale_w: object,
    layout: str, method: str, coordinate_transformation_mode: str,
) -> Tensor:  # fmt: skip
    scheme = Scheme(_method(method, 3), coordinate_transformation_mode)
    return _upsampled(data, list(map(factor_of, (depth, height, width))), layout, scheme)


def _enlarged_by(
    data: TensorType[Dim], factors: list[TensorType[Dim]], layout: str, method: str, mode: str
) -> Judgement:
    given, axes = _enlargeable(data, len(factors), layout, method, mode)
    for operand, factor in enumerate(factors, 1):
        of_dtype(tensor(factor, operand, rank=0), operand, lambda dtype: dtype is not DType.BOOL, "a number")
    extents: list[Dim | Hole] = [given.shape[axis] for axis in axes]
    for operand, factor in enumerate(factors, 1):
        known = known_factor(factor, operand)
        extents[operand + 1] = Hole(ZERO) if known is None else scaled(given.shape[axes[operand + 1]], known)
    return judged(arranged(extents, layout, "NC" + SPATIAL[len(factors)]), given.dtype)


@operator(
    "dyn.nn.upsampling",
    meaning=_dyn_upsampling,
    family="resizing",
    data_dependent=True,
    faults=Faults.OTHERWISE,
    onnx="Upsample",
    static_form=StaticForm((1, 2), partial(read_factors, ("scale_h", "scale_w"))),
)
def dyn_upsampling(
    data: TensorType[Dim],
    height: TensorType[Dim],
    width: TensorType[Dim],
    *,
    scale_h: object = None,
    scale_w: object = None,
    layout: str = "NCHW",
    method: str = "nearest_neighbor",
    align_corners: bool = False,
) -> Judgement:
    """`nn.upsampling` with the factors taken from values.   t[n, c, h, w], u[], v[] -> t[n, c, ?, ?]

        out = nn.upsampling(data, scale_h=height, scale_w=width)

    A factor is taken as the shortest decimal number that rounds to it in its type, or in float32 if it is a float64
    that float32 has too; a factor that is not positive is a fault. A constant factor is treated as the attribute of
    `nn.upsampling`.
    """
    return _enlarged_by(data, [height, width], layout, method, _aligned(align_corners))


@operator(
    "dyn.nn.upsampling3d",
    meaning=_dyn_upsampling3d,
    family="resizing",
    data_dependent=True,
    faults=Faults.OTHERWISE,
    onnx="Upsample",
    static_form=StaticForm((1, 2, 3), partial(read_factors, ("scale_d", "scale_h", "scale_w"))),
)
def dyn_upsampling3d(
    data: TensorType[Dim],
    depth: TensorType[Dim],
    height: TensorType[Dim],
    width: TensorType[Dim],
    *,
    scale_d: object = None,
    scale_h: object = None,
    scale_w: object = None,
    layout: str = "NCDHW",
    method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "half_pixel",
) -> Judgement:
    """`nn.upsampling3d` with the factors taken from values.   t[n, c, d, h, w], u[], v[], w[] -> t[n, c, ?, ?, ?]

        out = nn.upsampling3d(data, scale_d=depth, scale_h=height, scale_w=width)

    A factor is taken as the shortest decimal number that rounds to it in its type, or in float32 if it is a float64
    that float32 has too; a factor that is not positive is a fault. A constant factor is treated as the attribute of
    `nn.upsampling3d`.
    """
    return _enlarged_by(data, [depth, height, width], layout, method, coordinate_transformation_mode)
