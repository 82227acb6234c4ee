"""Tensors: a shape, an element type, and flat row-major elements."""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import index
from random import Random
from typing import Any

from gradual.tensors.index import numel
from gradual.tensors.scalar import PRECISION, TYPECODES, as_float, integer_range, kept
from gradual.types.dtype import DType


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tensor:
    """An immutable tensor.

    Attributes:
        shape: the extent of each axis.
        dtype: the element type; its `str` is its name in programs.
        elements: flat, row-major, an `array`; booleans as 0 and 1, float16 and bfloat16 as float32 already rounded.
            Shared freely, so never to be written.
    """

    shape: tuple[int, ...]
    dtype: DType
    elements: Any

    def __init__(self, data: Any, dtype: DType | str = DType.FLOAT32, shape: Sequence[int] | None = None) -> None:
        """Make a tensor of numbers, nested lists, or with `shape` a flat list, or of another library's array.

        Raises ValueError where the nesting is ragged, the count does not fill the shape, or a number is not one of
        the type: floats are rounded, integers neither truncated nor wrapped.
        """
        kind = DType(dtype)
        found, flat = _read(data)
        extents = found if shape is None else tuple(index(extent) for extent in shape)
        if any(extent < 0 for extent in extents) or numel(extents) != len(flat):
            raise ValueError(f"{len(flat)} elements do not fill shape {extents}")
        _hold(self, extents, kind, kept(kind, _checked(kind, flat)))

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

    def __eq__(self, other: object) -> bool:
        """Whether shape, type and every element are the same number; NaN is the same number as NaN."""
        if not isinstance(other, Tensor):
            return NotImplemented
        if self.shape != other.shape or self.dtype is not other.dtype:
            return False
        return self.elements == other.elements or all(map(_same, self.elements, other.elements))

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

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
    """A tensor that depends on nothing but its arguments: floats in [-1, 1), integers in 0 .. 9, booleans."""
    draw = Random(seed).getrandbits
    count = numel(shape)
    if dtype is DType.BOOL:
        return tensor_of(shape, dtype, array("b", [draw(1) for _ in range(count)]))
    if dtype.is_integer:
        return tensor_of(shape, dtype, array(TYPECODES[dtype], [draw(32) % 10 for _ in range(count)]))
    bits = PRECISION[dtype]
    unit = 2.0 ** (1 - bits)
    return tensor_of(shape, dtype, array(TYPECODES[dtype], [draw(bits) * unit - 1.0 for _ in range(count)]))


def _hold(made: Tensor, shape: tuple[int, ...], dtype: DType, elements: Any) -> None:
    object.__setattr__(made, "shape", shape)
    object.__setattr__(made, "dtype", dtype)
    object.__setattr__(made, "elements", elements)


def _same(left: Any, right: Any) -> bool:
    return bool(left == right or (left != left and right != right))


def _read(data: Any) -> tuple[tuple[int, ...], Sequence[Any]]:
    """Shape and flat elements of whatever was given."""
    if isinstance(data, Tensor):
        return data.shape, data.flat()
    if isinstance(data, list | tuple):
        return _read_nested(data)
    if isinstance(data, bool | int | float):
        return (), [data]
    return _read_foreign(data)


def _read_nested(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    shape: list[int] = []
    level = [data]
    while level and any(isinstance(part, list | tuple) for part in level):
        lengths = {len(part) if isinstance(part, list | tuple) else None for part in level}
        if len(lengths) > 1:
            raise ValueError("the nested lists are ragged: parts at one depth differ in length")
        shape.append(len(level[0]))
        level = list(chain.from_iterable(level))
    return tuple(shape), level


def _read_foreign(data: Any) -> tuple[tuple[int, ...], Sequence[Any]]:
    """Shape and elements of an array of another library, through the protocols it offers."""
    try:
        view = memoryview(data)
    except TypeError:
        return _read_unbuffered(data)
    return view.shape or (), _decoded(view.tobytes(), view.format, view.itemsize)


def _read_unbuffered(data: Any) -> tuple[tuple[int, ...], Sequence[Any]]:
    if hasattr(data, "__array__"):
        return _read(data.__array__())
    if hasattr(data, "__array_interface__"):
        return _read_interface(data.__array_interface__)
    if hasattr(data, "tolist"):
        return _read(data.tolist())
    if hasattr(data, "__index__") or hasattr(data, "__float__"):
        return (), [data]
    raise ValueError(f"no tensor can be made of a {type(data).__name__}")


def _read_interface(interface: Any) -> tuple[tuple[int, ...], Sequence[Any]]:
    shape, form = tuple(interface["shape"]), str(interface["typestr"])
    size = int(form[2:])
    if interface.get("strides") is not None:
        raise ValueError("an array given by __array_interface__ has to be contiguous")
    held = interface["data"]
    raw = ctypes.string_at(held[0], numel(shape) * size) if isinstance(held, tuple) else bytes(held)
    return shape, _decoded(raw, form[0].replace("|", "=") + _INTERFACE_CODES.get(form[1:], "?" + form), size)


_INTERFACE_CODES = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
_INTERFACE_CODES |= {"f2": "e", "f4": "f", "f8": "d"}


def _decoded(raw: bytes, form: str, size: int) -> Sequence[Any]:
    """Numbers from the bytes of a buffer, by its `struct` format."""
    order, code = (form[0], form[1:]) if form[0] in "@=<>!" else ("@", form)
    if len(code) != 1 or code not in "?bBhHiIlLqQnNefd":
        raise ValueError(f"a buffer of format {form!r} holds no numbers of a known type")
    return struct.unpack(f"{order}{len(raw) // size}{code}", raw)


def _checked(dtype: DType, flat: Sequence[Any]) -> Sequence[Any]:
    """The same numbers as Python numbers, none of which the type has to change but by rounding."""
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
