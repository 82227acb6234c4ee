"""How much the gate takes of laws that are costly to look at; `make thorough` takes more of each, or all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

Item = TypeVar("Item")

TIMES = int(os.environ.get("GRADUAL_THOROUGH", "1"))


def times(count: int) -> int:
    """What the gate takes, as often as is asked for."""
    return count * TIMES


def sample(items: Sequence[Item], of: int) -> Sequence[Item]:
    """What the gate takes of many cases: one in so many; all where more than the gate is asked for."""
    return items if TIMES > 1 else items[::of]


def examples(count: int) -> settings:
    """The settings of a property of which the gate sees so many examples."""
    return settings(max_examples=times(count), deadline=None)
