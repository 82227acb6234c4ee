"""Export of tensors to other libraries: as bytes, buffers (PEP 3118) and NumPy arrays."""

from __future__ import annotations

import struct
from array import array
from importlib import import_module
from typing import Any, Protocol

from gradual.tensors.arrays.numpy_library import numpy
from gradual.types.dtype import DType


class Stored(Protocol):
    """A tensor to export: its shape, its element type and its flat elements."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""

    @property
    def dtype(self) -> DType:
        """The element type."""

    @property
    def elements(self) -> Any:
        """The elements in row-major order."""

    @property
    def size(self) -> int:
        """Number of elements."""


_FORMATS = {
    DType.BOOL: "?",
    DType.INT8: "b",
    DType.INT16: "h",
    DType.INT32: "i",
    DType.INT64: "q",
    DType.UINT8: "B",
    DType.UINT16: "H",
    DType.UINT32: "I",
    DType.UINT64: "Q",
    DType.FLOAT16: "e",
    DType.FLOAT32: "f",
    DType.FLOAT64: "d",
}
"""Codes of the module `struct`; bfloat16 has none."""


def packed(tensor: Stored) -> memoryview:
    """The elements as bytes, each as wide as its type, in row-major order; read-only, and not copied if possible."""
    if not tensor.size:  # an empty view cannot be cast
        return memoryview(b"")
    match tensor.dtype:
        case DType.FLOAT16:
            return memoryview(b"".join(map(struct.Struct("e").pack, tensor.elements)))
        case DType.BFLOAT16:
            wide = array("I", array("f", tensor.elements).tobytes())
            return memoryview(array("H", (bits >> 16 for bits in wide)).tobytes())
    return memoryview(tensor.elements).cast("B").toreadonly()


def buffer(tensor: Stored) -> memoryview:
    """A read-only view of the elements with shape and format.

    Raises BufferError for bfloat16, which has no format code, and for float16 before Python 3.12 or without elements.
    """
    form = _FORMATS.get(tensor.dtype)
    if form is None:
        raise BufferError(f"no buffer holds {tensor.dtype}: take `__dlpack__` or `__array__`")
    if not tensor.size:
        return _empty(tensor, form)
    try:
        view: memoryview = packed(tensor).cast(form, tensor.shape)  # type: ignore[call-overload]  # of any format
    except ValueError as error:  # before 3.12 there are no views of float16
        raise BufferError(f"no buffer holds {tensor.dtype} in this version of Python: {error}") from error
    return view


def _empty(tensor: Stored, form: str) -> memoryview:
    """A view without elements, made by `ctypes` because `memoryview.cast` refuses an extent of 0."""
    import ctypes

    kinds = {"?": ctypes.c_bool, "b": ctypes.c_int8, "h": ctypes.c_int16, "i": ctypes.c_int32, "q": ctypes.c_int64}
    kinds |= {"B": ctypes.c_uint8, "H": ctypes.c_uint16, "I": ctypes.c_uint32, "Q": ctypes.c_uint64}
    kinds |= {"f": ctypes.c_float, "d": ctypes.c_double}
    if form not in kinds:
        raise BufferError(f"no buffer holds {tensor.dtype} of shape {tensor.shape}: take `__dlpack__` or `__array__`")
    held: Any = kinds[form]
    for extent in reversed(tensor.shape):
        held = held * extent
    return memoryview(held()).toreadonly()


def numpy_array(tensor: Stored, dtype: Any, copy: bool | None) -> Any:
    """A NumPy array, read-only if it shares memory with the tensor; `copy` True requires a copy, False forbids it.

    Raises ImportError without NumPy, TypeError for bfloat16 without the package ml_dtypes, ValueError if a copy is
    needed but forbidden.
    """
    narrow = tensor.dtype in (DType.FLOAT16, DType.BFLOAT16)
    made = numpy().frombuffer(packed(tensor), _numpy_dtype(tensor.dtype)).reshape(tensor.shape)
    if copy is False and (narrow or (dtype is not None and numpy().dtype(dtype) != made.dtype)):
        raise ValueError(f"an array of {dtype or tensor.dtype} is a copy of this tensor")
    return made.astype(dtype or made.dtype, copy=bool(copy))


def _numpy_dtype(dtype: DType) -> Any:
    if dtype is not DType.BFLOAT16:
        return numpy().dtype(str(dtype))
    try:
        return numpy().dtype(import_module("ml_dtypes").bfloat16)
    except ImportError as error:
        raise TypeError("NumPy has no bfloat16 without the package ml_dtypes") from error
