"""Convolutions and transposed convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports


def spread(use: Use, name: str, count: int, usual: int) -> list[int]:
    """The numbers of an argument, one for each spatial axis; a single number applies to all axes."""
    found = use.integers(name, [usual]) or [usual]
    return found * count if len(found) == 1 else found


@imports(
    "aten.conv1d.default",
    "aten.conv2d.default",
    "aten.conv3d.default",
    "aten.conv1d.padding",
    "aten.conv2d.padding",
    "aten.conv3d.padding",
    "aten.conv_transpose1d.default",
    "aten.conv_transpose2d.input",
    "aten.conv_transpose3d.input",
    "aten.convolution.default",
    "aten._convolution.default",
)
def convolution(use: Use) -> Value:
    """A convolution over one, two or three spatial axes, with a bias; data without a batch axis are one sample."""
    x, weight = use["input"], use["weight"]
    count = weight.rank - 2
    if count not in (1, 2, 3):
        raise Unsupported(f"{count} spatial axes")
    is_single = x.rank == count + 1
    if is_single:
        x = use.call("expand_dims", x, axis=0)
    is_transposed = "transpose" in use.node.operator or use.given("transposed", False)
    found = (_transposed if is_transposed else _plain)(use, x, weight, count)
    if (bias := use.optional("bias")) is not None:
        found = use.call("add", found, use.call("expand_dims", bias, axis=1, num_newaxis=count))
    return use.call("squeeze", found, axis=[0]) if is_single else found


def _plain(use: Use, x: Value, weight: Value, count: int) -> Value:
    dilation = spread(use, "dilation", count, 1)
    return use.call(
        f"nn.conv{count}d",
        x,
        weight,
        strides=spread(use, "stride", count, 1),
        padding=_padding(use, weight, count, dilation),
        dilation=dilation,
        groups=use.integer("groups", 1),
        kernel_size=list(weight.shape[2:]),
        channels=weight.extent(0),
    )


def _padding(use: Use, weight: Value, count: int, dilation: Sequence[int]) -> list[int]:
    given = use.given("padding", 0)
    if given == "valid":
        return [0] * (2 * count)
    if given == "same":
        whole = [by * (size - 1) for by, size in zip(dilation, weight.shape[2:], strict=True)]
        return [*(one // 2 for one in whole), *(one - one // 2 for one in whole)]
    return spread(use, "padding", count, 0) * 2


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
