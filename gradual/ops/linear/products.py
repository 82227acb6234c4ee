"""Contractions of two tensors: dense, matmul, batch_matmul, and the bias that follows them.

A result is computed in `out_dtype`, else in the operands' element type: sums of products run from left to right along
the contracted axis, floats in binary64 rounded once at the end, integers exact and wrapped at the end.
"""

from __future__ import annotations

from array import array
from itertools import cycle, islice
from operator import add
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_but, everywhere
from gradual.ops.declaration.shapes import agreement, axis_of, broadcast, judged, of_dtype, said, same_dtype, tensor
from gradual.tensors.arrays.elements import computable, stored
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.numpy_library import Array
from gradual.tensors.arrays.products import product
from gradual.tensors.index import numel, spread
from gradual.tensors.inner_products import Row, products
from gradual.tensors.scalar import TYPECODES, Elements, converter, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Rows = list[Row]


def contracted_dtype(left: TensorType[Dim], right: TensorType[Dim], out_dtype: DType | None) -> DType:
    """The element type of a contraction: `out_dtype` if given, else the one that both operands share."""
    for operand, given in enumerate((left, right)):
        of_dtype(given, operand, lambda dtype: dtype is not DType.BOOL, "a tensor of numbers")
    if out_dtype is None:
        return same_dtype(left, right)
    if out_dtype is DType.BOOL or (not out_dtype.is_float and (left.dtype.is_float or right.dtype.is_float)):
        raise IllFormed("op.dtype", f"{left.dtype} and {right.dtype} cannot be multiplied with out_dtype={out_dtype}")
    return out_dtype


def numbers(given: Tensor, dtype: DType) -> Elements:
    """The elements as numbers of the type that a contraction is computed in."""
    convert = converter(given.dtype, dtype)
    return given.elements if convert is None else list(map(convert, given.elements))


def factors(dtype: DType, *given: Tensor) -> list[Array] | None:
    """The operands as arrays, integers in the type of the contraction.

    None if operands are integers and the contraction is computed in floats, or the reverse.
    """
    if any(part.dtype.is_integer is not dtype.is_integer for part in given):
        return None
    found = [stored(part.elements, part.dtype, part.shape) for part in given]
    return [part.astype(TYPECODES[dtype]) for part in found] if dtype.is_integer else found


def rows(elements: Elements, count: int, width: int) -> Rows:
    """The elements cut into `count` rows of `width`."""
    starts = range(0, count * width, width) if width else [0] * count
    return [tuple(elements[start : start + width]) for start in starts]


def _dense(data: Tensor, weight: Tensor, *, units: int | None, out_dtype: DType | None) -> Tensor:
    return _matmul(data, weight, units=units, out_dtype=out_dtype, transpose_a=False, transpose_b=True)


def _fast_dense(data: Tensor, weight: Tensor, *, units: int | None, out_dtype: DType | None) -> Tensor | None:
    return _fast_matmul(data, weight, units=units, out_dtype=out_dtype, transpose_a=False, transpose_b=True)


def _dense_extends(growth: Growth) -> tuple[Axes, ...]:
    """All but the axes along which products are summed."""
    return all_but(growth.types[0], -1), all_but(growth.types[1], 1)


@operator("nn.dense", meaning=_dense, family="linear", padding=Padding(_dense_extends), onnx="Gemm", fast=_fast_dense)
def dense(
    data: TensorType[Dim], weight: TensorType[Dim], *, units: Dim | None = None, out_dtype: DType | None = None
) -> Judgement:
    """Inner products with the rows of a weight.   t[.., k], t[m, k] -> t[.., m]

        out[..i, j] = sum over k of data[..i, k] * weight[j, k]

    The result has the type `out_dtype`, or that of the operands.  The last axis of the data has the size k of the last
    axis of the weight [op.nn.dense.contract]; `units`, where it is given, is m, the number of rows of the weight
    [op.nn.dense.units].
    """
    left, right = tensor(data, 0, least=1), tensor(weight, 1, rank=2)
    contract = agreement(
        left.shape[-1], right.shape[1], "op.nn.dense.contract", _CONTRACTED, (0, left.rank - 1), (1, 1)
    )
    needs = (contract, *_units(units, right.shape[0], "op.nn.dense.units", (1, 0)))
    return judged((*left.shape[:-1], said(right.shape[0], units)), contracted_dtype(left, right, out_dtype), needs)


_CONTRACTED = "contracted dimensions differ"


def _units(units: Dim | None, found: Dim, rule: str, place: tuple[int, int]) -> tuple[Need, ...]:
    return () if units is None else (agreement(units, found, rule, "the weight does not have `units` rows", place),)


def _matmul(
    tensor_a: Tensor,
    tensor_b: Tensor,
    *,
    units: int | None,
    out_dtype: DType | None,
    transpose_a: bool,
    transpose_b: bool,
) -> Tensor:
    """Multiply every matrix of a by the single matrix b."""
    dtype = out_dtype or tensor_a.dtype
    lead, (height, width) = tensor_a.shape[:-2], (1, 1, *tensor_a.shape)[-2:]
    if tensor_a.rank < 2:
        lead, height = (), 1
    count = numel(lead)
    left = _lines(numbers(tensor_a, dtype), count, height, width, transpose_a)
    right = _lines(numbers(tensor_b, dtype), 1, *_pair(tensor_b.shape), not transpose_b)
    shape = (*lead, *([width if transpose_a else height] if tensor_a.rank > 1 else []), len(right))
    return tensor_of(shape, dtype, products(left, right, dtype))


def _fast_matmul(
    tensor_a: Tensor,
    tensor_b: Tensor,
    *,
    units: int | None,
    out_dtype: DType | None,
    transpose_a: bool,
    transpose_b: bool,
) -> Tensor | None:
    dtype = out_dtype or tensor_a.dtype
    sides = factors(dtype, tensor_a, tensor_b)
    if sides is None:
        return None
    left, right = sides[0].swapaxes(-1, -2) if transpose_a else sides[0], sides[1].T if transpose_b else sides[1]
    lines = left.reshape(numel(left.shape[:-1]), left.shape[-1])
    found = product(lines, right, dtype)
    return tensor_of((*left.shape[:-1], right.shape[-1]), dtype, kept_array(dtype, found))


def _pair(shape: tuple[int, ...]) -> tuple[int, int]:
    return shape[-2], shape[-1]


def _lines(elements: Elements, count: int, height: int, width: int, turned: bool) -> Rows:
    """The rows of `count` matrices one after another, or their columns if `turned`."""
    if not turned:
        return rows(elements, count * height, width)
    area = height * width
    starts = range(0, count * area, area) if area else [0] * count
    return [tuple(elements[start + i : start + area : width]) for start in starts for i in range(width)]


def _product_extends(growth: Growth) -> tuple[Axes, ...]:
    """All but the two axes along which products are summed."""
    left = -2 if growth.attributes["transpose_a"] else -1
    right = -1 if growth.attributes["transpose_b"] else -2
    return all_but(growth.types[0], left), all_but(growth.types[1], right)


@operator(
    "nn.matmul", meaning=_matmul, family="linear", padding=Padding(_product_extends), onnx="MatMul", fast=_fast_matmul
)
def matmul(
    tensor_a: TensorType[Dim],
    tensor_b: TensorType[Dim],
    *,
    units: Dim | None = None,
    out_dtype: DType | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Judgement:
    """The matrix product; attributes say which operands are transposed first.   t[.., i, k], t[k, j] -> t[.., i, j]

        out[..b, i, j] = sum over k of tensor_a[..b, i, k] * tensor_b[k, j]

    With `transpose_a` it is tensor_a[..b, k, i], with `transpose_b` tensor_b[j, k].  `tensor_a` may be a vector t[k],
    for a result t[j], but not with `transpose_a` (`op.rank`).  The result has the type `out_dtype`, or that of the
    operands.  Both operands have the same size k [op.nn.matmul.contract]; `units`, where it is given, is j
    [op.nn.matmul.units].
    """
    left, right = tensor(tensor_a, 0, least=2 if transpose_a else 1), tensor(tensor_b, 1, rank=2)
    inner, outer = (1, 0) if transpose_b else (0, 1)
    last = left.rank - 1
    along = last - 1 if transpose_a else last
    contract = agreement(
        left.shape[along], right.shape[inner], "op.nn.matmul.contract", _CONTRACTED, (0, along), (1, inner)
    )
    needs = (contract, *_units(units, right.shape[outer], "op.nn.matmul.units", (1, outer)))
    kept_rows = (*left.shape[:-2], left.shape[-1]) if transpose_a else left.shape[:-1]
    return judged((*kept_rows, said(right.shape[outer], units)), contracted_dtype(left, right, out_dtype), needs)


def _batch_matmul(
    tensor_a: Tensor, tensor_b: Tensor, *, out_dtype: DType | None, transpose_a: bool, transpose_b: bool
) -> Tensor:
    dtype = out_dtype or tensor_a.dtype
    lefts = _matrices(tensor_a, dtype, transpose_a)
    rights = _matrices(tensor_b, dtype, not transpose_b)
    count = len(rights) if len(lefts) == 1 else len(lefts)
    found = array(TYPECODES[dtype])
    for left, right in zip(islice(cycle(lefts), count), islice(cycle(rights), count), strict=True):
        found += products(left, right, dtype)
    height = tensor_a.shape[2 if transpose_a else 1]
    width = tensor_b.shape[1 if transpose_b else 2]
    return tensor_of((count, height, width), dtype, found)


def _fast_batch_matmul(
    tensor_a: Tensor, tensor_b: Tensor, *, out_dtype: DType | None, transpose_a: bool, transpose_b: bool
) -> Tensor | None:
    dtype = out_dtype or tensor_a.dtype
    sides = factors(dtype, tensor_a, tensor_b)
    if sides is None:
        return None
    left, right = (
        side.swapaxes(1, 2) if turned else side for side, turned in zip(sides, (transpose_a, transpose_b), strict=True)
    )
    found = product(left, right, dtype)
    return tensor_of(found.shape, dtype, kept_array(dtype, found))


def _matrices(given: Tensor, dtype: DType, turned: bool) -> list[Rows]:
    """Each matrix of a batch as its rows, or as its columns if `turned`."""
    elements = numbers(given, dtype)
    count, height, width = given.shape
    area = height * width
    return [_lines(elements[i * area : (i + 1) * area], 1, height, width, turned) for i in range(count)]


@operator(
    "nn.batch_matmul",
    meaning=_batch_matmul,
    family="linear",
    padding=Padding(_product_extends),
    onnx="MatMul",
    fast=_fast_batch_matmul,
)
def batch_matmul(
    tensor_a: TensorType[Dim],
    tensor_b: TensorType[Dim],
    *,
    out_dtype: DType | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Judgement:
    """The matrix product of each pair in a batch.   t[b, i, k], t[b, k, j] -> t[b, i, j]

        out[b, i, j] = sum over k of tensor_a[b, i, k] * tensor_b[b, k, j]

    With `transpose_a` it is tensor_a[b, k, i], with `transpose_b` tensor_b[b, j, k].  The result has the type
    `out_dtype`, or that of the operands.  Both operands have the same size k [op.nn.batch_matmul.contract]; a batch of
    1 is broadcast to the size of the other batch [op.broadcast.agree].
    """
    left, right = tensor(tensor_a, 0, rank=3), tensor(tensor_b, 1, rank=3)
    along, inner = 1 if transpose_a else 2, 2 if transpose_b else 1
    contract = agreement(
        left.shape[along], right.shape[inner], "op.nn.batch_matmul.contract", _CONTRACTED, (0, along), (1, inner)
    )
    batch, needs = broadcast((left.shape[:1], right.shape[:1]))
    shape = (*batch, left.shape[3 - along], right.shape[3 - inner])
    return judged(shape, contracted_dtype(left, right, out_dtype), (contract, *needs))


def _bias_add(data: Tensor, bias: Tensor, *, axis: int) -> Tensor:
    """The sum of each element and the bias at its index along the axis, rounded once."""
    column = along_axis(data, bias, axis)
    return tensor_of(data.shape, data.dtype, kept(data.dtype, map(add, data.elements, column)))


def _fast_bias_add(data: Tensor, bias: Tensor, *, axis: int) -> Tensor:
    column = computable(bias.elements, bias.dtype, (bias.size, *(1,) * (data.rank - axis % data.rank - 1)))
    found = computable(data.elements, data.dtype, data.shape) + column
    return tensor_of(data.shape, data.dtype, kept_array(data.dtype, found))


def along_axis(data: Tensor, column: Tensor, axis: int) -> Any:
    """For each element of `data`, the element of `column` at its index along the axis."""
    behind = data.rank - axis % data.rank - 1
    return spread(column.elements, (*column.shape, *(1,) * behind), data.shape)


@operator("nn.bias_add", meaning=_bias_add, family="linear", padding=Padding(everywhere), fast=_fast_bias_add)
def bias_add(data: TensorType[Dim], bias: TensorType[Dim], *, axis: int = 1) -> Judgement:
    """A bias added along one axis.   t[.., n, ..], t[n] -> t[.., n, ..]

        out[.., i, ..] = data[.., i, ..] + bias[i]

    The bias has the size n of the data's `axis` [op.nn.bias_add.axis].
    """
    left, right = tensor(data, 0, least=1), tensor(bias, 1, rank=1)
    of_dtype(left, 0, lambda dtype: dtype is not DType.BOOL, "a tensor of numbers")
    place = axis_of(axis, left.rank)
    says = "the bias does not have the size of the axis"
    need = agreement(left.shape[place], right.shape[0], "op.nn.bias_add.axis", says, (0, place), (1, 0))
    return judged(left.shape, same_dtype(left, right), (need,))
