"""Operators that make tensors, and those that change shapes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gradual.importers.common.applying import positive
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, NUMBER, Use, imports
from gradual.types.dtype import DType


# -------------------------------------------------------------------------------------------------------- creating
def full(use: Use, sizes: Sequence[int | Value], number: Value) -> Value:
    """A shape filled with one number."""
    return use.call("full", number, shape=list(sizes)) if sizes else number


def _filled(number: NUMBER | None, use: Use) -> Value:
    dtype = use.dtype()
    filling = use.scalar("fill_value", dtype) if number is None else use.builder.number(number, dtype)
    return full(use, use.sizes("size"), filling)


def _filled_like(number: NUMBER | None, use: Use) -> Value:
    dtype, x = use.dtype(), use["self"]
    filling = use.scalar("fill_value", dtype) if number is None else use.builder.number(number, dtype)
    return use.call("full_like", use.as_type(x, dtype), filling)


for _name, _number in (("zeros", 0), ("ones", 1), ("full", None)):
    IMPORTERS[f"aten.{_name}.default"] = partial(_filled, _number)
    IMPORTERS[f"aten.new_{_name}.default"] = partial(_filled, _number)
    IMPORTERS[f"aten.{_name}_like.default"] = partial(_filled_like, _number)


@imports("aten.scalar_tensor.default")
def scalar_tensor(use: Use) -> Value:
    """A number as a tensor of rank 0."""
    return use.scalar("s", use.dtype())


@imports("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def arange(use: Use) -> Value:
    """The numbers from a start up to an end; computed in int64 or float64, then in the type of the result."""
    dtype = use.dtype()
    given = [use.value(use.given(name, default)) for name, default in (("start", 0), ("end", None), ("step", 1))]
    is_whole = all(isinstance(one, int) or (isinstance(one, Value) and not one.dtype.is_float) for one in given)
    kind = DType.INT64 if is_whole else DType.FLOAT64
    parts = [use.scalar(name, kind, default) for name, default in (("start", 0), ("end", None), ("step", 1))]
    return use.as_type(use.call("arange", *parts, dtype=kind), dtype)


@imports("aten.tril.default", "aten.triu.default")
def triangle(use: Use) -> Value:
    """The elements on and below a diagonal, or on and above it."""
    diagonal = use.scalar("diagonal", DType.INT64, 0)
    return use.call("trilu", use["self"], diagonal, upper=use.node.operator == "aten.triu.default")


# ------------------------------------------------------------------------------------------------------- reshaping
@imports("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default")
def reshape(use: Use) -> Value:
    """The elements under a new shape: a 0 is a size, and -1 stands for what is left."""
    sizes = use.sizes("size" if "size" in use.node.arguments else "shape")
    return reshaped(use, use["self"], sizes)


def reshaped(use: Use, x: Value, sizes: Sequence[int | Value]) -> Value:
    """The value under a new shape."""
    return use.call("reshape", x, newshape=list(sizes), allowzero=True if 0 in sizes else None)


@imports("aten.flatten.using_ints")
def flatten(use: Use) -> Value:
    """Some axes in a row as one."""
    x = use["self"]
    if x.rank == 0:
        return use.call("reshape", x, newshape=[1])
    start, end = use.axis("start_dim", x.rank, 0), use.axis("end_dim", x.rank, -1)
    for _ in range(start, end):
        x = use.call("reshape", x, newshape=[*[0] * start, -3, -2])
    return x


@imports("aten.unflatten.int")
def unflatten(use: Use) -> Value:
    """One axis as several."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    sizes = [use.written_size(use.extent(x, at)) for at in range(x.rank)]
    return reshaped(use, x, [*sizes[:axis], *use.sizes("sizes"), *sizes[axis + 1 :]])


@imports("aten.unsqueeze.default")
def unsqueeze(use: Use) -> Value:
    """A new axis of size 1."""
    x = use["self"]
    return use.call("expand_dims", x, axis=use.axis("dim", x.rank + 1))


@imports("aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze.default")
def squeeze(use: Use) -> Value:
    """Without some axes of size 1; one of another size stays."""
    x = use["self"]
    axes = [axis for axis in use.axes("dim", x.rank) if x.extent(axis) in (1, None)] if x.rank else []
    if any(x.extent(axis) is None for axis in axes):
        if use.given("dim") is None:
            axes = [axis for axis in axes if x.extent(axis) == 1]
        else:
            axes = [axis for axis in axes if x.extent(axis) == 1 or _is_dropped(use, x.rank)]
    return use.call("squeeze", x, axis=axes) if axes else x


def _is_dropped(use: Use, rank: int) -> bool:
    """Whether the export saw the axis removed."""
    meta = use.metas.get(next(name for name in use.node.outputs if isinstance(name, str)))
    return meta is not None and len(meta.sizes) < rank


@imports("aten.transpose.int")
def transpose(use: Use) -> Value:
    """Two axes exchanged."""
    x = use["self"]
    if x.rank == 0:
        return x
    order = list(range(x.rank))
    one, other = use.axis("dim0", x.rank), use.axis("dim1", x.rank)
    order[one], order[other] = other, one
    return x if one == other else use.call("transpose", x, axes=order)


@imports("aten.t.default", "aten.numpy_T.default")
def reversed_axes(use: Use) -> Value:
    """The axes in reverse."""
    return use.call("transpose", use["self"]) if use["self"].rank > 1 else use["self"]


@imports("aten.permute.default")
def permute(use: Use) -> Value:
    """The axes in another order."""
    x = use["self"]
    return use.call("transpose", x, axes=use.axes("dims", x.rank)) if x.rank else x


@imports("aten.movedim.int", "aten.movedim.intlist")
def move_axes(use: Use) -> Value:
    """Some axes moved to other positions, the others in order around them."""
    x = use["self"]
    source, target = (use.axes(name, x.rank) for name in ("source", "destination"))
    order = [axis for axis in range(x.rank) if axis not in source]
    for place, axis in sorted(zip(target, source, strict=True)):
        order.insert(place, axis)
    return use.call("transpose", x, axes=order)


# ------------------------------------------------------------------------------------------- repeating and joining
@imports("aten.expand.default")
def expand(use: Use) -> Value:
    """Axes of size 1 repeated to a size; -1 leaves an axis as it is."""
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
    """Repeated to the shape of another tensor."""
    return use.call("broadcast_to_like", use["self"], use["other"])


@imports("aten.repeat.default")
def tile(use: Use) -> Value:
    """The tensor next to itself."""
    return use.call("tile", use["self"], reps=use.sizes("repeats"))


@imports("aten.repeat_interleave.self_int")
def repeat(use: Use) -> Value:
    """Each slice several times in a row."""
    x, axis = use["self"], use.given("dim")
    if axis is None:
        x, axis = use.call("reshape", x, newshape=[-1]), 0
    return use.call("repeat", x, repeats=use.size("repeats"), axis=positive(axis, x.rank))


@imports("aten.cat.default", "aten.concat.default")
def concatenate(use: Use) -> Value:
    """The tensors one after another; a vector without elements is no tensor to PyTorch, and is left out."""
    dtype = use.dtype()
    parts = [use.as_type(one, dtype) for one in use.tensors("tensors")]
    if len({one.rank for one in parts}) > 1:
        parts = [one for one in parts if one.rank != 1 or one.extent(0) != 0]
    if len(parts) == 1:
        return parts[0]
    return use.call("concatenate", use.builder.tuple(parts), axis=use.axis("dim", parts[0].rank, 0))


@imports("aten.stack.default")
def stack(use: Use) -> Value:
    """The tensors along a new axis."""
    dtype = use.dtype()
    parts = [use.as_type(one, dtype) for one in use.tensors("tensors")]
    return use.call("stack", use.builder.tuple(parts), axis=use.axis("dim", parts[0].rank + 1, 0))


# --------------------------------------------------------------------------------------------------------- cutting
@imports("aten.split_with_sizes.default", "aten.split.sizes")
def split_with_sizes(use: Use) -> Sequence[Value]:
    """Parts of given sizes."""
    x = use["self"]
    return use.parts(x, use.axis("dim", x.rank, 0), use.sizes("split_sizes"))


@imports("aten.split.Tensor", "aten.chunk.default", "aten.tensor_split.sections")
def split(use: Use) -> Sequence[Value]:
    """Parts of one size, of which the last may be smaller; how many, the export has recorded."""
    x = use["self"]
    axis = use.axis("dim", x.rank, 0)
    count, whole = use.count, x.extent(axis)
    if use.node.operator == "aten.split.Tensor":
        size = use.integer("split_size")
    elif whole is not None and use.node.operator == "aten.chunk.default":
        size = -(-whole // use.integer("chunks"))
    elif whole is not None:
        small, more = divmod(whole, count)
        return use.parts(x, axis, [small + (at < more) for at in range(count)])
    else:
        return use.counted(use.call("split", x, indices_or_sections=count, axis=axis), count)
    if whole is not None:
        return use.parts(x, axis, [min(size, whole - size * at) for at in range(count)])
    last = use.call("subtract", use.extent(x, axis), use.builder.number(size * (count - 1), DType.INT64))
    return use.parts(x, axis, [*[size] * (count - 1), use.written_size(last)])


@imports("aten.unbind.int")
def unbind(use: Use) -> Sequence[Value]:
    """Each slice along an axis, without the axis."""
    x = use["self"]
    axis = use.axis("dim", x.rank, 0)
    whole = use.exactly(x, axis, use.count)
    places = [use.builder.number(at, DType.INT64) for at in range(use.count)]
    return [use.call("take", whole, place, axis=axis, mode="fast") for place in places]


@imports("aten.slice.Tensor")
def cut(use: Use) -> Value:
    """The elements from a start up to an end along an axis; both are limited to the axis, and count from its end if
    they are negative."""
    x = use["self"]
    axis, step = use.axis("dim", x.rank, 0), use.integer("step", 1)
    start = 0 if use.given("start") is None else use.size("start")
    end = LAST if use.given("end") is None else use.size("end")
    if start == 0 and step == 1 and isinstance(end, int) and end >= LAST:
        return x
    settings = {"begin": [start], "end": [end], "strides": None if step == 1 else [step]}
    return use.call("strided_slice", x, axes=[axis] if axis else None, **settings)


LAST = 2**31 - 1
"""An end that is behind every axis."""


@imports("aten.select.int")
def select(use: Use) -> Value:
    """The slice at one index, without the axis."""
    x = use["self"]
    return use.call("take", x, use.scalar("index", DType.INT64), axis=use.axis("dim", x.rank), mode="fast")


@imports("aten.narrow.default")
def narrow(use: Use) -> Value:
    """As many elements from a start on, all of which must be there."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    start, length = use.scalar("start", DType.INT64), use.size("length")
    scalar = length if isinstance(length, Value) else use.builder.number(length, DType.INT64)
    end = use.call("add", start, scalar)
    found = use.call("strided_slice", x, begin=[use.written_size(start)], end=[use.written_size(end)], axes=[axis])
    return use.exactly(found, axis, length)


@imports("aten.flip.default")
def flip(use: Use) -> Value:
    """Some axes in opposite order."""
    x = use["self"]
    for axis in use.axes("dims", x.rank):
        x = use.call("reverse", x, axis=axis)
    return x
