"""Patterns of a `match`, each name with the type of what it binds."""

from __future__ import annotations

from dataclasses import dataclass

from gradual.types.type import OpenedType


@dataclass(frozen=True, slots=True, eq=False)
class Bind:
    """A pattern that every value matches; `name` is None for `_`."""

    name: str | None
    type: OpenedType


@dataclass(frozen=True, slots=True, eq=False)
class Destructure:
    """A pattern of a constructor, or of a tuple (`constructor` is None)."""

    constructor: str | None
    fields: tuple[CorePattern, ...]


CorePattern = Bind | Destructure
