"""Attributes of nodes: numbers, texts, element types, shapes, tensors, functions, and lists of these.

Field numbers are those of `attr_value.proto`, `tensor.proto`, `tensor_shape.proto` and `types.proto` of TensorFlow.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from typing import Any

from gradual.importers.common.refusals import Unread
from gradual.importers.tensorflow.file.schema import Called, Shape, Text
from gradual.importers.tensorflow.file.wire import Malformed, Message
from gradual.limits import LIMITS
from gradual.tensors.exchange.array_protocols import elements_of
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType

DTYPES = {
    1: DType.FLOAT32,
    2: DType.FLOAT64,
    3: DType.INT32,
    4: DType.UINT8,
    5: DType.INT16,
    6: DType.INT8,
    9: DType.INT64,
    10: DType.BOOL,
    14: DType.BFLOAT16,
    17: DType.UINT16,
    19: DType.FLOAT16,
    22: DType.UINT32,
    23: DType.UINT64,
}
"""`DataType`, by number."""
STRING, RESOURCE, VARIANT = 7, 20, 21
_OTHERS = {
    STRING: "string",
    8: "complex64",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    15: "qint16",
    16: "quint16",
    18: "complex128",
    RESOURCE: "resource",
    VARIANT: "variant",
}
"""Names of the other element types, which programs do not have."""


def dtype(number: int) -> DType | Unread:
    """The element type of a `DataType`."""
    return DTYPES.get(number) or Unread(f"elements of type {_OTHERS.get(number, number)}")


OF_RESOURCES = dtype(RESOURCE)
"""The type of handles of variables."""


def shape(proto: Message) -> Shape:
    """The shape of a `TensorShapeProto`."""
    if proto.number(3):
        return None
    sizes = [size.integer(1) for size in proto.messages(2)]
    return tuple(size if size >= 0 else None for size in sizes)


def as_shape(value: Any) -> Shape:
    """The value of an attribute as a shape; None for a value that is not a shape."""
    if not isinstance(value, tuple) or len(value) > LIMITS.rank:
        return None
    return value if all(one is None or type(one) is int for one in value) else None


def attribute(proto: Message) -> Any:
    """The value of an `AttrValue`; an `Unread` for one that cannot be read."""
    for field, read in (
        (2, lambda: _said(proto.content(2))),
        (3, lambda: proto.integer(3)),
        (4, lambda: _float(proto.content(4))),
        (5, lambda: bool(proto.number(5))),
        (6, lambda: dtype(proto.number(6))),
        (7, lambda: shape(proto.message(7))),
        (8, lambda: tensor(proto.message(8))),
        (10, lambda: Called(proto.message(10).text(1))),
        (1, lambda: _list(proto.message(1))),
    ):
        if proto.has(field):
            return read()
    return Unread("an attribute without a value")


def _list(proto: Message) -> tuple[Any, ...]:
    """The elements of a list, from the fields for all kinds of elements: a list uses only one of these fields."""
    return (
        *map(_said, proto.contents(2)),
        *proto.integers(3),
        *proto.floats(4),
        *map(bool, proto.numbers(5)),
        *map(dtype, proto.numbers(6)),
        *map(shape, proto.messages(7)),
        *map(tensor, proto.messages(8)),
        *(Called(one.text(1)) for one in proto.messages(9)),
    )


def _said(data: memoryview) -> str:
    return bytes(data).decode(errors="replace")


def _float(data: memoryview) -> float:
    if len(data) != 4:
        raise Malformed("a float that has not four bytes")
    found: float = struct.unpack("<f", data)[0]
    return found


# ------------------------------------------------------------------------------------------------------------ tensors
def tensor(proto: Message) -> Tensor | Text | Unread:
    """The tensor of a `TensorProto`: missing elements are equal to the last one that is given."""
    kind = dtype(proto.number(1))
    sizes = [size.integer(1) for size in proto.message(2).messages(2)]
    if proto.number(1) == STRING:
        return Text(tuple(_said(one) for one in proto.contents(8)))
    if isinstance(kind, Unread):
        return kind
    if min(sizes, default=0) < 0 or len(sizes) > LIMITS.rank:
        return Unread(f"a constant of the shape {tuple(sizes)}")
    count = numel(sizes)
    if count > LIMITS.elements:
        return Unread(f"a constant of {count} elements: the limit `elements` is {LIMITS.elements}")
    if raw := proto.content(4):
        return of_bytes(kind, tuple(sizes), raw)
    given = list(_elements(kind, proto))
    if len(given) > count:
        return Unread(f"a constant with {len(given)} elements for the shape {tuple(sizes)}")
    last = given[-1] if given else False if kind is DType.BOOL else 0.0 if kind.is_float else 0
    try:
        return Tensor([*given, *[last] * (count - len(given))], kind, tuple(sizes))
    except ValueError as error:
        return Unread(f"a constant: {error}")


def of_bytes(dtype: DType, shape: tuple[int, ...], raw: memoryview) -> Tensor | Unread:
    """The tensor of a shape in little-endian bytes."""
    if len(raw) != numel(shape) * (dtype.bits // 8):
        return Unread(f"{len(raw)} bytes do not hold {dtype} elements of the shape {shape}")
    return tensor_of(shape, dtype, elements_of(dtype, bytes(raw), sys.byteorder == "big"))


def _elements(dtype: DType, proto: Message) -> Iterator[Any]:
    """The elements in the field for their type."""
    match dtype:
        case DType.FLOAT32:
            yield from proto.floats(5)
        case DType.FLOAT64:
            yield from proto.floats(6, 8)
        case DType.INT64:
            yield from proto.integers(10)
        case DType.BOOL:
            yield from map(bool, proto.numbers(11))
        case DType.FLOAT16:
            yield from (struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0] for bits in proto.numbers(13))
        case DType.BFLOAT16:
            yield from (struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0] for bits in proto.numbers(13))
        case DType.UINT32 | DType.UINT64:
            yield from proto.numbers(16 if dtype is DType.UINT32 else 17)
        case _:
            yield from proto.integers(7)
