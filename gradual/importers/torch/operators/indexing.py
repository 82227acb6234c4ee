"""Operators that name elements by indices, and those that find indices.

A negative index counts from the end, and one out of bounds is a fault, here as in PyTorch.   [op.index.bounds]
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType


@imports("aten.embedding.default")
def embedding(use: Use) -> Value:
    """The rows of a table that indices name."""
    return use.call("take", use["weight"], use["indices"], axis=0, mode="fast")


@imports("aten.index_select.default")
def index_select(use: Use) -> Value:
    """The slices along an axis that indices name."""
    x = use["self"]
    return use.call("take", x, use["index"], axis=use.axis("dim", x.rank), mode="fast")


@imports("aten.gather.default")
def gather(use: Use) -> Value:
    """For each index the element at the same position, except that along an axis the index is taken."""
    x, index = use["self"], use["index"]
    if x.rank == 0:
        x, index = (use.call("reshape", one, newshape=[1]) for one in (x, index))
        return use.call("reshape", use.call("gather", x, index, axis=0), newshape=[])
    axis = use.axis("dim", x.rank)
    others = [at for at in range(x.rank) if at != axis]
    if any(index.tensor.shape[at] is not x.tensor.shape[at] for at in others):
        x = use.call("slice_like", x, index, axes=others)  # elements beyond the shape of the indices are not used
    return use.call("gather", x, index, axis=axis)


@imports("aten.index.Tensor")
def index(use: Use) -> Value:
    """The elements that index tensors name, which are broadcast together; a mask stands for where it holds."""
    x = use["self"]
    given = use.value(use.given("indices"))
    if not isinstance(given, tuple):
        raise Unsupported("indices that are no list")
    axes, indices = list[int](), list[Value]()
    at = 0
    for one in given:
        if one is None:
            at += 1
            continue
        found = _places(use, one) if one.dtype is DType.BOOL else [one]
        axes += range(at, at + len(found))
        indices += found
        at += len(found)
    if not axes:
        return x
    if len(axes) == 1:
        return use.call("take", x, indices[0], axis=axes[0], mode="fast")
    apart = axes != list(range(axes[0], axes[0] + len(axes)))
    rest = [axis for axis in range(x.rank) if axis not in axes]
    order = [*axes, *rest]
    if order != list(range(x.rank)):
        x = use.call("transpose", x, axes=order)
    chosen = use.call("adv_index", use.builder.tuple([x, *indices]))
    if apart or axes[0] == 0:
        return chosen
    width, before = chosen.rank - len(rest), axes[0]
    back = [*range(width, width + before), *range(width), *range(width + before, chosen.rank)]
    return use.call("transpose", chosen, axes=back)


def _places(use: Use, mask: Value) -> list[Value]:
    """For each axis of a mask the indices at which it holds."""
    if mask.rank == 1:
        return [use.as_type(use.call("nonzero", mask), DType.INT64)]
    rows = use.as_type(use.call("argwhere", mask), DType.INT64)
    return [
        use.call("take", rows, use.builder.number(axis, DType.INT64), axis=1, mode="fast") for axis in range(mask.rank)
    ]


@imports("aten.masked_select.default")
def masked_select(use: Use) -> Value:
    """The elements where a mask holds, in row-major order."""
    x, mask = use["self"], use["mask"]
    if x.rank != mask.rank or any(one is not two for one, two in zip(x.tensor.shape, mask.tensor.shape, strict=True)):
        mask = use.call("logical_and", mask, use.call("ones_like", use.as_type(x, DType.BOOL)))
        x = use.call("broadcast_to_like", x, mask)
    x, mask = (use.call("reshape", one, newshape=[-1]) for one in (x, mask))
    return use.call("take", x, use.call("nonzero", mask), axis=0, mode="fast")


@imports("aten.nonzero.default")
def nonzero(use: Use) -> Value:
    """The index of each element that is not zero, a row each."""
    return use.as_type(use.call("argwhere", use["self"]), DType.INT64)


@imports("aten.topk.default")
def top(use: Use) -> Sequence[Value]:
    """The greatest or least elements along an axis, and their indices."""
    x = use["self"]
    settings = {
        "axis": use.axis("dim", x.rank, -1),
        "ret_type": "both",
        "is_ascend": None if use.flag("largest", True) else True,
        "dtype": DType.INT64,
    }
    return use.counted(use.call("topk", x, k=use.size("k"), **settings), 2)


@imports("aten.sort.default")
def sort(use: Use) -> Sequence[Value]:
    """The elements in order along an axis, and their indices."""
    x = use["self"]
    axis, ascends = use.axis("dim", x.rank, -1), not use.flag("descending")
    return [
        use.call("sort", x, axis=axis, is_ascend=ascends),
        use.call("argsort", x, axis=axis, is_ascend=ascends, dtype=DType.INT64),
    ]


@imports("aten.argsort.default")
def argsort(use: Use) -> Value:
    """The indices that sort the elements along an axis."""
    x = use["self"]
    axis, ascends = use.axis("dim", x.rank, -1), not use.flag("descending")
    return use.call("argsort", x, axis=axis, is_ascend=ascends, dtype=DType.INT64)
