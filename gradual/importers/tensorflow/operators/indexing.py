"""Operators that select elements, and those that compute indices."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.dims.term.dim import Dim
from gradual.importers.common.composed.arithmetic import counted, extent
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType


@imports("GatherV2", "Gather", "ResourceGather")
def gather(use: Use) -> Value:
    """The slices along an axis that indices select; the first `batch_dims` axes are shared."""
    data, indices = use[0], from_front(use, use[1])
    axis = use.axis(2, data) if len(use.inputs) > 2 else 0
    shared = use.number("batch_dims", 0)
    shared += indices.rank if shared < 0 else 0
    return use.call("take", data, indices, axis=axis, mode="fast", batch_dims=shared or None)


def from_front(use: Use, indices: Value) -> Value:
    """Indices, asserted not to be negative: TensorFlow does not count negative indices from the end.

    A negative index has to be a fault of the run, like one that is too large, and not fail a residual check.  So
    indices of unknown value are tested as a matrix: the checker does not track its elements, and the `assert` decides.
    """
    known = indices.tensor.contents if isinstance(indices.type, TensorType) else None
    if known is not None and all(isinstance(one, Dim) and use.builder.is_positive(one + 1) for one in known):
        return indices
    tested = indices
    if known is None and isinstance(indices.type, TensorType) and indices.rank < 2:
        tested = use.call("expand_dims", indices, axis=0, num_newaxis=2 - indices.rank)
    is_some = use.call("greater_equal", tested, use.like(0, tested))
    is_scalar = isinstance(tested.type, TensorType) and tested.rank == 0
    return use.demanded(indices, is_some if is_scalar else use.call("all", is_some), "an index is below 0")


@imports("GatherNd")
def gather_nd(use: Use) -> Value:
    """The slices that rows of indices select."""
    columns, depth = columns_of(use, use[1])
    shared = use.number("batch_dims", 0)
    return use.call("gather_nd", use[0], columns, batch_dims=shared or None, index_rank=depth)


def columns_of(use: Use, indices: Value) -> tuple[Value, int]:
    """The indices with their last axis first, and how many axes they index."""
    depth = indices.extent(indices.rank - 1) if indices.rank else None
    if depth is None:
        raise Unsupported("indices whose number of axes is not known here")
    return as_columns(use, indices), depth


def as_columns(use: Use, indices: Value) -> Value:
    """Rows of indices, asserted not to be negative, as columns: their last axis first."""
    use.only("bad_indices_policy", "", "DEFAULT", "ERROR")
    indices = from_front(use, indices)
    axes = [indices.rank - 1, *range(indices.rank - 1)]
    return indices if indices.rank == 1 else use.call("transpose", indices, axes=axes)


@imports("Where")
def places(use: Use) -> Value:
    """The index of each element that is not zero."""
    return use.as_type(use.call("argwhere", use[0]), DType.INT64)


@imports("Unique", "UniqueV2", results=("y", "idx"))
def unique(use: Use) -> Sequence[Value]:
    """The distinct elements in the order of their first occurrences, and for each element its index among them."""
    if len(use.inputs) > 1 and use[1].numbers("axes") not in ([], [0]):
        raise Unsupported("the distinct slices along an axis")
    found = use.counted(use.call("unique", use.ranked(0, 1), sorted=False), 4)
    return [found[0], use.as_type(found[2], use.dtype("out_idx", DType.INT32))]


@imports("MatrixBandPart", "BatchMatrixBandPart")
def band(use: Use) -> Value:
    """The elements of each matrix between two diagonals; a negative number of diagonals means all of them."""
    x = use[0]
    lower, upper = (use.integer(index, "a number of diagonals") for index in (1, 2))
    if lower >= 0:
        x = use.call("trilu", x, use.builder.number(-lower, DType.INT64), upper=True)
    return use.call("trilu", x, use.builder.number(upper, DType.INT64), upper=False) if upper >= 0 else x


# ------------------------------------------------------------------------------------------------------------ splits
@imports("Split")
def split(use: Use) -> Sequence[Value]:
    """Equal parts along an axis."""
    x, count = use[1], use.number("num_split")
    axis = use.axis(0, x)
    if count == 1:
        return [x]
    if isinstance(x.type, TensorType) and x.rank == 1 and (whole := x.extent(axis)) is not None and whole % count == 0:
        return use.parts(x, axis, [whole // count] * count)
    found = use.counted(use.call("split", x, indices_or_sections=count, axis=axis), count)
    for part in found if isinstance(x.type, UnrankedType) else ():
        use.bodies.derived(part, x, 0)
    return found


@imports("SplitV")
def split_by_sizes(use: Use) -> Sequence[Value]:
    """Parts of given sizes along an axis, one of which may be what remains."""
    x, sizes = use[0], use.sizes(use[1])
    axis = use.axis(2, x)
    if -1 in sizes:
        rest = extent(use, x, axis)
        place = sizes.index(-1)
        for size in [*sizes[:place], *sizes[place + 1 :]]:
            rest = rest - counted(use, size)
        sizes[place] = use.written_size(rest.value)
    return use.parts(x, axis, sizes)
