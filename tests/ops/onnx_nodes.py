"""Applications of operators as single nodes of ONNX, where ONNX has one that means the same.

Operators: https://onnx.ai/onnx/operators/ (default domain, opset 21).  A builder gives None for an application that
ONNX does not admit, or of which it says something else; why is written beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradual.ops.counterparts import ONNX
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.ops.oracle import array_of
from tests.ops.test_convolving import each, sides

Attributes = dict[str, Any]


@dataclass(frozen=True)
class Node:
    """A node and what its results have to become: `after` of the list of them."""

    operator: str
    inputs: Sequence[Any]
    attributes: Attributes = field(default_factory=dict)
    outputs: int = 1
    after: Callable[..., Any] = lambda result: result


Builder = Callable[[Sequence[Any], Attributes], Node | None]


def whole(values: Any) -> Any:
    """Integers as ONNX takes them."""
    return np.array(values, dtype=np.int64).reshape(-1)


def plain(name: str) -> Builder:
    """The node of the operator's counterpart, without attributes."""
    return lambda given, attributes: Node(ONNX[name], list(map(array_of, given)))


def numbers(name: str) -> Builder:
    """The same where nothing is NaN, of which runtimes make several things."""
    return lambda given, attributes: None if has_nan(given) else plain(name)(given, attributes)


def has_nan(given: Sequence[Tensor]) -> bool:
    return any(part != part for tensor in given if tensor.dtype.is_float for part in tensor.flat())


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
        return Node(ONNX[name], [x, whole(axes)], {"keepdims": int(at["keepdims"]), "noop_with_empty_axes": 1})

    return build


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
        return Node(ONNX[name], [x], options, after=lambda found: found.astype(np.int32))

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
    return Node("Transpose", [x], {} if axes is None else {"perm": [axis % x.ndim for axis in axes]})


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
    (x,), begin, end = map(array_of, given), at["begin"], at["end"]
    if at.get("slice_mode") == "size":
        return None  # ONNX counts places only
    steps = list(at.get("strides") or [])
    steps += [1] * (len(begin) - len(steps))
    return Node("Slice", [x, *map(whole, (begin, end, at.get("axes") or range(len(begin)), steps))])


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
    if "dtype" in at or on.dtype != off.dtype or (named.size and named.min() < 0):
        return None  # ONNX counts negative indices from the end
    values = np.stack([off, on])
    return Node("OneHot", [named.astype(np.int64), whole(at["depth"]), values], {"axis": at.get("axis", -1)})


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


# --------------------------------------------------------------------------------------------------------- images
def turned(array: Any, layout: str, letters: str) -> Any:
    return np.transpose(array, [layout.index(letter) for letter in letters])


def letters_of(rank: int, outer: str = "NC") -> str:
    return outer + "DHW"[5 - rank :]


def pads_of(written: list[int], count: int) -> list[int]:
    pairs = sides(written, count)
    return [before for before, _ in pairs] + [after for _, after in pairs]


def back(target: str, letters: str) -> Callable[[Any], Any]:
    return lambda found: np.transpose(found, [letters.index(letter) for letter in target])


def convolution(operator: str, kernel: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        if not given[0].dtype.is_float or not all(part.size for part in given):
            return None  # ONNX convolves floats, and of nothing the runtime never comes back
        x, w = map(array_of, given)
        count, letters = x.ndim - 2, letters_of(x.ndim)
        w = turned(w, at["kernel_layout"], letters_of(x.ndim, kernel))
        if kernel == "OI" and (w.shape[0] % at["groups"] or at.get("channels", w.shape[0]) != w.shape[0]):
            return None  # a weight of channels and multiplier is Relay's
        options = {
            name: each(at[wanted], count) for name, wanted in (("strides", "strides"), ("dilations", "dilation"))
        }
        options |= {"pads": pads_of(at["padding"], count), "group": at["groups"]}
        if "output_padding" in at:
            options["output_padding"] = each(at["output_padding"], count)
        target = at.get("out_layout") or at["data_layout"]
        return Node(operator, [turned(x, at["data_layout"], letters), w], options, after=back(target, letters))

    return build


def pool(operator: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        if not given[0].dtype.is_float or not given[0].size:
            return None  # of integers ONNX pools those of 8 bits
        (x,) = map(array_of, given)
        count, letters = x.ndim - 2, letters_of(x.ndim)
        size, pads = each(at["pool_size"], count), pads_of(at["padding"], count)
        if at["ceil_mode"] or has_nan(given) or any(pad >= width for pad, width in zip(pads, size * 2, strict=True)):
            return None  # ONNX ends a window at the border by rules of its own, and no window lies in the padding
        options: Attributes = {"kernel_shape": size, "pads": pads}
        options |= {
            name: each(at[wanted], count) for name, wanted in (("strides", "strides"), ("dilations", "dilation"))
        }
        if "count_include_pad" in at:
            options["count_include_pad"] = int(at["count_include_pad"])
        laid = back(at["out_layout"] or at["layout"], letters)

        def after(found: Any) -> Any:
            """Where all of a window is padding or -inf, the runtime gives the least number."""
            return laid(np.where(found == np.finfo(found.dtype).min, -np.inf, found).astype(found.dtype))

        return Node(operator, [turned(x, at["layout"], letters)], options, after=after)

    return build


def global_pool(operator: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        x = turned(array_of(given[0]), at["layout"], "NCHW")
        if not x.size or has_nan(given):
            return None
        return Node(operator, [x], after=back(at["out_layout"] or at["layout"], "NCHW"))

    return build


def batch_norm(given: Sequence[Any], at: Attributes) -> Node | None:
    x, gamma, beta, mean, variance = map(array_of, given)
    if at.get("axis", 1) % x.ndim != 1:
        return None  # ONNX normalises the second axis
    gamma, beta = gamma if at["scale"] else np.ones_like(gamma), beta if at["center"] else np.zeros_like(beta)
    node = [x, gamma, beta, mean, variance]
    return Node("BatchNormalization", node, {"epsilon": at["epsilon"]}, after=lambda found: (found, mean, variance))


def grouped(operator: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        x, gamma, beta = map(array_of, given)
        if at["axis"] % x.ndim != 1 or not x.size or x.ndim < 3:
            return None
        gamma, beta = gamma if at["scale"] else np.ones_like(gamma), beta if at["center"] else np.zeros_like(beta)
        if "num_groups" in at and given[0].dtype is DType.FLOAT64:
            return None  # the runtime computes in float32
        options = {"epsilon": at.get("epsilon", 1e-5)}
        return Node(
            operator, [x, gamma, beta], options | ({"num_groups": at["num_groups"]} if "num_groups" in at else {})
        )

    return build


def layer_norm(given: Sequence[Any], at: Attributes) -> Node | None:
    x, gamma, beta = map(array_of, given)
    if at.get("axis", -1) % x.ndim != x.ndim - 1:
        return None  # ONNX normalises all axes from one on
    gamma, beta = gamma if at["scale"] else np.ones_like(gamma), beta if at["center"] else np.zeros_like(beta)
    return Node("LayerNormalization", [x, gamma, beta], {"epsilon": at["epsilon"]})


def along(name: str) -> Builder:
    return lambda given, at: Node(ONNX[name], [array_of(given[0])], {"axis": at["axis"]})


def lrn(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,) = map(array_of, given)
    if x.ndim < 2 or at["axis"] % x.ndim != 1 or at["size"] % 2 == 0 or given[0].dtype is not DType.FLOAT32:
        return None  # ONNX takes the second axis, as many neighbours on either side, and its reference is wrong
    options = {"size": at["size"], "bias": at["bias"], "alpha": 1e-4, "beta": 0.75}
    return Node("LRN", [x.reshape(x.shape + (1,) * (4 - x.ndim))], options, after=lambda found: found.reshape(x.shape))


def pad(given: Sequence[Any], at: Attributes) -> Node | None:
    x, *fill = map(array_of, given)
    mode = at.get("pad_mode") or at["mode"].lower()
    if mode == "symmetric" or (fill and fill[0].dtype != x.dtype) or not x.ndim:
        return None  # ONNX has no mirror that repeats the border
    befores, afters = ([pair[side] for pair in at["pad_width"]] for side in (0, 1))
    value = fill if mode == "constant" else []
    return Node("Pad", [x, whole(befores + afters), *value], {"mode": mode})


def blocks(operator: str) -> Builder:
    def build(given: Sequence[Any], at: Attributes) -> Node | None:
        x = turned(array_of(given[0]), at["layout"], "NCHW")
        mode = {"mode": at["mode"]} if operator == "DepthToSpace" else {}
        return Node(operator, [x], {"blocksize": at["block_size"], **mode}, after=back(at["layout"], "NCHW"))

    return build


NEAREST = {"": None, "round": "round_prefer_ceil", "floor": "floor", "ceil": "ceil"}
NEAREST |= {one: one for one in ("round_prefer_floor", "round_prefer_ceil")}


def resize(given: Sequence[Any], at: Attributes) -> Node | None:
    (x,), mode, method = map(array_of, given), at["coordinate_transformation_mode"], at["method"]
    if not x.size or "out_dtype" in at or mode not in ("half_pixel", "align_corners", "asymmetric"):
        return None  # the other modes, and what is read at 0 cells, are those of TVM
    if method != "nearest_neighbor" and not given[0].dtype.is_float:
        return None  # sums become integers in ways of their own
    nearest = NEAREST[at["rounding_method"]]
    if method == "nearest_neighbor" and nearest is None:
        return None
    count, letters = x.ndim - 2, letters_of(x.ndim)
    x = turned(x, at["layout"], letters)
    sizes = [*x.shape[:2], *each(at["size"], count)]
    named = {"nearest_neighbor": "nearest", "linear": "linear", "cubic": "cubic"}[method]
    options = {"mode": named, "coordinate_transformation_mode": mode}
    options |= {"nearest_mode": nearest} if named == "nearest" else {}
    if named == "cubic":
        options |= {"cubic_coeff_a": at.get("cubic_alpha", -0.5), "exclude_outside": at.get("cubic_exclude", 0)}
    return Node("Resize", [x, None, None, whole(sizes)], options, after=back(at["layout"], letters))


def roi_align(given: Sequence[Any], at: Attributes) -> Node | None:
    x, rois = map(array_of, given)
    if at["mode"] != "avg" or x.dtype != rois.dtype or not x.size or not rois.size:
        return None  # the greatest of samples is not weighted alike
    x, size = turned(x, at["layout"], "NCHW"), each(at["pooled_size"], 2)
    options = {"output_height": size[0], "output_width": size[1], "spatial_scale": at["spatial_scale"]}
    options |= {"sampling_ratio": max(at["sample_ratio"], 0), "coordinate_transformation_mode": "output_half_pixel"}
    inputs = [x, np.ascontiguousarray(rois[:, 1:]), rois[:, 0].astype(np.int64)]
    return Node("RoiAlign", inputs, options, after=back(at["layout"], "NCHW"))


def grid_sample(given: Sequence[Any], at: Attributes) -> Node | None:
    x, grid = map(array_of, given)
    letters = letters_of(x.ndim)
    if not x.size or not grid.size:
        return None
    named = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}[at["method"]]
    options = {"mode": named, "padding_mode": at["padding_mode"], "align_corners": int(at["align_corners"])}
    inputs = [turned(x, at["layout"], letters), np.ascontiguousarray(np.moveaxis(grid, 1, -1))]
    return Node("GridSample", inputs, options, after=back(at["layout"], letters))


_PLAIN = """abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor log round sigmoid sin sinh sqrt tan tanh
negative logical_not bitwise_not isnan isinf copy add subtract multiply divide maximum minimum equal
greater less greater_equal less_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor where"""

NODES: dict[str, Builder] = {name: plain(name) for name in _PLAIN.split()}
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
    "einsum": lambda given, at: Node("Einsum", list(map(array_of, given[0])), {"equation": at["equation"]}),
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
"""The node of an application, by operator."""


def typed(at: Attributes) -> Callable[[Any], Any]:
    return lambda found: found.astype(at.get("dtype", "int32"))
