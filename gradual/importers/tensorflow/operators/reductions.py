"""Reductions, scans along an axis, and the indices of extremes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf

from gradual.dims.term.dim import Dim, RankOf
from gradual.importers.common.applying import positive
from gradual.importers.common.composed.scanning import log_sum_so_far
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import IMPORTERS, Use, imports
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType

REDUCTIONS = {"All": "all", "Any": "any", "Max": "max", "Mean": "mean", "Min": "min", "Prod": "prod", "Sum": "sum"}
"""TensorFlow's name -> the operator."""


def _reduced(operator: str, use: Use) -> Value:
    return _over_axes(use, operator, use[0])


def _over_axes(use: Use, operator: str, x: Value) -> Value:
    """A reduction over the axes that the second input gives; without axes, the tensor itself."""
    axes = None if _are_all(use[1], x) else use[1].numbers("axes")
    if axes == []:
        return x
    settings = {"axis": axes, "keepdims": use.flag("keep_dims") or None}
    if operator in ("max", "min") and isinstance(x.type, TensorType) and _is_over_nothing(x, axes):
        return use.call("full_like", use.call("sum", x, **settings), use.like(_start(operator, x.dtype), x))
    return use.call(operator, x, **settings)


def _is_over_nothing(x: Value, axes: Sequence[int] | None) -> bool:
    """Whether one of the reduced sizes is the number 0."""
    reduced = range(x.rank) if axes is None else (positive(axis, x.rank) for axis in axes)
    return any(x.extent(axis) == 0 for axis in reduced)


def _start(operator: str, dtype: DType) -> float:
    """The maximum or minimum of no elements."""
    least, greatest = (-inf, inf) if dtype.is_float else integer_range(dtype)
    return least if operator == "max" else greatest


def _are_all(axes: Value, x: Value) -> bool:
    """Whether the axes are computed as all numbers from 0 up to the rank of a tensor whose rank is not known."""
    made = axes.made_by("arange")
    if not made or not isinstance(x.type, UnrankedType) or [made[at].elements for at in (0, 2)].count(None):
        return False
    starts, limits = (made[0].numbers("a start"), made[2].numbers("a step")), made[1].tensor.contents or ()
    witnesses = [name.witness for limit in limits if isinstance(limit, Dim) for name in limit.variables()]
    return starts == ([0], [1]) and witnesses == [RankOf(x.type.origin or "")]


IMPORTERS.update({name: partial(_reduced, operator) for name, operator in REDUCTIONS.items()})


@imports("EuclideanNorm")
def euclidean_norm(use: Use) -> Value:
    """The root of the sum of squares."""
    return use.call("sqrt", _over_axes(use, "sum", use.call("multiply", use[0], use[0])))


@imports("ArgMax", "ArgMin")
def place_of_extreme(use: Use) -> Value:
    """The index of the greatest or the least element along an axis, the first one in a tie."""
    operator = use.node.operator.lower()
    axis = use.axis(1, use[0])
    return use.as_type(use.call(operator, use[0], axis=[axis]), use.dtype("output_type", DType.INT64))


@imports("Cumsum", "Cumprod")
def scan(use: Use) -> Value:
    """The sum or product of the elements up to each place along an axis, or from it on if `reverse`."""
    operator, x = use.node.operator.lower(), use[0]
    axis = use.axis(1, x)
    backwards = use.flag("reverse")
    x = use.call("reverse", x, axis=axis) if backwards else x
    found = use.call(operator, x, axis=axis, exclusive=use.flag("exclusive") or None)
    return use.call("reverse", found, axis=axis) if backwards else found


@imports("CumulativeLogsumexp")
def running_log_sum(use: Use) -> Value:
    """The logarithm of the sum of exponentials up to each place along an axis, or from it on if `reverse`."""
    use.only("exclusive", False)
    axis = use.axis(1, use[0])
    backwards = use.flag("reverse")
    x = use.call("reverse", use[0], axis=axis) if backwards else use[0]
    found = log_sum_so_far(use, use.node.name, x, axis)
    return use.call("reverse", found, axis=axis) if backwards else found
