"""Operators that select elements by indices, and those that compute indices.

A negative index counts from the end, and one out of bounds is a fault, here as in PyTorch.   [op.index.bounds]
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports
from gradual.importers.torch.operators.elementwise import truth
from gradual.record import record
from gradual.types.dtype import DType


@imports("aten.embedding.default")
def embedding(use: Use) -> Value:
    """The rows of a table at given indices."""
    return use.call("take", use["weight"], use["indices"], axis=0, mode="fast")


@imports("aten.index_select.default")
def index_select(use: Use) -> Value:
    """The slices at given indices along an axis."""
    x, places = use["self"], use["index"]
    if not x.rank:
        return x
    places = places if places.rank else use.call("expand_dims", places, axis=0)
    return use.call("take", x, places, axis=use.axis("dim", x.rank), mode="fast")


@imports("aten.take.default")
def take(use: Use) -> Value:
    """The elements at given indices in row-major order."""
    return use.call("take", use.call("reshape", use["self"], newshape=[-1]), use["index"], axis=0, mode="fast")


@imports("aten.gather.default")
def gather(use: Use) -> Value:
    """For each index, the element at the same position, but with the index as coordinate along an axis."""
    x, places = use["self"], use["index"]
    if x.rank == 0:
        x, places = (use.call("reshape", one, newshape=[1]) for one in (x, places))
        return use.call("reshape", use.call("gather", x, places, axis=0), newshape=[])
    return gathered(use, x, places, use.axis("dim", x.rank))


def gathered(use: Use, x: Value, places: Value, axis: int) -> Value:
    """As `gather`, for operands of equal rank."""
    others = [at for at in range(x.rank) if at != axis]
    if any(places.tensor.shape[at] is not x.tensor.shape[at] for at in others):
        x = use.call("slice_like", x, places, axes=others)  # elements beyond the shape of the indices are not used
    return use.call("gather", x, places, axis=axis)


@imports("aten.take_along_dim.default")
def take_along(use: Use) -> Value:
    """As `gather`, after axes of size 1 are broadcast; without an axis the elements are flattened first."""
    x, places = use["self"], use["indices"]
    if use.given("dim") is None:
        x, places = (use.call("reshape", one, newshape=[-1]) for one in (x, places))
        return use.call("gather", x, places, axis=0)
    axis = use.axis("dim", x.rank)
    pair = []
    for one, other in ((x, places), (places, x)):
        sizes = [other if at != axis and one.extent(at) == 1 else one for at in range(x.rank)]
        wanted = [use.written_size(use.extent(from_, at)) for at, from_ in enumerate(sizes)]
        pair.append(one if all(from_ is one for from_ in sizes) else use.call("broadcast_to", one, shape=wanted))
    return gathered(use, pair[0], pair[1], axis)


# -------------------------------------------------------------------------------------------------- several indices
@record(slots=False)
class Places:
    """The indices of a call, each of one axis.

    Attributes:
        rank: the rank of the indexed tensor.
        axes: the indexed axes, ascending.
        indices: an index tensor for each of these axes; all broadcast together.
    """

    rank: int
    axes: tuple[int, ...]
    indices: tuple[Value, ...]

    @property
    def rest(self) -> list[int]:
        """The axes without an index."""
        return [axis for axis in range(self.rank) if axis not in self.axes]

    @property
    def order(self) -> list[int]:
        """The axes with an index, and then the others."""
        return [*self.axes, *self.rest]

    @property
    def width(self) -> int:
        """The rank of the indices after broadcasting."""
        return max(one.rank for one in self.indices)

    @property
    def front(self) -> int:
        """The number of axes before those of the indices in the result: 0 unless the indexed axes are adjacent."""
        in_a_row = list(self.axes) == list(range(self.axes[0], self.axes[0] + len(self.axes)))
        return self.axes[0] if in_a_row else 0

    @property
    def back(self) -> list[int]:
        """The permutation that moves the axes of the indices from the front to their place in the result."""
        width, whole = self.width, self.width + len(self.rest)
        return [*range(width, width + self.front), *range(width), *range(width + self.front, whole)]


def transposed(use: Use, x: Value, order: Sequence[int]) -> Value:
    """The tensor with its axes permuted; the tensor itself if the order is unchanged."""
    return x if list(order) == list(range(x.rank)) else use.call("transpose", x, axes=list(order))


def places_of(use: Use, x: Value) -> Places | None:
    """The argument `indices`; a mask is replaced by the indices where it is true.  None if no axis is indexed."""
    given = use.value(use.given("indices"))
    if not isinstance(given, tuple):
        raise Unsupported("indices that are no list")
    axes, indices = list[int](), list[Value]()
    at = 0
    for one in given:
        if one is None:
            at += 1
            continue
        found = where_true(use, one) if one.dtype is DType.BOOL else [one]
        axes += range(at, at + len(found))
        indices += found
        at += len(found)
    return Places(x.rank, tuple(axes), tuple(indices)) if axes else None


@imports("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(use: Use) -> Value:
    """The elements at index tensors, which are broadcast together; a mask selects where it is true."""
    x = use["self"]
    places = places_of(use, x)
    return x if places is None else chosen(use, x, places)


def chosen(use: Use, x: Value, places: Places) -> Value:
    """The elements at given indices."""
    if len(places.axes) == 1:
        return use.call("take", x, places.indices[0], axis=places.axes[0], mode="fast")
    moved = transposed(use, x, places.order)
    return transposed(use, use.call("adv_index", use.builder.tuple([moved, *places.indices])), places.back)


# ----------------------------------------------------------------------------------------------------------- search
def where_true(use: Use, mask: Value) -> list[Value]:
    """For each axis of a mask, the indices at which the mask is true."""
    if mask.rank == 1:
        return [use.as_type(use.call("nonzero", mask), DType.INT64)]
    rows = use.builder.named(use.as_type(use.call("argwhere", mask), DType.INT64), "rows")
    return [
        use.call("take", rows, use.builder.number(axis, DType.INT64), axis=1, mode="fast") for axis in range(mask.rank)
    ]


@imports("aten.where.default", "aten.nonzero_numpy.default")
def where_all(use: Use) -> Sequence[Value]:
    """For each axis, the indices of the elements that are not zero."""
    return where_true(use, truth(use, use["condition" if "condition" in use.node.arguments else "self"]))


@imports("aten.nonzero.default", "aten.argwhere.default")
def nonzero(use: Use) -> Value:
    """The indices of the elements that are not zero, a row for each element."""
    return use.as_type(use.call("argwhere", use["self"]), DType.INT64)


@imports("aten.nonzero_static.default")
def some_nonzero(use: Use) -> Value:
    """The first `size` rows of `nonzero`; missing rows are filled with a number."""
    x, size = use["self"], use.size("size")
    rows = use.as_type(use.call("argwhere", x), DType.INT64)
    filling = use.call("full", use.scalar("fill_value", DType.INT64, -1), shape=[size, x.rank])
    all = use.call("concatenate", use.builder.tuple([rows, filling]), axis=0)
    return use.call("strided_slice", all, begin=[0], end=[size])


@imports("aten.masked_select.default")
def masked_select(use: Use) -> Value:
    """The elements where a mask is true, in row-major order."""
    x, mask = use["self"], use["mask"]
    if x.rank != mask.rank or any(one is not two for one, two in zip(x.tensor.shape, mask.tensor.shape, strict=True)):
        mask = use.call("logical_and", mask, use.call("ones_like", use.as_type(x, DType.BOOL)))
        x = use.call("broadcast_to_like", x, mask)
    x, mask = (use.call("reshape", one, newshape=[-1]) for one in (x, mask))
    return use.call("take", x, use.call("nonzero", mask), axis=0, mode="fast")


@imports("aten.bucketize.Tensor", "aten.searchsorted.Tensor", "aten.bucketize.Scalar", "aten.searchsorted.Scalar")
def search(use: Use) -> Value:
    """For each value, the index at which it can be inserted in a sorted sequence."""
    is_bucket = "bucketize" in use.node.operator
    sequence = use["boundaries" if is_bucket else "sorted_sequence"]
    if use.given("sorter") is not None:
        raise Unsupported("sorter")
    values = use.scalar("self", sequence.dtype)
    right = use.flag("right") or use.given("side") == "right"
    return use.call("searchsorted", sequence, values, right=True if right else None, dtype=use.dtype())


@imports("aten.isin.Tensor_Tensor", "aten.isin.Tensor_Scalar", "aten.isin.Scalar_Tensor")
def is_in(use: Use) -> Value:
    """Whether each element occurs in another tensor."""
    names = [name if name in use.node.arguments else name[:-1] for name in ("elements", "test_elements")]
    given = [use.value(use.given(name)) for name in names]
    dtype = next(one.dtype for one in given if isinstance(one, Value))
    elements, others = (use.scalar(name, dtype) for name in names)
    flat = use.call("reshape", others, newshape=[-1])
    same = use.call("equal", use.call("expand_dims", elements, axis=elements.rank), flat)
    found = use.call("any", same, axis=[elements.rank])
    return use.call("logical_not", found) if use.flag("invert") else found


@imports("aten.one_hot.default")
def one_hot(use: Use) -> Value:
    """For each class index, a vector with 1 at that index and 0 elsewhere."""
    if use.given("num_classes", -1) == -1:
        raise Unsupported("a number of classes that depends on data; give `num_classes`")
    on, off = (use.builder.number(number, DType.INT64) for number in (1, 0))
    return use.call("one_hot", use["self"], on, off, depth=use.size("num_classes"), axis=-1, dtype=DType.INT64)
