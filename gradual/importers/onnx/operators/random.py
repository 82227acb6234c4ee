"""Operators that generate random numbers: declared without a meaning, so that a program can be checked but not run."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.dims.term.dim import constant
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.reading import dtype_of
from gradual.importers.onnx.importers import Use, imports
from gradual.types.dtype import DType
from gradual.types.type import TensorType


@imports("RandomNormalLike", "RandomUniformLike", "Bernoulli")
def alike(use: Use) -> Value:
    """Random numbers with the shape of a tensor."""
    return _drawn(use, [f"n{axis}" for axis in range(use[0].rank)], _dtype(use, use[0].dtype))


@imports("RandomNormal", "RandomUniform")
def of_shape(use: Use) -> Value:
    """Random numbers with a given shape."""
    zeros = use.call("zeros", shape=use.required("shape"), dtype=_dtype(use, DType.FLOAT32))  # parses the attribute
    return _drawn(use, list(map(str, zeros.shape)), zeros.dtype)


@imports("Multinomial")
def classes(use: Use) -> Value:
    """Classes drawn from each row of weights."""
    count = use.attribute("sample_size", 1)
    if use[0].rank != 2 or not isinstance(count, int):
        raise Unsupported(f"sample_size={count!r} of a tensor of rank {use[0].rank}")
    return _drawn(use, ["n0", str(count)], _dtype(use, DType.INT32))


def _dtype(use: Use, default: DType) -> DType:
    to = use.attribute("dtype")
    return default if to is None else dtype_of(to, "the result")


def _drawn(use: Use, extents: Sequence[str], dtype: DType) -> Value:
    """Apply an operator for any sizes, declared for this node alone, since no two nodes generate the same numbers."""
    builder = use.builder
    name = f"onnx.{builder.names.fresh(use.node.operator)}"
    given = [use[0]] if use.inputs else []
    params = ", ".join(f"%x: {_written([f'n{axis}' for axis in range(one.rank)], one.dtype)}" for one in given)
    empty = " and ".join(f"n{axis} >= 0" for one in given for axis in range(one.rank))
    where = f" where {empty}" if empty else ""
    builder.functions[name] = f"operator {name}({params}) -> {_written(extents, dtype)}{where};\n"
    sizes = {f"n{axis}": size for one in given for axis, size in enumerate(one.tensor.shape)}
    shape = tuple(sizes[extent] if extent in sizes else constant(int(extent)) for extent in extents)
    return builder.applied(name, given, TensorType(shape, dtype))


def _written(extents: Sequence[str], dtype: DType) -> str:
    return f"Tensor[({', '.join(extents)}{',' * (len(extents) == 1)}), {dtype}]"
