"""Inputs and outputs of a graph as a model declares them."""

from __future__ import annotations

from gradual.importers.common.refusals import Unread
from gradual.record import record
from gradual.types.dtype import DType

Extent = int | str | None
"""A size of a declared shape: a number, a name or formula, or nothing said."""


@record
class Port:
    """An input or output of a graph.

    Attributes:
        dtype: None where it is not declared, as graphs inside others need not.
        shape: None where not even the rank is declared.
        sequence: whether it is a sequence, of whose elements the other two speak.
        optional: whether it may be absent.
    """

    name: str
    dtype: DType | Unread | None
    shape: tuple[Extent, ...] | None
    sequence: bool = False
    optional: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor that is always there."""
        return not self.sequence and not self.optional
