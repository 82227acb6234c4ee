"""How an import reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the number of imported nodes of the model's main graph, and the number of all its nodes."""


def unreported(done: int, total: int) -> None:
    """Report nothing."""
