"""The machine without the arithmetic of tensors: shapes are judged and compared as ever, elements are left out."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from gradual.core.terms import Apply
from gradual.limits import LIMITS
from gradual.run.steps import operators
from gradual.run.value import Held
from gradual.tensors.index import numel
from gradual.tensors.scalar import TYPECODES
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from gradual.types.unpacking import tracked_length

LARGE = 1 << 16
"""Tensors of more elements than this have none, only their number."""


@contextmanager
def without_arithmetic() -> Iterator[None]:
    """Let operators give blank tensors, except those whose elements may decide sizes, and those sized by their data."""
    affordable, computed = operators.affordable, operators.computed
    judged: list[Any] = []

    def noted(result: Any, step: Apply) -> None:
        affordable(result, step)
        judged[:] = [result]

    def blanked(step: Apply, values: Sequence[Held], attributes: Mapping[str, Any], *rest: Any) -> Held:
        (result,) = judged
        return _blank(result) if _may_be_blank(result) else computed(step, values, attributes, *rest)

    with patch.object(operators, "affordable", noted), patch.object(operators, "computed", blanked):
        yield


def _may_be_blank(judged: Any) -> bool:
    match judged:
        case TupleType(fields):
            return all(map(_may_be_blank, fields))
        case TensorType(shape):
            sized = all(getattr(size, "value", None) is not None for size in shape)
            return sized and tracked_length(judged, LIMITS.contents, read=True) is None
        case _:
            return False


def _blank(judged: Any) -> Held:
    if isinstance(judged, TupleType):
        return tuple(map(_blank, judged.fields))
    return blank(tuple(size.value for size in judged.shape), judged.dtype)


def blank(shape: tuple[int, ...], dtype: DType) -> Tensor:
    """A tensor of zeros; a large one has no elements, but tells how many it would have."""
    count = numel(shape)
    return tensor_of(shape, dtype, range(count) if count > LARGE else array(TYPECODES[dtype], bytes(count * 8))[:count])
