"""Data at another type: its parts flow into the written type, left to right, depth first.  [type.data.convert]"""

from __future__ import annotations

from gradual.checker.elaboration import Elaboration
from gradual.checker.flow import Place
from gradual.types.type import DataType


def converted(state: Elaboration, value: str, source: DataType, target: DataType, place: Place) -> str | None:
    """The data structure at another type; None after reporting that no value could be converted."""
    raise NotImplementedError
