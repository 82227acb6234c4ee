"""Drawn nodes that treat every element alike, reduce, sort or normalise."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradual.importers.onnx.operators.elementwise import BINARY, UNARY, VARIADIC
from gradual.importers.onnx.operators.reductions import REDUCTIONS
from tests.importers.drawn import FLOATS, NUMBERS, Draw, Made, Setting, draws, ints

TRUTHS = {"And", "Or", "Xor", "Not"}
BITS = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"}


def dtype_for(draw: Draw) -> str:
    """An element type that the operator mostly admits."""
    if draw.operator in TRUTHS:
        return "bool"
    if draw.operator in BITS:
        return str(draw.one("int64", "int32", "int8", "uint8", "uint32"))
    if draw.operator in ("Equal", "Identity", "Where"):
        return str(draw.one(*NUMBERS, "bool"))
    return str(draw.one(*NUMBERS))


@draws(*UNARY, "Identity", "Mish", "HardSwish", "Reciprocal", "Softplus", "Softsign")
def unary(draw: Draw) -> Made:
    dtype = (
        dtype_for(draw)
        if draw.operator in (*TRUTHS, *BITS, "Identity", "Abs", "Neg", "Relu", "Sign")
        else draw.one(*FLOATS)
    )
    return Made(draw.operator, [draw.array(draw.shape(), dtype, 0.2)])


@draws(*BINARY, "Pow")
def binary(draw: Draw) -> Made:
    dtype, shape = dtype_for(draw), draw.shape()
    left, right = shape, draw.broadcast(shape)
    if draw.rarely(0.5):
        left, right = right, left
    other = draw.one(*NUMBERS) if draw.operator == "Pow" and draw.rarely(0.3) else dtype
    second = draw.array(right, other, 0.1)
    if draw.operator in ("Div", "Mod") and "float" not in dtype and draw.rarely(0.9):
        second = np.where(second == 0, np.ones((), other), second).astype(other)
    return Made(draw.operator, [draw.array(left, dtype, 0.1), second])


@draws("Mod")
def modulo(draw: Draw) -> Made:
    made = binary(draw)
    return Made("Mod", made.inputs, draw.given(fmod=draw.one(0, 1, 1)))


@draws(*VARIADIC, "Mean")
def variadic(draw: Draw) -> Made:
    dtype, shape = dtype_for(draw), draw.shape()
    return Made(draw.operator, [draw.array(draw.broadcast(shape), dtype) for _ in range(draw.whole(1, 3))])


@draws("Where")
def where(draw: Draw) -> Made:
    dtype, shape = dtype_for(draw), draw.shape()
    shapes = [draw.broadcast(shape) for _ in range(3)]
    return Made("Where", [draw.array(shapes[0], "bool"), *(draw.array(one, dtype) for one in shapes[1:])])


@draws("Cast", "CastLike")
def cast(draw: Draw) -> Made:
    kinds = (*NUMBERS, "bool")
    x, to = draw.array(draw.shape(), draw.one(*kinds), 0.02), draw.one(*kinds)
    if draw.operator == "CastLike":
        return Made("CastLike", [x, draw.array(draw.shape(0, 1), to)])
    from onnx.helper import np_dtype_to_tensor_dtype

    return Made("Cast", [x], {"to": np_dtype_to_tensor_dtype(np.dtype(to))})


@draws("BitShift")
def shift(draw: Draw) -> Made:
    shape, dtype = draw.shape(), draw.one("uint8", "uint32", "uint64", "int32")
    by = np.abs(draw.array(draw.broadcast(shape), dtype, 0.0))
    return Made("BitShift", [draw.array(shape, dtype), by], {"direction": draw.one("LEFT", "RIGHT")})


@draws("IsInf")
def infinite(draw: Draw) -> Made:
    signs = draw.given(detect_negative=draw.one(0, 1), detect_positive=draw.one(0, 1))
    return Made("IsInf", [draw.array(draw.shape(), draw.one(*FLOATS), 0.6)], signs)


@draws("Dropout")
def dropout(draw: Draw) -> Made:
    x = draw.array(draw.shape(), draw.one(*FLOATS))
    outputs = draw.whole(1, 2)
    if draw.opset < 12:
        return Made("Dropout", [x], draw.given(ratio=0.3), outputs)
    ratio = Setting(draw.number(draw.one(0.0, 0.5), "float32")) if draw.rarely(0.5) else None
    training = Setting(np.array(False)) if draw.rarely(0.3) else None
    return Made("Dropout", [x, ratio, training], draw.given(seed=3), outputs)


@draws("Clip")
def clip(draw: Draw) -> Made:
    dtype = draw.one(*NUMBERS)
    x = draw.array(draw.shape(), dtype, 0.1)
    bounds = [draw.array((), dtype) if draw.rarely(0.7) else None for _ in range(2)]
    if draw.opset < 11:
        numbers = {name: None if one is None else float(one) for name, one in zip(("min", "max"), bounds, strict=True)}
        return Made("Clip", [x], {name: one for name, one in numbers.items() if one is not None})
    if draw.rarely(0.1):
        bounds = [None if one is None else draw.array(draw.one((1,), (2,), (1, 1)), dtype) for one in bounds]
    return Made("Clip", [x, *(None if one is None else Setting(one) for one in bounds)])


NUMERIC = {
    "LeakyRelu": {"alpha": (0.0, 0.01, -0.5, 2.0)},
    "ThresholdedRelu": {"alpha": (0.0, 1.0, -2.0, 0.25)},
    "Elu": {"alpha": (1.0, 0.5, 2.0)},
    "Celu": {"alpha": (1.0, 0.5, 2.0)},
    "Selu": {"alpha": (1.0, 2.0), "gamma": (1.0, 0.5)},
    "HardSigmoid": {"alpha": (0.2, 0.5), "beta": (0.5, 0.0, -1.0)},
    "Shrink": {"bias": (0.0, 1.0, -0.5), "lambd": (0.5, 0.0, 1.5)},
    "Gelu": {"approximate": ("none", "tanh")},
}
"""Activations with numbers in their attributes."""


@draws(*NUMERIC)
def activation(draw: Draw) -> Made:
    dtype = draw.one(*NUMBERS) if draw.operator == "Shrink" else draw.one(*FLOATS)
    settings = {name: draw.one(*choices) for name, choices in NUMERIC[draw.operator].items()}
    return Made(draw.operator, [draw.array(draw.shape(), dtype, 0.1)], draw.given(**settings))


@draws("PRelu")
def slope(draw: Draw) -> Made:
    dtype, shape = draw.one(*FLOATS), draw.shape()
    return Made("PRelu", [draw.array(shape, dtype), draw.array(draw.broadcast(shape), dtype)])


# ------------------------------------------------------------------------------------------------------ reductions
@draws(*REDUCTIONS)
def reduction(draw: Draw) -> Made:
    shape, name = draw.shape(), draw.operator
    dtype = draw.one(*NUMBERS, *(("bool",) if name in ("ReduceMax", "ReduceMin") else ()))
    axes = draw.axes(len(shape)) if draw.rarely(0.8) else None
    settings = draw.given(keepdims=draw.whole(0, 1))
    if draw.opset < (13 if name == "ReduceSum" else 18):
        return Made(name, [draw.array(shape, dtype)], settings | ({} if axes is None else {"axes": axes}))
    settings |= draw.given(noop_with_empty_axes=draw.whole(0, 1))
    return Made(name, [draw.array(shape, dtype), None if axes is None else Setting(ints(*axes))], settings)


@draws("ArgMax", "ArgMin")
def place(draw: Draw) -> Made:
    shape = draw.shape(1)
    last = draw.whole(0, 1) if draw.opset >= 12 else None
    settings = draw.given(axis=draw.axis(len(shape)), keepdims=draw.whole(0, 1), select_last_index=last)
    return Made(draw.operator, [draw.array(shape, draw.one(*NUMBERS), 0.0)], settings)


@draws("CumSum")
def cumulated(draw: Draw) -> Made:
    shape = draw.shape(1)
    axis = Setting(draw.number(draw.axis(len(shape)), draw.one("int64", "int32")))
    settings = draw.given(exclusive=draw.whole(0, 1), reverse=draw.whole(0, 1))
    return Made("CumSum", [draw.array(shape, draw.one("float32", "float64", "int64", "int32")), axis], settings)


@draws("Softmax", "LogSoftmax", "Hardmax", "LpNormalization", "MeanVarianceNormalization")
def along(draw: Draw) -> Made:
    shape = draw.shape(1)
    x = draw.array(shape, draw.one(*FLOATS), 0.0)
    if draw.operator == "MeanVarianceNormalization":
        return Made(draw.operator, [x], draw.given(axes=draw.axes(len(shape)) or None))
    p = draw.one(1, 2) if draw.operator == "LpNormalization" else None
    return Made(draw.operator, [x], draw.given(axis=draw.axis(len(shape)), p=p))


@draws("TopK")
def top(draw: Draw) -> Made:
    shape = draw.shape(1)
    axis = draw.axis(len(shape))
    extent = shape[axis] if -len(shape) <= axis < len(shape) else 1
    k = draw.one(-1, extent + 1) if draw.rarely(0.06) else draw.whole(0, extent)
    settings = {**draw.given(largest=draw.whole(0, 1), sorted=1), "axis": axis}
    x = draw.array(shape, draw.one("float32", "float64", "int64", "int32"), 0.0)
    if draw.opset < 10:
        return Made("TopK", [x], {"axis": axis, "k": k}, 2)
    if draw.opset < 11:
        settings.pop("largest", None), settings.pop("sorted", None)
    return Made("TopK", [x, Setting(np.array(k if draw.rarely(0.05) else [k], np.int64))], settings, 2)


@draws("Unique")
def unique(draw: Draw) -> Made:
    shape = draw.shape(1, 3)
    axis = draw.axis(len(shape)) if draw.rarely(0.5) else None
    settings = draw.given(axis=axis, sorted=draw.whole(0, 1))
    few = draw.array(shape, draw.one("float32", "int64"), 0.0)
    return Made("Unique", [few % 3 if draw.rarely(0.7) else few], settings, draw.whole(1, 4))


@draws("NonZero")
def nonzero(draw: Draw) -> Made:
    return Made("NonZero", [draw.array(draw.shape(), draw.one("float32", "int64", "bool", "int32"))])


@draws("Einsum")
def einsum(draw: Draw) -> Made:
    sizes = {letter: draw.size() for letter in "ijkl"}
    terms = ["".join(draw.random.sample("ijkl", draw.whole(0, 3))) for _ in range(draw.whole(1, 2))]
    seen = sorted(set("".join(terms)))
    result = "".join(draw.random.sample(seen, draw.whole(0, len(seen))))
    equation = ",".join(terms) + ("->" + result if draw.rarely(0.8) else "")
    inputs: list[Any] = [
        draw.array([sizes[letter] for letter in term], draw.one("float32", "int64"), 0.0) for term in terms
    ]
    return Made("Einsum", [one.astype(inputs[0].dtype) for one in inputs], {"equation": equation})
