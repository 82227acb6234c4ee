"""Smaller inputs that fail in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tests.fuzz.inputs import PIECES

Fails = Callable[[str], bool]


def minimised(text: str, fails: Fails, seconds: float = 20) -> str:
    """A text none of whose lines and tokens can be left out, or the best found in the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        smaller = _thinned(text.splitlines(keepends=True), fails, deadline)
        smaller = _thinned(PIECES.findall(smaller), fails, deadline)
        if smaller == text:
            break
        text = smaller
    return text


def _thinned(pieces: Sequence[str], fails: Fails, deadline: float) -> str:
    """The pieces without every run of them that is not needed, longest runs first."""
    kept, run = list(pieces), max(len(pieces) // 2, 1)
    while run:
        at = 0
        while at < len(kept) and time.monotonic() < deadline:
            without = kept[:at] + kept[at + run :]
            if fails("".join(without)):
                kept = without
            else:
                at += run
        run //= 2
    return "".join(kept)
