"""The operators of the level `core` as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onnx import helper

from bench.field.eager import listed
from bench.field.onnx_target import Onnx, axes_of, coded_shape, element
from bench.field.program import Beyond, Declared, Size
from gradual.types.dtype import DType


def _same(operator: str) -> Callable[..., str]:
    return lambda target, *operands: target.node(operator, *operands)


def _not_equal(target: Onnx, left: str, right: str) -> str:
    return target.node("Not", target.node("Equal", left, right))


def _softmax(target: Onnx, data: str, axis: int = -1) -> str:
    return target.node("Softmax", data, axis=axis)


def _concatenated(target: Onnx, parts: Sequence[str], axis: int = 0) -> str:
    return target.node("Concat", *parts, axis=axis)


def _expanded(target: Onnx, data: str, axis: int, num_newaxis: int = 1) -> str:
    if num_newaxis != 1 and axis < 0:
        raise Beyond("several new axes counted from the back")
    return target.node("Unsqueeze", data, target.integers(*range(axis, axis + num_newaxis)))


def _reducing(operator: str) -> Callable[..., str]:
    def reduced(target: Onnx, data: str, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> str:
        if exclude:
            raise Beyond("the attribute exclude")
        return target.node(operator, data, *axes_of(target, axis), keepdims=int(keepdims))

    return reduced


def _converted(target: Onnx, out_dtype: str | None, *operands: str) -> Sequence[str]:
    if out_dtype is None:
        return operands
    return [target.node("Cast", each, to=element(DType(out_dtype))) for each in operands]


def _dense(target: Onnx, data: str, weight: str, units: Size = None, out_dtype: str | None = None) -> str:
    return _matmul(target, data, weight, units, out_dtype, transpose_b=True)


def _matmul(
    target: Onnx,
    left: str,
    right: str,
    units: Size = None,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> str:
    left, right = _converted(target, out_dtype, left, right)
    left = target.node("Transpose", left, perm=[1, 0]) if transpose_a else left
    right = target.node("Transpose", right, perm=[1, 0]) if transpose_b else right
    if units is not None:  # restated as the type of the weight
        if right not in target.ranks and not isinstance(units, int):
            raise Beyond("units that are no number")
        right = _with_columns(target, right, units)
    return target.node("MatMul", left, right)


def _with_columns(target: Onnx, matrix: str, units: Size) -> str:
    result: str = target.declared(matrix, Declared((None, units), DType.FLOAT32), fresh=False)
    return result


def _batched(
    target: Onnx,
    left: str,
    right: str,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> str:
    left, right = _converted(target, out_dtype, left, right)
    left = target.node("Transpose", left, perm=[0, 2, 1]) if transpose_a else left
    right = target.node("Transpose", right, perm=[0, 2, 1]) if transpose_b else right
    return target.node("MatMul", left, right)


def _biased(target: Onnx, data: str, bias: str, axis: int = 1) -> str:
    if axis == -1:
        return target.node("Add", data, bias)
    if data not in target.ranks:
        raise Beyond("a bias along an axis of a value whose rank is not declared")
    behind = target.ranks[data] - 1 - (axis if axis >= 0 else target.ranks[data] + axis)
    if behind:
        bias = target.node("Unsqueeze", bias, target.integers(*range(1, behind + 1)))
    return target.node("Add", data, bias)


def _reshaped(target: Onnx, data: str, newshape: Sequence[Size], allowzero: bool = False) -> str:
    shape = coded_shape(target, newshape, allowzero)
    return target.node("Reshape", data, shape, allowzero=int(allowzero))


def _filled(value: float) -> Callable[..., str]:
    def made(target: Onnx, shape: Sequence[Size], dtype: str = "float32") -> str:
        number = helper.make_tensor("value", element(DType(dtype)), [1], [value])
        return target.node("ConstantOfShape", target.shape(shape), value=number)

    return made


def _squeezed(target: Onnx, data: str, axis: Any = None) -> str:
    return target.node("Squeeze", data, *axes_of(target, axis))


def _transposed(target: Onnx, data: str, axes: Any = None) -> str:
    found = listed(axes)
    return target.node("Transpose", data, **({} if found is None else {"perm": list(found)}))


OPERATORS: Mapping[str, Callable[..., str]] = {
    "add": _same("Add"),
    "subtract": _same("Sub"),
    "multiply": _same("Mul"),
    "divide": _same("Div"),
    "maximum": _same("Max"),
    "minimum": _same("Min"),
    "equal": _same("Equal"),
    "not_equal": _not_equal,
    "less": _same("Less"),
    "less_equal": _same("LessOrEqual"),
    "greater": _same("Greater"),
    "greater_equal": _same("GreaterOrEqual"),
    "copy": _same("Identity"),
    "exp": _same("Exp"),
    "negative": _same("Neg"),
    "nn.relu": _same("Relu"),
    "sigmoid": _same("Sigmoid"),
    "sqrt": _same("Sqrt"),
    "tanh": _same("Tanh"),
    "concatenate": _concatenated,
    "expand_dims": _expanded,
    "mean": _reducing("ReduceMean"),
    "nn.batch_matmul": _batched,
    "nn.bias_add": _biased,
    "nn.dense": _dense,
    "nn.matmul": _matmul,
    "nn.softmax": _softmax,
    "ones": _filled(1),
    "reshape": _reshaped,
    "squeeze": _squeezed,
    "sum": _reducing("ReduceSum"),
    "transpose": _transposed,
    "zeros": _filled(0),
}
"""Operator -> the nodes for it, by its operands and attributes."""
