"""Blocks of an image laid out as a batch or as channels, and back."""

from __future__ import annotations

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports


@imports("SpaceToBatchND", "BatchToSpaceND")
def blocks(use: Use) -> Value:
    """For each position in a block, the elements there of all blocks, as one image of the batch; or the inverse."""
    return _moved(use, use[0], use[1].numbers("sizes of blocks"), 2)


@imports("SpaceToBatch", "BatchToSpace")
def square_blocks(use: Use) -> Value:
    """As `blocks`, for square blocks of images."""
    return _moved(use, use.ranked(0, 4), [use.number("block_size")] * 2, 1)


def _moved(use: Use, x: Value, block: list[int], index: int) -> Value:
    """Move blocks to the batch or back; the input `index` has the paddings or crops."""
    widths = use.pairs(index)
    if use.node.operator.startswith("Space"):
        return use.call("nn.space_to_batch_nd", x, block_shape=block, paddings=widths)
    return use.call("nn.batch_to_space_nd", x, block_shape=block, crops=widths)


@imports("DepthToSpace", "SpaceToDepth")
def depth(use: Use) -> Value:
    """Channels laid out as square blocks, or the inverse."""
    layout = use.attribute("data_format", "NHWC")
    if layout not in ("NHWC", "NCHW"):
        raise Unsupported(f"data_format={layout!r}")
    operator = "nn.depth_to_space" if use.node.operator == "DepthToSpace" else "nn.space_to_depth"
    return use.call(operator, use.ranked(0, 4), block_size=use.number("block_size"), layout=layout)
