"""The key of a check: checks with equal keys have equal results, on any machine.

It is a digest of the contents, of the options, and of the version number of the tool.  The results that `gradual check`
keeps on one machine have, in place of the version number, stamps of the installed files, which differ between machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from gradual import __version__
from gradual.tools.checking.cached import digest
from gradual.tools.checking.results import Wanted


def key_of(path: str, wanted: Wanted, others: Sequence[str] = ()) -> str:
    """The key of checking a file, for which other files are read too; empty if it is no file that can be read."""
    own = digest(path)
    if own is None:
        return ""
    parts = (__version__, wanted, own, *map(digest, others))
    return sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]
