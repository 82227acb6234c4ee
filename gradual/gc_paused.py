"""Building something large without the garbage collector walking it again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """The collector rests inside, and runs again afterwards if it ran before.

    What was built is old at once, instead of being walked as young garbage: freezing moves everything into the
    generation that is never walked, and unfreezing from there into the oldest.
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
