"""Reductions along axes, and scans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, Use, imports
from gradual.importers.torch.networks.products import norm
from gradual.importers.torch.operators.elementwise import truth
from gradual.types.dtype import DType

SIMPLE = {"sum": "sum", "mean": "mean", "prod": "prod", "amax": "max", "amin": "min"}
"""ATen's name -> the operator, computed in the element type of the result."""


def settings(use: Use, x: Value) -> dict[str, Any]:
    """The attributes of a reduction: its axes, and whether they are kept."""
    axes = use.axes("dim", x.rank)
    return {"axis": None if axes == list(range(x.rank)) else axes, "keepdims": True if use.flag("keepdim") else None}


def _reduction(operator: str, use: Use) -> Value:
    x = use.as_type(use["self"], use.dtype())
    return use.call(operator, x, **settings(use, x)) if x.rank else x


for _name, _form in (("sum", "dim_IntList"), ("mean", "dim"), ("prod", "dim_int")):
    IMPORTERS[f"aten.{_name}.{_form}"] = partial(_reduction, SIMPLE[_name])
IMPORTERS |= {f"aten.{name}.default": partial(_reduction, operator) for name, operator in SIMPLE.items()}
IMPORTERS |= {f"aten.{name}.default": partial(_reduction, name) for name in ("max", "min")}


@imports("aten.nansum.default", "aten.nanmean.default")
def of_numbers(use: Use) -> Value:
    """The sum or the mean of the elements that are not NaN."""
    x = use.as_type(use["self"], use.dtype())
    is_none = use.call("isnan", x)
    total = use.call("sum", use.call("where", is_none, use.like(0, x), x), **settings(use, x))
    if "sum" in use.node.operator:
        return total
    kept = use.as_type(use.call("logical_not", is_none), x.dtype)
    return use.call("divide", total, use.call("sum", kept, **settings(use, x)))


@imports("aten.count_nonzero.default", "aten.count_nonzero.dim_IntList")
def count_nonzero(use: Use) -> Value:
    """How many elements are not 0."""
    x = use.as_type(truth(use, use["self"]), DType.INT64)
    return use.call("sum", x, **settings(use, x)) if x.rank else x


@imports("aten.any.default", "aten.any.dim", "aten.any.dims", "aten.all.default", "aten.all.dim", "aten.all.dims")
def connected(use: Use) -> Value:
    """Whether any element, or every element, is not 0; the result is uint8 if the elements are, else bool."""
    x = truth(use, use["self"])
    found = use.call(use.node.operator.split(".")[1], x, **settings(use, x)) if x.rank else x
    return use.as_type(found, use.dtype())


@imports("aten.max.dim", "aten.min.dim")
def extreme(use: Use) -> Sequence[Value]:
    """The greatest or least element along an axis, and its index."""
    x, name = use["self"], use.node.operator.split(".")[1]
    if not x.rank:
        return [x, use.builder.number(0, DType.INT64)]
    places = use.call(f"arg{name}", x, **settings(use, x))
    return [use.call(name, x, **settings(use, x)), use.as_type(places, DType.INT64)]


@imports("aten.aminmax.default")
def extremes(use: Use) -> Sequence[Value]:
    """The least and the greatest element."""
    x = use["self"]
    return [use.call(name, x, **settings(use, x)) for name in ("min", "max")] if x.rank else [x, x]


@imports("aten.argmax.default", "aten.argmin.default")
def place(use: Use) -> Value:
    """The index of the greatest or least element along an axis, or of all elements."""
    x, operator = use["self"], use.node.operator.split(".")[1]
    if not x.rank:
        return use.builder.number(0, DType.INT64)
    if use.given("dim") is None:
        x = use.call("reshape", x, newshape=[-1])
        return use.as_type(use.call(operator, x, axis=0), DType.INT64)
    return use.as_type(use.call(operator, x, **settings(use, x)), DType.INT64)


# -------------------------------------------------------------------------------------------------------- variances
@imports(
    *(
        f"aten.{name}.{form}"
        for name in ("var", "std", "var_mean", "std_mean")
        for form in ("default", "dim", "correction")
    )
)
def variance(use: Use) -> Value | Sequence[Value]:
    """The variance or the standard deviation along some axes, alone or with the mean."""
    x, name = use["self"], use.node.operator.split(".")[1]
    reduced = settings(use, x)
    mean = use.call("mean", x, axis=reduced["axis"], keepdims=True)
    found = _variance(use, x, mean, reduced)
    found = use.call("sqrt", found) if name.startswith("std") else found
    return [found, use.call("mean", x, **reduced)] if name.endswith("mean") else found


def _variance(use: Use, x: Value, mean: Value, reduced: dict[str, Any]) -> Value:
    """The sum of squared distances from the mean, divided by the count minus a correction."""
    given = use.given("correction")
    correction = given if given is not None else int(use.flag("unbiased", True))
    if correction in (0, 1):
        return use.call("variance", x, mean, unbiased=True if correction else None, **reduced)
    apart = use.call("subtract", x, mean)
    total = use.call("sum", use.call("multiply", apart, apart), **reduced)
    count = use.builder.number(1, DType.INT64)
    for axis in reduced["axis"] or range(x.rank):
        count = use.call("multiply", count, use.extent(x, axis))
    rest = use.call("subtract", use.as_type(count, x.dtype), use.scalar("correction", x.dtype))
    return use.call("divide", total, use.call("maximum", rest, use.like(0, rest)))


# ------------------------------------------------------------------------------------------------------------ norms
@imports(
    "aten.linalg_vector_norm.default",
    *(f"aten.norm.{form}" for form in ("Scalar", "ScalarOpt_dim", "ScalarOpt_dim_dtype", "ScalarOpt_dtype")),
)
def vector_norm(use: Use) -> Value:
    """The p-norm along some axes."""
    x = use.as_type(use["self"], use.dtype())
    p = use.given("ord" if "linalg" in use.node.operator else "p")
    return norm(use, x, 2 if p is None else p, use.axes("dim", x.rank), use.flag("keepdim"))


@imports("aten.linalg_norm.default", "aten.linalg_matrix_norm.default", "aten.linalg_matrix_norm.str_ord")
def matrix_norm(use: Use) -> Value:
    """A norm of vectors or matrices; a norm that needs singular values is refused."""
    x = use.as_type(use["self"], use.dtype())
    is_matrix = "matrix" in use.node.operator
    order, dim = use.given("ord", "fro" if is_matrix else None), use.given("dim", (-2, -1) if is_matrix else None)
    if order is None or order == "fro":
        return norm(use, x, 2, use.axes("dim", x.rank) if dim != (-2, -1) else _last_two(x), use.flag("keepdim"))
    axes = use.axes("dim", x.rank) if use.given("dim") is not None else _last_two(x) if x.rank > 1 else [0]
    if len(axes) == 1:
        return norm(use, x, order, axes, use.flag("keepdim"))
    if order not in (1, -1, math.inf, -math.inf) or len(axes) != 2:
        raise Unsupported(f"the norm {order} of matrices")
    inner, outer = axes if abs(order) == 1 else axes[::-1]
    sums = use.call("sum", use.call("abs", x), axis=[inner], keepdims=True)
    found = use.call("max" if order > 0 else "min", sums, axis=[outer], keepdims=True)
    return found if use.flag("keepdim") else use.call("squeeze", found, axis=sorted(axes))


def _last_two(x: Value) -> list[int]:
    return [x.rank - 2, x.rank - 1]


@imports("aten.renorm.default")
def renorm(use: Use) -> Value:
    """The slices along an axis; a slice whose norm exceeds a given number is scaled down to it."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    size = norm(use, x, use.given("p"), [at for at in range(x.rank) if at != axis], True)
    most = use.scalar("maxnorm", x.dtype)
    factor = use.call("divide", most, use.call("add", size, use.like(1e-7, x)))
    return use.call("multiply", x, use.call("where", use.call("greater", size, most), factor, use.like(1.0, x)))


# ------------------------------------------------------------------------------------------------------------ scans
@imports("aten.cumsum.default", "aten.cumprod.default")
def cumulated(use: Use) -> Value:
    """The sums or products of all elements up to each position along an axis."""
    x = use.as_type(use["self"], use.dtype())
    return use.call(use.node.operator.split(".")[1], x, axis=use.axis("dim", x.rank)) if x.rank else x


@imports("aten.softmax.int", "aten._softmax.default", "aten.special_softmax.default")
def softmax(use: Use) -> Value:
    """The exponentials along an axis divided by their sum."""
    return _along(use, "nn.softmax")


@imports("aten.log_softmax.int", "aten._log_softmax.default", "aten.special_log_softmax.default")
def log_softmax(use: Use) -> Value:
    """The logarithm of the softmax."""
    return _along(use, "nn.log_softmax")


def _along(use: Use, operator: str) -> Value:
    x = use.as_type(use["self"], use.dtype())
    if x.rank:
        return use.call(operator, x, axis=use.axis("dim", x.rank))
    line = use.call(operator, use.call("reshape", x, newshape=[1]), axis=0)
    return use.call("reshape", line, newshape=[])


@imports("aten.logsumexp.default", "aten.special_logsumexp.default")
def log_sum_exp(use: Use) -> Value:
    """The logarithm of the sum of exponentials, computed relative to the greatest element."""
    x = use.as_type(use["self"], use.dtype())
    if not x.rank:
        return x
    reduced = settings(use, x)
    greatest = use.call("max", x, axis=reduced["axis"], keepdims=True)
    finite = use.call("where", use.call("isinf", greatest), use.like(0.0, x), greatest)
    sums = use.call("sum", use.call("exp", use.call("subtract", x, finite)), axis=reduced["axis"], keepdims=True)
    found = use.call("add", use.call("log", sums), finite)
    return found if use.flag("keepdim") else use.call("squeeze", found, axis=sorted(use.axes("dim", x.rank)))


@imports("aten.diff.default")
def differences(use: Use) -> Value:
    """The n-th differences of neighbours along an axis, after optional tensors are concatenated before and after."""
    x = use["self"]
    axis = use.axis("dim", x.rank, -1)
    parts = [use.optional("prepend"), x, use.optional("append")]
    given = [use.as_type(one, x.dtype) for one in parts if one is not None]
    x = use.call("concatenate", use.builder.tuple(given), axis=axis) if len(given) > 1 else x
    for _ in range(use.integer("n", 1)):
        first, second = (
            use.call("strided_slice", x, begin=[low], end=[high], axes=[axis])
            for low, high in ((0, -1), (1, 2**31 - 1))
        )
        x = use.call("not_equal" if x.dtype is DType.BOOL else "subtract", second, first)
    return x


@imports("aten.trapezoid.dx", "aten.trapz.dx", "aten.cumulative_trapezoid.dx")
def trapezoids(use: Use) -> Value:
    """The integral of equally spaced points along an axis by the trapezoidal rule, in total or up to each point."""
    y = use["y"]
    axis = use.axis("dim", y.rank, -1)
    first, second = (
        use.call("strided_slice", y, begin=[low], end=[high], axes=[axis]) for low, high in ((0, -1), (1, 2**31 - 1))
    )
    parts = use.call("multiply", use.call("add", first, second), use.like(float(use.given("dx", 1)) / 2, y))
    if "cumulative" in use.node.operator:
        return use.call("cumsum", parts, axis=axis)
    return use.call("sum", parts, axis=[axis])


@imports("aten.dist.default")
def distance(use: Use) -> Value:
    """The p-norm of the difference of two tensors."""
    apart = use.call("subtract", use["self"], use["other"])
    return norm(use, apart, use.given("p", 2), range(apart.rank), False)
