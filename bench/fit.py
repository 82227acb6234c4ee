"""How cost grows with size."""

from __future__ import annotations

from collections.abc import Sequence
from math import log


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The k of the best `cost = c * size**k`: least squares on the logarithms.

    >>> round(exponent([1, 10, 100], [3, 300, 30_000]), 6)
    2.0
    """
    xs, ys = [log(size) for size in sizes], [log(cost) for cost in costs]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)
