"""The messages of an editor as they come in, none of them longer than the limit."""

from __future__ import annotations

from typing import IO

from gradual.limits import LIMITS

HEADER = 4096
"""The longest line of a message's head, in bytes."""


class TooLong(Exception):
    """A message that is not read; the argument says how long it is, and which limit says so."""


class Messages:
    """A stream as the server reads it: lines of a head, then so many bytes of a message."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """The next line.  Raises TooLong."""
        line = self._stream.readline(HEADER + 1)
        if len(line) > HEADER:
            raise TooLong(f"a line before a message has more than {HEADER} bytes")
        return line

    def read(self, count: int) -> bytes:
        """The next bytes.  Raises TooLong before anything of a message is read that is too long."""
        if count > LIMITS.message:
            raise TooLong(f"a message of {count} bytes is not read: the limit `message` is {LIMITS.message} bytes")
        return self._stream.read(count)
