"""Elementwise operators that need more than a row of the table: casts, `where`, and those with attributes."""

from __future__ import annotations

from typing import Any

from gradual.dims.term.dim import Dim
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.element_ranges import Operands, Range, Ranges, recast
from gradual.ops.declaration.facts import Faults, by_type
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, operator
from gradual.ops.declaration.padding import POINTWISE
from gradual.ops.declaration.shapes import agreement, axes_of, broadcast, judged, of_dtype, same_dtype, tensor
from gradual.ops.elementwise import ranges
from gradual.tensors.arrays.elements import computable, stored
from gradual.tensors.arrays.elements import converted as array_converted
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.numpy_library import numpy
from gradual.tensors.bits import reinterpreted
from gradual.tensors.fault import invalid_value
from gradual.tensors.index import broadcast_shape, offsets, spread, strides
from gradual.tensors.scalar import converted, kept, rounded
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType


def _cast(x: Tensor, *, dtype: DType) -> Tensor:
    return tensor_of(x.shape, dtype, converted(x.dtype, dtype, x.elements))


def _fast_cast(x: Tensor, *, dtype: DType) -> Tensor | None:
    if x.dtype.bits == 64 and x.dtype.is_integer and dtype is DType.BFLOAT16:  # rounded twice by way of binary64
        return None
    found = array_converted(x.dtype, dtype, computable(x.elements, x.dtype, x.shape))
    return tensor_of(x.shape, dtype, kept_array(dtype, found))


def _cast_contents(x: TensorType[Dim], *, dtype: DType) -> Contents:
    return known.pointwise(lambda part: known.cast(part, dtype), dtype, x)


def _cast_ranges(given: Operands) -> Ranges:
    return recast(given.ranges[0], tensor(given.types[0], 0).dtype, given.attributes["dtype"])


@operator(
    "cast",
    meaning=_cast,
    family="elementwise",
    contents=_cast_contents,
    ranges=_cast_ranges,
    padding=POINTWISE,
    identity=by_type,
    onnx="Cast",
    fast=_fast_cast,
)
def cast(x: TensorType[Dim], *, dtype: DType) -> Judgement:
    """The elements in another type.   t[..a] -> u[..a]

        out[i] = x[i] in the type dtype

    A float becomes an integer by truncation toward zero and saturates; NaN becomes 0.  An integer becomes another type
    of integer by wrapping, and a float by rounding once.  Anything becomes a bool by `!= 0`.
    """
    return judged(tensor(x, 0).shape, dtype)


def _cast_like(x: Tensor, like: Tensor) -> Tensor:
    return _cast(x, dtype=like.dtype)


def _cast_like_contents(x: TensorType[Dim], like: TensorType[Dim]) -> Contents:
    return _cast_contents(x, dtype=like.dtype)


def _cast_like_ranges(given: Operands) -> Ranges:
    return recast(given.ranges[0], tensor(given.types[0], 0).dtype, tensor(given.types[1], 1).dtype)


@operator(
    "cast_like",
    meaning=_cast_like,
    family="elementwise",
    contents=_cast_like_contents,
    ranges=_cast_like_ranges,
    padding=POINTWISE,
    identity=by_type,
    onnx="CastLike",
)
def cast_like(x: TensorType[Dim], like: TensorType[Dim]) -> Judgement:
    """The elements in the type of another tensor, as `cast`.   t[..a], u[..b] -> u[..a]

    out[i] = x[i] in the type of like
    """
    return judged(tensor(x, 0).shape, tensor(like, 1).dtype)


def _reinterpret(x: Tensor, *, dtype: DType) -> Tensor:
    return tensor_of(x.shape, dtype, reinterpreted(x.dtype, dtype, x.elements))


@operator("reinterpret", meaning=_reinterpret, family="elementwise", padding=POINTWISE)
def reinterpret(x: TensorType[Dim], *, dtype: DType) -> Judgement:
    """The bits of the elements as another type of the same width, except bool.   t[..a] -> u[..a]

    out[i] = the element of type dtype that has the bits of x[i];  if x[i] is NaN, the bits of any NaN
    """
    given = tensor(x, 0)
    if given.dtype is not dtype and (given.dtype.bits != dtype.bits or DType.BOOL in (given.dtype, dtype)):
        raise IllFormed("op.dtype", f"{given.dtype} cannot be reinterpreted as {dtype}", 0)
    return judged(given.shape, dtype)


def _where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    shape = broadcast_shape(condition.shape, x.shape, y.shape)
    tests, left, right = (spread(part.elements, part.shape, shape) for part in (condition, x, y))
    return tensor_of(shape, x.dtype, kept(x.dtype, [a if c else b for c, a, b in zip(tests, left, right, strict=True)]))


def _fast_where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    test, left, right = (stored(part.elements, part.dtype, part.shape) for part in (condition, x, y))
    found = numpy().where(test != 0, left, right)
    return tensor_of(found.shape, x.dtype, kept_array(x.dtype, found))


def _where_contents(condition: TensorType[Dim], x: TensorType[Dim], y: TensorType[Dim]) -> Contents:
    return known.pointwise(known.chosen, x.dtype, condition, x, y)


@operator(
    "where",
    meaning=_where,
    family="elementwise",
    contents=_where_contents,
    ranges=ranges.chosen,
    alike=(1, 2),
    padding=POINTWISE,
    onnx="Where",
    fast=_fast_where,
)
def where(condition: TensorType[Dim], x: TensorType[Dim], y: TensorType[Dim]) -> Judgement:
    """The element of x where the condition holds or is not 0, elsewhere of y; all three broadcast together.

    c[..a], t[..b], t[..c] -> t[..broadcast(a, b, c)]   [op.broadcast.agree]

        out[i] = x[i] if condition[i] != 0 else y[i]
    """
    test, left, right = tensor(condition, 0), tensor(x, 1), tensor(y, 2)
    dtype = same_dtype(left, left, right)
    shape, needs = broadcast((test.shape, left.shape, right.shape))
    return judged(shape, dtype, needs)


def _bounds(dtype: DType, a_min: float, a_max: float) -> tuple[Any, Any]:
    """The bounds in the element type."""
    low, high = converted(DType.FLOAT64, dtype, kept(DType.FLOAT64, (a_min, a_max)))
    return low, high


def _clip(x: Tensor, *, a_min: float, a_max: float) -> Tensor:
    low, high = _bounds(x.dtype, a_min, a_max)
    found = [low if part < low else high if part > high else part for part in x.elements]
    return tensor_of(x.shape, x.dtype, kept(x.dtype, found))


def _fast_clip(x: Tensor, *, a_min: float, a_max: float) -> Tensor:
    given = stored(x.elements, x.dtype, x.shape)
    low, high = map(given.dtype.type, _bounds(x.dtype, a_min, a_max))
    found = numpy().where(given < low, low, numpy().where(given > high, high, given))
    return tensor_of(x.shape, x.dtype, kept_array(x.dtype, found))


def _clip_contents(x: TensorType[Dim], *, a_min: float, a_max: float) -> Contents:
    low, high = _bounds(x.dtype, a_min, a_max)
    return known.pointwise(lambda part: known.clipped(part, low, high), x.dtype, x)


def _clip_ranges(given: Operands) -> Ranges:
    dtype, known, limits = tensor(given.types[0], 0).dtype, given.ranges[0], given.attributes
    if not dtype.is_integer:
        return None
    low, high = _bounds(dtype, limits["a_min"], limits["a_max"])
    return ranges.clipped(known if isinstance(known, Range) else None, low, high)


@operator(
    "clip",
    meaning=_clip,
    family="elementwise",
    contents=_clip_contents,
    ranges=_clip_ranges,
    padding=POINTWISE,
    onnx="Clip",
    fast=_fast_clip,
)
def clip(x: TensorType[Dim], *, a_min: float, a_max: float) -> Judgement:
    """Each element limited to the range from a_min to a_max.   t[..a] -> t[..a]

        out[i] = a_min if x[i] < a_min else a_max if x[i] > a_max else x[i]

    The bounds are converted to the element type as `cast` does, and NaN stays.
    """
    given = tensor(x, 0)
    of_dtype(given, 0, lambda dtype: dtype is not DType.BOOL, "integers or floats")
    if not a_min <= a_max:
        raise IllFormed("op.attribute", f"a_min is {a_min}, which is greater than a_max, {a_max}")
    return judged(given.shape, given.dtype)


def _leaky_relu(x: Tensor, *, alpha: float) -> Tensor:
    slope = rounded(x.dtype, alpha)
    return tensor_of(x.shape, x.dtype, kept(x.dtype, [part if part > 0 else part * slope for part in x.elements]))


def _fast_leaky_relu(x: Tensor, *, alpha: float) -> Tensor:
    given = computable(x.elements, x.dtype, x.shape)
    found = numpy().where(given > 0.0, given, given * rounded(x.dtype, alpha))
    return tensor_of(x.shape, x.dtype, kept_array(x.dtype, found))


@operator(
    "nn.leaky_relu",
    meaning=_leaky_relu,
    family="elementwise",
    padding=POINTWISE,
    onnx="LeakyRelu",
    fast=_fast_leaky_relu,
)
def leaky_relu(x: TensorType[Dim], *, alpha: float = 0.25) -> Judgement:
    """Elements above 0, and alpha times the others; alpha is first rounded to the type.   t[..a] -> t[..a]

    out[i] = x[i] if x[i] > 0 else x[i] * alpha
    """
    given = tensor(x, 0)
    of_dtype(given, 0, lambda dtype: dtype.is_float, "floats")
    return judged(given.shape, given.dtype)


def _fixed_point_multiply(x: Tensor, *, multiplier: int, shift: int) -> Tensor:
    down = 31 - shift
    if down <= 0:
        return tensor_of(x.shape, x.dtype, kept(x.dtype, [(part * multiplier) << -down for part in x.elements]))
    half = 1 << (down - 1)
    return tensor_of(x.shape, x.dtype, kept(x.dtype, [(part * multiplier + half) >> down for part in x.elements]))


@operator("fixed_point_multiply", meaning=_fixed_point_multiply, family="elementwise", padding=POINTWISE)
def fixed_point_multiply(x: TensorType[Dim], *, multiplier: int, shift: int) -> Judgement:
    """`x * multiplier * 2**(shift - 31)` exactly, then rounded to the nearest integer, halves up; the result wraps.

    int32[..a] -> int32[..a]

        out[i] = floor(x[i] * multiplier * 2 ** (shift - 31) + 1 / 2)
    """
    given = tensor(x, 0)
    of_dtype(given, 0, lambda dtype: dtype is DType.INT32, "int32")
    return judged(given.shape, given.dtype)


def _shifts(given: Tensor, required: bool, where: list[int]) -> list[int]:
    """The shift of each element, 0 unless shifts are required; raises TensorFault if a shift is out of range."""
    if not required:
        return [0] * len(where)
    for shift in given.elements:
        if not 0 <= shift <= 31:
            raise invalid_value(f"a shift has to be from 0 to 31, not {shift}")
    return [given.elements[place] for place in where]


def _fixed_point_multiply_per_axis(
    x: Tensor,
    multiplier: Tensor,
    lshift: Tensor,
    rshift: Tensor,
    *,
    is_lshift_required: bool,
    is_rshift_required: bool,
    axes: tuple[int, ...],
) -> Tensor:
    steps = [0] * x.rank
    for axis, step in zip(axes, strides(multiplier.shape), strict=True):
        steps[axis] = step
    where = offsets(x.shape, steps)
    up, down = _shifts(lshift, is_lshift_required, where), _shifts(rshift, is_rshift_required, where)
    found = []
    for part, place, left, right in zip(x.elements, where, up, down, strict=True):
        exact = (part << left) * multiplier.elements[place]
        found.append((exact + (1 << (30 + right))) >> (31 + right))
    return tensor_of(x.shape, x.dtype, kept(x.dtype, found))


@operator(
    "fixed_point_multiply_per_axis",
    meaning=_fixed_point_multiply_per_axis,
    family="elementwise",
    faults=Faults.OTHERWISE,
)
def fixed_point_multiply_per_axis(
    x: TensorType[Dim],
    multiplier: TensorType[Dim],
    lshift: TensorType[Dim],
    rshift: TensorType[Dim],
    *,
    is_lshift_required: bool = False,
    is_rshift_required: bool = False,
    axes: tuple[int, ...] = (),
) -> Judgement:
    """`x * 2**lshift * multiplier * 2**(-31 - rshift)` exactly, then rounded to the nearest integer, halves up; the
    result wraps.

    int32[..a, d, ..b], int32[d], int32[d], int32[d] -> int32[..a, d, ..b]

        out[.., i, ..] = floor(x[.., i, ..] * 2 ** lshift[i] * multiplier[i] * 2 ** (-31 - rshift[i]) + 1 / 2)

    Multiplier and shifts have an axis for each of `axes` of the data, of the same size
    [op.fixed_point_multiply_per_axis.agree].  `is_lshift_required` and `is_rshift_required`
    say which shifts are used, others being 0; one that is used and outside 0 to 31 is a fault.
    """
    given = tensor(x, 0)
    places = axes_of(axes, given.rank)
    others = [tensor(part, operand, rank=len(places)) for operand, part in enumerate((multiplier, lshift, rshift), 1)]
    for operand, part in enumerate((given, *others)):
        of_dtype(part, operand, lambda dtype: dtype is DType.INT32, "int32")
    says = "multipliers and shifts must have one element for each index along the axes"
    needs = [
        agreement(
            given.shape[axis], part.shape[i], "op.fixed_point_multiply_per_axis.agree", says, (0, axis), (operand, i)
        )
        for operand, part in enumerate(others, 1)
        for i, axis in enumerate(places)
    ]
    return judged(given.shape, given.dtype, needs)
