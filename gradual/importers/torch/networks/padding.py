"""Padding of tensors: constant, reflected, replicated, or circular."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports

MODES = {"reflect": "reflect", "replicate": "edge"}
"""PyTorch's padding mode -> that of `nn.pad`."""


@imports("aten.pad.default")
def pad(use: Use) -> Value:
    """Padding of any mode; widths are given for the last axis first."""
    mode = use.only("mode", "constant", "circular", *MODES)
    if mode == "circular":
        return _circular(use, use.integers("pad"))
    if mode == "constant":
        return _constant(use)
    return _bordered(use, use["self"], use.sizes("pad"), MODES[mode])


@imports("aten.constant_pad_nd.default")
def constant_pad(use: Use) -> Value:
    """Padding with a number."""
    return _constant(use)


def _constant(use: Use) -> Value:
    x = use["self"]
    number = use.builder.number(0, x.dtype) if use.given("value") is None else use.scalar("value", x.dtype)
    return _bordered(use, x, use.sizes("pad"), None, number)


@imports(*(f"aten.{kind}_pad{count}d.default" for kind in ("reflection", "replication") for count in (1, 2, 3)))
def border(use: Use) -> Value:
    """Padding that reflects or replicates the border."""
    mode = "reflect" if "reflection" in use.node.operator else "edge"
    return _bordered(use, use["self"], use.sizes("padding"), mode)


def _bordered(use: Use, x: Value, sizes: Sequence[int | Value], mode: str | None, number: Value | None = None) -> Value:
    pairs = [list(sizes[at : at + 2]) for at in range(0, len(sizes), 2)]
    if len(sizes) % 2 or len(pairs) > x.rank:
        raise Unsupported(f"{len(sizes)} paddings of a tensor of rank {x.rank}")
    if all(size == 0 for size in sizes):
        return x
    width = [[0, 0]] * (x.rank - len(pairs)) + pairs[::-1]
    filling = use.builder.number(0, x.dtype) if number is None else number
    return use.call("nn.pad", x, filling, pad_width=width, pad_mode=mode)


def _circular(use: Use, sizes: Sequence[int]) -> Value:
    """Circular padding: each axis continues at its other end."""
    x = use["self"]
    for at in range(0, len(sizes), 2):
        axis, (before, after) = x.rank - 1 - at // 2, sizes[at : at + 2]
        if before < 0 or after < 0:
            raise Unsupported("a negative circular padding")
        parts = [x]
        if before:
            parts.insert(0, use.call("strided_slice", x, begin=[-before], end=[2**31 - 1], axes=[axis]))
        if after:
            parts.append(use.call("strided_slice", x, begin=[0], end=[after], axes=[axis]))
        x = use.call("concatenate", use.builder.tuple(parts), axis=axis) if len(parts) > 1 else x
    return x
