"""Drawn nodes that move elements: shapes, indices, slices, padding, sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import helper, numpy_helper

from tests.importers.drawn import FLOATS, NUMBERS, Draw, Made, Setting, draws, ints

ANY = (*NUMBERS, "bool")
FAR = (2**31 - 1, -(2**31), 2**63 - 1, -(2**63), -(2**63) + 1)


def extent(shape: Sequence[int], axis: int) -> int:
    """The size at an axis, or any where there is none."""
    return shape[axis] if -len(shape) <= axis < len(shape) else 2


@draws("Shape")
def shape(draw: Draw) -> Made:
    given = draw.shape()
    if draw.opset < 15:
        return Made("Shape", [draw.array(given, draw.one(*ANY))])
    places = draw.given(start=draw.whole(-5, 5), end=draw.whole(-5, 5))
    return Made("Shape", [draw.array(given, draw.one(*ANY))], places)


@draws("Size")
def size(draw: Draw) -> Made:
    return Made("Size", [draw.array(draw.shape(), draw.one(*ANY))])


@draws("Reshape")
def reshape(draw: Draw) -> Made:
    given = draw.shape()
    count = int(np.prod(given, dtype=np.int64))
    wanted: list[int] = []
    rest = count
    for _ in range(draw.whole(0, 3)):
        part = draw.one(*[number for number in range(1, 6) if rest % number == 0])
        wanted, rest = [*wanted, part], rest // part
    wanted.insert(draw.whole(0, len(wanted)), rest)
    for at, size in enumerate(wanted):
        if at < len(given) and size == given[at] and draw.rarely(0.4):
            wanted[at] = 0
    if draw.rarely(0.5):
        wanted[draw.random.randrange(len(wanted))] = -1
    if draw.rarely(0.1):
        wanted[draw.random.randrange(len(wanted))] = draw.one(-2, -3, -4, 0, 7)
    settings = draw.given(allowzero=draw.whole(0, 1)) if draw.opset >= 14 else {}
    return Made("Reshape", [draw.array(given, draw.one(*ANY)), Setting(ints(*wanted))], settings)


@draws("Flatten")
def flatten(draw: Draw) -> Made:
    given = draw.shape()
    return Made("Flatten", [draw.array(given)], draw.given(axis=draw.whole(-len(given), len(given))))


@draws("Squeeze")
def squeeze(draw: Draw) -> Made:
    given = draw.shape()
    ones = [axis for axis, one in enumerate(given) if one == 1]
    axes = [
        axis - len(given) if draw.rarely(0.3) else axis for axis in draw.random.sample(ones, draw.whole(0, len(ones)))
    ]
    if draw.rarely(0.05):
        axes.append(draw.axis(len(given)))
    absent = draw.rarely(0.25)
    if draw.opset < 13:
        return Made("Squeeze", [draw.array(given)], {} if absent else {"axes": axes})
    return Made("Squeeze", [draw.array(given), None if absent else Setting(ints(*axes))])


@draws("Unsqueeze")
def unsqueeze(draw: Draw) -> Made:
    given, count = draw.shape(0, 3), draw.whole(0, 3)
    axes = draw.axes(len(given) + count)[:count]
    if draw.opset < 13:
        return Made("Unsqueeze", [draw.array(given)], {"axes": axes})
    return Made("Unsqueeze", [draw.array(given), Setting(ints(*axes))])


@draws("Transpose")
def transpose(draw: Draw) -> Made:
    given = draw.shape()
    order = draw.random.sample(range(len(given)), len(given))
    if order and draw.rarely(0.05):
        order[0] = draw.axis(len(given))
    return Made("Transpose", [draw.array(given, draw.one(*ANY))], draw.given(perm=order))


@draws("Expand")
def expand(draw: Draw) -> Made:
    given = draw.shape()
    return Made("Expand", [draw.array(given, draw.one(*ANY)), Setting(ints(*draw.broadcast(given)))])


@draws("Concat")
def concatenate(draw: Draw) -> Made:
    given, dtype = draw.shape(1), draw.one(*ANY)
    axis = draw.axis(len(given))
    parts = []
    for _ in range(draw.whole(1, 3)):
        sizes = list(given)
        if -len(sizes) <= axis < len(sizes):
            sizes[axis] = draw.size()
        parts.append(draw.array(sizes, dtype))
    return Made("Concat", parts, {"axis": axis})


@draws("Split")
def split(draw: Draw) -> Made:
    given = draw.shape(1)
    axis = draw.axis(len(given))
    whole, count = extent(given, axis), draw.whole(1, 3)
    cuts = sorted(draw.whole(0, whole) for _ in range(count - 1))
    sizes = [high - low for low, high in zip([0, *cuts], [*cuts, whole], strict=True)]
    if draw.rarely(0.06):
        sizes[-1] += draw.one(-1, 1)
    settings = draw.given(axis=axis)
    explicit = draw.rarely(0.6)
    if draw.opset < 13:
        return Made("Split", [draw.array(given)], settings | ({"split": sizes} if explicit else {}), count)
    if draw.opset >= 18 and not explicit:
        settings["num_outputs"] = count
    return Made("Split", [draw.array(given), Setting(ints(*sizes)) if explicit else None], settings, count)


@draws("SplitToSequence")
def split_to_sequence(draw: Draw) -> Made:
    given = draw.shape(1, 3)
    axis = draw.axis(len(given))
    whole = extent(given, axis)
    form = draw.whole(0, 2)
    if form == 0:
        sizes, count = None, whole
    elif form == 1:
        part = draw.whole(1, 4) if draw.rarely(0.9) else draw.whole(-1, 0)
        sizes, count = Setting(np.array(part, np.int64)), -(-whole // max(part, 1))
    else:
        cuts = sorted(draw.whole(0, whole) for _ in range(draw.whole(0, 2)))
        parts = [high - low for low, high in zip([0, *cuts], [*cuts, whole], strict=True)]
        if draw.rarely(0.15):
            parts[-1] += draw.one(-1, 1, 5)
        sizes, count = Setting(ints(*parts)), len(parts)
    settings = draw.given(axis=axis, keepdims=draw.whole(0, 1))
    place = draw.whole(-count, max(count - 1, 0)) if draw.rarely(0.9) else draw.whole(-4, 4)
    beside = []
    match draw.whole(0, 3):
        case 0:
            behind = helper.make_node("SequenceLength", ["y0"], ["z"])
        case 1:
            axis = draw.axis(len(given))
            behind = helper.make_node("ConcatFromSequence", ["y0"], ["z"], axis=axis, new_axis=draw.whole(0, 1))
        case _:
            behind = helper.make_node("SequenceAt", ["y0", "b0"], ["z"])
            beside = [Setting(np.array(place, np.int64))]
    return Made("SplitToSequence", [draw.array(given), sizes], settings, 1, [behind], ["z"], beside)


@draws("SequenceConstruct")
def sequence(draw: Draw) -> Made:
    given, dtype = draw.shape(0, 2), draw.one("float32", "int64", "bool")
    shapes = [given if draw.rarely(0.5) else draw.shape(len(given), len(given)) for _ in range(draw.whole(1, 3))]
    parts = [draw.array(one, dtype) for one in shapes]
    place = Setting(np.array(draw.whole(-len(parts), len(parts) - 1), np.int64))
    at = helper.make_node("SequenceAt", ["y0", "b0"], ["z"])
    return Made("SequenceConstruct", parts, behind=[at], gives=["z"], beside=[place])


@draws("Tile")
def tile(draw: Draw) -> Made:
    given = draw.shape()
    times = [draw.whole(0, 3) for _ in given]
    return Made("Tile", [draw.array(given, draw.one(*ANY)), Setting(ints(*times))])


@draws("ConstantOfShape")
def filled(draw: Draw) -> Made:
    value = numpy_helper.from_array(draw.array((1,), draw.one("float32", "int64", "bool", "float64")))
    sizes = [draw.size() for _ in range(draw.whole(0, 4))]
    if sizes and draw.rarely(0.05):
        sizes[0] = -1
    return Made("ConstantOfShape", [Setting(ints(*sizes))], draw.given(value=value))


@draws("Range")
def arange(draw: Draw) -> Made:
    dtype = draw.one("int64", "int32", "float32", "float64")
    step = draw.one(1, 1, 2, -1, -2, 3) if draw.rarely(0.97) else 0
    numbers = [draw.whole(-4, 4), draw.whole(-4, 8), step]
    if dtype.startswith("float") and draw.rarely(0.4):
        numbers = [number / 2 for number in numbers]
    return Made("Range", [Setting(draw.number(number, dtype)) for number in numbers])


@draws("EyeLike")
def eye(draw: Draw) -> Made:
    dtype = draw.one(1, 6, 7, 9, 11)
    x = draw.array(draw.shape(2, 2), draw.one("float32", "int64", "int32"))
    return Made("EyeLike", [x], draw.given(k=draw.whole(-4, 4), dtype=dtype))


@draws("Trilu")
def triangle(draw: Draw) -> Made:
    diagonal = Setting(draw.number(draw.whole(-5, 5))) if draw.rarely(0.6) else None
    x = draw.array(draw.shape(2, 4), draw.one(*ANY), 0.0)
    return Made("Trilu", [x, diagonal], draw.given(upper=draw.whole(0, 1)))


@draws("DepthToSpace", "SpaceToDepth")
def blocks(draw: Draw) -> Made:
    size = draw.whole(1, 3)
    n, c, h, w = (draw.size() for _ in range(4))
    if draw.operator == "DepthToSpace":
        mode = draw.one("DCR", "CRD") if draw.opset >= 11 else None
        return Made(
            "DepthToSpace", [draw.array((n, c * size * size, h, w))], {"blocksize": size, **draw.given(mode=mode)}
        )
    return Made("SpaceToDepth", [draw.array((n, c, h * size, w * size))], {"blocksize": size})


@draws("Pad")
def pad(draw: Draw) -> Made:
    given, mode = (
        draw.shape(1),
        draw.one("constant", "constant", "reflect", "edge", "wrap" if draw.opset >= 19 else "edge"),
    )
    chosen = draw.axes(len(given)) if draw.opset >= 18 and draw.rarely(0.3) else None
    count = len(given) if chosen is None else len(chosen)
    low = -3 if draw.rarely(0.4) else 0
    widths = [draw.whole(low, 3) if draw.rarely(0.6) else 0 for _ in range(2 * count)]
    dtype = draw.one(*FLOATS, "int64", "int32", "bool")
    settings = draw.given(mode=mode)
    if draw.opset < 11:
        return Made("Pad", [draw.array(given)], settings | {"pads": widths} | draw.given(value=1.5))
    filling = draw.number(draw.array((), dtype), dtype) if draw.rarely(0.5) else None
    axes = None if chosen is None else Setting(ints(*chosen))
    return Made("Pad", [draw.array(given, dtype), Setting(ints(*widths)), filling, axes], settings)


# --------------------------------------------------------------------------------------------------------- indices
def indices(draw: Draw, shape: Sequence[int], size: int, beyond: float = 0.08) -> np.ndarray:
    """Places along an axis, from either end, rarely behind it."""
    far = draw.rarely(beyond)
    low, high = (-size - 2, size + 1) if far else (-size, size - 1)
    count = int(np.prod(shape, dtype=np.int64))
    found = [draw.whole(low, max(high, low)) for _ in range(count)]
    return np.array(found, draw.one("int64", "int64", "int32")).reshape(shape)


@draws("Gather")
def gather(draw: Draw) -> Made:
    given = draw.shape(1)
    axis = draw.axis(len(given))
    places = indices(draw, draw.shape(0, 2), extent(given, axis))
    return Made(
        "Gather", [draw.array(given, draw.one(*ANY)), Setting(places) if draw.rarely(0.5) else places], {"axis": axis}
    )


@draws("GatherElements")
def gather_elements(draw: Draw) -> Made:
    given = draw.shape(1, 3)
    axis = draw.axis(len(given))
    wanted = [draw.whole(0, one) if draw.rarely(0.3) else one for one in given]
    if -len(given) <= axis < len(given):
        wanted[axis] = draw.size()
    return Made(
        "GatherElements", [draw.array(given), indices(draw, wanted, extent(given, axis))], draw.given(axis=axis)
    )


@draws("GatherND")
def gather_nd(draw: Draw) -> Made:
    given = draw.shape(1)
    batch = draw.whole(0, len(given) - 1) if draw.opset >= 12 and draw.rarely(0.4) else 0
    depth = draw.whole(1, len(given) - batch)
    outer = [*given[:batch], *draw.shape(0, 2)]
    columns = [indices(draw, outer, given[batch + at]) for at in range(depth)]
    named = np.stack(columns, axis=-1).astype(np.int64)
    return Made("GatherND", [draw.array(given, draw.one(*ANY)), named], {"batch_dims": batch} if batch else {})


@draws("ScatterElements")
def scatter_elements(draw: Draw) -> Made:
    given, dtype = draw.shape(1, 3), draw.one("float32", "int64", "int32")
    axis = draw.axis(len(given))
    wanted = [draw.whole(0, one) for one in given]
    places = indices(draw, wanted, extent(given, axis))
    reductions = ["none", *(["add", "mul"] if draw.opset >= 16 else []), *(["min", "max"] if draw.opset >= 18 else [])]
    settings = draw.given(axis=axis, reduction=draw.one(*reductions) if draw.opset >= 16 else None)
    return Made("ScatterElements", [draw.array(given, dtype), places, draw.array(wanted, dtype)], settings)


@draws("ScatterND")
def scatter_nd(draw: Draw) -> Made:
    given, dtype = draw.shape(1), draw.one("float32", "int64")
    depth, outer = draw.whole(1, len(given)), draw.shape(0, 2)
    columns = [indices(draw, outer, given[at]) for at in range(depth)]
    named = np.stack(columns, axis=-1).astype(np.int64)
    updates = draw.array([*outer, *given[depth:]], dtype)
    reduction = draw.one("none", "add", "mul", "min", "max") if draw.opset >= 18 else None
    return Made("ScatterND", [draw.array(given, dtype), named, updates], draw.given(reduction=reduction))


@draws("Slice")
def cut(draw: Draw) -> Made:
    given = draw.shape(1)
    axes = draw.axes(len(given))
    plain = [extent(given, axis) for axis in axes]

    def place(size: int) -> int:
        return draw.one(*FAR) if draw.rarely(0.12) else draw.whole(-size - 3, size + 3)

    starts, ends = ([place(size) for size in plain] for _ in range(2))
    steps = [draw.one(1, 1, 2, 3, -1, -1, -2, -3) for _ in axes]
    if steps and draw.rarely(0.03):
        steps[0] = 0
    if draw.opset < 10:
        return Made("Slice", [draw.array(given)], {"starts": starts, "ends": ends, "axes": axes})
    kind = "int64" if any(one in FAR for one in (*starts, *ends)) or draw.rarely(0.7) else "int32"
    inputs = [Setting(np.array(part, kind)) for part in (starts, ends, axes, steps)]
    if draw.rarely(0.03) and len(axes) == 1:
        inputs[1] = Setting(np.array(ends[0], kind))
    return Made("Slice", [draw.array(given, draw.one(*ANY)), *inputs[: draw.one(4, 4, 3)]])


@draws("OneHot")
def one_hot(draw: Draw) -> Made:
    given, depth = draw.shape(0, 3), draw.whole(1, 4)
    dtype, of = draw.one("float32", "int64"), draw.one("int64", "int32", "float32")
    places = np.array(indices(draw, given, depth, 0.3)).astype(of)
    values = draw.array((2,), dtype)
    settings = draw.given(axis=draw.whole(-len(given) - 1, len(given)))
    return Made("OneHot", [places, Setting(draw.number(depth, of)), Setting(values)], settings)


@draws("Compress")
def compress(draw: Draw) -> Made:
    given = draw.shape(1, 3)
    axis = draw.axis(len(given)) if draw.rarely(0.7) else None
    whole = int(np.prod(given, dtype=np.int64)) if axis is None else extent(given, axis)
    condition = draw.array((draw.whole(0, whole),), "bool")
    return Made("Compress", [draw.array(given), condition], {} if axis is None else {"axis": axis})


@draws("ReverseSequence")
def reverse_sequence(draw: Draw) -> Made:
    given = draw.shape(2, 4)
    time = draw.whole(0, 1)
    most = given[time]
    lengths = [
        draw.whole(1, max(most, 1)) if draw.rarely(0.97) else draw.whole(-1, most + 1) for _ in range(given[1 - time])
    ]
    settings = {"time_axis": time, "batch_axis": 1 - time}
    if time == 0 and draw.rarely(0.3):
        settings = {}
    return Made("ReverseSequence", [draw.array(given), np.array(lengths, np.int64)], settings)
