"""What is called in child processes: what exceeds limits, and what ends its process."""

from __future__ import annotations

import os
import time
from pathlib import Path


def eats(megabytes: int) -> int:
    """Uses memory for a while."""
    held = bytearray(megabytes << 20)
    time.sleep(1)
    return len(held) >> 20


def spins() -> None:
    """Never ends, and does not listen to anything."""
    while True:
        pass


def fails() -> None:
    """Runs out of memory."""
    raise MemoryError


def ends_once(marker: str) -> str:
    """Ends its process the first time."""
    if not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return "done"


def pid_later() -> int:
    """The process, after the other threads had time to begin."""
    time.sleep(0.5)
    return os.getpid()
