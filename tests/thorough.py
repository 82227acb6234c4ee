"""How much of a costly law is looked at: less in `make test`, all in `make check`, more in `make thorough`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

Item = TypeVar("Item")

TIMES = float(os.environ.get("GRADUAL_THOROUGH", "0.12"))
"""The share of the examples that a test names; 1 in `make check`."""


def times(count: int) -> int:
    """How many of so many examples are taken."""
    return max(1, round(count * TIMES))


def enough(count: int) -> int:
    """How many are taken where a test judges their number too: in `make test` as many as in `make check`."""
    return round(count * max(TIMES, 1))


def sample(items: Sequence[Item], of: int) -> Sequence[Item]:
    """What is taken of many cases: one in so many, or all if more than `make check` is asked for."""
    return items if TIMES > 1 else items[::of]


def examples(count: int) -> settings:
    """The settings of a property that is looked at with so many examples."""
    return settings(max_examples=times(count), deadline=None)
