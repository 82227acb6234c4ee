"""Operators that make tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, NUMBER, Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType


def full(use: Use, sizes: Sequence[int | Value], number: Value) -> Value:
    """A tensor of a given shape filled with a number."""
    return use.call("full", number, shape=list(sizes)) if sizes else number


def _filled(number: NUMBER | None, use: Use) -> Value:
    dtype = use.dtype()
    filling = use.scalar("fill_value", dtype) if number is None else use.builder.number(number, dtype)
    return full(use, use.sizes("size"), filling)


def _filled_like(number: NUMBER | None, use: Use) -> Value:
    dtype, x = use.dtype(), use["self"]
    filling = use.scalar("fill_value", dtype) if number is None else use.builder.number(number, dtype)
    return use.call("full_like", use.as_type(x, dtype), filling)


for _name, _number in (("zeros", 0), ("ones", 1), ("full", None), ("empty", 0)):
    IMPORTERS[f"aten.{_name}.{'memory_format' if _name == 'empty' else 'default'}"] = partial(_filled, _number)
    IMPORTERS[f"aten.new_{_name}.default"] = partial(_filled, _number)
    IMPORTERS[f"aten.{_name}_like.default"] = partial(_filled_like, _number)
for _name in ("empty_strided", "new_empty_strided", "empty_permuted"):
    IMPORTERS[f"aten.{_name}.default"] = partial(_filled, 0)


@imports("aten.fill.Scalar", "aten.fill.Tensor")
def fill(use: Use) -> Value:
    """A tensor with the shape of another tensor, filled with a number."""
    return use.call("full_like", use["self"], use.scalar("value", use["self"].dtype))


@imports("aten.zero.default")
def zero(use: Use) -> Value:
    """Zeros with the shape of a tensor."""
    return use.call("zeros_like", use["self"])


@imports("aten.copy.default")
def copy(use: Use) -> Value:
    """The elements of `src`, broadcast to the shape of `self` and cast to its element type."""
    return use.call("broadcast_to_like", use.as_type(use["src"], use["self"].dtype), use["self"])


@imports("aten.native_dropout.default")
def native_dropout(use: Use) -> Sequence[Value]:
    """Dropout at inference: the elements, and a mask that keeps all."""
    if use.given("train", True) is not False:
        raise Unsupported("training: export the model after `.eval()`")
    x = use["input"]
    return [x, use.call("ones_like", use.as_type(x, DType.BOOL))]


@imports(
    "prims.scalar_tensor.default",
    "aten.scalar_tensor.default",
    "aten.tensor.int",
    "aten.tensor.float",
    "aten.tensor.bool",
)
def scalar_tensor(use: Use) -> Value:
    """A number as a tensor of rank 0."""
    return use.scalar("s" if "s" in use.node.arguments else "t", use.dtype())


@imports("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def arange(use: Use) -> Value:
    """The numbers from a start to an end, exclusive; computed in int64 or float64, then cast to the result's type."""
    dtype = use.dtype()
    given = [use.value(use.given(name, default)) for name, default in (("start", 0), ("end", None), ("step", 1))]
    is_whole = all(isinstance(one, int) or (isinstance(one, Value) and not one.dtype.is_float) for one in given)
    kind = DType.INT64 if is_whole else DType.FLOAT64
    parts = [use.scalar(name, kind, default) for name, default in (("start", 0), ("end", None), ("step", 1))]
    return use.as_type(use.call("arange", *parts, dtype=kind), dtype)


@imports("prims.iota.default")
def steps(use: Use) -> Value:
    """A given number of equally spaced integers that begin at a start."""
    length, start, step = (use.scalar(name, DType.INT64, default) for name, default in _IOTA)
    end = use.call("add", start, use.call("multiply", length, step))
    return use.as_type(use.call("arange", start, end, step, dtype=DType.INT64), use.dtype())


_IOTA = (("length", None), ("start", 0), ("step", 1))


# ------------------------------------------------------------------------------------------------ tables of numbers
def _table(use: Use, numbers: Sequence[float]) -> Value:
    """Numbers that are computed while importing, as a vector in the element type of the result."""
    dtype = use.dtype()
    return use.as_type(use.builder.constant(Tensor(list(numbers), DType.FLOAT64, (len(numbers),))), dtype)


def _spaced(use: Use) -> list[float]:
    """Equally spaced numbers between two ends, each computed from the closer end."""
    start, end = (float(use.given(name)) for name in ("start", "end"))
    steps = use.integer("steps")
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    return [start + step * at if at < steps / 2 else end - step * (steps - 1 - at) for at in range(steps)][:steps]


@imports("aten.linspace.default")
def linspace(use: Use) -> Value:
    """Equally spaced numbers between two ends."""
    if use.integer("steps") == 1:
        return _table(use, [float(use.given("start"))])
    return _table(use, _spaced(use))


@imports("aten.logspace.default")
def logspace(use: Use) -> Value:
    """Powers of a base from one exponent to another."""
    return _table(use, [float(use.given("base", 10.0)) ** exponent for exponent in _spaced(use)])


def _hann(use: Use, at: float) -> float:
    return 0.5 - 0.5 * math.cos(2 * math.pi * at)


def _hamming(use: Use, at: float) -> float:
    return float(use.given("alpha", 0.54)) - float(use.given("beta", 0.46)) * math.cos(2 * math.pi * at)


def _blackman(use: Use, at: float) -> float:
    return 0.42 - 0.5 * math.cos(2 * math.pi * at) + 0.08 * math.cos(4 * math.pi * at)


def _bartlett(use: Use, at: float) -> float:
    return 1 - abs(2 * at - 1)


def _window(shape: Callable[[Use, float], float], use: Use) -> Value:
    length = use.integer("window_length")
    if length == 1:
        return _table(use, [1.0])
    whole = length if use.flag("periodic", True) else length - 1
    return _table(use, [shape(use, at / whole) for at in range(length)])


WINDOWS = {"hann": _hann, "hamming": _hamming, "blackman": _blackman, "bartlett": _bartlett}
for _name, _shape in WINDOWS.items():
    for _form in ("default", "periodic", *(("periodic_alpha", "periodic_alpha_beta") if _name == "hamming" else ())):
        IMPORTERS[f"aten.{_name}_window.{_form}"] = partial(_window, _shape)


@imports("aten.tril_indices.default", "aten.triu_indices.default")
def triangle_indices(use: Use) -> Value:
    """The row and column indices of the elements on and below a diagonal, or on and above it."""
    rows, columns, offset = use.integer("row"), use.integer("col"), use.integer("offset", 0)
    upper = "triu" in use.node.operator
    cells = [
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if (column - row >= offset if upper else column - row <= offset)
    ]
    flat = [cell[axis] for axis in (0, 1) for cell in cells]
    return use.as_type(use.builder.constant(Tensor(flat, DType.INT64, (2, len(cells)))), use.dtype())


# --------------------------------------------------------------------------------------------------------- matrices
@imports("aten.eye.default", "aten.eye.m")
def identity(use: Use) -> Value:
    """Ones on the diagonal of a matrix."""
    rows = use.size("n")
    columns = use.size("m") if use.given("m") is not None else rows
    one, other = (_steps(use, size) for size in (rows, columns))
    return use.as_type(use.call("equal", use.call("expand_dims", one, axis=1), other), use.dtype())


def _steps(use: Use, size: int | Value) -> Value:
    """The numbers from 0 to a size, exclusive."""
    end = size if isinstance(size, Value) else use.builder.number(size, DType.INT64)
    parts = [use.builder.number(0, DType.INT64), end, use.builder.number(1, DType.INT64)]
    return use.call("arange", *parts, dtype=DType.INT64)


@imports("aten.tril.default", "aten.triu.default")
def triangle(use: Use) -> Value:
    """The elements on and below a diagonal, or on and above it."""
    diagonal = use.scalar("diagonal", DType.INT64, 0)
    return use.call("trilu", use["self"], diagonal, upper=use.node.operator == "aten.triu.default")


@imports("aten.meshgrid.default", "aten.meshgrid.indexing")
def meshgrid(use: Use) -> Sequence[Value]:
    """Each vector broadcast to the grid of all vectors, along its own axis; "xy" swaps the first two axes."""
    vectors = [one if one.rank else use.call("expand_dims", one, axis=0) for one in use.tensors("tensors")]
    indexing = use.only("indexing", "ij", "xy")
    return use.counted(
        use.builder.named(use.call("meshgrid", use.builder.tuple(vectors), indexing=indexing), "grid"), len(vectors)
    )


@imports("aten.cartesian_prod.default")
def cartesian_product(use: Use) -> Value:
    """The Cartesian product of vectors, a row for each combination."""
    vectors = use.tensors("tensors")
    if len(vectors) == 1:
        return vectors[0]
    grid = use.builder.named(use.call("meshgrid", use.builder.tuple(vectors), indexing="ij"), "grid")
    flat = [use.call("reshape", one, newshape=[-1]) for one in use.counted(grid, len(vectors))]
    return use.call("stack", use.builder.tuple(flat), axis=1)
