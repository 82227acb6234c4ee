"""The files inside a `.pt2` archive: a zip with JSON and raw weights, of which only what is needed is unpacked."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from gradual.importers.common.refusals import Unreadable
from gradual.limits import LIMITS

_BAD = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What reading a damaged, encrypted or strangely compressed archive raises."""

OLD = "serialized_exported_program.json"
"""What an archive of PyTorch before 2.8 has, whose weights are pickled."""


class Archive:
    """An open archive; each file is unpacked when it is asked for, and never beyond the limit `file`.

    Attributes:
        path: of the archive, for messages.
    """

    def __init__(self, file: str | IO[bytes], path: str) -> None:
        self.path = path
        try:
            self._zip = ZipFile(file)
            names = self._zip.namelist()
        except OSError as error:
            raise Unreadable("E0701", f"cannot read `{path}`: {error.strerror or error}") from error
        except _BAD as error:
            raise self.invalid(str(error) or "it is no zip archive") from error
        self._folder = self._found(names)
        self._names = frozenset(names)

    def _found(self, names: Sequence[str]) -> str:
        """The folder that everything is in; raises Unreadable where it is no archive of `torch.export.save`."""
        for name in names:
            folder, _, last = name.rpartition("/")
            if last == "archive_format" and "/" not in folder:
                return f"{folder}/" if folder else ""
        if any(name.rpartition("/")[2] == OLD for name in names):
            raise self.invalid("it was saved by PyTorch before 2.8; export the model again with a newer version")
        raise self.invalid("it has no file `archive_format`, so `torch.export.save` did not write it")

    def invalid(self, why: str) -> Unreadable:
        """The error for an archive that cannot be read, and why."""
        return Unreadable("E0703", f"`{self.path}` is not a PyTorch export: {why}")

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._folder + name in self._names

    def content(self, name: str) -> bytes:
        """The bytes of a file, which is unpacked no further than the limit, whatever it says of its length."""
        try:
            with self._zip.open(self._folder + name) as stream:
                data = stream.read(LIMITS.file + 1)
        except KeyError:
            raise self.invalid(f"the file `{name}` is missing") from None
        except OSError as error:
            raise Unreadable("E0701", f"cannot read `{self.path}`: {error.strerror or error}") from error
        except _BAD as error:
            raise self.invalid(f"`{name}`: {error}") from error
        if len(data) > LIMITS.file:
            raise Unreadable("E0704", f"`{name}` in `{self.path}` has more than the limit `file`, {LIMITS.file} bytes")
        return data

    def text(self, name: str) -> str:
        """The text of a file."""
        try:
            return self.content(name).decode()
        except UnicodeDecodeError as error:
            raise self.invalid(f"`{name}` is not UTF-8") from error

    def json(self, name: str) -> Any:
        """The JSON of a file; raises Unreadable also for one that nests too deep."""
        try:
            return json.loads(self.text(name))
        except RecursionError as error:
            raise self.invalid(f"`{name}` is nested too deeply") from error
        except ValueError as error:
            raise self.invalid(f"`{name}` is not JSON: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
