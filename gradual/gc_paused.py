"""Building something large without the garbage collector walking it again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
            if not gc.get_freeze_count():  # unfreezing would release what other code froze
                gc.freeze()
                gc.unfreeze()
            gc.enable()
