"""Protocol buffers by their wire format, without generated code: a message is its fields, by number.

Nothing is copied: bytes are views of the file.  Source: "Encoding" in the documentation of Protocol Buffers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from gradual.record import record

Field = int | memoryview
"""The value of a field: a number, or bytes (of a text, a message, packed numbers, or a number of fixed width)."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST = 10
"""The greatest number of bytes of a number; each has 7 bits of it."""


class Malformed(Exception):
    """Bytes that are no message; the argument says why."""


@record
class Message:
    """A message.

    Attributes:
        fields: number -> the values of a field, in order.
    """

    fields: Mapping[int, Sequence[Field]]

    def has(self, field: int) -> bool:
        """Whether a field is present."""
        return field in self.fields

    def number(self, field: int) -> int:
        """A number that is not negative; 0 by default."""
        found = self.fields.get(field, (0,))[-1]
        if not isinstance(found, int):
            raise Malformed(f"field {field} is no number")
        return found

    def integer(self, field: int) -> int:
        """A signed number; 0 by default."""
        return _signed(self.number(field))

    def content(self, field: int) -> memoryview:
        """Bytes; empty by default."""
        found = self.fields.get(field, (memoryview(b""),))[-1]
        if isinstance(found, int):
            raise Malformed(f"field {field} is no text")
        return found

    def text(self, field: int) -> str:
        """A text; empty by default."""
        return _text(self.content(field))

    def message(self, field: int) -> Message:
        """A message; without fields by default."""
        return message(self.content(field))

    def contents(self, field: int) -> Iterator[memoryview]:
        """The bytes of a repeated field."""
        for found in self.fields.get(field, ()):
            if isinstance(found, int):
                raise Malformed(f"field {field} is no text")
            yield found

    def texts(self, field: int) -> Iterator[str]:
        """The texts of a repeated field."""
        return map(_text, self.contents(field))

    def messages(self, field: int) -> Iterator[Message]:
        """The messages of a repeated field."""
        return map(message, self.contents(field))

    def entries(self, field: int) -> Iterator[tuple[str, Message]]:
        """The entries of a map from texts to messages."""
        return ((entry.text(1), entry.message(2)) for entry in self.messages(field))

    def numbers(self, field: int) -> Iterator[int]:
        """The numbers of a repeated field, packed or not."""
        for found in self.fields.get(field, ()):
            if isinstance(found, int):
                yield found
                continue
            at = 0
            while at < len(found):
                value, at = varint(found, at)
                yield value

    def integers(self, field: int) -> Iterator[int]:
        """The signed numbers of a repeated field, packed or not."""
        return map(_signed, self.numbers(field))

    def floats(self, field: int, width: int = 4) -> list[float]:
        """The floats of a repeated field, packed or not, each of 4 or 8 bytes."""
        whole = b"".join(self.contents(field))
        if len(whole) % width:
            raise Malformed(f"field {field} has {len(whole)} bytes, which are no floats")
        return list(struct.unpack(f"<{len(whole) // width}{'f' if width == 4 else 'd'}", whole))


EMPTY = Message({})
"""The message without fields."""


def message(data: memoryview) -> Message:
    """The message in some bytes."""
    fields: dict[int, list[Field]] = {}
    at, end = 0, len(data)
    while at < end:
        key, at = varint(data, at)
        kind = key & 7
        value: Field
        if kind == _VARINT:
            value, at = varint(data, at)
        else:
            width, at = varint(data, at) if kind == _BYTES else (_width(kind), at)
            if at + width > end:
                raise Malformed("it ends too early")
            value, at = data[at : at + width], at + width
        fields.setdefault(key >> 3, []).append(value)
    return Message(fields)


def _width(kind: int) -> int:
    """How many bytes a field of fixed width has."""
    if kind not in (_FIXED32, _FIXED64):
        raise Malformed(f"a field of the kind {kind}")
    return 4 if kind == _FIXED32 else 8


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """The number that begins at an offset, and the offset after it."""
    if at < len(data) and data[at] < 0x80:  # as for most numbers
        return data[at], at + 1
    value = 0
    for place, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value & (1 << 64) - 1, at + place + 1
    raise Malformed("a number that does not end")


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _text(data: memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise Malformed(f"the text {bytes(data[:20])!r} is not UTF-8") from None
