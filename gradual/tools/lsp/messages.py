"""The incoming messages of an editor, with a limit on their length."""

from __future__ import annotations

from typing import IO

from gradual.limits import LIMITS

HEADER = 4096
"""The longest line of a message's header, in bytes."""


class TooLong(Exception):
    """The error for a message that is too long to be read; the argument has its length and the limit."""


class Messages:
    """The input stream of the server: header lines, then the bytes of a message."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """The next line.  Raises TooLong."""
        line = self._stream.readline(HEADER + 1)
        if len(line) > HEADER:
            raise TooLong(f"a line before a message has more than {HEADER} bytes")
        return line

    def read(self, count: int) -> bytes:
        """The next `count` bytes.  Raises TooLong, without reading any of them, if they are more than the limit."""
        if count > LIMITS.message:
            raise TooLong(f"a message of {count} bytes is not read: the limit `message` is {LIMITS.message} bytes")
        return self._stream.read(count)
