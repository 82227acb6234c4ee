"""The rows of a census in a file of JSON lines, to which rows are appended, and which a later run reads."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from io import BufferedReader, FileIO

from gradual.interface.terminal import Trouble
from gradual.tools.census.row import Row

PREFIX = b'{"kind": "file", "file": '
"""The beginning of every row."""
BITS = 64
"""The bits of a hash, and those of an offset."""


@contextmanager
def journal_at(path: str) -> Iterator[Journal]:
    """Open a journal, or begin one.  Raises Trouble if it cannot be written, or is no journal."""
    with ExitStack() as streams:
        try:
            end = streams.enter_context(open(path, "ab", buffering=0))
            journal = Journal(path, end, streams.enter_context(open(path, "rb")))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise Trouble("E0701", f"cannot use `{path}` as a journal: {reason}") from error
        yield journal


class Journal:
    """The rows in a file; the latest row of a file is the one that counts.

    For each row that was there when it was opened, the index has one integer: a hash of the file's name, then the
    offset of the row.
    """

    def __init__(self, path: str, end: FileIO, rows: BufferedReader) -> None:
        """Read a journal.  Raises ValueError if it is none."""
        self._path, self._end, self._rows = path, end, rows
        self._index = sorted(_hash(file) << BITS | offset for file, offset in self._complete())

    def row(self, file: str) -> Row | None:
        """The row of a file that was there when the journal was opened."""
        hash, found = _hash(file), None
        for at in range(bisect_left(self._index, hash << BITS), len(self._index)):
            if self._index[at] >> BITS != hash:
                break
            self._rows.seek(self._index[at] & ((1 << BITS) - 1))
            row: Row = json.loads(self._rows.readline())
            found = row if row["file"] == file else found
        return found

    def append(self, row: Row) -> None:
        """Write a row.  Raises Trouble if that fails."""
        try:
            self._end.write(f"{json.dumps(row)}\n".encode())
        except OSError as error:
            raise Trouble("E0701", f"cannot write `{self._path}`: {error.strerror}") from error

    def _complete(self) -> Iterator[tuple[str, int]]:
        """The file and the offset of each row; the beginning of a row that was not written to its end is cut off."""
        offset = 0
        for line in self._rows:
            if not line.endswith(b"\n") and (line.startswith(PREFIX) or PREFIX.startswith(line)):
                os.truncate(self._path, offset)
                return
            yield _file(line), offset
            offset += len(line)


def _file(line: bytes) -> str:
    """The file that a row is about.  Raises ValueError if the line is no row."""
    if line.startswith(PREFIX) and line.endswith(b"\n"):
        with suppress(json.JSONDecodeError):
            return str(json.loads(line)["file"])
    raise ValueError(f"`{line[:40].decode(errors='replace').rstrip()}` is no row of a census")


def _hash(file: str) -> int:
    digest = blake2b(file.encode(errors="surrogatepass"), digest_size=BITS // 8).digest()
    return int.from_bytes(digest, "big")
