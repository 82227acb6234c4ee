"""Program texts from paths: files, folders, standard input."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from io import BytesIO
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import IO, TYPE_CHECKING

from gradual.diagnostic import Diagnostic
from gradual.interface.input.foreign import foreign_format
from gradual.interface.terminal import Trouble
from gradual.limits import LIMITS
from gradual.record import record
from gradual.source import Source, Span

if TYPE_CHECKING:
    from gradual.tensors.tensor import Tensor

STDIN = "<stdin>"
PROGRAMS = (".relay", ".rly")
"""The endings of a program's file name; TVM's own is the second."""
MODELS = {".onnx": "onnx", ".pt2": "torch", ".graphdef": "tensorflow", ".pb": "tensorflow"}
"""Ending of a model's file name -> its format."""
SAVED_MODEL = "saved_model.pb"
"""The file in the folder of a SavedModel."""
_ZIP, _WITH_VERSION = b"PK\x03\x04", b"\x08"
"""The first bytes of archives, and of ONNX files, whose first field is the version of the format."""
_GRAPH = re.compile(rb"\n[\x00-\xff]{1,5}?\n[\x01-\x7f][\w.][\w.\\/>-]*\x12[\x01-\x7f][A-Z_]\w*")
"""The first bytes of a graph of TensorFlow: its first node, with the node's name and operator."""


@record
class Text:
    """A text that was read.

    Attributes:
        flaw: the error if it is not UTF-8.
        weights: the weights of an imported model, by name.
        notes: what was said on standard error when the model was imported.
        files: the other files that were read for it, and those that were looked for and not found.
    """

    source: Source
    flaw: Diagnostic | None
    weights: Mapping[str, Tensor] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def model_format(path: str) -> str | None:
    """The format of a model by the ending of its name, or else by its content; None for anything else.

    The result may also be a format that is recognised but not read (`foreign_format`); these are tried first.
    """
    ending = Path(path).suffix.lower()
    if is_saved_model(path):
        return "tensorflow"
    if ending in PROGRAMS or path == "-":
        return None
    head = _head(path)
    if head and (foreign := foreign_format(ending, head)):
        return foreign
    if ending in MODELS:
        return MODELS[ending]
    if _GRAPH.match(head):
        return "tensorflow"
    return "torch" if head.startswith(_ZIP) else "onnx" if head.startswith(_WITH_VERSION) else None


def _head(path: str) -> bytes:
    """The first bytes of a file; empty if it is no regular file or cannot be read (which is reported later)."""
    try:
        with open(path, "rb") as stream:
            return stream.read(512) if S_ISREG(os.fstat(stream.fileno()).st_mode) else b""
    except (OSError, ValueError):
        return b""


def is_saved_model(path: str) -> bool:
    """Whether a path is the folder of a SavedModel; False if it cannot be accessed."""
    try:
        return Path(path, SAVED_MODEL).is_file()
    except (OSError, ValueError):
        return False


@record
class Importing:
    """How a model is imported.

    Attributes:
        where: conditions that `@main` requires.
        opens: whether each size of the inputs is a separate unknown.
        empty: the named sizes that may be 0.
        called: pairs of the model's name of a size and the name in the program.
        guards: whether `@main` requires the guards of an export of PyTorch.
        runs: whether the command runs the model: then a help names only the option to add, not a command to type.
        signature: the signature of a SavedModel that is imported; empty for the default, `serving_default`.
    """

    where: tuple[str, ...] = ()
    opens: bool = False
    empty: tuple[str, ...] = ()
    called: tuple[tuple[str, str], ...] = ()
    guards: bool = False
    runs: bool = False
    signature: str = ""

    def demand(self, path: str) -> str:
        """The words by which a help asks for one more condition (`--where`), up to the quote before the condition."""
        if self.runs:
            return "add `--where '"
        options = [("--name", f"{own}={name}") for own, name in self.called] + [
            ("--empty", name) for name in self.empty
        ]
        options += [("--where", text) for text in self.where]
        options += [("--signature", self.signature)] if self.signature else []
        words = [word for option in options for word in option] + ["--guards"] * self.guards
        return f"`{shlex.join(['gradual', 'check', path, *words])} --where '"


def text_of(path: Path) -> str:
    """The text of an auxiliary file.  Raises Trouble if it cannot be read, UnicodeDecodeError if it is not UTF-8.

    CRLF line ends become LF.
    """
    return content(str(path), "source").decode().replace("\r\n", "\n")


def content(path: str, limit: str) -> bytes:
    """The bytes of a file; raises Trouble if it cannot be read, or is longer than the limit named `limit`."""
    with opened(path, limit) as stream:
        return bounded(stream, f"`{path}`", limit)


@contextmanager
def opened(path: str, limit: str) -> Iterator[IO[bytes]]:
    """Open a file for reading; a pipe or device, which has no size, is read up to the limit `stream`.

    Raises Trouble if it cannot be read, or is longer than the limit named `limit`.
    """
    with _open(path) as stream:
        found = os.fstat(stream.fileno())
        if found.st_size > number(limit):
            raise too_long(f"`{path}`", limit)
        yield stream if S_ISREG(found.st_mode) else BytesIO(bounded(stream, f"`{path}`", "stream"))


def regular(path: str, limit: str) -> None:
    """Raise Trouble unless a path, to be opened by another library, is a regular file within the limit."""
    with _open(path) as stream:
        found = os.fstat(stream.fileno())
    if not S_ISREG(found.st_mode):
        raise Trouble("E0701", f"cannot read `{path}`: it is not a file")
    if found.st_size > number(limit):
        raise too_long(f"`{path}`", limit)


def _open(path: str) -> IO[bytes]:
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(f"`{path}`", error) from error


def bounded(stream: IO[bytes], what: str, limit: str) -> bytes:
    """The rest of a stream; raises Trouble if it cannot be read, or is longer than the limit named `limit`.

    It is read in pieces, so that an endless stream is abandoned at the limit.
    """
    pieces, left = list[bytes](), number(limit) + 1
    try:
        while left > 0 and (piece := stream.read(min(left, PIECE))):
            pieces.append(piece)
            left -= len(piece)
    except OSError as error:
        raise _unreadable(what, error) from error
    if left <= 0:
        raise too_long(what, limit)
    return b"".join(pieces)


def _unreadable(what: str, error: Exception) -> Trouble:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return Trouble("E0701", f"cannot read {what}: {reason}")


def too_long(what: str, limit: str) -> Trouble:
    """The error for an input longer than the limit named `limit`."""
    return Trouble("E0704", f"{what} is too long: the limit `{limit}` is {number(limit)} bytes")


def number(limit: str) -> int:
    """The limit that a name denotes, in bytes."""
    return int(getattr(LIMITS, limit))


PIECE = 1 << 20
"""How many bytes of a stream are read at once."""


def decoded(name: str, data: bytes) -> Text:
    """Decode UTF-8 without a byte order mark; invalid bytes become U+FFFD.  [syntax.token]"""
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


@record
class Absent:
    """A path that cannot be accessed, and why; listed in place of the files under it."""

    path: str
    says: str

    @property
    def trouble(self) -> Trouble:
        """The exception to raise for this path."""
        return Trouble("E0701", self.says)


def expanded(paths: Iterable[str], endings: Sequence[str]) -> list[str | Absent]:
    """The distinct paths, with each folder replaced by the files under it with one of the endings; `-` is kept."""
    return list(dict.fromkeys(_expanded(paths, tuple(endings))))


def streamed(paths: Sequence[str], endings: Sequence[str]) -> Iterator[str | Absent]:
    """The paths of `expanded` one after another; those under a single folder are not held in memory."""
    found = _expanded(paths, tuple(endings))
    return found if len(paths) == 1 else iter(dict.fromkeys(found))


def _expanded(paths: Iterable[str], endings: tuple[str, ...]) -> Iterator[str | Absent]:
    for path in paths:
        if path != "-" and _is_folder(path) and not is_saved_model(path):
            yield from _inside(path, endings)
        else:
            yield path if path == "-" else Path(path).as_posix()


def _inside(folder: str, endings: tuple[str, ...]) -> Iterator[str | Absent]:
    """The files under a folder without hidden subfolders (`.name`), in ascending order; then the unreadable folders."""
    absent: list[Absent] = []
    is_empty = True
    for path in _sorted(folder, endings, absent):
        is_empty = False
        yield path
    if is_empty and not absent:
        said = " or ".join(f"`{ending}`" for ending in endings)
        absent = [Absent(folder, f"no {said} file under `{folder}`")]
    yield from absent


def _sorted(folder: str, endings: tuple[str, ...], absent: list[Absent]) -> Iterator[str]:
    """The paths of the files under a folder in ascending order; only the names of one folder at each depth are held."""

    def unreadable(error: OSError) -> None:
        absent.append(Absent(str(error.filename), f"cannot read `{error.filename}`: {error.strerror}"))

    for _, folders, names in islice(os.walk(folder, onerror=unreadable), 1):
        if SAVED_MODEL in names and Path(SAVED_MODEL).suffix in endings:
            folders, names = [], [SAVED_MODEL]  # the other files of the folder are parts of the SavedModel
        entries = [name for name in names if name.endswith(endings)]
        entries += [f"{name}/" for name in folders if not name.startswith(".")]
        for entry in sorted(entries):
            path = Path(folder, entry)
            if not entry.endswith("/"):
                yield from [path.as_posix()] if path.is_file() else ()
            elif not path.is_symlink():
                yield from _sorted(str(path), endings, absent)


def _is_folder(path: str) -> bool:
    """Whether a path is a folder; False if it cannot be accessed, which is reported when it is read."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False
