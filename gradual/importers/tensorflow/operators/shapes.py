"""Operators that make, observe and change shapes, and join tensors."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType


@imports("Shape")
def shape(use: Use) -> Value:
    """The sizes."""
    return use.call("shape_of", use[0], dtype=use.dtype("out_type", DType.INT32))


@imports("ShapeN")
def shapes(use: Use) -> Sequence[Value]:
    """The sizes of each tensor."""
    return [use.call("shape_of", one, dtype=use.dtype("out_type", DType.INT32)) for one in use.tensors()]


@imports("Size")
def size(use: Use) -> Value:
    """The number of elements."""
    return use.call("ndarray_size", use[0], dtype=use.dtype("out_type", DType.INT32))


@imports("Rank")
def rank(use: Use) -> Value:
    """The number of axes."""
    if not isinstance(use[0].type, UnrankedType):
        return use.builder.number(use[0].rank, DType.INT32)
    sizes = use.call("shape_of", use[0], dtype=DType.INT32)
    return use.call("take", use.call("shape_of", sizes, dtype=DType.INT32), use.like(0, sizes), axis=0)


@imports("Reshape")
def reshape(use: Use) -> Value:
    """The elements in a new shape: 0 is a size, and -1 is inferred."""
    return reshaped(use, use[0], use[1])


def reshaped(use: Use, x: Value, sizes: Value) -> Value:
    """The elements in a new shape, which is a vector."""
    if not isinstance(sizes.constant, Tensor):
        return use.call("dyn.reshape", x, sizes, allowzero=True)
    numbers = sizes.numbers("the shape")
    if min(numbers, default=0) < -1 or numbers.count(-1) > 1:
        raise Unsupported(f"the shape {numbers}")
    return use.call("reshape", x, newshape=numbers, allowzero=True if 0 in numbers else None)


@imports("Squeeze")
def squeeze(use: Use) -> Value:
    """The tensor without some axes of size 1; without all such if none are given."""
    x, axes = use[0], use.integers("squeeze_dims")
    if isinstance(x.type, UnrankedType):
        found = use.call("squeeze", x, axis=axes or None)
        if axes:
            use.bodies.derived(found, x, len(axes))
        return found
    if not axes and x.rank and all(x.extent(axis) not in (None, 1) for axis in range(x.rank)):
        return x
    return use.call("squeeze", x, axis=axes or None) if x.rank else x


@imports("ExpandDims")
def expand_dims(use: Use) -> Value:
    """The tensor with a new axis of size 1."""
    return use.call("expand_dims", use[0], axis=use.axis(1, use[0], 1))


@imports("Transpose")
def transpose(use: Use) -> Value:
    """The tensor with its axes in another order."""
    order = use[1].numbers("a permutation")
    return use.call("transpose", use[0], axes=order) if len(order) > 1 else use[0]


@imports("Fill")
def fill(use: Use) -> Value:
    """A tensor of a shape filled with a scalar."""
    if isinstance(use[0].constant, Tensor):
        return use.call("full", use[1], shape=use[0].numbers("the shape"))
    return use.call("dyn.full", use[1], use[0])


@imports("BroadcastTo")
def broadcast_to(use: Use) -> Value:
    """The tensor broadcast to a shape."""
    if isinstance(use[1].constant, Tensor):
        return use.call("broadcast_to", use[0], shape=use[1].numbers("the shape"))
    return use.call("dyn.broadcast_to", use[0], use[1])


@imports("Tile")
def tile(use: Use) -> Value:
    """The tensor repeated along each axis."""
    if isinstance(use[1].constant, Tensor):
        return use.call("tile", use[0], reps=use[1].numbers("the numbers of repetitions"))
    return use.call("dyn.tile", use[0], use[1])


@imports("Pack")
def pack(use: Use) -> Value:
    """The tensors, stacked along a new axis."""
    parts = use.tensors()
    if use.number("axis", 0) == 0 and _are_tracked(parts):
        flat = use.call("concatenate", use.builder.tuple(parts), axis=0)
        return use.call("reshape", flat, newshape=[len(parts), -1])
    return use.call("stack", use.builder.tuple(parts), axis=use.axis_of(use.number("axis", 0), parts[0], 1))


def _are_tracked(parts: Sequence[Value]) -> bool:
    """Whether tensors are integer vectors of one known size; a reshape of their concatenation keeps their elements."""
    widths = {one.extent(0) if isinstance(one.type, TensorType) and one.rank == 1 else None for one in parts}
    return len(widths) == 1 and widths != {None} and parts[0].dtype.counts


@imports("Unpack")
def unpack(use: Use) -> Sequence[Value]:
    """The slices along an axis."""
    x, count = use[0], use.number("num")
    axis = use.axis_of(use.number("axis", 0), x)
    whole = use.exactly(x, axis, count)
    return [use.call("take", whole, use.builder.number(at, DType.INT64), axis=axis) for at in range(count)]


@imports("ConcatV2", "Concat")
def concatenate(use: Use) -> Value:
    """The tensors, concatenated along an axis."""
    is_last = use.node.operator == "ConcatV2"
    parts = use.tensors(0, -1) if is_last else use.tensors(1)
    axis = use.axis(-1 if is_last else 0, parts[0])
    return use.call("concatenate", use.builder.tuple(parts), axis=axis) if len(parts) > 1 else parts[0]


@imports("Range")
def numbers(use: Use) -> Value:
    """The numbers from a start up to a limit, which is excluded, in steps."""
    return use.call("arange", use[0], use[1], use[2], dtype=use[0].dtype)


@imports("EnsureShape")
def ensure_shape(use: Use) -> Value:
    """The tensor, whose shape has to be the given one where that is known."""
    return use.of_shape(use[0], use.shape("shape"))
