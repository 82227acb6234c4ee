"""Elements of tensors as NumPy arrays, and arrays as elements."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from gradual.tensors.arrays.numpy_library import Array, numpy
from gradual.tensors.scalar import TYPECODES, Elements, integer_range
from gradual.types.dtype import DType


def stored(elements: Elements, dtype: DType, shape: Sequence[int]) -> Array:
    """The elements as they are stored, not copied: booleans as int8, float16 and bfloat16 as float32."""
    return numpy().frombuffer(elements, TYPECODES[dtype]).reshape(shape)


def computable(elements: Elements, dtype: DType, shape: Sequence[int]) -> Array:
    """The elements in the type that they are computed in: floats in binary64, others as they are stored."""
    found = stored(elements, dtype, shape)
    return found.astype("d") if dtype.is_float else found


def rounded(dtype: DType, values: Array) -> Array:
    """The values as elements of a type are stored: floats rounded once, integers wrapped.   [scalar.keep]"""
    if dtype is DType.FLOAT16:
        return values.astype("e").astype("f")
    if dtype is DType.BFLOAT16:
        return _brain(values).astype("f")
    return values.astype(TYPECODES[dtype], copy=False)


def kept(dtype: DType, values: Array) -> array[Any]:
    """The elements of a tensor of this type, in row-major order.   [scalar.keep]"""
    found = array(TYPECODES[dtype])
    found.frombytes(numpy().ascontiguousarray(rounded(dtype, values)).reshape(-1).view("B"))
    return found


def converted(source: DType, target: DType, values: Array) -> Array:
    """Elements of one type, floats in binary64, as they are stored in another.   [scalar.cast]"""
    if target is DType.BOOL:
        return rounded(target, values != 0)
    if source.is_float and target.is_integer:
        return _truncated(target, values)
    if source.is_integer and target in (DType.FLOAT16, DType.BFLOAT16):
        values = values.astype("d")
    return rounded(target, values)


def _truncated(target: DType, values: Array) -> Array:
    """Floats truncated toward zero to integers; beyond the range they become the nearest bound, and NaN becomes 0."""
    low, high = integer_range(target)
    found = numpy().where((values > low) & (values < high), values, 0.0).astype(TYPECODES[target])
    found[values <= low], found[values >= high] = low, high
    return found


def each(function: Callable[[float], float], values: Array) -> Array:
    """A function of `math` applied to each element; NumPy's own function may differ in the last bits."""
    flat = numpy().fromiter(map(function, values.ravel().tolist()), "d", values.size)
    return flat.reshape(values.shape)


def _brain(values: Array) -> Array:
    """The nearest numbers with 8 bits of significand, ties to even; beyond the range of bfloat16, infinities."""
    np, values = numpy(), values.astype("d")
    unit = np.maximum(np.frexp(values)[1] - 8, -133)
    near = np.ldexp(np.rint(np.ldexp(values, -unit)), unit)
    near = np.where(np.abs(near) >= 2.0**128, np.copysign(np.inf, values), near)
    return np.where(np.isfinite(values), near, values)
