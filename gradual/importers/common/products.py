"""Batched matrix products, with the semantics of NumPy, ONNX and PyTorch."""

from __future__ import annotations

from gradual.importers.common.applying import Applying
from gradual.importers.common.values import Value
from gradual.types.dtype import DType


def product(use: Applying, a: Value, b: Value) -> Value:
    """A batched matrix product; a vector on the left is a row, and a vector on the right is a column."""
    left = use.call("expand_dims", a, axis=0) if a.rank == 1 else a
    right = use.call("expand_dims", b, axis=1) if b.rank == 1 else b
    found = _matrices(use, left, right)
    axes = [axis for axis, operand in ((-2, a), (-1, b)) if operand.rank == 1]
    return use.call("squeeze", found, axis=axes) if axes else found


def _matrices(use: Applying, a: Value, b: Value) -> Value:
    """The product of two tensors of rank 2 or more, whose batch axes broadcast."""
    if b.rank == 2:
        return use.call("nn.matmul", a, b)
    rank = max(a.rank, b.rank)
    a, b = (use.call("expand_dims", x, axis=0, num_newaxis=rank - x.rank) if x.rank < rank else x for x in (a, b))
    if rank == 3:
        return use.call("nn.batch_matmul", a, b)
    if a.tensor.shape[:-2] != b.tensor.shape[:-2]:
        a, b = _broadcast_batches(use, a, b)
    found = use.call("nn.batch_matmul", _one_batch(use, a), _one_batch(use, b))
    return use.call("reshape_like", found, a, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=rank - 2)


def _one_batch(use: Applying, value: Value) -> Value:
    """The value with its batch axes merged into one."""
    while value.rank > 3:
        value = use.call("reshape", value, newshape=[-3, -2])
    return value


def _broadcast_batches(use: Applying, a: Value, b: Value) -> tuple[Value, Value]:
    """The operands with their batch axes broadcast to each other."""
    outer = a.rank - 2
    shapes = [use.call("shape_of", x, dtype=DType.INT64) for x in (a, b)]
    first, second = (use.call("strided_slice", shape, begin=[0], end=[outer]) for shape in shapes)
    one = use.call("equal", first, use.builder.number(1, DType.INT64))
    joint = use.call("where", one, second, first)
    inner = [use.call("strided_slice", shape, begin=[outer], end=[outer + 2]) for shape in shapes]
    wanted = [use.call("concatenate", use.builder.tuple([joint, part]), axis=0) for part in inner]
    return use.call("dyn.broadcast_to", a, wanted[0]), use.call("dyn.broadcast_to", b, wanted[1])
