"""Operators that make, observe and change shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial, reduce

from gradual.dims.term.dim import Dim
from gradual.dims.term.dim import constant as number
from gradual.importers.common.applying import positive
from gradual.importers.common.composed.arithmetic import extent
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.reading import dtype_of
from gradual.importers.onnx.importers import Use, as_scalar, constant_of, held, imports
from gradual.tensors.tensor import Tensor, scalar
from gradual.types.dtype import DType


@imports("Constant")
def constant(use: Use) -> Value:
    """A constant, which is given by one of several attributes."""
    attributes = use.node.attributes
    if (tensor := attributes.get("value")) is not None:
        is_float = isinstance(tensor, Tensor) and tensor.dtype.is_float
        return held(use.builder, tensor, use.node.outputs[0] if is_float else "")
    for kind, dtype in (("int", DType.INT64), ("float", DType.FLOAT32)):
        if (one := attributes.get(f"value_{kind}")) is not None:
            return use.builder.number(one, dtype)
        if (several := attributes.get(f"value_{kind}s")) is not None:
            return use.builder.constant(Tensor(list(several), dtype, (len(several),)))
    raise Unsupported(f"a constant given by {', '.join(attributes) or 'nothing'}")


@imports("Shape")
def shape(use: Use) -> Value:
    """The sizes of all axes, or of some consecutive axes."""
    sizes = use.call("shape_of", use[0], dtype=DType.INT64)
    start, end = use.attribute("start", 0), use.attribute("end")
    if (start, end) == (0, None):
        return sizes
    rank = use[0].rank
    start, end = _clamped(start, rank), _clamped(rank if end is None else end, rank)
    return (
        sizes if (start, end) == (0, rank) else use.call("strided_slice", sizes, begin=[start], end=[max(start, end)])
    )


def _clamped(axis: int, rank: int) -> int:
    return min(max(axis + rank if axis < 0 else axis, 0), rank)


@imports("Size")
def size(use: Use) -> Value:
    """The number of elements."""
    return use.call("ndarray_size", use[0], dtype=DType.INT64)


@imports("Reshape")
def reshape(use: Use) -> Value:
    """The elements under a new shape."""
    zero = True if use.attribute("allowzero", 0) else None
    if use.opset >= 5 and use[1].constant is None:
        known = [size for size in use[1].tensor.contents or () if isinstance(size, Dim)]
        return use.call("dyn.reshape", _inferable(use, known), use[1], allowzero=zero)
    sizes = list(use.required("shape")) if use.opset < 5 else use[1].numbers("the shape")
    if min(sizes, default=0) < -1:
        raise Unsupported(f"the size {min(sizes)}")
    if zero and 0 in sizes and -1 in sizes:
        raise Unsupported("the sizes 0 and -1 with allowzero=1")
    if not zero and 0 in sizes and 0 in sizes[use[0].rank :]:
        raise Unsupported(f"the size 0 of an axis that the operand of rank {use[0].rank} has not")
    return use.call("reshape", _inferable(use, list(map(number, sizes))), newshape=sizes, allowzero=zero)


def _inferable(use: Use, wanted: Sequence[Dim]) -> Value:
    """The operand of a reshape, with an assertion that no other size is 0 if a size is -1, which ONNX requires.

    Relay's own rule allows a copied size to be 0, so the assertion covers each size not known to be at least 1.
    """
    x, conditions = use[0], list[Value]()
    if all(size.value != -1 for size in wanted):
        return x
    for place, size in enumerate(wanted):
        copied = size.value == 0
        if size.value == -1 or use.builder.is_positive(x.tensor.shape[place] if copied else size):
            continue
        sizes = use.call("shape_of", x, dtype=DType.INT64) if copied else use[1]
        length = use.call("take", sizes, use.like(place, sizes), axis=0)
        conditions.append(use.call("greater_equal", length, use.like(1, length)))
    if not conditions:
        return x
    condition = reduce(partial(use.call, "logical_and"), conditions)
    return use.demanded(x, condition, "a size beside -1 is 0, so that the -1 cannot be inferred")


@imports("Flatten")
def flatten(use: Use) -> Value:
    """A matrix: the axes before `axis` are merged into one axis, and the others into another."""
    x, rank = use[0], use[0].rank
    axis = use.attribute("axis", 1)
    if not (-rank if use.opset >= 11 else 0) <= axis <= rank:
        raise Unsupported(f"axis {axis} of a tensor of rank {rank}")
    axis = axis + rank if axis < 0 else axis
    if axis == 1 and rank > 1:
        return use.call("nn.batch_flatten", x)
    sizes = use.call("shape_of", x, dtype=DType.INT64)
    parts = [
        use.call("prod", use.call("strided_slice", sizes, begin=[low], end=[high]), keepdims=True)
        for low, high in ((0, axis), (axis, rank))
    ]
    return use.call("dyn.reshape", x, use.call("concatenate", use.builder.tuple(parts), axis=0), allowzero=True)


@imports("Squeeze")
def squeeze(use: Use) -> Value:
    """The tensor without some axes of size 1."""
    axes = use.axes()
    return use.call("squeeze", use[0], axis=None if axes is None else list(axes))


@imports("Unsqueeze")
def unsqueeze(use: Use) -> Value:
    """The tensor with new axes of size 1; `axes` are their positions in the result."""
    axes, value = use.axes(), use[0]
    if axes is None:
        raise Unsupported("axes that are missing")
    rank = value.rank + len(axes)
    counted = {positive(axis, rank) for axis in axes}
    if len(counted) < len(axes):
        raise Unsupported(f"axes={axes}")
    return use.expanded(value, sorted(counted))


@imports("Transpose")
def transpose(use: Use) -> Value:
    """The tensor with its axes permuted; by default their order is reversed.  Negative axes are refused."""
    order = use.attribute("perm")
    if min(order or (), default=0) < 0:
        raise Unsupported(f"perm={list(order)}")
    return use.call("transpose", use[0], axes=order)


@imports("Expand")
def expand(use: Use) -> Value:
    """The tensor broadcast with a shape in both directions: where the shape has 1, the tensor keeps its size."""
    x, wanted = use[0], use[1]
    if _is_reached(x, wanted):
        if isinstance(wanted.constant, Tensor):
            return use.call("broadcast_to", x, shape=wanted.numbers("the shape"))
        return use.call("dyn.broadcast_to", x, wanted)
    if isinstance(wanted.constant, Tensor):
        zeros = use.call("zeros", shape=wanted.numbers("the shape"), dtype=x.dtype)
    else:
        zeros = use.call("dyn.zeros", wanted, dtype=x.dtype)
    return use.call("where", use.builder.number(True, DType.BOOL), x, zeros)


def _is_reached(x: Value, wanted: Value) -> bool:
    """Whether the known sizes show that the result has the wanted shape."""
    contents = wanted.tensor.contents
    if contents is None or len(contents) < x.rank:
        return False
    kept = contents[len(contents) - x.rank :]
    return all(size is part or size.value == 1 for size, part in zip(x.tensor.shape, kept, strict=True))


@imports("Concat")
def concatenate(use: Use) -> Value:
    """The tensors, concatenated along an axis."""
    parts = [use[index] for index in range(len(use.inputs))]
    axis = use.attribute("axis", 1 if use.opset < 4 else None)
    if axis is None:
        raise Unsupported("axis that is missing")
    return use.call("concatenate", use.builder.tuple(parts), axis=axis)


@imports("Split")
def split(use: Use) -> list[Value]:
    """Parts along an axis, of given sizes or of one size."""
    x, axis = use[0], positive(use.attribute("axis", 0), use[0].rank)
    sizes, count, whole = _parts(use, axis), len(use.node.outputs), x.extent(axis)
    if sizes is None and x.rank == 1 and whole is not None and whole % count == 0:
        sizes = [whole // count] * count
    if sizes is None and count == 1:
        return [x]
    if sizes is None:
        return use.counted(use.call("split", x, indices_or_sections=count, axis=axis), count)
    if len(sizes) != count:
        raise Unsupported(f"{len(sizes)} sizes for {count} outputs")
    return use.parts(x, axis, sizes)


def _parts(use: Use, axis: int) -> Sequence[int | Value] | None:
    """The sizes of the parts, or None if all are equal."""
    given, outputs = use.optional(1), len(use.node.outputs)
    if given is not None and given.extent(0) not in (None, outputs):
        raise Unsupported(f"{given.extent(0)} sizes for {outputs} outputs")
    if given is not None:
        return [use.builder.element(use.exactly(given, 0, outputs), at) for at in range(outputs)]
    if (sizes := use.attribute("split")) is not None:
        return list(sizes)
    whole, count = use[0].extent(axis), use.attribute("num_outputs")
    if count not in (None, outputs):
        raise Unsupported(f"num_outputs={count}")
    if outputs == 1 or count is None or (whole is not None and whole % count == 0):
        return None
    if whole is None:
        part = (extent(use, use[0], axis) + (count - 1)) // count
        last_part = extent(use, use[0], axis) - part * (count - 1)
        return [*[use.written_size(part.value)] * (count - 1), use.written_size(last_part.value)]
    size = -(-whole // count)
    last = whole - (count - 1) * size
    if last < 0:
        raise Unsupported(f"num_outputs={count} of an axis of size {whole}")
    return [*[size] * (count - 1), last]


@imports("Tile")
def tile(use: Use) -> Value:
    """The tensor repeated along its axes."""
    if use.opset < 6:
        raise Unsupported("version 1 of the operator")
    if isinstance(use[1].constant, Tensor):
        return use.call("tile", use[0], reps=use[1].numbers("repetitions"))
    return use.call("dyn.tile", use[0], use[1])


@imports("ConstantOfShape")
def constant_of_shape(use: Use) -> Value:
    """A tensor of a given shape filled with one number."""
    filling: Tensor = use.attribute("value", scalar(0.0, DType.FLOAT32))
    if filling.size != 1:
        raise Unsupported(f"a value of {filling.size} elements")
    number = use.builder.number(filling.item(), filling.dtype)
    if isinstance(use[0].constant, Tensor):
        return use.call("full", number, shape=use[0].numbers("the shape"))
    return use.call("dyn.full", number, use[0])


@imports("Range")
def arange(use: Use) -> Value:
    """The numbers from a start up to a limit, exclusive.

    If the limit is an int64 that was cast to float64, the range is computed in int64 and then cast, so that its length
    is known exactly.
    """
    given = [use[index] for index in range(3)]
    if all(constant_of(one) is not None for one in given) and any(one.rank for one in given):
        raise Unsupported("a vector where a number has to be")
    start, limit, step = (as_scalar(use, one) for one in given)
    whole, first, by = limit.made_by("cast"), _whole(use, start), _whole(use, step)
    if whole and (whole[0].dtype, limit.dtype) == (DType.INT64, DType.FLOAT64) and first is not None and by is not None:
        return use.call("cast", use.call("arange", first, *whole, by, dtype=DType.INT64), dtype=limit.dtype)
    return use.call("arange", start, limit, step, dtype=start.dtype)


def _whole(use: Use, value: Value) -> Value | None:
    """A constant as an int64 if it is a small integer, else None."""
    known = constant_of(value)
    number = math.nan if known is None else float(known.item())
    return use.builder.number(int(number), DType.INT64) if number.is_integer() and abs(number) < 2**31 else None


@imports("EyeLike")
def eye_like(use: Use) -> Value:
    """Ones on a diagonal."""
    to = use.attribute("dtype")
    dtype = use[0].dtype if to is None else dtype_of(to, "the result")
    zero, one = (use.builder.number(number, DType.INT64) for number in (0, 1))
    rows, columns = (use.call("arange", zero, use.extent(use[0], axis), one, dtype=DType.INT64) for axis in (0, 1))
    moved = use.call("add", rows, use.builder.number(use.attribute("k", 0), DType.INT64))
    return use.call("cast", use.call("equal", columns, use.call("expand_dims", moved, axis=1)), dtype=dtype)


@imports("Trilu")
def triangle(use: Use) -> Value:
    """The elements on and above a diagonal, or on and below it."""
    diagonal = use.optional(1)
    number = use.builder.number(0, DType.INT64) if diagonal is None else as_scalar(use, diagonal)
    return use.call("trilu", use[0], number, upper=bool(use.attribute("upper", 1)))


@imports("DepthToSpace")
def depth_to_space(use: Use) -> Value:
    """Channels rearranged into spatial blocks."""
    return use.call(
        "nn.depth_to_space", use[0], block_size=use.required("blocksize"), mode=use.only("mode", "DCR", "CRD")
    )


@imports("SpaceToDepth")
def space_to_depth(use: Use) -> Value:
    """Spatial blocks rearranged into channels."""
    size = use.required("blocksize")
    if use.only("mode", "DCR", "CRD") == "DCR":
        return use.call("nn.space_to_depth", use[0], block_size=size, mode="DCR")
    rows = use.call("reshape", use[0], newshape=[0, 0, -4, -1, size, -4, -1, size])
    moved = use.call("transpose", rows, axes=[0, 1, 3, 5, 2, 4])
    return use.call("reshape", use.call("reshape", moved, newshape=[0, -3, -2]), newshape=[0, -3, -2])
