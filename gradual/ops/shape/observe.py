"""Observing: shapes and sizes as values."""

from __future__ import annotations

from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, operator
from gradual.ops.declaration.shapes import judged, size, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.tensors.fault import invalid_value
from gradual.tensors.scalar import integer_range, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType


def _sizes(found: tuple[int, ...], shape: tuple[int, ...], dtype: DType) -> Tensor:
    """Sizes as a tensor; raises a fault if a size is beyond the type's range."""
    high = integer_range(dtype)[1]
    for extent in found:
        if extent > high:
            raise invalid_value(f"the size {extent} does not fit {dtype}")
    return tensor_of(shape, dtype, kept(dtype, found))


def _countable(dtype: DType) -> DType:
    if not dtype.is_integer:
        raise IllFormed("op.attribute", f"attribute dtype has to be an integer type, not {dtype}")
    return dtype


def _shape_of(x: Tensor, *, dtype: DType | None) -> Tensor:
    return _sizes(x.shape, (x.rank,), dtype or DType.INT32)


def _shape_of_contents(x: TensorType[Dim], *, dtype: DType | None) -> Contents:
    return tracked(x.shape, dtype or DType.INT32)


@operator(
    "shape_of",
    meaning=_shape_of,
    family="observing",
    contents=_shape_of_contents,
    faults=Faults.LARGE_SIZE,
    onnx="Shape",
)
def shape_of(x: TensorType[Dim], *, dtype: DType | None = DType.INT32) -> Judgement:
    """The shape as a vector: the size of each axis.   t[d1, .., dk] -> int[k]

        out[i] = the size of axis i of x

    They have the type `dtype`; a size that the type cannot represent is a fault.
    """
    return judged((constant(tensor(x, 0).rank),), _countable(dtype or DType.INT32))


def _ndarray_size(x: Tensor, *, dtype: DType | None) -> Tensor:
    return _sizes((x.size,), (), dtype or DType.INT32)


def _ndarray_size_contents(x: TensorType[Dim], *, dtype: DType | None) -> Contents:
    return tracked((size(x.shape),), dtype or DType.INT32)


@operator(
    "ndarray_size",
    meaning=_ndarray_size,
    family="observing",
    contents=_ndarray_size_contents,
    faults=Faults.LARGE_COUNT,
    onnx="Size",
)
def ndarray_size(x: TensorType[Dim], *, dtype: DType | None = DType.INT32) -> Judgement:
    """The number of elements.   t[..a] -> int[]

        out[] = the number of elements of x

    It has the type `dtype`; a number that the type cannot represent is a fault.
    """
    tensor(x, 0)
    return judged((), _countable(dtype or DType.INT32))
