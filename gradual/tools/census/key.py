"""The key of a check: checks with equal keys have equal results, on any machine.

It is a digest of the contents, of the options, and of the version of the tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG

from gradual import __version__
from gradual.interface.input.files import PIECE, SAVED_MODEL, is_saved_model
from gradual.tools.checking.results import Wanted

BYTES = 16
"""The length of a digest, which is written in hexadecimal."""


def key_of(path: str, wanted: Wanted, others: Sequence[str] = ()) -> str:
    """The key of checking a file, for which other files are read too; empty if it is no file that can be read."""
    own = _digest(Path(path, SAVED_MODEL) if is_saved_model(path) else Path(path))
    if own is None:
        return ""
    parts = (__version__, wanted, own, *(_digest(Path(other)) for other in others))
    return blake2b(repr(parts).encode(errors="surrogateescape"), digest_size=BYTES).hexdigest()


def _digest(path: Path) -> bytes | None:
    """The digest of a file; None if it is no regular file that can be read."""
    digest = blake2b(digest_size=BYTES)
    try:
        for piece in _pieces(path):
            digest.update(piece)
    except (OSError, ValueError):
        return None
    return digest.digest()


def _pieces(path: Path) -> Iterator[bytes]:
    """The content of a file, piece by piece.  Raises OSError or ValueError if it is none that can be read."""
    if not S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is not a file")
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            yield piece
