"""Program texts from paths: files, folders, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradual.diagnostic import Diagnostic
from gradual.source import Source, Span
from gradual.tools.output import Trouble

STDIN = "<stdin>"
PROGRAM = ".relay"
"""How the name of a program ends."""
MODEL = ".onnx"
"""How the name of a model ends, which is imported."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that was read; `flaw` tells where it is not UTF-8."""

    source: Source
    flaw: Diagnostic | None


def read(path: str) -> Text:
    """One text, of a model its program; raises Trouble where it cannot be read."""
    if path.endswith(MODEL):
        from gradual.tools.imported import imported

        return Text(Source(Path(path).as_posix(), imported(path).text), None)
    return decoded(STDIN, sys.stdin.buffer.read()) if path == "-" else decoded(Path(path).as_posix(), content(path))


def content(path: str) -> bytes:
    """The bytes of a file; raises Trouble where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Trouble("E0701", f"cannot read `{path}`: {reason}") from error


def decoded(name: str, data: bytes) -> Text:
    """The text of UTF-8 bytes, without a byte order mark; bytes that are none are shown as U+FFFD.  [syntax.token]"""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return Text(Source(name, data.decode()), None)
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode())
        flaw = Diagnostic(
            code="E0102",
            rule="syntax.token",
            message=f"the text is not UTF-8: unexpected byte 0x{data[error.start]:02x}",
            span=Span(at, at + 1),
            label="not a character",
        )
        return Text(Source(name, data.decode(errors="replace")), flaw)


@dataclass(frozen=True, slots=True)
class Absent:
    """What cannot be looked at, in the place of the files under it, and why."""

    path: str
    says: str

    @property
    def trouble(self) -> Trouble:
        """The same to be raised."""
        return Trouble("E0701", self.says)


def expanded(paths: Iterable[str], endings: Sequence[str]) -> list[str | Absent]:
    """The paths of the files, `-` as it is, each once; for a folder those under it with such an ending, sorted."""
    return list(dict.fromkeys(_expanded(paths, tuple(endings))))


def _expanded(paths: Iterable[str], endings: tuple[str, ...]) -> Iterator[str | Absent]:
    for path in paths:
        if path != "-" and _is_folder(path):
            yield from _inside(path, endings)
        else:
            yield path if path == "-" else Path(path).as_posix()


def _inside(folder: str, endings: tuple[str, ...]) -> list[str | Absent]:
    """The files under a folder; folders whose name begins with a dot are left out, as those of tools are."""
    found: list[str] = []
    absent: list[str | Absent] = []

    def unreadable(error: OSError) -> None:
        absent.append(Absent(str(error.filename), f"cannot read `{error.filename}`: {error.strerror}"))

    for place, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(place, name) for name in names if name.endswith(endings))
        found += [path.as_posix() for path in paths if path.is_file()]
    if not found and not absent:
        said = " or ".join(f"`{ending}`" for ending in endings)
        return [Absent(folder, f"no {said} file under `{folder}`")]
    return [*sorted(found), *absent]


def _is_folder(path: str) -> bool:
    """Whether a path is that of a folder; what cannot be looked at is told when it is read."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False
