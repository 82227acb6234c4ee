"""What reductions compute of a block of elements, and of many blocks at once with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from gradual.tensors import reals
from gradual.tensors.arrays import folds
from gradual.tensors.arrays.numpy_library import Array
from gradual.tensors.integers import trunc_divide
from gradual.tensors.scalar import Elements, total

Block = Elements


def summed(block: Block) -> float:
    """The sum from left to right."""
    return float(total(block))


def multiplied(block: Block) -> float:
    """The product from left to right."""
    return reduce(float.__mul__, block, 1.0)


def mean(block: Block) -> float:
    """The sum divided by the count; NaN of an empty block."""
    return reals.divide(total(block), float(len(block)))


def integer_mean(block: Block) -> int:
    """The exact sum divided by the count, rounded toward zero."""
    return trunc_divide(sum(block), len(block))


def greatest(block: Block) -> float:
    """The greatest element, or NaN if there is one; +0 is greater than -0."""
    found: float = max(block)
    return reduce(reals.maximum, block) if found == 0.0 or _has_nan(block) else found


def least(block: Block) -> float:
    """The least element, or NaN if there is one; -0 is less than +0."""
    found: float = min(block)
    return reduce(reals.minimum, block) if found == 0.0 or _has_nan(block) else found


def _has_nan(block: Block) -> bool:
    """Whether some element is NaN; if the sum is a number, no element is."""
    return math.isnan(sum(block)) and any(map(math.isnan, block))


ON_ARRAYS: Mapping[Any, Callable[[Array], Array]] = {
    summed: folds.total,
    sum: folds.total,
    multiplied: folds.multiplied,
    math.prod: folds.multiplied,
    mean: lambda blocks: folds.total(blocks) / float(blocks.shape[-1]),
    greatest: folds.greatest,
    max: lambda blocks: blocks.max(-1),
    least: folds.least,
    min: lambda blocks: blocks.min(-1),
    any: lambda blocks: blocks.any(-1),
    all: lambda blocks: blocks.all(-1),
}
"""The function of a block -> the function of the rows of an array with the same bits."""
