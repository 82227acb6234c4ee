"""Values of variables in the folder `variables` of a SavedModel: a sorted table of names, and files of raw elements.

The table has the format of LevelDB's: blocks of entries, an index of blocks, a footer.  Source: "LevelDB file format"
in its documentation, and `tensor_bundle.proto` and `io/format.cc` of TensorFlow.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from gradual.importers.common.refusals import Unread, Unreadable, Unsupported
from gradual.importers.common.text import Weight
from gradual.importers.tensorflow.file.attributes import dtype, of_bytes, shape
from gradual.importers.tensorflow.file.schema import Stored
from gradual.importers.tensorflow.file.wire import Malformed, Message, message, varint
from gradual.limits import LIMITS
from gradual.record import record
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

_FOOTER, _MAGIC = 48, 0xDB4775248B80FB57
_TRAILER, _CHECKSUM = 5, 4
"""The numbers of bytes after a block (kind of compression, checksum) and after the length of a string (checksum)."""
_OBJECTS, _VALUE = "_CHECKPOINTABLE_OBJECT_GRAPH", "VARIABLE_VALUE"
"""The key of the object graph in the table, and the name in this graph of the attribute that is a variable's value."""


@record
class Saved:
    """The values of a checkpoint.

    Attributes:
        values: name of a value -> where its elements are stored.
        objects: the number of an object -> the name of its value.
    """

    values: Mapping[str, Stored]
    objects: Mapping[int, str]


NOTHING = Saved({}, {})
"""No values."""


def saved_at(prefix: Path) -> Saved:
    """The values in a checkpoint; `NOTHING` if it has no table.  Raises Malformed or Unreadable."""
    index = prefix.with_name(f"{prefix.name}.index")
    if not index.is_file():
        return NOTHING
    data = memoryview(_read(index, 0, LIMITS.directory + 1))
    if len(data) > LIMITS.directory:
        raise Unreadable("E0704", f"`{index}` is too long: the limit `directory` is {LIMITS.directory} bytes")
    found: dict[str, Stored] = {}
    shards = 0
    for key, value in _table(data):
        if not key:
            shards = _shards(message(value))
        elif shards:
            found[str(key, errors="replace")] = _entry(message(value), prefix, shards)
    return Saved(found, dict(_names(found[_OBJECTS])) if _OBJECTS in found else {})


def _names(stored: Stored) -> Iterator[tuple[int, str]]:
    """The objects that have a value, by their numbers, each with the name of its value."""
    if not 0 <= stored.size <= LIMITS.description or stored.offset < 0:
        raise Malformed("the names of its objects are damaged")
    raw = memoryview(_read(stored.file, stored.offset, stored.size))
    length, at = varint(raw, 0)
    graph = message(raw[at + _CHECKSUM : at + _CHECKSUM + length])
    for number, node in enumerate(graph.messages(1)):
        for attribute in node.messages(2):
            if attribute.text(1) == _VALUE:
                yield number, attribute.text(3)


def _shards(header: Message) -> int:
    """The number of files with elements."""
    if header.number(2):
        raise Malformed("its variables are big-endian")
    return header.number(1)


def _entry(proto: Message, prefix: Path, shards: int) -> Stored:
    file = prefix.with_name(f"{prefix.name}.data-{proto.number(3):05d}-of-{shards:05d}")
    return Stored(dtype(proto.number(1)), shape(proto.message(2)), file, proto.integer(4), proto.integer(5))


def weight(name: str, stored: Stored) -> Weight:
    """The value of a variable, which is read later; raises Unsupported if the language has no such tensor."""
    kind, sizes = stored.dtype, [size for size in stored.shape or () if size is not None]
    if isinstance(kind, Unread):
        raise Unsupported(f"`{name}` has {kind.says}")
    if stored.shape is None or len(sizes) < len(stored.shape) or numel(sizes) > LIMITS.elements:
        raise Unsupported(f"`{name}` has the shape {stored.shape}")
    return Weight(tuple(sizes), kind, partial(_elements, name, stored, kind, tuple(sizes)))


def _elements(name: str, stored: Stored, kind: DType, sizes: tuple[int, ...]) -> Tensor:
    """Read the value of a variable; raises Unreadable if bytes are missing."""
    whole = numel(sizes) * (kind.bits // 8)
    if stored.size != whole or stored.offset < 0:
        raise Unreadable("E0703", f"`{name}` of {whole} bytes has {stored.size} at {stored.offset} of `{stored.file}`")
    found = of_bytes(kind, sizes, memoryview(_read(stored.file, stored.offset, whole)))
    if isinstance(found, Unread):
        raise Unreadable("E0703", f"`{stored.file}` is too short for `{name}`")
    return found


def _read(path: Path, offset: int, size: int) -> bytes:
    try:
        with open(path, "rb") as stream:
            stream.seek(offset)
            return stream.read(size)
    except OSError as error:
        raise Unreadable("E0701", f"cannot read `{path}`: {error.strerror or error}") from error


# -------------------------------------------------------------------------------------------------------------- table
def _table(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """The entries of a table: key and value."""
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or struct.unpack("<Q", footer[-8:])[0] != _MAGIC:
        raise Malformed("the table of its variables has no footer")
    _, at = _handle(footer, 0)
    index, _ = _handle(footer, at)
    end = 0
    for _, place in _entries(_block(data, index)):
        (offset, size), _ = _handle(place, 0)
        if offset < end:
            raise Malformed("blocks of the table of its variables overlap")
        end = offset + size
        yield from _entries(_block(data, (offset, size)))


def _handle(data: memoryview, at: int) -> tuple[tuple[int, int], int]:
    """The offset and the size of a block, and the offset after them."""
    offset, at = varint(data, at)
    size, at = varint(data, at)
    return (offset, size), at


def _block(data: memoryview, handle: tuple[int, int]) -> memoryview:
    """The part of a block that contains its entries, without the restart points after them."""
    offset, size = handle
    block, trailer = data[offset : offset + size], data[offset + size : offset + size + _TRAILER]
    if len(trailer) < _TRAILER or len(block) < 4:
        raise Malformed("a block of the table of its variables is missing")
    if trailer[0]:
        raise Malformed("the table of its variables is compressed")
    restarts = struct.unpack("<I", block[-4:])[0]
    if 4 * (restarts + 1) > len(block):
        raise Malformed("a block of the table of its variables is damaged")
    return block[: len(block) - 4 * (restarts + 1)]


def _entries(block: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """The entries of a block; the prefix that a key shares with the previous key is not stored."""
    at, key = 0, b""
    while at < len(block):
        shared, at = varint(block, at)
        own, at = varint(block, at)
        size, at = varint(block, at)
        if shared > len(key) or at + own + size > len(block):
            raise Malformed("an entry of the table of its variables is damaged")
        key = key[:shared] + bytes(block[at : at + own])
        yield key, block[at + own : at + own + size]
        at += own + size
