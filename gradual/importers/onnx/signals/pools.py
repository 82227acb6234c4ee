"""Pools: maximum, mean or norm of windows, and of whole channels."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from gradual.importers.common.composed.arithmetic import Term, counted, extent, numbered, product
from gradual.importers.common.composed.windows import Windows, begun, in_image, places
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports, spatial
from gradual.importers.onnx.operators.networks import of_each, windows


def _windows(use: Use) -> Windows:
    """The windows of a pool."""
    x = use[0]
    kernel = of_each(use, "kernel_shape", [None] * spatial(x), 1)
    settings, padding = windows(use, x, kernel)
    count = len(kernel)
    dilation = settings.get("dilation", [1] * count)
    return Windows(kernel, settings["strides"], dilation, padding[:count], padding[count:])


def _whole(use: Use, given: Windows) -> Windows:
    """The windows, with enough padding after the data that with `ceil_mode` the last window is complete."""
    if not use.attribute("ceil_mode", 0):
        return given
    after = [
        use.written_size((counted(use, one) + (step - 1)).value)
        for one, step in zip(given.after, given.strides, strict=True)
    ]
    return replace(given, after=after)


@imports("MaxPool")
def greatest_pool(use: Use) -> list[Value]:
    """The maximum of each window, and its index in the flattened tensor."""
    found = _pool(use, "nn.max_pool", {})
    return [found, _indices(use)] if use.wants(1) else [found]


def _indices(use: Use) -> Value:
    """The index of each window's maximum in the flattened tensor; images are column-major with `storage_order`."""
    x, given = use[0], _whole(use, _windows(use))
    here = in_image(use, x, places(use, x, given), given, bool(use.only("storage_order", 0, 1)))
    here = begun(use, x, here, _windows(use)) if use.attribute("ceil_mode", 0) else here
    images = extent(use, x, 0) * extent(use, x, 1)
    size = product(extent(use, x, axis) for axis in range(2, x.rank))
    first = numbered(use, use.written_size(images.value)) * size
    shape = [use.written_size(use.extent(x, axis)) for axis in (0, 1)]
    begin = use.call("reshape", first.value, newshape=[*shape, *[1] * (x.rank - 2)])
    return use.call("add", here, begin)


@imports("AveragePool")
def mean_pool(use: Use) -> Value:
    """The mean of each window."""
    return _pool(use, "nn.avg_pool", {"count_include_pad": bool(use.attribute("count_include_pad", 0)) or None})


def _pool(use: Use, operator: str, settings: dict[str, Any]) -> Value:
    x, given = use[0], _windows(use)
    ceil = bool(use.attribute("ceil_mode", 0))
    settings |= {"strides": given.strides, "padding": [*given.before, *given.after], "pool_size": given.kernel}
    settings |= {"dilation": given.dilation} if any(step != 1 for step in given.dilation) else {}
    found = use.call(f"{operator}{spatial(x)}d", x, **settings, ceil_mode=ceil or None)
    return begun(use, x, found, given) if ceil else found


@imports("LpPool")
def length_pool(use: Use) -> Value:
    """The p-norm of each window."""
    x, power = use[0], use.attribute("p", 2)
    if power < 1:
        raise Unsupported(f"p={power}")
    given = _windows(use)
    whole = _whole(use, given)
    settings = {"strides": given.strides, "padding": [*whole.before, *whole.after], "pool_size": given.kernel}
    settings |= {"dilation": given.dilation} if any(step != 1 for step in given.dilation) else {}
    raised = powered(use, use.call("abs", x), float(power))
    mean = use.call(f"nn.avg_pool{spatial(x)}d", raised, **settings, count_include_pad=True)
    mean = begun(use, x, mean, given) if whole is not given else mean
    return powered(use, use.call("multiply", mean, use.like(float(prod(given.kernel)), x)), 1 / power)


def powered(use: Use, x: Value, exponent: float) -> Value:
    """Each element to a power."""
    return x if exponent == 1 else use.call("power", x, use.like(exponent, x))


@imports("GlobalAveragePool", "GlobalMaxPool")
def global_pool(use: Use) -> Value:
    """The mean or the maximum of each channel."""
    operator = "mean" if "Average" in use.node.operator else "max"
    if use[0].rank == 4:
        return use.call(f"nn.global_{'avg' if operator == 'mean' else 'max'}_pool2d", use[0])
    return use.call(operator, use[0], axis=list(range(2, use[0].rank)), keepdims=True)


@imports("GlobalLpPool")
def global_norm(use: Use) -> Value:
    """The p-norm of each channel."""
    x, p = use[0], use.attribute("p", 2)
    powers = use.call("power", use.call("abs", x), use.like(p, x))
    total = use.call("sum", powers, axis=list(range(2, x.rank)), keepdims=True)
    return use.call("power", total, use.like(1 / p, x))


@imports("MaxRoiPool")
def greatest_of_regions(use: Use) -> Value:
    """For each region, the maximum of each of its parts."""
    return use.call(
        "vision.roi_pool",
        use[0],
        use[1],
        pooled_size=list(use.required("pooled_shape")),
        spatial_scale=use.attribute("spatial_scale", 1.0),
    )


# ------------------------------------------------------------------------------------------------ pools undone
@imports("MaxUnpool")
def unpool(use: Use) -> Value:
    """A tensor of zeros with each element at its index from a `MaxPool`; a given shape has to be the usual one."""
    x, count = use[0], spatial(use[0])
    kernel = of_each(use, "kernel_shape", [None] * count, 1)
    strides, pads = of_each(use, "strides", kernel, 1), of_each(use, "pads", [*kernel, *kernel], 0)
    sizes = [use.extent(x, 0), use.extent(x, 1)]
    for axis in range(count):
        span = (extent(use, x, axis + 2) - 1) * strides[axis] + kernel[axis]
        sizes.append((span - pads[axis] - pads[axis + count]).value)
    shape = [use.written_size(size) for size in sizes]
    if use.optional(2) is not None and use[2].tensor.contents != tuple(map(use.builder.dim, shape)):
        raise Unsupported("output_shape that is not plainly the shape that the windows cover")
    flat, indices = (use.call("reshape", one, newshape=[-1]) for one in (x, use[1]))
    all = use.written_size(product(Term(use, size) for size in sizes).value)
    zeros = use.call("full", use.like(0, x), shape=[all])
    found = use.call("scatter_elements", zeros, indices, flat, axis=0, reduction="update")
    return use.call("reshape", found, newshape=shape)
