"""What stands in the way of importing a model, told of the whole model at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


class Unsupported(Exception):
    """What of a model is not imported; the argument says what and why, in the user's words."""


class Told(Exception):
    """That something is not imported, after it was told why."""


class Unreadable(Exception):
    """A file that cannot be read, or holds no model.

    Attributes:
        code: E0701, E0703 or E0704.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Refused(Exception):
    """A model that is not imported.

    Attributes:
        reasons: what stands in the way, a line for each kind of node.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a model that is not imported; why is told if anything needs the part."""

    says: str


@dataclass(frozen=True, slots=True)
class Reason:
    """What stands in the way of an import.

    Attributes:
        index: of the node of the model's own graph at which it was met.
        operator: of the node, with those of the functions around it.
        title: what users know the first such node by.
        count: of how many nodes it is said.
    """

    index: int
    operator: str
    title: str
    says: str
    count: int = 1

    def __str__(self) -> str:
        others = f" and {self.count - 1} more" if self.count > 1 else ""
        named = f"{self.operator} `{self.title}`{others}: " if self.operator else ""
        return f"{named}{self.says}"


def grouped(reasons: Sequence[Reason]) -> list[Reason]:
    """Reasons in the order of the model, those of one operator that say the same as one."""
    found: dict[tuple[str, str, str], Reason] = {}
    for one in sorted(reasons, key=lambda reason: reason.index):
        key = (one.operator, one.says, "" if one.operator else one.title)
        first = found.get(key)
        found[key] = one if first is None else replace(first, count=first.count + one.count)
    return list(found.values())
