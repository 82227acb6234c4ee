"""Applications of operators as single nodes of ONNX, where ONNX has one that means the same.

Operators: https://onnx.ai/onnx/operators/ (default domain, opset 21).  A builder gives None for an application that
ONNX does not admit, or of which it says something else; why is written beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.elementwise.binary import BINARY
from gradual.ops.elementwise.unary import UNARY
from gradual.types.dtype import DType
from tests.ops.onnx_images import (
    along,
    batch_norm,
    blocks,
    convolution,
    global_pool,
    grid_sample,
    grouped,
    layer_norm,
    lrn,
    pad,
    pool,
    resize,
    roi_align,
)
from tests.ops.onnx_node import Attributes, Builder, Node, has_nan, whole
from tests.ops.oracle import array_of


def plain(name: str) -> Builder:
    """The node of the operator's counterpart, without attributes."""
    return lambda given, attributes: Node(str(CATALOGUE[name].onnx), list(map(array_of, given)))


def numbers(name: str) -> Builder:
    """The same where nothing is NaN, of which runtimes make several things."""
    return lambda given, attributes: None if has_nan(given) else plain(name)(given, attributes)


def reduced(rank: int, axis: Any, exclude: bool) -> list[int]:
    """The axes that a reduction takes away."""
    chosen = [axis] if isinstance(axis, int) else list(axis or [])
    if not chosen:
        return list(range(rank))
    places = {place % rank for place in chosen}
    return sorted(set(range(rank)) - places if exclude else places)


def reduction(name: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        (x,) = map(array_of, given)
        axes = reduced(x.ndim, at["axis"], at["exclude"])
        if name == "mean" and not given[0].dtype.is_float:
            return None  # a mean of integers is cut in ways of its own
        if name in ("mean", "max", "min") and not x.size:
            return None  # of nothing ONNX gives 0, or the bound of the type
        if name == "prod" and given[0].dtype.is_integer and not fits(given[0].dtype, x, axes):
            return None  # ONNX says nothing of a product that the type does not hold; the runtime gives the bound
        return Node(
            str(CATALOGUE[name].onnx), [x, whole(axes)], {"keepdims": int(at["keepdims"]), "noop_with_empty_axes": 1}
        )

    return build


def fits(dtype: DType, x: Any, axes: list[int]) -> bool:
    """Whether the products along axes are numbers of the type, and so is what any of their factors give."""
    sizes = np.abs(x.astype(object))
    products = np.prod(np.where(sizes == 0, 1, sizes), axis=tuple(axes), initial=1)
    return all(part <= np.iinfo(str(dtype)).max for part in np.ravel(products))


def best(name: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        (x,) = map(array_of, given)
        axes = reduced(x.ndim, at["axis"], at["exclude"])
        if len(axes) != 1 or has_nan(given):
            return None  # ONNX takes one axis
        options = {
            "axis": axes[0],
            "keepdims": int(at["keepdims"]),
            "select_last_index": int(at["select_last_index"]),
        }
        return Node(str(CATALOGUE[name].onnx), [x], options, after=lambda found: found.astype(np.int32))

    return build


def modulo(fmod: int) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        if given[0].dtype.is_float and not fmod:
            return None  # ONNX has no floored remainder of floats
        return Node("Mod", list(map(array_of, given)), {"fmod": fmod})

    return build


def cut_quotient(given: Sequence[Any], at: Attributes) -> Node | None:
    return None if given[0].dtype.is_float else plain("divide")(given, at)  # of floats ONNX cuts nothing


def power(given: Sequence[Any], at: Attributes) -> Node | None:
    return plain("power")(given, at) if given[0].dtype.is_float else None  # integers wrap here


def shift(direction: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        by = array_of(given[1])
        if given[0].dtype.is_signed or (by.size and by.max() >= given[0].dtype.bits):
            return None  # ONNX shifts unsigned numbers, by fewer bits than they have
        return Node("BitShift", list(map(array_of, given)), {"direction": direction})

    return build


def cast(given: Sequence[Any], at: Attributes) -> Node | None:
    import onnx

    (x,), target = map(array_of, given), DType(at["dtype"])
    if DType.BFLOAT16 in (given[0].dtype, target):
        return None
    if given[0].dtype.is_float and not target.is_float and not (np.isfinite(x).all() and (np.abs(x) < 100).all()):
        return None  # out of range each runtime has its own number
    if given[0].dtype.is_float and target.is_integer and not target.is_signed and (x < 0).any():
        return None
    return Node("Cast", [x], {"to": onnx.helper.np_dtype_to_tensor_dtype(np.dtype(str(target)))})


def clip(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,) = map(array_of, given)
    bounds = [at[name] for name in ("a_min", "a_max")]
    if has_nan(given) or not all(holds(given[0].dtype, bound) for bound in bounds):
        return None
    bounds = [np.array(bound, dtype=x.dtype) for bound in bounds]
    return Node("Clip", [x, *bounds])


def holds(dtype: DType, bound: float) -> bool:
    """Whether a bound is a number of the type."""
    if dtype.is_float:
        return float(np.array(bound, dtype=str(dtype))) == bound
    held = np.iinfo(str(dtype))
    return bound == int(bound) and held.min <= bound <= held.max


def prelu(given: Sequence[Any], at: Attributes) -> Node | None:
    x, slope = map(array_of, given)
    axis = at.get("axis", 1) % x.ndim
    return Node("PRelu", [x, slope.reshape([-1, *[1] * (x.ndim - axis - 1)])])


def reshape(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), codes, copies = map(array_of, given), at["newshape"], not at.get("allowzero", 0)
    beyond = copies and any(code == 0 for code in codes[x.ndim :])
    if min(codes, default=0) < -1 or beyond or (not x.size and -1 in codes):
        return None  # codes of Relay; a rest that nothing determines
    return Node("Reshape", [x, whole(codes)], {"allowzero": int(not copies)})


def transpose(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), axes = map(array_of, given), at.get("axes")
    return Node("Transpose", [x], {"perm": [axis % x.ndim for axis in axes]} if axes else {})


def squeeze(given: Sequence[Any], at: Attributes) -> Node | None:
    axis = at.get("axis")
    if axis == []:
        return None  # without axes ONNX takes them all
    return Node("Squeeze", [array_of(given[0]), *([] if axis is None else [whole(axis)])])


def expand_dims(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), axis, count = map(array_of, given), at["axis"], at.get("num_newaxis", 1)
    place = axis if axis >= 0 else axis + x.ndim + 1
    return Node("Unsqueeze", [x, whole(range(place, place + count))])


def split(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), cut, axis = map(array_of, given), at["indices_or_sections"], at["axis"]
    extent = x.shape[axis]
    parts = [extent // cut] * cut if isinstance(cut, int) else np.diff([0, *cut, extent]).tolist()
    return Node("Split", [x, whole(parts)], {"axis": axis}, len(parts), after=lambda *found: found)


def tile(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), reps = map(array_of, given), list(at["reps"])
    rank = max(x.ndim, len(reps))
    counts = [1] * (rank - len(reps)) + reps
    return Node("Tile", [x.reshape((1,) * (rank - x.ndim) + x.shape), whole(counts)])


def strided_slice(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), begin, end, written = map(array_of, given), at["begin"], at["end"], list(at.get("strides") or [])
    if at.get("slice_mode") == "size":
        return None  # ONNX counts places only
    steps, axes = written + [1] * (len(begin) - len(written)), list(at.get("axes") or range(len(begin)))
    if any(stop == 2**31 - 1 and step < 0 for stop, step in zip(end, steps, strict=False)):
        return None  # which the runtime takes for the front, and neither ONNX's reference nor NumPy does
    if any(step < 0 and start + x.shape[axis] < 0 for start, step, axis in zip(begin, steps, axes, strict=True)):
        return None  # ONNX goes down from the front then (Slice-13: "clamped to [0, dims-1]"); in NumPy nothing is left
    return Node("Slice", [x, *map(whole, (begin, end, axes, steps))])


def take(given: Sequence[Any], at: Attributes) -> Node | None:
    (x, named), axis = map(array_of, given), at.get("axis")
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    if at.get("batch_dims") or (named.size and not (named.min() >= 0 and named.max() < x.shape[axis])):
        return None  # ONNX has no batch, and nothing out of bounds
    return Node("Gather", [x, named.astype(np.int64)], {"axis": axis})


def gather(given: Sequence[Any], at: Attributes) -> Node | None:
    x, named = map(array_of, given)
    return Node("GatherElements", [x, named.astype(np.int64)], {"axis": at["axis"]})


def gather_nd(given: Sequence[Any], at: Attributes) -> Node | None:
    x, named = map(array_of, given)
    if not named.shape[0]:
        return None  # an index of ONNX has at least one part
    rows = np.moveaxis(named, 0, -1).astype(np.int64)
    return Node("GatherND", [x, rows], {"batch_dims": at.get("batch_dims", 0)})


REDUCTIONS = {"update": "none", "add": "add", "mul": "mul", "min": "min", "max": "max"}


def scatter_elements(given: Sequence[Any], at: Attributes) -> Node | None:
    x, named, new = map(array_of, given)
    if at["reduction"] not in REDUCTIONS or not named.size:
        return None
    options = {"axis": at["axis"], "reduction": REDUCTIONS[at["reduction"]]}
    return Node("ScatterElements", [x, named.astype(np.int64), new], options)


def scatter_nd(given: Sequence[Any], at: Attributes) -> Node | None:
    x, named, new = map(array_of, given)
    if not named.shape[0] or not named.size:
        return None
    rows = np.moveaxis(named, 0, -1).astype(np.int64)
    return Node("ScatterND", [x, rows, new], {"reduction": REDUCTIONS[at.get("mode", "update")]})


def one_hot(given: Sequence[Any], at: Attributes) -> Node | None:
    named, on, off = map(array_of, given)
    if "dtype" in at or on.dtype != off.dtype or not named.ndim or (named.size and named.min() < 0):
        return None  # ONNX counts negative indices from the end, and has none of rank 0
    values = np.stack([off, on])
    return Node(
        "OneHot", [named.astype(np.int64), np.array(at["depth"], dtype=np.int64), values], {"axis": at.get("axis", -1)}
    )


def places(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,) = map(array_of, given)
    if not x.ndim:
        return None
    flat = x.ndim == 1 and "flat" in at
    return Node("NonZero", [x], after=lambda found: (found[0] if flat else found.T).astype(np.int32))


def topk(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), dtype = map(array_of, given), DType(at.get("dtype", "int32"))
    if has_nan(given) or at["k"] < 1 or dtype is DType.BFLOAT16:
        return None
    options = {"axis": at.get("axis", -1), "largest": int(not at["is_ascend"])}
    kept = {"both": slice(2), "values": slice(1), "indices": slice(1, 2)}[at["ret_type"]]

    def after(values: Any, found: Any) -> Any:
        chosen = (values, found.astype(str(dtype)))[kept]
        return chosen if len(chosen) > 1 else chosen[0]

    return Node("TopK", [x, whole(at["k"])], options, 2, after)


def reverse_sequence(given: Sequence[Any], at: Attributes) -> Node | None:
    x, lengths = map(array_of, given)
    along, batch = at.get("seq_axis", 1) % x.ndim, at.get("batch_axis", 0) % x.ndim
    if {along, batch} != {0, 1} or (lengths.size and not (lengths.min() >= 1 and lengths.max() <= x.shape[along])):
        return None  # ONNX takes the first two axes, and lengths that are there
    return Node("ReverseSequence", [x, lengths.astype(np.int64)], {"time_axis": along, "batch_axis": batch})


def trilu(given: Sequence[Any], at: Attributes) -> Node | None:
    x, k = map(array_of, given)
    return Node("Trilu", [x, np.array(k, dtype=np.int64)], {"upper": int(at.get("upper", True))})


def cumsum(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), axis = map(array_of, given), at.get("axis")
    if "dtype" in at:
        return None
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    return Node("CumSum", [x, np.array(axis, dtype=np.int64)], {"exclusive": int(at["exclusive"])})


def einsum(given: Sequence[Any], at: Attributes) -> Node | None:
    operands = list(map(array_of, given[0]))
    if not all(part.size for part in operands):
        return None  # where an axis has no extent the runtime divides by it, and dies
    return Node("Einsum", operands, {"equation": at["equation"]})


def product(given: Sequence[Any], at: Attributes) -> Node | None:
    """Products of matrices; our `nn.dense` turns its weight."""
    if "out_dtype" in at:
        return None
    left, right = map(array_of, given)
    if not left.size or not right.size:
        return None  # the runtime fails where there is nothing to sum
    dense = "transpose_b" not in at
    left = np.swapaxes(left, -1, -2) if at.get("transpose_a") else left
    right = np.swapaxes(right, -1, -2) if dense or at["transpose_b"] else right
    return Node("MatMul", [left, right])


def bias_add(given: Sequence[Any], at: Attributes) -> Node | None:
    x, bias = map(array_of, given)
    axis = at.get("axis", 1) % x.ndim
    return Node("Add", [x, bias.reshape([-1, *[1] * (x.ndim - axis - 1)])])


ROWS = {one.name for one in (*BINARY, *UNARY) if one.onnx is not None} - {"floor_divide"}  # which ONNX rounds otherwise
NODES: dict[str, Builder] = {name: plain(name) for name in sorted(ROWS)}
NODES |= {name: numbers(name) for name in ("sign", "nn.relu")}
NODES |= {name: reduction(name) for name in ("sum", "mean", "max", "min", "prod")}
NODES |= {name: best(name) for name in ("argmax", "argmin")}
NODES |= {name: along(name) for name in ("nn.softmax", "nn.log_softmax")}
NODES |= dict.fromkeys(("nn.dense", "nn.matmul", "nn.batch_matmul"), product)
NODES |= {f"nn.conv{count}d": convolution("Conv", "OI") for count in (1, 2, 3)}
NODES |= {f"nn.conv{count}d_transpose": convolution("ConvTranspose", "IO") for count in (1, 2, 3)}
NODES |= {f"nn.max_pool{count}d": pool("MaxPool") for count in (1, 2, 3)}
NODES |= {f"nn.avg_pool{count}d": pool("AveragePool") for count in (1, 2, 3)}
NODES |= {f"image.resize{count}d": resize for count in (1, 2, 3)}
NODES |= {
    "trunc_divide": cut_quotient,
    "mod": modulo(1),
    "trunc_mod": modulo(1),
    "floor_mod": modulo(0),
    "power": power,
    "left_shift": shift("LEFT"),
    "right_shift": shift("RIGHT"),
    "cast": cast,
    "clip": clip,
    "nn.leaky_relu": lambda given, at: Node("LeakyRelu", [array_of(given[0])], {"alpha": at.get("alpha", 0.25)}),
    "nn.prelu": prelu,
    "where": plain("where"),
    "reshape": reshape,
    "transpose": transpose,
    "squeeze": squeeze,
    "expand_dims": expand_dims,
    "concatenate": lambda given, at: Node("Concat", list(map(array_of, given[0])), {"axis": at.get("axis", 0)}),
    "split": split,
    "tile": tile,
    "broadcast_to": lambda given, at: Node("Expand", [array_of(given[0]), whole(at["shape"])]),
    "strided_slice": strided_slice,
    "take": take,
    "gather": gather,
    "gather_nd": gather_nd,
    "scatter_elements": scatter_elements,
    "scatter_nd": scatter_nd,
    "one_hot": one_hot,
    "argwhere": places,
    "nonzero": lambda given, at: places(given, {"flat": True}),
    "boolean_mask": lambda given, at: Node("Compress", list(map(array_of, given)), {"axis": 0}),
    "topk": topk,
    "reverse_sequence": reverse_sequence,
    "trilu": trilu,
    "cumsum": cumsum,
    "einsum": einsum,
    "shape_of": lambda given, at: Node("Shape", [array_of(given[0])], after=typed(at)),
    "ndarray_size": lambda given, at: Node("Size", [array_of(given[0])], after=typed(at)),
    "arange": lambda given, at: Node("Range", list(map(array_of, given))),
    "nn.bias_add": bias_add,
    "nn.batch_flatten": lambda given, at: Node("Flatten", [array_of(given[0])], {"axis": 1}),
    "nn.global_max_pool2d": global_pool("GlobalMaxPool"),
    "nn.global_avg_pool2d": global_pool("GlobalAveragePool"),
    "nn.batch_norm": batch_norm,
    "nn.layer_norm": layer_norm,
    "nn.instance_norm": grouped("InstanceNormalization"),
    "nn.group_norm": grouped("GroupNormalization"),
    "nn.lrn": lrn,
    "nn.pad": pad,
    "nn.mirror_pad": pad,
    "nn.depth_to_space": blocks("DepthToSpace"),
    "nn.space_to_depth": blocks("SpaceToDepth"),
    "image.grid_sample": grid_sample,
    "vision.roi_align": roi_align,
}
"""The node of an application, by operator; of an elementwise one its counterpart, unless there is more to say."""


def typed(at: Attributes) -> Callable[[Any], Any]:
    return lambda found: found.astype(at.get("dtype", "int32"))
