"""A single node of ONNX, and what all that build one need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradual.tensors.tensor import Tensor

Attributes = dict[str, Any]


@dataclass(frozen=True)
class Node:
    """A node and what its results have to become: `after` of the list of them."""

    operator: str
    inputs: Sequence[Any]
    attributes: Attributes = field(default_factory=dict)
    outputs: int = 1
    after: Callable[..., Any] = lambda result: result


Builder = Callable[[Sequence[Any], Attributes], Node | None]


def whole(values: Any) -> Any:
    """Integers as ONNX takes them."""
    return np.array(values, dtype=np.int64).reshape(-1)


def has_nan(given: Sequence[Tensor]) -> bool:
    return any(part != part for tensor in given if tensor.dtype.is_float for part in tensor.flat())
