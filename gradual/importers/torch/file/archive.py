"""The files inside a `.pt2` archive: a zip with JSON and raw weights; files are unpacked when they are needed.

Nothing is written to disk, so names with `..` are harmless.  The limits `directory`, `description` and `file` bound the
memory and time that an archive takes, whatever sizes the archive declares.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from gradual.gc_paused import collector_paused
from gradual.importers.common.refusals import Unreadable
from gradual.limits import LIMITS

_BAD = (
    BadZipFile,
    EOFError,
    IndexError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    UnicodeDecodeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""The exceptions of reading an archive that is damaged, encrypted, or compressed in an unsupported way."""

OLD = "serialized_exported_program.json"
"""A file that only archives from PyTorch before 2.8 contain."""
ORDERS = {"little": False, "big": True}
"""Text of the file `byteorder` -> whether numbers are big-endian."""


class Archive:
    """An open archive; a file in it is unpacked only when it is needed.

    Attributes:
        path: the archive's path, for messages.
        is_big_endian: whether numbers in the archive are big-endian.
    """

    def __init__(self, file: str | IO[bytes], path: str) -> None:
        self.path = path
        try:
            self._check_length(file)
            self._zip = ZipFile(file)
        except OSError as error:
            raise self._lost(error) from error
        except _BAD as error:
            raise self.invalid(str(error) or "it is no zip archive") from error
        try:
            names = self._zip.namelist()
            self._folder = self._found(names)
            self._names = frozenset(names)
            self.is_big_endian = self._order()
        except Unreadable:
            self.close()
            raise

    def _check_length(self, file: str | IO[bytes]) -> None:
        """Raise Unreadable if the table of contents exceeds the limit."""
        if isinstance(file, str):
            with open(file, "rb") as stream:
                return self._check_length(stream)
        length = directory_length(file)
        if length > LIMITS.directory:
            raise Unreadable(
                "E0704",
                f"the table of contents of `{self.path}` has {length} bytes: "
                f"the limit `directory` is {LIMITS.directory} bytes",
            )
        return None

    def _found(self, names: Sequence[str]) -> str:
        """The folder that contains all files; raises Unreadable if this is no archive of `torch.export.save`."""
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise self.invalid(f"it has two files `{twice[0]}`")
        for name in names:
            folder, _, last = name.rpartition("/")
            if last == "archive_format" and "/" not in folder:
                return f"{folder}/" if folder else ""
        if any(name.rpartition("/")[2] == OLD for name in names):
            raise self.invalid("it was saved by PyTorch before 2.8; export the model again with a newer version")
        raise self.invalid("it has no file `archive_format`, so `torch.export.save` did not write it")

    def _order(self) -> bool:
        """Whether numbers are big-endian; an archive without this information is taken as little-endian."""
        said = self.text("byteorder") if self.has("byteorder") else "little"
        if said not in ORDERS:
            raise self.invalid(f"the byte order is `{said[:20]}`, and not `little` or `big`")
        return ORDERS[said]

    def invalid(self, why: str) -> Unreadable:
        """The error for an archive that cannot be read, with the reason."""
        return Unreadable("E0703", f"`{self.path}` is not a PyTorch export: {why}")

    def _lost(self, error: OSError) -> Unreadable:
        if error.errno == errno.EINVAL:  # an offset outside the file
            return self.invalid("it is damaged")
        return Unreadable("E0701", f"cannot read `{self.path}`: {error.strerror or error}")

    def has(self, name: str) -> bool:
        """Whether the archive has a file of this name."""
        return self._folder + name in self._names

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, relative to it."""
        start = self._folder + folder
        return sorted(name.removeprefix(start) for name in self._names if name.startswith(start))

    def content(self, name: str, most: int = LIMITS.file) -> bytes:
        """The first `most` bytes of a file, or all if it is shorter; no further bytes are unpacked."""
        try:
            info = self._zip.getinfo(self._folder + name)
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise self.invalid(f"`{name}` is compressed by a method that PyTorch does not use")
            with self._zip.open(info) as stream:
                return stream.read(most)
        except KeyError:
            raise self.invalid(f"the file `{name}` is missing") from None
        except OSError as error:
            raise self._lost(error) from error
        except zlib.error as error:
            raise self.invalid(f"`{name}` is damaged, it cannot be unpacked") from error
        except _BAD as error:
            raise self.invalid(f"`{name}`: {_said(error)}") from error

    def text(self, name: str) -> str:
        """The text of a file."""
        data = self.content(name, LIMITS.description + 1)
        if len(data) > LIMITS.description:
            raise Unreadable(
                "E0704",
                f"`{name}` in `{self.path}` is too long: the limit `description` is {LIMITS.description} bytes",
            )
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self.invalid(f"`{name}` is not UTF-8") from error

    def json(self, name: str) -> Any:
        """The JSON of a file; raises Unreadable if the JSON is invalid or nests too deeply."""
        text = self.text(name)
        try:
            with collector_paused():
                return json.loads(text)
        except RecursionError as error:
            raise self.invalid(f"`{name}` is nested too deeply") from error
        except ValueError as error:
            raise self.invalid(f"`{name}` is not JSON: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._zip.close()


_END, _END_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q")
"""The end records of a zip archive, older form and ZIP64: signature, numbers, and size of the table of contents."""
_LOCATOR = struct.Struct("<4sLQL")
"""The record that precedes the older end record and contains the offset of the ZIP64 end record."""


def directory_length(stream: IO[bytes]) -> int:
    """The declared size in bytes of an archive's table of contents; 0 if there is no archive.

    Source: "APPNOTE.TXT - .ZIP File Format Specification", sections 4.3.14 to 4.3.16.
    """
    length = stream.seek(0, os.SEEK_END)
    start = stream.seek(max(0, length - _END.size - 0xFFFF))
    tail = stream.read(_END.size + 0xFFFF)
    found = [0]
    for at in (len(tail) - _END.size, tail.rfind(b"PK\x05\x06")):  # the positions that `zipfile` tries, in this order
        if at < 0 or not tail.startswith(b"PK\x05\x06", at) or len(tail) - at < _END.size:
            continue
        found.append(_END.unpack_from(tail, at)[5])
        stream.seek(max(0, start + at - _LOCATOR.size - _END_64.size))
        before = stream.read(_END_64.size)
        if before.startswith(b"PK\x06\x06") and len(before) == _END_64.size:
            found.append(_END_64.unpack(before)[8])
    return max(one for one in found if one != 0xFFFFFFFF)


def _said(error: Exception) -> str:
    """What is wrong with a file of an archive; a name that differs from the table of contents is not shown."""
    text = str(error)
    return "the table of contents has it under another name" if " and header " in text else text
