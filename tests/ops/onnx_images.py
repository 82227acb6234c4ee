"""Convolutions, pools, norms, and what else is done to images, as single nodes of ONNX."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradual.ops.catalogue import CATALOGUE
from gradual.types.dtype import DType
from tests.ops.onnx_node import Attributes, Builder, Node, has_nan, whole
from tests.ops.oracle import array_of
from tests.ops.test_convolving import each, sides


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
        epsilon, groups = at.get("epsilon", 1e-5), at.get("num_groups", x.shape[1])
        if not differ(x.reshape(x.shape[0], groups, -1), epsilon):
            return None
        named = {"num_groups": groups} if "num_groups" in at else {}
        return Node(operator, [x, gamma, beta], {"epsilon": epsilon, **named})

    return build


def layer_norm(given: Sequence[Any], at: Attributes) -> Node | None:
    x, gamma, beta = map(array_of, given)
    if at.get("axis", -1) % x.ndim != x.ndim - 1 or (x.size and not differ(x, at["epsilon"])):
        return None  # ONNX normalises all axes from one on
    gamma, beta = gamma if at["scale"] else np.ones_like(gamma), beta if at["center"] else np.zeros_like(beta)
    return Node("LayerNormalization", [x, gamma, beta], {"epsilon": at["epsilon"]})


def differ(rows: Any, epsilon: float) -> bool:
    """Whether the numbers of each row differ by enough to be compared, once normalised.

    The runtime, and ONNX's definition of the norm of groups, take the variance in the type itself as the mean of the
    squares less the square of the mean: of numbers that are nearly the same that leaves few digits or none.
    """
    wide = rows.astype(np.float64)
    squares, spread = np.mean(wide * wide, axis=-1), np.var(wide, axis=-1) + epsilon
    return not np.any(squares > 50 * spread)


def along(name: str) -> Builder:
    return lambda given, at: Node(str(CATALOGUE[name].onnx), [array_of(given[0])], {"axis": at["axis"]})


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
    if any(_on_border(rois[:, side::2], x.shape[4 - side], size[2 - side], at) for side in (1, 2)):
        return None  # rounding decides whether a sample on the border is inside
    options = {"output_height": size[0], "output_width": size[1], "spatial_scale": at["spatial_scale"]}
    options |= {"sampling_ratio": max(at["sample_ratio"], 0), "coordinate_transformation_mode": "output_half_pixel"}
    inputs = [x, np.ascontiguousarray(rois[:, 1:]), rois[:, 0].astype(np.int64)]
    return Node("RoiAlign", inputs, options, after=back(at["layout"], "NCHW"))


def _on_border(spans: Any, extent: int, parts: int, at: Attributes) -> bool:
    """Whether a sample of some regions, each given by its ends along an axis, lies where the image ends."""
    for begin, end in spans * at["spatial_scale"]:
        step = max(end - begin, 1.0) / parts
        samples = at["sample_ratio"] if at["sample_ratio"] > 0 else math.ceil(step)
        places = begin + step * (np.arange(parts * samples) + 0.5) / samples
        if np.min(np.abs(places - extent)) < 1e-4 or np.min(np.abs(places + 1)) < 1e-4:
            return True
    return False


def grid_sample(given: Sequence[Any], at: Attributes) -> Node | None:
    x, grid = map(array_of, given)
    letters = letters_of(x.ndim)
    if not x.size or not grid.size:
        return None
    named = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}[at["method"]]
    options = {"mode": named, "padding_mode": at["padding_mode"], "align_corners": int(at["align_corners"])}
    inputs = [turned(x, at["layout"], letters), np.ascontiguousarray(np.moveaxis(grid, 1, -1))]
    return Node("GridSample", inputs, options, after=back(at["layout"], letters))
