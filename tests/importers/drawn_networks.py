"""Drawn nodes of networks: products, windows, images, norms, recurrent layers, boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.importers.drawn import FLOATS, Draw, Made, Setting, draws, ints


@draws("MatMul")
def product(draw: Draw) -> Made:
    i, j, k = draw.size(), draw.size(), draw.size()
    batch, dtype = draw.shape(0, 2), draw.one(*FLOATS, "int64", "int32")
    left = (k,) if draw.rarely(0.2) else (*draw.broadcast(batch), i, k)
    right = (k,) if draw.rarely(0.2) else (*draw.broadcast(batch), k, j)
    return Made("MatMul", [draw.array(left, dtype, 0.0), draw.array(right, dtype, 0.0)])


@draws("Gemm")
def general(draw: Draw) -> Made:
    m, n, k = draw.size(), draw.size(), draw.size()
    flips = draw.given(transA=draw.whole(0, 1), transB=draw.whole(0, 1))
    a = (k, m) if flips.get("transA") else (m, k)
    b = (n, k) if flips.get("transB") else (k, n)
    dtype = draw.one(*FLOATS, "int32")
    factors = (
        draw.given(alpha=draw.one(1.0, 0.5, 0.0, -2.0), beta=draw.one(1.0, 0.5, 0.0, 2.0)) if "float" in dtype else {}
    )
    added = draw.one(None, (), (1,), (n,), (m, n), (1, n), (m, 1), (1, 1), (1, 1, n), (1, m, n))
    inputs = [
        draw.array(a, dtype, 0.0),
        draw.array(b, dtype, 0.0),
        None if added is None else draw.array(added, dtype, 0.0),
    ]
    return Made("Gemm", inputs, flips | factors)


# ------------------------------------------------------------------------------------------------------- windows
def windows(draw: Draw, count: int) -> tuple[list[int], dict[str, Any]]:
    """A kernel, and how it moves."""
    kernel = [draw.whole(1, 3) for _ in range(count)]
    settings = draw.given(strides=[draw.whole(1, 3) for _ in kernel], dilations=[draw.one(1, 1, 2) for _ in kernel])
    if draw.rarely(0.25):
        settings["auto_pad"] = draw.one("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    else:
        settings |= draw.given(pads=[draw.whole(0, 2) for _ in range(2 * count)])
    return kernel, settings


@draws("Conv")
def convolution(draw: Draw) -> Made:
    count = draw.one(1, 2, 2, 3)
    kernel, settings = windows(draw, count)
    groups, each = draw.one(1, 1, 2), draw.whole(1, 2)
    out = groups * draw.whole(1, 2)
    x = draw.array((draw.size(), groups * each, *(draw.whole(1, 6) for _ in kernel)), "float32", 0.0)
    w = draw.array((out, each, *kernel), "float32", 0.0)
    settings |= {"group": groups} if groups > 1 else {}
    settings |= draw.given(kernel_shape=kernel)
    return Made("Conv", [x, w, draw.array((out,), "float32", 0.0) if draw.rarely(0.5) else None], settings)


@draws("ConvTranspose")
def transposed(draw: Draw) -> Made:
    count = draw.one(1, 2, 2)
    kernel, settings = windows(draw, count)
    groups, each = draw.one(1, 1, 2), draw.whole(1, 2)
    out = draw.whole(1, 2)
    x = draw.array((draw.size(), groups * each, *(draw.whole(1, 4) for _ in kernel)), "float32", 0.0)
    w = draw.array((groups * each, out, *kernel), "float32", 0.0)
    settings |= {"group": groups} if groups > 1 else {}
    settings |= draw.given(kernel_shape=kernel, output_padding=[draw.whole(0, 1) for _ in kernel])
    if draw.rarely(0.15):
        settings["output_shape"] = [draw.whole(1, 9) for _ in kernel]
    return Made(
        "ConvTranspose", [x, w, draw.array((groups * out,), "float32", 0.0) if draw.rarely(0.4) else None], settings
    )


@draws("MaxPool", "AveragePool", "LpPool")
def pool(draw: Draw) -> Made:
    count = draw.one(1, 2, 2, 3)
    kernel, settings = windows(draw, count)
    name = draw.operator
    if draw.opset < (10 if name == "MaxPool" else 19 if name == "AveragePool" else 18):
        settings.pop("dilations", None)
    elif draw.rarely(0.2):
        settings["ceil_mode"] = 1
    if name == "AveragePool":
        settings |= draw.given(count_include_pad=draw.whole(0, 1))
    if name == "LpPool":
        settings |= draw.given(p=draw.one(1, 2, 3))
    x = draw.array((draw.size(), draw.size(), *(draw.whole(1, 6) for _ in kernel)), "float32", 0.0)
    outputs = 2 if name == "MaxPool" and draw.opset >= 8 and draw.rarely(0.3) else 1
    settings |= draw.given(storage_order=draw.whole(0, 1)) if outputs == 2 else {}
    return Made(name, [x], settings | {"kernel_shape": kernel}, outputs)


@draws("MaxUnpool")
def unpool(draw: Draw) -> Made:
    count = draw.one(1, 2, 2, 3)
    kernel = [draw.whole(1, 3) for _ in range(count)]
    strides = [draw.whole(1, 3) for _ in kernel]
    given = (draw.size(), draw.size(), *(draw.whole(1, 4) for _ in kernel))
    spans = [(size - 1) * step + span for size, step, span in zip(given[2:], strides, kernel, strict=True)]
    cells, taken = int(np.prod([*given[:2], *spans])), int(np.prod(given))
    indices = np.array(draw.random.sample(range(cells), min(taken, cells)), np.int64)
    return Made(
        "MaxUnpool", [draw.array(given), np.resize(indices, given)], {"kernel_shape": kernel, "strides": strides}
    )


@draws("GlobalAveragePool", "GlobalMaxPool")
def global_pool(draw: Draw) -> Made:
    return Made(draw.operator, [draw.array(draw.shape(3, 5), "float32", 0.0)])


@draws("GlobalLpPool")
def global_norm(draw: Draw) -> Made:
    return Made("GlobalLpPool", [draw.array(draw.shape(3, 5), "float32", 0.0)], draw.given(p=draw.one(1, 2, 3)))


@draws("MaxRoiPool")
def greatest_of_regions(draw: Draw) -> Made:
    n, c, h, w = (max(draw.size(), 1) for _ in range(4))
    count = draw.whole(0, 3)
    corners = np.sort(np.abs(draw.array((count, 2, 2), "float32", 0.0)), axis=1).reshape(count, 4)
    index = np.array([[draw.whole(0, n - 1)] for _ in range(count)], np.float32).reshape(count, 1)
    settings = {"pooled_shape": [2, draw.whole(1, 3)], **draw.given(spatial_scale=draw.one(1.0, 0.5))}
    return Made("MaxRoiPool", [draw.array((n, c, h, w), "float32", 0.0), np.hstack([index, corners])], settings)


@draws("LRN")
def response(draw: Draw) -> Made:
    settings = draw.given(alpha=draw.one(1e-4, 0.5), beta=draw.one(0.75, 1.0), bias=draw.one(1.0, 2.0))
    return Made("LRN", [draw.array(draw.shape(4, 4), "float32", 0.0)], settings | {"size": draw.whole(1, 5)})


# -------------------------------------------------------------------------------------------------------- norms
@draws("BatchNormalization")
def batch_norm(draw: Draw) -> Made:
    given = draw.shape(2, 4)
    rows = [draw.array((given[1],), "float32", 0.0) for _ in range(3)]
    spread = np.abs(draw.array((given[1],), "float32", 0.0))
    settings = draw.given(epsilon=draw.one(1e-5, 0.5), momentum=draw.one(0.9, 0.25, 1.0))
    settings |= {"training_mode": 1} if draw.opset >= 14 and draw.rarely(0.3) else {}
    outputs = 3 if "training_mode" in settings else 1
    return Made("BatchNormalization", [draw.array(given, "float32", 0.0), *rows, spread], settings, outputs)


@draws("InstanceNormalization")
def instance_norm(draw: Draw) -> Made:
    given = draw.shape(3, 4)
    rows = [draw.array((given[1],), "float32", 0.0) for _ in range(2)]
    return Made(draw.operator, [draw.array(given, "float32", 0.0), *rows], draw.given(epsilon=draw.one(1e-5, 0.5)))


@draws("GroupNormalization")
def group_norm(draw: Draw) -> Made:
    groups, each = draw.whole(1, 2), draw.whole(1, 2)
    given = (draw.size(), groups * each, *draw.shape(1, 2))
    count = groups if draw.opset < 21 else groups * each
    rows = [draw.array((count,), "float32", 0.0) for _ in range(2)]
    settings = {"num_groups": groups, **draw.given(epsilon=draw.one(1e-5, 0.5))}
    return Made(draw.operator, [draw.array(given, "float32", 0.0), *rows], settings)


@draws("LayerNormalization")
def layer_norm(draw: Draw) -> Made:
    given = draw.shape(1, 3)
    axis = draw.axis(len(given))
    lane = given[axis % len(given) :]
    scale = lane if draw.rarely(0.7) else draw.broadcast(given)
    bias = None if draw.rarely(0.4) else lane if draw.rarely(0.7) else draw.broadcast(given)
    settings = draw.given(axis=axis, epsilon=draw.one(1e-5, 0.5))
    rows = [draw.array(scale, "float32", 0.0), None if bias is None else draw.array(bias, "float32", 0.0)]
    return Made("LayerNormalization", [draw.array(given, "float32", 0.0), *rows], settings, draw.one(1, 1, 2, 3))


# --------------------------------------------------------------------------------------------------------- images
@draws("Resize")
def resize(draw: Draw) -> Made:
    given = tuple(max(size, 1) for size in draw.shape(3, 4)) if draw.rarely(0.9) else draw.shape(2, 5)
    rank, mode = len(given), draw.one("nearest", "nearest", "linear", "cubic")
    modes = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
    modes += ["half_pixel_symmetric"] if draw.opset >= 19 else []
    settings = draw.given(coordinate_transformation_mode=draw.one(*modes), mode=mode)
    settings |= draw.given(nearest_mode=draw.one("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    if mode == "cubic":
        settings |= draw.given(cubic_coeff_a=-0.5, exclude_outside=draw.whole(0, 1))
    if draw.opset < 11:
        settings = {"mode": "nearest" if draw.rarely(0.5) else "linear"}
    outer = draw.rarely(0.15)
    moved = [at >= min(2, rank - 1) or outer for at in range(rank)]
    factors = [draw.one(1.0, 2.0, 3.0, 0.5, 1.5, 0.7, 2.3, 0.9) if one else 1.0 for one in moved]
    sizes = [draw.whole(1, 8) if one else size for one, size in zip(moved, given, strict=True)]
    chosen = None
    if draw.opset >= 18 and draw.rarely(0.2):
        chosen = draw.random.sample(range(rank), draw.whole(1, rank))
        settings["axes"] = [axis - rank if draw.rarely(0.3) else axis for axis in chosen]
        factors, sizes = [factors[axis] for axis in chosen], [sizes[axis] for axis in chosen]
    if draw.opset >= 18 and draw.rarely(0.15):
        settings["keep_aspect_ratio_policy"] = draw.one("not_larger", "not_smaller")
    x = draw.array(given, "float32", 0.0)
    scales = Setting(np.array(factors, np.float32))
    if draw.opset < 11:
        return Made("Resize", [x, scales], settings)
    if draw.rarely(0.5):
        empty = draw.one(None, Setting(np.zeros(0, np.float32)))
        return Made(
            "Resize", [x, draw.one(None, Setting(np.zeros(0, np.float32))), empty, Setting(ints(*sizes))], settings
        )
    return Made("Resize", [x, draw.one(None, Setting(np.zeros(0, np.float32))), scales], settings)


@draws("GridSample")
def grid_sample(draw: Draw) -> Made:
    count = 3 if draw.opset >= 20 and draw.rarely(0.3) else 2
    n, c, *sizes = (max(draw.size(), 1) for _ in range(count + 2))
    grid = draw.array((n, *(draw.whole(1, 3) for _ in range(count)), count), "float32", 0.0) / 4
    modes = ("linear", "nearest", "cubic") if draw.opset >= 20 else ("bilinear", "nearest", "bicubic")
    padding = draw.one("zeros", "border", "reflection")
    settings = draw.given(mode=draw.one(*modes), padding_mode=padding, align_corners=draw.whole(0, 1))
    return Made("GridSample", [draw.array((n, c, *sizes), "float32", 0.0), grid], settings)


@draws("AffineGrid")
def affine_grid(draw: Draw) -> Made:
    count, n = draw.one(2, 2, 3), draw.whole(1, 2)
    sizes = [n, draw.whole(1, 2), *(draw.whole(1 if draw.rarely(0.2) else 2, 4) for _ in range(count))]
    theta = draw.array((n, count, count + 1), "float32", 0.0)
    return Made("AffineGrid", [theta, Setting(ints(*sizes))], draw.given(align_corners=draw.whole(0, 1)))


@draws("RoiAlign")
def regions(draw: Draw) -> Made:
    n, c, h, w = (max(draw.size(), 1) for _ in range(4))
    count = draw.whole(0, 3)
    corners = np.sort(np.abs(draw.array((count, 2, 2), "float32", 0.0)), axis=1).reshape(count, 4)
    index = np.array([draw.whole(0, n - 1) for _ in range(count)], np.int64)
    settings = draw.given(mode=draw.one("avg", "max"), output_height=2, output_width=draw.whole(1, 3))
    settings |= draw.given(sampling_ratio=draw.whole(0, 2), spatial_scale=draw.one(1.0, 0.5))
    if draw.opset >= 16:
        settings |= {"coordinate_transformation_mode": "output_half_pixel"} if draw.rarely(0.8) else {}
    return Made("RoiAlign", [draw.array((n, c, h, w), "float32", 0.0), corners, index], settings)


@draws("NonMaxSuppression")
def suppressed(draw: Draw) -> Made:
    batches, boxes, classes = draw.whole(1, 2), draw.whole(0, 4), draw.whole(1, 2)
    corners = np.sort(draw.array((batches, boxes, 2, 2), "float32", 0.0), axis=2).reshape(batches, boxes, 4)
    scores = draw.array((batches, classes, boxes), "float32", 0.0)
    most = Setting(draw.number(draw.whole(0, 3))) if draw.rarely(0.9) else None
    overlap = (
        Setting(draw.number(draw.one(0.0, 0.5, 0.3, 1.0, 1.0, -0.5, 2.0), "float32")) if draw.rarely(0.6) else None
    )
    least = Setting(draw.number(draw.one(0.0, -10.0, 1.0), "float32")) if draw.rarely(0.6) else None
    return Made(draw.operator, [corners, scores, most, overlap, least], draw.given(center_point_box=draw.one(0, 0, 1)))


# ------------------------------------------------------------------------------------------------------ recurrent
@draws("LSTM", "GRU", "RNN")
def recurrent(draw: Draw) -> Made:
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[draw.operator]
    steps, batch, width, hidden = max(draw.size(), 1), max(draw.size(), 1), draw.whole(1, 3), draw.whole(1, 2)
    direction = draw.one("forward", "reverse", "bidirectional")
    count = 2 if direction == "bidirectional" else 1
    first = draw.whole(0, 1) if draw.opset >= 14 and draw.rarely(0.2) else 0

    def small(*shape: int) -> Any:
        return draw.array(shape, "float32", 0.0) / 4

    x = small(batch, steps, width) if first else small(steps, batch, width)
    state = (batch, count, hidden) if first else (count, batch, hidden)
    inputs: list[Any] = [x, small(count, gates * hidden, width), small(count, gates * hidden, hidden)]
    inputs.append(small(count, 2 * gates * hidden) if draw.rarely(0.6) else None)
    lengths = [steps if draw.rarely(0.3) else draw.whole(-1 if draw.rarely(0.05) else 0, steps) for _ in range(batch)]
    inputs.append(Setting(np.array(lengths, np.int32)) if draw.rarely(0.5) else None)
    inputs.append(small(*state) if draw.rarely(0.5) else None)
    settings = {"hidden_size": hidden, "direction": direction} | ({"layout": 1} if first else {})
    settings |= draw.given(clip=0.5) if draw.rarely(0.2) else {}
    if draw.operator == "GRU":
        settings |= draw.given(linear_before_reset=draw.whole(0, 1))
    if draw.operator == "LSTM":
        inputs.append(small(*state) if draw.rarely(0.5) else None)
        inputs.append(small(count, 3 * hidden) if draw.rarely(0.2) else None)
    return Made(draw.operator, inputs, settings, draw.whole(1, 3 if draw.operator == "LSTM" else 2))
