"""Results of earlier checks, kept in the folder `.gradual_cache`, so that an unchanged file is not checked again.

There is one entry for each file and request.  It holds a result and what the result was made from: a digest of the
file's content, the version of the tool, and stamps of the other files that were read.  If one of these differs, the
file is checked.  An entry is replaced as a whole, so runs at the same time do not disturb each other, and one that is
damaged counts as absent.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from itertools import chain
from pathlib import Path
from stat import S_ISREG
from typing import Any

from gradual import __version__
from gradual.diagnostic import Diagnostic, Edit, Help, Related, Severity
from gradual.interface.input.files import SAVED_MODEL, Absent, Text, is_saved_model
from gradual.interface.input.settings import settings_for
from gradual.interface.terminal import tell_notes
from gradual.origin import Frame, Origin, Origins
from gradual.record import record
from gradual.resources import folder
from gradual.source import Source, Span
from gradual.tools.checking.results import Checked, Outcome, Unit, Wanted

FOLDER = ".gradual_cache"
TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# The results of `gradual check`; safe to delete.\n"
"""The content of a file that marks a folder as a cache (bford.info/cachedir)."""
_LIBRARIES = ("z3", "onnx", "google.protobuf")
"""The libraries that results depend on."""
_CLASSES = {
    (one.__module__, one.__qualname__): one
    for one in (
        *(Checked, Outcome, Diagnostic, Severity, Related, Help, Edit),
        *(Source, Span, Origins, Origin, Frame),
    )
}
"""The classes of the objects in a result."""

Stamp = tuple[str, tuple[int, int] | None]
"""A file, with the time of its last change in nanoseconds and its size in bytes; None if it cannot be accessed."""
UNSETTLED = 2_000_000_000
"""A file that changed less than so many nanoseconds ago may change again without a change of its stamp."""


@record
class Entry:
    """The place of the result for one file and request."""

    place: Path
    path: str

    def result(self) -> Checked | None:
        """The result; None if there is none for the file as it is now."""
        try:
            whole = self.place.read_bytes()
            made, content, stamps, checked = _Reader(BytesIO(zlib.decompress(whole))).load()
            is_valid = made == version() and content == digest(self.path) and stamps == [*map(_stamp, dict(stamps))]
        except Exception:  # `pickle` does not say what reading damaged data may raise
            return None
        return checked if is_valid and isinstance(checked, Checked) else None

    def keep(self, content: str, stamps: Sequence[Stamp], checked: Checked) -> None:
        """Save a result, unless the folder is read-only."""
        data = zlib.compress(pickle.dumps((version(), content, [*stamps], checked), protocol=5), 1)
        try:
            _prepared(self.place.parent)
            draft = self.place.with_name(f"{self.place.name}.{os.getpid()}")
            draft.write_bytes(data)
            draft.replace(self.place)
        except OSError:
            return


class _Reader(pickle.Unpickler):
    """Reads results only: a folder that came with someone else's files must not be able to run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _CLASSES:
            raise pickle.UnpicklingError(f"{module}.{name} is not part of a result")
        return _CLASSES[module, name]


def result_of(unit: Unit, wanted: Wanted) -> Checked:
    """The result for a file: a kept one, or else a new one, which is kept.  Raises Trouble if it cannot be read."""
    if isinstance(unit, Absent):
        raise unit.trouble
    if wanted.cached and isinstance(unit, str):
        return _kept_or_new(unit, wanted)
    return _new(unit, wanted)


def _kept_or_new(path: str, wanted: Wanted) -> Checked:
    entry = Entry(_place(path, wanted), path)
    if (known := entry.result()) is not None:
        tell_notes(path, known.notes)
        return known
    before, began = digest(path), time.time_ns()
    checked = _new(path, wanted)
    stamps = [_stamp(file) for file in _beside(path, checked)]
    settled = all(stamp is None or stamp[0] < began - UNSETTLED for _, stamp in stamps)
    if before is not None and before == digest(path) and settled:
        entry.keep(before, stamps, checked)
    return checked


def _new(unit: str | Text, wanted: Wanted) -> Checked:
    from gradual.tools.checking.checking import checked_file

    return checked_file(unit, wanted)


def cache_folder() -> Path:
    """The folder of results: beside the configuration that holds in the working directory, or else directly in it."""
    file = settings_for(os.curdir).file
    return (Path.cwd() if file is None else file.parent) / FOLDER


def digest(path: str) -> str | None:
    """A digest of the content of a program or model; None if it is not a regular file that can be read."""
    file = Path(path, SAVED_MODEL) if is_saved_model(path) else Path(path)
    try:
        if not S_ISREG(file.stat().st_mode):  # to open a pipe would disturb its writer
            return None
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


@cache
def version() -> str:
    """A digest of what results depend on besides files and options: this package, its libraries, and Python."""
    package = Path(__file__).parents[2]
    files = chain.from_iterable(_files(str(place)) for place in (package, folder("grammar")))
    told = [__version__, sys.version, *map(_stamp, files), *map(_library, _LIBRARIES)]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def _place(path: str, wanted: Wanted) -> Path:
    """The file with the result for a path and a request; a report has paths relative to the working directory."""
    key = repr((os.getcwd(), path, wanted))
    return cache_folder() / f"{hashlib.sha256(key.encode(errors='surrogateescape')).hexdigest()[:32]}.bin"


def _beside(path: str, checked: Checked) -> list[str]:
    """The other files that a result may depend on: parts of the model, and the user's Python files."""
    origins = checked.source.origins or ()
    frames = (frame.file for origin in origins for frame in origin.frames)
    return sorted({*checked.files, *frames})


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return path, None
    return path, (found.st_mtime_ns, found.st_size)


def _files(place: str) -> Iterator[str]:
    """The files under a folder, in order, without the bytecode files of Python."""
    for here, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (f"{here}{os.sep}{name}" for name in sorted(names))


def _library(name: str) -> Stamp | None:
    """A stamp of the folder of a library, which changes when another version is installed; None without it."""
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        return None
    return None if found is None or found.origin is None else _stamp(os.path.dirname(found.origin))


def _prepared(place: Path) -> None:
    """Make the folder of results, marked as a cache and ignored by git."""
    place.mkdir(parents=True, exist_ok=True)
    for name, text in ((TAG, _SIGNATURE), (".gitignore", "*\n")):
        if not (place / name).exists():
            (place / name).write_text(text, encoding="utf-8")
