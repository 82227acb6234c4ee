"""Constant folding while importing: the value of an application, or the indices of the elements that it selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradual.importers.common.values import Value
from gradual.ops.declaration.operator import Operator
from gradual.run.sizes import plain
from gradual.tensors.fault import TensorFault
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType

FOLDED = 4096
"""The greatest number of elements of a constant that is computed while importing."""
TRACKED = 64
"""The greatest number of elements of a vector that are tracked."""

MOVING = frozenset({"expand_dims", "reshape", "reverse", "squeeze", "strided_slice", "transpose"})
"""Operators on one tensor that only select and reorder elements, as their attributes say."""


def folded(
    operator: Operator, operands: Sequence[Value], settings: Mapping[str, Any], type: OpenedType
) -> Tensor | None:
    """The value of an application to constants if it is one small tensor; else None."""
    if not isinstance(type, TensorType) or [operand for operand in operands if operand.constant is None]:
        return None
    extents = [-1 if size.value is None else size.value for size in type.shape]
    if min(extents, default=0) < 0 or numel(tuple(extents)) > FOLDED:
        return None
    given = [operand.constant for operand in operands]
    parts = [part for one in given if one is not None for part in ((one,) if isinstance(one, Tensor) else one)]
    if any(part.size > FOLDED for part in parts):
        return None
    try:
        value = operator.meaning(*given, **{key: plain(value) for key, value in settings.items()})
    except TensorFault:
        return None
    return value if isinstance(value, Tensor) else None


def drawn(operator: Operator, operands: Sequence[Value], settings: Mapping[str, Any]) -> tuple[Value, Tensor] | None:
    """The vector that an application rearranges, and for each element of the result its index in the vector."""
    if operator.name not in MOVING or not isinstance(operands[0].type, TensorType) or not operands[0].dtype.counts:
        return None
    (data,) = operands
    count = data.tensor.shape[0].value if data.rank == 1 else None
    if data.drawn is not None:
        vector, places = data.drawn
    elif count is not None and count <= TRACKED:
        vector, places = data, Tensor(list(range(count)), DType.INT64, (count,))
    else:
        return None
    found = moved(operator, (places,), settings)
    return None if found is None else (vector, found)


def moved(operator: Operator, places: Sequence[Any], settings: Mapping[str, Any]) -> Tensor | None:
    """Apply to a tensor of indices an operator that only moves elements.

    None if an attribute of the operator contains a symbolic size, or if the operator faults.
    """
    plainly = {key: plain(value) for key, value in settings.items()}
    if any(None in value for value in plainly.values() if isinstance(value, tuple)):
        return None
    try:
        found = operator.meaning(*places, **plainly)
    except TensorFault:
        return None
    return found if isinstance(found, Tensor) else None
