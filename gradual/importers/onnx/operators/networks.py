"""Operators of neural networks: products of matrices, convolutions, pools, normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from gradual.importers.common.applying import positive
from gradual.importers.common.composed.arithmetic import Term, counted, extent, greater
from gradual.importers.common.composed.windows import Width
from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, broadcast_into, imports, spatial


# -------------------------------------------------------------------------------------------------------- products
@imports("MatMul")
def matrix_product(use: Use) -> Value:
    """A batched matrix product."""
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
def windows(use: Use, x: Value, kernel: Sequence[Width]) -> tuple[dict[str, Any], list[Width]]:
    """Strides and dilation as attributes, and the padding before and after every axis."""
    strides, dilation = (of_each(use, name, kernel, 1) for name in ("strides", "dilations"))
    settings: dict[str, Any] = {"strides": strides}
    if any(step != 1 for step in dilation):
        settings["dilation"] = dilation
    return settings, _padding(use, x, kernel, strides, dilation)


def of_each(use: Use, name: str, axes: Sequence[object], usual: int) -> list[int]:
    """An attribute with one number per axis; if the default is 1, each number has to be at least 1."""
    given = list(use.attribute(name, (usual,) * len(axes)))
    if len(given) != len(axes) or (usual and min(given, default=usual) < usual):
        raise Unsupported(f"{name}={given}")
    return given


def _padding(
    use: Use, x: Value, kernel: Sequence[Width], strides: Sequence[int], dilation: Sequence[int]
) -> list[Width]:
    automatic = use.attribute("auto_pad", "NOTSET")
    if automatic in ("NOTSET", ""):
        return list(of_each(use, "pads", [*kernel, *kernel], 0))
    if automatic == "VALID":
        return [0] * (2 * len(kernel))
    if automatic not in ("SAME_UPPER", "SAME_LOWER"):
        raise Unsupported(f"auto_pad={automatic}")
    each = zip(kernel, strides, dilation, strict=True)
    totals = [_total(use, x, axis, *geometry) for axis, geometry in enumerate(each, 2)]
    less, more = zip(*map(_halves, totals), strict=True)
    return [*more, *less] if automatic == "SAME_LOWER" else [*less, *more]


def _total(use: Use, x: Value, axis: int, size: Width, stride: int, step: int) -> Term:
    """The total padding of an axis with which the number of windows is the size divided by the stride, rounded up."""
    have, reach = extent(use, x, axis), (counted(use, size) - 1) * step + 1
    total = ((have + (stride - 1)) // stride - 1) * stride + reach - have
    is_some = isinstance(size, int) and (size - 1) * step + 1 >= stride
    return total if is_some else greater(total, 0)


def _halves(total: Term) -> tuple[Width, Width]:
    """Half of a number, rounded down, and the rest."""
    less = total // 2
    return total.use.written_size(less.value), total.use.written_size((total - less).value)


def kernel_of(use: Use, weight: Value) -> list[Width]:
    """The sizes of the window, from `kernel_shape` or else from the weight."""
    written, count = use.attribute("kernel_shape"), weight.rank - 2
    if written is not None:
        if len(written) != count:
            raise Unsupported(f"kernel_shape={written} for {count} axes")
        return list(written)
    return [use.written_size(use.extent(weight, axis + 2)) for axis in range(count)]


@imports("Conv")
def convolution(use: Use) -> Value:
    """A convolution, with a bias for each channel."""
    return _biased(use, convolved(use, use[0], use[1]))


def convolved(use: Use, x: Value, weight: Value) -> Value:
    """The convolution with the settings in a node's attributes."""
    count, kernel = spatial(x), kernel_of(use, weight)
    settings, padding = windows(use, x, kernel)
    settings |= {"padding": padding, "groups": _unless(1, use.attribute("group", 1)), "kernel_size": _numbers(kernel)}
    return use.call(f"nn.conv{count}d", x, weight, **settings)


def _numbers(kernel: Sequence[Width]) -> Sequence[Width] | None:
    """The sizes of a kernel, or None unless all of them are numbers."""
    return kernel if all(isinstance(size, int) for size in kernel) else None


def _unless(usual: int, value: int) -> int | None:
    return None if value == usual else value


def _biased(use: Use, found: Value) -> Value:
    bias = use.optional(2)
    return found if bias is None else use.call("nn.bias_add", found, bias)


@imports("ConvTranspose")
def transposed_convolution(use: Use) -> Value:
    """A transposed convolution, with a bias for each channel."""
    x, weight, count = use[0], use[1], spatial(use[0])
    kernel, groups = kernel_of(use, weight), use.attribute("group", 1)
    strides, dilation = (of_each(use, name, kernel, 1) for name in ("strides", "dilations"))
    beyond = of_each(use, "output_padding", kernel, 0)
    if any(more >= max(move, apart) for more, move, apart in zip(beyond, strides, dilation, strict=True)):
        raise Unsupported(f"output_padding={beyond} with strides={strides} and dilations={dilation}")
    cells: list[Width] = list(beyond)
    channels, padding = weight.extent(1), _transposed_padding(use, x, kernel, strides, dilation, cells)
    settings: dict[str, Any] = {
        "channels": None if channels is None else channels * groups,
        "kernel_size": _numbers(kernel),
        "strides": strides,
        "padding": padding,
        "output_padding": cells if any(size != 0 for size in cells) else None,
        "dilation": dilation if any(step != 1 for step in dilation) else None,
        "groups": _unless(1, groups),
    }
    return _biased(use, use.call(f"nn.conv{count}d_transpose", x, weight, **settings))


def _transposed_padding(
    use: Use, x: Value, kernel: Sequence[Width], strides: Sequence[int], dilation: Sequence[int], beyond: list[Width]
) -> list[Width]:
    """The padding before and after every axis; negative padding becomes output padding, added to `beyond`."""
    automatic, wanted = use.attribute("auto_pad", "NOTSET"), use.attribute("output_shape")
    count = len(kernel)
    if wanted is None and automatic in ("NOTSET", "", "VALID"):
        return list(of_each(use, "pads", [*kernel, *kernel], 0)) if automatic != "VALID" else [0] * (2 * count)
    if wanted is not None and len(wanted) not in (count, count + 2):
        raise Unsupported(f"output_shape={wanted} for {count} axes")
    totals = []
    for axis in range(count):
        total = (counted(use, kernel[axis]) - 1) * dilation[axis] + 1 + counted(use, beyond[axis])
        if wanted is None:
            total = total - strides[axis]
        else:
            total = total + (extent(use, x, axis + 2) - 1) * strides[axis] - list(wanted)[-count:][axis]
        beyond[axis] = use.written_size((counted(use, beyond[axis]) + greater(-total, 0)).value)
        totals.append(greater(total, 0))
    less, more = zip(*map(_halves, totals), strict=True)
    return [*less, *more] if automatic == "SAME_UPPER" else [*more, *less]


@imports("LRN")
def local_response(use: Use) -> Value:
    """Each element normalized by its neighbours in other channels, equally many before and after it."""
    if use.required("size") % 2 == 0:
        return _even_response(use, use.required("size"))
    settings = {name: use.attribute(name, default) for name, default in (("alpha", 1e-4), ("beta", 0.75))}
    return use.call("nn.lrn", use[0], size=use.required("size"), bias=use.attribute("bias", 1.0), **settings)


def _even_response(use: Use, size: int) -> Value:
    """As `local_response`, for an even size: one channel more after an element than before it."""
    x, before = use[0], (size - 1) // 2
    widths = [[0, 0], [before, size - 1 - before], *([0, 0] for _ in range(x.rank - 2))]
    squares = use.call("nn.pad", use.call("multiply", x, x), use.like(0.0, x), pad_width=widths)
    count = extent(use, x, 1)
    parts = [
        Term(use, use.call("strided_slice", squares, begin=[at], end=[use.written_size((count + at).value)], axes=[1]))
        for at in range(size)
    ]
    total = reduce(Term.__add__, parts) * (use.attribute("alpha", 1e-4) / size) + use.attribute("bias", 1.0)
    return use.call("divide", x, total.applied("power", use.attribute("beta", 0.75)).value)


# -------------------------------------------------------------------------------------------------- normalizations
@imports("BatchNormalization")
def batch_normalization(use: Use) -> Value | list[Value]:
    """Batch normalization by a given mean and variance, or, in training mode, by those of the data."""
    if use.attribute("training_mode", 0):
        return _trained(use)
    if use.wants(1) or (use.opset < 7 and not use.attribute("is_test", 0)):
        raise Unsupported(f"training in version {use.opset}")
    if use.attribute("spatial", 1) != 1:
        raise Unsupported("spatial=0")
    epsilon = use.attribute("epsilon", 1e-5)
    found = use.call("nn.batch_norm", *(use[index] for index in range(5)), epsilon=epsilon)
    return use.builder.field(found, 0)


def _trained(use: Use) -> list[Value]:
    """The data normalized by its mean and variance, and the updated running mean and variance."""
    wide = use[3].dtype
    axes = [axis for axis in range(use[0].rank) if axis != 1]
    data = Term(use, use[0]).to(wide).value
    kept = use.call("mean", data, axis=axes, keepdims=True)
    mean, variance = use.call("squeeze", kept, axis=axes), use.call("variance", data, kept, axis=axes)
    epsilon, momentum = use.attribute("epsilon", 1e-5), use.attribute("momentum", 0.9)
    operands = [Term(use, one).to(wide).value for one in (use[0], use[1], use[2], mean, variance)]
    found = use.builder.field(use.call("nn.batch_norm", *operands, epsilon=epsilon), 0)
    running = [
        (Term(use, use[index]) * momentum + Term(use, now) * (1 - momentum)).value
        for index, now in ((3, mean), (4, variance))
    ]
    return [Term(use, found).to(use[0].dtype).value, *running]


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
