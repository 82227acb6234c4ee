"""Bit casts of elements between types of the same width.

float16 and bfloat16 are stored as float32; a bit cast uses the bits of the narrow type, and keeps NaN payloads.
"""

from __future__ import annotations

import struct
from array import array
from typing import Any

from gradual.tensors.scalar import TYPECODES, Elements
from gradual.types.dtype import DType

_UNSIGNED = {8: "B", 16: "H", 32: "I", 64: "Q"}


def reinterpreted(source: DType, target: DType, elements: Elements) -> array[Any]:
    """The elements bit-cast from `source` to `target`, which must have the same width."""
    return _held(target, _bits(source, elements))


def _bits(dtype: DType, elements: Elements) -> array[int]:
    """The bits of each element as an unsigned integer."""
    raw = array(TYPECODES[dtype], elements) if not isinstance(elements, array) else elements
    if dtype is DType.FLOAT16:
        return array("H", map(_half_of_single, _read("I", raw)))
    if dtype is DType.BFLOAT16:
        return array("H", map(_brain_of_single, _read("I", raw)))
    return _read(_UNSIGNED[dtype.bits], raw)


def _held(dtype: DType, bits: array[int]) -> array[Any]:
    """The elements of a type from their bits, as stored."""
    if dtype is DType.FLOAT16:
        return _read("f", array("I", map(_single_of_half, bits)))
    if dtype is DType.BFLOAT16:
        return _read("f", array("I", (part << 16 for part in bits)))
    return _read(TYPECODES[dtype], bits)


def _read(typecode: str, raw: array[Any]) -> array[Any]:
    """The same bytes as an array of another type code."""
    found = array(typecode)
    found.frombytes(raw.tobytes())
    return found


def _half_of_single(bits: int) -> int:
    """The bits of a float16 from its float32 representation."""
    if bits & 0x7FFFFFFF > 0x7F800000:
        return _narrow(bits, 13, sign=bits >> 16 & 0x8000, infinity=0x7C00, payload=0x3FF)
    return int(struct.unpack("=H", struct.pack("=e", *struct.unpack("=f", struct.pack("=I", bits))))[0])


def _brain_of_single(bits: int) -> int:
    """The bits of a bfloat16 from its float32 representation."""
    if bits & 0x7FFFFFFF > 0x7F800000:
        return _narrow(bits, 16, sign=bits >> 16 & 0x8000, infinity=0x7F80, payload=0x7F)
    return bits >> 16


def _narrow(bits: int, shift: int, sign: int, infinity: int, payload: int) -> int:
    """Truncate a NaN to its upper payload bits; it becomes a quiet NaN if those are 0."""
    return sign | infinity | (bits >> shift & payload or (payload + 1) >> 1)


def _single_of_half(bits: int) -> int:
    """The bits of a float32 from those of a float16; a NaN keeps its payload."""
    if bits & 0x7FFF > 0x7C00:
        return (bits & 0x8000) << 16 | 0x7F800000 | (bits & 0x3FF) << 13
    return int(struct.unpack("=I", struct.pack("=f", *struct.unpack("=e", struct.pack("=H", bits))))[0])
