"""Operators of neural networks: products of matrices, convolutions, pools, normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from gradual.importers.common.applying import positive
from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, broadcast_into, imports, spatial


# -------------------------------------------------------------------------------------------------------- products
@imports("MatMul")
def matrix_product(use: Use) -> Value:
    """The product of matrices in batches."""
    return product(use, use[0], use[1])


@imports("Gemm")
def general_product(use: Use) -> Value:
    """alpha * a * b + beta * c; attributes transpose a and b."""
    flips = {f"transpose_{name.lower()}": True for name in "AB" if use.attribute(f"trans{name}", 0)}
    if flips == {"transpose_b": True}:
        found = use.call("nn.dense", use[0], use[1])
    else:
        found = use.call("nn.matmul", use[0], use[1], **flips)
    found = _scaled(use, found, use.attribute("alpha", 1.0))
    added, beta = use.optional(2), use.attribute("beta", 1.0)
    if added is None:
        return found
    whole = broadcast_into(use, added, found)
    return found if beta == 0 else use.call("add", found, _scaled(use, whole, beta))


def _scaled(use: Use, value: Value, factor: float) -> Value:
    if not value.dtype.is_float and not float(factor).is_integer():
        raise Unsupported(f"a factor of {factor} for {value.dtype}")
    return value if factor == 1 else use.call("multiply", use.like(factor, value), value)


# ------------------------------------------------------------------------------------------------------ windows
def _windows(use: Use, x: Value, kernel: Sequence[int]) -> tuple[dict[str, Any], list[int]]:
    """Strides and dilation as attributes, and the padding before and after every axis."""
    strides, dilation = (of_each(use, name, kernel, 1) for name in ("strides", "dilations"))
    spread = [(size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True)]
    padding = _padding(use, x, spread, strides)
    settings: dict[str, Any] = {"strides": strides}
    if any(step != 1 for step in dilation):
        settings["dilation"] = dilation
    return settings, padding


def of_each(use: Use, name: str, axes: Sequence[object], usual: int) -> list[int]:
    """An attribute with a number for each axis; if its default is 1, each has to be at least 1."""
    given = list(use.attribute(name, (usual,) * len(axes)))
    if len(given) != len(axes) or (usual and min(given, default=usual) < usual):
        raise Unsupported(f"{name}={given}")
    return given


def _padding(use: Use, x: Value, spread: Sequence[int], strides: Sequence[int]) -> list[int]:
    automatic = use.attribute("auto_pad", "NOTSET")
    if automatic in ("NOTSET", ""):
        return of_each(use, "pads", [*spread, *spread], 0)
    if automatic == "VALID":
        return [0] * (2 * len(spread))
    totals = []
    for axis, (size, stride) in enumerate(zip(spread, strides, strict=True)):
        have = x.extent(axis + 2)
        if have is None and stride != 1:
            raise Unsupported(f"auto_pad={automatic} with strides over an axis whose size is not known here")
        totals.append(size - 1 if have is None else max((-(-have // stride) - 1) * stride + size - have, 0))
    less, more = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return [*more, *less] if automatic == "SAME_LOWER" else [*less, *more]


def _kernel(use: Use, weight: Value) -> list[int]:
    """The extents of the window, from `kernel_shape` or else from the weight."""
    written, count = use.attribute("kernel_shape"), weight.rank - 2
    if written is not None:
        if len(written) != count:
            raise Unsupported(f"kernel_shape={written} for {count} axes")
        return list(written)
    extents = [weight.extent(axis + 2) for axis in range(count)]
    if None in extents:
        raise Unsupported("a kernel whose sizes are not known here")
    return [extent for extent in extents if extent is not None]


@imports("Conv")
def convolution(use: Use) -> Value:
    """A convolution, with a bias for each channel."""
    return _biased(use, convolved(use, use[0], use[1]))


def convolved(use: Use, x: Value, weight: Value) -> Value:
    """The convolution that the attributes of a node say."""
    count, kernel = spatial(x), _kernel(use, weight)
    settings, padding = _windows(use, x, kernel)
    settings |= {"padding": padding, "groups": _unless(1, use.attribute("group", 1)), "kernel_size": kernel}
    return use.call(f"nn.conv{count}d", x, weight, **settings)


def _unless(usual: int, value: int) -> int | None:
    return None if value == usual else value


def _biased(use: Use, found: Value) -> Value:
    bias = use.optional(2)
    return found if bias is None else use.call("nn.bias_add", found, bias)


@imports("ConvTranspose")
def transposed_convolution(use: Use) -> Value:
    """A transposed convolution, with a bias for each channel."""
    x, weight, count = use[0], use[1], spatial(use[0])
    kernel, groups = _kernel(use, weight), use.attribute("group", 1)
    strides, dilation = (of_each(use, name, kernel, 1) for name in ("strides", "dilations"))
    beyond = of_each(use, "output_padding", kernel, 0)
    if any(more >= max(move, apart) for more, move, apart in zip(beyond, strides, dilation, strict=True)):
        raise Unsupported(f"output_padding={beyond} with strides={strides} and dilations={dilation}")
    channels = weight.extent(1)
    if channels is None:
        raise Unsupported("a weight whose sizes are not known here")
    settings: dict[str, Any] = {
        "channels": channels * groups,
        "kernel_size": kernel,
        "strides": strides,
        "padding": _transposed_padding(use, x, kernel, strides, dilation, beyond),
        "output_padding": beyond if any(beyond) else None,
        "dilation": dilation if any(step != 1 for step in dilation) else None,
        "groups": _unless(1, groups),
    }
    return _biased(use, use.call(f"nn.conv{count}d_transpose", x, weight, **settings))


def _transposed_padding(
    use: Use, x: Value, kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int], beyond: list[int]
) -> list[int]:
    automatic, wanted = use.attribute("auto_pad", "NOTSET"), use.attribute("output_shape")
    count = len(kernel)
    if wanted is None and automatic in ("NOTSET", "", "VALID"):
        return of_each(use, "pads", [*kernel, *kernel], 0) if automatic != "VALID" else [0] * (2 * count)
    if wanted is not None and len(wanted) not in (count, count + 2):
        raise Unsupported(f"output_shape={wanted} for {count} axes")
    totals = []
    for axis in range(count):
        spread, have = (kernel[axis] - 1) * dilation[axis] + 1, x.extent(axis + 2)
        if wanted is None:
            total = spread - strides[axis] + beyond[axis]
        elif have is None:
            raise Unsupported("output_shape of an axis whose size is not known here")
        else:
            total = strides[axis] * (have - 1) + beyond[axis] + spread - list(wanted)[-count:][axis]
        if total < 0:
            beyond[axis] -= total
        totals.append(max(total, 0))
    more, less = [total - total // 2 for total in totals], [total // 2 for total in totals]
    return [*less, *more] if automatic == "SAME_UPPER" else [*more, *less]


@imports("MaxPool")
def greatest_pool(use: Use) -> Value:
    """The greatest element of each window."""
    if use.wants(1):
        raise Unsupported("the output Indices")
    return _pool(use, "nn.max_pool", {})


@imports("AveragePool")
def mean_pool(use: Use) -> Value:
    """The mean of each window."""
    return _pool(use, "nn.avg_pool", {"count_include_pad": bool(use.attribute("count_include_pad", 0)) or None})


@imports("LpPool")
def length_pool(use: Use) -> Value:
    """The p-norm of each window."""
    x, power = use[0], use.attribute("p", 2)
    if power < 1:
        raise Unsupported(f"p={power}")
    kernel = of_each(use, "kernel_shape", [None] * spatial(x), 1)
    if use.attribute("ceil_mode", 0):
        raise Unsupported("ceil_mode=1")
    settings, padding = _windows(use, x, kernel)
    settings |= {"pool_size": kernel, "padding": padding, "count_include_pad": True}
    raised = _powered(use, use.call("abs", x), float(power))
    mean = use.call(f"nn.avg_pool{spatial(x)}d", raised, **settings)
    return _powered(use, use.call("multiply", mean, use.like(float(prod(kernel)), x)), 1 / power)


def _powered(use: Use, x: Value, exponent: float) -> Value:
    """A power of each element."""
    return x if exponent == 1 else use.call("power", x, use.like(exponent, x))


def _pool(use: Use, operator: str, settings: dict[str, Any]) -> Value:
    x = use[0]
    kernel = of_each(use, "kernel_shape", [None] * spatial(x), 1)
    windows, padding = _windows(use, x, kernel)
    ceil = bool(use.attribute("ceil_mode", 0))
    if ceil and _may_start_behind(kernel, windows, padding):
        raise Unsupported("ceil_mode=1 where a window may start behind the data: ONNX leaves it out")
    settings |= windows | {"padding": padding, "pool_size": kernel, "ceil_mode": ceil or None}
    return use.call(f"{operator}{spatial(x)}d", x, **settings)


def _may_start_behind(kernel: Sequence[int], windows: dict[str, Any], padding: Sequence[int]) -> bool:
    """Whether the last, incomplete window may start in the padding after the data, for some size of the data."""
    dilation = windows.get("dilation", [1] * len(kernel))
    after = padding[len(kernel) :]
    return any(
        stride > (size - 1) * step + 1 - more
        for size, step, stride, more in zip(kernel, dilation, windows["strides"], after, strict=True)
    )


@imports("GlobalAveragePool", "GlobalMaxPool")
def global_pool(use: Use) -> Value:
    """The mean or the greatest element of each channel."""
    operator = "mean" if "Average" in use.node.operator else "max"
    if use[0].rank == 4:
        return use.call(f"nn.global_{'avg' if operator == 'mean' else 'max'}_pool2d", use[0])
    return use.call(operator, use[0], axis=list(range(2, use[0].rank)), keepdims=True)


@imports("LRN")
def local_response(use: Use) -> Value:
    """Each element normalized by its neighbours in other channels, as many before as after."""
    if use.required("size") % 2 == 0:
        raise Unsupported("an even size")
    settings = {name: use.attribute(name, default) for name, default in (("alpha", 1e-4), ("beta", 0.75))}
    return use.call("nn.lrn", use[0], size=use.required("size"), bias=use.attribute("bias", 1.0), **settings)


# -------------------------------------------------------------------------------------------------- normalizations
@imports("BatchNormalization")
def batch_normalization(use: Use) -> Value:
    """Batch normalization as at inference, with the mean and variance that are given."""
    if use.attribute("training_mode", 0) or use.wants(1) or (use.opset < 7 and not use.attribute("is_test", 0)):
        raise Unsupported("training")
    if use.attribute("spatial", 1) != 1:
        raise Unsupported("spatial=0")
    epsilon = use.attribute("epsilon", 1e-5)
    found = use.call("nn.batch_norm", *(use[index] for index in range(5)), epsilon=epsilon)
    return use.builder.field(found, 0)


@imports("InstanceNormalization")
def instance_normalization(use: Use) -> Value:
    """Each channel of each sample, normalized to mean 0 and variance 1."""
    return use.call("nn.instance_norm", use[0], use[1], use[2], epsilon=use.attribute("epsilon", 1e-5))


@imports("GroupNormalization")
def group_normalization(use: Use) -> Value:
    """Groups of channels, normalized to mean 0 and variance 1; version 18, with scale and bias by group, is refused."""
    if use.opset < 21:
        raise Unsupported("version 18 of the operator")
    settings = {"num_groups": use.required("num_groups"), "epsilon": use.attribute("epsilon", 1e-5)}
    return use.call("nn.group_norm", use[0], use[1], use[2], **settings)


@imports("LayerNormalization")
def layer_normalization(use: Use) -> list[Value] | Value:
    """The last axes, normalized to mean 0 and variance 1, then scaled and shifted."""
    x, epsilon = use[0], use.attribute("epsilon", 1e-5)
    axis, bias = positive(use.attribute("axis", -1), x.rank), use.optional(2)
    lane = x.tensor.shape[axis:]
    if (
        axis == x.rank - 1
        and bias is not None
        and use[1].tensor.shape == bias.tensor.shape == lane
        and not use.wants(1)
    ):
        return use.call("nn.layer_norm", x, use[1], bias, epsilon=epsilon)
    axes = list(range(axis, x.rank))
    mean = use.call("mean", x, axis=axes, keepdims=True)
    variance = use.call("variance", x, mean, axis=axes, keepdims=True)
    inverse = use.call("rsqrt", use.call("add", variance, use.like(epsilon, x)))
    normal = use.call("multiply", use.call("subtract", x, mean), inverse)
    scaled = use.call("multiply", normal, broadcast_into(use, use[1], x))
    return [scaled if bias is None else use.call("add", scaled, broadcast_into(use, bias, x)), mean, inverse]


@imports("RMSNormalization")
def root_mean_square_normalization(use: Use) -> Value:
    """The last axes divided by their root mean square, then scaled."""
    x = use[0]
    axes = list(range(positive(use.attribute("axis", -1), x.rank), x.rank))
    mean = use.call("mean", use.call("multiply", x, x), axis=axes, keepdims=True)
    inverse = use.call("rsqrt", use.call("add", mean, use.like(use.attribute("epsilon", 1e-5), x)))
    return use.call("multiply", use.call("multiply", x, inverse), broadcast_into(use, use[1], x))
