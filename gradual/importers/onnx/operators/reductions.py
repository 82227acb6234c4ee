"""Operators that combine elements along axes: reductions, scans, softmax, einsum."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from gradual.importers.common.applying import positive
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import IMPORTERS, Use, as_scalar, imports
from gradual.ops.declaration.sign_analysis import is_positive
from gradual.syntax.tree.literals import written
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType
from gradual.types.type import TensorType

_INPUT_SINCE = {"ReduceSum": 13}
"""The first version in which the axes are an input; for the other operators it is 18."""

Reduced = Callable[..., Value]


def _axes(use: Use) -> list[int] | None:
    """The axes; None means all.  A repeated axis counts once, as in ONNX Runtime."""
    since = _INPUT_SINCE.get(use.node.operator, 18)
    axes = use.axes() if use.opset >= since else use.attribute("axes")
    if axes is None:
        return None
    places = [positive(axis, use[0].rank) for axis in axes]
    return list(axes) if len(set(places)) == len(places) else sorted(set(places))


def _reduction(reduced: Reduced, before: str | None, after: str | None, use: Use) -> Value:
    axes, x = _axes(use), use[0]
    if not axes and use.attribute("noop_with_empty_axes", 0):
        return _done(use, after, _begun(use, before, x))
    settings: dict[str, Any] = {"axis": axes or None, "keepdims": bool(use.attribute("keepdims", 1)) or None}
    return _done(use, after, reduced(use, _begun(use, before, x), settings))


def _begun(use: Use, before: str | None, x: Value) -> Value:
    if before == "square":
        return use.call("multiply", x, x)
    return x if before is None else use.call(before, x)


def _done(use: Use, after: str | None, value: Value) -> Value:
    return value if after is None else _in_floats(partial(use.call, after), use, value)


def _in_floats(computed: Callable[[Value], Value], use: Use, x: Value) -> Value:
    """Apply a function of floats; integers are cast to float64 and back."""
    if x.dtype.is_float:
        return computed(x)
    return use.call("cast", computed(use.call("cast", x, dtype=DType.FLOAT64)), dtype=x.dtype)


def _plainly(operator: str, use: Use, x: Value, settings: dict[str, Any]) -> Value:
    return use.call(operator, x, **settings)


def _extreme(operator: str, use: Use, x: Value, settings: dict[str, Any]) -> Value:
    """The maximum or minimum; the identity is appended to an axis that may be empty, since ONNX returns it then."""
    reduced = settings["axis"] or range(x.rank)
    empty = {positive(axis, x.rank) for axis in reduced} & {
        axis for axis, size in enumerate(x.tensor.shape) if not is_positive(size)
    }
    if empty:
        x = _with_one_more(use, x, empty, _bound(x.dtype, operator == "max"))
    return use.call(operator, x, **settings)


def _with_one_more(use: Use, x: Value, axes: Collection[int], filling: float) -> Value:
    """The tensor with one more element at the end of some axes."""
    widths = [[0, int(axis in axes)] for axis in range(x.rank)]
    return use.call("nn.pad", x, use.like(filling, x), pad_width=widths)


def _bound(dtype: DType, least: bool) -> float:
    """The least or the greatest element of a type."""
    if dtype.is_float:
        return -math.inf if least else math.inf
    return not least if dtype is DType.BOOL else integer_range(dtype)[0 if least else 1]


def _log_of_sum_of_exp(use: Use, x: Value, settings: dict[str, Any]) -> Value:
    return _in_floats(lambda floats: _log_sum_exp(use, floats, settings), use, x)


def _log_sum_exp(use: Use, x: Value, settings: dict[str, Any]) -> Value:
    """log(sum(exp(x))) without overflow: the maximum, if finite, is subtracted first and added at the end."""
    greatest, outside = (
        _finite(use, _extreme("max", use, x, one)) for one in ({**settings, "keepdims": True}, settings)
    )
    shifted = use.call("exp", use.call("subtract", x, greatest))
    return use.call("add", use.call("log", use.call("sum", shifted, **settings)), outside)


def _finite(use: Use, x: Value) -> Value:
    return use.call("where", use.call("isfinite", x), x, use.like(0.0, x))


REDUCTIONS: dict[str, tuple[Reduced, str | None, str | None]] = {
    "ReduceMax": (partial(_extreme, "max"), None, None),
    "ReduceMean": (partial(_plainly, "mean"), None, None),
    "ReduceMin": (partial(_extreme, "min"), None, None),
    "ReduceProd": (partial(_plainly, "prod"), None, None),
    "ReduceSum": (partial(_plainly, "sum"), None, None),
    "ReduceL1": (partial(_plainly, "sum"), "abs", None),
    "ReduceL2": (partial(_plainly, "sum"), "square", "sqrt"),
    "ReduceLogSum": (partial(_plainly, "sum"), None, "log"),
    "ReduceLogSumExp": (_log_of_sum_of_exp, None, None),
    "ReduceSumSquare": (partial(_plainly, "sum"), "square", None),
}
"""Name -> the reduction, an operator for each element before the reduction, and one for its result."""

IMPORTERS |= {("", name): partial(_reduction, *parts) for name, parts in REDUCTIONS.items()}


@imports("ArgMax", "ArgMin")
def place(use: Use) -> Value:
    """The index of the greatest or least element."""
    operator = use.node.operator.lower()
    found = use.call(
        operator,
        use[0],
        axis=use.attribute("axis", 0),
        keepdims=bool(use.attribute("keepdims", 1)),
        select_last_index=True if use.attribute("select_last_index", 0) else None,
    )
    return use.call("cast", found, dtype=DType.INT64)


@imports("CumSum", "CumProd")
def cumulated(use: Use) -> Value:
    """The sums or products of all elements up to each position along an axis."""
    axis = positive(as_scalar(use, use[1]).numbers("the axis")[0], use[0].rank)
    backwards = bool(use.attribute("reverse", 0))
    exclusive = True if use.attribute("exclusive", 0) else None
    x = use.call("reverse", use[0], axis=axis) if backwards else use[0]
    found = use.call(use.node.operator.lower(), x, axis=axis, exclusive=exclusive)
    return use.call("reverse", found, axis=axis) if backwards else found


# --------------------------------------------------------------------------------------------------------- softmax
def _along(computed: Callable[[Use, Value, int], Value], use: Use) -> Value:
    """Apply a function along one axis; before version 13, along that axis and all later ones, flattened."""
    x = use[0]
    if use.opset >= 13:
        return computed(use, x, use.attribute("axis", -1))
    axis = positive(use.attribute("axis", 1), x.rank)
    if axis == x.rank - 1:
        return computed(use, x, axis)
    flat = use.call("reshape", x, newshape=[0] * axis + [-1])
    return use.call("reshape_like", computed(use, flat, -1), x)


def _softmax(operator: str, use: Use, x: Value, axis: int) -> Value:
    return use.call(operator, x, axis=axis)


def _hardmax(use: Use, x: Value, axis: int) -> Value:
    """1 at the first maximum along an axis, 0 elsewhere."""
    place = positive(axis, x.rank)
    some = is_positive(x.tensor.shape[place])
    places = use.call("argmax", x if some else _with_one_more(use, x, [place], -math.inf), axis=place, keepdims=True)
    zero, one, size = use.builder.number(0, DType.INT32), use.builder.number(1, DType.INT32), use.extent(x, place)
    count = use.call("arange", zero, use.call("cast", size, dtype=DType.INT32), one, dtype=DType.INT32)
    after = x.rank - 1 - place
    lane = use.call("expand_dims", count, axis=1, num_newaxis=after) if after else count
    return use.call("cast", use.call("equal", places, lane), dtype=x.dtype)


IMPORTERS |= {
    ("", "Hardmax"): partial(_along, _hardmax),
    ("", "LogSoftmax"): partial(_along, partial(_softmax, "nn.log_softmax")),
    ("", "Softmax"): partial(_along, partial(_softmax, "nn.softmax")),
}


@imports("LpNormalization")
def normalized(use: Use) -> Value:
    """Each vector along an axis divided by its norm, unless the norm is 0."""
    x, axis = use[0], use.attribute("axis", -1)
    if use.only("p", 2, 1) == 1:
        length = use.call("sum", use.call("abs", x), axis=axis, keepdims=True)
    else:
        length = use.call("sqrt", use.call("sum", use.call("multiply", x, x), axis=axis, keepdims=True))
    nothing = use.call("equal", length, use.like(0.0, x))
    return use.call("divide", x, use.call("where", nothing, use.like(1.0, x), length))


@imports("MeanVarianceNormalization")
def standardized(use: Use) -> Value:
    """The elements normalized to mean 0 and variance 1 along some axes."""
    x, axes = use[0], list(use.attribute("axes", (0, 2, 3)))
    mean = use.call("mean", x, axis=axes, keepdims=True)
    spread = use.call("sqrt", use.call("variance", x, mean, axis=axes, keepdims=True))
    return use.call("divide", use.call("subtract", x, mean), use.call("add", spread, use.like(1e-9, x)))


DETERMINANTS = """\
def @determinants.{dtype}(%a: Tensor[(b, n, n), {dtype}]) -> Tensor[(b,), {dtype}] where b >= 0, n >= 0 {{
  if (n == 0) {{ ones(shape=[b], dtype="{dtype}") }} else {{
    let %column = take(%a, 0i64, axis=2, mode="fast");
    let %place = argmax(abs(%column), axis=[1], keepdims=True);
    let %count = cast(take(shape_of(%a, dtype="int64"), 1i64, axis=0), dtype="int32");
    let %chosen = equal(expand_dims(arange(0i32, %count, 1i32, dtype="int32"), axis=0), %place);
    let %pivot = sum(where(%chosen, %column, {zero}), axis=[1]);
    let %row = sum(where(expand_dims(%chosen, axis=2), %a, {zero}), axis=[1], keepdims=True);
    let %first = strided_slice(%a, begin=[0], end=[1], axes=[1]);
    let %swapped = where(expand_dims(%chosen, axis=2), %first, %a);
    let %rest = strided_slice(%swapped, begin=[1, 1], end=[n, n], axes=[1, 2]);
    let %left = strided_slice(%swapped, begin=[1, 0], end=[n, 1], axes=[1, 2]);
    let %top = strided_slice(%row, begin=[1], end=[n], axes=[2]);
    let %divisor = where(equal(%pivot, {zero}), {one}, %pivot);
    let %less = subtract(%rest, multiply(divide(%left, expand_dims(%divisor, axis=1, num_newaxis=2)), %top));
    let %sign = where(equal(squeeze(%place, axis=[1]), 0i32), {one}, {minus});
    multiply(multiply(%sign, %pivot), @determinants.{dtype}(%less))
  }}
}}
"""
"""Gaussian elimination with pivoting: the first row is exchanged with one whose first element is the largest."""


@imports("Det")
def determinant(use: Use) -> Value:
    """The determinant of each matrix."""
    x, builder = use[0], use.builder
    if x.rank < 2 or not x.dtype.is_float:
        raise Unsupported(f"a tensor of rank {x.rank} and elements of type {x.dtype}")
    size = use.written_size(use.extent(x, x.rank - 1))
    x = use.exactly(x, x.rank - 2, size)
    rows = use.call("expand_dims", x, axis=0) if x.rank == 2 else x
    while rows.rank > 3:
        rows = use.call("reshape", rows, newshape=[-3, *[0] * (rows.rank - 2)])
    name = f"@determinants.{x.dtype}"
    zero, one, minus = (written(number, x.dtype, True) for number in (0.0, 1.0, -1.0))
    builder.functions[name] = DETERMINANTS.format(dtype=x.dtype, zero=zero, one=one, minus=minus)
    found = builder.applied(name, [rows], TensorType(rows.tensor.shape[:1], x.dtype))
    if x.rank == 2:
        return use.call("squeeze", found, axis=[0])
    return use.call("reshape_like", found, x, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=x.rank - 2)


@imports("Einsum")
def einsum(use: Use) -> Value:
    """The sum of products given by an equation in Einstein notation."""
    operands = [use[index] for index in range(len(use.inputs))]
    equation = use.required("equation").replace(" ", "")
    return use.call("einsum", use.builder.tuple(operands), equation=equation)
