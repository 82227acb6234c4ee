"""The reasons why a model cannot be imported, collected over the whole model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.record import record


class Unsupported(Exception):
    """Raised for a part of a model that cannot be imported; the argument names the part and the reason for users."""


class Told(Exception):
    """Raised if a part cannot be imported and the reason for this is already recorded."""


class Misused(ValueError):
    """Raised for an option that does not fit the model, such as a name for a size that the model does not have.

    Attributes:
        option: `where`, `name` or `empty`.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class Unreadable(Exception):
    """Raised for a file that cannot be read, or that contains no model.

    Attributes:
        code: E0701, E0703 or E0704.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Refused(Exception):
    """Raised for a model that cannot be imported.

    Attributes:
        reasons: the reasons, a line for each kind of node.
        operators: the operators of these nodes.
    """

    def __init__(self, reasons: Sequence[Reason | str]) -> None:
        self.reasons = tuple(map(str, reasons))
        super().__init__("; ".join(self.reasons))
        self.operators = tuple(
            dict.fromkeys(one.operator for one in reasons if isinstance(one, Reason) and one.operator)
        )


@record
class Unread:
    """A part of a model that cannot be read; the reason is reported only if the part is needed."""

    says: str


@record
class Reason:
    """A reason why a model cannot be imported.

    Attributes:
        index: the index in the model's main graph of the node with this reason.
        operator: the node's operator, preceded by the functions whose bodies contain the node.
        title: the first such node's name for users.
        count: the number of nodes with this reason.
        place: the source position of the first such node, in words; empty if none is recorded.
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
