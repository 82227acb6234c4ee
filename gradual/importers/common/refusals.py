"""The reasons why a model cannot be imported, collected over the whole model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.record import record


class Unsupported(Exception):
    """A part of a model that cannot be imported; the argument says which and why, in the user's words."""


class Told(Exception):
    """Something cannot be imported, and its reason is already recorded."""


class Misused(ValueError):
    """An option of an import that does not fit the model, such as a name for a size that it has not.

    Attributes:
        option: `where`, `name` or `empty`.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


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
        reasons: why, a line for each kind of node.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


@record
class Unread:
    """A part of a model that cannot be read; its reason is reported only if the part is needed."""

    says: str


@record
class Reason:
    """A reason why a model cannot be imported.

    Attributes:
        index: the index of the node, in the model's own graph, that has it.
        operator: the node's operator, after the functions whose bodies contain the node.
        title: the first such node's name for users.
        count: the number of nodes with this reason.
        place: where the first of them is, in words; empty if nothing is recorded.
    """

    index: int
    operator: str
    title: str
    says: str
    count: int = 1
    place: str = ""

    def __str__(self) -> str:
        others = f" and {self.count - 1} more" if self.count > 1 else ""
        named = f"{self.operator} `{self.title}`{self.place}{others}: " if self.operator else ""
        return f"{named}{self.says}"


def grouped(reasons: Sequence[Reason]) -> list[Reason]:
    """Reasons in the order of the model; equal ones of one operator are merged."""
    found: dict[tuple[str, str, str], Reason] = {}
    for one in sorted(reasons, key=lambda reason: reason.index):
        key = (one.operator, one.says, "" if one.operator else one.title)
        first = found.get(key)
        found[key] = one if first is None else replace(first, count=first.count + one.count)
    return list(found.values())
