"""Pools: the maximum or the mean of windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

from gradual.importers.common.composed.windows import Windows, begun, in_image, places
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.importers.torch.networks.convolutions import spread
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
    """The pool, without windows that `ceil_mode` added and that begin in the padding after the data."""
    count = x.rank - 2
    kernel, stride, padding = _windows(use, count)
    dilation = spread(use, "dilation", count, 1) if "dilation" in use.node.arguments else [1] * count
    return (
        begun(use, x, pooled, Windows(kernel, stride, dilation, padding, padding)) if use.flag("ceil_mode") else pooled
    )


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
    """The maximum of each window, and its index in the image in row-major order."""
    places = _indices(use, _axes(use)) if use.is_used(1) else None
    return [_greatest(use), places]


def _indices(use: Use, count: int) -> Value:
    """The index of the maximum of each window."""
    if use.flag("ceil_mode"):
        raise Unsupported("indices with ceil_mode")
    x = use["self"]
    kernel, stride, padding = _windows(use, count)
    geometry = Windows(kernel, stride, spread(use, "dilation", count, 1), padding, padding)
    return in_image(use, x, places(use, x, geometry), geometry)


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
    """The maximum of each of a given number of windows; indices are supported for a single window only."""
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
