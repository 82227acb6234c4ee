"""Tensors: a shape, an element type, and flat row-major elements."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from random import Random
from typing import Any

from gradual.tensors.exchange.array_protocols import nested
from gradual.tensors.exchange.export import buffer, numpy_array, packed
from gradual.tensors.index import numel
from gradual.tensors.print import shown_elements
from gradual.tensors.scalar import PRECISION, TYPECODES, as_float, integer_range, kept
from gradual.types.dtype import DType


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tensor:
    """An immutable tensor.

    Attributes:
        shape: the extent of each axis.
        dtype: the element type; its `str` is its name in programs.
        elements: flat, row-major, an `array`; booleans as 0 and 1, float16 and bfloat16 as float32 already rounded.
            Tensors may share them, so they are never written.
    """

    shape: tuple[int, ...]
    dtype: DType
    elements: Any

    def __init__(self, data: Any, dtype: DType | str | None = None, shape: Sequence[int] | None = None) -> None:
        """Make a tensor from a number, nested lists, a flat list with `shape`, or another library's array.

        Without `dtype`, an array keeps its own (NumPy's float64 stays float64), and numbers become float32; an integer
        that float32 would change, or a float beyond its range, needs a `dtype`.

        Args:
            data: numbers; lists of numbers or of arrays; anything with the buffer protocol, `__array_interface__`,
                `__dlpack__` in the memory of the processor, or `__array__`.  It is copied.
            dtype: the element type, such as "int64".  Floats are rounded to it; no number is truncated or wrapped.
            shape: the extent of each axis, if `data` is flat.

        Raises:
            ValueError: the nesting is ragged, the elements do not fill the shape, a number is not a value of the type,
                or an array has an element type that the language lacks, such as complex128.
        """
        found = nested(data)
        kind = DType(dtype) if dtype is not None else found.dtype or DType.FLOAT32
        extents = found.shape if shape is None else tuple(index(extent) for extent in shape)
        if any(extent < 0 for extent in extents) or numel(extents) != len(found.elements):
            raise ValueError(f"{len(found.elements)} elements do not fill shape {extents}")
        elements = found.elements if kind is found.dtype else kept(kind, _checked(kind, found.elements))
        if dtype is None and found.dtype is None:
            _exact(found.elements, elements)
        _hold(self, extents, kind, elements)

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self.elements)

    def item(self) -> Any:
        """The element of a tensor that has exactly one, as a Python bool, int or float."""
        if len(self.elements) != 1:
            raise ValueError(f"a tensor of shape {self.shape} has no single element")
        return self.flat()[0]

    def flat(self) -> list[Any]:
        """The elements in row-major order as Python bools, ints or floats."""
        return [bool(element) for element in self.elements] if self.dtype is DType.BOOL else list(self.elements)

    def tolist(self) -> Any:
        """The elements as nested lists; a number for rank 0."""
        nested = self.flat()
        for axis in range(self.rank - 1, -1, -1):
            extent = self.shape[axis]
            nested = [nested[i * extent : (i + 1) * extent] for i in range(numel(self.shape[:axis]))]
        return nested[0]

    def buffer(self) -> memoryview:
        """A read-only view of the elements, with shape and format; only float16 elements are copied.

        From Python 3.12 on, `memoryview(tensor)` is the same.  Raises BufferError for bfloat16, which has no format
        code, and for float16 before Python 3.12 or without elements.
        """
        return buffer(self)

    def __buffer__(self, flags: int) -> memoryview:
        """The buffer protocol, which classes can implement from Python 3.12 on (PEP 688)."""
        return buffer(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The array for `numpy.asarray(tensor)`, of the same element type; bfloat16 needs the package ml_dtypes.

        It can be written to only if it was copied, as `numpy.array(tensor)` does.
        """
        return numpy_array(self, dtype, copy)

    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A capsule for `from_dlpack` of any library, with a copy of the elements, which it may write to.

        Raises BufferError if another device, a stream or no copy is requested.
        """
        from gradual.tensors.exchange.dlpack import exported

        if copy is False or stream is not None or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("a tensor is lent as a copy in the memory of the processor")
        return exported(self.shape, self.dtype, packed(self), max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The processor: kind 1, number 0."""
        return 1, 0

    def __eq__(self, other: object) -> bool:
        """Whether shapes and types are equal and all elements are the same numbers; NaN equals NaN here."""
        if not isinstance(other, Tensor):
            return NotImplemented
        if self.shape != other.shape or self.dtype is not other.dtype:
            return False
        return self.elements == other.elements or all(map(_same, self.elements, other.elements))

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __str__(self) -> str:
        """The tensor as `gradual run` prints it, `float32 [[1.0, 2.0]]`; a large one is cut to the ends of axes."""
        return shown_elements(self.shape, self.dtype, self.elements)

    def __repr__(self) -> str:
        shown = ", ".join(repr(element) for element in self.flat()[:6]) if self.size <= 6 else f"… {self.size} elements"
        return f"Tensor[{self.shape}, {self.dtype}]({shown})"


def tensor_of(shape: tuple[int, ...], dtype: DType, elements: Any) -> Tensor:
    """A tensor of elements that are already kept in the type and fill the shape: nothing is copied or checked."""
    made = object.__new__(Tensor)
    _hold(made, shape, dtype, elements)
    return made


def scalar(value: Any, dtype: DType) -> Tensor:
    """A rank-0 tensor."""
    return tensor_of((), dtype, kept(dtype, (value,)))


def random_tensor(shape: tuple[int, ...], dtype: DType, seed: int) -> Tensor:
    """A pseudo-random tensor determined by its arguments: floats in [-1, 1), integers in 0 .. 9, or booleans."""
    draw = Random(seed).getrandbits
    count = numel(shape)
    if dtype is DType.BOOL:
        return tensor_of(shape, dtype, array("b", (draw(1) for _ in range(count))))
    if dtype.is_integer:
        return tensor_of(shape, dtype, array(TYPECODES[dtype], (draw(32) % 10 for _ in range(count))))
    bits = PRECISION[dtype]
    unit = 2.0 ** (1 - bits)
    return tensor_of(shape, dtype, array(TYPECODES[dtype], (draw(bits) * unit - 1.0 for _ in range(count))))


def _hold(made: Tensor, shape: tuple[int, ...], dtype: DType, elements: Any) -> None:
    object.__setattr__(made, "shape", shape)
    object.__setattr__(made, "dtype", dtype)
    object.__setattr__(made, "elements", elements)


def _same(left: Any, right: Any) -> bool:
    return bool(left == right or (left != left and right != right))


def _exact(given: Sequence[Any], elements: Sequence[Any]) -> None:
    """Refuse an integer that float32 changes and a float beyond its range, when no `dtype` was given."""
    for part, held in zip(given, elements, strict=True):
        if held != part and (isinstance(part, int) or math.isinf(held)):
            raise ValueError(f"{part} is not a float32, which numbers are unless `dtype` says otherwise")


def _checked(dtype: DType, flat: Sequence[Any]) -> Sequence[Any]:
    """Convert to Python numbers; raises ValueError for a number that the type cannot represent up to rounding."""
    if dtype.is_float:
        return [as_float(dtype, part) if isinstance(part, int) else float(part) for part in flat]
    whole = [_whole(dtype, part) for part in flat]
    low, high = (0, 1) if dtype is DType.BOOL else integer_range(dtype)
    for part in whole:
        if not low <= part <= high:
            raise ValueError(f"{part} is not a {dtype}: its values are {low} to {high}")
    return whole


def _whole(dtype: DType, part: Any) -> int:
    if isinstance(part, float) and part.is_integer():
        return int(part)
    try:
        return index(part)
    except TypeError:
        raise ValueError(f"{part!r} is not a {dtype}") from None
