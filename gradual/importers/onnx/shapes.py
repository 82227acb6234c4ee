"""Operators that make, observe and change shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from gradual.dims import dim as dims
from gradual.importers.onnx.applying import Use, as_scalar, constant_of, imports, positive
from gradual.importers.onnx.building import Value, stated
from gradual.importers.onnx.model import Unsupported
from gradual.importers.onnx.reading import dtype_of
from gradual.tensors.tensor import Tensor, scalar
from gradual.types.dtype import DType
from gradual.types.text import shown_extent
from gradual.types.type import TensorType


@imports("Constant")
def constant(use: Use) -> Value:
    """A constant, in one of the forms of its attributes."""
    attributes = use.node.attributes
    if (tensor := attributes.get("value")) is not None:
        return use.builder.constant(tensor, use.node.outputs[0] if tensor.dtype.is_float else "")
    for kind, dtype in (("int", DType.INT64), ("float", DType.FLOAT32)):
        if (one := attributes.get(f"value_{kind}")) is not None:
            return use.builder.number(one, dtype)
        if (several := attributes.get(f"value_{kind}s")) is not None:
            return use.builder.constant(Tensor(list(several), dtype, (len(several),)))
    raise Unsupported(f"a constant given by {', '.join(attributes) or 'nothing'}")


@imports("Shape")
def shape(use: Use) -> Value:
    """The sizes, or those of some axes in a row."""
    rank = use[0].rank
    start, end = (_clamped(use.attribute(name, default), rank) for name, default in (("start", 0), ("end", rank)))
    sizes = use.call("shape_of", use[0], dtype=DType.INT64)
    return (
        sizes if (start, end) == (0, rank) else use.call("strided_slice", sizes, begin=[start], end=[max(start, end)])
    )


def _clamped(axis: int, rank: int) -> int:
    return min(max(axis + rank if axis < 0 else axis, 0), rank)


@imports("Size")
def size(use: Use) -> Value:
    """The number of elements."""
    return use.call("ndarray_size", use[0], dtype=DType.INT64)


def extent(use: Use, value: Value, axis: int) -> Value:
    """The size at an axis, a scalar."""
    known = value.extent(axis)
    if known is not None:
        return use.builder.number(known, DType.INT64)
    sizes = use.call("shape_of", value, dtype=DType.INT64)
    return use.call("take", sizes, use.builder.number(axis, DType.INT64), axis=0)


@imports("Reshape")
def reshape(use: Use) -> Value:
    """The elements under a new shape."""
    zero = True if use.attribute("allowzero", 0) else None
    if use.opset < 5:
        return use.call("reshape", use[0], newshape=use.required("shape"))
    if isinstance(use[1].constant, Tensor):
        return use.call("reshape", use[0], newshape=use[1].numbers("the shape"), allowzero=zero)
    return use.call("dyn.reshape", use[0], use[1], allowzero=zero)


@imports("Flatten")
def flatten(use: Use) -> Value:
    """The first axes as one, and the others as one."""
    x, rank = use[0], use[0].rank
    axis = use.attribute("axis", 1)
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
    """Without some axes of size 1."""
    axes = use.axes()
    return use.call("squeeze", use[0], axis=None if axes is None else list(axes))


@imports("Unsqueeze")
def unsqueeze(use: Use) -> Value:
    """With new axes of size 1, which are counted in the result."""
    axes, value = use.axes(), use[0]
    if axes is None:
        raise Unsupported("axes that are missing")
    rank = value.rank + len(axes)
    if len({positive(axis, rank) for axis in axes}) < len(axes):
        raise Unsupported(f"axes={axes}")
    for start, count in runs(sorted(positive(axis, rank) for axis in axes)):
        value = use.call("expand_dims", value, axis=start, num_newaxis=count if count > 1 else None)
    return value


def runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The runs of ascending numbers: where each begins, and how long it is."""
    start = 0
    for at in range(1, len(numbers) + 1):
        if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
            yield numbers[start], at - start
            start = at


@imports("Transpose")
def transpose(use: Use) -> Value:
    """The axes in another order, reversed unless said otherwise."""
    return use.call("transpose", use[0], axes=use.attribute("perm"))


@imports("Expand")
def expand(use: Use) -> Value:
    """The tensor and a shape broadcast to each other: where the shape says 1, the tensor may have more."""
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
    """Whether what is plain to see says that the result has the shape that is wanted."""
    contents = wanted.tensor.contents
    if contents is None or len(contents) < x.rank:
        return False
    kept = contents[len(contents) - x.rank :]
    return all(size is part or size.value == 1 for size, part in zip(x.tensor.shape, kept, strict=True))


@imports("Concat")
def concatenate(use: Use) -> Value:
    """The tensors one after another along an axis."""
    parts = [use[index] for index in range(len(use.inputs))]
    axis = use.attribute("axis", 1 if use.opset < 4 else None)
    if axis is None:
        raise Unsupported("axis that is missing")
    return use.call("concatenate", use.builder.tuple(parts), axis=axis)


@imports("Split")
def split(use: Use) -> list[Value]:
    """Parts along an axis, of given sizes or of one size."""
    x, axis = use[0], positive(use.attribute("axis", 0), use[0].rank)
    sizes, count = _parts(use, axis), len(use.node.outputs)
    if sizes is None and count == 1:
        return [x]
    if sizes is None:
        return use.counted(use.call("split", x, indices_or_sections=count, axis=axis), count)
    return parts_of(use, x, axis, sizes)


def parts_of(use: Use, x: Value, axis: int, sizes: Sequence[int]) -> list[Value]:
    """Parts of these sizes, which have to be all there is."""
    if not sizes:
        raise Unsupported("a tensor in no parts")
    ends = list(accumulate(sizes))
    if len(sizes) == 1:
        return [exactly(use, x, axis, ends[0])]
    parts = use.counted(use.call("split", x, indices_or_sections=ends[:-1], axis=axis), len(sizes))
    return [*parts[:-1], parts[-1] if x.extent(axis) == ends[-1] else exactly(use, parts[-1], axis, sizes[-1])]


def _parts(use: Use, axis: int) -> list[int] | None:
    """The sizes of the parts, or None where they are all alike."""
    given = use.optional(1)
    if given is not None:
        return given.numbers("sizes of parts")
    if (sizes := use.attribute("split")) is not None:
        return list(sizes)
    whole, count = use[0].extent(axis), use.attribute("num_outputs")
    if count is not None and count != len(use.node.outputs):
        raise Unsupported(f"num_outputs={count}")
    if len(use.node.outputs) == 1:
        return None
    if count is None or (whole is not None and whole % count == 0):
        return None
    if whole is None:
        raise Unsupported("parts of which the last may be smaller, of a size that is not known here")
    size = -(-whole // count)
    return [min(size, max(whole - index * size, 0)) for index in range(count)]


def exactly(use: Use, value: Value, axis: int, size: int | Value) -> Value:
    """The value, whose size at an axis is promised: a number, or a scalar."""
    if value.extent(axis) == size:
        return value
    shape = value.tensor.shape
    extents = [shown_extent(extent) for extent in stated(value.type).shape]
    scalars = [use.builder.named(size, "size")] if isinstance(size, Value) else []

    def text(given: Sequence[str]) -> str:
        extents[axis] = given[1] if scalars else str(size)
        return f"({given[0]} as Tensor[({', '.join(extents)}{',' * (len(extents) == 1)}), {value.dtype}])"

    promised = use.builder.sized(size) if isinstance(size, Value) else dims.constant(size)
    type = TensorType((*shape[:axis], promised, *shape[axis + 1 :]), value.dtype)
    return Value(type, use.builder.bind([value, *scalars], text))


@imports("Tile")
def tile(use: Use) -> Value:
    """The tensor beside itself."""
    if use.opset < 6:
        raise Unsupported("version 1 of the operator")
    if isinstance(use[1].constant, Tensor):
        return use.call("tile", use[0], reps=use[1].numbers("repetitions"))
    return use.call("dyn.tile", use[0], use[1])


@imports("ConstantOfShape")
def constant_of_shape(use: Use) -> Value:
    """A shape filled with one number."""
    filling: Tensor = use.attribute("value", scalar(0.0, DType.FLOAT32))
    if filling.size != 1:
        raise Unsupported(f"a value of {filling.size} elements")
    number = use.builder.number(filling.item(), filling.dtype)
    if isinstance(use[0].constant, Tensor):
        return use.call("full", number, shape=use[0].numbers("the shape"))
    return use.call("dyn.full", number, use[0])


@imports("Range")
def arange(use: Use) -> Value:
    """The numbers from a start up to a limit; up to an integer that became a float64 they are integers first.

    Integers that float64 does not hold are further away than there are elements of a tensor.
    """
    start, limit, step = (as_scalar(use, use[index]) for index in range(3))
    whole, first, by = limit.made_by("cast"), _whole(use, start), _whole(use, step)
    if whole and (whole[0].dtype, limit.dtype) == (DType.INT64, DType.FLOAT64) and first is not None and by is not None:
        return use.call("cast", use.call("arange", first, *whole, by, dtype=DType.INT64), dtype=limit.dtype)
    return use.call("arange", start, limit, step, dtype=start.dtype)


def _whole(use: Use, value: Value) -> Value | None:
    """A constant as an integer, where it is a small one."""
    known = constant_of(value)
    number = math.nan if known is None else float(known.item())
    return use.builder.number(int(number), DType.INT64) if number.is_integer() and abs(number) < 2**31 else None


@imports("EyeLike")
def eye_like(use: Use) -> Value:
    """Ones on a diagonal."""
    to = use.attribute("dtype")
    dtype = use[0].dtype if to is None else dtype_of(to, "the result")
    zero, one = (use.builder.number(number, DType.INT64) for number in (0, 1))
    rows, columns = (use.call("arange", zero, extent(use, use[0], axis), one, dtype=DType.INT64) for axis in (0, 1))
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
    """Channels laid out as blocks."""
    return use.call(
        "nn.depth_to_space", use[0], block_size=use.required("blocksize"), mode=use.only("mode", "DCR", "CRD")
    )


@imports("SpaceToDepth")
def space_to_depth(use: Use) -> Value:
    """Blocks laid out as channels."""
    return use.call("nn.space_to_depth", use[0], block_size=use.required("blocksize"), mode=use.only("mode", "DCR"))


# --------------------------------------------------------------------------------------------------------- padding
Width = int | Value
"""Cells before or after an axis: a number, or a scalar."""


@imports("Pad")
def pad(use: Use) -> Value:
    """Cells before and after each axis; fewer than none cuts some off."""
    x, mode = use[0], use.only("mode", "constant", "reflect", "edge")
    if use.opset < 11:
        numbers: list[Width] = list(use.required("pads" if use.opset > 1 else "paddings"))
        filling = use.like(use.attribute("value", 0.0), x)
    else:
        widths, given = use[1], use.optional(2)
        filling = use.like(0, x) if given is None else as_scalar(use, given)
        count = widths.extent(0) if widths.rank == 1 else None
        if count is None:
            return _uncounted_pad(use, x, widths, filling, mode)
        numbers = [use.builder.element(widths, place) for place in range(count)]
    return _pad(use, x, _by_axis(use, numbers), filling, mode)


def _by_axis(use: Use, numbers: Sequence[Width]) -> list[list[Width]]:
    """The widths before and after every axis."""
    rank, count = use[0].rank, len(numbers) // 2
    axes = use.optional(3)
    chosen = [positive(axis, rank) for axis in axes.numbers("axes")] if axes is not None else range(rank)
    if len(numbers) % 2 or count != len(chosen):
        raise Unsupported(f"{len(numbers)} widths for {len(chosen)} axes")
    widths: list[list[Width]] = [[0, 0] for _ in range(rank)]
    for index, axis in enumerate(chosen):
        widths[axis] = [numbers[index], numbers[index + count]]
    return widths


def _pad(use: Use, x: Value, widths: Sequence[Sequence[Width]], filling: Value, mode: str) -> Value:
    known = [[width for width in pair if isinstance(width, int)] for pair in widths]
    if all(len(pair) == 2 for pair in known) and any(width < 0 for pair in known for width in pair):
        begin = [max(-before, 0) for before, _ in known]
        end = [min(after, 0) or 2**31 - 1 for _, after in known]
        x = use.call("strided_slice", x, begin=begin, end=end, strides=[1] * x.rank)
        widths = [[max(before, 0), max(after, 0)] for before, after in known]
        if not any(map(any, widths)):
            return x
    return use.call("nn.pad", x, filling, pad_width=widths, pad_mode=None if mode == "constant" else mode)


def _uncounted_pad(use: Use, x: Value, widths: Value, filling: Value, mode: str) -> Value:
    if use.optional(3) is not None:
        raise Unsupported("a number of widths that is not known here")
    pairs = use.call("transpose", use.call("reshape", widths, newshape=[2, x.rank]), axes=[1, 0])
    return use.call("dyn.nn.pad", x, pairs, filling, pad_mode=None if mode == "constant" else mode)
