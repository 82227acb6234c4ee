"""Building something large without the garbage collector walking it again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_FROZEN: list[int] = []
"""How many objects other code had frozen when that was first noticed."""


def _others_froze() -> bool:
    """Whether other code froze objects; they are counted one by one, so this is asked only until there are some."""
    if not _FROZEN and (count := gc.get_freeze_count()):
        _FROZEN.append(count)
    return bool(_FROZEN)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector inside the block; afterwards it runs again if it ran before.

    What was built inside is not walked as young objects afterwards: freezing moves all objects into the generation
    that is never walked, and unfreezing moves them from there into the oldest one.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            if not _others_froze():  # unfreezing would release what they froze
                gc.freeze()
                gc.unfreeze()
            gc.enable()
