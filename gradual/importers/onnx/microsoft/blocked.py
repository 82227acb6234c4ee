"""Images whose channels are stored in blocks: (n, c, h, w) in the file, (n, c / block, h, w, block) in memory.

ONNX Runtime chooses blocks of 8 or of 16 channels for the processor on which it optimises a model, and the model does
not record the choice.  Usually it follows from the numbers of channels and the kinds of nodes.  If not, the weights
are unknown: the model can be checked, but a run of it stops at a weight.
"""

from __future__ import annotations

from functools import partial

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.onnx.file.model import Model, Node
from gradual.importers.onnx.importers import Use, imports, of_shape
from gradual.importers.onnx.microsoft.activations import activated
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

DOMAIN = "com.microsoft.nchwc"
BLOCKS = 16, 8

blocked = partial(imports, domain=DOMAIN)


# -------------------------------------------------------------------------------------------------- the size of a block
def block_of(model: Model) -> int | None:
    """The block size, 8 or 16, that is possible for every node of a model; None if both are possible."""
    nodes = model.graph.nodes
    makers = {name: node for node in nodes for name in node.outputs}
    found = [block for block in BLOCKS if all(_agrees(model, node, makers, block) for node in nodes)]
    if not found:
        raise Unsupported("blocks neither of 8 nor of 16 channels")
    return found[0] if len(found) == 1 else None


def _agrees(model: Model, node: Node, makers: dict[str, Node], block: int) -> bool:
    if node.kind == (DOMAIN, "Conv"):
        maker = makers.get(node.inputs[0])
        sizes = _weight_shape(model, node)
        return sizes is None or _fits(node, sizes, maker, block)
    if node.kind == (DOMAIN, "ReorderOutput"):
        maker = makers.get(node.inputs[0])
        sizes = None if maker is None or maker.kind != (DOMAIN, "Conv") else _weight_shape(model, maker)
        return sizes is None or sizes[0] == whole_blocks(node.attributes.get("channels", 0), block)
    return True


def _weight_shape(model: Model, node: Node) -> tuple[int, ...] | None:
    """The shape of the weight of a convolution, if the weight is a constant of the model."""
    weight = model.graph.initializers.get(node.inputs[1])
    return weight.shape if isinstance(weight, Tensor) and len(weight.shape) == 4 else None


def _fits(node: Node, sizes: tuple[int, ...], maker: Node | None, block: int) -> bool:
    """Whether the runtime, with this block size, may have written a convolution of the result of `maker`."""
    out, each, groups = sizes[0], sizes[1], node.attributes.get("group", 1)
    if out % block:
        return False
    if groups > 1:
        return (each == 1 and out == groups) or (each % block == 0 and out // groups % block == 0)
    takes_blocks = each >= block
    return (not takes_blocks or each % block == 0) and _gives_blocks(maker) in (None, takes_blocks)


def _gives_blocks(maker: Node | None) -> bool | None:
    """Whether the result of a node has blocked channels; None if the node may return either layout."""
    if maker is None:
        return False
    return maker.operator != "ReorderOutput" if maker.domain == DOMAIN else None


def whole_blocks(channels: int, block: int) -> int:
    """A number of channels, rounded up to whole blocks."""
    return -(-channels // block) * block


# --------------------------------------------------------------------------------------------------------------- layout
def _channels(x: Value, axis: int = 1) -> int:
    if x.rank != 4:
        raise Unsupported(f"an image of rank {x.rank}")
    if (count := x.extent(axis)) is None:
        raise Unsupported("channels whose number is not known here")
    return count


def _packed(use: Use, x: Value) -> Value:
    """The image with its channels in blocks."""
    block = block_of(use.model) or min(BLOCKS)
    split = use.call("layout_transform", x, src_layout="NCHW", dst_layout=f"NCHW{block}c")
    return use.call("reshape_like", split, x)


def _unpacked(use: Use, x: Value) -> Value:
    """The image in plain layout, given its channels in blocks."""
    count, block = _channels(x), block_of(use.model) or min(BLOCKS)
    if count % block:
        raise Unsupported(f"{count} channels in blocks of {block}")
    batch, height, width = (use.extent(x, axis) for axis in (0, 2, 3))
    split = use.call("reshape", x, newshape=[batch, count // block, height, width, block])
    return use.call("layout_transform", split, src_layout=f"NCHW{block}c", dst_layout="NCHW")


@blocked("ReorderInput")
def reorder_input(use: Use) -> Value:
    """The image with its channels in blocks; the last block is filled up with zero channels."""
    x = use.call("transpose", use[0], axes=[0, 3, 1, 2]) if use.attribute("channels_last", 0) else use[0]
    count, block = _channels(x), block_of(use.model)
    wanted = {whole_blocks(count, one) for one in ([block] if block else BLOCKS)}
    if len(wanted) > 1:
        raise Unsupported(f"{count} channels in blocks of 8 or of 16")
    more = wanted.pop() - count
    widths = [[0, 0], [0, more], [0, 0], [0, 0]]
    return _packed(use, use.call("nn.pad", x, use.like(0.0, x), pad_width=widths) if more else x)


@blocked("ReorderOutput")
def reorder_output(use: Use) -> Value:
    """The first channels of a blocked image, in plain layout."""
    x, count = _unpacked(use, use[0]), use.required("channels")
    if not 1 <= count <= _channels(x):
        raise Unsupported(f"channels={count}")
    if count < _channels(x):
        x = use.call("strided_slice", x, begin=[0], end=[count], axes=[1])
    return use.call("transpose", x, axes=[0, 2, 3, 1]) if use.attribute("channels_last", 0) else x


# ------------------------------------------------------------------------------------------------------------ operators
@blocked("Conv")
def convolution(use: Use) -> Value:
    """A convolution, plus an optional image, and an activation; an input with few channels is in plain layout."""
    weight, added, groups = use[1], use.optional(3), use.attribute("group", 1)
    each = _channels(weight)
    is_plain = groups == 1 and each < (block_of(use.model) or min(BLOCKS))
    x = use[0] if is_plain else _unpacked(use, use[0])
    by_rows = not (is_plain or (groups > 1 and each == 1))
    found = use.composed("Conv", x, _weight(use, weight, by_rows), use.optional(2), **use.node.attributes)
    if added is not None:
        found = use.call("add", found, of_shape(use, _unpacked(use, added), found))
    return _packed(use, activated(use, found))


def _weight(use: Use, weight: Value, by_rows: bool) -> Value:
    """The weight in the layout of `Conv`, given blocked output channels and, with `by_rows`, blocked input channels."""
    out, each, height, width = weight.shape
    if (block := block_of(use.model)) is None:
        return _unknown(use, weight)
    if out % block or (by_rows and each % block):
        raise Unsupported(f"a weight of shape {weight.shape} in blocks of {block}")
    if by_rows:
        split = use.call("reshape", weight, newshape=[out // block, each // block, height, width, block, block])
        moved = use.call("transpose", split, axes=[0, 5, 1, 4, 2, 3])
    else:
        split = use.call("reshape", weight, newshape=[out // block, each, height, width, block])
        moved = use.call("transpose", split, axes=[0, 4, 1, 2, 3])
    return use.call("reshape", moved, newshape=[out, each, height, width])


def _unknown(use: Use, weight: Value) -> Value:
    """The result of applying a declared operator without a meaning to the weight."""
    name, type = "onnx.unblocked", f"Tensor[(a, b, c, d), {DType.FLOAT32}]"
    use.builder.functions[name] = f"operator {name}(%x: {type}) -> {type};\n"
    return use.builder.applied(name, [weight], weight.tensor)


def _between(operator: str, use: Use) -> Value:
    return _packed(use, use.composed(operator, _unpacked(use, use[0]), **use.node.attributes))


@blocked("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool")
def pool(use: Use) -> Value:
    """ONNX's pool with the same name, on a blocked image."""
    return _between(use.node.operator, use)


@blocked("Upsample")
def upsample(use: Use) -> Value:
    """The image enlarged by integer factors."""
    x, scales = _unpacked(use, use[0]), list(use.required("scales"))
    factors = use.builder.constant(Tensor([float(one) for one in scales], DType.FLOAT32, (len(scales),)))
    names = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"}
    settings = {name: use.attribute(name, usual) for name, usual in names.items()}
    return _packed(use, use.composed("Resize", x, None, factors, nearest_mode="floor", **settings))
