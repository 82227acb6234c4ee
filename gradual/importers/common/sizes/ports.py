"""The declared inputs and outputs of a graph."""

from __future__ import annotations

from gradual.importers.common.refusals import Unread
from gradual.record import record
from gradual.types.dtype import DType

Extent = int | str | None
"""A size in a declared shape: a number, the text of a name or formula, or None if it is not declared."""


@record
class Port:
    """An input or output of a graph.

    Attributes:
        dtype: the element type; None if it is not declared, as is allowed in a graph inside another.
        shape: the sizes; None if the rank is not declared.
        sequence: whether the port is a sequence; `dtype` and `shape` are then those of its elements.
        optional: whether the value may be absent.
    """

    name: str
    dtype: DType | Unread | None
    shape: tuple[Extent, ...] | None
    sequence: bool = False
    optional: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether the port is a tensor, and neither a sequence nor optional."""
        return not self.sequence and not self.optional
