"""Operators that bring the elements along some axes together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, Use, imports
from gradual.importers.torch.operators.elementwise import truth
from gradual.types.dtype import DType

SIMPLE = {"sum": "sum", "mean": "mean", "prod": "prod", "amax": "max", "amin": "min"}
"""ATen's name -> the operator, computed in the element type of the result."""


def _settings(use: Use, x: Value) -> dict[str, Any]:
    axes = use.axes("dim", x.rank)
    return {"axis": None if axes == list(range(x.rank)) else axes, "keepdims": True if use.flag("keepdim") else None}


def _reduction(operator: str, use: Use) -> Value:
    x = use.as_type(use["self"], use.dtype())
    return use.call(operator, x, **_settings(use, x)) if x.rank else x


for _form in ("default", "dim", "dim_IntList", "dim_int"):
    IMPORTERS |= {f"aten.{name}.{_form}": partial(_reduction, operator) for name, operator in SIMPLE.items()}
IMPORTERS |= {f"aten.{name}.default": partial(_reduction, name) for name in ("max", "min")}


@imports("aten.any.default", "aten.any.dim", "aten.any.dims", "aten.all.default", "aten.all.dim", "aten.all.dims")
def connected(use: Use) -> Value:
    """Whether any element is not 0, or whether all are not."""
    x = truth(use, use["self"])
    return use.call(use.node.operator.split(".")[1], x, **_settings(use, x)) if x.rank else x


@imports("aten.max.dim", "aten.min.dim")
def extreme(use: Use) -> Sequence[Value]:
    """The greatest or least element along an axis, and where it is."""
    x, name = use["self"], use.node.operator.split(".")[1]
    settings = _settings(use, x)
    places = use.call(f"arg{name}", x, **settings)
    return [use.call(name, x, **settings), use.as_type(places, DType.INT64)]


@imports("aten.argmax.default", "aten.argmin.default")
def place(use: Use) -> Value:
    """The index of the greatest or least element along an axis, or among all."""
    x = use["self"]
    if use.given("dim") is None:
        x = use.call("reshape", x, newshape=[-1])
        return use.as_type(use.call(use.node.operator.split(".")[1], x, axis=0), DType.INT64)
    return use.as_type(use.call(use.node.operator.split(".")[1], x, **_settings(use, x)), DType.INT64)


@imports("aten.var.correction", "aten.std.correction", "aten.var.dim", "aten.std.dim", "aten.var_mean.correction")
def variance(use: Use) -> Value | Sequence[Value]:
    """The variance along some axes, its root, or the variance and the mean."""
    x = use["self"]
    settings = _settings(use, x)
    mean = use.call("mean", x, axis=settings["axis"], keepdims=True)
    correction = use.given("correction", 1 if use.flag("unbiased", True) else 0)
    unbiased = True if correction == 1 else None
    if correction not in (0, 1):
        use.only("correction", 1, 0)
    found = use.call("variance", x, mean, unbiased=unbiased, **settings)
    if use.node.operator.startswith("aten.std"):
        return use.call("sqrt", found)
    return [found, use.call("mean", x, **settings)] if use.node.operator.startswith("aten.var_mean") else found


@imports("aten.cumsum.default", "aten.cumprod.default")
def cumulated(use: Use) -> Value:
    """The sums or products of all elements up to each position along an axis."""
    x = use.as_type(use["self"], use.dtype())
    return use.call(use.node.operator.split(".")[1], x, axis=use.axis("dim", x.rank)) if x.rank else x


@imports("aten.softmax.int", "aten._softmax.default", "aten.log_softmax.int", "aten._log_softmax.default")
def softmax(use: Use) -> Value:
    """The exponentials along an axis divided by their sum, or the logarithm of that."""
    x = use.as_type(use["self"], use.dtype())
    operator = "nn.log_softmax" if "log" in use.node.operator else "nn.softmax"
    return use.call(operator, x, axis=use.axis("dim", x.rank))
