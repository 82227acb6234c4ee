"""The key of a check: equal keys have equal results.

It is the digest of the content, of the options, and of the version of the tool.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG

from gradual import __version__
from gradual.interface.input.files import PIECE, SAVED_MODEL
from gradual.tools.checking.checking import Wanted

BYTES = 16
"""The length of a digest, which is written in hexadecimal."""


def key_of(path: str, wanted: Wanted) -> str:
    """The key of checking a file, or the folder of a SavedModel; empty if it is no file that can be read."""
    digest = blake2b(f"{__version__}\n{wanted!r}\n".encode(), digest_size=BYTES)
    try:
        for name, part in _parts(Path(path)):
            found = part.stat()
            if not S_ISREG(found.st_mode):
                return ""
            digest.update(f"{name} {found.st_size}\n".encode(errors="surrogateescape"))
            with part.open("rb") as stream:
                while piece := stream.read(PIECE):
                    digest.update(piece)
    except (OSError, ValueError):  # the check reports it
        return ""
    return digest.hexdigest()


def _parts(path: Path) -> Iterator[tuple[str, Path]]:
    """The files of a model, each with its name: for a SavedModel, all files in its folder, sorted."""
    folder = path if path.is_dir() else path.parent if path.name == SAVED_MODEL else None
    if folder is None:
        yield "", path
        return
    for place, folders, names in os.walk(folder):
        folders.sort()
        for part in (Path(place, name) for name in sorted(names)):
            yield part.relative_to(folder).as_posix(), part
