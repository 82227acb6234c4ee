"""Values of a run in the syntax of cases."""

from __future__ import annotations

from typing import Any

from gradual.interface.input.values import Built, Fields, Literal, Values
from gradual.tensors.value import Constructed


def values_of(value: Any) -> Values:
    """A value in the syntax of cases; every `Literal` inside has its dtype."""
    if isinstance(value, tuple):
        return Fields(tuple(map(values_of, value)))
    if isinstance(value, Constructed):
        return Built(value.constructor, tuple(map(values_of, value.fields)))
    return Literal(str(value.dtype), tuple(value.shape), tuple(value.flat()))
