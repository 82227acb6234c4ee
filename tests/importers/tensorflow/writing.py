"""TensorFlow's messages, written by hand: graphs for tests of the reader that need no TensorFlow."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

NUMBERS = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "int64": 9,
    "bool": 10,
    "uint16": 17,
    "float16": 19,
    "resource": 20,
    "variant": 21,
}
"""Name of an element type -> its `DataType`."""


class Kind(str):
    """An element type, in an attribute."""


class Shape(tuple[int | None, ...]):
    """A shape, in an attribute."""


class Function(str):
    """The name of a function, in an attribute."""


UNKNOWN = object()
"""A shape of unknown rank, in an attribute."""


def varint(number: int) -> bytes:
    """A number."""
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def field(number: int, value: int | bytes | str) -> bytes:
    """A field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def shape(sizes: Any) -> bytes:
    """A `TensorShapeProto`."""
    if sizes is UNKNOWN:
        return field(3, 1)
    return b"".join(field(2, field(1, -1 if size is None else size)) for size in sizes)


def tensor(value: Any) -> bytes:
    """A `TensorProto`; of texts for a list of these."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return field(1, NUMBERS["string"]) + field(2, shape([len(value)])) + b"".join(field(8, one) for one in value)
    array = numpy.asarray(value)
    kind, sizes = field(1, NUMBERS[str(array.dtype)]), field(2, shape(array.shape))
    return kind + sizes + field(4, array.tobytes())


def attribute(value: Any) -> bytes:
    """An `AttrValue`."""
    match value:
        case bool():
            return field(5, int(value))
        case int():
            return field(3, value)
        case float():
            return varint(4 << 3 | 5) + struct.pack("<f", value)
        case Kind():
            return field(6, NUMBERS[value])
        case Function():
            return field(10, field(1, str(value)))
        case str():
            return field(2, value)
        case Shape():
            return field(7, shape(value))
        case list():
            return field(1, b"".join(map(_listed, value)))
    return field(7, shape(UNKNOWN)) if value is UNKNOWN else field(8, tensor(value))


def _listed(value: Any) -> bytes:
    numbers = {int: 3, Kind: 6, Function: 9, Shape: 7}
    match value:
        case Kind():
            return field(numbers[Kind], NUMBERS[value])
        case Function():
            return field(numbers[Function], field(1, str(value)))
        case Shape():
            return field(numbers[Shape], shape(value))
        case str():
            return field(2, value)
    return field(numbers[int], value)


def node(operator: str, name: str, inputs: str = "", **attributes: Any) -> bytes:
    """A `NodeDef`; its inputs are separated by spaces."""
    given = b"".join(field(3, one) for one in inputs.split())
    known = b"".join(field(5, field(1, key) + field(2, attribute(value))) for key, value in attributes.items())
    return field(1, name) + field(2, operator) + given + known


def placeholder(name: str, sizes: Any = UNKNOWN, dtype: str = "float32") -> bytes:
    """An input of a shape."""
    return node("Placeholder", name, dtype=Kind(dtype), shape=sizes if sizes is UNKNOWN else Shape(sizes))


def constant(name: str, value: Any) -> bytes:
    """A constant."""
    return field(1, name) + field(2, "Const") + field(5, field(1, "value") + field(2, field(8, tensor(value))))


def function(
    name: str, params: str, results: Mapping[str, str], nodes: Sequence[bytes], runs: Sequence[str] = ()
) -> bytes:
    """A `FunctionDef`; its parameters are separated by spaces, and each result is a value in it."""
    signature = field(1, name) + b"".join(field(2, field(1, one)) for one in params.split())
    signature += b"".join(field(3, field(1, one)) for one in results)
    given = b"".join(field(4, field(1, one) + field(2, value)) for one, value in results.items())
    kept = b"".join(field(6, field(1, one) + field(2, one)) for one in runs)
    return field(1, signature) + b"".join(field(3, one) for one in nodes) + given + kept


def graph(*nodes: bytes, functions: Sequence[bytes] = ()) -> bytes:
    """A `GraphDef`."""
    library = field(2, b"".join(field(1, one) for one in functions)) if functions else b""
    return b"".join(field(1, one) for one in nodes) + library


def signature(inputs: Mapping[str, str], outputs: Mapping[str, str], dtype: str = "float32") -> bytes:
    """A `SignatureDef`, whose inputs are matrices of open sizes."""
    info = field(2, NUMBERS[dtype]) + field(3, shape([None, None]))
    given = b"".join(field(1, field(1, name) + field(2, field(1, place) + info)) for name, place in inputs.items())
    made = b"".join(field(2, field(1, name) + field(2, field(1, place) + info)) for name, place in outputs.items())
    return given + made


def meta_graph(graph: bytes, signatures: Mapping[str, bytes]) -> bytes:
    """A `MetaGraphDef` with the tag `serve`."""
    named = b"".join(field(5, field(1, name) + field(2, one)) for name, one in signatures.items())
    return field(1, field(4, "serve")) + field(2, graph) + named


def saved_model(meta: bytes) -> bytes:
    """A `SavedModel`."""
    return field(1, 1) + field(2, meta)


# ----------------------------------------------------------------------------------------------------------- variables
def table(entries: Mapping[str, bytes]) -> bytes:
    """A table of LevelDB's format with one block."""
    block, before = b"", ""
    for key in sorted(entries):
        shared = len(_common(before, key))
        own, value = key.encode()[shared:], entries[key]
        block += varint(shared) + varint(len(own)) + varint(len(value)) + own + value
        before = key
    block += struct.pack("<II", 0, 1)
    whole = block + bytes(5)
    place = varint(0) + varint(len(block))
    index = varint(0) + varint(1) + varint(len(place)) + b"z" + place + struct.pack("<II", 0, 1)
    handles = varint(0) + varint(0) + varint(len(whole)) + varint(len(index))
    return whole + index + bytes(5) + handles.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def _common(one: str, other: str) -> str:
    """The beginning that two keys share."""
    count = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    return one[: min(len(one), len(other)) if count is None else count]


def bundle(folder: Path, values: Mapping[str, Any], objects: Mapping[int, str] | None = None) -> None:
    """Write the variables of a SavedModel, and which object has which of them."""
    data, entries = b"", {"": field(1, 1)}
    for name, value in values.items():
        array = numpy.asarray(value)
        place = field(4, len(data)) + field(5, array.nbytes)
        entries[name] = field(1, NUMBERS[str(array.dtype)]) + field(2, shape(array.shape)) + place
        data += array.tobytes()
    if objects is not None:
        text = b"".join(field(1, _object(objects.get(at))) for at in range(max(objects) + 1))
        text = varint(len(text)) + bytes(4) + text
        entries["_CHECKPOINTABLE_OBJECT_GRAPH"] = (
            field(1, NUMBERS["string"]) + field(4, len(data)) + field(5, len(text))
        )
        data += text
    folder.mkdir(parents=True)
    (folder / "variables.index").write_bytes(table(entries))
    (folder / "variables.data-00000-of-00001").write_bytes(data)


def _object(name: str | None) -> bytes:
    return b"" if name is None else field(2, field(1, "VARIABLE_VALUE") + field(3, name))
