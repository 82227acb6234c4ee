"""Pools: the greatest element or the mean of windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.importers.torch.networks.convolutions import spread
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType


def _axes(use: Use) -> int:
    """The number of spatial axes in the operator's name."""
    return int(use.node.operator.split("pool")[1][0])


def _batched(use: Use, count: int, pool: Callable[[Value], Value]) -> Value:
    """A pool of the input; an input without a batch is one sample."""
    x = use["self"]
    if x.rank != count + 1:
        return pool(x)
    return use.call("squeeze", pool(use.call("expand_dims", x, axis=0)), axis=[0])


def _windows(use: Use, count: int) -> tuple[list[int], list[int], list[int]]:
    """Sizes, strides and paddings of windows; strides are the sizes by default."""
    kernel = spread(use, "kernel_size", count, 1)
    stride = spread(use, "stride", count, 1) if use.given("stride") else kernel
    return kernel, stride, spread(use, "padding", count, 0)


def _begun(use: Use, x: Value, pooled: Value) -> Value:
    """The pool without the windows, added by `ceil_mode`, that begin in the padding after the data."""
    count = x.rank - 2
    kernel, stride, padding = _windows(use, count)
    dilation = spread(use, "dilation", count, 1) if "dilation" in use.node.arguments else [1] * count
    if not use.flag("ceil_mode"):
        return pooled
    for at, (size, step, border, by) in enumerate(zip(kernel, stride, padding, dilation, strict=True)):
        if step > (size - 1) * by + 1 - border:
            more = use.builder.number(border + step - 1, DType.INT64)
            above = use.call("add", use.extent(x, 2 + at), more)
            end = use.call("floor_divide", above, use.builder.number(step, DType.INT64))
            pooled = use.call("strided_slice", pooled, begin=[0], end=[use.written_size(end)], axes=[2 + at])
    return pooled


@imports("aten.max_pool1d.default", "aten.max_pool2d.default", "aten.max_pool3d.default")
def max_pool(use: Use) -> Value:
    """The greatest element of each window."""
    return _greatest(use)


def _greatest(use: Use) -> Value:
    count = _axes(use)
    kernel, stride, padding = _windows(use, count)
    settings = {
        "pool_size": kernel,
        "strides": stride,
        "padding": padding * 2,
        "dilation": spread(use, "dilation", count, 1),
        "ceil_mode": True if use.flag("ceil_mode") else None,
    }
    return _batched(use, count, lambda x: _begun(use, x, use.call(f"nn.max_pool{count}d", x, **settings)))


@imports(
    "aten.max_pool1d_with_indices.default",
    "aten.max_pool2d_with_indices.default",
    "aten.max_pool3d_with_indices.default",
)
def max_pool_with_indices(use: Use) -> Sequence[Value | None]:
    """The greatest element of each window, and its index in the image in row-major order."""
    places = _places(use, _axes(use)) if use.is_used(1) else None
    return [_greatest(use), places]


def _places(use: Use, count: int) -> Value:
    """The index of the greatest element of each window."""
    if use.flag("ceil_mode"):
        raise Unsupported("indices with ceil_mode")
    x = use["self"]
    kernel, stride, padding = _windows(use, count)
    dilation = spread(use, "dilation", count, 1)
    first = x.rank - count
    width = [[0, 0]] * first + [[one, one] for one in padding]
    least = -math.inf if x.dtype.is_float else integer_range(x.dtype)[0]
    padded = use.call("nn.pad", x, use.like(least, x), pad_width=width) if any(padding) else x
    reach = [(size - 1) * by + 1 for size, by in zip(kernel, dilation, strict=True)]
    found = use.call("sliding_window", padded, axis=first, window_shape=reach, strides=stride)
    if dilation != [1] * count:
        axes = list(range(found.rank - count, found.rank))
        ends = [2**31 - 1] * count
        found = use.call("strided_slice", found, begin=[0] * count, end=ends, strides=dilation, axes=axes)
    for _ in range(count - 1):
        found = use.call("reshape", found, newshape=[*[0] * (found.rank - 2), -3])
    inside = use.as_type(use.call("argmax", found, axis=[found.rank - 1]), DType.INT64)
    return _in_image(use, x, inside, (kernel, stride, padding, dilation))


def _in_image(use: Use, x: Value, inside: Value, windows: tuple[Sequence[int], ...]) -> Value:
    """Convert indices in windows to indices in the image."""
    kernel, stride, padding, dilation = windows
    count = len(kernel)

    def number(value: int) -> Value:
        return use.builder.number(value, DType.INT64)

    place: Value | None = None
    for at in range(count):
        after = math.prod(kernel[at + 1 :])
        offset = use.call("floor_mod", use.call("floor_divide", inside, number(after)), number(kernel[at]))
        axis = inside.rank - count + at
        steps = use.call("arange", number(0), use.extent(inside, axis), number(1), dtype=DType.INT64)
        start = use.call("subtract", use.call("multiply", steps, number(stride[at])), number(padding[at]))
        start = use.call("expand_dims", start, axis=1, num_newaxis=count - 1 - at) if at < count - 1 else start
        here = use.call("add", use.call("multiply", offset, number(dilation[at])), start)
        size = use.extent(x, x.rank - count + at)
        place = here if place is None else use.call("add", use.call("multiply", place, size), here)
    assert place is not None
    return place


@imports("aten.avg_pool1d.default", "aten.avg_pool2d.default", "aten.avg_pool3d.default")
def avg_pool(use: Use) -> Value:
    """The mean of each window, or its sum divided by a given number."""
    count, divisor = _axes(use), use.given("divisor_override")
    kernel, stride, padding = _windows(use, count)
    if divisor is not None and use.flag("ceil_mode"):
        raise Unsupported("divisor_override with ceil_mode")
    settings = {
        "pool_size": kernel,
        "strides": stride,
        "padding": padding * 2,
        "ceil_mode": True if use.flag("ceil_mode") else None,
        "count_include_pad": divisor is not None or use.flag("count_include_pad", True),
    }
    found = _batched(use, count, lambda x: _begun(use, x, use.call(f"nn.avg_pool{count}d", x, **settings)))
    if divisor is None:
        return found
    return use.call("multiply", found, use.like(math.prod(kernel) / use.integer("divisor_override"), found))


@imports(
    "aten.adaptive_avg_pool1d.default",
    "aten.adaptive_avg_pool2d.default",
    "aten.adaptive_avg_pool3d.default",
    "aten._adaptive_avg_pool2d.default",
    "aten._adaptive_avg_pool3d.default",
)
def adaptive_avg_pool(use: Use) -> Value:
    """The mean of each window of a given number of windows."""
    sizes = use.sizes("output_size")
    count = _axes(use)
    sizes = sizes * count if len(sizes) == 1 else sizes
    return _batched(use, count, lambda x: use.call(f"nn.adaptive_avg_pool{count}d", x, output_size=sizes))


@imports("aten.adaptive_max_pool1d.default", "aten.adaptive_max_pool2d.default", "aten.adaptive_max_pool3d.default")
def adaptive_max_pool(use: Use) -> Sequence[Value | None]:
    """The greatest element of each of a given number of windows; indices are supported for a single window only."""
    sizes = use.sizes("output_size")
    count = _axes(use)
    sizes = sizes * count if len(sizes) == 1 else sizes
    found = _batched(use, count, lambda x: use.call(f"nn.adaptive_max_pool{count}d", x, output_size=sizes))
    if not use.is_used(1):
        return [found, None]
    if any(size != 1 for size in sizes):
        raise Unsupported("indices of the greatest elements of several windows")
    x = use["self"]
    flat = reduce(lambda one, _: use.call("reshape", one, newshape=[*[0] * (one.rank - 2), -3]), range(count - 1), x)
    places = use.as_type(use.call("argmax", flat, axis=[flat.rank - 1], keepdims=True), DType.INT64)
    return [found, use.expanded(places, range(places.rank, places.rank + count - 1)) if count > 1 else places]
