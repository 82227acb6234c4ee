"""Products, convolutions, pools and normalizations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


@imports("aten.linear.default")
def linear(use: Use) -> Value:
    """Inner products with the rows of a weight, and a bias."""
    x, bias = use["input"], use.optional("bias")
    row = use.call("expand_dims", x, axis=0) if x.rank == 1 else x
    found = use.call("nn.dense", row, use["weight"])
    if x.rank == 1:
        found = use.call("squeeze", found, axis=[0])
    return found if bias is None else use.call("add", found, bias)


@imports("aten.matmul.default", "aten.mm.default", "aten.bmm.default", "aten.mv.default", "aten.dot.default")
def matmul(use: Use) -> Value:
    """The product of matrices in batches."""
    names = {"aten.mv.default": ("self", "vec"), "aten.dot.default": ("self", "tensor")}
    first = use["self"]
    second = "other" if "other" in use.node.arguments else "mat2" if "mat2" in use.node.arguments else None
    return product(use, first, use[second or names[use.node.operator][1]])


@imports("aten.addmm.default")
def addmm(use: Use) -> Value:
    """A matrix and a product."""
    found = product(use, use["mat1"], use["mat2"])
    return use.call("add", _times(use, use["self"], "beta"), _times(use, found, "alpha"))


@imports("aten.baddbmm.default")
def baddbmm(use: Use) -> Value:
    """Matrices and products."""
    found = product(use, use["batch1"], use["batch2"])
    return use.call("add", _times(use, use["self"], "beta"), _times(use, found, "alpha"))


def _times(use: Use, value: Value, name: str) -> Value:
    return value if use.given(name, 1) == 1 else use.call("multiply", value, use.scalar(name, value.dtype))


@imports("aten.scaled_dot_product_attention.default")
def attention(use: Use) -> Value:
    """Queries against keys, and the values in these proportions."""
    query, key, value, mask = use["query"], use["key"], use["value"], use.optional("attn_mask")
    if use.given("dropout_p", 0.0):
        raise Unsupported("training")
    if use.flag("enable_gqa"):
        key, value = (_repeated_heads(use, query, one) for one in (key, value))
    width = query.extent(query.rank - 1)
    if use.given("scale") is not None:
        factor = use.scalar("scale", query.dtype)
    elif width:
        factor = use.like(1 / math.sqrt(width), query)
    else:
        raise Unsupported("queries whose width is not known here")
    order = [*range(key.rank - 2), key.rank - 1, key.rank - 2]
    scores = use.call("multiply", product(use, query, use.call("transpose", key, axes=order)), factor)
    if use.flag("is_causal"):
        ones = use.call("ones_like", use.as_type(scores, DType.BOOL))
        mask = use.call("trilu", ones, use.builder.number(0, DType.INT64), upper=False)
    if mask is not None and mask.dtype is DType.BOOL:
        scores = use.call("where", mask, scores, use.like(-math.inf, scores))
    elif mask is not None:
        scores = use.call("add", scores, mask)
    weights = use.call("nn.softmax", scores, axis=-1)
    if mask is not None and mask.dtype is DType.BOOL:  # a row that attends to nothing gives zeros
        weights = use.call("where", use.call("isnan", weights), use.like(0.0, weights), weights)
    return product(use, weights, value)


def _repeated_heads(use: Use, query: Value, value: Value) -> Value:
    """The heads of keys or values, each as often in a row as there are queries for it."""
    have, wanted = value.extent(value.rank - 3), query.extent(query.rank - 3)
    if have is None or wanted is None or wanted % have:
        raise Unsupported("groups of heads whose number is not known here")
    return value if have == wanted else use.call("repeat", value, repeats=wanted // have, axis=value.rank - 3)


# --------------------------------------------------------------------------------------------------- normalizations
@imports("aten.layer_norm.default", "aten.native_layer_norm.default")
def layer_norm(use: Use) -> Value | Sequence[Value]:
    """The last axes with mean 0 and variance 1, scaled and shifted."""
    x, count = use["input"], len(use.sizes("normalized_shape"))
    axes = list(range(x.rank - count, x.rank))
    mean = use.call("mean", x, axis=axes, keepdims=True)
    variance = use.call("variance", x, mean, axis=axes, keepdims=True)
    scale = use.call("rsqrt", use.call("add", variance, use.scalar("eps", x.dtype, 1e-5)))
    found = use.call("multiply", use.call("subtract", x, mean), scale)
    for name, operator in (("weight", "multiply"), ("bias", "add")):
        if (part := use.optional(name)) is not None:
            found = use.call(operator, found, part)
    return [found, mean, scale] if "native" in use.node.operator else found


@imports("aten.rms_norm.default")
def rms_norm(use: Use) -> Value:
    """The last axes divided by the root of the mean of their squares."""
    x, count = use["input"], len(use.sizes("normalized_shape"))
    axes = list(range(x.rank - count, x.rank))
    squares = use.call("mean", use.call("multiply", x, x), axis=axes, keepdims=True)
    epsilon = {DType.FLOAT64: 2.0**-52, DType.FLOAT16: 2.0**-10, DType.BFLOAT16: 2.0**-7}.get(x.dtype, 2.0**-23)
    scale = use.call("rsqrt", use.call("add", squares, use.scalar("eps", x.dtype, epsilon)))
    found = use.call("multiply", x, scale)
    weight = use.optional("weight")
    return found if weight is None else use.call("multiply", found, weight)


@imports("aten.group_norm.default")
def group_norm(use: Use) -> Value:
    """Groups of channels with mean 0 and variance 1, scaled and shifted."""
    x = use["input"]
    channels = x.extent(1)
    if channels is None:
        raise Unsupported("channels whose number is not known here")
    weight, bias = (use.optional(name) for name in ("weight", "bias"))
    ones, zeros = (use.call("full", use.like(number, x), shape=[channels]) for number in (1.0, 0.0))
    return use.call(
        "nn.group_norm",
        x,
        ones if weight is None else weight,
        zeros if bias is None else bias,
        num_groups=use.integer("num_groups"),
        epsilon=use.given("eps", 1e-5),
    )


@imports("aten.batch_norm.default", "aten._native_batch_norm_legit_no_training.default")
def batch_norm(use: Use) -> Value | Sequence[Value | None]:
    """Each channel by a recorded mean and variance, scaled and shifted."""
    x, no_training = use["input"], "no_training" in use.node.operator
    if not no_training and use.flag("training"):
        raise Unsupported("training")
    names = ("weight", "bias", "running_mean", "running_var")
    given = [use.optional(name) for name in names]
    channels = x.extent(1)
    if any(one is None for one in given) and channels is None:
        raise Unsupported("channels whose number is not known here")
    usual = [use.call("full", use.like(number, x), shape=[channels or 0]) for number in (1.0, 0.0, 0.0, 1.0)]
    parts = [other if one is None else one for one, other in zip(given, usual, strict=True)]
    found = use.call("nn.batch_norm", x, *parts, epsilon=use.given("eps", 1e-5))
    (result, *_) = use.counted(found, 3)
    return [result, None, None] if no_training else result


# ------------------------------------------------------------------------------------------------------ convolutions
def spread(use: Use, name: str, count: int, usual: int) -> list[int]:
    """A number for each spatial axis: PyTorch takes one for all of them too."""
    found = use.integers(name, [usual]) or [usual]
    return found * count if len(found) == 1 else found


@imports(
    "aten.conv1d.default",
    "aten.conv2d.default",
    "aten.conv3d.default",
    "aten.conv1d.padding",
    "aten.conv2d.padding",
    "aten.conv3d.padding",
    "aten.convolution.default",
)
def convolution(use: Use) -> Value:
    """A convolution over one, two or three spatial axes, with a bias; without a batch, of one sample."""
    x, weight = use["input"], use["weight"]
    count = weight.rank - 2
    if count not in (1, 2, 3):
        raise Unsupported(f"{count} spatial axes")
    single = x.rank == count + 1
    if single:
        x = use.call("expand_dims", x, axis=0)
    if use.given("transposed", False):
        found = _transposed(use, x, weight, count)
    else:
        dilation = spread(use, "dilation", count, 1)
        settings = {
            "strides": spread(use, "stride", count, 1),
            "padding": _padding(use, weight, count, dilation),
            "dilation": dilation,
            "groups": use.integer("groups", 1),
            "kernel_size": list(weight.shape[2:]),
            "channels": weight.extent(0),
        }
        found = use.call(f"nn.conv{count}d", x, weight, **settings)
    if (bias := use.optional("bias")) is not None:
        found = use.call("add", found, use.call("expand_dims", bias, axis=1, num_newaxis=count))
    return use.call("squeeze", found, axis=[0]) if single else found


def _padding(use: Use, weight: Value, count: int, dilation: Sequence[int]) -> list[int]:
    given = use.given("padding", 0)
    if given == "valid":
        return [0] * (2 * count)
    if given == "same":
        whole = [by * (size - 1) for by, size in zip(dilation, weight.shape[2:], strict=True)]
        return [*(one // 2 for one in whole), *(one - one // 2 for one in whole)]
    return spread(use, "padding", count, 0) * 2


@imports("aten.conv_transpose1d.default", "aten.conv_transpose2d.input", "aten.conv_transpose3d.input")
def transposed_convolution(use: Use) -> Value:
    """A transposed convolution with a bias."""
    x, weight = use["input"], use["weight"]
    count = weight.rank - 2
    found = _transposed(use, x, weight, count)
    if (bias := use.optional("bias")) is not None:
        found = use.call("add", found, use.call("expand_dims", bias, axis=1, num_newaxis=count))
    return found


def _transposed(use: Use, x: Value, weight: Value, count: int) -> Value:
    groups, each = use.integer("groups", 1), weight.extent(1)
    if each is None:
        raise Unsupported("channels whose number is not known here")
    return use.call(
        f"nn.conv{count}d_transpose",
        x,
        weight,
        channels=each * groups,
        kernel_size=list(weight.shape[2:]),
        strides=spread(use, "stride", count, 1),
        padding=spread(use, "padding", count, 0) * 2,
        output_padding=spread(use, "output_padding", count, 0),
        dilation=spread(use, "dilation", count, 1),
        groups=groups,
    )


# ------------------------------------------------------------------------------------------------------------ pools
@imports("aten.max_pool1d.default", "aten.max_pool2d.default", "aten.max_pool3d.default")
def max_pool(use: Use) -> Value:
    """The greatest element of each window."""
    return _pool(use, "max", {"dilation": use.integers("dilation", [1])})


@imports("aten.avg_pool1d.default", "aten.avg_pool2d.default", "aten.avg_pool3d.default")
def avg_pool(use: Use) -> Value:
    """The mean of each window."""
    if use.given("divisor_override") is not None:
        raise Unsupported("divisor_override")
    return _pool(use, "avg", {"count_include_pad": use.flag("count_include_pad", True)})


def _pool(use: Use, kind: str, settings: dict[str, Any]) -> Value:
    x = use["self"]
    count = int(use.node.operator.split("pool")[1][0])
    single = x.rank == count + 1
    if single:
        x = use.call("expand_dims", x, axis=0)
    kernel = spread(use, "kernel_size", count, 1)
    stride = spread(use, "stride", count, 1) if use.given("stride") else kernel
    if "dilation" in settings:
        settings["dilation"] = spread(use, "dilation", count, 1)
    found = use.call(
        f"nn.{kind}_pool{count}d",
        x,
        pool_size=kernel,
        strides=stride,
        padding=spread(use, "padding", count, 0) * 2,
        ceil_mode=True if use.flag("ceil_mode") else None,
        **settings,
    )
    return use.call("squeeze", found, axis=[0]) if single else found


@imports(
    "aten.adaptive_avg_pool1d.default",
    "aten.adaptive_avg_pool2d.default",
    "aten.adaptive_avg_pool3d.default",
    "aten._adaptive_avg_pool2d.default",
)
def adaptive_pool(use: Use) -> Value:
    """The mean of each of so many windows."""
    x, sizes = use["self"], use.sizes("output_size")
    return use.call(f"nn.adaptive_avg_pool{len(sizes)}d", x, output_size=sizes)


@imports("aten.upsample_nearest2d.vec", "aten.upsample_bilinear2d.vec", "aten.upsample_nearest2d.default")
def upsample(use: Use) -> Value:
    """An image with other spatial sizes: given ones, or factors times its own."""
    x = use["input" if "input" in use.node.arguments else "self"]
    corners = use.flag("align_corners")
    if use.given("output_size") is not None:
        sizes = use.sizes("output_size")
    else:
        sizes = [_scaled(use, x, axis, factor) for axis, factor in zip((2, 3), use.given("scale_factors"), strict=True)]
    if "nearest" in use.node.operator:
        method, coordinates, rounding = "nearest_neighbor", "asymmetric", "floor"
    else:
        method, coordinates, rounding = "linear", "align_corners" if corners else "half_pixel", None
    return use.call(
        "image.resize2d",
        x,
        size=sizes,
        method=method,
        coordinate_transformation_mode=coordinates,
        rounding_method=rounding,
    )


def _scaled(use: Use, x: Value, axis: int, factor: float) -> int | Value:
    """The size of an axis times a whole factor."""
    if not float(factor).is_integer():
        raise Unsupported(f"the factor {factor}")
    scaled = use.call("multiply", use.extent(x, axis), use.builder.number(int(factor), DType.INT64))
    return use.written_size(scaled)
