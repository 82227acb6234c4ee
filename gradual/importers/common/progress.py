"""How an import reports how far it has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the number of the model's own nodes that are done, and the number of all."""


def unreported(done: int, total: int) -> None:
    """Report nothing."""
