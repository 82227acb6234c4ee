"""Patterns of a `match`, each name with the type of what it binds."""

from __future__ import annotations

from typing import Annotated

from gradual.core.roles import Parts, Plain, Role, ValueType
from gradual.record import record


@record(eq=False)
class Bind:
    """A pattern that every value matches; `name` is None for `_`."""

    name: Annotated[str | None, Role.DEFINED]
    type: ValueType


@record(eq=False)
class Destructure:
    """A pattern of a constructor, or of a tuple (`constructor` is None)."""

    constructor: Plain[str | None]
    fields: Parts[CorePattern]


CorePattern = Bind | Destructure
