"""Program texts from paths: files, folders, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradual.diagnostic import Diagnostic
from gradual.source import Source, Span
from gradual.tools.output import Trouble

STDIN = "<stdin>"
MODEL = ".onnx"
"""How the name of a model ends, which is imported."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that was read; `flaw` tells where it is not UTF-8."""

    source: Source
    flaw: Diagnostic | None


def texts(paths: Sequence[str]) -> list[Text]:
    """The texts of files, of `-`, and of every `.relay` file under folders, each once, folders in sorted order."""
    return [read(path) for path in expanded(paths)]


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


def expanded(paths: Iterable[str]) -> list[str]:
    """The paths of the files, `-` as it is, each once; raises Trouble for a folder without any."""
    return list(dict.fromkeys(_expanded(paths)))


def _expanded(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if path != "-" and _is_folder(path):
            yield from _inside(path)
        else:
            yield path if path == "-" else Path(path).as_posix()


def _inside(folder: str) -> list[str]:
    try:
        found = sorted(path.as_posix() for path in Path(folder).rglob("*.relay") if path.is_file())
    except OSError as error:
        raise Trouble("E0701", f"cannot read `{folder}`: {error.strerror}") from error
    if not found:
        raise Trouble("E0701", f"no `.relay` file under `{folder}`")
    return found


def _is_folder(path: str) -> bool:
    """Whether a path is that of a folder; what cannot be looked at is told when it is read."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False
