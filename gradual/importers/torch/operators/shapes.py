"""Operators that reshape, repeat, and concatenate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from gradual.importers.common.applying import positive
from gradual.importers.common.composed.rolling import rolled
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


# ------------------------------------------------------------------------------------------------------- reshaping
@imports("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten._reshape_alias.default")
def reshape(use: Use) -> Value:
    """The elements in a new shape; 0 means the size 0, and -1 is inferred."""
    sizes = use.sizes("size" if "size" in use.node.arguments else "shape")
    return reshaped(use, use["self"], sizes)


def reshaped(use: Use, x: Value, sizes: Sequence[int | Value]) -> Value:
    """The value in a new shape."""
    return use.call("reshape", x, newshape=list(sizes), allowzero=True if 0 in sizes else None)


@imports("aten.view_as.default", "aten.reshape_as.default")
def reshape_as(use: Use) -> Value:
    """The elements in another tensor's shape."""
    return use.call("reshape_like", use["self"], use["other"])


@imports("aten.ravel.default")
def ravel(use: Use) -> Value:
    """The elements as a vector."""
    return use.call("reshape", use["self"], newshape=[-1])


@imports("aten.atleast_1d.default", "aten.atleast_2d.default", "aten.atleast_3d.default")
def at_least(use: Use) -> Value:
    """The tensor with new axes of size 1, so that it has at least a given rank."""
    x, wanted = use["self"], int(use.node.operator.split(".")[1][-2])
    if wanted == 3 and x.rank in (1, 2):  # a matrix gets its new axis at the end, a vector one at each end
        x = use.call("expand_dims", x, axis=x.rank)
        return x if x.rank == 3 else use.call("expand_dims", x, axis=0)
    for _ in range(x.rank, wanted):
        x = use.call("expand_dims", x, axis=0)
    return x


@imports("aten.flatten.using_ints")
def flatten(use: Use) -> Value:
    """The tensor with consecutive axes merged into one."""
    x = use["self"]
    if x.rank == 0:
        return use.call("reshape", x, newshape=[1])
    start, end = use.axis("start_dim", x.rank, 0), use.axis("end_dim", x.rank, -1)
    for _ in range(start, end):
        x = use.call("reshape", x, newshape=[*[0] * start, -3, -2])
    return x


@imports("aten.unflatten.int")
def unflatten(use: Use) -> Value:
    """The tensor with one axis split into several."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    sizes = [use.written_size(use.extent(x, at)) for at in range(x.rank)]
    return reshaped(use, x, [*sizes[:axis], *use.sizes("sizes"), *sizes[axis + 1 :]])


@imports("aten.unsqueeze.default")
def unsqueeze(use: Use) -> Value:
    """The tensor with a new axis of size 1."""
    x = use["self"]
    return use.call("expand_dims", x, axis=use.axis("dim", x.rank + 1))


@imports("aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze.default")
def squeeze(use: Use) -> Value:
    """The tensor without some axes of size 1; an axis of unknown size is removed if the export recorded it as 1."""
    x = use["self"]
    if not x.rank:
        return x
    recorded = use.recorded("self")
    axes = [axis for axis in use.axes("dim", x.rank) if (x.extent(axis) or recorded[axis]) == 1]
    return use.call("squeeze", x, axis=axes) if axes else x


@imports("aten.transpose.int", "aten.swapaxes.default", "aten.swapdims.default")
def transpose(use: Use) -> Value:
    """The tensor with two axes swapped."""
    x = use["self"]
    if x.rank == 0:
        return x
    order = list(range(x.rank))
    names = ("axis0", "axis1") if "axis0" in use.node.arguments else ("dim0", "dim1")
    one, other = (use.axis(name, x.rank) for name in names)
    order[one], order[other] = other, one
    return x if one == other else use.call("transpose", x, axes=order)


@imports("aten.mT.default", "aten.mH.default", "aten.adjoint.default", "aten.matrix_H.default")
def transposed_matrices(use: Use) -> Value:
    """The tensor with its last two axes swapped."""
    x = use["self"]
    return use.call("transpose", x, axes=[*range(x.rank - 2), x.rank - 1, x.rank - 2])


@imports("aten.t.default", "aten.numpy_T.default")
def reversed_axes(use: Use) -> Value:
    """The tensor with its axes in reverse order."""
    return use.call("transpose", use["self"]) if use["self"].rank > 1 else use["self"]


@imports("aten.permute.default")
def permute(use: Use) -> Value:
    """The tensor with its axes permuted."""
    x = use["self"]
    return use.call("transpose", x, axes=use.axes("dims", x.rank)) if x.rank else x


@imports(*(f"aten.{name}.{form}" for name in ("movedim", "moveaxis") for form in ("int", "intlist")))
def move_axes(use: Use) -> Value:
    """The tensor with some axes moved to other positions; the other axes keep their order."""
    x = use["self"]
    source, target = (use.axes(name, x.rank) for name in ("source", "destination"))
    order = [axis for axis in range(x.rank) if axis not in source]
    for place, axis in sorted(zip(target, source, strict=True)):
        order.insert(place, axis)
    return use.call("transpose", x, axes=order)


# ------------------------------------------------------------------------------------------- repeating and joining
@imports("aten.expand.default", "aten.broadcast_to.default", "aten.expand_copy.default")
def expand(use: Use) -> Value:
    """The tensor with axes of size 1 repeated to given sizes; -1 keeps the size of an axis."""
    x, sizes = use["self"], use.sizes("size")
    missing = len(sizes) - x.rank
    if missing < 0:
        raise Unsupported(f"{len(sizes)} sizes for a tensor of rank {x.rank}")
    wanted = [
        use.written_size(use.extent(x, axis - missing)) if size == -1 else size for axis, size in enumerate(sizes)
    ]
    return use.call("broadcast_to", x, shape=wanted)


@imports("aten.expand_as.default")
def expand_as(use: Use) -> Value:
    """The tensor broadcast to the shape of another."""
    return use.call("broadcast_to_like", use["self"], use["other"])


@imports("aten.broadcast_tensors.default")
def broadcast_tensors(use: Use) -> Sequence[Value]:
    """The tensors, each broadcast to their common shape."""
    parts = use.tensors("tensors")
    kinds = [use.as_type(one, DType.BOOL) for one in parts]
    joint = reduce(lambda one, other: use.call("logical_or", one, other), kinds)
    return [
        one if one.tensor.shape == joint.tensor.shape else use.call("broadcast_to_like", one, joint) for one in parts
    ]


@imports("aten.repeat.default", "aten.tile.default")
def tile(use: Use) -> Value:
    """The tensor repeated along each axis."""
    return use.call("tile", use["self"], reps=use.sizes("repeats" if "repeats" in use.node.arguments else "dims"))


@imports("aten.repeat_interleave.self_int")
def repeat(use: Use) -> Value:
    """Each slice along an axis repeated several times consecutively."""
    x, axis = use["self"], use.given("dim")
    if axis is None:
        x, axis = use.call("reshape", x, newshape=[-1]), 0
    return use.call("repeat", x, repeats=use.size("repeats"), axis=positive(axis, x.rank))


@imports("aten.cat.default", "aten.concat.default", "aten.concatenate.default")
def concatenate(use: Use) -> Value:
    """The tensors, concatenated; empty vectors are left out as in PyTorch."""
    dtype = use.dtype()
    parts = [use.as_type(one, dtype) for one in use.tensors("tensors")]
    if len({one.rank for one in parts}) > 1:
        parts = [one for one in parts if one.rank != 1 or one.extent(0) != 0]
    if len(parts) == 1:
        return parts[0]
    return use.call("concatenate", use.builder.tuple(parts), axis=use.axis("dim", parts[0].rank, 0))


@imports("aten.hstack.default", "aten.vstack.default", "aten.dstack.default", "aten.column_stack.default")
def stack_by_name(use: Use) -> Value:
    """The tensors, concatenated along the axis that the operator's name implies; if necessary, axes are added first."""
    dtype, name = use.dtype(), use.node.operator.split(".")[1]
    parts = [use.as_type(one, dtype) for one in use.tensors("tensors")]
    if name == "column_stack":
        parts = [one if one.rank > 1 else use.call("reshape", one, newshape=[-1, 1]) for one in parts]
    least = {"hstack": 1, "vstack": 2, "dstack": 3, "column_stack": 2}[name]
    for _ in range(least):
        parts = [one if one.rank >= least else _with_axis(use, one) for one in parts]
    axis = {"hstack": min(1, parts[0].rank - 1), "vstack": 0, "dstack": 2, "column_stack": 1}[name]
    return use.call("concatenate", use.builder.tuple(parts), axis=axis)


def _with_axis(use: Use, x: Value) -> Value:
    return use.call("expand_dims", x, axis=x.rank if x.rank == 2 else 0)


@imports("aten.block_diag.default")
def block_diagonal(use: Use) -> Value:
    """Matrices as blocks on the diagonal of a larger matrix, with zeros elsewhere."""
    dtype = use.dtype()
    parts = [use.as_type(one, dtype) for one in use.tensors("tensors")]
    parts = [one if one.rank == 2 else use.call("reshape", one, newshape=[1, -1]) for one in parts]
    widths = [use.written_size(use.extent(one, 1)) for one in parts]
    rows = []
    for at, one in enumerate(parts):
        before, after = (_total(use, sizes) for sizes in (widths[:at], widths[at + 1 :]))
        rows.append(use.call("nn.pad", one, use.like(0, one), pad_width=[[0, 0], [before, after]]))
    return use.call("concatenate", use.builder.tuple(rows), axis=0)


def _total(use: Use, sizes: Sequence[int | Value]) -> int | Value:
    numbers = sum(size for size in sizes if isinstance(size, int))
    total: int | Value = numbers
    for size in sizes:
        if isinstance(size, Value):
            other = use.builder.number(total, DType.INT64) if isinstance(total, int) else total
            total = use.call("add", size, other)
    return total


@imports("aten.stack.default")
def stack(use: Use) -> Value:
    """The tensors, stacked along a new axis."""
    dtype = use.dtype()
    parts = [use.as_type(one, dtype) for one in use.tensors("tensors")]
    return use.call("stack", use.builder.tuple(parts), axis=use.axis("dim", parts[0].rank + 1, 0))


# ----------------------------------------------------------------------------------------------- roll, flip, rotate
@imports("aten.roll.default")
def roll(use: Use) -> Value:
    """Axes rotated: elements that leave at one end enter at the other; by default all elements as one vector."""
    x, shifts = use["self"], use.sizes("shifts")
    if not use.given("dims"):
        flat = use.call("reshape", x, newshape=[-1])
        return use.call("reshape_like", rolled(use, flat, shifts[0], 0), x)
    for shift, axis in zip(shifts, use.axes("dims", x.rank), strict=True):
        x = rolled(use, x, shift, axis)
    return x


@imports("aten.flip.default")
def flip(use: Use) -> Value:
    """The elements along some axes in reverse order."""
    x = use["self"]
    for axis in use.axes("dims", x.rank) if use.given("dims") else []:
        x = use.call("reverse", x, axis=axis)
    return x


@imports("aten.fliplr.default", "aten.flipud.default")
def flip_image(use: Use) -> Value:
    """The elements along the second axis (`fliplr`) or the first axis (`flipud`) in reverse order."""
    return use.call("reverse", use["self"], axis=int(use.node.operator == "aten.fliplr.default"))


@imports("aten.rot90.default")
def rotate(use: Use) -> Value:
    """The tensor rotated by multiples of 90 degrees in the plane of two axes."""
    x, turns = use["self"], use.integer("k", 1) % 4
    one, other = (positive(axis, x.rank) for axis in use.integers("dims", [0, 1]))
    order = list(range(x.rank))
    order[one], order[other] = other, one
    if turns == 2:
        return use.call("reverse", use.call("reverse", x, axis=one), axis=other)
    if turns == 1:
        return use.call("transpose", use.call("reverse", x, axis=other), axes=order)
    return use.call("reverse", use.call("transpose", x, axes=order), axis=other) if turns else x


# -------------------------------------------------------------------------------------------------------- shuffling
@imports("aten.pixel_shuffle.default")
def pixel_shuffle(use: Use) -> Value:
    """Channels laid out as square blocks of pixels."""
    x, factor = use["self"], use.integer("upscale_factor")
    channels = x.extent(x.rank - 3)
    if channels is None or channels % (factor * factor):
        raise Unsupported("channels whose number is not known here, or no multiple of the block")
    outer, count = list(range(x.rank - 3)), channels // (factor * factor)
    sizes = [use.written_size(use.extent(x, axis)) for axis in range(x.rank)]
    split = reshaped(use, x, [*sizes[:-3], count, factor, factor, *sizes[-2:]])
    c, i, j, h, w = range(x.rank - 3, x.rank + 2)
    found = use.call("transpose", split, axes=[*outer, c, h, i, w, j])
    return use.call("reshape", found, newshape=[*[0] * (x.rank - 2), -3, -3])


@imports("aten.pixel_unshuffle.default")
def pixel_unshuffle(use: Use) -> Value:
    """Square blocks of pixels laid out as channels."""
    x, factor = use["self"], use.integer("downscale_factor")
    outer = list(range(x.rank - 3))
    split = x
    for axis in (x.rank - 1, x.rank - 2):
        split = _in_blocks(use, split, axis, factor)
    c, h, i, w, j = range(x.rank - 3, x.rank + 2)
    found = use.call("transpose", split, axes=[*outer, c, i, j, h, w])
    for _ in range(2):
        found = use.call("reshape", found, newshape=[*[0] * len(outer), -3, -2])
    return found


def _in_blocks(use: Use, x: Value, axis: int, block: int) -> Value:
    """An axis split into an axis of blocks and an axis within a block."""
    size = x.extent(axis)
    if size is not None:
        return use.call("reshape", x, newshape=[*[0] * axis, -4, size // block, block, -2])
    scalar = use.call("floor_divide", use.extent(x, axis), use.builder.number(block, DType.INT64))
    sizes = [use.written_size(use.extent(x, at)) for at in range(x.rank)]
    return reshaped(use, x, [*sizes[:axis], use.written_size(scalar), block, *sizes[axis + 1 :]])


@imports("aten.channel_shuffle.default", "aten.native_channel_shuffle.default")
def channel_shuffle(use: Use) -> Value:
    """The channels reordered: the first channel of each group, then the second of each, and so on."""
    x, groups = use["self"], use.integer("groups")
    channels = x.extent(1)
    if channels is None or channels % groups:
        raise Unsupported("channels whose number is not known here, or no multiple of the groups")
    split = use.call("reshape", x, newshape=[0, -4, groups, channels // groups, -2])
    found = use.call("transpose", split, axes=[0, 2, 1, *range(3, split.rank)])
    return use.call("reshape", found, newshape=[0, -3, -2])
