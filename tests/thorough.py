"""How much the gate takes of laws that are costly to look at; `make thorough` takes more of each."""

from __future__ import annotations

import os

from hypothesis import settings

TIMES = int(os.environ.get("GRADUAL_THOROUGH", "1"))


def times(count: int) -> int:
    """What the gate takes, as often as is asked for."""
    return count * TIMES


def examples(count: int) -> settings:
    """The settings of a property of which the gate sees so many examples."""
    return settings(max_examples=times(count), deadline=None)
